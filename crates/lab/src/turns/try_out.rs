//! How a level's slices are cut: by load that does not count.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::{Duration, Instant};

use photofinish_model::OnePiece;

use super::Turns;
use super::cut::{self, Cut, Pilot};
use crate::error::Error;
use crate::interference::evidence::Evidence;
use crate::measure::slices::Opened;
use crate::order::Level;

/// Most trial slices of a level, until one is undisturbed: phases of noise last seconds.
const MAX_PILOTS: u32 = 8;
/// Most trial slices of a level that an earlier round has measured with the same servers.
const MAX_PILOTS_KNOWN: u32 = 2;
/// Divisor of the number of trial slices in a short round, which gives a quick answer.
const SHORT_DIVISOR: u32 = 2;
/// Time after which no further trial slice begins. A server that takes half a minute for a slice of 0.2 s is
/// known after one.
const MAX_PILOTS_TIME: Duration = Duration::from_secs(10);

/// A trial's place, and its open connections.
pub(super) type Open<'s> = (usize, Opened<'s>);

impl<'s> Turns<'_, 's, '_> {
    /// Opens the connections of each.
    pub(super) fn open(&mut self) -> Result<Vec<Open<'s>>, Error> {
        let (mut opened, requests) = (Vec::new(), Rc::default());
        for place in self.order(0) {
            self.let_run(place)?;
            let requests = Rc::clone(&requests);
            let got = self.with(place, |running, journal| {
                running.measuring(journal).open(requests)
            })?;
            opened.extend(got.map(|got| (place, got)));
        }
        Ok(opened)
    }

    /// Slices that suit all of them, by load that does not count. What something else disturbed says little of the servers, and how the
    /// whole level is measured hangs on it: they are tried out again, and the shortest slices that were found will do.
    pub(super) fn cut(
        &mut self,
        opened: &mut Vec<Open<'s>>,
        evidence: &Evidence,
    ) -> Result<Result<Cut, OnePiece>, Error> {
        let mut found: Option<Result<Cut, OnePiece>> = None;
        let known = self.known();
        let most = known.map_or(MAX_PILOTS, |_| MAX_PILOTS_KNOWN);
        let most = if self.is_short() {
            most / SHORT_DIVISOR
        } else {
            most
        };
        let (mut is_sure, mut was_disturbed, began) = (false, true, Instant::now());
        for _ in 0..most {
            let (pilots, disturbed) = self.try_out(opened, evidence)?;
            // A server that stalled meanwhile shows nothing of itself.
            if pilots.iter().any(Pilot::is_stalled) && began.elapsed() <= MAX_PILOTS_TIME {
                continue;
            }
            let cut = cut::cut(&pilots, self.run.plan.settings.duration);
            let is_better = match (&cut, &found) {
                (Ok(cut), Some(Ok(before))) => cut.counted < before.counted,
                (cut, Some(Err(_))) => cut.is_ok() || !disturbed,
                (_, None) => true,
                (Err(_), Some(Ok(_))) => false,
            };
            was_disturbed = disturbed;
            is_sure = !disturbed || began.elapsed() > MAX_PILOTS_TIME;
            let enough = is_sure || cut.is_ok_and(|cut| cut.is_shortest());
            if is_better {
                found = Some(cut);
            }
            if enough {
                break;
            }
        }
        let mut found = found.unwrap_or(Err(OnePiece::Slow));
        if let Some(known) = known.filter(|_| was_disturbed) {
            found = Ok(match found {
                Ok(cut) if cut.counted < known.counted => cut,
                _ => known,
            });
        }
        if let Ok(cut) = found
            && !was_disturbed
        {
            let suited = self.targets().into_iter().collect();
            self.journal
                .slices
                .retain(|(level, ..)| *level != self.level);
            self.journal.slices.push((self.level, suited, cut));
        }
        // All rounds are measured in the same way, and the next ones need not find it out again, which may take half a minute.
        if let Err(why) = found
            && is_sure
        {
            self.journal.in_one_piece.push((self.level, why));
        }
        Ok(found)
    }

    /// Slices that suit all of them, as an earlier round has shown.
    fn known(&self) -> Option<Cut> {
        let targets: BTreeSet<String> = self.targets().into_iter().collect();
        let mut slices = self.journal.slices.iter();
        let suits = |(level, suited, _): &&(Level, BTreeSet<String>, Cut)| {
            *level == self.level && suited.is_superset(&targets)
        };
        slices.find(suits).map(|(.., cut)| *cut)
    }

    /// Once round all of them, and whether something else disturbed it. Who is tried out in vain has failed at this level.
    fn try_out(
        &mut self,
        opened: &mut Vec<Open<'s>>,
        evidence: &Evidence,
    ) -> Result<(Vec<Pilot>, bool), Error> {
        let (mut pilots, mut disturbed) = (Vec::new(), false);
        let cores = self.run.server_cores();
        for (place, opened) in opened.iter_mut() {
            self.let_run(*place)?;
            let (owner, idle_servers) = self.clocks(*place);
            let border = evidence.border(owner, idle_servers);
            let tried_out = self.with(*place, |running, journal| {
                running.measuring(journal).try_out(opened)
            })?;
            let (owner, idle_servers) = self.clocks(*place);
            let around = evidence.since(&border, owner, idle_servers);
            // Where the cores lie has no say in how long slices are.
            disturbed |= around.disturbances().next().is_some();
            if let Some(tried_out) = tried_out {
                opened.note_try_out(&tried_out, &around, cores);
                pilots.extend(opened.vain().is_none().then_some(tried_out.pilot));
            }
        }
        let in_vain = opened.extract_if(.., |(_, opened)| opened.vain().is_some());
        for (place, opened) in in_vain.collect::<Vec<_>>() {
            if let Some(outcome) = opened.vain().cloned() {
                self.give_up(place, opened, outcome)?;
            }
        }
        // What failed has recorded so.
        opened.retain(|(place, _)| self.places.contains(place));
        Ok((pilots, disturbed))
    }
}
