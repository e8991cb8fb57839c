//! What came of a load run: data that can be sent from another machine.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use hdrhistogram::Histogram;
use photofinish_model::Window;
use serde::{Deserialize, Serialize};

use crate::censored::completed;
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
    /// Good responses that arrived within the window (whenever they were due).
    pub responses_in_window: u64,
    /// Requests of the window that ended badly.
    pub errors: BTreeMap<ErrorKind, u64>,
    /// Response times of all requests of the window (see the crate's documentation for those that failed).
    #[serde(with = "histogram")]
    pub latency: Histogram<u64>,
    /// Service times of the same.
    #[serde(with = "histogram")]
    pub service: Histogram<u64>,
    /// Where requests never got a response: what the two above were made from, so that outcomes can be added.
    pub lost: Option<Lost>,
    /// Requests that were sent late, or not at all, though a connection was idle; `None`: no request was.
    pub late: Option<Late>,
    /// How long responses lay in the socket before they were read; `None` without kernel timestamps.
    #[serde(with = "histogram::optional")]
    pub lag: Option<Histogram<u64>>,
    /// From a response's arrival to the next send on its connection, mean (closed loop).
    pub turnaround: Option<Duration>,
    /// How many times that was.
    pub turnarounds: u64,
    /// From the beginning of load until the first good response; of several slices the longest. `None`: none came.
    pub first_response: Option<Duration>,
    /// The same until every connection had its first one: until load flows as it will. `None` where some connection had none.
    pub all_responded: Option<Duration>,
    /// Requests of the window whose good responses arrived after its end.
    pub drained: u64,
    /// From the window's end until the last request that was in flight had come to its own.
    pub draining: Duration,
    /// Requests of the window that had no response when the run stopped waiting.
    pub censored: u64,
    /// Requests that were due before the window opened.
    pub lead_in_requests: u64,
    /// Requests that were sent in the whole run, before, within and after the window.
    pub sent: u64,
    /// Good responses in the whole run.
    pub good: u64,
    /// Good responses to the window's requests that were not as when the server was verified.
    pub changed: u64,
    /// The first of them in a sentence.
    pub first_change: Option<String>,
    /// Requests that fell due in the window by the schedule (open loop), sent or not.
    pub offered: Option<u64>,
    /// Of these, the ones that were sent only after its end or not at all, though a connection was free: their thread was late.
    pub sent_late: u64,
    /// Responses by status; empty where the protocol has none.
    pub status: BTreeMap<u16, u64>,
    /// Bytes of responses, heads included, of the window's requests.
    pub bytes_in: u64,
    /// Bytes of requests, likewise.
    pub bytes_out: u64,
    /// Connections opened, the first ones included.
    pub connects: u64,
    /// Connections opened in place of a lost one.
    pub reconnects: u64,
    /// How long opening them took.
    pub opening: Opening,
    /// Each thread's CPU time, user and system, within the window.
    pub thread_cpu: Vec<Duration>,
    /// The run in windows of [`Config::window`](crate::Config::window).
    pub windows: Vec<Window>,
    /// Whether arrivals were told by the kernel.
    pub kernel_timestamps: bool,
    /// The first wrong response or the first system error, told in a sentence.
    pub first_error: Option<String>,
    /// How far the wall clock was stepped against the monotonic one during the run (kernel
    /// timestamps are in wall-clock time, so a step spoils latencies).
    pub clock_step: Duration,
}

/// How long it took to open connections, whenever they were opened. Histograms as in [`Outcome`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Opening {
    /// From the start of each connect to its end.
    #[serde(with = "histogram")]
    pub connect: Histogram<u64>,
    /// From there to the end of the handshake of the transport, where that was a full one.
    #[serde(with = "histogram")]
    pub full: Histogram<u64>,
    /// The same where an earlier session was resumed.
    #[serde(with = "histogram")]
    pub resumed: Histogram<u64>,
}

impl Default for Opening {
    fn default() -> Self {
        Opening {
            connect: histogram::small(),
            full: histogram::small(),
            resumed: histogram::small(),
        }
    }
}

impl Opening {
    pub(crate) fn add(&mut self, other: &Opening) {
        histogram::add(&mut self.connect, &other.connect);
        histogram::add(&mut self.full, &other.full);
        histogram::add(&mut self.resumed, &other.resumed);
    }

    pub(crate) fn clear(&mut self) {
        self.connect.reset();
        self.full.reset();
        self.resumed.reset();
    }
}

/// The times of requests, some of which never got a response. Histograms as in [`Outcome`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lost {
    /// Response times of those that got one.
    #[serde(with = "histogram")]
    pub latency: Histogram<u64>,
    /// Service times of the same, where they differ (open loop).
    #[serde(with = "histogram::optional")]
    pub service: Option<Histogram<u64>>,
    /// How long the others had waited, from when they were due.
    #[serde(with = "histogram")]
    pub waited: Histogram<u64>,
    /// The same from when they were sent, of those that were.
    #[serde(with = "histogram")]
    pub waited_since_sent: Histogram<u64>,
}

/// Requests of the window of an open loop that were sent late though a connection was idle: the generator's thread did not run. What
/// fell due behind them is among them, for as long as it waited for that reason. Histograms as in [`Outcome`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Late {
    /// Their response times, of those that were sent.
    #[serde(with = "histogram")]
    pub latency: Histogram<u64>,
    /// The same without what the generator was late.
    #[serde(with = "histogram")]
    pub without: Histogram<u64>,
    /// How long the others had waited when the window closed; they are censored.
    #[serde(with = "histogram")]
    pub unsent: Histogram<u64>,
    /// How late the latest was.
    pub longest: Duration,
}

impl Late {
    /// How many there were.
    pub fn requests(&self) -> u64 {
        self.latency.len() + self.unsent.len()
    }

    fn add(&mut self, other: &Late) {
        histogram::add(&mut self.latency, &other.latency);
        histogram::add(&mut self.without, &other.without);
        histogram::add(&mut self.unsent, &other.unsent);
        self.longest = self.longest.max(other.longest);
    }
}

impl Lost {
    /// Response times of all of them, and service times where they differ.
    pub(crate) fn completed(&self) -> (Histogram<u64>, Option<Histogram<u64>>) {
        let service = self.service.clone();
        (
            completed(self.latency.clone(), &self.waited),
            service.map(|service| completed(service, &self.waited_since_sent)),
        )
    }
}

impl Outcome {
    /// Adds what came of another slice of the same session: histograms and counts are added, windows appended as if it had
    /// followed at once. What was the first stays the first.
    pub fn add(&mut self, other: &Outcome) {
        // Taken apart in full, so that a new field cannot be forgotten here.
        let Outcome {
            started,
            duration,
            requests,
            responses_in_window,
            errors,
            latency,
            service,
            lost,
            late,
            lag,
            turnaround,
            turnarounds,
            first_response,
            all_responded,
            drained,
            draining,
            censored,
            lead_in_requests,
            sent,
            good,
            changed,
            first_change,
            offered,
            sent_late,
            status,
            bytes_in,
            bytes_out,
            connects,
            reconnects,
            opening,
            thread_cpu,
            windows,
            kernel_timestamps,
            first_error,
            clock_step,
        } = other;
        self.opening.add(opening);
        self.add_times(latency, service, lost.as_ref());
        match (&mut self.late, late) {
            (Some(mine), Some(theirs)) => mine.add(theirs),
            (mine @ None, theirs) => mine.clone_from(theirs),
            (Some(_), None) => {}
        }
        let begun = self.duration.as_secs_f64();
        self.windows.extend(windows.iter().map(|window| Window {
            start_s: begun + window.start_s,
            ..*window
        }));
        self.started = self.started.min(*started);
        self.duration += *duration;
        self.lag = match (self.lag.take(), lag) {
            (Some(mut mine), Some(theirs)) => {
                histogram::add(&mut mine, theirs);
                Some(mine)
            }
            _ => None,
        };
        self.kernel_timestamps &= kernel_timestamps;
        let mine = (self.turnaround, self.turnarounds);
        self.turnaround = mean(mine, (*turnaround, *turnarounds));
        self.first_response = self.first_response.max(*first_response);
        // A slice in which a connection had no response leaves nothing to say of all.
        let all = self.all_responded.zip(*all_responded);
        self.all_responded = all.map(|(mine, theirs)| mine.max(theirs));
        self.offered = self
            .offered
            .zip(*offered)
            .map(|(mine, theirs)| mine + theirs);
        for (kind, count) in errors {
            *self.errors.entry(*kind).or_default() += count;
        }
        for (status, count) in status {
            *self.status.entry(*status).or_default() += count;
        }
        for (mine, theirs) in self.thread_cpu.iter_mut().zip(thread_cpu) {
            *mine += *theirs;
        }
        if self.first_error.is_none() {
            self.first_error.clone_from(first_error);
        }
        if self.first_change.is_none() {
            self.first_change.clone_from(first_change);
        }
        self.draining += *draining;
        self.clock_step += *clock_step;
        for (mine, theirs) in [
            (&mut self.requests, requests),
            (&mut self.responses_in_window, responses_in_window),
            (&mut self.turnarounds, turnarounds),
            (&mut self.drained, drained),
            (&mut self.censored, censored),
            (&mut self.lead_in_requests, lead_in_requests),
            (&mut self.sent, sent),
            (&mut self.good, good),
            (&mut self.changed, changed),
            (&mut self.sent_late, sent_late),
            (&mut self.bytes_in, bytes_in),
            (&mut self.bytes_out, bytes_out),
            (&mut self.connects, connects),
            (&mut self.reconnects, reconnects),
        ] {
            *mine += theirs;
        }
    }

    /// Response times without what the generator was late; `None` where it was not. A request that it left unsent is not
    /// among them: how long its response would have taken is not known.
    pub fn latency_in_time(&self) -> Option<Histogram<u64>> {
        let late = self.late.as_ref()?;
        let lost = self.lost.as_ref();
        let mut latency = lost.map_or(&self.latency, |lost| &lost.latency).clone();
        // What was late is among them, in the same bins.
        latency.subtract(&late.latency).ok()?;
        histogram::add(&mut latency, &late.without);
        let Some(lost) = lost else {
            return Some(latency);
        };
        let mut waited = lost.waited.clone();
        waited.subtract(&late.unsent).ok()?;
        Some(completed(latency, &waited))
    }

    /// Adds response and service times. Where requests were lost, they are given to the times of all slices together.
    fn add_times(
        &mut self,
        latency: &Histogram<u64>,
        service: &Histogram<u64>,
        lost: Option<&Lost>,
    ) {
        if self.lost.is_none() && lost.is_none() {
            histogram::add(&mut self.latency, latency);
            histogram::add(&mut self.service, service);
            return;
        }
        let open_loop = self.offered.is_some();
        let none = |latency: &Histogram<u64>, service: &Histogram<u64>| Lost {
            latency: latency.clone(),
            service: open_loop.then(|| service.clone()),
            waited: histogram::histogram(),
            waited_since_sent: histogram::histogram(),
        };
        let mut all = match self.lost.take() {
            Some(lost) => lost,
            None => none(&self.latency, &self.service),
        };
        let theirs = lost.cloned().unwrap_or_else(|| none(latency, service));
        histogram::add(&mut all.latency, &theirs.latency);
        histogram::add(&mut all.waited, &theirs.waited);
        histogram::add(&mut all.waited_since_sent, &theirs.waited_since_sent);
        if let (Some(mine), Some(theirs)) = (&mut all.service, &theirs.service) {
            histogram::add(mine, theirs);
        }
        let (latency, service) = all.completed();
        self.service = service.unwrap_or_else(|| latency.clone());
        self.latency = latency;
        self.lost = Some(all);
    }
}

/// The mean of two groups of so many, from theirs.
fn mean(one: (Option<Duration>, u64), other: (Option<Duration>, u64)) -> Option<Duration> {
    let total = |(mean, count): (Option<Duration>, u64)| {
        mean.unwrap_or_default().as_nanos() * u128::from(count)
    };
    let count = u128::from(one.1 + other.1);
    let mean = (total(one) + total(other)).checked_div(count)?;
    Some(Duration::from_nanos(
        u64::try_from(mean).unwrap_or(u64::MAX),
    ))
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
    /// The server's certificate leads to no issuer that is trusted.
    TlsUnknownIssuer,
    /// The server's certificate is for another host.
    TlsWrongHost,
    /// The server's certificate is not valid any more, or not yet.
    TlsExpired,
    /// Anything else that is wrong with the server's certificate.
    TlsCertificate,
    /// The server speaks something else than TLS.
    TlsNotSpoken,
    /// Client and server have no version, cipher suite or protocol in common, or the server wants another client certificate.
    TlsRefused,
    /// The TLS handshake was not done within the timeout.
    TlsTimeout,
    /// Any other failure of the TLS handshake.
    TlsHandshake,
    /// The connection was reset.
    Reset,
    /// The connection was closed before the response was whole.
    #[serde(rename = "closed-early")]
    Closed,
    /// The same without TLS's close_notify.
    ClosedWithoutNotify,
    /// What came over TLS cannot be decrypted or breaks its rules, or the server ended it with an alert.
    BrokenTls,
    /// No whole response within the timeout.
    Timeout,
    /// Another status than expected.
    Status,
    /// Another body than expected.
    Body,
    /// Not HTTP, or beyond the limits of what is accepted.
    Malformed,
    /// Bytes that no request asked for: more than the head promised, or a second response.
    #[serde(rename = "unasked-bytes")]
    Unasked,
    /// Any other failure to send or to receive.
    Io,
    /// No response yet when the run stopped waiting.
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
            | ErrorKind::TlsUnknownIssuer
            | ErrorKind::TlsWrongHost
            | ErrorKind::TlsExpired
            | ErrorKind::TlsCertificate
            | ErrorKind::TlsNotSpoken
            | ErrorKind::TlsRefused
            | ErrorKind::TlsTimeout
            | ErrorKind::TlsHandshake
            | ErrorKind::Reset
            | ErrorKind::Closed
            | ErrorKind::ClosedWithoutNotify
            | ErrorKind::BrokenTls
            | ErrorKind::Timeout
            | ErrorKind::Io
            | ErrorKind::Censored => false,
        }
    }

    /// Whether a request ended so before its response could come: how long that took is no response time.
    pub fn is_lost(self) -> bool {
        match self {
            ErrorKind::Reset
            | ErrorKind::Closed
            | ErrorKind::ClosedWithoutNotify
            | ErrorKind::BrokenTls
            | ErrorKind::Io
            | ErrorKind::Censored => true,
            ErrorKind::ConnectRefused
            | ErrorKind::ConnectTimeout
            | ErrorKind::Connect
            | ErrorKind::TlsUnknownIssuer
            | ErrorKind::TlsWrongHost
            | ErrorKind::TlsExpired
            | ErrorKind::TlsCertificate
            | ErrorKind::TlsNotSpoken
            | ErrorKind::TlsRefused
            | ErrorKind::TlsTimeout
            | ErrorKind::TlsHandshake
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
            ErrorKind::TlsUnknownIssuer => "tls-unknown-issuer",
            ErrorKind::TlsWrongHost => "tls-wrong-host",
            ErrorKind::TlsExpired => "tls-expired",
            ErrorKind::TlsCertificate => "tls-certificate",
            ErrorKind::TlsNotSpoken => "tls-not-spoken",
            ErrorKind::TlsRefused => "tls-refused",
            ErrorKind::TlsTimeout => "tls-timeout",
            ErrorKind::TlsHandshake => "tls-handshake",
            ErrorKind::Reset => "reset",
            ErrorKind::Closed => "closed-early",
            ErrorKind::ClosedWithoutNotify => "closed-without-notify",
            ErrorKind::BrokenTls => "broken-tls",
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
    use crate::baseline::Baseline;
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
            responses_in_window: 3,
            errors: KINDS.into_iter().zip(1..).collect(),
            service: latency.clone(),
            lag: Some(histogram::histogram()),
            latency,
            turnaround: Some(Duration::from_nanos(7)),
            turnarounds: 2,
            first_response: Some(Duration::from_nanos(14)),
            all_responded: None,
            lost: None,
            late: Some(late(&[90_000_000_000], &[1_000])),
            drained: 1,
            draining: Duration::from_nanos(15),
            censored: 2,
            lead_in_requests: 3,
            sent: 4,
            good: 5,
            changed: 6,
            first_change: Some("shorter".to_owned()),
            offered: Some(6),
            sent_late: 7,
            status: BTreeMap::from([(200, 3), (503, 1)]),
            bytes_in: 8,
            bytes_out: 9,
            connects: 10,
            reconnects: 11,
            opening: opening(&[5, 6, 7]),
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

    fn of(values: &[u64]) -> Histogram<u64> {
        let mut histogram = histogram::histogram();
        values
            .iter()
            .for_each(|value| histogram::note(&mut histogram, *value));
        histogram
    }

    /// Connects that took so long, one of which had to shake hands in full and one by resumption.
    fn opening(connects: &[u64]) -> Opening {
        Opening {
            connect: of(connects),
            full: of(&[2_000]),
            resumed: of(&[1_000]),
        }
    }

    /// Requests that took so long, and would have in time.
    fn late(latency: &[u64], without: &[u64]) -> Late {
        let longest = latency
            .iter()
            .zip(without)
            .map(|(with, without)| with - without);
        Late {
            latency: of(latency),
            without: of(without),
            unsent: of(&[]),
            longest: Duration::from_nanos(longest.max().unwrap_or(0)),
        }
    }

    /// What came of a closed loop in which requests took so long, and others waited so long in vain.
    fn took(times: &[u64], waited: &[u64]) -> Outcome {
        let count = (times.len() + waited.len()) as u64;
        let lost = (!waited.is_empty()).then(|| Lost {
            latency: of(times),
            service: None,
            waited: of(waited),
            waited_since_sent: of(waited),
        });
        let latency = lost
            .as_ref()
            .map_or_else(|| of(times), |lost| lost.completed().0);
        Outcome {
            started: SystemTime::UNIX_EPOCH,
            duration: Duration::from_millis(50),
            requests: count,
            responses_in_window: times.len() as u64,
            errors: BTreeMap::from([(ErrorKind::Closed, waited.len() as u64)]),
            service: latency.clone(),
            latency,
            lost,
            late: None,
            lag: Some(of(&[5])),
            turnaround: Some(Duration::from_nanos(100 * count)),
            turnarounds: count,
            first_response: Some(Duration::from_nanos(count)),
            all_responded: Some(Duration::from_nanos(2 * count)),
            drained: 1,
            draining: Duration::from_nanos(3),
            censored: 0,
            lead_in_requests: 2,
            sent: count + 2,
            good: count,
            changed: 1,
            first_change: Some(format!("{count}")),
            offered: None,
            sent_late: 0,
            status: BTreeMap::from([(200, count)]),
            bytes_in: 10 * count,
            bytes_out: count,
            connects: 4,
            reconnects: 3,
            opening: opening(times),
            thread_cpu: vec![Duration::from_millis(count); 2],
            windows: vec![Window {
                start_s: 0.0,
                duration_s: 0.05,
                answers: count,
                errors: 0,
                p50_us: None,
                p99_us: None,
                max_us: None,
            }],
            kernel_timestamps: true,
            first_error: (!waited.is_empty()).then(|| "closed".to_owned()),
            clock_step: Duration::from_nanos(1),
        }
    }

    #[test]
    fn outcomes_add_up() {
        let mut all = took(&[1_000, 2_000], &[]);
        all.add(&took(&[3_000, 3_000, 4_000], &[]));
        assert_eq!((all.requests, all.sent, all.good), (5, 9, 5));
        assert_eq!(all.duration, Duration::from_millis(100));
        assert_eq!((all.latency.len(), all.service.len()), (5, 5));
        assert_eq!(all.latency.count_between(2_500, 3_500), 2);
        // (2 × 200 ns + 3 × 300 ns) / 5.
        assert_eq!(all.turnaround, Some(Duration::from_nanos(260)));
        assert_eq!(all.turnarounds, 5);
        assert_eq!(all.first_response, Some(Duration::from_nanos(3)));
        assert_eq!(all.all_responded, Some(Duration::from_nanos(6)));
        assert_eq!(all.thread_cpu, [Duration::from_millis(5); 2]);
        assert_eq!(all.windows[1].start_s, 0.05);
        assert_eq!((all.connects, all.reconnects, all.drained), (8, 6, 2));
        assert_eq!(
            all.opening.connect,
            of(&[1_000, 2_000, 3_000, 3_000, 4_000])
        );
        assert_eq!(all.opening.full, of(&[2_000, 2_000]));
        assert_eq!(all.opening.resumed, of(&[1_000, 1_000]));
        assert_eq!(all.lag.as_ref().map(Histogram::len), Some(2));
        assert_eq!(all.status, BTreeMap::from([(200, 5)]));
        assert_eq!((all.changed, all.first_change.as_deref()), (2, Some("2")));
        assert_eq!((all.first_error, all.offered), (None, None));
        let mut without = took(&[1], &[]);
        without.kernel_timestamps = false;
        without.lag = None;
        without.all_responded = None;
        without.add(&took(&[1], &[]));
        assert_eq!((without.lag, without.all_responded), (None, None));
        assert!(!without.kernel_timestamps);
    }

    #[test]
    fn late_ones_add_up_where_there_are_any() {
        let mut all = took(&[1_000], &[]);
        all.add(&took(&[1_000], &[]));
        assert_eq!(all.late, None);
        let stopped = Outcome {
            late: Some(late(&[5_000, 3_000], &[1_000, 2_000])),
            ..took(&[5_000, 3_000], &[])
        };
        all.add(&stopped);
        all.add(&took(&[1_000], &[]));
        all.add(&stopped);
        let late = all.late.expect("some were late");
        assert_eq!((late.requests(), late.without.len()), (4, 4));
        assert_eq!(late.longest, Duration::from_nanos(4_000));
    }

    #[test]
    fn response_times_in_time_are_those_without_the_stop() {
        assert_eq!(took(&[1_000], &[]).latency_in_time(), None);
        let stopped = |waited: &[u64], unsent: &[u64]| Outcome {
            late: Some(Late {
                unsent: of(unsent),
                ..late(&[90_000, 80_000], &[2_000, 1_000])
            }),
            ..took(&[1_000, 90_000, 80_000, 3_000], waited)
        };
        let in_time = |outcome: Outcome| outcome.latency_in_time().expect("some were late");
        let sent = in_time(stopped(&[], &[]));
        assert_eq!(sent, of(&[1_000, 2_000, 1_000, 3_000]));
        // Two were not sent for the same reason, and a third was lost after 1.5 µs by the server's doing.
        let unsent = in_time(stopped(&[70_000, 60_000, 1_500], &[70_000, 60_000]));
        let expected = took(&[1_000, 2_000, 1_000, 3_000], &[1_500]).latency;
        assert_eq!(unsent, expected);
    }

    #[test]
    fn requests_that_were_lost_are_given_to_the_times_of_all_slices() {
        // The order of adding is nothing to the sum, which is that of one run of them all.
        let slices = [
            took(&[1_000, 2_000], &[]),
            took(&[4_000], &[1_500]),
            took(&[3_000, 5_000], &[2_500, 9_000]),
        ];
        let whole = took(&[1_000, 2_000, 3_000, 4_000, 5_000], &[1_500, 2_500, 9_000]);
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
            let mut all = slices[order[0]].clone();
            order[1..].iter().for_each(|&other| all.add(&slices[other]));
            assert_eq!(all.latency, whole.latency);
            assert_eq!(all.service, whole.service);
            assert_eq!((all.latency.len(), all.requests), (8, 8));
            assert_eq!(all.errors.get(&ErrorKind::Closed), Some(&3));
            assert_eq!(all.first_error.as_deref(), Some("closed"));
        }
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
            baseline: Some(Baseline::of(200, b"\xff")),
            tls: Some(photofinish_model::Tls::default()),
            requests_per_connection: Some(7),
            exchange: Exchange::Http {
                request: Request::get("/a?{random:1..9}"),
                expect: Expect::default(),
                version: photofinish_model::Version::Http1,
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
