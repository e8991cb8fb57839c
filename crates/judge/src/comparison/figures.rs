//! One target's figures at one workload and load level, over the rounds.

use std::collections::BTreeMap;

use photofinish_stats::Interval;
use photofinish_stats::planning::MOST_ROUNDS;
use schemars::JsonSchema;
use serde::Serialize;

use photofinish_model::units::Unit;
use photofinish_model::{Line, Measurement, Metric, Role, check};

use super::share::Share;
use super::sustained::{Sustained, none_held};
use super::void::Response;
use super::{ALPHA, stats};

/// A figure over the rounds.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Figure {
    /// What it counts.
    pub unit: Unit,
    /// The geometric mean over the rounds; `null` for a maximum, and where a round has a zero.
    pub mean: Option<f64>,
    /// Its 95% interval; `null` under two rounds.
    pub interval: Option<Interval>,
    /// The smallest value.
    pub min: f64,
    /// The largest value.
    pub max: f64,
    /// The value of each round, round 1 first; `null` where a round has none.
    pub rounds: Vec<Option<f64>>,
}

impl Figure {
    /// Sums up the rounds; `None` where none has a value.
    fn from(metric: Metric, rounds: Vec<Option<f64>>) -> Option<Figure> {
        let mut figure = Figure::over(metric.unit(), rounds)?;
        if metric.is_one_request() {
            (figure.mean, figure.interval) = (None, None);
        }
        Some(figure)
    }

    /// The same of whatever has a mean.
    pub(super) fn over(unit: Unit, rounds: Vec<Option<f64>>) -> Option<Figure> {
        let values: Vec<f64> = rounds.iter().copied().flatten().collect();
        let min = values.iter().copied().reduce(f64::min)?;
        let max = values.iter().copied().reduce(f64::max)?;
        let mean = stats::geometric_mean(&values, ALPHA);
        Some(Figure {
            unit,
            mean: mean.map(|m| m.mean),
            interval: mean.and_then(|m| m.interval),
            min,
            max,
            rounds,
        })
    }

    /// The figure in words: its mean with the interval, or its range where there is no mean.
    pub fn text(&self) -> String {
        match self.mean {
            Some(mean) => self.unit.with_interval(mean, self.interval),
            None => self.range(),
        }
    }

    /// The figure without its interval.
    pub fn short(&self) -> String {
        match self.mean {
            Some(mean) => self.unit.text(mean),
            None => self.range(),
        }
    }

    /// From the smallest to the largest round.
    pub fn range(&self) -> String {
        if self.min == self.max {
            self.unit.text(self.max)
        } else {
            self.unit.range(self.min, self.max)
        }
    }
}

/// One target's figures at one workload and load level.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TargetFigures {
    /// The target with its variant.
    pub target: String,
    /// What it is in the race.
    pub role: Role,
    /// How many rounds have a measurement.
    pub rounds: usize,
    /// Requests, summed over the rounds.
    pub requests: u64,
    /// Errors by kind, summed over the rounds; empty where there were none.
    pub errors: BTreeMap<String, u64>,
    /// The rounds with errors: their figures are touched by them.
    pub rounds_with_errors: Vec<u32>,
    /// The rounds in which an open loop was overloaded: its response times are then those of a growing queue.
    pub overloaded: Vec<u32>,
    /// The rounds in which the load generator was the bottleneck.
    pub generator_bound: Vec<u32>,
    /// The requests of the round with the fewest; `null` where no round has a measurement.
    pub fewest_requests: Option<u64>,
    /// What it answered when it was verified: one response, unless it changed from round to round.
    pub responses: Vec<Response>,
    /// The figures; one that no round has is not here.
    pub figures: BTreeMap<Metric, Figure>,
    /// What the searches told, where the level is a capacity; `null` at other levels.
    pub sustained: Option<Sustained>,
    /// Its throughput as a share of the limit's; `null` for the limit itself, in an open loop, in a smoke run, and where no round has both.
    pub share_of_limit: Option<Share>,
}

impl TargetFigures {
    /// Sums up the lines of one target.
    pub(super) fn from(
        target: &str,
        role: Role,
        lines: &[&Line],
        responses: Vec<Response>,
    ) -> TargetFigures {
        let rounds = lines.iter().map(|line| line.round);
        let last = rounds.filter(|&r| r <= MOST_ROUNDS).max().unwrap_or(0);
        let mut figures = BTreeMap::new();
        for &metric in Metric::ALL {
            let mut rounds = vec![None; last as usize];
            for line in lines {
                // Rounds count from 1, and nobody runs that many; a line that says otherwise has no place.
                let place = (line.round as usize).checked_sub(1);
                if let Some(slot) = place.and_then(|place| rounds.get_mut(place)) {
                    // Of a rate that did not hold there are no figures, but what the search says.
                    *slot = metric.of(line).filter(|_| !none_held(line));
                }
            }
            if let Some(figure) = Figure::from(metric, rounds) {
                figures.insert(metric, figure);
            }
        }
        let rate = figures.get_mut(&Metric::Throughput);
        let sustained = Sustained::from(lines, rate);
        let mut errors = BTreeMap::new();
        let mut rounds_with_errors = Vec::new();
        let mut requests = 0;
        let measured = lines
            .iter()
            .filter_map(|l| Some((l.round, l.measurement.as_ref()?)));
        for (round, measurement) in measured.clone() {
            requests += measurement.requests;
            for (kind, count) in measurement.errors.iter().filter(|(_, count)| **count > 0) {
                *errors.entry(kind.clone()).or_insert(0) += count;
            }
            if measurement.errors.values().any(|&count| count > 0) {
                rounds_with_errors.push(round);
            }
        }
        let rounds_where = |is_so: &dyn Fn(&Measurement) -> bool| {
            let chosen = measured
                .clone()
                .filter(|(_, measurement)| is_so(measurement));
            chosen.map(|(round, _)| round).collect()
        };
        TargetFigures {
            overloaded: rounds_where(&|m| m.overloaded.is_some()),
            generator_bound: rounds_where(&|m| {
                m.check(check::GENERATOR)
                    .is_some_and(|check| check.ok == Some(false))
            }),
            fewest_requests: measured.clone().map(|(_, m)| m.requests).min(),
            responses,
            target: target.to_owned(),
            role,
            rounds: measured.count(),
            requests,
            errors,
            rounds_with_errors,
            figures,
            sustained,
            share_of_limit: None,
        }
    }

    /// Whether verdicts are given on it.
    pub fn is_contender(&self) -> bool {
        self.role == Role::Contender
    }

    /// A figure, where there is one.
    pub fn figure(&self, metric: Metric) -> Option<&Figure> {
        self.figures.get(&metric)
    }

    /// All errors together.
    pub fn error_count(&self) -> u64 {
        self.errors.values().sum()
    }
}
