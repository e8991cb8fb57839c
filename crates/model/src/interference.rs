//! Interference: what disturbs a turn, the signals that show it, and their limits.
//!
//! Signals are observed from outside of what is measured. What was measured in a turn never excludes it.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::generator::STANDSTILL_US;

/// What disturbed a turn.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Disturbed {
    /// Processes of neither side ran on the cores of server or generator.
    OtherProcesses,
    /// Servers and services of other targets, which should rest, used CPU time.
    Bystanders,
    /// A core stood still.
    StoppedCore,
    /// The core-to-core latency was another than usual: a virtual machine's cores were moved.
    MovedCores,
    /// A core was faster or slower in one target's slice than in another's of the same turn, which the targets themselves do not do.
    UnevenCores,
}

/// How many turns something disturbed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DisturbedTurns {
    /// What it was.
    pub what: Disturbed,
    /// How many turns.
    pub turns: usize,
}

/// A signal of interference. From its limit on, it excludes a turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signal {
    /// The name of the observed quantity.
    pub name: &'static str,
    /// The unit of the limit.
    pub unit: &'static str,
    /// The limit.
    pub limit: f64,
    /// How the limit is compared.
    pub compared: Compared,
    /// The reason with which the turn is recorded.
    pub disturbed: Disturbed,
    /// The page in `notes/` with the evidence for the limit.
    pub evidence: &'static str,
}

/// How a limit is compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Compared {
    /// With the time in one slice. The limit is this share of the slice if that is more.
    WithinSlice {
        /// The share.
        share: f64,
    },
    /// With the ratio of one server's slice to another's in the same turn, beyond what is usual for these servers.
    BetweenServers,
    /// With the ratio of one turn to the other turns of the run.
    BetweenTurns,
}

/// CPU time of processes of neither side on the cores of server and generator. It comes to all servers alike, and costs a long slice no more than
/// slices of a virtual machine differ by themselves: a share of 3% excludes most turns of five servers for a brief job each second.
pub const OTHER_PROCESSES: Signal = Signal {
    name: "CPU time of other processes",
    unit: "ms",
    limit: 3.0,
    compared: Compared::WithinSlice { share: 0.06 },
    disturbed: Disturbed::OtherProcesses,
    evidence: "other-processes.md",
};

/// CPU time of servers that should rest. A server works on after its own slices, so it always disturbs the slices after them.
pub const IDLE_SERVERS: Signal = Signal {
    name: "CPU time of idle servers",
    unit: "ms",
    limit: 3.0,
    compared: Compared::WithinSlice { share: 0.03 },
    disturbed: Disturbed::Bystanders,
    evidence: "other-processes.md",
};

/// How late a thread that only sleeps woke up on the generator's core.
pub const STOPPED_CORE: Signal = Signal {
    name: "wake-up delay of a thread that only sleeps",
    unit: "ms",
    limit: STANDSTILL_US / 1e3,
    compared: Compared::WithinSlice { share: 0.03 },
    disturbed: Disturbed::StoppedCore,
    evidence: "rules.md",
};

/// How late a core lets a thread run that no other thread keeps from it. A core that is so much later stood still again and again, for moments too
/// short to distinguish one from a sleep.
pub const PREEMPTED_CORE: Signal = Signal {
    name: "mean wake-up delay of real-time threads",
    unit: "times",
    limit: 3.0,
    compared: Compared::BetweenServers,
    disturbed: Disturbed::StoppedCore,
    evidence: "preempted-cores.md",
};

/// How long the calibration loop takes. Next to a busy hardware thread of the same core it takes 1.4 to 2 times as long.
pub const CORE_SPEED: Signal = Signal {
    name: "time of the calibration loop",
    unit: "times",
    limit: 1.1,
    compared: Compared::BetweenServers,
    disturbed: Disturbed::UnevenCores,
    evidence: "core-speed.md",
};

/// The latency between the server's core and the generator's. With a shared cache it is 30 to 70 ns, else 130 to 300.
pub const VCPU_MIGRATION: Signal = Signal {
    name: "core-to-core latency",
    unit: "times",
    limit: 2.0,
    compared: Compared::BetweenTurns,
    disturbed: Disturbed::MovedCores,
    evidence: "vcpu-migration.md",
};

impl Signal {
    /// How many times the limit so much time is in a slice that took `took`.
    pub fn times_within(&self, observed: Duration, took: Duration) -> f64 {
        let share = match self.compared {
            Compared::WithinSlice { share } => share,
            Compared::BetweenServers | Compared::BetweenTurns => 0.0,
        };
        let limit = Duration::from_secs_f64(self.limit / 1e3).max(took.mul_f64(share));
        observed.as_secs_f64() / limit.as_secs_f64()
    }

    /// How many times the limit a ratio of two servers' slices is: by what it exceeds 1.
    pub fn times_between(&self, ratio: f64) -> f64 {
        (ratio - 1.0) / (self.limit - 1.0)
    }
}

/// The larger of two core-to-core latencies over the smaller one.
pub fn latency_ratio(one: f64, other: f64) -> f64 {
    (one / other).max(other / one)
}

/// Whether cores with these latencies are in one placement.
pub fn is_one_placement(one: f64, other: f64) -> bool {
    latency_ratio(one, other) <= VCPU_MIGRATION.limit
}

/// The core-to-core latency of the usual placement: the one in which most of these are, of several the lowest; `None` of none.
pub fn usual_latency(latencies: &[f64]) -> Option<f64> {
    let mut sorted: Vec<f64> = (latencies.iter().copied())
        .filter(|latency| latency.is_finite() && *latency > 0.0)
        .collect();
    sorted.sort_by(f64::total_cmp);
    let alike = |latency: f64| {
        let all = sorted.iter();
        all.filter(|other| is_one_placement(latency, **other))
            .count()
    };
    // Of equals the last, so the lowest.
    let most = |latency: &f64| alike(*latency);
    let lowest = sorted.iter().copied().rev().max_by_key(most)?;
    let of_group = |other: &f64| is_one_placement(lowest, *other);
    middle(sorted.iter().copied().filter(of_group).collect())
}

/// The value in the middle, the upper of two; `None` of none.
pub fn middle(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// The row of `docs/turns.md` for a signal.
    fn row(signal: &Signal) -> String {
        let limit = match signal.compared {
            Compared::WithinSlice { share } => format!(
                "{} {}, or {}% of the slice if that is more",
                signal.limit,
                signal.unit,
                share * 100.0
            ),
            Compared::BetweenServers => {
                format!("{} {} another server's slice", signal.limit, signal.unit)
            }
            Compared::BetweenTurns => {
                format!("{} {} the placement's latency", signal.limit, signal.unit)
            }
        };
        let evidence = signal.evidence;
        format!(
            "| {} | {limit} | [{evidence}](../notes/{evidence}) |",
            signal.name
        )
    }

    #[test]
    fn the_page_about_turns_has_each_signal_with_its_limit_and_its_evidence() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let page = std::fs::read_to_string(root.join("docs/turns.md")).expect("a page");
        let signals = [
            OTHER_PROCESSES,
            IDLE_SERVERS,
            STOPPED_CORE,
            PREEMPTED_CORE,
            VCPU_MIGRATION,
            CORE_SPEED,
        ];
        for signal in signals {
            assert!(page.contains(&row(&signal)), "missing: {}", row(&signal));
            assert!(root.join("notes").join(signal.evidence).is_file());
        }
    }

    #[test]
    fn the_usual_placement_is_the_one_of_most() {
        assert_eq!(usual_latency(&[]), None);
        assert_eq!(usual_latency(&[f64::NAN, 0.0]), None);
        assert_eq!(usual_latency(&[180.0]), Some(180.0));
        assert_eq!(usual_latency(&[180.0, 40.0, 175.0]), Some(180.0));
        assert_eq!(usual_latency(&[180.0, 40.0, 175.0, 44.0]), Some(44.0));
        let near = [40.0, 65.0, 48.0, 39.0, 180.0, 172.0];
        assert_eq!(usual_latency(&near), Some(48.0));
        assert_eq!(latency_ratio(90.0, 45.0), 2.0);
        assert_eq!(latency_ratio(45.0, 90.0), 2.0);
    }
}
