//! A level in turns: each target's slice once, in an order in which each leads equally often, again and again.
//!
//! Slow spells of a machine last longer than a turn, and so meet all targets alike. One server responds at a time; the others are
//! up and rest. Turns that something else disturbed, by what was seen of it, do not count for any target.

use std::mem;

use photofinish_model::{Load, OnePiece};

use crate::error::{Error, Halt};
use crate::events::Event;
use crate::interference::evidence::Evidence;
use crate::journal::Journal;
use crate::measure;
use crate::measure::slices::Slices;
use crate::order::{self, Level};
use crate::run_context::RunContext;
use crate::time_limit::TimeLimit;
use crate::trial::{End, Running, TrialState};

pub(crate) mod cut;
mod once_round;
mod one_piece;
pub(crate) mod profiled;
mod rest;
pub(crate) mod stalls;
mod take_turns;
pub(crate) mod together;
mod try_out;

use rest::Rest;

/// A level that is to be measured, and the trials of the round.
pub(crate) struct Turns<'l, 's, 'j> {
    run: &'s RunContext<'s>,
    round: u32,
    level: Level,
    trials: &'l mut [TrialState<'s>],
    /// Those of the trials that measure it, and have not failed yet.
    places: Vec<usize>,
    rest: Rest,
    journal: &'l mut Journal<'j>,
}

/// One trial's slices, by its place among the round's.
struct Part<'s> {
    place: usize,
    slices: Slices<'s>,
    /// What ended it after its turns, which is not recorded before they are.
    broke: Option<Halt>,
}

impl<'l, 's, 'j> Turns<'l, 's, 'j> {
    pub(crate) fn new(
        run: &'s RunContext<'s>,
        round: u32,
        level: Level,
        trials: &'l mut [TrialState<'s>],
        journal: &'l mut Journal<'j>,
    ) -> Turns<'l, 's, 'j> {
        let takes = |trial: &TrialState| trial.next_level() == Some(level);
        let places = (0..trials.len()).filter(|place| takes(&trials[*place]));
        Turns {
            run,
            round,
            level,
            places: places.collect(),
            rest: Rest::default(),
            trials,
            journal,
        }
    }

    /// Measures the level; each trial's line is on disk then.
    ///
    /// # Errors
    /// Only if nothing can be recorded any more.
    pub(crate) fn measure(mut self) -> Result<(), Error> {
        let workload = &self.run.plan.workloads[self.level.workload];
        // A search tries rates until it has found one, and each target's has rates of its own.
        if let Load::Capacity(_) = &workload.loads[self.level.load] {
            return self.measure_in_one_piece(Some(OnePiece::Search));
        }
        // A level that one target alone measures has nothing to be compared with.
        if self.places.len() < 2 {
            return self.measure_in_one_piece(None);
        }
        self.report();
        let mut known = self.journal.in_one_piece.iter().copied();
        if let Some((_, why)) = known.find(|(level, _)| *level == self.level) {
            return self.measure_in_one_piece(Some(why));
        }
        let sampled = self.run.host.machine_sample().is_some();
        let evidence = Evidence::new(self.run, sampled);
        let mut opened = self.open()?;
        // Warm-ups, earlier levels and new connections leave servers work that the first slices would meet.
        self.rest.in_vain = !self.wait_for_all_to_rest();
        match self.cut(&mut opened, &evidence)? {
            Ok(cut) => {
                let best = self.best_turns().filter(|_| !self.is_short());
                let cut = best.map_or(cut, |best| cut.with_best(best));
                let cut = cut.stretched(self.stretch());
                let cores = self.run.server_cores();
                let parts = opened.into_iter().map(|(place, opened)| Part {
                    place,
                    slices: Slices::new(opened, cut, cores),
                    broke: None,
                });
                let parts = parts.collect();
                self.take_turns(parts, cut, &evidence)
            }
            Err(why) => {
                drop(opened);
                self.measure_in_one_piece(Some(why))
            }
        }
    }

    /// How many turns the level has best, by the rounds so far.
    fn best_turns(&self) -> Option<f64> {
        let workload = &self.run.plan.workloads[self.level.workload];
        let load = &workload.loads[self.level.load];
        let all = self.journal.best_turns.iter();
        let mut own = all.filter(|best| best.workload == workload.name && best.load == *load);
        own.next().map(|best| best.turns)
    }

    /// By how many times levels have more turns than planned, for the time that there is.
    fn stretch(&self) -> f64 {
        let limit = self.journal.time_limit.as_ref();
        limit.map_or(1.0, TimeLimit::stretch)
    }

    /// Whether the round is a short one of a run that ends once it is decided.
    fn is_short(&self) -> bool {
        let limit = self.journal.time_limit.as_ref();
        limit.is_some_and(TimeLimit::is_short)
    }

    /// The targets that measure it.
    fn targets(&self) -> Vec<String> {
        let places = self.places.iter();
        let labels = places.filter_map(|place| self.trials[*place].label());
        labels.map(str::to_owned).collect()
    }

    fn report(&self) {
        let plan = self.run.plan;
        let workload = &plan.workloads[self.level.workload];
        self.run.report(Event::Turns {
            targets: self.targets(),
            workload: workload.name.clone(),
            load: workload.loads[self.level.load].clone(),
            takes: (measure::in_turns(plan) * self.places.len() as u32).mul_f64(self.stretch()),
            progress: self.journal.progress(),
        });
    }

    /// The order in which the trials have their turn of this number.
    fn order(&self, turn: u32) -> Vec<usize> {
        let order = order::turn(
            self.run.seed,
            self.round,
            self.level,
            turn,
            self.places.len(),
        );
        order.into_iter().map(|place| self.places[place]).collect()
    }

    /// Lets a trial do something, and forgets it where it failed. `None`: it did.
    fn with<T>(
        &mut self,
        place: usize,
        what: impl FnOnce(&mut Running<'s>, &mut Journal) -> Result<T, Halt>,
    ) -> Result<Option<T>, Error> {
        let trial = mem::replace(&mut self.trials[place], TrialState::Ended(End::Done));
        let mut got = None;
        let mut what = Some(what);
        self.trials[place] = trial.then(
            &mut |running, journal| {
                if let Some(what) = what.take() {
                    got = Some(what(running, journal)?);
                }
                Ok(())
            },
            self.journal,
        )?;
        if got.is_none() {
            self.places.retain(|other| *other != place);
        }
        Ok(got)
    }

    /// Lets this server run, and where the plan wishes so none of the others.
    fn let_run(&mut self, place: usize) -> Result<(), Error> {
        if !self.run.plan.settings.freeze {
            return Ok(());
        }
        for other in (0..self.trials.len()).filter(|other| *other != place) {
            self.freeze(other, true)?;
        }
        self.freeze(place, false)
    }

    fn let_all_run(&mut self) -> Result<(), Error> {
        (0..self.trials.len()).try_for_each(|place| self.freeze(place, false))
    }

    fn freeze(&mut self, place: usize, frozen: bool) -> Result<(), Error> {
        self.with(place, |running, _| Ok(running.freeze(frozen)?))?;
        Ok(())
    }
}
