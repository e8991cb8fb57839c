//! Slices in which a server's stacks are sampled.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use photofinish_model::Load;
use photofinish_model::store::Store;
use photofinish_profile::SampleClock;

use super::{Length, Sliced, Slices};
use crate::error::{Halt, NoJava};
use crate::measure::{Measured, Measuring};
use crate::turns::cut::Cut;
use crate::turns::profiled::{self, Profiled};

impl Measuring<'_, '_> {
    /// Load for a slice in which the server's stacks are sampled by a clock; inside, why they are not.
    ///
    /// # Errors
    /// As [`Measuring::slice`].
    pub(crate) fn profile(
        &mut self,
        slices: &mut Slices<'_>,
        clock: SampleClock,
        number: u32,
    ) -> Result<Result<(), photofinish_host::Error>, Halt> {
        if number == 0 {
            let target = &self.server.target.label;
            self.run
                .look_for_late_java(target, &mut self.server.process);
        }
        // Where the first slice showed no thread no other will.
        if clock == SampleClock::Wall && number > 0 && slices.waited.stacks.samples() == 0 {
            return Ok(Ok(()));
        }
        if let Err(refused) = self.sample(clock, true) {
            return Ok(Err(refused));
        }
        let began = Instant::now();
        let sliced = self.slice(slices, Length::Turn(profiled::turn(clock, number)));
        let ended = self.sample(clock, false);
        let took = began.elapsed();
        let Sliced {
            outcome, server, ..
        } = sliced?;
        match clock {
            SampleClock::Cpu => slices.profiled.add(outcome, server),
            SampleClock::Wall => {
                slices.waited.add(outcome, server);
                // Before the other clock is begun.
                let sampled = self.server.process.sampled(clock).unwrap_or_default();
                let stacks = sampled.stacks;
                if number == 0 && stacks.samples() == 0 {
                    self.run.without_waits(&self.server.target.label);
                }
                let threads = self.server.process.glance();
                let threads = threads.map_or(0, |usage| usage.threads);
                slices.waited.looked(stacks, threads, took);
            }
        }
        Ok(ended)
    }

    /// Profiles what was measured in one continuous run, on connections of their own; inside, why it is not. A search for a capacity is not: its rates
    /// were many.
    ///
    /// # Errors
    /// As [`Measuring::slice`].
    pub(crate) fn profile_beside(
        &mut self,
        measured: &mut Measured,
    ) -> Result<Result<(), photofinish_host::Error>, Halt> {
        let lengths = profiled::lengths(self.run.plan);
        let search = matches!(self.workload.loads[self.step.load], Load::Capacity(_));
        if search || lengths.is_empty() || measured.line.measurement.is_none() {
            return Ok(Ok(()));
        }
        let cut = profiled::PROFILE_CUT;
        let mut slices = Slices::new(self.open(Rc::default())?, cut, self.run.server_cores());
        for (clock, length) in lengths {
            for number in 0..profiled::slices(&cut, length) {
                if slices.are_silent() {
                    return Ok(Ok(()));
                }
                if let Err(refused) = self.profile(&mut slices, clock, number)? {
                    return Ok(Err(refused));
                }
            }
        }
        let Slices {
            profiled, waited, ..
        } = slices;
        self.add_profile(measured, profiled, waited, &cut);
        Ok(Ok(()))
    }

    /// Adds what the profiled slices showed, by the names that the server's functions have as long as it is up, and those in which threads
    /// were looked at.
    pub(super) fn add_profile(
        &mut self,
        measured: &mut Measured,
        profiled: Profiled,
        waited: Profiled,
        cut: &Cut,
    ) {
        // One that cannot be reached any more has no names to give.
        let sampled = self.server.process.sampled(SampleClock::Cpu);
        let file = Store::stacks_of(&measured.line);
        if let Some((profile, stacks)) = profiled.profile(cut, sampled.unwrap_or_default(), file) {
            measured.stacks.push((profile.file.clone(), stacks));
            measured.line.profile = Some(profile);
        }
        let file = Store::waits_of(&measured.line);
        if let Some((waits, stacks)) = waited.waits(file) {
            measured.stacks.push((waits.file.clone(), stacks));
            measured.line.waits = Some(waits);
        }
    }

    /// Begins or ends to sample the server's stacks. Those of Java code alone may fail, which is reported.
    fn sample(&mut self, clock: SampleClock, on: bool) -> Result<(), photofinish_host::Error> {
        match self.server.process.sample(clock, on) {
            Err(why @ photofinish_host::Error::Java(_)) => {
                let why = Arc::new(NoJava::Host(why));
                self.run.without_java(&self.server.target.label, why);
                Ok(())
            }
            sampled => sampled,
        }
    }
}
