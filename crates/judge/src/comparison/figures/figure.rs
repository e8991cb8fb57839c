//! A figure over the rounds.

use photofinish_stats::Interval;
use schemars::JsonSchema;
use serde::Serialize;

use photofinish_model::Metric;
use photofinish_model::units::Unit;

use crate::comparison::{ALPHA, stats};

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
    pub(crate) fn from(metric: Metric, rounds: Vec<Option<f64>>) -> Option<Figure> {
        let mut figure = Figure::over(metric.unit(), rounds)?;
        if metric.is_one_event() {
            (figure.mean, figure.interval) = (None, None);
        }
        Some(figure)
    }

    /// The same of whatever has a mean.
    pub(crate) fn over(unit: Unit, rounds: Vec<Option<f64>>) -> Option<Figure> {
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

    /// The values of the rounds that have one.
    pub(crate) fn values(&self) -> Vec<f64> {
        self.rounds.iter().flatten().copied().collect()
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
