//! What came of a load run: data that can be sent from another machine.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use hdrhistogram::Histogram;
use photofinish_model::Window;
use serde::{Deserialize, Serialize};

use crate::histogram;

/// What came of a run. Histograms are in nanoseconds with 3 significant digits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// When the window opened.
    pub started: SystemTime,
    /// The window's length.
    pub duration: Duration,
    /// Requests that were due in the window and came to an end, well or badly.
    pub requests: u64,
    /// Good answers that arrived within the window (whenever they were due).
    pub answers_in_window: u64,
    /// Requests of the window that ended badly.
    pub errors: BTreeMap<ErrorKind, u64>,
    /// Response times of all requests of the window (see the crate's documentation for those that failed).
    #[serde(with = "histogram")]
    pub latency: Histogram<u64>,
    /// Service times of the same.
    #[serde(with = "histogram")]
    pub service: Histogram<u64>,
    /// How long answers lay in the socket before they were read; `None` without kernel timestamps.
    #[serde(with = "histogram::optional")]
    pub lag: Option<Histogram<u64>>,
    /// From an answer's arrival to the next send on its connection, mean (closed loop).
    pub turnaround: Option<Duration>,
    /// Requests of the window whose good answers arrived after its end.
    pub drained: u64,
    /// Requests of the window that had no answer when the run stopped waiting.
    pub censored: u64,
    /// Requests that were due before the window opened.
    pub lead_in_requests: u64,
    /// Requests that were sent in the whole run, before, within and after the window.
    pub sent: u64,
    /// Good answers in the whole run.
    pub good: u64,
    /// Requests that fell due in the window by the schedule (open loop), sent or not.
    pub offered: Option<u64>,
    /// Of these, the ones that were sent only after its end, though a connection was free: their thread was late.
    pub sent_late: u64,
    /// Answers by status; empty where the protocol has none.
    pub status: BTreeMap<u16, u64>,
    /// Bytes of answers, heads included, of the window's requests.
    pub bytes_in: u64,
    /// Bytes of requests, likewise.
    pub bytes_out: u64,
    /// Connections opened, the first ones included.
    pub connects: u64,
    /// Connections opened in place of a lost one.
    pub reconnects: u64,
    /// Each thread's CPU time, user and system, within the window.
    pub thread_cpu: Vec<Duration>,
    /// The run in windows of [`Config::window`](crate::Config::window).
    pub windows: Vec<Window>,
    /// Whether arrivals were told by the kernel.
    pub kernel_timestamps: bool,
    /// The first wrong answer or the first system error, told in a sentence.
    pub first_error: Option<String>,
    /// How far the wall clock was stepped against the monotonic one during the run (kernel
    /// timestamps are in wall-clock time, so a step spoils latencies).
    pub clock_step: Duration,
}

/// How a request can end badly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorKind {
    /// Nobody listens.
    ConnectRefused,
    /// No connection within the timeout.
    ConnectTimeout,
    /// Any other failure to connect.
    Connect,
    /// The connection was reset.
    Reset,
    /// The connection was closed before the answer was whole.
    #[serde(rename = "closed-early")]
    Closed,
    /// No whole answer within the timeout.
    Timeout,
    /// Another status than expected.
    Status,
    /// Another body than expected.
    Body,
    /// Not HTTP, or beyond the limits of what is accepted.
    Malformed,
    /// Bytes that answer nothing: more than the head promised, or a second answer.
    #[serde(rename = "unasked-bytes")]
    Unasked,
    /// Any other failure to send or to receive.
    Io,
    /// No answer yet when the run stopped waiting.
    Censored,
}

impl ErrorKind {
    /// Whether the server responded, though not as expected.
    pub fn is_response(self) -> bool {
        match self {
            ErrorKind::Status | ErrorKind::Body | ErrorKind::Malformed | ErrorKind::Unasked => true,
            ErrorKind::ConnectRefused
            | ErrorKind::ConnectTimeout
            | ErrorKind::Connect
            | ErrorKind::Reset
            | ErrorKind::Closed
            | ErrorKind::Timeout
            | ErrorKind::Io
            | ErrorKind::Censored => false,
        }
    }

    /// Whether a request ended so before its response could come: how long that took is no response time.
    pub fn is_lost(self) -> bool {
        match self {
            ErrorKind::Reset | ErrorKind::Closed | ErrorKind::Io | ErrorKind::Censored => true,
            ErrorKind::ConnectRefused
            | ErrorKind::ConnectTimeout
            | ErrorKind::Connect
            | ErrorKind::Timeout
            | ErrorKind::Status
            | ErrorKind::Body
            | ErrorKind::Malformed
            | ErrorKind::Unasked => false,
        }
    }

    /// The name in files and tables.
    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::ConnectRefused => "connect-refused",
            ErrorKind::ConnectTimeout => "connect-timeout",
            ErrorKind::Connect => "connect",
            ErrorKind::Reset => "reset",
            ErrorKind::Closed => "closed-early",
            ErrorKind::Timeout => "timeout",
            ErrorKind::Status => "status",
            ErrorKind::Body => "body",
            ErrorKind::Malformed => "malformed",
            ErrorKind::Unasked => "unasked-bytes",
            ErrorKind::Io => "io",
            ErrorKind::Censored => "censored",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use photofinish_model::{Exchange, Expect, Load, Request, Stage};

    use super::*;
    use crate::config::{Config, Until};
    use crate::record::KINDS;

    /// There and back as JSON.
    fn sent<T: Serialize + for<'d> Deserialize<'d>>(value: &T) -> T {
        serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
    }

    #[test]
    fn what_came_of_a_run_survives_a_journey() {
        let mut latency = histogram::histogram();
        for value in [1, 999_999, 1_500_000, 90_000_000_000] {
            histogram::note(&mut latency, value);
        }
        let outcome = Outcome {
            started: SystemTime::UNIX_EPOCH + Duration::new(1_700_000_000, 123_456_789),
            duration: Duration::from_nanos(1_234_567_891),
            requests: 4,
            answers_in_window: 3,
            errors: KINDS.into_iter().zip(1..).collect(),
            service: latency.clone(),
            lag: Some(histogram::histogram()),
            latency,
            turnaround: Some(Duration::from_nanos(7)),
            drained: 1,
            censored: 2,
            lead_in_requests: 3,
            sent: 4,
            good: 5,
            offered: Some(6),
            sent_late: 7,
            status: BTreeMap::from([(200, 3), (503, 1)]),
            bytes_in: 8,
            bytes_out: 9,
            connects: 10,
            reconnects: 11,
            thread_cpu: vec![Duration::from_nanos(12)],
            windows: vec![Window {
                start_s: 0.1,
                duration_s: 0.3,
                answers: 3,
                errors: 1,
                p50_us: Some(0.1),
                p99_us: None,
                max_us: Some(1e6),
            }],
            kernel_timestamps: true,
            first_error: Some("closed".to_owned()),
            clock_step: Duration::from_nanos(13),
        };
        let mut back = sent(&outcome);
        assert_eq!(back, outcome);
        // It grows as the first one did.
        histogram::note(&mut back.latency, 900_000_000_000);
        assert_eq!(back.latency.len(), 5);
        let without = Outcome {
            lag: None,
            ..outcome
        };
        assert_eq!(sent(&without), without);
    }

    #[test]
    fn an_error_s_kind_has_one_name() {
        for kind in KINDS {
            let json = serde_json::to_string(&kind).unwrap();
            assert_eq!(json, format!("\"{}\"", kind.name()));
        }
    }

    #[test]
    fn what_is_to_be_done_survives_a_journey() {
        let address: SocketAddr = "[::1]:80".parse().unwrap();
        let config = Config {
            address,
            authority: "localhost:80".to_owned(),
            exchange: Exchange::Http {
                request: Request::get("/a?{random:1..9}"),
                expect: Expect::default(),
            },
            load: Load::Closed { connections: 3 },
            stages: vec![Stage {
                duration: Duration::from_millis(1),
                from: 0.1,
                to: 1e6,
            }],
            until: Until::Elapsed(Duration::from_nanos(1)),
            lead_in: Duration::MAX,
            window: Duration::ZERO,
            timeout: Duration::from_secs(1),
            cpus: vec![0, 3],
            threads: 2,
            seed: u64::MAX,
        };
        assert_eq!(sent(&config), config);
        let by_number = Config {
            until: Until::Requests(u64::MAX),
            ..config
        };
        assert_eq!(sent(&by_number), by_number);
    }
}
