//! What the targets answered when they were verified.

use photofinish_model::WorkloadRecord;
use photofinish_model::store::Results;
use schemars::JsonSchema;
use serde::Serialize;

use super::gaps;

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
