//! Flame graphs: each cell's stacks as a tree of frames with their CPU time per request.

use std::collections::HashMap;

use photofinish_model::store::Results;

use crate::comparison::{Comparison, Frames};

use super::{four_digits, target};

/// The most frames of all cells together, so that a report stays of a size that can be sent.
const MOST: usize = 12_000;

/// The most frames of a cell.
const MOST_OF_CELL: usize = 1_500;

/// The stacks of one cell, in columns: what the k-th frame is stands at the k-th place of each. Callers come before those that they call.
#[derive(Clone, Debug, PartialEq)]
pub struct Flames {
    /// The cell.
    pub cell: usize,
    /// The targets that have stacks.
    pub targets: Vec<usize>,
    /// The names of frames, each once.
    pub names: Vec<String>,
    /// Each frame's caller; `null` for the first, which is what all stacks have in common.
    pub callers: Vec<Option<usize>>,
    /// Each frame's name.
    pub frames: Vec<usize>,
    /// CPU time per request in microseconds of each of the targets, in each frame and all that it calls.
    pub us: Vec<Vec<f64>>,
    /// Each pair of contenders.
    pub pairs: Vec<FlamePair>,
}

/// Where two targets differ.
#[derive(Clone, Debug, PartialEq)]
pub struct FlamePair {
    /// One target: its place among those that have stacks.
    pub a: usize,
    /// The other.
    pub b: usize,
    /// The frames that were judged.
    pub frames: Vec<FrameDifference>,
}

/// A frame of two targets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameDifference {
    /// The frame.
    pub frame: usize,
    /// By how much `b` spends more in it, in microseconds of CPU time per request.
    pub more_us: f64,
    /// The ends of the interval of that, at a level that allows for all frames and pairs; `None` under two rounds.
    pub ends_us: Option<[f64; 2]>,
    /// Whether the interval excludes 0.
    pub is_sure: bool,
}

/// The flame graphs of all cells that have stacks.
pub(super) fn flames(results: &Results, comparison: &Comparison) -> Vec<Flames> {
    let profiled = |cell: &crate::comparison::Cell| {
        let mut targets = cell.targets.iter();
        targets.any(|target| target.profile.is_some())
    };
    let cells: Vec<usize> = (0..comparison.cells.len())
        .filter(|place| profiled(&comparison.cells[*place]))
        .collect();
    let most = (MOST / cells.len().max(1)).min(MOST_OF_CELL);
    let cells = cells.into_iter();
    cells
        .filter_map(|cell| of_cell(results, comparison, cell, most))
        .collect()
}

fn of_cell(
    results: &Results,
    comparison: &Comparison,
    place: usize,
    most: usize,
) -> Option<Flames> {
    let cell = &comparison.cells[place];
    let frames = Frames::of_cell(results, cell);
    if frames.targets.is_empty() {
        return None;
    }
    let shown = frames.shown(most);
    let places: HashMap<usize, usize> = shown.iter().enumerate().map(|(k, f)| (*f, k)).collect();
    let mut names: Vec<String> = Vec::new();
    let mut known: HashMap<usize, usize> = HashMap::new();
    let mut named = Vec::new();
    for frame in &shown {
        let name = frames.frames[*frame].name;
        let at = *known.entry(name).or_insert_with(|| {
            names.push(frames.names[name].clone());
            names.len() - 1
        });
        named.push(at);
    }
    let spent: Vec<Vec<f64>> = shown.iter().map(|frame| frames.spent_in(*frame)).collect();
    let column = |target: usize| spent.iter().map(|us| four_digits(us[target])).collect();
    let pairs = frames.pairs(cell);
    let beside = |(a, b): &(usize, usize)| {
        let found = frames.differences(&shown, (*a, *b), pairs.len());
        let judged = found.into_iter().map(|(frame, by)| FrameDifference {
            frame: places[&frame],
            more_us: four_digits(by.more_us),
            ends_us: by.interval.map(|it| [it.low, it.high].map(four_digits)),
            is_sure: by.is_sure,
        });
        FlamePair {
            a: *a,
            b: *b,
            frames: judged.collect(),
        }
    };
    Some(Flames {
        cell: place,
        targets: (frames.targets.iter())
            .filter_map(|label| target(results, label))
            .collect(),
        names,
        callers: (shown.iter())
            .map(|frame| Some(places[&frames.frames[*frame].parent?]))
            .collect(),
        frames: named,
        us: (0..frames.targets.len()).map(column).collect(),
        pairs: pairs.iter().map(beside).collect(),
    })
}
