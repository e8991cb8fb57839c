//! Whether all targets did the same job: equal status and body for each workload. Bytes on the
//! wire and header names may differ between servers that do the same job; they are told.

use std::collections::BTreeSet;

use photofinish_model::Verified;
use photofinish_model::store::Results;

use super::checks::{Failing, Tally};
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
        nouns: ("target and workload", "pairs of target and workload"),
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
        let vary = results
            .study
            .workloads
            .iter()
            .any(|workload| workload.name == place.workload && workload.answers_vary);
        tally
            .failing
            .extend(differing(place.workload, reference, &answers, vary));
        tally.told.extend(told(place.workload, &answers));
    }
    tally
}

/// The answers that are not the reference's, the first of each target. Where answers vary, their shape was
/// checked when they came, and only the status must be equal.
fn differing(workload: &str, reference: &Answer, answers: &[Answer], vary: bool) -> Vec<Failing> {
    let mut seen = BTreeSet::new();
    let job = |answer: &Answer| {
        let body = (!vary).then(|| answer.verified.body_sha256.clone());
        (answer.verified.status, body)
    };
    answers
        .iter()
        .filter(|answer| job(answer) != job(reference) && seen.insert(answer.target))
        .map(|answer| Failing {
            target: Some(answer.target.to_owned()),
            workload: Some(workload.to_owned()),
            level: None,
            round: Some(answer.round),
            says: format!(
                "answered {}, but {} answered {}",
                in_words(answer.verified),
                reference.target,
                in_words(reference.verified)
            ),
        })
        .collect()
}

fn in_words(verified: &Verified) -> String {
    let hash: String = verified.body_sha256.chars().take(8).collect();
    // 0: a protocol without a status.
    let status = match verified.status {
        0 => String::new(),
        status => format!("status {status} with "),
    };
    format!(
        "{status}a body of {} bytes (SHA-256 {hash}…)",
        verified.body_bytes
    )
}

/// What differs on the wire, by each target's first answer.
fn told(workload: &str, answers: &[Answer]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let first: Vec<&Answer> = answers
        .iter()
        .filter(|answer| seen.insert(answer.target))
        .collect();
    let mut told = Vec::new();
    let bytes: BTreeSet<u64> = first.iter().map(|a| a.verified.wire_bytes).collect();
    if bytes.len() > 1 {
        let each: Vec<String> = first
            .iter()
            .map(|a| format!("{} {}", a.target, a.verified.wire_bytes))
            .collect();
        told.push(format!(
            "{workload}: bytes of an answer on the wire differ: {}",
            each.join(", ")
        ));
    }
    let headers: Vec<BTreeSet<String>> = first.iter().map(|a| header_names(a.verified)).collect();
    let common = headers
        .iter()
        .cloned()
        .reduce(|a, b| a.intersection(&b).cloned().collect())
        .unwrap_or_default();
    let own: Vec<String> = first
        .iter()
        .zip(&headers)
        .filter_map(|(answer, names)| {
            let own: Vec<&str> = names.difference(&common).map(String::as_str).collect();
            (!own.is_empty()).then(|| format!("{} sends {}", answer.target, own.join(", ")))
        })
        .collect();
    if !own.is_empty() {
        told.push(format!(
            "{workload}: headers that not all send: {}",
            own.join("; ")
        ));
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
