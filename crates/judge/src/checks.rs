//! The validity checks of one measurement. They are made once, when it has been measured, from what was measured and what was seen
//! meanwhile; a results folder holds what came of them.

mod as_verified;
mod available;
mod bystanders;
mod bytes;
mod generator;
mod generators;
mod law;
pub(crate) mod outcome;
mod quiet;
mod rows;
mod same_job;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use photofinish_model::finding::complaint::Complaint;
use photofinish_model::{Check, FirstError, MachineUse, Measurement, ServerUse, Window, check};

use photofinish_model::message::Message;
use photofinish_voice::{checks as found, errors as kinds};

use crate::steady;

pub use as_verified::Compared;
pub use available::Outages;
pub use bystanders::RESTING_CORES;
pub use bytes::Reply;
pub use generator::{BUSY, Schedule, overloaded};
pub(crate) use generators::troubles;
pub use outcome::Outcome;
pub use rows::Rows;
pub use same_job::{Responses, difference};

/// What was seen of one load run beside its measurement.
#[derive(Clone, Debug, Default)]
pub struct Seen<'a> {
    /// What the server used meanwhile.
    pub server: Option<&'a ServerUse>,
    /// What the machine did meanwhile.
    pub machine: Option<&'a MachineUse>,
    /// What responses were compared with, where the server was verified.
    pub compared: Option<Compared>,
    /// The first response that was not as when the server was verified, or not as long as the first ones.
    pub first_change: Option<FirstChange<'a>>,
    /// Times without any response; `None` if they were not looked for.
    pub outages: Option<Outages<'a>>,
    /// How far the wall clock was stepped during the run, in microseconds.
    pub clock_step_us: f64,
    /// What a response must be, where its bytes are known.
    pub reply: Option<Reply>,
    /// How the target responds beside the others; see [`Responses::same_job`].
    pub same_job: Option<Outcome>,
    /// The rows that the requests left, where the workload says that they leave any.
    pub rows: Option<Rows>,
    /// CPU that the servers and services of other targets used meanwhile, in cores, where they were up and that is known.
    pub bystanders: Option<f64>,
    /// In turns, the windows of each other target in the same turns.
    pub beside: &'a [Vec<Window>],
}

/// A response that changed.
#[derive(Clone, Copy, Debug)]
pub struct FirstChange<'a> {
    /// How it differs.
    pub complaint: &'a Complaint,
    /// How long after the beginning of load it came, in seconds; `None` in turns.
    pub at_s: Option<f64>,
}

impl FirstChange<'_> {
    fn says(self) -> Message {
        the_first(&FirstError {
            says: self.complaint.to_string(),
            at_s: self.at_s,
        })
    }
}

/// All checks of a measurement, in their order.
pub fn checks(measurement: &Measurement, seen: &Seen) -> Vec<Check> {
    let alone = Outcome::of_one_run;
    let compiling = seen.server.and_then(|server| server.compiling_share);
    let of = |name: &str| match name {
        check::LITTLES_LAW => law::littles_law(measurement),
        check::GENERATOR => generator::generator(measurement, seen.clock_step_us),
        check::ERRORS => errors(measurement),
        check::STEADY => steady::judge(measurement, seen.beside, compiling),
        check::SAME_JOB => seen.same_job.clone().unwrap_or_else(alone),
        check::QUIET => quiet::quiet(seen.machine, measurement),
        check::BYTES => bytes::bytes(measurement, seen.reply),
        // Interleaving and the noise floor are of a whole run.
        _ => alone(),
    };
    let all = check::ALL.iter().map(|name| of(name).named(name));
    let some = |name: &str| match name {
        check::AS_VERIFIED => (seen.compared)
            .map(|compared| as_verified::as_verified(measurement, compared, seen.first_change)),
        check::BODY_LENGTH => match seen.compared {
            None => as_verified::body_length(measurement, seen.first_change),
            Some(_) => None,
        },
        check::ROWS => seen.rows.as_ref().map(Rows::judge),
        check::BYSTANDERS => seen.bystanders.map(bystanders::bystanders),
        check::GENERATORS => generators::generators(measurement),
        _ => (seen.outages.as_ref()).and_then(|outages| available::available(measurement, outages)),
    };
    let some = (check::SOME.iter()).filter_map(|name| Some(some(name)?.named(name)));
    all.chain(some).collect()
}

/// Whether the load generator was the bottleneck of what it measured.
pub fn is_limited(measurement: &Measurement, clock_step_us: f64) -> bool {
    generator::generator(measurement, clock_step_us).ok == Some(false)
}

/// Whether the servers of other targets that were up rested meanwhile, by the CPU that they and their services used, in cores.
pub fn bystanders(cores: f64) -> Check {
    bystanders::bystanders(cores).named(check::BYSTANDERS)
}

/// No errors, no timeouts and no failed connects; else each kind counted. Connections that a server closes while nothing is asked of it are no errors.
fn errors(measurement: &Measurement) -> Outcome {
    let failed = measurement.failures();
    let first = measurement.first_error.as_ref();
    if measurement.requests == 0 {
        return Outcome::new(
            false,
            match first {
                None => found::no_request(),
                Some(first) => found::no_request_because(&first.says),
            },
        );
    }
    let broken = (measurement.closed_idle.iter()).filter(|(kind, _)| breaks_protocol(kind));
    let broken: BTreeMap<String, u64> = broken.map(|(kind, n)| (kind.clone(), *n)).collect();
    if failed == 0 && broken.is_empty() {
        let closed: u64 = measurement.closed_idle.values().sum();
        return Outcome::new(
            true,
            match closed {
                0 => found::no_errors(measurement.requests),
                closed => found::no_errors_and_closed(measurement.requests, closed),
            },
        );
    }
    let (attempts, _) = measurement.attempts();
    let mut kinds = kinds::counted(&measurement.failures_by_kind());
    kinds.extend(kinds::counted(&broken).into_iter().map(found::while_idle));
    let first = first.map(the_first);
    let says = match attempts > measurement.requests {
        true => found::errors_and_connects(failed, attempts, kinds, first),
        false => found::errors(failed, attempts, kinds, first),
    };
    Outcome::new(false, says)
}

/// Whether a connection without a request in flight ended so because the server broke the protocol.
fn breaks_protocol(kind: &str) -> bool {
    matches!(kind, "unasked-bytes" | "malformed" | "broken-tls")
}

/// Returns what went wrong first among several.
pub fn the_first(first: &FirstError) -> Message {
    match first.at_s {
        Some(at_s) => found::the_first_at(at_s * 1e6, &first.says),
        None => found::the_first(&first.says),
    }
}
