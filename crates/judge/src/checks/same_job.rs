//! Whether all targets do the same job: their responses to a workload, compared with one another.

use std::collections::{BTreeMap, BTreeSet};

use photofinish_model::Verified;
use photofinish_model::finding::failure::Difference;
use photofinish_model::secret::blank;

use photofinish_voice::checks as found;

use super::outcome::Outcome;

/// How much of two bodies is shown from their first difference on.
const SHOWN: usize = 40;

/// What each target responded to each workload so far: do they all do the same job?
#[derive(Clone, Debug, Default)]
pub struct Responses {
    /// Workload → target → its response, the newest.
    by_workload: BTreeMap<String, BTreeMap<String, Known>>,
    /// The workloads whose responses may differ from target to target.
    varying: BTreeSet<String>,
}

/// A response as far as it is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Known {
    status: u16,
    sha256: String,
    bytes: u64,
    /// The body itself, where this run has seen it.
    body: Option<Vec<u8>>,
}

impl Responses {
    /// None yet; those to the workloads of these names may differ from target to target.
    pub fn new(varying: impl IntoIterator<Item = String>) -> Responses {
        Responses {
            by_workload: BTreeMap::new(),
            varying: varying.into_iter().collect(),
        }
    }

    /// Adds a response of this run.
    pub fn add(&mut self, target: &str, verified: &Verified, body: Option<&[u8]>) {
        let known = Known {
            status: verified.status,
            sha256: verified.body_sha256.clone(),
            bytes: verified.body_bytes,
            body: body.map(<[u8]>::to_vec),
        };
        let workload = self.by_workload.entry(verified.workload.clone());
        workload.or_default().insert(target.to_owned(), known);
    }

    /// Whether two of these targets have responded alike to a workload, or have not responded yet: whether anything can be compared.
    pub fn are_any_alike(&self, targets: &[&str], workload: &str) -> bool {
        let vary = self.varying.contains(workload);
        let responses = self.by_workload.get(workload);
        let of = |target: &str| responses.and_then(|all| all.get(target));
        let alike = |a: &&str, b: &&str| match (of(a), of(b)) {
            (Some(a), Some(b)) => a.status == b.status && (vary || a.sha256 == b.sha256),
            _ => true,
        };
        let pairs = targets.iter().enumerate();
        let mut pairs = pairs.flat_map(|(at, a)| targets[at + 1..].iter().map(move |b| (a, b)));
        pairs.any(|(a, b)| alike(a, b))
    }

    /// Whether a target's response is that of every other one that has responded; not checked while there is no other.
    ///
    /// Where responses vary, each was held to its shape when it came; then only the status is compared.
    pub fn same_job(&self, target: &str, workload: &str) -> Outcome {
        let vary = self.varying.contains(workload);
        let alone = || Outcome::new(None, found::no_other_server());
        let Some(responses) = self.by_workload.get(workload) else {
            return alone();
        };
        let Some(own) = responses.get(target) else {
            return alone();
        };
        let others: Vec<_> = responses
            .iter()
            .filter(|(label, _)| *label != target)
            .collect();
        if others.is_empty() {
            return alone();
        }
        for (label, other) in &others {
            if own.status != other.status {
                let says = found::other_status(workload, target, own.status, *label, other.status);
                return Outcome::new(false, says);
            }
            if own.sha256 != other.sha256 && !vary {
                let bodies = other.body.as_ref().zip(own.body.as_ref());
                let difference = bodies.and_then(|(theirs, ours)| difference(theirs, ours));
                let (got, expected) = (own.bytes, other.bytes);
                return Outcome::new(
                    false,
                    match difference {
                        None => found::other_body(workload, target, *label, got, expected),
                        Some(difference) => {
                            let Difference {
                                offset,
                                expected: theirs,
                                got: ours,
                            } = difference;
                            let at = match (theirs.is_empty(), ours.is_empty()) {
                                (true, _) => found::body_is_longer(offset, ours),
                                (_, true) => found::body_is_shorter(offset, theirs),
                                _ => found::body_differs_at(offset, theirs, ours),
                            };
                            found::other_body_at(workload, target, *label, got, expected, at)
                        }
                    },
                );
            }
        }
        let others: Vec<String> = others.iter().map(|(label, _)| (*label).clone()).collect();
        let (status, bytes) = (own.status, own.bytes);
        Outcome::new(
            true,
            match (vary, status) {
                (true, _) => found::same_shape(status, others),
                (false, 0) => found::same_bytes(bytes, others),
                (false, _) => found::same_response(status, bytes, others),
            },
        )
    }
}

/// Where two bodies differ first, with what stands there; `None` where they are the same.
pub fn difference(expected: &[u8], got: &[u8]) -> Option<Difference> {
    if expected == got {
        return None;
    }
    let common = expected.iter().zip(got).take_while(|(a, b)| a == b).count();
    Some(Difference {
        offset: common as u64,
        expected: quoted(&blank(expected), common),
        got: quoted(&blank(got), common),
    })
}

/// The bytes from `at` on, as a short quotation; empty where there are none.
fn quoted(bytes: &[u8], at: usize) -> String {
    let rest = bytes.get(at..).unwrap_or_default();
    match rest.get(..SHOWN) {
        _ if rest.is_empty() => String::new(),
        Some(shown) => format!("\"{}\"…", shown.escape_ascii()),
        None => format!("\"{}\"", rest.escape_ascii()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verified(status: u16, body: &[u8]) -> Verified {
        Verified {
            path: None,
            workload: "w".to_owned(),
            status,
            head: String::new(),
            body_bytes: body.len() as u64,
            // Any other body has another one.
            body_sha256: body.escape_ascii().to_string(),
            wire_bytes: body.len() as u64,
        }
    }

    fn same_job(responses: &Responses, target: &str) -> (Option<bool>, String) {
        let outcome = responses.same_job(target, "w");
        (
            outcome.ok,
            outcome.says.map(|says| says.en).unwrap_or_default(),
        )
    }

    #[test]
    fn targets_do_the_same_job_or_what_differs_is_said() {
        let mut responses = Responses::default();
        responses.add("a", &verified(200, b"Hello"), Some(b"Hello"));
        assert_eq!(same_job(&responses, "a").0, None);
        responses.add("b", &verified(200, b"Hello"), None);
        let (ok, says) = same_job(&responses, "b");
        assert_eq!(
            (ok, says.as_str()),
            (Some(true), "status 200 and the same body of 5 bytes as a")
        );
        responses.add("c", &verified(200, b"Hell"), Some(b"Hell"));
        let (ok, says) = same_job(&responses, "c");
        assert_eq!(ok, Some(false));
        assert!(
            says.ends_with("they differ first at offset 4: expected \"o\", got nothing"),
            "{says}"
        );
        responses.add("d", &verified(201, b"Hello"), None);
        let (ok, says) = same_job(&responses, "d");
        assert_eq!(ok, Some(false));
        assert_eq!(says, "w: d responds with status 201, a with 200");
    }

    #[test]
    fn where_responses_vary_the_status_must_be_the_same() {
        let mut responses = Responses::new(["w".to_owned()]);
        responses.add("a", &verified(200, b"1"), None);
        responses.add("b", &verified(200, b"2"), None);
        let (ok, says) = same_job(&responses, "b");
        assert_eq!(ok, Some(true));
        assert_eq!(says, "status 200 and a body of the stated shape, as a");
    }
}
