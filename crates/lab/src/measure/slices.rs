//! One target's slices of a level that is measured in turns, on connections that stay open.

mod kept;
mod profile;
mod sum;

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use photofinish_host::{Session, Usage};
use photofinish_load::{Config, Outcome, Slice, SliceStalls, Until};
use photofinish_model::{MachineUse, ServerUse, Turns, Window};

use self::sum::Sum;
use super::requests::Requests;
use super::{Measured, Measuring, Ran, Tail, Turned, silence};
use crate::error::Halt;
use crate::interference::around::Around;
use crate::interference::held_up::is_the_machines;
use crate::interference::tally::Counted;
use crate::observe::{Observed, Pulse};
use crate::order;
use crate::server::Server;
use crate::turns::cut::{CONTINUOUS_RAMP_UP, PILOT_TIME, Pilot};
use crate::turns::stalls::{self, StallSum};
use crate::usage::{self, Span};
use crate::{convert, measure};

pub(crate) use kept::{Block, Slices};

/// Connections that stay.
pub(crate) struct Opened<'s> {
    /// How they were configured.
    config: Config,
    session: Box<dyn Session + 's>,
    /// The requests of all slices of the level so far, those included that do not count in any figure, and those of the targets that it takes turns
    /// with: they leave rows in the same tables.
    requests: Rc<Cell<Requests>>,
    /// The last slice, if it was in vain: no good response in as long as one may take.
    vain: Option<Outcome>,
    /// The stalls of the trial slices.
    stalls: StallSum,
}

impl Opened<'_> {
    /// Closes the connections; returns how they were configured.
    pub(crate) fn close(self) -> Config {
        drop(self.session);
        self.config
    }

    /// Load for a slice.
    ///
    /// # Errors
    /// As [`Server::slice`].
    fn slice(&mut self, server: &mut Server<'_>, slice: &Slice) -> Result<Outcome, Halt> {
        let outcome = server.slice(&mut *self.session, slice)?;
        let own = Requests::of(&outcome);
        self.requests.update(|all| Requests {
            sent: all.sent + own.sent,
            good: all.good + own.good,
        });
        let in_vain = silence::is_in_vain(&outcome, slice.lead_in, self.config.timeout);
        self.vain = in_vain.then(|| outcome.clone());
        Ok(outcome)
    }

    /// Notes the longest stall of a trial slice. Trial slices are in no figure, but an outage must leave a trace. `cores`: how many the server may use.
    pub(crate) fn note_try_out(&mut self, tried_out: &TriedOut, around: &Around, cores: usize) {
        let outcome = &tried_out.outcome;
        let found = outcome.stalls(stalls::limit(outcome.usual_service()));
        let waited = found.loaded_stalled + found.under_way;
        let flowed = outcome.lead_in + outcome.duration;
        if !is_the_machines(waited, flowed, around, tried_out.server.as_ref(), cores) {
            let longest = found.longest;
            let only = SliceStalls {
                longest,
                ..SliceStalls::default()
            };
            self.stalls.add(outcome, &only);
        }
    }

    /// The last slice, if it was in vain: the next would be as long, and so would each after it.
    pub(crate) fn vain(&self) -> Option<&Outcome> {
        self.vain.as_ref()
    }
}

/// How long load is to flow.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Length {
    /// For a slice: that of the turn with this number.
    Turn(u32),
    /// For a piece, after a lead-in of its own.
    Block(Duration),
}

/// What came of a trial slice.
pub(crate) struct TriedOut {
    pub(crate) pilot: Pilot,
    outcome: Outcome,
    server: Option<Span>,
}

/// What came of one slice, before it is known whether its turn counts.
pub(crate) struct Sliced {
    outcome: Outcome,
    server: Option<Span>,
    service: Option<Span>,
}

impl Sliced {
    /// Good responses per second, and the 99th percentile of the response times in microseconds.
    pub(crate) fn figures(&self) -> (f64, Option<f64>) {
        let Outcome {
            duration, latency, ..
        } = &self.outcome;
        let seconds = duration.as_secs_f64();
        let rate = match seconds > 0.0 {
            true => self.outcome.responses_in_window as f64 / seconds,
            false => 0.0,
        };
        let p99_us = (!latency.is_empty()).then(|| latency.value_at_quantile(0.99) as f64 / 1e3);
        (rate, p99_us)
    }
}

impl<'s> Measuring<'_, 's> {
    /// Opens the level's connections, its service prepared for what they ask. `requests`: where those of all targets of the level are counted.
    ///
    /// # Errors
    /// As [`Server::observe`](crate::server::Server::observe).
    pub(crate) fn open(&mut self, requests: Rc<Cell<Requests>>) -> Result<Opened<'s>, Halt> {
        let plan = self.run.plan;
        let load = self.workload.loads[self.step.load].clone();
        let (duration, lead_in) = (plan.settings.duration, Duration::ZERO);
        let (server, seed) = (&*self.server, self.seed());
        let config = measure::config(server, self.workload, &load, duration, lead_in, seed);
        self.server.prepare_for(self.workload)?;
        let session = self.server.session(&config)?;
        Ok(Opened {
            config,
            session,
            requests,
            vain: None,
            stalls: StallSum::default(),
        })
    }

    /// Tries the level out by a slice that does not count.
    ///
    /// # Errors
    /// As [`Measuring::slice`].
    pub(crate) fn try_out(&mut self, opened: &mut Opened<'_>) -> Result<TriedOut, Halt> {
        let pilot = Slice {
            until: Until::Elapsed(PILOT_TIME),
            lead_in: PILOT_TIME / 4,
            window: PILOT_TIME,
            ..opened.config.slice()
        };
        let (began, server) = (Instant::now(), self.server.process.usage().ok());
        let outcome = opened.slice(self.server, &pilot)?;
        let between = began.elapsed().saturating_sub(pilot.lead_in + PILOT_TIME);
        let compiles = !Pulse::of(self.server).compiling.is_zero();
        Ok(TriedOut {
            pilot: Pilot::of(&outcome, compiles, between),
            server: server.zip(self.server.process.usage().ok()),
            outcome,
        })
    }

    /// Load for so long.
    ///
    /// # Errors
    /// As [`Server::observe`](crate::server::Server::observe); and if the server no longer responds at all.
    pub(crate) fn slice(
        &mut self,
        slices: &mut Slices<'_>,
        length: Length,
    ) -> Result<Sliced, Halt> {
        let cut = slices.cut;
        let (counted, lead_in, turn) = match length {
            Length::Turn(turn) => (cut.counted, cut.lead_in, turn),
            Length::Block(counted) => (counted, CONTINUOUS_RAMP_UP, u32::MAX),
        };
        let slice = Slice {
            until: Until::Elapsed(counted),
            lead_in,
            window: counted,
            seed: order::slice_seed(slices.opened.config.seed, turn),
            ..slices.opened.config.slice()
        };
        let (server, service) = self.used(slices);
        let outcome = slices.opened.slice(self.server, &slice)?;
        let (server_then, service_then) = (server, service);
        let (server, service) = self.used(slices);
        slices.note_silence(&outcome);
        Ok(Sliced {
            outcome,
            server: server_then.zip(server),
            service: service_then.zip(service),
        })
    }

    /// What server and services have used so far.
    fn used(&mut self, slices: &mut Slices<'_>) -> (Option<Usage>, Option<Usage>) {
        let server = self.server.process.usage().ok();
        let services = self.run.services.usage(&self.server.target.label);
        server.iter().for_each(|usage| slices.highest.0.add(usage));
        services
            .iter()
            .for_each(|usage| slices.highest.1.add(usage));
        (server, services)
    }

    /// What is recorded of the slices that count. `machine`: what the machine did
    /// during the whole level; `beside`: the windows of the other targets' slices.
    ///
    /// # Errors
    /// As [`Measuring::silence`].
    pub(crate) fn sum_up(
        &mut self,
        slices: Slices<'_>,
        counted: Counted,
        beside: Vec<Vec<Window>>,
        machine: Option<MachineUse>,
    ) -> Result<Measured, Halt> {
        let windows = slices.windows(counted);
        let Slices {
            sums,
            turns,
            cut,
            opened,
            highest,
            block,
            stalls,
            profiled,
            waited,
            ..
        } = slices;
        let (mut kept, mut excluded) = (Sum::default(), Vec::new());
        for (kind, sum) in sums {
            match counted.counts(kind) {
                true => kept.merge(sum),
                false => excluded.push(sum.stalls),
            }
        }
        let idle_servers = kept.cores(kept.idle_servers);
        let machine = machine.map(|machine| MachineUse {
            // Exact, and of own slices alone.
            other_cores: kept.cores(kept.others).or(machine.other_cores),
            hiccup_us: kept.late.as_ref().and_then(convert::lag),
            ..machine
        });
        let used = |spans: &[Option<Span>], outcome: &Outcome, highest| -> Option<ServerUse> {
            let spans: Option<Vec<Span>> = spans.iter().copied().collect();
            // CPU is read at the borders of slices, and so is over all responses of whole slices, their lead-in's too.
            let responses = convert::responses_in_all(outcome);
            Some(usage::server_use(&spans?, kept.loaded, responses, highest))
        };
        let Some(outcome) = kept.outcome else {
            unreachable!("a level has turns that count")
        };
        let continuous = block.as_ref().map(|block| &block.stalls);
        let mut pooled = (kept.stalls.clone()).pooled(excluded.iter().chain(continuous));
        // Whatever its turn was, the longest is named.
        pooled.longest = stalls.longest;
        let turned = Turned {
            stalls: convert::recorded(&pooled, cut.stall, kept.stalls.flow_rps()),
            tail: Tail::of(&outcome, block.as_ref()),
        };
        let outcome = Outcome { windows, ..outcome };
        let seen = Observed {
            server: used(&kept.servers, &outcome, &highest.0),
            service: used(&kept.services, &outcome, &highest.1),
            machine,
            hiccups: kept.late,
            outcome,
        };
        // Of all slices of all targets, whether they count or not: all of them left rows.
        let requests = opened.requests.get();
        let ran = Ran {
            rows: (self.run.services).count_after(self.run.host, self.workload, requests),
            idle_servers,
            beside,
            turned: Some(turned),
            ..Ran::new(opened.config, seen)
        };
        let turns = Turns {
            slice_s: cut.counted.as_secs_f64(),
            lead_in_s: cut.lead_in.as_secs_f64(),
            turns: turns
                .into_iter()
                .map(|taken| taken.recorded(counted))
                .collect(),
            bystanders: idle_servers,
            frozen: self.run.plan.settings.freeze,
            block: block.map(|block| block.recorded),
        };
        let mut measured = self.measured(ran)?;
        measured.line.turns = Some(turns);
        self.add_profile(&mut measured, profiled, waited, &cut);
        Ok(measured)
    }
}
