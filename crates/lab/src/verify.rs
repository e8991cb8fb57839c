//! Whether a server does the job: one request of each workload, its answer compared with the one
//! that was stated, and with what the other targets answered.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::time::Duration;

use photofinish_load::config::Exchange;
use photofinish_load::echo::Messages;
use photofinish_load::http::Once;
use photofinish_results::model::Verified;
use photofinish_study::plan::Workload;
use sha2::{Digest, Sha256};

use crate::answer::{self, Answer, Ask};
use crate::exchange;

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

/// Asks once and compares with what was stated; gives up soon after `unwanted` says so. What varies in the question
/// follows from the seed.
///
/// # Errors
/// Says what was expected and what came.
pub(crate) fn verify(
    address: SocketAddr,
    workload: &Workload,
    seed: u64,
    unwanted: &dyn Fn() -> bool,
) -> Result<Answer, Wrong> {
    let request = exchange::in_words(workload);
    let silent = |why: String| Wrong::Silent(format!("{request}: {why}"));
    let (ask, expect) = match exchange::exchange(workload, address) {
        Exchange::Echo { size } => {
            let message = Messages::new(size, 1, seed);
            return echo(address, message.first(), workload.timeout, unwanted).map_err(|wrong| {
                match wrong {
                    Wrong::Silent(why) => silent(why),
                    Wrong::Answer(why) => Wrong::Answer(format!("{request}: {why}")),
                }
            });
        }
        Exchange::Http { request, expect } => (Once::new(&request, seed), expect),
    };
    let once = ask.map_err(|error| silent(error.to_string()))?;
    let ask = Ask {
        method: &workload.method,
        bytes: &once.bytes,
    };
    let answer = answer::ask(address, &ask, workload.timeout, unwanted).map_err(silent)?;
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
    if let Some(complaint) = once.complaint(&expect, &answer.body) {
        return Err(Wrong::Answer(format!("{request}: {complaint}")));
    }
    Ok(answer)
}

/// Sends a message and compares what comes back.
fn echo(
    address: SocketAddr,
    message: &[u8],
    timeout: Duration,
    unwanted: &dyn Fn() -> bool,
) -> Result<Answer, Wrong> {
    let body = answer::send_and_take(address, message, timeout, unwanted).map_err(Wrong::Silent)?;
    if let Some(difference) = photofinish_load::echo::difference(message, 0, &body) {
        return Err(Wrong::Answer(difference));
    }
    Ok(Answer {
        status: 0,
        head: String::new(),
        wire_bytes: body.len() as u64,
        body,
    })
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
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::thread::{self, JoinHandle};

    use photofinish_study::plan::Protocol;

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

    /// A server that reads so many bytes from one connection and writes what `answer` makes of them.
    fn served(length: usize, answer: fn(Vec<u8>) -> Vec<u8>) -> (SocketAddr, JoinHandle<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("bind");
        let address = listener.local_addr().expect("address");
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("accept");
            let mut bytes = vec![0; length];
            stream.read_exact(&mut bytes).expect("a request");
            stream.write_all(&answer(bytes)).expect("write");
        });
        (address, server)
    }

    fn ask(
        workload: &Workload,
        length: usize,
        answer: fn(Vec<u8>) -> Vec<u8>,
    ) -> Result<Answer, Wrong> {
        let (address, server) = served(length, answer);
        let got = verify(address, workload, 7, &|| false);
        server.join().expect("server");
        got
    }

    #[test]
    fn an_echo_is_compared_byte_for_byte() {
        let mut workload = fake::workload("w", &[1]);
        workload.protocol = Protocol::TcpEcho { size: 100 };
        let good = ask(&workload, 100, |bytes| bytes).expect("an echo");
        assert_eq!((good.status, good.wire_bytes), (0, 100));
        let wrong = ask(&workload, 100, |mut bytes| {
            bytes[42] ^= 1;
            bytes
        });
        match wrong {
            Err(Wrong::Answer(says)) => assert!(
                says.starts_with("TCP echo of 100 bytes: the echo differs at byte 42 of 100"),
                "{says}"
            ),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_body_that_varies_is_held_to_its_shape() {
        let mut workload = fake::workload("w", &[1]);
        workload.path = "/{random:100..999}".to_owned();
        workload.expect_body = None;
        workload.expect_contains = Some("<{random}>".to_owned());
        workload.expect_rows = Some(2);
        let length = "GET /100 HTTP/1.1\r\nHost: 127.0.0.1:40000\r\n\r\n".len();
        fn answer(request: Vec<u8>, rows: &str) -> Vec<u8> {
            let id = String::from_utf8_lossy(&request[5..8]).into_owned();
            let body = format!("{rows}<{id}>");
            format!(
                "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            )
            .into_bytes()
        }
        assert!(ask(&workload, length, |request| answer(request, "[1,2]")).is_ok());
        match ask(&workload, length, |request| answer(request, "[1]")) {
            Err(Wrong::Answer(says)) => {
                assert!(
                    says.starts_with("GET /{random:100..999}: expected 2 rows, got 1"),
                    "{says}"
                );
            }
            other => panic!("{other:?}"),
        }
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
