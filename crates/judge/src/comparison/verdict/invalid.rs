//! Where nothing may be said of figures, though they were measured.

use crate::comparison::Void;
use photofinish_model::Metric;
use photofinish_stats::{Interval, Paired};

use crate::comparison::ALPHA;
use crate::comparison::figures::TargetFigures;
use crate::comparison::interference::turns;
use crate::comparison::verdict::metrics::requests_for;

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
        .or_else(|| generators_disagree(metric, a, b))
        .or_else(|| turns::differ(metric, a, b))
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
