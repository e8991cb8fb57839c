//! What one load run measured.

use photofinish_judge::comparison::{Grade, Trust, trust_of};
use photofinish_model::message::Message;
use photofinish_model::{
    ArrivalClock, Check, Generator, Latency, Load, Measurement, Opened, Opening, Overloaded, check,
};

use photofinish_judge::checks::the_first;
use photofinish_voice::{checks as names, errors as kinds, label, measurement as found};

use crate::document::{Block, Cell, Item, Table};
use crate::ending::{Ending, Figures};
use crate::labels;
use crate::words::{Text, Tone};

/// The figures that are read first, and how far they may be trusted.
pub(crate) fn ending(measurement: &Measurement) -> Ending {
    let mut ending = Ending::new(rate(measurement).en, setting(measurement).en);
    ending.figures(percentiles(measurement));
    let overloaded = measurement
        .overloaded
        .map(|over| overloaded(measurement, over).en);
    ending.fact("overloaded", overloaded, Tone::Bad);
    if measurement.latency_us.is_none() {
        ending.fact("times", Some(found::no_times().en), Tone::Plain);
    }
    ending.fact("errors", errors(measurement).map(|it| it.en), Tone::Bad);
    let changed = measurement.check(check::BODY_LENGTH);
    let changed = changed.and_then(|check| check.says.clone());
    ending.fact("changed", changed.map(|it| it.en), Tone::Bad);
    let available = measurement.check(check::AVAILABLE);
    let unavailable = available.and_then(|check| check.says.clone());
    ending.fact("server", unavailable.map(|it| it.en), Tone::Bad);
    let (drained, censored) = (measurement.drained, measurement.censored);
    // Else 0 requests/s and no errors would be a riddle.
    let none_in_time = measurement.throughput_rps == 0.0 && measurement.failures() == 0;
    let no_response =
        (none_in_time && drained + censored > 0).then(|| in_flight(drained, censored).en);
    ending.fact("no response", no_response, Tone::Bad);
    let (mute, connections) = (measurement.mute, measurement.load.connections());
    let answered = mute > 0 && mute < u64::from(connections);
    let mute = answered.then(|| found::mute(mute, connections).en);
    ending.fact("no response", mute, Tone::Bad);
    // Where connections are opened again and again, or cost more than a round trip.
    let opening = (measurement.opening).filter(|opening| {
        measurement.reconnects > 0 || opening.tls_full.or(opening.tls_resumed).is_some()
    });
    let opening = opening.as_ref().map(|opening| opened(opening).en);
    ending.fact("connections", opening, Tone::Plain);
    let mut generator = measurement.generator.clone();
    // The rest is in the tables.
    generator.turnaround_us = None;
    generator.achieved_ratio = 1.0;
    ending.fact("generator", Some(by(&generator).en), Tone::Muted);
    let Trust { grade, says } = trust_of(measurement, short_window(measurement));
    ending.caveat((grade > Grade::Quotable).then(|| says.en.clone()));
    let tone = match grade {
        Grade::Quotable => Tone::Good,
        Grade::WithCare | Grade::NotQuotable => Tone::Bad,
    };
    ending.full("trust", says.en, tone);
    ending
}

/// The title of the histogram.
pub(crate) fn histogram_title(measurement: &Measurement) -> Message {
    found::histogram(measurement.requests)
}

/// The percentiles of the response times; of the service times too if they are others.
fn percentiles(measurement: &Measurement) -> Option<Figures> {
    let response = measurement.latency_us?;
    let service = measurement.service_us.filter(|it| *it != response);
    let times = [
        (label::load_summary_response_time(), Some(response)),
        (label::load_summary_service_time(), service),
    ];
    let shown = TIMES.iter().filter(|time| time.in_ending);
    Some(Figures {
        table: table(Text::default(), times, shown),
        spare: vec![2],
        kept: 0,
    })
}

/// That the offered rate was not achieved; if all connections were busy, how many more the rate needs at this service time (Little's law).
/// While the server is unavailable, all connections are busy, and no number of them would do.
fn overloaded(measurement: &Measurement, over: Overloaded) -> Message {
    const BUSY: f64 = 0.9;
    let (achieved, offered) = (over.achieved_rps, over.offered_rps);
    let connections = measurement.load.connections();
    let service_s = measurement
        .service_us
        .map_or(0.0, |service| service.mean / 1e6);
    let streams = f64::from(measurement.streams);
    let busy = achieved * service_s >= BUSY * streams * f64::from(connections);
    let is_available = measurement.check(check::AVAILABLE).is_none();
    match busy && is_available {
        true => {
            let needed = (offered * service_s / streams).ceil() as u64;
            found::overloaded_connections(achieved, offered, connections, needed)
        }
        false => found::overloaded(achieved, offered),
    }
}

/// That the window holds few response times, where it ended while requests were in flight: what was sent and what was answered in it
/// then differ by much.
fn short_window(measurement: &Measurement) -> Option<Message> {
    const FEW: f64 = 10.0;
    let latency = measurement.latency_us?;
    let responses = measurement.duration_s * 1e6 / latency.mean;
    let cut = measurement.drained + measurement.censored > 0;
    // Queues make response times of an open loop long, and say nothing of its window.
    let is_short = match measurement.load {
        Load::Closed { .. } => responses < FEW,
        _ => measurement.throughput_rps == 0.0,
    };
    (cut && is_short).then(|| found::short_window(responses))
}

/// What else was measured.
pub(crate) fn document(measurement: &Measurement) -> Vec<Block> {
    let warning = |name: Text, finding: Message| {
        let text = Text::labelled(name, finding);
        Block::Line(text.then(Text::both(".", "。")).toned(Tone::Bad))
    };
    let mut blocks = Vec::new();
    let short = short_window(measurement);
    blocks.extend(short.map(|short| warning(Text::from(label::load_summary_warning()), short)));
    blocks.push(latency(measurement));
    blocks.push(Block::List(facts(measurement)));
    if !measurement.checks.is_empty() {
        let title = Text::from(label::checks_title());
        blocks.push(Block::Heading(title));
        blocks.push(Block::List(checks(&measurement.checks)));
    }
    blocks
}

/// The rate and whether anything failed.
fn rate(measurement: &Measurement) -> Message {
    let errors = measurement.failures();
    let (attempts, _) = measurement.attempts();
    let connects = attempts - measurement.requests;
    let share = errors as f64 / attempts.max(1) as f64;
    let errors = match (errors, connects) {
        (0, _) => found::no_errors(),
        (errors, 0) => found::errors_of_requests(errors, share),
        (errors, _) => found::errors_of_all(errors, share),
    };
    found::rate(measurement.throughput_rps, errors)
}

/// How the load was sent.
fn setting(measurement: &Measurement) -> Message {
    let load = &measurement.load;
    let level = match load {
        Load::Closed { .. } | Load::Capacity { .. } => found::level(load),
        Load::Open { connections, .. } => found::open_level(load, *connections),
    };
    found::setting(level, measurement.requests, measurement.duration_s * 1e6)
}

/// What failed, by kind; `None` if nothing did.
fn errors(measurement: &Measurement) -> Option<Message> {
    let of_kind = |(kind, count): (&String, &u64)| match kind.as_str() {
        // A refused WebSocket has none to count.
        "status" if measurement.status.is_empty() => found::other_status(*count),
        "status" => found::unexpected_status(*count, by_status(measurement)),
        "body" => found::unexpected_body(*count),
        "censored" => found::unanswered(*count),
        "timeout" => found::timeouts(*count),
        "reset" => found::resets(*count),
        other if other.starts_with("grpc-") => found::with_error(*count, kinds::kind(other)),
        other => found::error(*count, other.replace('-', " ")),
    };
    let failures = measurement.failures_by_kind();
    let all: Vec<Message> = failures.iter().map(of_kind).collect();
    let first = measurement.first_error.as_ref().map(the_first);
    (!all.is_empty()).then(|| found::errors(all, first))
}

/// All responses by status: `49,000 × 200, 1,000 × 503`.
fn by_status(measurement: &Measurement) -> Message {
    let each = measurement.status.iter();
    let each: Vec<Message> = each
        .map(|(status, count)| found::of_status(*count, status))
        .collect();
    found::by_status(each)
}

/// How long it took to open connections.
fn opened(opening: &Opening) -> Message {
    type Row = fn(u64, f64, f64, f64) -> Message;
    let kinds: [(Option<Opened>, Row); 3] = [
        (opening.connect, |n, p50, p99, max| {
            found::tcp_connects(n, p50, p99, max)
        }),
        (opening.tls_full, |n, p50, p99, max| {
            found::full_handshakes(n, p50, p99, max)
        }),
        (opening.tls_resumed, |n, p50, p99, max| {
            found::resumed_handshakes(n, p50, p99, max)
        }),
    ];
    let kinds = kinds.into_iter();
    let parts = kinds.filter_map(|(opened, row)| {
        let Opened { count, us } = opened?;
        Some(row(count, us.p50, us.p99, us.max))
    });
    found::opening(parts.collect::<Vec<Message>>())
}

/// Requests in flight when the window ended.
fn in_flight(drained: u64, censored: u64) -> Message {
    match censored {
        0 => found::in_flight_all_responded(drained),
        _ => found::in_flight(drained + censored, drained, censored),
    }
}

/// What the load generator used.
fn by(generator: &Generator) -> Message {
    let mut parts = vec![
        found::threads(generator.threads),
        found::busiest(generator.cpu_utilisation),
    ];
    parts.extend(generator.cpu_us_per_request.map(found::cpu_per_request));
    parts.extend(generator.turnaround_us.map(found::turnaround));
    if generator.achieved_ratio != 1.0 {
        parts.push(found::achieved(generator.achieved_ratio));
    }
    found::generator(parts)
}

/// Response times; service times below them if they are others (in an open loop).
fn latency(measurement: &Measurement) -> Block {
    let Some(response) = measurement.latency_us else {
        let none = found::no_times();
        let text = Text::labelled(Text::from(label::load_summary_response_times()), none);
        return Block::Line(text.then(Text::both(".", "。")));
    };
    let service = measurement.service_us.filter(|it| *it != response);
    let times = [
        (label::load_summary_response(), Some(response)),
        (label::machine_service(), service),
    ];
    let first = Text::from(label::load_summary_time());
    Block::Table(table(first, times, &TIMES))
}

/// A figure of times.
struct Time {
    name: [&'static str; 2],
    of: fn(&Latency) -> f64,
    /// Whether an ending shows it.
    in_ending: bool,
}

const TIMES: [Time; 8] = [
    time(["mean", "平均"], |l| l.mean, false),
    time(["min", "最短"], |l| l.min, false),
    time(["p50"; 2], |l| l.p50, true),
    time(["p90"; 2], |l| l.p90, true),
    time(["p95"; 2], |l| l.p95, false),
    time(["p99"; 2], |l| l.p99, true),
    time(["p99.9"; 2], |l| l.p999, true),
    time(["max", "最长"], |l| l.max, true),
];

const fn time(name: [&'static str; 2], of: fn(&Latency) -> f64, in_ending: bool) -> Time {
    Time {
        name,
        of,
        in_ending,
    }
}

/// A row for each kind of times. Each figure has a unit of its own.
fn table<'t>(
    first: Text,
    times: [(Message, Option<Latency>); 2],
    shown: impl IntoIterator<Item = &'t Time>,
) -> Table {
    let times = times.into_iter();
    let times = times.filter_map(|(name, latency)| Some((name, latency?)));
    let heading = |time: &&Time| Text::both(time.name[0], time.name[1]);
    Table::of(times)
        .column(first, |(name, _)| Cell::new(name))
        .columns(shown, heading, |(_, latency), time| {
            Cell::new(labels::microseconds((time.of)(latency)))
        })
        .table()
}

fn facts(measurement: &Measurement) -> Vec<Item> {
    let errors = errors(measurement).map(|errors| {
        let name = Text::from(label::capacity_errors());
        Item::new(Text::labelled(name, errors), Tone::Bad)
    });
    let status = || found::status(by_status(measurement));
    let (drained, censored) = (measurement.drained, measurement.censored);
    let generator = &measurement.generator;
    let connections = match measurement.reconnects {
        0 => found::connections(measurement.connects),
        lost => found::connections_replaced(measurement.connects, lost),
    };
    let facts = [
        (!measurement.status.is_empty()).then(status),
        Some(found::bytes(
            measurement.bytes_in as f64,
            measurement.bytes_out as f64,
        )),
        Some(connections),
        measurement.opening.as_ref().map(opened),
        (drained + censored > 0).then(|| in_flight(drained, censored)),
    ];
    let facts = facts.into_iter().flatten().map(Text::from);
    let name = Text::from(label::load_summary_load_generator());
    let by = Text::labelled(name, by(generator));
    let timed = match (generator.arrival_clock, generator.lag_us) {
        (ArrivalClock::Kernel, None) => found::timed_by_kernel(),
        (ArrivalClock::Kernel, Some(lag)) => found::timed_by_kernel_lag(lag.p50, lag.p99, lag.max),
        (ArrivalClock::Reading, _) => found::timed_when_read(),
    };
    let facts = facts
        .chain([by, Text::from(timed)])
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
            .map(|check| Text::from(names::title(&check.name)));
        let mut item = Item::new(Text::from(label::load_summary_not_checked()), Tone::Muted);
        item.below.push(Text::sentences(titles));
        items.push(item);
    }
    items
}

fn check(check: &Check) -> Item {
    let (word, tone) = match check.ok {
        Some(true) => (Text::from(label::load_summary_ok()), Tone::Good),
        _ => (Text::from(label::load_summary_failed()), Tone::Bad),
    };
    let title = names::title(&check.name);
    let mut item = Item::new(Text::labelled(word, title), tone);
    item.below.extend(check.says.as_ref().map(Text::from));
    if check.ok == Some(false) {
        let meaning = names::meaning(&check.name);
        let name = Text::from(label::load_summary_what_it_means());
        item.below.push(Text::labelled(name, meaning));
    }
    item
}
