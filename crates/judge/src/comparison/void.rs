//! Where nothing may be said of figures, though they were measured.

use photofinish_model::Metric;
use photofinish_model::finding::verdict::Void;
use photofinish_stats::{Interval, Paired};

use super::ALPHA;
use super::figures::TargetFigures;
use super::judged::requests_for;

/// From so many times between a target's fastest and slowest round on, the rounds are called uneven. A quiet machine with settled
/// servers stays below a tenth of that.
pub(super) const UNEVEN: f64 = 1.25;

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
        self.few_beyond(metric).or_else(|| match &self.sustained {
            Some(sustained) if metric == Metric::Throughput => sustained.void(&self.target),
            _ => None,
        })
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
    not_the_same_job(a, b)
        .or_else(|| a.void(metric))
        .or_else(|| b.void(metric))
        .or_else(|| uneven_pair(metric, [a, b]))
        .or_else(|| full_link(a).or_else(|| full_link(b)))
        .or_else(|| generators_disagree(metric, a, b))
}

/// Whether the network bounded what was measured of a target.
fn full_link(target: &TargetFigures) -> Option<Void> {
    let (link, rounds) = target.full_link.clone()?;
    Some(Void::FullLink {
        link,
        target: target.target.clone(),
        rounds,
    })
}

/// Two rounds show their spread with one degree of freedom. Where they differ much, so may the next.
fn uneven_pair(metric: Metric, targets: [&TargetFigures; 2]) -> Option<Void> {
    let two = targets.iter().any(|target| target.rounds == 2);
    let times = |target: &&TargetFigures| {
        let figure = target.figure(metric)?;
        (figure.min > 0.0).then(|| (figure.max / figure.min, target.target.clone()))
    };
    let all = targets.iter().filter_map(times);
    let (times, target) = all.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (two && times > UNEVEN).then_some(Void::UnevenPair { target, times })
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
    let troubles = a
        .generator_troubles
        .as_ref()
        .or(b.generator_troubles.as_ref());
    if let Some((trouble, rounds)) = troubles {
        return Some(Void::Generators {
            trouble: trouble.clone(),
            rounds: rounds.clone(),
        });
    }
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
