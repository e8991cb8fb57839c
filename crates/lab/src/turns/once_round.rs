//! Once round all targets: load for each of them, and what was seen around it.

use photofinish_load::Outcome;

use super::{Part, Turns};
use crate::error::Error;
use crate::interference::around::Around;
use crate::interference::evidence::{CpuTime, Evidence};
use crate::interference::state::TurnState;
use crate::measure::slices::{Length, Opened, Sliced};

/// What came of the load of each target, by its place, and what was seen of all of it.
pub(super) type WentRound = (Vec<(usize, Sliced, Around)>, TurnState);

impl<'s> Turns<'_, 's, '_> {
    /// Load for each target, and what was seen around it.
    pub(super) fn go_round(
        &mut self,
        length: Length,
        parts: &mut [Part<'s>],
        evidence: &Evidence,
    ) -> Result<WentRound, Error> {
        let turn = match length {
            Length::Turn(turn) => turn,
            Length::Block(_) => 0,
        };
        let mut sliced: Vec<(usize, Sliced, Around)> = Vec::new();
        for place in self.order(turn) {
            let Some(part) = parts.iter_mut().find(|part| part.place == place) else {
                continue;
            };
            self.let_run(place)?;
            let (owner, idle_servers) = self.rested_clocks(place);
            let border = evidence.border(owner, idle_servers);
            let got = self.load(part, length)?;
            let (owner, idle_servers) = self.clocks_after(place);
            let around = evidence.since(&border, owner, idle_servers);
            sliced.extend(got.map(|got| (place, got, around)));
        }
        let around = sliced.iter().map(|(place, _, around)| (*place, around));
        let disturbance = evidence.disturbance(around.clone());
        let latencies = around.filter_map(|(_, around)| around.latencies);
        let placement = self.journal.placements.add(latencies.flatten());
        let seen = TurnState::new(placement, disturbance);
        Ok((sliced, seen))
    }

    /// Load for one target; `None` if it failed.
    fn load(&mut self, part: &mut Part<'s>, length: Length) -> Result<Option<Sliced>, Error> {
        let slices = &mut part.slices;
        if let Length::Turn(_) = length {
            return self.with(part.place, |running, journal| {
                running.measuring(journal).slice(slices, length)
            });
        }
        // Its turns are complete, whatever happens in a piece beside them.
        let got = self.with(part.place, |running, journal| {
            Ok(running.measuring(journal).slice(slices, length))
        })?;
        match got.transpose() {
            Ok(got) => Ok(got),
            Err(halt) => {
                part.broke = Some(halt);
                Ok(None)
            }
        }
    }

    /// A server that gives no response is asked why, and keeps nobody waiting any longer.
    pub(super) fn give_up_silent(&mut self, parts: &mut Vec<Part<'s>>) -> Result<(), Error> {
        let silent = parts.extract_if(.., |part| part.slices.are_silent());
        for Part { place, slices, .. } in silent.collect::<Vec<_>>() {
            if let (opened, Some(outcome)) = slices.end_silent() {
                self.give_up(place, opened, outcome)?;
            }
        }
        Ok(())
    }

    /// Records what came of load that no response came for; the trial has no further part in this level.
    pub(super) fn give_up(
        &mut self,
        place: usize,
        opened: Opened<'s>,
        outcome: Outcome,
    ) -> Result<(), Error> {
        self.let_run(place)?;
        self.with(place, |running, journal| {
            let config = opened.close();
            let measured = running.measuring(journal).silent(config, outcome)?;
            running.record(measured, journal)
        })?;
        self.places.retain(|other| *other != place);
        Ok(())
    }

    /// What the server in this place has used with its services, and what all others have with theirs.
    pub(super) fn clocks(&mut self, owner: usize) -> (CpuTime, CpuTime) {
        let (mut own, mut others) = (Some(Default::default()), Some(Default::default()));
        let services = &self.run.services;
        let label = self.trials[owner].label().unwrap_or_default();
        add(&mut own, services.cpu(|service| service.is_for(label)));
        add(&mut others, services.cpu(|service| !service.is_for(label)));
        let mut seen: Vec<u32> = self.trials[owner].pid().into_iter().collect();
        for (place, trial) in self.trials.iter_mut().enumerate() {
            // One process may serve several targets that ran already.
            if let Some(pid) = trial.pid().filter(|_| place != owner) {
                if seen.contains(&pid) {
                    continue;
                }
                seen.push(pid);
            }
            let clock = if place == owner {
                &mut own
            } else {
                &mut others
            };
            add(clock, trial.cpu());
        }
        (own, others)
    }
}

fn add(sum: &mut CpuTime, more: CpuTime) {
    *sum = sum.zip(more).map(|(sum, more)| sum + more);
}
