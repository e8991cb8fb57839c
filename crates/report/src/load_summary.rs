//! What one load run told.

use photofinish_judge::rules;
use photofinish_model::units::{self, Unit};
use photofinish_model::{ArrivalClock, Check, Generator, Latency, Load, Measurement, Overloaded};

use crate::document::{Block, Figure, Item, Table, Text, Tone};

/// The summary.
pub(crate) fn document(measurement: &Measurement) -> Vec<Block> {
    let mut blocks = vec![Block::Line(Text {
        text: headline(measurement),
        tone: Tone::Strong,
    })];
    blocks.extend(measurement.overloaded.map(overloaded));
    blocks.push(latency(measurement));
    blocks.push(Block::List(facts(measurement)));
    if !measurement.checks.is_empty() {
        blocks.push(Block::section("Honesty checks"));
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

fn overloaded(overloaded: Overloaded) -> Block {
    Block::Line(Text {
        text: format!(
            "Overloaded: achieved {}/s of {}/s offered; the latency at the offered rate is not known.",
            units::thousands(overloaded.achieved_rps.round()),
            units::thousands(overloaded.offered_rps.round())
        ),
        tone: Tone::Bad,
    })
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
        fact(format!("answers by status: {}", answers.join(", ")));
    }
    fact(format!(
        "bytes on the wire: {} in, {} out",
        Unit::Bytes.text(measurement.bytes_in as f64),
        Unit::Bytes.text(measurement.bytes_out as f64)
    ));
    let opened = format!("connections opened: {}", count(measurement.connects));
    fact(match measurement.reconnects {
        0 => format!("{opened}, none in place of a lost one"),
        lost => format!("{opened}, of them {} in place of a lost one", count(lost)),
    });
    let under_way = measurement.drained + measurement.censored;
    if under_way > 0 {
        let were = units::plural(under_way as usize, "request was", "requests were");
        let then = match measurement.censored {
            0 => "answered later, every one".to_owned(),
            never => format!(
                "{} answered later, {} never",
                count(measurement.drained),
                count(never)
            ),
        };
        fact(format!("at the end of the window {were} under way: {then}"));
    }
    fact(generator(&measurement.generator));
    fact(arrivals(&measurement.generator));
    items
}

fn generator(generator: &Generator) -> String {
    let mut parts = vec![format!(
        "generator: {}, the busiest used {} of a core",
        units::plural(generator.threads as usize, "thread", "threads"),
        units::percent(generator.cpu_utilisation)
    )];
    let cpu = generator.cpu_us_per_request;
    parts.extend(cpu.map(|cpu| format!("{} of CPU per request", Unit::Microseconds.text(cpu))));
    let turnaround = generator.turnaround_us;
    parts.extend(turnaround.map(|mean| {
        format!(
            "{} from an answer to the next request",
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
            "arrivals by the kernel's clock; answers waited to be read (in no figure): p50 {}, p99 {}, max {}",
            Unit::Microseconds.text(lag.p50),
            Unit::Microseconds.text(lag.p99),
            Unit::Microseconds.text(lag.max)
        ),
        (ArrivalClock::Kernel, None) => "arrivals by the kernel's clock".to_owned(),
        (ArrivalClock::Reading, _) => {
            "arrivals by the clock when they were read: the generator's own delay is in the response times".to_owned()
        }
    }
}

/// Each rule; those that nobody has checked, and that have no reason to tell, together.
fn checks(checks: &[Check]) -> Vec<Item> {
    let (silent, told): (Vec<&Check>, Vec<&Check>) = checks
        .iter()
        .partition(|check| check.ok.is_none() && rules::why_not(&check.says).is_none());
    let mut items: Vec<Item> = told.into_iter().map(check).collect();
    if !silent.is_empty() {
        let mut item = Item::new("not checked for one run alone, or not yet:", Tone::Muted);
        let titles = silent
            .iter()
            .map(|check| rules::title(&check.name).to_owned());
        item.below.extend(titles);
        items.push(item);
    }
    items
}

fn check(check: &Check) -> Item {
    let (word, tone) = match check.ok {
        Some(true) => ("ok", Tone::Good),
        Some(false) => ("FAILED", Tone::Bad),
        None => ("not checked", Tone::Muted),
    };
    let mut item = Item::new(format!("{word}: {}", rules::title(&check.name)), tone);
    let says = match check.ok {
        None => rules::why_not(&check.says),
        Some(_) => Some(check.says.as_str()),
    };
    item.below.extend(says.map(str::to_owned));
    if check.ok == Some(false) {
        item.below
            .push(format!("what it means: {}", rules::meaning(&check.name)));
    }
    item
}
