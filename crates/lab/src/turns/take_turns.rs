//! The turns of a level, and what follows them: the continuous run and the profiles.

use std::time::{Duration, Instant};

use photofinish_model::Window;
use photofinish_profile::SampleClock;

use super::cut::{self, Cut};
use super::profiled;
use super::{Part, Turns};
use crate::error::Error;
use crate::events::{Event, SliceFigures};
use crate::interference::continues;
use crate::interference::evidence::Evidence;
use crate::interference::state::TurnState;
use crate::interference::tally::{Counted, Tally};
use crate::measure::slices::Length;

impl<'s> Turns<'_, 's, '_> {
    /// Takes turns until the level has enough of them, and records what was measured of each target.
    ///
    /// # Errors
    /// Only if nothing can be recorded any more.
    pub(super) fn take_turns(
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
            let continues = match time {
                Some(time) => tally.continues_for(&cut, time, begun.elapsed()),
                None => {
                    let left = self.may_continue(asked);
                    let placements = &self.journal.placements;
                    tally.continues(&cut, cut.slice() * targets, asked, left, placements)
                }
            };
            if targets == 0 || !continues {
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

    /// For how much longer than planned this level may continue, where each is asked to take so long.
    fn may_continue(&self, asked: Duration) -> Duration {
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
        continues::beyond_plan(asked * levels as u32 * plan.settings.rounds)
    }

    /// Each server once more in one continuous run, in random order. It is longer if servers stalled in turns; else a short level has none.
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
