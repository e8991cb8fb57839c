//! What one load run measured.

use photofinish_model::finding::single::SingleFinding;
use photofinish_model::{ArrivalClock, Check, Latency, Load, Measurement, failed_connects};

use photofinish_voice::{self as voice, Language, Say, label};

use crate::document::{Block, Cell, Item, Table};
use crate::ending::Ending;
use crate::labels;
use crate::words::{Text, Tone};

/// The figures that are read first, and what to doubt of them.
pub(crate) fn ending(measurement: &Measurement) -> Ending {
    let mut ending = Ending::new(measured(measurement).say(Language::En));
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
    let warning = |name: Text, finding: SingleFinding| {
        let text = Text::labelled(name, Text::say(&finding));
        Block::Line(text.then(Text::both(".", "。")).toned(Tone::Bad))
    };
    let mut blocks = vec![Block::Headline(Text::say(&measured(measurement)))];
    blocks.extend(measurement.overloaded.map(|overloaded| {
        let name = Text::from(label::load_summary_overloaded());
        warning(name, SingleFinding::Overloaded(overloaded))
    }));
    let short = short_window(measurement);
    blocks.extend(short.map(|short| warning(Text::from(label::load_summary_doubt()), short)));
    blocks.push(latency(measurement));
    blocks.push(Block::List(facts(measurement)));
    if !measurement.checks.is_empty() {
        let title = Text::from(label::checks_title());
        blocks.push(Block::Section("checks", title));
        blocks.push(Block::List(checks(&measurement.checks)));
    }
    blocks
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

/// Response times; service times below them if they are others (in an open loop).
fn latency(measurement: &Measurement) -> Block {
    let Some(response) = measurement.latency_us else {
        let none = Text::say(&SingleFinding::NoTimes {});
        let text = Text::labelled(Text::from(label::load_summary_response_times()), none);
        return Block::Line(text.then(Text::both(".", "。")));
    };
    let header = ["mean", "min", "p50", "p90", "p95", "p99", "p99.9", "max"];
    let zh = ["平均", "最短", "p50", "p90", "p95", "p99", "p99.9", "最长"];
    let header = header
        .into_iter()
        .zip(zh)
        .map(|(en, zh)| Text::both(en, zh));
    let mut rows = vec![row(Text::from(label::load_summary_response()), &response)];
    let service = measurement
        .service_us
        .filter(|service| *service != response);
    rows.extend(service.map(|service| row(Text::from(label::machine_service()), &service)));
    Block::Table(Table {
        header: std::iter::once(Text::from(label::load_summary_time()))
            .chain(header)
            .collect(),
        rows,
    })
}

fn row(name: Text, l: &Latency) -> Vec<Cell> {
    let times = [l.mean, l.min, l.p50, l.p90, l.p95, l.p99, l.p999, l.max];
    let mut row = vec![Cell::new(name)];
    row.extend(times.map(|time| Cell::new(labels::microseconds(time))));
    row
}

fn facts(measurement: &Measurement) -> Vec<Item> {
    let errors = errors(measurement).map(|errors| {
        Item::new(
            Text::labelled(Text::from(label::capacity_errors()), Text::say(&errors)),
            Tone::Bad,
        )
    });
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
    let facts = facts.into_iter().flatten().map(|fact| Text::say(&fact));
    let by = SingleFinding::Generator(generator.clone());
    let by = Text::labelled(
        Text::from(label::load_summary_load_generator()),
        Text::say(&by),
    );
    let timed = Text::say(&match generator.arrival_clock {
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
        let titles = not_made
            .iter()
            .map(|check| both(|language| voice::check::title(&check.name, language).to_owned()));
        let mut item = Item::new(Text::from(label::load_summary_not_checked()), Tone::Muted);
        item.below.push(Text::sentences(titles));
        items.push(item);
    }
    items
}

fn both(text: impl Fn(Language) -> String) -> Text {
    Text::both(text(Language::En), text(Language::Zh))
}

fn check(check: &Check) -> Item {
    let (word, tone) = match check.ok {
        Some(true) => (Text::from(label::load_summary_ok()), Tone::Good),
        _ => (Text::from(label::load_summary_failed()), Tone::Bad),
    };
    let title = both(|language| voice::check::title(&check.name, language).to_owned());
    let mut item = Item::new(Text::labelled(word, title), tone);
    item.below
        .push(both(|language| voice::check::says(check, language)));
    if check.ok == Some(false) {
        let meaning = both(|language| voice::check::meaning(&check.name, language).to_owned());
        let name = Text::from(label::load_summary_what_it_means());
        item.below.push(Text::labelled(name, meaning));
    }
    item
}
