//! What is kept of a target's slices: added up by what disturbed their turns.

use std::collections::BTreeMap;
use std::time::Duration;

use photofinish_load::{Outcome, SliceStalls};
use photofinish_model::{Disturbed, Load, Turn, TurnsBlock, Window};

use super::sum::Sum;
use super::{Opened, Sliced};
use crate::convert;
use crate::interference::around::Around;
use crate::interference::held_up::{held_up, is_the_machines};
use crate::interference::state::{Kind, TurnState};
use crate::interference::tally::Counted;
use crate::measure::silence::SILENT_FOR;
use crate::turns::cut::Cut;
use crate::turns::profiled::Profiled;
use crate::turns::stalls::StallSum;
use crate::usage;

/// Number of consecutive slices without a response after which a server is silent, if they are [long
/// enough](SILENT_FOR): one may fall into a pause.
const SILENT_SLICES: usize = 3;
/// Fewest requests for a 99th percentile: ten of them lie beyond it.
const MIN_REQUESTS_P99: u64 = 1_000;

/// A target's level that is being measured in turns.
pub(crate) struct Slices<'s> {
    pub(super) opened: Opened<'s>,
    pub(super) cut: Cut,
    /// The slices, added up by the kind of their turn.
    pub(super) sums: BTreeMap<Kind, Sum>,
    pub(super) turns: Vec<Taken>,
    pub(super) block: Option<Block>,
    /// Of all slices, also of those whose turn does not count, and of the continuous run; of trial slices the longest.
    pub(super) stalls: StallSum,
    /// The cores that the server may use.
    cores: usize,
    pub(super) profiled: Profiled,
    /// Slices in which threads were looked at, those that waited too.
    pub(super) waited: Profiled,
    /// Slices without a response that came one after the other until now, added up, and how many.
    pub(super) silent: (usize, Option<Outcome>),
    pub(super) highest: (usage::Highest, usage::Highest),
}

/// The continuous run next to the turns.
pub(crate) struct Block {
    pub(crate) recorded: TurnsBlock,
    pub(crate) outcome: Outcome,
    pub(crate) stalls: StallSum,
}

/// What is known of one turn.
pub(super) struct Taken {
    pub(super) turn: Turn,
    pub(super) seen: TurnState,
    pub(super) window: Window,
}

impl<'s> Slices<'s> {
    /// `cores`: how many the server may use.
    pub(crate) fn new(opened: Opened<'s>, cut: Cut, cores: usize) -> Slices<'s> {
        let stalls = opened.stalls.longest_alone();
        Slices {
            opened,
            cut,
            sums: BTreeMap::new(),
            turns: Vec::with_capacity(cut.turns as usize),
            block: None,
            stalls,
            cores,
            profiled: Profiled::default(),
            waited: Profiled::default(),
            silent: (0, None),
            highest: Default::default(),
        }
    }

    /// Whether the server has given no response for some slices, or for one that waited as long as a response may take.
    pub(crate) fn are_silent(&self) -> bool {
        self.opened.vain().is_some()
            || self.silent.0 >= SILENT_SLICES
                && self.cut.slice() * self.silent.0 as u32 >= SILENT_FOR
    }

    /// The connections, and what came of the slices without a response; `None` for these where the last had one.
    pub(crate) fn end_silent(self) -> (Opened<'s>, Option<Outcome>) {
        (self.opened, self.silent.1)
    }

    pub(super) fn note_silence(&mut self, outcome: &Outcome) {
        // One may stall for the whole slice, and then respond to what was sent before the window.
        if outcome.good > 0 {
            self.silent = (0, None);
            return;
        }
        self.silent.0 += 1;
        convert::add(&mut self.silent.1, outcome.clone());
    }

    /// A window for each slice that counts, in their order.
    pub(crate) fn windows(&self, counted: Counted) -> Vec<Window> {
        let counts = |taken: &&Taken| counted.counts(taken.seen.kind()) && taken.flowed(&self.cut);
        let mut start_s = 0.0;
        let mut place = |taken: &Taken| {
            let window = Window {
                start_s,
                ..taken.window
            };
            start_s += window.duration_s;
            window
        };
        self.turns.iter().filter(counts).map(&mut place).collect()
    }

    /// Adds a slice of a turn, and what was seen of that.
    pub(crate) fn add(&mut self, sliced: Sliced, around: &Around, seen: TurnState) {
        let (own, stalls) = self.note_stalls(&sliced, around);
        let turn = turn(&sliced.outcome, &stalls, around);
        let outcome = &sliced.outcome;
        let window = Window {
            start_s: 0.0,
            duration_s: stalls.flow.as_secs_f64(),
            responses: outcome.responses_in_window,
            errors: outcome.errors.values().sum(),
            p50_us: turn.p50_us,
            p99_us: turn.p99_us,
            max_us: (!outcome.latency.is_empty()).then(|| outcome.latency.max() as f64 / 1e3),
        };
        self.turns.push(Taken { turn, seen, window });
        let sum = self.sums.entry(seen.kind()).or_default();
        sum.add(sliced, self.cut.lead_in, &stalls, own, around);
    }

    /// Adds the stalls of a slice to those of all slices; returns them, and what they take out of its window.
    fn note_stalls(&mut self, sliced: &Sliced, around: &Around) -> (StallSum, SliceStalls) {
        let stalls = self.stalls_of(sliced, around);
        let mut own = StallSum::default();
        own.add(&sliced.outcome, &stalls);
        self.stalls.merge(&own);
        (own, self.taken_out(&sliced.outcome, stalls))
    }

    /// The server's own stalls in a slice.
    fn stalls_of(&self, sliced: &Sliced, around: &Around) -> SliceStalls {
        let outcome = &sliced.outcome;
        let stalls = outcome.stalls(self.cut.stall);
        match self.is_the_machines(stalls.loaded_stalled + stalls.under_way, sliced, around) {
            // Time in which the server could not respond is part of what the machine gave it.
            true => SliceStalls {
                flow: outcome.duration,
                loaded_flow: outcome.lead_in + outcome.duration,
                ..SliceStalls::default()
            },
            false => stalls,
        }
    }

    /// What is taken out of a window for stalls: nothing in an open loop, which sends requests at its rate all the same.
    fn taken_out(&self, outcome: &Outcome, stalls: SliceStalls) -> SliceStalls {
        match self.opened.config.load {
            Load::Closed { .. } => stalls,
            _ => SliceStalls {
                flow: outcome.duration,
                ..SliceStalls::default()
            },
        }
    }

    /// Whether a slice took much longer than it was to by the server's own doing. What was seen around it then says nothing of the time in which
    /// responses flowed.
    pub(crate) fn is_held_up(&self, sliced: &Sliced, around: &Around) -> bool {
        let held_up = held_up(&sliced.outcome, &self.stalls_of(sliced, around));
        held_up >= self.cut.counted / 2 && !self.is_the_machines(held_up, sliced, around)
    }

    /// Whether the machine is why a slice has waited for so long.
    fn is_the_machines(&self, waited: Duration, sliced: &Sliced, around: &Around) -> bool {
        let flowed = self.cut.lead_in + sliced.outcome.duration;
        is_the_machines(waited, flowed, around, sliced.server.as_ref(), self.cores)
    }

    /// Whether stalls are a notable part of what the server did.
    pub(crate) fn has_stalls(&self) -> bool {
        self.stalls.are_notable()
    }

    /// Adds the continuous run, and what disturbed it.
    pub(crate) fn add_block(
        &mut self,
        sliced: Sliced,
        around: &Around,
        disturbed: Option<Disturbed>,
    ) {
        let (own, stalls) = self.note_stalls(&sliced, around);
        let recorded = TurnsBlock {
            length_s: sliced.outcome.duration.as_secs_f64(),
            seen: Turn {
                disturbed,
                ..turn(&sliced.outcome, &stalls, around)
            },
        };
        self.block = Some(Block {
            recorded,
            outcome: sliced.outcome,
            stalls: own,
        });
    }
}

impl Taken {
    /// Whether responses flowed for most of it.
    fn flowed(&self, cut: &Cut) -> bool {
        self.window.duration_s * 2.0 >= cut.counted.as_secs_f64()
    }

    /// As it is recorded where these count.
    pub(super) fn recorded(self, counted: Counted) -> Turn {
        let disturbed = self.seen.disturbed(counted.placement);
        Turn {
            disturbed,
            spared: disturbed.is_some() && counted.counts(self.seen.kind()),
            ..self.turn
        }
    }
}

/// What one slice says of its turn.
fn turn(outcome: &Outcome, stalls: &SliceStalls, around: &Around) -> Turn {
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let at = |quantile: f64| outcome.latency.value_at_quantile(quantile) as f64 / 1e3;
    let seconds = stalls.flow.as_secs_f64();
    Turn {
        throughput_rps: convert::ratio(outcome.responses_in_window as f64, seconds).unwrap_or(0.0),
        flow_s: (stalls.flow < outcome.duration).then_some(seconds),
        stalled_ms: (!stalls.stalled.is_zero()).then(|| ms(stalls.stalled)),
        p50_us: (!outcome.latency.is_empty()).then(|| at(0.5)),
        p99_us: (outcome.latency.len() >= MIN_REQUESTS_P99).then(|| at(0.99)),
        other_ms: around.others.map(ms),
        bystanders_ms: around.idle_servers.map(ms),
        stopped_ms: around.stopped().map(ms),
        core_to_core_ns: (around.latencies).map(|[before, after]| (before * after).sqrt()),
        reference_ns: pair(around.reference),
        wake_ns: pair(around.wake),
        disturbed: None,
        spared: false,
    }
}

/// Both, where both are known.
fn pair([server, generator]: [Option<f64>; 2]) -> Option<[f64; 2]> {
    Some([server?, generator?])
}
