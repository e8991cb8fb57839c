//! What the targets responded when they were verified.

use photofinish_model::Verified;
use photofinish_model::store::Results;
use schemars::JsonSchema;
use serde::Serialize;

use crate::comparison::figures::gaps;

/// What a target responded when it was verified, as far as all targets must respond alike.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    /// HTTP status; 0 where the protocol has none.
    pub status: u16,
    /// SHA-256 of the body, in hexadecimal; `null` where bodies may vary from target to target.
    pub body_sha256: Option<String>,
}

impl Response {
    /// Of a response, what is compared. Where bodies vary, their shape was checked when they came, and only the status must be equal.
    pub(crate) fn of(verified: &Verified, vary: bool) -> Response {
        Response {
            status: verified.status,
            body_sha256: (!vary).then(|| verified.body_sha256.clone()),
        }
    }
}

/// Whether the bodies of the responses to a workload may vary from target to target.
pub(crate) fn vary(results: &Results, workload: &str) -> bool {
    let mut workloads = results.study.workloads.iter();
    workloads.any(|record| record.name == workload && record.responses_vary)
}

/// The different responses of a target to a workload, those of trials that were repeated left out.
pub(crate) fn responses(results: &Results, target: &str, workload: &str) -> Vec<Response> {
    let vary = vary(results, workload);
    let mut responses: Vec<Response> = Vec::new();
    let trials = gaps::last_trials(results).into_iter();
    for trial in trials.filter(|trial| trial.target == target) {
        for verified in trial.verified.iter().filter(|v| v.workload == workload) {
            let response = Response::of(verified, vary);
            if !responses.contains(&response) {
                responses.push(response);
            }
        }
    }
    responses
}
