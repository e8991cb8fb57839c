//! Where nothing may be said of figures, though they were measured.

use photofinish_model::finding::verdict::Void;
use photofinish_model::metric::Of;
use photofinish_model::store::Results;
use photofinish_model::{Metric, WorkloadRecord};
use schemars::JsonSchema;
use serde::Serialize;

use super::figures::TargetFigures;
use super::gaps;

/// A percentile is judged with at least so many requests beyond it in every round.
const BEYOND: f64 = 10.0;

/// What a target answered when it was verified.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    /// HTTP status; 0 where the protocol has none.
    pub status: u16,
    /// SHA-256 of the body, in hexadecimal; `null` where bodies may vary from target to target.
    pub body_sha256: Option<String>,
}

/// The different responses of a target to a workload, those of trials that were repeated left out.
pub(super) fn responses(results: &Results, target: &str, workload: &str) -> Vec<Response> {
    let of_study = |record: &&WorkloadRecord| record.name == workload;
    let record = results.study.workloads.iter().find(of_study);
    let vary = record.is_some_and(|record| record.answers_vary);
    let mut responses: Vec<Response> = Vec::new();
    let trials = gaps::last_trials(results).into_iter();
    for trial in trials.filter(|trial| trial.target == target) {
        for verified in trial.verified.iter().filter(|v| v.workload == workload) {
            let response = Response {
                status: verified.status,
                body_sha256: (!vary).then(|| verified.body_sha256.clone()),
            };
            if !responses.contains(&response) {
                responses.push(response);
            }
        }
    }
    responses
}

impl TargetFigures {
    /// Why nothing may be said of this target's figure of a metric; `None`: something may.
    pub(crate) fn void(&self, metric: Metric) -> Option<Void> {
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
        let Of::Percentile(share) = metric.spec().of else {
            return None;
        };
        // Rounded, since 1 − 0.999 is a little more than 0.001 to a computer.
        let needed = (BEYOND / (1.0 - share)).round() as u64;
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
