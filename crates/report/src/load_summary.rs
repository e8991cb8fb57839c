//! What one load run measured.

use std::fmt::Write;

use photofinish_model::units::{self, Unit};
use photofinish_model::{ArrivalClock, Check, Generator, Latency, Load, Measurement, Overloaded};

use photofinish_voice::{self as voice, Language};

use crate::document::{Block, Figure, Item, Table, Text, Tone};
use crate::ending::Ending;

/// The figures that are read first, and what to doubt of them.
pub(crate) fn ending(measurement: &Measurement) -> Ending {
    let mut ending = Ending::new(headline(measurement));
    if let Some(overloaded) = measurement.overloaded {
        ending.fact("overloaded", self::overloaded(overloaded), Tone::Bad);
    }
    let times = measurement.latency_us.map_or_else(
        || "none: no request came to an end".to_owned(),
        |l| {
            let times = [
                ("p50", l.p50),
                ("p90", l.p90),
                ("p99", l.p99),
                ("p99.9", l.p999),
                ("max", l.max),
            ];
            let times =
                times.map(|(name, time)| format!("{name} {}", Unit::Microseconds.text(time)));
            times.join(", ")
        },
    );
    ending.fact("response time", times, Tone::Plain);
    ending.fact("errors", errors(measurement), Tone::Bad);
    ending.fact("generator", busy(&measurement.generator), Tone::Plain);
    let checks =
        (measurement.checks.iter()).filter_map(|check| Some((check.name.as_str(), check.ok?)));
    ending.doubts(checks);
    ending
}

/// How many requests failed in which way; of those with an unexpected status, which ones there were.
fn errors(measurement: &Measurement) -> String {
    let statuses = || {
        let statuses = measurement.status.iter();
        let statuses: Vec<String> = statuses
            .map(|(status, n)| format!("{} × {status}", count(*n)))
            .collect();
        statuses.join(", ")
    };
    let kinds = measurement
        .errors
        .iter()
        .map(|(kind, n)| match kind.as_str() {
            "status" => format!(
                "{} with an unexpected status (of all: {})",
                count(*n),
                statuses()
            ),
            "body" => format!("{} with an unexpected body", count(*n)),
            "timeout" => units::plural(*n as usize, "timeout", "timeouts"),
            "reset" => units::plural(*n as usize, "reset connection", "reset connections"),
            other => format!("{} {}", count(*n), other.replace('-', " ")),
        });
    kinds.collect::<Vec<String>>().join(", ")
}

/// Everything that was measured.
pub(crate) fn document(measurement: &Measurement) -> Vec<Block> {
    let mut blocks = vec![Block::Line(Text {
        text: headline(measurement),
        tone: Tone::Strong,
    })];
    blocks.extend(measurement.overloaded.map(|overloaded| {
        Block::Line(Text {
            text: format!("Overloaded: {}.", self::overloaded(overloaded)),
            tone: Tone::Bad,
        })
    }));
    blocks.push(latency(measurement));
    blocks.push(Block::List(facts(measurement)));
    if !measurement.checks.is_empty() {
        blocks.push(Block::section("Validity checks"));
        blocks.push(Block::List(checks(&measurement.checks)));
    }
    blocks
}

fn count(count: u64) -> String {
    units::thousands(count as f64)
}

fn headline(measurement: &Measurement) -> String {
    let errors: u64 = measurement.errors.values().sum();
    let errors = if errors == 0 {
        "no errors".to_owned()
    } else {
        let (attempts, noun) = measurement.attempts();
        let share = errors as f64 / attempts.max(1) as f64;
        let of = format!("{} of {noun}", units::percent(share));
        format!(
            "{} ({of})",
            units::plural(errors as usize, "error", "errors")
        )
    };
    format!(
        "{} requests/s: {} requests in {} with {}, {errors}.",
        units::thousands(measurement.throughput_rps),
        count(measurement.requests),
        Unit::Microseconds.text(measurement.duration_s * 1e6),
        load(&measurement.load)
    )
}

fn overloaded(overloaded: Overloaded) -> String {
    format!(
        "achieved {}/s of {}/s offered; the latency at the offered rate is not known",
        units::thousands(overloaded.achieved_rps.round()),
        units::thousands(overloaded.offered_rps.round())
    )
}

fn load(load: &Load) -> String {
    match load {
        Load::Closed { .. } | Load::Capacity { .. } => load.label(),
        Load::Open { connections, .. } => format!(
            "{} offered over {}",
            load.label(),
            units::plural(*connections as usize, "connection", "connections")
        ),
    }
}

/// Response times; service times below them where they are others (in an open loop).
fn latency(measurement: &Measurement) -> Block {
    let Some(response) = measurement.latency_us else {
        return Block::line("No request came to an end: there are no response times.");
    };
    let header = [
        "time", "mean", "min", "p50", "p90", "p95", "p99", "p99.9", "max",
    ];
    let mut rows = vec![row("response", &response)];
    let service = measurement
        .service_us
        .filter(|service| *service != response);
    rows.extend(service.map(|service| row("service", &service)));
    Block::Table(Table {
        header: header.map(str::to_owned).to_vec(),
        rows,
    })
}

fn row(name: &str, l: &Latency) -> Vec<Figure> {
    let times = [l.mean, l.min, l.p50, l.p90, l.p95, l.p99, l.p999, l.max];
    let mut row = vec![Figure::new(name)];
    row.extend(times.map(|time| Figure::new(Unit::Microseconds.text(time))));
    row
}

fn facts(measurement: &Measurement) -> Vec<Item> {
    let mut items = Vec::new();
    if !measurement.errors.is_empty() {
        let mut item = Item::new("errors, by kind:", Tone::Bad);
        let kinds = measurement.errors.iter();
        item.below = kinds
            .map(|(kind, n)| format!("{kind}: {}", count(*n)))
            .collect();
        items.push(item);
    }
    let mut fact = |text: String| items.push(Item::new(text, Tone::Plain));
    if !measurement.status.is_empty() {
        let answers = measurement.status.iter();
        let answers: Vec<String> = answers
            .map(|(status, n)| format!("{status}: {}", count(*n)))
            .collect();
        fact(format!("responses by status: {}", answers.join(", ")));
    }
    fact(format!(
        "bytes on the wire: {} in, {} out",
        Unit::Bytes.text(measurement.bytes_in as f64),
        Unit::Bytes.text(measurement.bytes_out as f64)
    ));
    let opened = format!("connections opened: {}", count(measurement.connects));
    fact(match measurement.reconnects {
        0 => opened,
        lost => format!(
            "{opened}, {} of them to replace one that was closed or lost",
            count(lost)
        ),
    });
    let under_way = measurement.drained + measurement.censored;
    if under_way > 0 {
        let requests = units::plural(under_way as usize, "request", "requests");
        let then = match measurement.censored {
            0 => "all got their response later".to_owned(),
            never => format!(
                "{} got a response later, {} never did",
                count(measurement.drained),
                count(never)
            ),
        };
        fact(format!(
            "in flight when the window ended: {requests}; {then}"
        ));
    }
    fact(generator(&measurement.generator));
    fact(arrivals(&measurement.generator));
    items
}

/// What the load generator took of its cores.
fn busy(generator: &Generator) -> String {
    let mut text = format!(
        "{}, the busiest used {} of a core",
        units::plural(generator.threads as usize, "thread", "threads"),
        units::percent(generator.cpu_utilisation)
    );
    if let Some(cpu) = generator.cpu_us_per_request {
        let _ = write!(
            text,
            ", {} of CPU per request",
            Unit::Microseconds.text(cpu)
        );
    }
    text
}

fn generator(generator: &Generator) -> String {
    let mut parts = vec![format!("load generator: {}", busy(generator))];
    let turnaround = generator.turnaround_us;
    parts.extend(turnaround.map(|mean| {
        format!(
            "{} from a response to the next request",
            Unit::Microseconds.text(mean)
        )
    }));
    if generator.achieved_ratio != 1.0 {
        let achieved = units::percent(generator.achieved_ratio);
        parts.push(format!("{achieved} of the offered rate achieved"));
    }
    parts.join(", ")
}

fn arrivals(generator: &Generator) -> String {
    match (generator.arrival_clock, generator.lag_us) {
        (ArrivalClock::Kernel, Some(lag)) => format!(
            "responses timed by the kernel; they then waited to be read (not in any figure): p50 {}, p99 {}, max {}",
            Unit::Microseconds.text(lag.p50),
            Unit::Microseconds.text(lag.p99),
            Unit::Microseconds.text(lag.max)
        ),
        (ArrivalClock::Kernel, None) => "responses timed by the kernel".to_owned(),
        (ArrivalClock::Reading, _) => {
            "responses timed when they were read, for lack of kernel timestamps: the load generator's own delay is in the response times".to_owned()
        }
    }
}

/// Each check; those that were not made together.
fn checks(checks: &[Check]) -> Vec<Item> {
    let (made, not_made): (Vec<&Check>, Vec<&Check>) =
        checks.iter().partition(|check| check.ok.is_some());
    let mut items: Vec<Item> = made.into_iter().map(check).collect();
    if !not_made.is_empty() {
        let titles: Vec<&str> = not_made
            .iter()
            .map(|check| voice::check::title(&check.name, Language::En))
            .collect();
        let mut item = Item::new("not checked:", Tone::Muted);
        item.below.push(titles.join("; "));
        items.push(item);
    }
    items
}

fn check(check: &Check) -> Item {
    let (word, tone) = match check.ok {
        Some(true) => ("ok", Tone::Good),
        _ => ("FAILED", Tone::Bad),
    };
    let title = voice::check::title(&check.name, Language::En);
    let mut item = Item::new(format!("{word}: {title}"), tone);
    item.below.push(voice::check::says(check, Language::En));
    if check.ok == Some(false) {
        let meaning = voice::check::meaning(&check.name, Language::En);
        item.below.push(format!("what it means: {meaning}"));
    }
    item
}
