//! Where nothing may be said of figures, though they were measured.

use std::collections::BTreeMap;

use crate::comparison::Void;
use photofinish_model::Metric;
use photofinish_stats::{Interval, Paired};

use crate::comparison::ALPHA;
use crate::comparison::figures::TargetFigures;
use crate::comparison::interference::turns;
use crate::comparison::verdict::metrics::requests_for;

/// From so many times between a target's fastest and slowest round on, the rounds are called uneven. A quiet machine with settled
/// servers stays below a tenth of that.
pub(in crate::comparison) const UNEVEN: f64 = 1.25;

/// Intervals that lie no further from each other than this do not matter: as much as a tie allows where a study does not say otherwise.
const APART: f64 = 0.02;

impl TargetFigures {
    /// Why nothing may be said of this target's figure of a metric; `None`: something may.
    pub(crate) fn void(&self, metric: Metric) -> Option<Void> {
        if !self.changed.is_empty() {
            return Some(Void::ChangedSince {
                target: self.target.clone(),
                rounds: self.changed.clone(),
            });
        }
        if metric.is_response_time() {
            if self.sustained.is_some() {
                return Some(Void::RatesOfTheirOwn);
            }
            if !self.overloaded.is_empty() {
                return Some(Void::Overloaded {
                    target: self.target.clone(),
                    rounds: self.overloaded.clone(),
                });
            }
        }
        let of_search = || match &self.sustained {
            Some(sustained) if metric == Metric::Throughput => sustained.void(&self.target),
            _ => None,
        };
        let of_generators = || {
            let (trouble, rounds) = self.generator_troubles.clone()?;
            Some(Void::Generators { trouble, rounds })
        };
        self.few_beyond(metric)
            .or_else(of_search)
            .or_else(|| self.full_link())
            .or_else(of_generators)
    }

    /// Whether the network bounded what was measured.
    fn full_link(&self) -> Option<Void> {
        let (link, rounds) = self.full_link.clone()?;
        Some(Void::FullLink {
            link,
            target: self.target.clone(),
            rounds,
        })
    }

    /// Whether what it responded in another run is something else: it did another job there.
    pub(crate) fn responded_otherwise(&self, other: &TargetFigures) -> Option<Void> {
        let first = self.responses.first()?;
        let differs = other.responses.iter().any(|response| response != first);
        differs.then(|| Void::OtherResponse {
            target: self.target.clone(),
        })
    }

    /// Whether there are two rounds of a figure only, and they differ much.
    pub(crate) fn uneven(&self, metric: Metric) -> Option<Void> {
        let rounds: Vec<f64> = self.all_rounds(metric).into_values().collect();
        uneven(&self.target, &rounds)
    }

    /// A figure in every round that has it, those that do not count too: they as well say how much rounds differ.
    fn all_rounds(&self, metric: Metric) -> BTreeMap<u32, f64> {
        let mut all = self.counted(metric);
        all.extend(self.aside(metric));
        all
    }

    fn few_beyond(&self, metric: Metric) -> Option<Void> {
        let needed = requests_for(metric)?;
        let requests = self.fewest_requests.filter(|requests| *requests < needed)?;
        Some(Void::FewBeyond {
            metric,
            target: self.target.clone(),
            requests,
            needed,
        })
    }
}

/// Why nothing may be said of two targets' figures of a metric at the same workload and level; `None`: something may.
pub(crate) fn void(metric: Metric, a: &TargetFigures, b: &TargetFigures) -> Option<Void> {
    not_the_same_job(a, b).or_else(|| void_of_figures(metric, a, b))
}

/// The same of two jobs, such as two workloads that a claim compares.
pub(crate) fn void_of_figures(
    metric: Metric,
    a: &TargetFigures,
    b: &TargetFigures,
) -> Option<Void> {
    a.void(metric)
        .or_else(|| b.void(metric))
        .or_else(|| uneven_pair(metric, [a, b]))
        .or_else(|| generators_disagree(metric, a, b))
        .or_else(|| turns::differ(metric, a, b))
}

/// Whether two targets have only two rounds in common, in which one of them differs much.
fn uneven_pair(metric: Metric, targets: [&TargetFigures; 2]) -> Option<Void> {
    let [a, b] = targets.map(|target| target.all_rounds(metric));
    let common: Vec<u32> = a
        .keys()
        .filter(|round| b.contains_key(round))
        .copied()
        .collect();
    let of = |target: &TargetFigures, rounds: &BTreeMap<u32, f64>| {
        let common: Vec<f64> = common.iter().map(|round| rounds[round]).collect();
        uneven(&target.target, &common)
    };
    let found = [of(targets[0], &a), of(targets[1], &b)];
    let times = |void: &Void| match void {
        Void::UnevenPair { times, .. } => *times,
        _ => 0.0,
    };
    let found = found.into_iter().flatten();
    found.max_by(|a, b| times(a).total_cmp(&times(b)))
}

/// Two rounds show their spread with one degree of freedom. Where they differ much, so may the next.
fn uneven(target: &str, rounds: &[f64]) -> Option<Void> {
    let [one, other] = rounds else { return None };
    let (least, most) = (one.min(*other), one.max(*other));
    let times = most / least;
    (least > 0.0 && times > UNEVEN).then(|| Void::UnevenPair {
        target: target.to_owned(),
        times,
    })
}

/// Whether two targets, which were both verified, gave different responses, or one of them did from round to round.
pub(crate) fn not_the_same_job(a: &TargetFigures, b: &TargetFigures) -> Option<Void> {
    let (first, verified) = (a.responses.first()?, !b.responses.is_empty());
    let mut all = a.responses.iter().chain(&b.responses);
    (verified && all.any(|response| response != first)).then(|| Void::NotTheSameJob {
        of: a.target.clone(),
        over: b.target.clone(),
    })
}

/// Why nothing may be said of two targets where their generators disagree: the intervals of the ratio by two of them do not meet.
fn generators_disagree(metric: Metric, a: &TargetFigures, b: &TargetFigures) -> Option<Void> {
    let count = a.by_generator.len().max(1) as f64;
    let ratio = |machine: &String| -> Option<Interval> {
        let of = |target: &TargetFigures| target.by_generator.get(machine)?.get(&metric).cloned();
        let (a, b) = (of(a)?, of(b)?);
        let pairs = a.iter().filter_map(|(round, a)| Some((*a, *b.get(round)?)));
        Paired::new(&pairs.collect::<Vec<_>>())?.interval(ALPHA / count, metric.resolution())
    };
    let reported: Vec<(&String, Interval)> = (a.by_generator.keys())
        .filter_map(|machine| Some((machine, ratio(machine)?)))
        .collect();
    let highest = reported.iter().max_by(|a, b| a.1.low.total_cmp(&b.1.low))?;
    let lowest = reported
        .iter()
        .min_by(|a, b| a.1.high.total_cmp(&b.1.high))?;
    (highest.1.low > lowest.1.high * (1.0 + APART)).then(|| Void::GeneratorsDisagree {
        one: highest.0.clone(),
        one_ratio: highest.1,
        other: lowest.0.clone(),
        other_ratio: lowest.1,
    })
}
