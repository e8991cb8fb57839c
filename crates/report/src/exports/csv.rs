//! Every figure of every measurement as CSV: one row a line of `measurements.jsonl`. A figure
//! that is not there is an empty field.

mod days;
mod history;
mod pooled;

use std::collections::BTreeMap;

use ::csv::Writer;
use photofinish_judge::comparison::shares;
use photofinish_model::capacity::{Ended, Found};
use photofinish_model::settings;
use photofinish_model::store::Results;
use photofinish_model::{
    ArrivalClock, Arrivals, Lag, Latency, Line, Load, Measurement, Metric, TrialRecord, Worded,
    check,
};

use crate::export::Format;
use crate::{Error, text};

/// The format.
pub(crate) const FORMAT: Format = Format {
    row: settings::Row::of_output(
        "csv",
        "Write CSV, one row per measurement (of two runs: per change; of a history: per figure; of several pairs of machines: per ratio), to this file (- for standard output)",
    )
    .aliases(&["export-csv"]),
    run: |run| render(run.results),
    days: |days, _| days::render(days),
    pooled: |pooled, _| pooled::render(pooled),
    history: history::render,
};

/// A column's name, and its figure of a distribution of times.
type Figure = (&'static str, fn(&Latency) -> f64);

/// A row being made: names and values side by side, so that they cannot get out of step.
#[derive(Default)]
struct Row {
    names: Vec<String>,
    values: Vec<String>,
}

impl Row {
    fn add(&mut self, name: &str, value: impl ToString) {
        self.names.push(name.to_owned());
        // Names and reasons are others' words.
        self.values.push(text::cell(&value.to_string()));
    }

    /// Adds a value of a record that may be missing.
    fn add_of<R, V: ToString>(&mut self, name: &str, record: Option<R>, of: fn(R) -> Option<V>) {
        self.add(name, some(record.and_then(of)));
    }

    fn add_some(&mut self, name: &str, value: Option<impl ToString>) {
        self.add(name, some(value));
    }
}

/// Draws all lines of a run.
pub(crate) fn render(results: &Results) -> Result<String, Error> {
    let lines = results.lines.iter().zip(shares(results));
    let rows = lines.map(|(line, share)| row(line, share, start_up(results, line)));
    let rows: Vec<Row> = rows.collect();
    // Without a line there is still a header: whoever reads the file finds its columns.
    let unmeasured = || Line::unmeasured(Load::Closed { connections: 0 });
    let header = rows.first().map_or_else(
        || row(&unmeasured(), None, None).names,
        |first| first.names.clone(),
    );
    written(&header, &rows)
}

/// A column of a table of records: its name, and a record's cell.
pub(crate) type Column<R> = (&'static str, fn(&R) -> String);

/// Records in columns.
pub(crate) fn table<R>(
    records: impl Iterator<Item = R>,
    columns: &[Column<R>],
) -> Result<String, Error> {
    let header: Vec<String> = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
    let cells = |record: R| {
        columns
            .iter()
            .map(|(_, of)| text::cell(&of(&record)))
            .collect()
    };
    let rows = records.map(|record| Row {
        names: Vec::new(),
        values: cells(record),
    });
    written(&header, &rows.collect::<Vec<Row>>())
}

/// Returns the text of a value that may be missing.
fn some(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// Rows below their header.
fn written(header: &[String], rows: &[Row]) -> Result<String, Error> {
    let failed = |error: &dyn std::fmt::Display| Error::Csv(error.to_string());
    let mut writer = Writer::from_writer(Vec::new());
    writer.write_record(header).map_err(|e| failed(&e))?;
    for row in rows {
        writer.write_record(&row.values).map_err(|e| failed(&e))?;
    }
    let bytes = writer.into_inner().map_err(|e| failed(&e))?;
    String::from_utf8(bytes).map_err(|e| failed(&e))
}

/// Seconds from the start of a line's server until it was ready, by the last trial of its number.
fn start_up(results: &Results, line: &Line) -> Option<f64> {
    let mut trials = results.trials.iter().rev();
    let same = |trial: &&TrialRecord| trial.trial == line.trial && trial.target == line.target;
    trials.find(same)?.ready_s
}

fn row(line: &Line, share_of_limit: Option<f64>, start_up: Option<f64>) -> Row {
    let mut row = Row::default();
    row.add("round", line.round);
    row.add("trial", line.trial);
    row.add("order", line.order);
    row.add("target", &line.target);
    row.add("workload", &line.workload);
    load(&mut row, &line.load);
    row.add("at", &line.at);
    let failure = line.failure.as_ref().map(|why| why.to_string());
    row.add_some("failure", failure);
    let measurement = line.measurement.as_ref();
    counts(&mut row, measurement);
    capacity(&mut row, measurement.and_then(|m| m.capacity.as_ref()));
    for metric in Metric::ALL {
        row.add_some(metric.spec().column, metric.of(line));
    }
    let fastest = measurement.and_then(|m| Some(m.latency_us?.min));
    row.add_some("latency_min_us", fastest);
    service_time(&mut row, measurement.and_then(|m| m.service_us));
    generator(&mut row, measurement);
    let server = line.server.as_ref();
    row.add_of("server_compiling_share", server, |s| s.compiling_share);
    row.add_some("server_processes_max", server.map(|s| s.processes_max));
    let machine = line.machine.as_ref();
    row.add_some("steal_share", machine.map(|m| m.steal_share));
    row.add_some("other_cores", machine.and_then(|m| m.other_cores));
    lag(&mut row, "hiccup", machine.and_then(|m| m.hiccup_us));
    for name in check::ALL.into_iter().chain(check::SOME) {
        row.add_some(
            &format!("check_{name}"),
            measurement.map(|m| outcome(m, name)),
        );
    }
    row.add_some("start_up_s", start_up);
    row.add_some("share_of_limit", share_of_limit);
    row
}

fn load(row: &mut Row, load: &Load) {
    let (kind, rate, arrivals, connections) = match load {
        Load::Closed { connections } => ("closed", None, None, connections),
        Load::Capacity(photofinish_model::Search { connections, .. }) => {
            ("capacity", None, Some(&Arrivals::Poisson), connections)
        }
        Load::Open {
            rate,
            arrivals,
            connections,
        } => ("open", Some(rate), Some(arrivals), connections),
    };
    row.add("load", kind);
    row.add("connections", connections);
    row.add_some("offered_rps", rate);
    row.add_some("arrivals", arrivals.map(|arrivals| arrivals.word()));
    row.add_some("objective", load.objective());
}

fn counts(row: &mut Row, measurement: Option<&Measurement>) {
    row.add_some("duration_s", measurement.map(|m| m.duration_s));
    row.add_some("requests", measurement.map(|m| m.requests));
    let sum = |counts: &BTreeMap<String, u64>| counts.values().sum::<u64>();
    row.add_some("errors", measurement.map(|m| sum(&m.errors)));
    row.add_some(
        "failed_connects",
        measurement.map(|m| sum(&m.failed_connects)),
    );
    row.add_some("errors_by_kind", measurement.map(|m| by_kind(&m.errors)));
    row.add_some("answers_by_status", measurement.map(|m| by_kind(&m.status)));
    row.add_some("bytes_in", measurement.map(|m| m.bytes_in));
    row.add_some("bytes_out", measurement.map(|m| m.bytes_out));
    row.add_some("drained", measurement.map(|m| m.drained));
    row.add_some("censored", measurement.map(|m| m.censored));
    row.add_some("lead_in_requests", measurement.map(|m| m.lead_in_requests));
    row.add_some("connects", measurement.map(|m| m.connects));
    row.add_some("reconnects", measurement.map(|m| m.reconnects));
}

/// What a search found; `throughput_rps` is then the rate that is sustained, and all else of the step at it.
fn capacity(row: &mut Row, found: Option<&Found>) {
    row.add_some("sustained_rps", found.and_then(|f| f.sustained_rps));
    row.add_some("failed_rps", found.and_then(|f| f.failed_rps));
    let bound = found.map(|f| f.lower_bound().is_some());
    row.add_some("sustained_is_lower_bound", bound);
    let ended = found.map(|found| match found.ended {
        Ended::Found => "found",
        Ended::Floor => "floor",
        Ended::Steps => "steps",
        Ended::Time => "time",
        Ended::Interrupted => "interrupted",
    });
    row.add_some("search_ended", ended);
    row.add_some("search_steps", found.map(|f| f.steps.len()));
}

/// `reset=1;timeout=3`
fn by_kind(counts: &BTreeMap<String, u64>) -> String {
    let each: Vec<String> = counts
        .iter()
        .map(|(kind, n)| format!("{kind}={n}"))
        .collect();
    each.join(";")
}

fn service_time(row: &mut Row, times: Option<Latency>) {
    let columns: [Figure; 8] = [
        ("mean", |l| l.mean),
        ("min", |l| l.min),
        ("p50", |l| l.p50),
        ("p90", |l| l.p90),
        ("p95", |l| l.p95),
        ("p99", |l| l.p99),
        ("p999", |l| l.p999),
        ("max", |l| l.max),
    ];
    for (column, of) in columns {
        row.add_some(&format!("service_{column}_us"), times.as_ref().map(of));
    }
}

fn lag(row: &mut Row, name: &str, lag: Option<Lag>) {
    row.add_some(&format!("{name}_mean_us"), lag.map(|l| l.mean));
    row.add_some(&format!("{name}_p50_us"), lag.map(|l| l.p50));
    row.add_some(&format!("{name}_p99_us"), lag.map(|l| l.p99));
    row.add_some(&format!("{name}_max_us"), lag.map(|l| l.max));
}

fn generator(row: &mut Row, measurement: Option<&Measurement>) {
    let generator = measurement.map(|m| &m.generator);
    row.add_some("generator_threads", generator.map(|g| g.threads));
    row.add_of("generator_cpu_us_per_request", generator, |g| {
        g.cpu_us_per_request
    });
    row.add_of("generator_cpu_utilisation", generator, |g| {
        Some(g.cpu_utilisation)
    });
    row.add_of("generator_turnaround_us", generator, |g| g.turnaround_us);
    row.add_of("generator_achieved_ratio", generator, |g| {
        Some(g.achieved_ratio)
    });
    let clock = generator.map(|g| match g.arrival_clock {
        ArrivalClock::Kernel => "kernel",
        ArrivalClock::Reading => "reading",
    });
    row.add_some("generator_arrival_clock", clock);
    lag(row, "generator_lag", generator.and_then(|g| g.lag_us));
    let late = generator.and_then(|g| g.late);
    row.add_some("generator_late_requests", late.map(|l| l.requests));
    row.add_some("generator_late_max_us", late.map(|l| l.longest_us));
    let still = generator.and_then(|g| g.stood_still);
    row.add_some("generator_stood_still_us", still.map(|s| s.total_us));
    row.add_some("generator_stood_still_max_us", still.map(|s| s.longest_us));
}

fn outcome(measurement: &Measurement, name: &str) -> &'static str {
    match measurement.check(name).and_then(|check| check.ok) {
        Some(true) => "ok",
        Some(false) => "failed",
        None => "not checked",
    }
}
