//! Rounds in which a virtual machine's cores lay otherwise than in most: a request costs another time then, and not for all targets by the
//! same factor. They are set aside by the core-to-core latency alone, whatever was measured in them.

use std::collections::BTreeMap;

use photofinish_model::finding::verdict::Note;
use photofinish_model::{Line, MOVED, Turns, moved, usual_latency};

/// So many rounds must be left; else all count.
const LEFT: usize = 3;

/// The rounds of a level in which the cores of server and generator lay otherwise.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Moved {
    /// Which.
    pub(super) rounds: Vec<u32>,
    /// The core-to-core latency in them, in nanoseconds: the median.
    latency_ns: f64,
    /// In the others.
    usual_ns: f64,
    /// Whether they do not count.
    is_set_aside: bool,
}

/// Those of a level; `None` where the cores stayed, or that is not known of any round.
pub(super) fn moved_rounds<'l>(lines: impl IntoIterator<Item = &'l Line>) -> Option<Moved> {
    let mut seen: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for line in lines.into_iter().filter(|line| line.measurement.is_some()) {
        if let Some(latency) = line.turns.as_ref().and_then(Turns::core_to_core_ns) {
            seen.entry(line.round).or_default().push(latency);
        }
    }
    let seen: Vec<(u32, f64)> = (seen.into_iter())
        .map(|(round, latencies)| (round, median(latencies)))
        .collect();
    let all: Vec<f64> = seen.iter().map(|(_, latency)| *latency).collect();
    let usual = usual_latency(&all)?;
    let (away, usual): (Vec<_>, Vec<_>) =
        (seen.into_iter()).partition(|(_, latency)| moved(*latency, usual) > MOVED);
    let latency_of = |rounds: &[(u32, f64)]| median(rounds.iter().map(|round| round.1).collect());
    (!away.is_empty()).then(|| Moved {
        latency_ns: latency_of(&away),
        usual_ns: latency_of(&usual),
        is_set_aside: usual.len() >= LEFT,
        rounds: away.into_iter().map(|(round, _)| round).collect(),
    })
}

impl Moved {
    /// The rounds that do not count.
    pub(super) fn set_aside(&self) -> &[u32] {
        match self.is_set_aside {
            true => &self.rounds,
            false => &[],
        }
    }

    /// What a reader should know of it beside a verdict.
    pub(super) fn note(&self) -> Note {
        Note::MovedCores {
            rounds: self.rounds.clone(),
            latency_ns: self.latency_ns,
            usual_ns: self.usual_ns,
            set_aside: self.is_set_aside,
        }
    }
}

/// The one in the middle, the upper of two; there is at least one.
fn median(mut of: Vec<f64>) -> f64 {
    of.sort_by(f64::total_cmp);
    of[of.len() / 2]
}
