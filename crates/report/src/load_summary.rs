//! What one load run measured.

use photofinish_model::finding::single::SingleFinding;
use photofinish_model::units::Unit;
use photofinish_model::{ArrivalClock, Check, Latency, Load, Measurement, failed_connects};

use photofinish_voice::{self as voice, Language, Say};

use crate::document::{Block, Figure, Item, Table, Text, Tone};
use crate::ending::Ending;

/// The figures that are read first, and what to doubt of them.
pub(crate) fn ending(measurement: &Measurement) -> Ending {
    let mut ending = Ending::new(say(measured(measurement)));
    let overloaded = measurement.overloaded.map(SingleFinding::Overloaded);
    ending.says("overloaded", overloaded, Tone::Bad);
    let latency = measurement.latency_us;
    let times = latency.map_or(SingleFinding::NoTimes {}, SingleFinding::Times);
    ending.says("response time", Some(times), Tone::Plain);
    ending.says("errors", errors(measurement), Tone::Bad);
    let (drained, censored) = (measurement.drained, measurement.censored);
    // Else 0 requests/s and no errors would be a riddle.
    let none_in_time = measurement.throughput_rps == 0.0 && measurement.errors.is_empty();
    let in_flight = (none_in_time && drained + censored > 0)
        .then_some(SingleFinding::InFlight { drained, censored });
    ending.says("no response", in_flight, Tone::Bad);
    // Where connections are opened again and again, or cost more than a round trip.
    let opening = (measurement.opening).filter(|opening| {
        measurement.reconnects > 0 || opening.tls_full.or(opening.tls_resumed).is_some()
    });
    let opening = opening.map(SingleFinding::Opening);
    ending.says("connections", opening, Tone::Plain);
    let mut generator = measurement.generator.clone();
    // The rest is in the tables.
    generator.turnaround_us = None;
    generator.achieved_ratio = 1.0;
    let generator = SingleFinding::Generator(generator);
    ending.says("generator", Some(generator), Tone::Plain);
    let checks =
        (measurement.checks.iter()).filter_map(|check| Some((check.name.as_str(), check.ok?)));
    ending.doubts(checks, short_window(measurement));
    ending
}

/// That the window holds few response times, where it ended while requests were in flight: what was sent and what was answered in it
/// then differ by much.
fn short_window(measurement: &Measurement) -> Option<SingleFinding> {
    const FEW: f64 = 10.0;
    let (Load::Closed { .. }, Some(latency)) = (&measurement.load, measurement.latency_us) else {
        return None;
    };
    let responses = measurement.duration_s * 1e6 / latency.mean;
    let cut = measurement.drained + measurement.censored > 0;
    (cut && responses < FEW).then_some(SingleFinding::ShortWindow { responses })
}

/// Everything that was measured.
pub(crate) fn document(measurement: &Measurement) -> Vec<Block> {
    let mut blocks = vec![Block::Line(Text {
        text: say(measured(measurement)),
        tone: Tone::Strong,
    })];
    blocks.extend(measurement.overloaded.map(|overloaded| {
        Block::Line(Text {
            text: format!(
                "Overloaded: {}.",
                say(SingleFinding::Overloaded(overloaded))
            ),
            tone: Tone::Bad,
        })
    }));
    blocks.extend(short_window(measurement).map(|short| {
        Block::Line(Text {
            text: format!("Doubt: {}.", say(short)),
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

fn say(finding: SingleFinding) -> String {
    finding.say(Language::En)
}

fn measured(measurement: &Measurement) -> SingleFinding {
    SingleFinding::Measured {
        rps: measurement.throughput_rps,
        requests: measurement.requests,
        duration_us: measurement.duration_s * 1e6,
        load: measurement.load.clone(),
        errors: measurement.errors.values().sum(),
        failed_connects: failed_connects(&measurement.errors),
    }
}

fn errors(measurement: &Measurement) -> Option<SingleFinding> {
    (!measurement.errors.is_empty()).then(|| SingleFinding::Errors {
        kinds: measurement.errors.clone(),
        status: measurement.status.clone(),
    })
}

/// Response times; service times below them where they are others (in an open loop).
fn latency(measurement: &Measurement) -> Block {
    let Some(response) = measurement.latency_us else {
        return Block::line(format!(
            "Response times: {}.",
            say(SingleFinding::NoTimes {})
        ));
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
    let errors =
        errors(measurement).map(|errors| Item::new(format!("errors: {}", say(errors)), Tone::Bad));
    let status = measurement.status.clone();
    let status = (!status.is_empty()).then_some(SingleFinding::Status { status });
    let (drained, censored) = (measurement.drained, measurement.censored);
    let in_flight = SingleFinding::InFlight { drained, censored };
    let generator = &measurement.generator;
    let facts = [
        status,
        Some(SingleFinding::Bytes {
            inwards: measurement.bytes_in,
            outwards: measurement.bytes_out,
        }),
        Some(SingleFinding::Connections {
            opened: measurement.connects,
            replaced: measurement.reconnects,
        }),
        measurement.opening.map(SingleFinding::Opening),
        (drained + censored > 0).then_some(in_flight),
    ];
    let facts = facts.into_iter().flatten().map(say);
    let by = SingleFinding::Generator(generator.clone());
    let by = format!("load generator: {}", say(by));
    let timed = say(match generator.arrival_clock {
        ArrivalClock::Kernel => SingleFinding::TimedByKernel {
            lag: generator.lag_us,
        },
        ArrivalClock::Reading => SingleFinding::TimedWhenRead {},
    });
    let facts = facts
        .chain([by, timed])
        .map(|text| Item::new(text, Tone::Plain));
    errors.into_iter().chain(facts).collect()
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
