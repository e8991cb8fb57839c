//! What each of several load generators measured by itself.

use std::collections::BTreeMap;

use photofinish_model::message::Message;
use photofinish_model::{GeneratorPart, Line, Measurement, Metric};
use photofinish_stats::Interval;
use schemars::JsonSchema;
use serde::Serialize;

use crate::checks;
use crate::comparison::verdict::metrics::{JUDGED, requests_for};
use crate::lists::by_key;

/// What each of several generators measured of a target: by its machine and metric, round by round.
pub(crate) type ByGenerator = BTreeMap<String, BTreeMap<Metric, BTreeMap<u32, f64>>>;

/// What they measured in the rounds of one target.
pub(crate) fn by_generator(lines: &[&Line]) -> ByGenerator {
    let mut all = ByGenerator::new();
    for line in lines {
        let Some(measurement) = &line.measurement else {
            continue;
        };
        // Of a search the figures are those of its last step only.
        if measurement.capacity.is_some() {
            continue;
        }
        for part in &measurement.generators {
            let own = Line {
                measurement: Some(alone(measurement, part)),
                ..(*line).clone()
            };
            let figures = all.entry(part.machine.clone()).or_default();
            // CPU time is the server's, whoever sends the load.
            for metric in JUDGED.into_iter().filter(|m| *m != Metric::ServerCpu) {
                let enough = requests_for(metric).is_none_or(|needed| part.requests >= needed);
                if let Some(figure) = metric.of(&own).filter(|_| enough) {
                    figures
                        .entry(metric)
                        .or_default()
                        .insert(line.round, figure);
                }
            }
        }
    }
    all
}

/// What one of several load generators measured of a target, over the rounds.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct GeneratorFigures {
    /// What the user calls its machine.
    pub machine: String,
    /// Its throughput, the lowest and the highest of all rounds.
    pub throughput_rps: Interval,
    /// The same of its median response time in microseconds; `null` where no request was completed.
    pub p50_us: Option<Interval>,
    /// The same of the 99th percentile.
    pub p99_us: Option<Interval>,
    /// How wrong its clock's offset may have been at most, in microseconds.
    pub clock_uncertain_us: f64,
}

/// The figures of each of several load generators, in the order in which they were named.
pub(crate) fn generator_figures(lines: &[&Line]) -> Vec<GeneratorFigures> {
    let measured = lines.iter().filter_map(|line| line.measurement.as_ref());
    let parts = measured.flat_map(|measurement| &measurement.generators);
    let parts = parts.map(|part| (&part.machine, part));
    let figures = |(machine, parts): (&String, Vec<&GeneratorPart>)| {
        let range = |figure: fn(&GeneratorPart) -> Option<f64>| {
            Interval::around(parts.iter().filter_map(|part| figure(part)))
        };
        Some(GeneratorFigures {
            machine: machine.clone(),
            throughput_rps: range(|part| Some(part.throughput_rps))?,
            p50_us: range(|part| part.latency_us.map(|latency| latency.p50)),
            p99_us: range(|part| part.latency_us.map(|latency| latency.p99)),
            clock_uncertain_us: (parts.iter().map(|part| part.clock_uncertain_us))
                .fold(0.0, f64::max),
        })
    };
    by_key(parts).into_iter().filter_map(figures).collect()
}

/// A measurement as one of its generators made it.
fn alone(measurement: &Measurement, part: &GeneratorPart) -> Measurement {
    Measurement {
        requests: part.requests,
        throughput_rps: part.throughput_rps,
        latency_us: part.latency_us,
        generators: Vec::new(),
        windows: Vec::new(),
        ..measurement.clone()
    }
}

/// What was wrong with the generators in some of a target's rounds.
pub(crate) fn troubles(lines: &[&Line]) -> Option<(Message, Vec<u32>)> {
    let failed = lines.iter().filter_map(|line| {
        let troubles = checks::troubles(line.measurement.as_ref()?);
        Some((line.round, troubles.into_iter().next()?))
    });
    let failed: Vec<(u32, Message)> = failed.collect();
    let (_, first) = failed.first()?.clone();
    Some((first, failed.into_iter().map(|(round, _)| round).collect()))
}
