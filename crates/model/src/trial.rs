//! The life of one server process: a line of `trials.jsonl`.

use std::time::Duration;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::finding::failure::FailureFinding;
use crate::load::Load;
use crate::measurement::Window;

/// One line of `trials.jsonl`: the life of one server process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrialRecord {
    /// The version of this format.
    pub version: u32,
    /// The round, counted from 1.
    pub round: u32,
    /// The trial's place in the order of the run, counted from 1.
    pub trial: u32,
    /// The target with its variant.
    pub target: String,
    /// When the trial began: RFC 3339, UTC.
    pub at: String,
    /// When it ended: RFC 3339, UTC; not there in results of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// The server's process; `null` where it never started.
    pub pid: Option<u32>,
    /// The port that it served.
    pub port: Option<u16>,
    /// The command that was run; of a container, what stood behind the image.
    pub command: Vec<String>,
    /// The image that it ran from, where it ran in a container: its digest, behind the name by which a registry has it, where one is
    /// known to. Not there otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// Seconds from the start of the process until it was ready.
    pub ready_s: Option<f64>,
    /// The warm-ups, one for each workload; empty where the trial did not get so far.
    pub warmups: Vec<Warmup>,
    /// The responses by which the server was verified.
    pub verified: Vec<Verified>,
    /// Why the trial failed; `null` where it did not.
    pub failure: Option<FailureFinding>,
}

impl TrialRecord {
    /// How long trials took together, in seconds: time in which several ran counts once. `None` if the end of one is not known.
    pub fn took_s(trials: &[TrialRecord]) -> Option<f64> {
        let seconds =
            |time: &str| Some(time.parse::<Timestamp>().ok()?.as_duration().as_secs_f64());
        let span =
            |trial: &TrialRecord| Some((seconds(&trial.at)?, seconds(trial.ended.as_ref()?)?));
        let mut spans: Vec<(f64, f64)> = trials.iter().map(span).collect::<Option<_>>()?;
        spans.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut took_s, mut until) = (0.0, f64::NEG_INFINITY);
        for (from, to) in spans {
            took_s += (to - from.max(until)).max(0.0);
            until = until.max(to);
        }
        (!trials.is_empty()).then_some(took_s)
    }
}

/// How a trial was warmed up for one workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Warmup {
    /// How long it took, in seconds.
    pub duration_s: f64,
    /// Whether the throughput had settled when it ended; `false` where the bound ended it.
    pub settled: bool,
    /// Whether its length was given, so that it lasted as long whether the throughput settled or not.
    pub fixed: bool,
    /// The load that it used.
    pub load: Load,
    /// The workload that it used.
    pub workload: String,
    /// Its windows.
    pub windows: Vec<Window>,
    /// The windows at which the throughput shifted, counted from 0.
    pub shifts: Vec<u32>,
}

impl Warmup {
    /// From its beginning until load had flowed for the last time, rests between bursts included.
    pub fn flowed(&self) -> Duration {
        let ends = self.windows.iter().map(|w| w.start_s + w.duration_s);
        Duration::try_from_secs_f64(ends.fold(0.0, f64::max)).unwrap_or_default()
    }
}

/// The response to one workload when the server was verified.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verified {
    /// The workload's name.
    pub workload: String,
    /// The path at which redirects ended, which was loaded; not there if none was followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// HTTP status; 0 where the protocol has none.
    pub status: u16,
    /// The response's head, as it was on the wire.
    pub head: String,
    /// Bytes of the body.
    pub body_bytes: u64,
    /// SHA-256 of the body, in hexadecimal.
    pub body_sha256: String,
    /// Bytes of the whole response on the wire.
    pub wire_bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn time_in_which_several_trials_ran_counts_once() {
        let trial = |from: &str, to: Option<&str>| TrialRecord {
            at: format!("2026-01-31T{from}Z"),
            ended: to.map(|to| format!("2026-01-31T{to}Z")),
            ..samples::trial("a", 1, 1)
        };
        // 10 s together, a break of an hour, and 5 s.
        let trials = [
            trial("12:00:00", Some("12:00:08")),
            trial("12:00:02", Some("12:00:10")),
            trial("13:00:00", Some("13:00:05")),
        ];
        assert_eq!(TrialRecord::took_s(&trials), Some(15.0));
        assert_eq!(TrialRecord::took_s(&[trial("12:00:00", None)]), None);
        assert_eq!(TrialRecord::took_s(&[]), None);
    }
}
