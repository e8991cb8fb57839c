//! The validity checks.

mod generator;
mod name;
mod noise;
mod steady;

use photofinish_model::finding::check::{CheckFinding, Law};
use photofinish_model::finding::complaint::Complaint;
use photofinish_model::units::{Unit, measured_rate, number, percent, plural, signed, thousands};

use generator::limit;
pub(super) use generator::trouble;
pub(crate) use name::{failed, meaning, title};
use noise::source;
use steady::change;

use super::complaint::{complaint, difference};
use super::{failure, figures};
use crate::check::against_limit;

/// The arithmetic of a check, or why it was not made.
pub(crate) fn finding(finding: &CheckFinding) -> String {
    match finding {
        CheckFinding::OneRunAlone {} => "one load run alone cannot show it".to_owned(),
        CheckFinding::LawOpenLoop {} => {
            "an open loop has no fixed number of requests in flight".to_owned()
        }
        CheckFinding::LawNoRequest {} | CheckFinding::NoRequest { first: None } => {
            "no request was completed".to_owned()
        }
        CheckFinding::LawLost { lost, requests } => format!(
            "{} of {} ended without a response, and their connections with them",
            count(*lost),
            requests_of(*requests)
        ),
        CheckFinding::LawFewRequests { requests, room } => format!(
            "{}, though {} can be in flight: some connections had none; send more requests",
            plural(*requests as usize, "request", "requests"),
            count(*room)
        ),
        CheckFinding::LawHolds { law } => self::law(law),
        CheckFinding::LawCannotTell { law } => format!(
            "{}; requests in flight at either end of the window can account for {} on top of the 5%: measure for longer",
            self::law(law),
            percent(law.edge)
        ),
        CheckFinding::LawBroken { law } => self::law(law),
        CheckFinding::Generator {
            limits,
            busiest,
            hands,
            achieved,
            overloaded,
            lag_p50_us,
        } => {
            let mut parts: Vec<String> = limits.iter().map(limit).collect();
            parts.extend(overloaded.map(|overloaded| {
                let cause = match limits.is_empty() {
                    true => "the server, or the number of connections, was the bottleneck; ",
                    false => "",
                };
                format!(
                    "overloaded: achieved {}/s of {}/s offered: {cause}the response times at the offered rate are not known",
                    thousands(overloaded.achieved_rps.round()),
                    thousands(overloaded.offered_rps.round())
                )
            }));
            parts.push(format!(
                "its busiest thread used {} of a core",
                whole_percent(*busiest)
            ));
            parts.extend(hands.map(|hands| {
                format!(
                    "a connection spent {} of its cycle in the load generator ({:.1} of {:.1} µs), with {} requests at the server on average",
                    whole_percent(hands.turnaround_us / hands.cycle_us),
                    hands.turnaround_us,
                    hands.cycle_us,
                    number(hands.at_server)
                )
            }));
            parts.extend(
                achieved.map(|achieved| {
                    format!("achieved {:.1}% of the offered rate", achieved * 100.0)
                }),
            );
            parts.extend(lag_p50_us.map(|lag| {
                format!(
                    "responses waited {lag:.1} µs to be read (median), not included in any figure"
                )
            }));
            parts.join("; ")
        }
        CheckFinding::NoRequest { first: Some(first) } => {
            format!("no request was completed: {}", complaint(first))
        }
        CheckFinding::NoErrors { requests } => {
            format!(
                "{} as expected",
                plural(*requests as usize, "response", "responses")
            )
        }
        CheckFinding::Errors {
            failed,
            attempts,
            connects,
            kinds,
            first,
        } => {
            let noun = match connects {
                true => "requests and connects",
                false => "requests",
            };
            format!(
                "{} of {} {noun} failed: {}{}",
                count(*failed),
                count(*attempts),
                figures::errors(kinds),
                the_first(first.as_ref())
            )
        }
        CheckFinding::TooFewWindows { windows, needed } => format!(
            "{}, and {needed} are needed to detect a shift: measure for longer",
            plural(*windows, "window", "windows")
        ),
        CheckFinding::NoFigures {} => "the windows have no figures".to_owned(),
        CheckFinding::Flat { series, windows } => {
            let series: Vec<&str> = series.iter().copied().map(steady::series).collect();
            format!(
                "flat: {} over {}",
                series.join(" and "),
                plural(*windows, "window", "windows")
            )
        }
        CheckFinding::Unsteady { compiling, changes } => {
            let compiling = compiling.map(|share| {
                format!(
                    "warm-up: its just-in-time compiler still took {} of its CPU time",
                    percent(share)
                )
            });
            let parts: Vec<String> = compiling
                .into_iter()
                .chain(changes.iter().map(change))
                .collect();
            parts.join("; ")
        }
        CheckFinding::NoOtherTarget {} => "no other target has responded yet".to_owned(),
        CheckFinding::OtherStatus {
            workload,
            target,
            status,
            other,
            other_status,
        } => format!(
            "{workload}: {target} responds with status {status}, {other} with {other_status}"
        ),
        CheckFinding::OtherBody {
            workload,
            target,
            other,
            expected_bytes,
            got_bytes,
            difference,
        } => {
            let at = difference
                .as_ref()
                .map_or_else(String::new, |at| format!("; {}", self::difference(at)));
            format!(
                "{workload}: the body of {target} differs from that of {other}: {} against {}{at}",
                bytes(*got_bytes),
                bytes(*expected_bytes)
            )
        }
        CheckFinding::SameShape { status, others } => format!(
            "status {status} and a body of the stated shape, as {}",
            others.join(", ")
        ),
        CheckFinding::SameResponse {
            status: 0,
            bytes,
            others,
        } => format!("the same {} as {}", self::bytes(*bytes), others.join(", ")),
        CheckFinding::SameResponse {
            status,
            bytes,
            others,
        } => format!(
            "status {status} and the same body of {} as {}",
            self::bytes(*bytes),
            others.join(", ")
        ),
        CheckFinding::NotSampled {} => "the machine was not sampled".to_owned(),
        CheckFinding::Machine { sources } => {
            let sources: Vec<String> = sources.iter().map(source).collect();
            sources.join(", ")
        }
        CheckFinding::Generators {
            of,
            troubles,
            apart_us,
        } => {
            let apart = Unit::Microseconds.text(*apart_us);
            match troubles.as_slice() {
                [] => format!("{of} load generators, whose windows differed by at most {apart}"),
                troubles => troubles.iter().map(trouble).collect::<Vec<_>>().join("; "),
            }
        }
        CheckFinding::Bystanders { cores, limit } => {
            let (used, most) = against_limit(*cores, *limit);
            let used = format!("the other targets' servers used {used} of a core meanwhile");
            match cores <= limit {
                true => used,
                false => format!(
                    "{used} (at most {most}): stop them meanwhile (`--freeze`), or measure one target after the other (`--sequential`)"
                ),
            }
        }
        CheckFinding::BytesOfFailed {} => {
            "requests failed, and their bytes are not known".to_owned()
        }
        CheckFinding::BytesNotStated {} => {
            "the workload does not state the body of a response".to_owned()
        }
        CheckFinding::ResponsesVary {} => {
            "responses differ from one another, so none can be compared with the verified one"
                .to_owned()
        }
        CheckFinding::AsStated { responses, wrong } => match wrong {
            0 => format!("all {} responses were as stated", count(*responses)),
            wrong => format!(
                "{} of {} responses had another status or body than stated",
                count(*wrong),
                count(*responses)
            ),
        },
        CheckFinding::AsVerified {
            responses,
            changed: 0,
            ..
        } => format!(
            "all {} responses matched the verified one",
            count(*responses)
        ),
        CheckFinding::AsVerified {
            responses,
            changed,
            first,
        } => format!(
            "{} of {} responses did not match the verified one{}",
            count(*changed),
            count(*responses),
            the_first(first.as_ref())
        ),
        CheckFinding::EchoBytes {
            requests,
            size,
            came,
            went,
        } => format!(
            "{} echoes × {size} bytes = {}; {} received, {} sent",
            count(*requests),
            bytes(requests * size),
            count(*came),
            count(*went)
        ),
        CheckFinding::BodyBytes {
            requests,
            body,
            head,
            came,
        } => format!(
            "{} responses × {body} bytes of body and a head of at least {head} = at least {}; {} received",
            count(*requests),
            bytes(requests * (body + head)),
            count(*came)
        ),
        CheckFinding::RowsNotCounted { why } => {
            format!("rows were not counted: {}", failure::finding(why))
        }
        CheckFinding::Rows {
            table,
            found,
            good,
            unknown,
        } => rows(table, *found, *good, *unknown),
    }
}

/// What went wrong first among several.
fn the_first(first: Option<&Complaint>) -> String {
    first.map_or(String::new(), |first| {
        format!("; the first: {}", complaint(first))
    })
}

/// `rose by 6.2%`, `rose 3.4 ×`; from or to zero there is neither.
pub(crate) fn changed(from: f64, to: f64) -> String {
    let verb = if to < from { "fell" } else { "rose" };
    let times = to / from;
    if !times.is_finite() || times < 0.0 {
        return verb.to_owned();
    }
    if times >= 2.0 {
        return format!("{verb} {} ×", number(times));
    }
    format!("{verb} by {}", percent((times - 1.0).abs()))
}

fn law(law: &Law) -> String {
    format!(
        "{} sent/s × ({:.1} + {:.1}) µs = {:.1} of {} ({}%)",
        measured_rate(law.rate_rps),
        law.latency_us,
        law.turnaround_us,
        law.in_flight,
        match law.streams {
            1 => plural(law.connections as usize, "connection", "connections"),
            streams => format!("{} × {streams} streams", law.connections),
        },
        signed(law.off() * 100.0, 1)
    )
}

fn rows(table: &str, found: u64, good: u64, unknown: u64) -> String {
    let but = match unknown {
        0 => String::new(),
        n => format!(
            " and {} that did not, each of which may have left a row",
            count(n)
        ),
    };
    let sentence = format!(
        "{table} has {} after {} that succeeded{but}",
        plural(found as usize, "row", "rows"),
        requests_of(good)
    );
    let off = |n: u64, verb: &str| {
        let are = if n == 1 { "is" } else { "are" };
        format!(
            "{} {are} {verb}: {sentence}",
            plural(n as usize, "row", "rows")
        )
    };
    if found < good {
        off(good - found, "missing")
    } else if found > good + unknown {
        off(found - good - unknown, "too many")
    } else {
        sentence
    }
}

fn requests_of(n: u64) -> String {
    plural(n as usize, "request", "requests")
}

fn bytes(n: u64) -> String {
    plural(n as usize, "byte", "bytes")
}

fn count(n: u64) -> String {
    thousands(n as f64)
}

/// A share without decimals: a gauge, no figure to compare.
fn whole_percent(share: f64) -> String {
    format!("{:.0}%", share * 100.0)
}
