//! Whether all targets do the same job: their answers to a workload, compared with one another.

use std::collections::{BTreeMap, BTreeSet};

use photofinish_model::Verified;
use photofinish_study::plan::Workload;

use crate::verify::difference;

/// What each target answered to each workload so far: do they all do the same job?
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers {
    /// Workload → target → its answer, the newest.
    by_workload: BTreeMap<String, BTreeMap<String, Known>>,
    /// The workloads whose answers may differ from target to target.
    varying: BTreeSet<String>,
}

/// An answer as far as it is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Known {
    status: u16,
    sha256: String,
    bytes: u64,
    /// The body itself, where this run has seen it.
    body: Option<Vec<u8>>,
}

impl Answers {
    /// Nothing answered yet to these workloads.
    pub(crate) fn to(workloads: &[Workload]) -> Answers {
        let varying = workloads.iter().filter(|workload| workload.answers_vary());
        Answers {
            by_workload: BTreeMap::new(),
            varying: varying.map(|workload| workload.name.clone()).collect(),
        }
    }

    /// Adds an answer of this run.
    pub(crate) fn add(&mut self, target: &str, verified: &Verified, body: Option<&[u8]>) {
        let known = Known {
            status: verified.status,
            sha256: verified.body_sha256.clone(),
            bytes: verified.body_bytes,
            body: body.map(<[u8]>::to_vec),
        };
        let answers = self
            .by_workload
            .entry(verified.workload.clone())
            .or_default();
        answers.insert(target.to_owned(), known);
    }

    /// Whether a target's answer is that of every other one that has answered; `None` while there
    /// is no other. The sentence says with which, or what differs.
    ///
    /// Where answers vary, each was held to its shape when it came; then only the status is compared.
    pub(crate) fn same_job(&self, target: &str, workload: &str) -> (Option<bool>, String) {
        let vary = self.varying.contains(workload);
        let nobody = || {
            (
                None,
                "not checked yet: no other target has answered".to_owned(),
            )
        };
        let Some(answers) = self.by_workload.get(workload) else {
            return nobody();
        };
        let Some(own) = answers.get(target) else {
            return nobody();
        };
        let others: Vec<_> = answers
            .iter()
            .filter(|(label, _)| *label != target)
            .collect();
        if others.is_empty() {
            return nobody();
        }
        for (label, other) in &others {
            if own.status != other.status {
                let says = format!(
                    "{workload}: {label} answers with status {}, {target} with {}",
                    other.status, own.status
                );
                return (Some(false), says);
            }
            if own.sha256 != other.sha256 && !vary {
                let differ = match (&other.body, &own.body) {
                    (Some(theirs), Some(ours)) => difference(theirs, ours),
                    _ => None,
                };
                let differ =
                    differ.unwrap_or_else(|| format!("{} and {} bytes", other.bytes, own.bytes));
                let says =
                    format!("{workload}: {target} answers another body than {label}: {differ}");
                return (Some(false), says);
            }
        }
        let labels: Vec<&str> = others.iter().map(|(label, _)| label.as_str()).collect();
        let labels = labels.join(", ");
        let says = match (vary, own.status) {
            (true, status) => {
                format!("status {status} and a body of the stated shape, as {labels}")
            }
            // A protocol without a status.
            (false, 0) => format!("the same {} bytes as {labels}", own.bytes),
            (false, status) => {
                format!(
                    "status {status} and the same {} bytes of body as {labels}",
                    own.bytes
                )
            }
        };
        (Some(true), says)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::tests::verified;

    #[test]
    fn targets_do_the_same_job_or_what_differs_is_said() {
        let mut answers = Answers::default();
        answers.add("a", &verified(200, b"Hello"), Some(b"Hello"));
        assert_eq!(answers.same_job("a", "w").0, None);
        answers.add("b", &verified(200, b"Hello"), None);
        let (ok, says) = answers.same_job("b", "w");
        assert_eq!(
            (ok, says.as_str()),
            (Some(true), "status 200 and the same 5 bytes of body as a")
        );
        answers.add("c", &verified(200, b"Hell"), Some(b"Hell"));
        let (ok, says) = answers.same_job("c", "w");
        assert_eq!(ok, Some(false));
        assert!(
            says.contains("offset 4: expected \"o\", got nothing"),
            "{says}"
        );
        answers.add("d", &verified(201, b"Hello"), None);
        let (ok, says) = answers.same_job("d", "w");
        assert_eq!(ok, Some(false));
        assert!(
            says.contains("a answers with status 200, d with 201"),
            "{says}"
        );
    }
}
