//! Whether a server does the job: one request of each workload, its answer compared with the one
//! that was stated, and with what the other targets answered.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::net::SocketAddr;

use photofinish_results::model::Verified;
use photofinish_study::plan::Workload;
use sha2::{Digest, Sha256};

use crate::answer::{self, Answer, Ask};

/// How much of two bodies is shown around their first difference.
const SHOWN: usize = 40;

/// Why a server was not verified; each a sentence that begins with the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// No whole answer came.
    Silent(String),
    /// Another answer came than the one that was stated.
    Answer(String),
}

/// Asks once and compares with what was stated; gives up soon after `unwanted` says so.
///
/// # Errors
/// Says what was expected and what came.
pub(crate) fn verify(
    address: SocketAddr,
    workload: &Workload,
    unwanted: &dyn Fn() -> bool,
) -> Result<Answer, Wrong> {
    let ask = Ask {
        method: &workload.method,
        path: &workload.path,
        headers: &workload.headers,
        body: &workload.body,
    };
    let request = format!("{} {}", workload.method, workload.path);
    let answer = answer::ask(address, &ask, workload.timeout, unwanted)
        .map_err(|why| Wrong::Silent(format!("{request}: {why}")))?;
    let status_fits = match workload.expect_status {
        Some(status) => answer.status == status,
        None => (200..400).contains(&answer.status),
    };
    if !status_fits {
        let expected = match workload.expect_status {
            Some(status) => format!("status {status}"),
            None => "a status from 200 to 399".to_owned(),
        };
        return Err(Wrong::Answer(format!(
            "{request}: expected {expected}, got {} with the body {}",
            answer.status,
            quoted(&answer.body, 0)
        )));
    }
    if let Some(expected) = &workload.expect_body
        && let Some(difference) = difference(expected, &answer.body)
    {
        return Err(Wrong::Answer(format!(
            "{request}: wrong body: {difference}"
        )));
    }
    Ok(answer)
}

/// An answer, for the record.
pub(crate) fn record(workload: &Workload, answer: &Answer) -> Verified {
    Verified {
        workload: workload.name.clone(),
        status: answer.status,
        head: answer.head.clone(),
        body_bytes: answer.body.len() as u64,
        body_sha256: sha256(&answer.body),
        wire_bytes: answer.wire_bytes,
    }
}

/// Where two bodies differ first, with what stands there; `None` where they are the same.
fn difference(expected: &[u8], got: &[u8]) -> Option<String> {
    if expected == got {
        return None;
    }
    let common = expected.iter().zip(got).take_while(|(a, b)| a == b).count();
    Some(format!(
        "expected {} bytes, got {}; they differ first at offset {common}: expected {}, got {}",
        expected.len(),
        got.len(),
        quoted(expected, common),
        quoted(got, common)
    ))
}

/// The bytes from `at` on, as a short quotation.
fn quoted(bytes: &[u8], at: usize) -> String {
    let rest = &bytes[at..];
    match rest.get(..SHOWN) {
        Some(shown) => format!("\"{}\"…", shown.escape_ascii()),
        None if rest.is_empty() => "nothing".to_owned(),
        None => format!("\"{}\"", rest.escape_ascii()),
    }
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
}

/// What each target answered to each workload so far: do they all do the same job?
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers {
    /// Workload → target → its answer, the newest.
    by_workload: BTreeMap<String, BTreeMap<String, Known>>,
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
    pub(crate) fn same_job(&self, target: &str, workload: &str) -> (Option<bool>, String) {
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
            if own.sha256 != other.sha256 {
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
        let says = format!(
            "status {} and the same {} bytes of body as {}",
            own.status,
            own.bytes,
            labels.join(", ")
        );
        (Some(true), says)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake;

    fn verified(status: u16, body: &[u8]) -> Verified {
        let answer = Answer {
            status,
            head: String::new(),
            body: body.to_vec(),
            wire_bytes: 0,
        };
        record(&fake::workload("w", &[1]), &answer)
    }

    #[test]
    fn the_first_difference_is_shown_with_its_offset() {
        let says = difference(b"Hello, World!", b"Hello, world").expect("they differ");
        assert_eq!(
            says,
            "expected 13 bytes, got 12; they differ first at offset 7: expected \"World!\", got \"world\""
        );
        let says = difference(b"abc", b"abcdef").expect("they differ");
        assert!(
            says.ends_with("offset 3: expected nothing, got \"def\""),
            "{says}"
        );
        assert_eq!(difference(b"abc", b"abc"), None);
        let long = [b'x'; 100];
        let says = difference(&long, b"\n\xff").expect("they differ");
        assert!(says.contains("\"…, got \"\\n\\xff\""), "{says}");
    }

    #[test]
    fn hashes_are_sha256() {
        // FIPS 180-2, appendix B.1.
        assert_eq!(
            verified(200, b"abc").body_sha256,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

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
