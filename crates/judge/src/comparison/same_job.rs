//! Whether all targets did the same job: equal status and body for each workload. Bytes on the
//! wire and header names may differ between servers that do the same job; they are told.

use std::collections::BTreeSet;

use photofinish_model::Verified;
use photofinish_model::finding::run_check::{Counted, Responded, RunCheckFinding};
use photofinish_model::store::Results;

use super::responses::{self, Response};
use super::tally::{Failing, Tally};
use super::{gaps, places};

/// The answer of one target to one workload in one round.
struct Answer<'a> {
    target: &'a str,
    round: u32,
    verified: &'a Verified,
}

/// Counts (target, workload) pairs: each is checked once it was verified.
pub(super) fn tally(results: &Results) -> Tally {
    let mut tally = Tally {
        counted: Counted::TargetsAndWorkloads,
        ..Tally::default()
    };
    let trials = gaps::last_trials(results);
    let mut seen = BTreeSet::new();
    for place in places(results) {
        // A place is a load level too; the answer is one for all levels.
        if !seen.insert(place.workload) {
            continue;
        }
        tally.of += place.targets.len();
        let answers: Vec<Answer> = place
            .targets
            .iter()
            .flat_map(|target| {
                let own = trials.iter().filter(move |trial| trial.target == *target);
                own.flat_map(|trial| {
                    let verified = trial.verified.iter();
                    verified
                        .filter(|verified| verified.workload == place.workload)
                        .map(|verified| Answer {
                            target: &trial.target,
                            round: trial.round,
                            verified,
                        })
                })
            })
            .collect();
        let Some(reference) = answers.first() else {
            continue;
        };
        let verified: BTreeSet<&str> = answers.iter().map(|answer| answer.target).collect();
        tally.checked += verified.len();
        let vary = responses::vary(results, place.workload);
        tally
            .failing
            .extend(differing(place.workload, reference, &answers, vary));
        tally.told.extend(told(place.workload, &answers));
    }
    tally
}

/// The answers that are not the reference's, the first of each target.
fn differing(workload: &str, reference: &Answer, answers: &[Answer], vary: bool) -> Vec<Failing> {
    let mut seen = BTreeSet::new();
    let job = |answer: &Answer| Response::of(answer.verified, vary);
    answers
        .iter()
        .filter(|answer| job(answer) != job(reference) && seen.insert(answer.target))
        .map(|answer| Failing {
            target: Some(answer.target.to_owned()),
            workload: Some(workload.to_owned()),
            level: None,
            round: Some(answer.round),
            ..Failing::new(RunCheckFinding::OtherResponse {
                got: response(answer.verified),
                other: reference.target.to_owned(),
                expected: response(reference.verified),
            })
        })
        .collect()
}

fn response(verified: &Verified) -> Responded {
    Responded {
        status: verified.status,
        bytes: verified.body_bytes,
        sha256: verified.body_sha256.clone(),
    }
}

/// What differs on the wire, by each target's first answer.
fn told(workload: &str, answers: &[Answer]) -> Vec<RunCheckFinding> {
    let mut seen = BTreeSet::new();
    let first: Vec<&Answer> = answers
        .iter()
        .filter(|answer| seen.insert(answer.target))
        .collect();
    let mut told = Vec::new();
    let bytes: BTreeSet<u64> = first.iter().map(|a| a.verified.wire_bytes).collect();
    if bytes.len() > 1 {
        let each = first.iter();
        told.push(RunCheckFinding::WireBytes {
            workload: workload.to_owned(),
            bytes: each
                .map(|a| (a.target.to_owned(), a.verified.wire_bytes))
                .collect(),
        });
    }
    let headers: Vec<BTreeSet<String>> = first.iter().map(|a| header_names(a.verified)).collect();
    let common = headers
        .iter()
        .cloned()
        .reduce(|a, b| a.intersection(&b).cloned().collect())
        .unwrap_or_default();
    let own: Vec<(String, Vec<String>)> = first
        .iter()
        .zip(&headers)
        .map(|(answer, names)| {
            let own = names.difference(&common).cloned().collect();
            (answer.target.to_owned(), own)
        })
        .filter(|(_, own): &(String, Vec<String>)| !own.is_empty())
        .collect();
    if !own.is_empty() {
        told.push(RunCheckFinding::OwnHeaders {
            workload: workload.to_owned(),
            headers: own,
        });
    }
    told
}

fn header_names(verified: &Verified) -> BTreeSet<String> {
    let fields = verified.head.lines().skip(1);
    fields
        .filter_map(|line| line.split_once(':'))
        .map(|(name, _)| name.trim().to_ascii_lowercase())
        .collect()
}
