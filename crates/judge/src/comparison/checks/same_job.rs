//! Whether all targets did the same job: equal status and body for each workload. Bytes on the
//! wire and header names may differ between servers that do the same job; they are noted.

use std::collections::BTreeSet;

use photofinish_model::Verified;
use photofinish_model::message::Message;
use photofinish_model::store::Results;
use photofinish_voice::run_check as found;

use crate::comparison::checks::responses;
use crate::comparison::checks::responses::Response;
use crate::comparison::checks::tally::{Counted, Failing, Tally};
use crate::comparison::figures::gaps;
use crate::comparison::figures::places::places;

/// The response of one target to one workload in one round.
struct Given<'a> {
    target: &'a str,
    round: u32,
    verified: &'a Verified,
}

/// Counts (target, workload) pairs: each is checked once it was verified.
pub(crate) fn tally(results: &Results) -> Tally {
    let mut tally = Tally {
        counted: Counted::TargetsAndWorkloads,
        ..Tally::default()
    };
    let trials = gaps::last_trials(results);
    let mut seen = BTreeSet::new();
    for place in places(results) {
        // A place is a load level too; the response is one for all levels.
        if !seen.insert(place.workload) {
            continue;
        }
        tally.of += place.targets.len();
        let given: Vec<Given> = place
            .targets
            .iter()
            .flat_map(|target| {
                let own = trials.iter().filter(move |trial| trial.target == *target);
                own.flat_map(|trial| {
                    let verified = trial.verified.iter();
                    verified
                        .filter(|verified| verified.workload == place.workload)
                        .map(|verified| Given {
                            target: &trial.target,
                            round: trial.round,
                            verified,
                        })
                })
            })
            .collect();
        let Some(reference) = given.first() else {
            continue;
        };
        let verified: BTreeSet<&str> = given.iter().map(|one| one.target).collect();
        tally.checked += verified.len();
        let vary = responses::vary(results, place.workload);
        tally
            .failing
            .extend(differing(place.workload, reference, &given, vary));
        tally.notes.extend(on_the_wire(place.workload, &given));
    }
    tally
}

/// The responses that are not the reference's, the first of each target.
fn differing(workload: &str, reference: &Given, given: &[Given], vary: bool) -> Vec<Failing> {
    let mut seen = BTreeSet::new();
    let job = |one: &Given| Response::of(one.verified, vary);
    given
        .iter()
        .filter(|one| job(one) != job(reference) && seen.insert(one.target))
        .map(|one| Failing {
            target: Some(one.target.to_owned()),
            workload: Some(workload.to_owned()),
            level: None,
            round: Some(one.round),
            ..Failing::new(found::other_response(
                response(one.verified),
                reference.target,
                response(reference.verified),
            ))
        })
        .collect()
}

fn response(verified: &Verified) -> Message {
    let hash: String = verified.body_sha256.chars().take(8).collect();
    match verified.status {
        0 => found::body(verified.body_bytes, hash),
        status => found::response(status, verified.body_bytes, hash),
    }
}

/// What differs on the wire, by each target's first response.
fn on_the_wire(workload: &str, given: &[Given]) -> Vec<Message> {
    let mut seen = BTreeSet::new();
    let first: Vec<&Given> = given.iter().filter(|one| seen.insert(one.target)).collect();
    let redirected = first.iter().filter_map(|one| {
        let path = one.verified.path.as_deref()?;
        Some(found::redirected(workload, one.target, path))
    });
    let mut notes: Vec<Message> = redirected.collect();
    let bytes: BTreeSet<u64> = first.iter().map(|a| a.verified.wire_bytes).collect();
    if bytes.len() > 1 {
        let each = first.iter();
        let each: Vec<Message> = each
            .map(|a| found::server_bytes(a.target, a.verified.wire_bytes))
            .collect();
        notes.push(found::wire_bytes(workload, each));
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
        .map(|(one, names)| {
            let own = names.difference(&common).cloned().collect();
            (one.target.to_owned(), own)
        })
        .filter(|(_, own): &(String, Vec<String>)| !own.is_empty())
        .collect();
    if !own.is_empty() {
        let each: Vec<Message> = own
            .iter()
            .map(|(target, names)| found::server_headers(target, names))
            .collect();
        notes.push(found::own_headers(workload, each));
    }
    notes
}

fn header_names(verified: &Verified) -> BTreeSet<String> {
    let fields = verified.head.lines().skip(1);
    fields
        .filter_map(|line| line.split_once(':'))
        .map(|(name, _)| name.trim().to_ascii_lowercase())
        .collect()
}
