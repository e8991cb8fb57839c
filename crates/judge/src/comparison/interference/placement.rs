//! Rounds with another core placement than most: a request costs another time then, and not for all targets by the same factor. They are excluded by
//! the core-to-core latency alone, whatever was measured in them.

use std::collections::BTreeMap;

use photofinish_model::Line;
use photofinish_model::interference::{is_one_placement, middle, usual_latency};
use photofinish_voice::verdict::note;

use crate::comparison::note::Note;
use crate::comparison::verdict::series::FEW;

/// Rounds are excluded only if so many are left (simulated in `notes/vcpu-migration.md`) …
const LEFT: usize = 2;
/// … and there are so many in all: two kinds of rounds have two means, and with two degrees of freedom less next to nothing is known of how much rounds
/// differ.
const IN_ALL: usize = 4;

/// The rounds of a level with another core placement.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Migration {
    /// Which.
    rounds: Vec<u32>,
    /// The core-to-core latency in them, in nanoseconds: the median.
    latency_ns: f64,
    /// In the others.
    usual_ns: f64,
    /// How many the others are.
    left: usize,
    /// Whether they do not count.
    is_excluded: bool,
}

/// Those of a level; `None` where the cores stayed, or that is not known of any round.
pub(crate) fn migration<'l>(lines: impl IntoIterator<Item = &'l Line>) -> Option<Migration> {
    let mut seen: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for line in lines.into_iter().filter(|line| line.measurement.is_some()) {
        seen.entry(line.round).or_default().extend(latencies(line));
    }
    let all: Vec<f64> = seen.values().flatten().copied().collect();
    let usual = usual_latency(&all)?;
    let is_away = |latency: &f64| !is_one_placement(*latency, usual);
    let (away, near): (Vec<f64>, Vec<f64>) = all.into_iter().partition(is_away);
    let moved_in =
        |(round, latencies): (&u32, &Vec<f64>)| latencies.iter().any(is_away).then_some(*round);
    let rounds: Vec<u32> = seen.iter().filter_map(moved_in).collect();
    let left = seen.len() - rounds.len();
    // Without any that is away there is none in the middle.
    Some(Migration {
        latency_ns: middle(away)?,
        usual_ns: middle(near)?,
        is_excluded: seen.len() >= IN_ALL && left >= LEFT,
        left,
        rounds,
    })
}

/// Where the cores lay while something was measured: in the turns that count, or before and after one piece.
fn latencies(line: &Line) -> Vec<f64> {
    match &line.turns {
        Some(turns) => turns.core_to_core_ns().into_iter().collect(),
        None => {
            let seen = line
                .machine
                .as_ref()
                .and_then(|machine| machine.core_to_core_ns);
            seen.map(Vec::from).unwrap_or_default()
        }
    }
}

impl Migration {
    /// Whether the figures of a round count.
    pub(crate) fn counts(&self, round: u32) -> bool {
        !(self.is_excluded && self.rounds.contains(&round))
    }

    /// What a reader should know of it beside a verdict.
    pub(crate) fn note(&self) -> Note {
        let (rounds, latency_ns, usual_ns) = (&self.rounds, self.latency_ns, self.usual_ns);
        Note::caution(match self.is_excluded {
            true if self.left < FEW => note::migrated_spread(rounds, latency_ns, usual_ns),
            true => note::migrated_excluded(rounds, latency_ns, usual_ns),
            false => note::migrated_kept(rounds, latency_ns, usual_ns),
        })
    }
}
