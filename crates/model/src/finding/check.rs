//! What came of the validity checks of one measurement.

mod generator;
mod noise;
mod steady;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::complaint::Complaint;
use super::failure::FailureFinding;
use super::recorded;
use crate::overloaded::Overloaded;

pub use generator::{GeneratorLimit, GeneratorTrouble, Hands, Trouble};
pub use noise::{Noise, NoiseSource};
pub use steady::{Change, Drift, Shift, SteadySeries};

/// What came of a validity check. Times are in microseconds, rates per second, shares fractions of one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum CheckFinding {
    /// It takes a whole run to check it.
    OneRunAlone {},
    /// Little's law: an open loop has no fixed number of requests in flight.
    LawOpenLoop {},
    /// Little's law: no request was completed.
    LawNoRequest {},
    /// Little's law: too many requests ended without a response, and their connections with them.
    LawLost {
        /// Those without a response.
        lost: u64,
        /// All of them.
        requests: u64,
    },
    /// Little's law: there were fewer requests than could be under way, so that connections were idle from the start.
    LawFewRequests {
        /// All of them.
        requests: u64,
        /// How many can be under way.
        room: u64,
    },
    /// Little's law holds.
    LawHolds {
        /// The arithmetic.
        law: Law,
    },
    /// It does not, but what was under way at the ends of the window may be why.
    LawCannotTell {
        /// The arithmetic.
        law: Law,
    },
    /// It does not hold.
    LawBroken {
        /// The arithmetic.
        law: Law,
    },
    /// Whether the load generator was the bottleneck.
    Generator {
        /// Why it was; empty where it was not.
        limits: Vec<GeneratorLimit>,
        /// The share of a core that its busiest thread used.
        busiest: f64,
        /// Where it keeps connections waiting.
        hands: Option<Hands>,
        /// Achieved rate over offered rate, in an open loop.
        achieved: Option<f64>,
        /// Set where the offered rate was not achieved.
        overloaded: Option<Overloaded>,
        /// How long responses waited to be read, median.
        lag_p50_us: Option<f64>,
    },
    /// No request was completed.
    NoRequest {
        /// What went wrong first; a sentence before it was a finding.
        #[serde(default, deserialize_with = "recorded::any")]
        first: Option<Complaint>,
    },
    /// Every response was as expected.
    NoErrors {
        /// How many.
        requests: u64,
    },
    /// Requests failed.
    Errors {
        /// How many.
        failed: u64,
        /// Of so many requests, and connects where some of these failed.
        attempts: u64,
        /// Whether connects are among them.
        connects: bool,
        /// How many of each kind.
        kinds: BTreeMap<String, u64>,
        /// The first; a sentence before it was a finding.
        #[serde(default, deserialize_with = "recorded::any")]
        first: Option<Complaint>,
    },
    /// Too few windows to see a shift.
    TooFewWindows {
        /// How many there were.
        windows: usize,
        /// How many it takes.
        needed: usize,
    },
    /// The windows hold no figures.
    NoFigures {},
    /// Neither throughput nor median response time shifted or drifted.
    Flat {
        /// The series that were looked at.
        series: Vec<SteadySeries>,
        /// Over so many windows.
        windows: usize,
    },
    /// Something changed within the measurement.
    Unsteady {
        /// The share of the server's CPU time that its just-in-time compiler still took, where that is too much.
        compiling: Option<f64>,
        /// What shifted or drifted.
        changes: Vec<Change>,
    },
    /// No other target has responded yet.
    NoOtherTarget {},
    /// Another target responds with another status.
    OtherStatus {
        /// The workload.
        workload: String,
        /// The target.
        target: String,
        /// Its status.
        status: u16,
        /// The other target.
        other: String,
        /// Its status.
        other_status: u16,
    },
    /// Another target responds with another body.
    OtherBody {
        /// The workload.
        workload: String,
        /// The target.
        target: String,
        /// The other target.
        other: String,
        /// Bytes of the other's body.
        expected_bytes: u64,
        /// Bytes of its own.
        got_bytes: u64,
        /// Where they differ first, where both were seen.
        difference: Option<Difference>,
    },
    /// All targets respond with the same status, and each with a body of the stated shape.
    SameShape {
        /// The status.
        status: u16,
        /// The other targets.
        others: Vec<String>,
    },
    /// All targets respond with the same status and body.
    SameResponse {
        /// The status; 0 where the protocol has none.
        status: u16,
        /// Bytes of the body.
        bytes: u64,
        /// The other targets.
        others: Vec<String>,
    },
    /// The machine was not sampled.
    NotSampled {},
    /// How quiet the machine was.
    Machine {
        /// What may disturb; what was too much comes first.
        sources: Vec<NoiseSource>,
    },
    /// What the servers of the other targets used, which should rest.
    Bystanders {
        /// In cores.
        cores: f64,
        /// What they may use at most.
        limit: f64,
    },
    /// Whether several load generators sent the load as one would have.
    Generators {
        /// How many there were.
        of: u64,
        /// What is wrong with any of them; empty where nothing is.
        troubles: Vec<GeneratorTrouble>,
        /// How far apart their windows may have been at most, by what is known of their clocks.
        apart_us: f64,
    },
    /// Responses differ from one another, so that none can be compared with the one by which the server was verified.
    ResponsesVary {},
    /// Responses beside what the workload states.
    AsStated {
        /// Responses.
        responses: u64,
        /// Those with another status or body.
        wrong: u64,
    },
    /// Responses beside those by which the server was verified.
    AsVerified {
        /// Responses.
        responses: u64,
        /// Those that differ.
        changed: u64,
        /// The first of them; a sentence before it was a finding.
        #[serde(default, deserialize_with = "recorded::any")]
        first: Option<Complaint>,
    },
    /// The bytes of requests that failed cannot be known.
    BytesOfFailed {},
    /// The workload does not state the bytes of a response.
    BytesNotStated {},
    /// Echoed messages and their bytes on the wire.
    EchoBytes {
        /// Messages.
        requests: u64,
        /// Bytes of each.
        size: u64,
        /// Bytes that came.
        came: u64,
        /// Bytes that went.
        went: u64,
    },
    /// Responses with a known body, and their bytes on the wire.
    BodyBytes {
        /// Responses.
        requests: u64,
        /// Bytes of the body.
        body: u64,
        /// Bytes of the shortest head.
        head: u64,
        /// Bytes that came.
        came: u64,
    },
    /// The rows could not be counted.
    RowsNotCounted {
        /// Why; a sentence before it was a finding.
        #[serde(deserialize_with = "recorded::one")]
        why: Box<FailureFinding>,
    },
    /// Rows in a table beside the requests that were to leave one each.
    Rows {
        /// The table.
        table: String,
        /// Its rows.
        found: u64,
        /// Requests that succeeded.
        good: u64,
        /// Requests that did not; each may have left a row or not.
        unknown: u64,
    },
}

/// The arithmetic of Little's law.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Law {
    /// Requests that were completed, per second.
    pub rate_rps: f64,
    /// Their mean response time.
    pub latency_us: f64,
    /// From a response to the next request on its connection, mean.
    pub turnaround_us: f64,
    /// Connections that these account for.
    pub in_flight: f64,
    /// Connections that there were.
    pub connections: u32,
    /// Requests that could be in flight on each.
    #[serde(
        default = "crate::request::one_stream",
        skip_serializing_if = "crate::request::is_one_stream"
    )]
    pub streams: u32,
    /// By how much `in_flight` may differ, relative, by what was under way at the ends of the window alone.
    pub edge: f64,
}

impl Law {
    /// By how much what the figures account for differs from what could be in flight, relative.
    pub fn off(&self) -> f64 {
        self.in_flight / f64::from(self.connections * self.streams) - 1.0
    }
}

/// Where two bodies differ first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// The first byte that differs, counted from 0.
    pub offset: u64,
    /// What was expected from there on, escaped and shortened; empty where nothing was.
    pub expected: String,
    /// What came.
    pub got: String,
}
