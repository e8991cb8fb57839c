//! How much of what the machine can do a target leaves: its throughput as a share of the limit's.

use std::collections::HashMap;

use photofinish_stats::Interval;
use schemars::JsonSchema;
use serde::Serialize;

use photofinish_model::store::Results;
use photofinish_model::units;
use photofinish_model::{Line, Load, Metric, check};

/// A target's throughput over that of the study's limit, at one workload and load level.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Share {
    /// The rounds that both have.
    pub rounds: usize,
    /// Target / limit: the geometric mean of the rounds' ratios. It may be above 1, and is shown as it is.
    pub ratio: f64,
    /// The ratio's 95% interval, each share for itself; `null` where the rounds are too few.
    pub interval: Option<Interval>,
}

impl Share {
    /// The share, such as `42.0%`.
    pub fn text(&self) -> String {
        units::percent(self.ratio)
    }

    /// Its interval, such as `[40.1% … 44.0%]`.
    pub fn bounds(&self) -> Option<String> {
        let Interval { low, high } = self.interval?;
        let (low, high) = (units::percent(low), units::percent(high));
        Some(format!("[{low} … {high}]"))
    }
}

/// In how many of these lines of the limit's the load generator was its bound; 0 where no share is shown.
pub(crate) fn held_back(lines: &[&Line], load: &Load) -> usize {
    let is_bound = |line: &&&Line| {
        let measurement = line.measurement.as_ref();
        measurement.is_some_and(|measurement| measurement.fails(check::GENERATOR))
    };
    match is_shown(load) {
        true => lines.iter().filter(is_bound).count(),
        false => 0,
    }
}

/// Whether throughput shows what a server can do: at a given rate each serves what it is offered.
pub(crate) fn is_shown(load: &Load) -> bool {
    !matches!(load, Load::Open { .. })
}

/// For each line of a run, in its order: the measurement's throughput over that of the limit in the same round, at
/// the same workload and load level (1 for the limit's own); `None` where there is none. They are the rounds of
/// [`Share::ratio`].
pub fn shares(results: &Results) -> Vec<Option<f64>> {
    let limit = results.study.targets.iter().find(|target| target.limit);
    let Some(limit) = limit.filter(|_| !results.study.settings.smoke) else {
        return vec![None; results.lines.len()];
    };
    let key = |line: &Line| {
        (
            line.round,
            line.workload.clone(),
            format!("{:?}", line.load),
        )
    };
    let of_limit: HashMap<_, f64> = results
        .lines
        .iter()
        .filter(|line| line.target == limit.label && is_exact(line))
        .filter_map(|line| Some((key(line), Metric::Throughput.of(line)?)))
        .collect();
    let share = |line: &Line| {
        if !is_exact(line) {
            return None;
        }
        let own = Metric::Throughput.of(line)?;
        let limit = of_limit.get(&key(line))?;
        Some(own / limit).filter(|share| is_shown(&line.load) && share.is_finite())
    };
    results.lines.iter().map(share).collect()
}

/// Whether a line's throughput is no lower bound, as that of a search may be.
fn is_exact(line: &Line) -> bool {
    let found = line.measurement.as_ref().and_then(|m| m.capacity.as_ref());
    found.is_none_or(|found| found.lower_bound().is_none())
}
