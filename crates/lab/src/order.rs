//! The order of a run: which trial comes when, and in which order each trial measures.
//!
//! Every random choice follows from one recorded seed, so that a run can be resumed, or repeated
//! in the same order. Each choice draws from a stream of its own (a round's order does not
//! depend on how many rounds there are), so rounds can be added without changing the earlier ones.

use photofinish_stats::Random;
use photofinish_study::plan::{Plan, Workload};

// The streams: the first step of every path.
const ROUND: u64 = 1;
const WITHIN: u64 = 2;
const ARRIVALS: u64 = 3;
const TURN: u64 = 4;
const STEP: u64 = 5;

/// A trial that is to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scheduled {
    /// The round, counted from 1.
    pub(crate) round: u32,
    /// The trial's place in the run, counted from 1.
    pub(crate) number: u32,
    /// The target's place in the plan.
    pub(crate) target: usize,
    /// What it measures, in order.
    pub(crate) steps: Vec<Step>,
}

impl Scheduled {
    /// The places of its workloads in the plan, each once, in the plan's order.
    pub(crate) fn workloads(&self) -> Vec<usize> {
        let mut workloads: Vec<usize> = self.steps.iter().map(|step| step.workload).collect();
        workloads.sort_unstable();
        workloads.dedup();
        workloads
    }
}

/// A level of a workload, by their places in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Level {
    pub(crate) workload: usize,
    pub(crate) load: usize,
}

/// A measurement that is to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// The place within the trial, counted from 1.
    pub(crate) order: u32,
    /// The workload's place in the plan.
    pub(crate) workload: usize,
    /// The level's place in the workload.
    pub(crate) load: usize,
}

impl Step {
    /// What it measures.
    pub(crate) fn level(&self) -> Level {
        Level {
            workload: self.workload,
            load: self.load,
        }
    }
}

/// All trials of a run in order: in each round every target that takes a workload has one.
pub(crate) fn schedule(plan: &Plan, seed: u64) -> Vec<Scheduled> {
    let mut trials = Vec::new();
    for round in 1..=plan.settings.rounds {
        for target in in_turn(plan.targets.len(), round as usize - 1, seed, &[ROUND]) {
            let steps = steps(plan, seed, round, target);
            if !steps.is_empty() {
                let number = trials.len() as u32 + 1;
                trials.push(Scheduled {
                    round,
                    number,
                    target,
                    steps,
                });
            }
        }
    }
    trials
}

/// The order in which `count` targets have their turns at the `place`-th time, counted from 0.
///
/// Each block of as many times as there are targets is a Latin square: in it every target has every place once. Its first row is
/// a random order and the others are turned by one each, and come in random order: two targets go AB BA, BA AB and so on. A
/// block draws from a stream of its own, so there may be more of them without changing the earlier ones.
pub(crate) fn in_turn(count: usize, place: usize, seed: u64, stream: &[u64]) -> Vec<usize> {
    if count == 0 {
        return Vec::new();
    }
    let block = (place / count) as u64;
    let mut random = Random::path(seed, &[stream, &[block]].concat());
    let mut order: Vec<usize> = (0..count).collect();
    let mut shifts = order.clone();
    random.shuffle(&mut order);
    random.shuffle(&mut shifts);
    order.rotate_left(shifts[place % count]);
    order
}

/// What one trial measures: each level of each workload that the target takes, in an order that is random and the same for all
/// targets of a round.
fn steps(plan: &Plan, seed: u64, round: u32, target: usize) -> Vec<Step> {
    let label = &plan.targets[target].label;
    let mut levels: Vec<(usize, usize)> = plan
        .workloads
        .iter()
        .enumerate()
        .flat_map(|(place, workload)| (0..workload.loads.len()).map(move |load| (place, load)))
        .collect();
    Random::path(seed, &[WITHIN, round.into()]).shuffle(&mut levels);
    levels.retain(|(workload, _)| takes(&plan.workloads[*workload], label));
    (1..)
        .zip(levels)
        .map(|(order, (workload, load))| Step {
            order,
            workload,
            load,
        })
        .collect()
}

/// Whether a target takes a workload.
pub(crate) fn takes(workload: &Workload, label: &str) -> bool {
    workload.targets.is_empty() || workload.targets.iter().any(|target| target == label)
}

/// The seed of one measurement's arrivals: the same for every target in a round, so that the
/// differences between targets are not those between two schedules.
pub(crate) fn arrivals_seed(seed: u64, round: u32, step: &Step) -> u64 {
    Random::path(
        seed,
        &[
            ARRIVALS,
            round.into(),
            step.workload as u64,
            step.load as u64,
        ],
    )
    .next()
}

/// The seed of the arrivals of one step of a search, after so many others at this rate, from that of its measurement: as that the same
/// for every target.
pub(crate) fn step_seed(seed: u64, rate: f64, before: u32) -> u64 {
    Random::path(seed, &[STEP, rate.to_bits(), before.into()]).next()
}

/// The order in which `count` targets have their slices in a level's turn of this number, counted from 0.
pub(crate) fn turn(seed: u64, round: u32, level: Level, turn: u32, count: usize) -> Vec<usize> {
    let Level { workload, load } = level;
    let stream = [TURN, round.into(), workload as u64, load as u64];
    in_turn(count, turn as usize, seed, &stream)
}

/// The seed of one slice's arrivals, from that of its measurement: as that the same for every target.
pub(crate) fn slice_seed(seed: u64, turn: u32) -> u64 {
    Random::path(seed, &[TURN, turn.into()]).next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::{plan, workload};

    #[test]
    fn every_round_has_each_target_once() {
        let plan = plan(&["a", "b", "c"], 20);
        let trials = schedule(&plan, 7);
        assert_eq!(trials.len(), 60);
        for (round, trials) in (1..).zip(trials.chunks(3)) {
            let mut targets: Vec<usize> = trials.iter().map(|t| t.target).collect();
            targets.sort_unstable();
            assert_eq!(targets, [0, 1, 2]);
            assert!(trials.iter().all(|t| t.round == round));
        }
        assert!((1..).zip(&trials).all(|(number, t)| t.number == number));
    }

    #[test]
    fn the_seed_alone_decides_the_order() {
        let plan = plan(&["a", "b", "c", "d"], 8);
        assert_eq!(schedule(&plan, 1), schedule(&plan, 1));
        assert_ne!(schedule(&plan, 1), schedule(&plan, 2));
    }

    #[test]
    fn more_rounds_leave_the_first_ones_as_they_were() {
        let short = schedule(&plan(&["a", "b", "c"], 3), 5);
        let long = schedule(&plan(&["a", "b", "c"], 9), 5);
        assert_eq!(short, long[..short.len()]);
    }

    #[test]
    fn orders_are_fair() {
        // 6 orders of 3 targets over 6,000 rounds: 1,000 each is expected, with a standard
        // deviation of 28.9; five of these either way.
        let trials = schedule(&plan(&["a", "b", "c"], 6_000), 42);
        let mut seen = std::collections::BTreeMap::new();
        for round in trials.chunks(3) {
            let order: Vec<usize> = round.iter().map(|t| t.target).collect();
            *seen.entry(order).or_insert(0_u32) += 1;
        }
        assert_eq!(seen.len(), 6);
        assert!(seen.values().all(|n| n.abs_diff(1_000) < 145), "{seen:?}");
    }

    #[test]
    fn every_target_leads_equally_often() {
        for targets in 2..=5 {
            for block in 0..40 {
                let rows: Vec<Vec<usize>> = (block * targets..(block + 1) * targets)
                    .map(|place| in_turn(targets, place, 11, &[9]))
                    .collect();
                for place in 0..targets {
                    let mut column: Vec<usize> = rows.iter().map(|row| row[place]).collect();
                    column.sort_unstable();
                    assert_eq!(column, (0..targets).collect::<Vec<_>>());
                }
            }
        }
        // Two go AB BA and BA AB, each about as often: 200 blocks, a standard deviation of 7.1.
        let first = |block: usize| in_turn(2, 2 * block, 11, &[9])[0];
        let led = (0..200).map(first).sum::<usize>();
        assert!(led.abs_diff(100) < 36, "{led}");
        assert_eq!(in_turn(0, 7, 11, &[9]), [0; 0]);
    }

    #[test]
    fn all_targets_of_a_round_measure_in_the_same_order() {
        let mut plan = plan(&["a", "b"], 5);
        plan.workloads.push(workload("json", &[1, 2, 3, 4]));
        plan.workloads[0].targets = vec!["b".to_owned()];
        for round in schedule(&plan, 3).chunks(2) {
            let levels = |label: usize| -> Vec<(usize, usize)> {
                let trial = round.iter().find(|trial| trial.target == label);
                let steps = &trial.expect("a trial").steps;
                steps
                    .iter()
                    .map(|step| (step.workload, step.load))
                    .collect()
            };
            let mut both = levels(1);
            both.retain(|(workload, _)| *workload == 1);
            assert_eq!(both, levels(0));
        }
    }

    #[test]
    fn each_level_of_each_workload_is_measured_once() {
        let mut plan = plan(&["a", "b"], 1);
        plan.workloads.push(workload("json", &[1, 2, 3]));
        plan.workloads[1].targets = vec!["b".to_owned()];
        let trials = schedule(&plan, 3);
        let of = |label: usize| trials.iter().find(|t| t.target == label).map(|t| &t.steps);
        assert_eq!(of(0).map(Vec::len), Some(plan.workloads[0].loads.len()));
        let steps = of(1).expect("b has a trial");
        let mut levels: Vec<_> = steps.iter().map(|s| (s.workload, s.load)).collect();
        levels.sort_unstable();
        levels.dedup();
        assert_eq!(levels.len(), plan.workloads[0].loads.len() + 3);
        assert!((1..).zip(steps).all(|(order, step)| step.order == order));
    }

    #[test]
    fn arrivals_are_the_same_for_every_target() {
        let step = |order| Step {
            order,
            workload: 1,
            load: 2,
        };
        assert_eq!(arrivals_seed(9, 1, &step(1)), arrivals_seed(9, 1, &step(4)));
        assert_ne!(arrivals_seed(9, 1, &step(1)), arrivals_seed(9, 2, &step(1)));
        // A search's retries meet other arrivals.
        assert_eq!(step_seed(9, 500.0, 1), step_seed(9, 500.0, 1));
        assert_ne!(step_seed(9, 500.0, 0), step_seed(9, 500.0, 1));
        assert_ne!(step_seed(9, 500.0, 0), step_seed(9, 250.0, 0));
    }
}
