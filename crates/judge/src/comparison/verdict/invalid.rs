//! Where nothing may be said of figures, though they were measured.

use photofinish_model::Metric;
use photofinish_stats::{Interval, Paired};
use photofinish_voice::verdict::reason;

use crate::comparison::ALPHA;
use crate::comparison::figures::TargetFigures;
use crate::comparison::interference::turns;
use crate::comparison::reason::{Invalid, full_link};
use crate::comparison::verdict::metrics::requests_for;

/// Intervals that lie no further from each other than this do not matter: as much as a tie allows where a study does not say otherwise.
const APART: f64 = 0.02;

impl TargetFigures {
    /// Why nothing may be said of this target's figure of a metric; `None`: something may.
    pub(crate) fn void(&self, metric: Metric) -> Option<Invalid> {
        let target = &self.target;
        if !self.changed.is_empty() {
            return Some(reason::changed_since(target, &self.changed).into());
        }
        if metric.is_response_time() {
            if self.sustained.is_some() {
                return Some(reason::rates_of_their_own().into());
            }
            if !self.overloaded.is_empty() {
                return Some(reason::overloaded(target, &self.overloaded).into());
            }
        }
        let of_search = || match &self.sustained {
            Some(sustained) if metric == Metric::Throughput => sustained.void(target),
            _ => None,
        };
        let of_generators = || {
            let (trouble, rounds) = self.generator_troubles.as_ref()?;
            Some(reason::generators(trouble, rounds).into())
        };
        self.few_beyond(metric)
            .or_else(of_search)
            .or_else(|| self.full_link())
            .or_else(of_generators)
    }

    /// Whether the network bounded what was measured.
    fn full_link(&self) -> Option<Invalid> {
        let (link, rounds) = self.full_link.as_ref()?;
        Some(reason::full_link(full_link(link), &self.target, rounds).into())
    }

    /// Whether what it responded in another run is something else: it did another job there.
    pub(crate) fn responded_otherwise(&self, other: &TargetFigures) -> Option<Invalid> {
        let first = self.responses.first()?;
        let differs = other.responses.iter().any(|response| response != first);
        differs.then(|| reason::other_response(&self.target).into())
    }

    fn few_beyond(&self, metric: Metric) -> Option<Invalid> {
        let needed = requests_for(metric)?;
        let requests = self.fewest_requests.filter(|requests| *requests < needed)?;
        Some(reason::few_beyond(&self.target, requests, metric, needed).into())
    }
}

/// Why nothing may be said of two targets' figures of a metric at the same workload and level; `None`: something may.
pub(crate) fn void(metric: Metric, a: &TargetFigures, b: &TargetFigures) -> Option<Invalid> {
    not_the_same_job(a, b).or_else(|| void_of_figures(metric, a, b))
}

/// The same of two jobs, such as two workloads that a claim compares.
pub(crate) fn void_of_figures(
    metric: Metric,
    a: &TargetFigures,
    b: &TargetFigures,
) -> Option<Invalid> {
    a.void(metric)
        .or_else(|| b.void(metric))
        .or_else(|| generators_disagree(metric, a, b))
        .or_else(|| turns::differ(metric, a, b))
}

/// Whether two targets, which were both verified, gave different responses, or one of them did from round to round.
pub(crate) fn not_the_same_job(a: &TargetFigures, b: &TargetFigures) -> Option<Invalid> {
    let (first, verified) = (a.responses.first()?, !b.responses.is_empty());
    let mut all = a.responses.iter().chain(&b.responses);
    let differ = verified && all.any(|response| response != first);
    differ.then(|| Invalid::not_comparable(reason::not_the_same_job(&a.target, &b.target)))
}

/// Why nothing may be said of two targets where their generators disagree: the intervals of the ratio by two of them do not meet.
fn generators_disagree(metric: Metric, a: &TargetFigures, b: &TargetFigures) -> Option<Invalid> {
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
    let (one, high) = reported.iter().max_by(|a, b| a.1.low.total_cmp(&b.1.low))?;
    let (other, low) = (reported.iter()).min_by(|a, b| a.1.high.total_cmp(&b.1.high))?;
    (high.low > low.high * (1.0 + APART)).then(|| {
        reason::generators_disagree(high.low, high.high, *one, low.low, low.high, *other).into()
    })
}
