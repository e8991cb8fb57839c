//! What one measurement of one target says.

use std::collections::BTreeMap;

use photofinish_model::finding::single::SingleFinding;
use photofinish_model::units::{Unit, measured_rate, number, percent, plural, thousands};
use photofinish_model::{Generator, Lag, Latency, Load, Opened, Opening};

use super::{check, figures, load};

const TIME: Unit = Unit::Microseconds;

pub(crate) fn finding(finding: &SingleFinding) -> String {
    match finding {
        SingleFinding::Measured {
            rps,
            requests,
            duration_us,
            load,
            errors,
            failed_connects,
        } => format!(
            "{} requests/s: {} in {} with {}, {}.",
            measured_rate(*rps),
            plural(*requests as usize, "request", "requests"),
            TIME.text(*duration_us),
            level(load),
            failed(*errors, *requests, *failed_connects)
        ),
        SingleFinding::Overloaded(overloaded) => format!(
            "achieved {}/s of {}/s offered; the response times at the offered rate are not known",
            thousands(overloaded.achieved_rps),
            thousands(overloaded.offered_rps)
        ),
        SingleFinding::Times(latency) => times(latency),
        SingleFinding::NoTimes {} => {
            "none: no request was completed".to_owned()
        }
        SingleFinding::ShortWindow { responses } => format!(
            "the window is only {} response times long, and what ended after it is not in the requests/s: give a longer -d, or a number of requests (-n)",
            number(*responses)
        ),
        SingleFinding::Errors { kinds, status } => {
            let kinds = kinds.iter().map(|(kind, n)| error(kind, *n, status));
            kinds.collect::<Vec<String>>().join(", ")
        }
        SingleFinding::Generator(generator) => self::generator(generator),
        SingleFinding::Checks { made, failed } => {
            let checks = plural(*made, "validity check", "validity checks");
            let names: Vec<&str> = failed.iter().map(|name| check::failed(name)).collect();
            match names.as_slice() {
                [] => format!("none: {checks} passed"),
                names => format!("{} of {checks} FAILED: {}", names.len(), names.join("; ")),
            }
        }
        SingleFinding::Status { status } => format!("responses by status: {}", by_status(status)),
        SingleFinding::Bytes { inwards, outwards } => format!(
            "bytes on the wire: {} in, {} out",
            Unit::Bytes.text(*inwards as f64),
            Unit::Bytes.text(*outwards as f64)
        ),
        SingleFinding::Connections { opened, replaced } => {
            let opened = format!("connections opened: {}", count(*opened));
            match replaced {
                0 => opened,
                lost => format!(
                    "{opened}, {} of them to replace closed or lost ones",
                    count(*lost)
                ),
            }
        }
        SingleFinding::Opening(opening) => self::opening(opening),
        SingleFinding::InFlight { drained, censored } => {
            let then = match censored {
                0 => "all got their response later".to_owned(),
                never => format!(
                    "{} got a response later, {} never did",
                    count(*drained),
                    count(*never)
                ),
            };
            let requests = plural((drained + censored) as usize, "request", "requests");
            format!("in flight when the window ended: {requests}; {then}")
        }
        SingleFinding::TimedByKernel { lag } => {
            let waited = lag.map_or_else(String::new, |lag| {
                format!("; they then waited to be read (not included in any figure): {}", late(&lag))
            });
            format!("responses timed by the kernel{waited}")
        }
        SingleFinding::TimedWhenRead {} => {
            "responses timed when they were read, because there are no kernel timestamps: response times include the load generator's own delay".to_owned()
        }
    }
}

fn opening(opening: &Opening) -> String {
    let kinds = [
        ("TCP connects", opening.connect),
        ("full TLS handshakes", opening.tls_full),
        ("resumed TLS handshakes", opening.tls_resumed),
    ];
    let parts = kinds.into_iter().filter_map(|(name, opened)| {
        let Opened { count: n, us } = opened?;
        Some(format!(
            "{} {name} (p50 {}, p99 {}, max {})",
            count(n),
            TIME.text(us.p50),
            TIME.text(us.p99),
            TIME.text(us.max)
        ))
    });
    parts.collect::<Vec<String>>().join("; ")
}

fn level(load: &Load) -> String {
    match load {
        Load::Closed { .. } | Load::Capacity { .. } => load::level(load),
        Load::Open { connections, .. } => format!(
            "{} offered over {}",
            load::level(load),
            plural(*connections as usize, "connection", "connections")
        ),
    }
}

fn failed(errors: u64, requests: u64, failed_connects: u64) -> String {
    let noun = match (errors, failed_connects) {
        (0, _) => return "no errors".to_owned(),
        (_, 0) => "requests",
        _ => "requests and connects",
    };
    let share = errors as f64 / (requests + failed_connects).max(1) as f64;
    let errors = plural(errors as usize, "error", "errors");
    format!("{errors} ({} of {noun})", percent(share))
}

pub(crate) fn times(latency: &Latency) -> String {
    let times = [
        ("p50", latency.p50),
        ("p90", latency.p90),
        ("p99", latency.p99),
        ("p99.9", latency.p999),
        ("max", latency.max),
    ];
    times
        .map(|(name, time)| format!("{name} {}", TIME.text(time)))
        .join(", ")
}

pub(crate) fn late(lag: &Lag) -> String {
    let times = [("p50", lag.p50), ("p99", lag.p99), ("max", lag.max)];
    times
        .map(|(name, time)| format!("{name} {}", TIME.text(time)))
        .join(", ")
}

fn error(kind: &str, n: u64, status: &BTreeMap<String, u64>) -> String {
    match kind {
        "status" => format!(
            "{} with an unexpected status (all responses: {})",
            count(n),
            by_status(status)
        ),
        "body" => format!("{} with an unexpected body", count(n)),
        "censored" => format!("{} without a response when the load ended", count(n)),
        "timeout" => plural(n as usize, "timeout", "timeouts"),
        "reset" => plural(n as usize, "reset connection", "reset connections"),
        other if other.starts_with("grpc-") => {
            format!("{} with {}", count(n), figures::error(other))
        }
        other => format!("{} {}", count(n), other.replace('-', " ")),
    }
}

/// `49,000 × 200, 1,000 × 503`
pub(crate) fn by_status(status: &BTreeMap<String, u64>) -> String {
    let each = status.iter();
    let each = each.map(|(status, n)| format!("{} × {status}", count(*n)));
    each.collect::<Vec<String>>().join(", ")
}

fn generator(generator: &Generator) -> String {
    let mut parts = vec![
        plural(generator.threads as usize, "thread", "threads"),
        format!(
            "the busiest used {} of a core",
            percent(generator.cpu_utilisation)
        ),
    ];
    let cpu = generator.cpu_us_per_request;
    parts.extend(cpu.map(|cpu| format!("{} of CPU per request", TIME.text(cpu))));
    let turnaround = generator.turnaround_us;
    parts.extend(
        turnaround.map(|mean| format!("{} from a response to the next request", TIME.text(mean))),
    );
    if generator.achieved_ratio != 1.0 {
        let achieved = percent(generator.achieved_ratio);
        parts.push(format!("{achieved} of the offered rate achieved"));
    }
    parts.join(", ")
}

pub(crate) fn count(count: u64) -> String {
    thousands(count as f64)
}
