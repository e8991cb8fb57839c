//! A measurement in turns: many short slices, between those of the other targets.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::interference::{Disturbed, middle};

/// How one level was measured in a round in which the servers of several targets were up together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Turns {
    /// The counted part of each slice, in seconds.
    pub slice_s: f64,
    /// How long load flows at the beginning of each slice before it counts, in seconds.
    pub lead_in_s: f64,
    /// Every turn in its order, the disturbed ones too.
    pub turns: Vec<Turn>,
    /// CPU that the other targets' servers and services used during this one's slices, in cores; `null` where it could not be
    /// sampled.
    pub bystanders: Option<f64>,
    /// Whether the other targets' servers were stopped during this one's slices (`--freeze`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub frozen: bool,
    /// The same level in one piece, measured right after the turns, to show what slices do; `null` where that was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<TurnsBlock>,
}

/// Load in one piece beside turns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TurnsBlock {
    /// How long it counted, in seconds.
    pub length_s: f64,
    /// What came of it; disturbed where a turn of its length would be, in the block of any target.
    pub seen: Turn,
}

/// One turn of one target.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Turn {
    /// Good responses that arrived within the slice's counted part, per second while they flowed.
    pub throughput_rps: f64,
    /// For how long responses flowed in the counted part, in seconds; not there where that was all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow_s: Option<f64>,
    /// How long the stalls lasted that began in it, in milliseconds, also what came after it; not there where none began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stalled_ms: Option<f64>,
    /// The median response time of the slice in microseconds; `null` where nothing was measured.
    pub p50_us: Option<f64>,
    /// The 99th percentile; `null` where the slice holds too few requests for it.
    pub p99_us: Option<f64>,
    /// CPU time that processes of neither side used on the cores of server and generator during the slice, in milliseconds; `null`
    /// where it could not be sampled.
    pub other_ms: Option<f64>,
    /// CPU time that the other targets' servers and services used during the slice, in milliseconds; not there where it could not be sampled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bystanders_ms: Option<f64>,
    /// The longest time for which a core stood still during the slice, in milliseconds; `null` where it was not measured.
    pub stopped_ms: Option<f64>,
    /// The core-to-core latency between the server's core and the generator's around the slice, in nanoseconds: half the round trip of a cache
    /// line, the geometric mean of before and after; not there where it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core_to_core_ns: Option<f64>,
    /// How long a fixed piece of arithmetic (some 4 µs) took on the server's core and on the generator's during the slice, in nanoseconds: the
    /// harmonic mean of a look each 2 ms; not there where it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_ns: Option<[f64; 2]>,
    /// How late the server's core and the generator's let a thread run, during the slice, that no other thread keeps from it, in nanoseconds: the mean
    /// over a look each 2 ms; not there where it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wake_ns: Option<[f64; 2]>,
    /// What disturbed this turn, in a slice of any target; `null` where nothing did.
    pub disturbed: Option<Disturbed>,
    /// Whether it counts though it was disturbed: nearly all were, and this is among the least disturbed ones.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub spared: bool,
}

impl Turn {
    /// Whether it counts.
    pub fn counts(&self) -> bool {
        self.disturbed.is_none() || self.spared
    }

    /// For how long responses flowed in it, where a slice takes so long, in seconds.
    pub fn flow_s(&self, slice_s: f64) -> f64 {
        self.flow_s.unwrap_or(slice_s)
    }

    /// Whether responses flowed for most of it, so that it may be compared with other slices.
    pub fn flowed(&self, slice_s: f64) -> bool {
        self.flow_s(slice_s) * 2.0 >= slice_s
    }

    /// For how long its stalls went on after it, in seconds.
    pub fn outlasting_s(&self, slice_s: f64) -> f64 {
        let within = slice_s - self.flow_s(slice_s);
        (self.stalled_ms.unwrap_or(0.0) / 1e3 - within).max(0.0)
    }

    /// Whether nothing disturbed it, or uneven cores alone.
    pub fn is_undisturbed_but_for_cores(&self) -> bool {
        matches!(self.disturbed, None | Some(Disturbed::UnevenCores))
    }
}

/// Why a level was measured in one piece, though several servers were up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnePiece {
    /// It is a search for a capacity.
    Search,
    /// A slice would hold too few requests, or too few of the longest response times.
    Slow,
    /// An open loop's rate was not achieved.
    Overloaded,
}

impl Turns {
    /// How many turns were made.
    pub fn made(&self) -> usize {
        self.turns.len()
    }

    /// How many of them count.
    pub fn kept(&self) -> usize {
        self.turns.iter().filter(|turn| turn.counts()).count()
    }

    /// The core-to-core latency in the turns that count, in nanoseconds: their median; `None` where it was not measured.
    pub fn core_to_core_ns(&self) -> Option<f64> {
        let counted = self.turns.iter().filter(|turn| turn.counts());
        middle(counted.filter_map(|turn| turn.core_to_core_ns).collect())
    }

    /// Good responses per second while they flowed, over all turns, the disturbed ones too; `None` if they never did.
    pub fn all_turns_rps(&self) -> Option<f64> {
        self.rps(|_| true)
    }

    /// The same over the turns that count.
    pub fn counted_rps(&self) -> Option<f64> {
        self.rps(Turn::counts)
    }

    fn rps(&self, of: impl Fn(&Turn) -> bool) -> Option<f64> {
        let turns = self.turns.iter().filter(|turn| of(turn));
        let flows = turns.map(|turn| (turn.throughput_rps, turn.flow_s(self.slice_s)));
        let (responses, seconds) = flows.fold((0.0, 0.0), |(responses, seconds), (rps, flow)| {
            (responses + rps * flow, seconds + flow)
        });
        (seconds > 0.0).then(|| responses / seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_counts() {
        let turn = |throughput_rps, disturbed| Turn {
            throughput_rps,
            disturbed,
            ..Turn::default()
        };
        let mut turns = Turns {
            slice_s: 0.05,
            lead_in_s: 0.02,
            turns: vec![
                turn(100.0, None),
                turn(40.0, Some(Disturbed::OtherProcesses)),
                turn(130.0, None),
            ],
            bystanders: None,
            frozen: false,
            block: None,
        };
        assert_eq!((turns.made(), turns.kept()), (3, 2));
        assert_eq!(turns.all_turns_rps().map(f64::round), Some(90.0));
        assert_eq!(turns.counted_rps().map(f64::round), Some(115.0));
        // 20 ms of flow in a slice of 50 ms, and a stall of 100 ms from then on.
        let stalled = Turn {
            flow_s: Some(0.02),
            stalled_ms: Some(100.0),
            ..turn(100.0, None)
        };
        assert!(turns.turns[0].flowed(0.05) && !stalled.flowed(0.05));
        assert!((stalled.outlasting_s(0.05) - 0.07).abs() < 1e-9);
        assert_eq!(turns.turns[0].outlasting_s(0.05), 0.0);
        turns.turns[1].spared = true;
        assert_eq!(turns.kept(), 3);
        turns.turns.clear();
        assert_eq!(turns.all_turns_rps(), None);
    }
}
