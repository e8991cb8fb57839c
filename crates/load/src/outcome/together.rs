//! What several generators measured over the same time, put together.

use std::time::Duration;

use photofinish_model::Window;
use serde::{Deserialize, Serialize};

use super::{Compact, Outcome, gaps};

/// What one of several generators measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// What the user calls its machine.
    pub machine: String,
    /// How many connections it had.
    pub connections: u32,
    /// Its machine's clock, by which it began; of several slices where that was known worst.
    pub clock: Ahead,
    /// What it measured: of a thousand generators there are a thousand.
    pub outcome: Compact,
}

/// How far a machine's clock is ahead of this one's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ahead {
    /// In nanoseconds; negative where it is behind.
    pub nanos: i64,
    /// How wrong that may be, either way.
    pub uncertain: Duration,
}

impl Part {
    /// Adds what the same generator measured in another slice.
    pub(super) fn add(&mut self, other: &Part) {
        if other.clock.uncertain > self.clock.uncertain {
            self.clock = other.clock;
        }
        self.outcome.add(&other.outcome);
    }
}

impl Outcome {
    /// What generators measured that sent their shares of a load over the same time: histograms are added bin by bin, and counts; `None`
    /// of none. What each measured is kept.
    pub fn together(parts: Vec<Part>) -> Option<Outcome> {
        let (first, others) = parts.split_first()?;
        let mut all = first.outcome.outcome();
        // Of one that was ended early some heard that a little later than others; their rates are those of their own time.
        let rates: f64 = parts.iter().map(|part| rate(part.outcome.rest())).sum();
        for part in others {
            all.join(&part.outcome.outcome());
        }
        let lengths = || parts.iter().map(|part| part.outcome.rest().duration);
        let differ = lengths().min() != lengths().max();
        if differ && rates > 0.0 && all.responses_in_window > 0 {
            let length = all.responses_in_window as f64 / rates;
            all.duration = Duration::try_from_secs_f64(length).unwrap_or(all.duration);
        }
        all.parts = parts;
        Some(all)
    }

    /// Adds what another generator measured over the same time.
    fn join(&mut self, other: &Outcome) {
        self.add_counts(other);
        self.astray += other.astray;
        self.duration = self.duration.max(other.duration);
        self.first_response = match (self.first_response, other.first_response) {
            (Some(mine), Some(theirs)) => Some(mine.min(theirs)),
            (mine, theirs) => mine.or(theirs),
        };
        self.draining = self.draining.max(other.draining);
        self.mute += other.mute;
        self.gaps = gaps::of_both(&self.gaps, &other.gaps);
        self.clock_step = self.clock_step.max(other.clock_step);
        self.thread_cpu.extend(&other.thread_cpu);
        for (place, theirs) in other.windows.iter().enumerate() {
            match self.windows.get_mut(place) {
                Some(mine) => *mine = side_by_side(mine, theirs),
                None => self.windows.push(*theirs),
            }
        }
    }
}

/// Good responses per second.
fn rate(outcome: &Outcome) -> f64 {
    match outcome.duration.as_secs_f64() {
        0.0 => 0.0,
        seconds => outcome.responses_in_window as f64 / seconds,
    }
}

/// A window of two generators at the same time. Its percentiles are not known: those of two are not that of both, and windows have no
/// histograms.
pub fn side_by_side(one: &Window, other: &Window) -> Window {
    let max = match (one.max_us, other.max_us) {
        (Some(one), Some(other)) => Some(one.max(other)),
        (one, other) => one.or(other),
    };
    Window {
        start_s: one.start_s.min(other.start_s),
        duration_s: one.duration_s.max(other.duration_s),
        responses: one.responses + other.responses,
        errors: one.errors + other.errors,
        p50_us: None,
        p99_us: None,
        max_us: max,
    }
}
