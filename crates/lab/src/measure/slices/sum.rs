//! Slices added up.

use std::time::Duration;

use hdrhistogram::Histogram;
use photofinish_load::{Outcome, SliceStalls};

use super::Sliced;
use crate::convert;
use crate::interference::around::Around;
use crate::turns::stalls::StallSum;
use crate::usage::Span;

/// Slices added up.
#[derive(Default)]
pub(super) struct Sum {
    pub(super) outcome: Option<Outcome>,
    pub(super) slices: u32,
    pub(super) stalls: StallSum,
    /// For how long the server was under load: lead-ins and what came after windows, too.
    pub(super) loaded: Duration,
    pub(super) servers: Vec<Option<Span>>,
    pub(super) services: Vec<Option<Span>>,
    pub(super) late: Option<Histogram<u64>>,
    /// The time that the following were seen in.
    pub(super) took: Duration,
    pub(super) others: Option<Duration>,
    pub(super) idle_servers: Option<Duration>,
}

impl Sum {
    /// Adds a slice; its window becomes as long as its flow and the stalls that began in it. `own`: the stalls of the server's own.
    pub(super) fn add(
        &mut self,
        sliced: Sliced,
        lead_in: Duration,
        stalls: &SliceStalls,
        own: StallSum,
        around: &Around,
    ) {
        let outcome = sliced.outcome;
        self.merge(Sum {
            slices: 1,
            stalls: own,
            loaded: lead_in + outcome.duration + outcome.draining,
            servers: vec![sliced.server],
            services: vec![sliced.service],
            late: around.late.clone(),
            took: around.took,
            others: around.others,
            idle_servers: around.idle_servers,
            outcome: Some(Outcome {
                duration: stalls.flow + stalls.stalled,
                ..outcome
            }),
        });
    }

    fn add_late(&mut self, more: Option<Histogram<u64>>) {
        match (&mut self.late, more) {
            (late @ None, more) => *late = more,
            // Both were made with the same bounds.
            (Some(late), Some(more)) => late.add(&more).unwrap_or_default(),
            (Some(_), None) => {}
        }
    }

    /// Adds other slices, such as those of another kind of turns.
    pub(super) fn merge(&mut self, other: Sum) {
        if self.slices == 0 {
            *self = other;
            return;
        }
        if other.slices == 0 {
            return;
        }
        let sum = |a: Option<Duration>, b: Option<Duration>| a.zip(b).map(|(a, b)| a + b);
        self.others = sum(self.others, other.others);
        self.idle_servers = sum(self.idle_servers, other.idle_servers);
        self.took += other.took;
        self.slices += other.slices;
        self.stalls.merge(&other.stalls);
        self.loaded += other.loaded;
        self.servers.extend(other.servers);
        self.services.extend(other.services);
        if let Some(outcome) = other.outcome {
            convert::add(&mut self.outcome, outcome);
        }
        self.add_late(other.late);
    }

    /// A share of one core over all slices.
    pub(super) fn cores(&self, used: Option<Duration>) -> Option<f64> {
        convert::ratio(used?.as_secs_f64(), self.took.as_secs_f64())
    }
}
