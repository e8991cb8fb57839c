//! Where nothing may be said of figures, though they were measured.

use photofinish_model::Metric;
use photofinish_model::finding::verdict::Void;
use photofinish_model::metric::Of;

use super::doubts::UNEVEN;
use super::figures::TargetFigures;
use super::generators;

/// A percentile is judged with at least so many requests beyond it in every round.
const BEYOND: f64 = 10.0;

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

/// How many requests a percentile takes in a round; `None` for what is none.
pub(crate) fn requests_for(metric: Metric) -> Option<u64> {
    match metric.spec().of {
        // Rounded, since 1 − 0.999 is a little more than 0.001 to a computer.
        Of::Percentile(share) => Some((BEYOND / (1.0 - share)).round() as u64),
        _ => None,
    }
}

/// Why nothing may be said of two targets' figures of a metric at the same workload and level; `None`: something may.
pub(crate) fn void(metric: Metric, a: &TargetFigures, b: &TargetFigures) -> Option<Void> {
    not_the_same_job(a, b)
        .or_else(|| a.void(metric))
        .or_else(|| b.void(metric))
        .or_else(|| uneven_pair(metric, [a, b]))
        .or_else(|| generators::void(metric, a, b))
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
