//! Frames of call stacks: what a request spends in each of them, and where two targets differ in that.

mod functions;
mod programs;

use std::collections::HashMap;

use photofinish_model::folded::Stack;
use photofinish_model::store::Results;
use photofinish_model::{Line, Metric, Role};

use crate::comparison::cost::layers;
use crate::comparison::cost::layers::{Difference, SpentByBoth, spent};
use crate::comparison::figures::TargetFigures;
use crate::comparison::{ALPHA, Cell};
use crate::lists::pairs;
use programs::Programs;

pub(crate) use functions::functions;
pub use functions::{FunctionDifference, FunctionTime, OnFunction};

/// The most frames that are kept of a cell's stacks; what is called from further ones counts for their callers.
const MOST: usize = 200_000;

/// Frames with a smaller share of every target's CPU time are not shown.
const LEAST_SHOWN: f64 = 0.001;

/// Frames with a smaller share of two targets' CPU time, on average, are not looked at for a difference.
const LEAST_JUDGED: f64 = 0.01;

/// The stacks of a cell's targets as one tree, whose root is what all stacks have in common.
#[derive(Debug)]
pub(crate) struct Frames {
    /// The targets that have stacks.
    pub(crate) targets: Vec<String>,
    /// Whose stacks were added, in this order.
    sources: Vec<Source>,
    /// The names of frames, each once.
    pub(crate) names: Vec<String>,
    /// Callers come before those that they call.
    pub(crate) frames: Vec<Frame>,
    known: HashMap<String, usize>,
    children: HashMap<(usize, usize), usize>,
}

/// A round's stacks of one target.
#[derive(Debug)]
struct Source {
    target: usize,
    round: u32,
    cpu_us: f64,
    samples: u64,
}

/// A function as it was called by one chain of callers.
#[derive(Debug)]
pub(crate) struct Frame {
    /// Its caller; `None` for the root.
    pub(crate) parent: Option<usize>,
    /// Its name's place.
    pub(crate) name: usize,
    seen: Counts,
}

/// In how many samples of each source something was seen; sources without any are not there.
type Counts = Vec<(usize, u64)>;

impl Frames {
    pub(crate) fn new() -> Frames {
        let root = Frame {
            parent: None,
            name: 0,
            seen: Vec::new(),
        };
        Frames {
            targets: Vec::new(),
            sources: Vec::new(),
            names: vec![String::new()],
            frames: vec![root],
            known: HashMap::new(),
            children: HashMap::new(),
        }
    }

    /// Of all targets and rounds of a cell whose stacks can be read.
    pub(crate) fn of_cell(results: &Results, cell: &Cell) -> Frames {
        let lines = |target: &TargetFigures| -> Vec<&Line> {
            let of_cell = results.lines.iter().filter(|line| {
                line.target == target.target
                    && line.workload == cell.workload
                    && line.load == cell.load
                    && target.counts(line.round)
            });
            of_cell.collect()
        };
        let compared = (cell.targets.iter()).filter(|target| target.role != Role::Limit);
        let programs = Programs::of(compared.flat_map(lines));
        let mut frames = Frames::new();
        for line in cell.targets.iter().flat_map(lines) {
            let stacks = line.profile.as_ref().and_then(|it| results.stacks(it));
            if let (Some(mut stacks), Some(cpu_us)) = (stacks, Metric::ServerCpu.of(line)) {
                programs.name_alike(&line.target, &mut stacks);
                frames.add(&line.target, line.round, cpu_us, &stacks);
            }
        }
        frames
    }

    /// Adds a round's stacks of a target, which took so many microseconds of CPU time for a request.
    pub(crate) fn add(&mut self, target: &str, round: u32, cpu_us: f64, stacks: &[Stack]) {
        let samples = stacks
            .iter()
            .fold(0_u64, |sum, (_, count)| sum.saturating_add(*count));
        if samples == 0 {
            return;
        }
        let place = self.targets.iter().position(|known| known == target);
        let target = place.unwrap_or_else(|| {
            self.targets.push(target.to_owned());
            self.targets.len() - 1
        });
        let source = self.sources.len();
        self.sources.push(Source {
            target,
            round,
            cpu_us,
            samples,
        });
        for (names, count) in stacks {
            let mut at = 0;
            see(&mut self.frames[at].seen, source, *count);
            for name in names {
                let Some(called) = self.called(at, name) else {
                    break;
                };
                at = called;
                see(&mut self.frames[at].seen, source, *count);
            }
        }
    }

    /// The pairs of contenders that have stacks, by their places among the targets.
    pub(crate) fn pairs(&self, cell: &Cell) -> Vec<(usize, usize)> {
        let is_contender = |place: &usize| {
            let mut contenders = cell.contenders();
            contenders.any(|target| target.target == self.targets[*place])
        };
        let places: Vec<usize> = (0..self.targets.len()).filter(is_contender).collect();
        pairs(&places).collect()
    }

    /// The frame that one calls under this name; `None` where there is no more room for a new one.
    fn called(&mut self, parent: usize, name: &str) -> Option<usize> {
        let known = self.known.get(name).copied();
        if let Some(frame) = known.and_then(|name| self.children.get(&(parent, name))) {
            return Some(*frame);
        }
        if self.frames.len() >= MOST {
            return None;
        }
        let name = known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.known.insert(name.to_owned(), self.names.len() - 1);
            self.names.len() - 1
        });
        self.frames.push(Frame {
            parent: Some(parent),
            name,
            seen: Vec::new(),
        });
        self.children.insert((parent, name), self.frames.len() - 1);
        Some(self.frames.len() - 1)
    }

    /// CPU time per request of one target in what has these counts, in microseconds: the mean over its rounds.
    fn us(&self, seen: &Counts, target: usize) -> f64 {
        let rounds = self.sources.iter().filter(|source| source.target == target);
        let sum: f64 = (seen.iter())
            .map(|(source, count)| (&self.sources[*source], *count as f64))
            .filter(|(source, _)| source.target == target)
            .map(|(source, count)| source.cpu_us * count / source.samples as f64)
            .fold(0.0, |sum, us| sum + us);
        sum / rounds.count().max(1) as f64
    }

    /// What each target spends in a frame and in what it calls.
    pub(crate) fn spent_in(&self, frame: usize) -> Vec<f64> {
        let seen = &self.frames[frame].seen;
        (0..self.targets.len())
            .map(|target| self.us(seen, target))
            .collect()
    }

    /// Each target's share of its CPU time that has these counts.
    fn shares(&self, seen: &Counts) -> Vec<f64> {
        let share = |target: usize| {
            let all = self.us(&self.frames[0].seen, target);
            match all > 0.0 {
                true => self.us(seen, target) / all,
                false => 0.0,
            }
        };
        (0..self.targets.len()).map(share).collect()
    }

    /// The frames that are shown, at most so many: those with the largest share of any target's CPU time, and so no frame without
    /// its caller. In their order.
    pub(crate) fn shown(&self, most: usize) -> Vec<usize> {
        let mut shares: Vec<(usize, f64)> = (self.frames.iter().enumerate())
            .map(|(place, frame)| {
                let shares = self.shares(&frame.seen);
                (place, shares.into_iter().fold(0.0, f64::max))
            })
            .filter(|(_, share)| *share >= LEAST_SHOWN)
            .collect();
        // A caller comes before what it calls, which has no larger share.
        shares.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut shown: Vec<usize> = (shares.into_iter().take(most))
            .map(|(place, _)| place)
            .collect();
        shown.sort_unstable();
        shown
    }

    /// By how much two targets differ in each of these frames that is large enough to be looked at, as one of so many pairs. Frames that
    /// were seen in just the same samples are looked at once.
    pub(crate) fn differences(
        &self,
        frames: &[usize],
        (a, b): (usize, usize),
        pairs: usize,
    ) -> Vec<(usize, Difference)> {
        let is_large = |frame: &&usize| {
            let shares = self.shares(&self.frames[**frame].seen);
            (shares[a] + shares[b]) / 2.0 >= LEAST_JUDGED
        };
        let of_both = |frame: &usize| -> Counts {
            let is_of = |source: usize| [a, b].contains(&self.sources[source].target);
            let seen = self.frames[*frame].seen.iter();
            seen.filter(|(source, _)| is_of(*source)).copied().collect()
        };
        let judged: Vec<(usize, Counts)> = (frames.iter().filter(is_large))
            .map(|frame| (*frame, of_both(frame)))
            .collect();
        let mut places: HashMap<&Counts, usize> = HashMap::new();
        let mut distinct: Vec<&Counts> = Vec::new();
        for (_, seen) in &judged {
            places.entry(seen).or_insert_with(|| {
                distinct.push(seen);
                distinct.len() - 1
            });
        }
        let alpha = ALPHA / (distinct.len() * pairs).max(1) as f64;
        let found = self.differences_of(&distinct, (a, b), alpha);
        (judged.iter())
            .filter_map(|(frame, seen)| Some((*frame, found[places[seen]]?)))
            .collect()
    }

    /// By how much two targets differ in what has each of these counts, over the rounds that both have.
    fn differences_of(
        &self,
        things: &[&Counts],
        (a, b): (usize, usize),
        alpha: f64,
    ) -> Vec<Option<Difference>> {
        let of = |target: usize| {
            let sources = self.sources.iter().enumerate();
            sources.filter(move |(_, source)| source.target == target)
        };
        let both: Vec<[usize; 2]> = of(a)
            .filter_map(|(first, source)| {
                let (second, _) = of(b).find(|(_, other)| other.round == source.round)?;
                Some([first, second])
            })
            .collect();
        let cpu_us = |both: &[usize; 2]| both.map(|place| self.sources[place].cpu_us);
        let cpu_us: Vec<[f64; 2]> = both.iter().map(cpu_us).collect();
        let spent_on = |seen: &&Counts| -> SpentByBoth {
            let on = |place: usize| {
                let source = &self.sources[place];
                let count = seen.iter().find(|(of, _)| *of == place);
                let count = count.map_or(0, |(_, count)| *count);
                spent(source.cpu_us, count, source.samples)
            };
            both.iter().map(|both| both.map(on)).collect()
        };
        let things: Vec<SpentByBoth> = things.iter().map(spent_on).collect();
        layers::differences(&cpu_us, &things, alpha)
    }
}

/// Counts for a source, which is the last that was added.
fn see(seen: &mut Counts, source: usize, count: u64) {
    match seen.last_mut() {
        Some((last, all)) if *last == source => *all += count,
        _ => seen.push((source, count)),
    }
}

#[cfg(test)]
mod tests;
