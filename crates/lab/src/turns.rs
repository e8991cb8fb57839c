//! A level in turns: each target's slice once, in an order in which each leads equally often, again and again.
//!
//! Slow spells of a machine last longer than a turn, and so meet all targets alike. One server responds at a time; the others are
//! up and rest. Turns that something else disturbed, by what was seen of it, do not count for any target.

use std::mem;
use std::time::{Duration, Instant};

use photofinish_model::{Load, OnePiece, Window};
use photofinish_profile::SampleClock;

use crate::error::{Error, Halt};
use crate::events::{Event, SliceFigures};
use crate::journal::Journal;
use crate::measure;
use crate::measure::slices::{Length, Slices};
use crate::order::{self, Level};
use crate::run_context::RunContext;
use crate::time_limit::TimeLimit;
use crate::trial::{End, Running, TrialState};

pub(crate) mod around;
pub(crate) mod cut;
pub(crate) mod enough;
mod even;
pub(crate) mod evidence;
pub(crate) mod grade;
pub(crate) mod held_up;
mod once_round;
mod one_piece;
pub(crate) mod placement;
pub(crate) mod profiled;
mod rest;
pub(crate) mod stalls;
pub(crate) mod state;
pub(crate) mod together;
mod try_out;

use cut::Cut;
use enough::{Counted, Tally};
use evidence::Evidence;
use rest::Rest;
use state::TurnState;

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
    /// Only where nothing can be recorded any more.
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

    fn take_turns(
        &mut self,
        mut parts: Vec<Part<'s>>,
        cut: Cut,
        evidence: &Evidence,
    ) -> Result<(), Error> {
        let begun = Instant::now();
        let began = self.run.host.machine_sample();
        let limit = self.journal.time_limit.as_mut();
        let time = limit.and_then(|limit| limit.turns_begin(self.level));
        let (mut tally, mut before) = (Tally::default(), None);
        loop {
            let targets = parts.len() as u32;
            let asked = (self.run.plan.settings.duration * targets).mul_f64(self.stretch());
            let goes_on = match time {
                Some(time) => tally.goes_on_for(&cut, time, begun.elapsed()),
                None => {
                    let left = self.may_go_on(asked);
                    let placements = &self.journal.placements;
                    tally.goes_on(&cut, cut.slice() * targets, asked, left, placements)
                }
            };
            if targets == 0 || !goes_on {
                break;
            }
            let turn = tally.made();
            let (seen, slices) = self.take_turn(turn, &mut parts, evidence, &mut before)?;
            tally.add(seen);
            self.run.report(Event::Turn {
                number: turn + 1,
                of: cut.turns.max(turn + 1),
                slices,
            });
        }
        if let Some(limit) = &mut self.journal.time_limit {
            limit.turns_took(self.level, begun.elapsed());
        }
        let machine = (began.zip(self.run.host.machine_sample()))
            .and_then(|(began, ended)| ended.since(&began));
        self.journal.beyond_plan += tally.beyond(&cut, cut.slice() * parts.len() as u32);
        let placements = &mut self.journal.placements;
        let counted = tally.counted(&cut, placements.usual());
        placements.level_ends(counted.placement);
        self.measure_blocks(&mut parts, counted, evidence)?;
        // The first round's profile does for the short ones: where time goes is the same in all.
        let profiled = match self.is_short() && self.round > 1 {
            true => Vec::new(),
            false => profiled::lengths(self.run.plan),
        };
        for (clock, length) in profiled {
            self.profile(&mut parts, clock, profiled::slices(&cut, length))?;
        }
        self.let_all_run()?;
        let windows: Vec<(usize, Vec<Window>)> = parts
            .iter()
            .map(|part| (part.place, part.slices.windows(counted)))
            .collect();
        for part in parts {
            let Part {
                place,
                slices,
                broke,
            } = part;
            let machine = machine.clone();
            let others = windows.iter().filter(|(other, _)| *other != place);
            let beside = others.map(|(_, windows)| windows.clone()).collect();
            self.with(place, |running, journal| {
                let measured = running
                    .measuring(journal)
                    .sum_up(slices, counted, beside, machine)?;
                running.record(measured, journal)?;
                broke.map_or(Ok(()), Err)
            })?;
        }
        Ok(())
    }

    /// For how much longer than planned this level may go on, where each is asked to take so long.
    fn may_go_on(&self, asked: Duration) -> Duration {
        let left = self.beyond_plan(asked);
        let left = left.saturating_sub(self.journal.beyond_plan);
        let limit = self.journal.time_limit.as_ref();
        limit.map_or(left, |limit| left.min(limit.at_most()))
    }

    /// The same for all levels of the run together.
    fn beyond_plan(&self, asked: Duration) -> Duration {
        let plan = self.run.plan;
        let levels: usize = (plan.workloads.iter())
            .map(|workload| workload.loads.len())
            .sum();
        enough::beyond_plan(asked * levels as u32 * plan.settings.rounds)
    }

    /// Each server once more in one continuous run, in random order. It is longer if servers stood still in turns; else a short level has none.
    fn measure_blocks(
        &mut self,
        parts: &mut [Part<'s>],
        counted: Counted,
        evidence: &Evidence,
    ) -> Result<(), Error> {
        let stalls = parts.iter().any(|part| part.slices.has_stalls());
        let duration = self.run.plan.settings.duration;
        // A short round is not to have fewer stalls than another one.
        let length = match stalls {
            true => Some(cut::stalled_block(duration)),
            false => cut::block(duration.mul_f64(self.stretch().min(1.0))),
        };
        let Some(length) = length else {
            return Ok(());
        };
        let (sliced, seen) = self.go_round(Length::Block(length), parts, evidence)?;
        let disturbed = seen.disturbed(counted.placement);
        for (place, sliced, around) in sliced {
            if let Some(part) = parts.iter_mut().find(|part| part.place == place) {
                part.slices.add_block(sliced, &around, disturbed);
            }
        }
        Ok(())
    }

    /// Each target so many slices more, in which its stacks are sampled: what that costs is in no measured one.
    fn profile(
        &mut self,
        parts: &mut [Part<'s>],
        clock: SampleClock,
        slices: u32,
    ) -> Result<(), Error> {
        for number in 0..slices {
            for place in self.order(profiled::turn(clock, number)) {
                if self.journal.unprofiled {
                    return Ok(());
                }
                // One that no longer responds shows nothing, and keeps nobody waiting.
                let of_it = |part: &&mut Part| {
                    part.place == place && part.broke.is_none() && !part.slices.are_silent()
                };
                let Some(part) = parts.iter_mut().find(of_it) else {
                    continue;
                };
                self.let_run(place)?;
                let own = &mut part.slices;
                let got = self.with(place, |running, journal| {
                    Ok(running.measuring(journal).profile(own, clock, number))
                })?;
                match got {
                    None | Some(Ok(Ok(()))) => {}
                    Some(Ok(Err(refused))) => self.journal.give_up_profiling(refused),
                    // Its turns are complete all the same.
                    Some(Err(halt)) => part.broke = Some(halt),
                }
            }
        }
        Ok(())
    }

    /// Each target's slice once with its figures, and what was seen of all of them: what disturbs one of them disturbs the turn.
    ///
    /// The longer a slice takes, the more is seen around it. A server that holds up its slice must not decide by that whether the turn counts, so
    /// that the turn before stands for it, in which nobody did: `before`.
    fn take_turn(
        &mut self,
        turn: u32,
        parts: &mut Vec<Part<'s>>,
        evidence: &Evidence,
        before: &mut Option<TurnState>,
    ) -> Result<(TurnState, Vec<SliceFigures>), Error> {
        let (sliced, seen) = self.go_round(Length::Turn(turn), parts, evidence)?;
        let figures = sliced.iter().filter_map(|(place, sliced, _)| {
            let (rate, p99_us) = sliced.figures();
            Some(SliceFigures {
                target: self.trials[*place].label()?.to_owned(),
                rate,
                p99_us,
            })
        });
        let figures: Vec<SliceFigures> = figures.collect();
        let is_held_up = sliced.iter().any(|(place, sliced, around)| {
            let part = parts.iter().find(|part| part.place == *place);
            part.is_some_and(|part| part.slices.is_held_up(sliced, around))
        });
        let seen = match (is_held_up, *before) {
            (true, Some(before)) => seen.held_up(before),
            (true, None) => seen,
            (false, _) => *before.insert(seen),
        };
        for (place, sliced, around) in sliced {
            if let Some(part) = parts.iter_mut().find(|part| part.place == place) {
                part.slices.add(sliced, &around, seen);
            }
        }
        self.give_up_silent(parts)?;
        // What failed has recorded so.
        parts.retain(|part| self.places.contains(&part.place));
        Ok((seen, figures))
    }
}
