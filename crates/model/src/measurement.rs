//! What one measurement found: a line of `measurements.jsonl`.

use std::collections::BTreeMap;

use photofinish_stats::shape::Class;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::VERSION;
use crate::capacity::Found;
use crate::finding::failure::FailureFinding;
use crate::generator::{Generator, GeneratorPart};
use crate::load::Load;
use crate::objective::Bounded;
use crate::overloaded::Overloaded;
use crate::profile::Profile;
use crate::rules::Check;
use crate::stalls::Stalls;
use crate::times::Latency;
use crate::turns::{OnePiece, Turns};
use crate::usage::{MachineUse, ServerUse};
use crate::wait::Waits;

/// One line of `measurements.jsonl`: one target at one workload and load level in one round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Line {
    /// The version of this format.
    pub version: u32,
    /// The round, counted from 1.
    pub round: u32,
    /// The trial's place in the order in which the run made its trials, counted from 1.
    pub trial: u32,
    /// The measurement's place within its trial, counted from 1.
    pub order: u32,
    /// The target with its variant, such as `tio-boot@virtual-threads`.
    pub target: String,
    /// The workload's name.
    pub workload: String,
    /// How the load was sent.
    pub load: Load,
    /// When the measurement began: RFC 3339, UTC.
    pub at: String,
    /// What was measured; `null` where the measurement failed.
    pub measurement: Option<Measurement>,
    /// What the server used meanwhile; `null` where it could not be sampled.
    pub server: Option<ServerUse>,
    /// What the target's services (its database) used meanwhile, per request of the target; `null` where it has none of
    /// the run's own, or it could not be sampled.
    pub service: Option<ServerUse>,
    /// What the machine did meanwhile besides this race; `null` where it could not be sampled.
    pub machine: Option<MachineUse>,
    /// How it was divided into turns; `null` where it was measured in one piece.
    pub turns: Option<Turns>,
    /// Why it was measured in one piece though the servers of several targets were up; `null` where none other was, or it was
    /// measured in turns.
    pub one_piece: Option<OnePiece>,
    /// What its CPU time was spent on, by samples in slices beside those that were measured; `null` where none were taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    /// What its threads waited for, by samples in slices beside those that were measured; `null` where none were taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits: Option<Waits>,
    /// Why there is no measurement; `null` where there is one.
    pub failure: Option<FailureFinding>,
}

impl Line {
    /// A line of this load, without a place in a run and with nothing measured yet.
    pub fn unmeasured(load: Load) -> Line {
        Line {
            version: VERSION,
            round: 0,
            trial: 0,
            order: 0,
            target: String::new(),
            workload: String::new(),
            load,
            at: String::new(),
            measurement: None,
            server: None,
            service: None,
            machine: None,
            turns: None,
            one_piece: None,
            profile: None,
            waits: None,
            failure: None,
        }
    }
}

/// What one load run measured. `photofinish load --json` prints exactly this.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measurement {
    /// Requests that fell due in the window and were completed, well or badly.
    pub requests: u64,
    /// Those that did not end with the response that was expected, by kind; empty where there were none.
    pub errors: BTreeMap<String, u64>,
    /// Connections that could not be opened, or that ended before a request ended on them, by kind. They are no requests.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub failed_connects: BTreeMap<String, u64>,
    /// Connections that had served and ended while no request was in flight on them, by kind. A server may close those.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub closed_idle: BTreeMap<String, u64>,
    /// The first thing that went wrong; `null` if nothing did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_error: Option<FirstError>,
    /// The window's length in seconds.
    pub duration_s: f64,
    /// Good responses that arrived within the window, per second; in turns while they flowed, times what stalls leave of the time. At a capacity the highest rate that met the objective, 0
    /// where none did; what was achieved at it is in the steps of `capacity`.
    pub throughput_rps: f64,
    /// Response time: from when a request should have been sent until its response reached this
    /// machine; `null` where no request was completed.
    pub latency_us: Option<Latency>,
    /// Service time: the same from when the request was sent.
    pub service_us: Option<Latency>,
    /// Bytes of responses as they were on the wire, heads included.
    pub bytes_in: u64,
    /// Bytes of requests as they were on the wire.
    pub bytes_out: u64,
    /// How the load was sent.
    pub load: Load,
    /// How many requests were in flight on a connection at most; 1 but for HTTP/2.
    #[serde(
        default = "crate::request::one_stream",
        skip_serializing_if = "crate::request::is_one_stream"
    )]
    pub streams: u32,
    /// Connections of a closed loop that had no good response at all.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub mute: u64,
    /// Requests of the window whose responses arrived after its end; they are in the latency, not in the throughput.
    pub drained: u64,
    /// What requests that were under way at the window's ends took on either side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edges: Option<Edges>,
    /// How long the server stood still; `null` if that was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stalls: Option<Stalls>,
    /// Requests of the window that had no response when the run stopped waiting; they are in the
    /// latency with the time that they had waited, and among the errors.
    pub censored: u64,
    /// Set where an open loop's rate was not achieved: what the latency would have been at the
    /// offered rate is then not known; `null` in a closed loop and where the rate was achieved.
    pub overloaded: Option<Overloaded>,
    /// Requests that were sent before the window opened, to let the load settle.
    pub lead_in_requests: u64,
    /// Responses by HTTP status.
    pub status: BTreeMap<String, u64>,
    /// Good responses that were not as when the server was verified: another status, or a body of another length or with other
    /// bytes. Of a single load run, those with a body of another length than the first ones. 0 if that was not compared.
    pub changed: u64,
    /// Connections opened, the first ones included.
    pub connects: u64,
    /// Connections opened in place of one that was closed or lost.
    pub reconnects: u64,
    /// How long it took to open connections, whenever they were opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening: Option<Opening>,
    /// The generator itself; of several what they used together.
    pub generator: Generator,
    /// What each of several generators measured, over the same time; empty where there was one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub generators: Vec<GeneratorPart>,
    /// The window in slices of equal length (the last one may be shorter).
    pub windows: Vec<Window>,
    /// What the windows make of it; `null` if they are too few.
    pub steadiness: Option<Steadiness>,
    /// The validity checks, as far as one measurement alone can be checked.
    pub checks: Vec<Check>,
    /// What the search found; all else is of the step at the highest rate that met the objective, or of the last one where none did.
    /// `null` where the level was no search.
    pub capacity: Option<Found>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The kind of the connects that failed because this machine had no local port left.
const NO_LOCAL_PORT: &str = "no-local-port";

/// The first thing that went wrong in a measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FirstError {
    /// What it was.
    pub says: String,
    /// When, in seconds from the beginning of load; `null` in turns, which have many beginnings.
    pub at_s: Option<f64>,
}

/// Time of requests that were under way when the window opened or closed; of several slices that of all together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Edges {
    /// Within the window, of requests that had been due before it: they are in no response time. All together, in seconds.
    pub carried_s: f64,
    /// After the window, of its own requests: it is part of their response times. All together, in seconds.
    pub outlasted_s: f64,
    /// Within the window, in which places for requests were idle though no response was waited for: before their first request, and when none was left to
    /// send. All together, in seconds.
    #[serde(default)]
    pub idle_s: f64,
    /// Requests that no turnaround precedes: the first ones of their places.
    #[serde(default)]
    pub firsts: u64,
}

/// How long it took to open connections. None of it is in any response time of a closed loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Opening {
    /// TCP connects; `null` where there was none.
    pub connect: Option<Opened>,
    /// TLS handshakes in full, from the end of the connect; `null` where there was none.
    pub tls_full: Option<Opened>,
    /// TLS handshakes that resumed an earlier session; `null` where there was none.
    pub tls_resumed: Option<Opened>,
}

/// How many of a kind there were, and how long they took.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Opened {
    /// How many.
    pub count: u64,
    /// How long they took.
    pub us: Latency,
}

impl Measurement {
    /// What came of one of the validity checks, by its name; `None` where this measurement has none of that name.
    pub fn check(&self, name: &str) -> Option<&Check> {
        self.checks.iter().find(|check| check.name == name)
    }

    /// Whether a check failed.
    pub fn fails(&self, name: &str) -> bool {
        self.check(name)
            .is_some_and(|check| check.ok == Some(false))
    }

    /// Requests of the window that the server responded to, as expected or not.
    pub fn responses(&self) -> u64 {
        let silent = |kind: &str| {
            let kinds = [
                "timeout",
                "reset",
                "closed-early",
                "closed-without-notify",
                "broken-tls",
                "io",
                "censored",
            ];
            kinds.contains(&kind) || kind.starts_with("websocket-close-")
        };
        let errors = self.errors.iter().filter(|(kind, _)| silent(kind));
        self.requests
            .saturating_sub(errors.map(|(_, count)| count).sum())
    }

    /// Whether so many responses were not as when the server was verified, or not as long as the first ones, that it did another job: more than 1 in 100.
    pub fn is_another_job(&self) -> bool {
        self.changed > self.responses() / 100
    }

    /// Responses per second; `None` for an empty window.
    pub fn responses_per_s(&self) -> Option<f64> {
        (self.duration_s > 0.0).then(|| self.responses() as f64 / self.duration_s)
    }

    /// Bytes of responses per second; `None` for an empty window. Requests of the window count with all of their bytes, also
    /// with those that came after its end, as they do in `bytes_in`.
    pub fn bytes_in_per_s(&self) -> Option<f64> {
        (self.duration_s > 0.0).then(|| self.bytes_in as f64 / self.duration_s)
    }

    /// The same for requests.
    pub fn bytes_out_per_s(&self) -> Option<f64> {
        (self.duration_s > 0.0).then(|| self.bytes_out as f64 / self.duration_s)
    }
}

/// Whether throughput and response times stayed the same within a measurement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Steadiness {
    /// What it is: flat, or how it changed.
    pub class: Class,
    /// The windows at which it shifted, counted from 0.
    pub shifts: Vec<u32>,
}

impl Measurement {
    /// What may have failed, and its name: requests, and connects where some of them failed, which
    /// are errors without a request.
    pub fn attempts(&self) -> (u64, &'static str) {
        match self.refused().map(|(_, count)| count).sum::<u64>() {
            0 => (self.requests, "requests"),
            connects => (self.requests + connects, "requests and connects"),
        }
    }

    /// Connections that the load generator could not even ask for, since its machine had no local port left.
    pub fn without_port(&self) -> u64 {
        self.failed_connects
            .get(NO_LOCAL_PORT)
            .copied()
            .unwrap_or(0)
    }

    /// The other failed connects: the server's.
    fn refused(&self) -> impl Iterator<Item = (&String, &u64)> {
        let connects = self.failed_connects.iter();
        connects.filter(|(kind, _)| *kind != NO_LOCAL_PORT)
    }

    /// Requests that failed, and connects.
    pub fn failures(&self) -> u64 {
        let connects = self.refused().map(|(_, count)| count);
        self.errors.values().chain(connects).sum()
    }

    /// The same by kind.
    pub fn failures_by_kind(&self) -> BTreeMap<String, u64> {
        let mut all = self.errors.clone();
        for (kind, count) in self.refused() {
            *all.entry(kind.clone()).or_default() += count;
        }
        all
    }
}

impl Bounded {
    /// What a measurement has of it: microseconds, or a share of one; `None` where no response came.
    pub fn of(self, measurement: &Measurement) -> Option<f64> {
        match self {
            Bounded::Errors => {
                let errors = measurement.failures();
                let (all, _) = measurement.attempts();
                Some(errors as f64 / all.max(1) as f64)
            }
            Bounded::Time(name) => measurement.latency_us.map(|latency| match name {
                "p50" => latency.p50,
                "p90" => latency.p90,
                "p95" => latency.p95,
                "p99" => latency.p99,
                "p999" => latency.p999,
                "mean" => latency.mean,
                _ => latency.max,
            }),
        }
    }
}

/// A slice of a load run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Window {
    /// When it began, in seconds from the start of the run's window.
    pub start_s: f64,
    /// Its length in seconds.
    pub duration_s: f64,
    /// Good responses that arrived in it.
    pub responses: u64,
    /// Requests that ended badly in it.
    pub errors: u64,
    /// Median response time; `null` where nothing arrived.
    pub p50_us: Option<f64>,
    /// 99th percentile of the response time.
    pub p99_us: Option<f64>,
    /// The largest response time.
    pub max_us: Option<f64>,
}
