//! Stalls: times in which a server gives no response on any connection.
//!
//! A slice sees only a part of a stall, and which part depends on how long slices are. So flow and stalls are counted apart: turns measure the
//! throughput while responses flow, and a stall that began in a slice counts whole. While responses flow, stalls begin at 1 / (P − L)
//! per second for a timer that stops the server for L in each P, and at a fixed rate per response for a collector. So the time of stalls over
//! that of flow has the right expectation in both cases, however short the slices are. One that was under way when a slice began is waited for,
//! and is in neither sum.

use std::time::{Duration, SystemTime};

use photofinish_load::{Outcome, SliceStalls};

/// Shortest time without a response that is a stall. A virtual machine stops its cores for some milliseconds
/// now and then, and a few of these stops in the slices of one server move the ratio of a round by half a
/// percent. A slice of 15 ms sees 5 ms nearly whole.
const MIN_STALL: Duration = Duration::from_micros(photofinish_model::STANDSTILL_US as u64);
/// Shortest stall, in usual response times: a server that responds in waves is silent between them.
const MIN_STALL_RESPONSE_TIMES: u32 = 4;

/// Largest difference in speed with which excluded slices are pooled with the others to count stalls: a
/// garbage collector stops the server after a certain amount of work, a timer after a certain time.
const SIMILAR_SPEED: f64 = 0.1;

/// Share of a level's time from which stalls matter to it.
const NOTABLE_SHARE: f64 = 0.01;
/// Length from which a single stall matters to a level.
const NOTABLE_STALL: Duration = Duration::from_millis(100);

/// Times without a response are stalls if they are longer, where a response usually takes so long.
pub(crate) fn limit(usual: Duration) -> Duration {
    MIN_STALL.max(usual.saturating_mul(MIN_STALL_RESPONSE_TIMES))
}

/// The stalls of one server, over all slices of a level.
#[derive(Clone, Debug, Default)]
pub(crate) struct StallSum {
    pub(crate) flow: Duration,
    pub(crate) stalled: Duration,
    pub(crate) count: u64,
    /// The longest, and when it began.
    pub(crate) longest: Option<(Duration, SystemTime)>,
    /// Good responses under load.
    responses: u64,
    /// The same within windows, and for how long they flowed there.
    window: (u64, Duration),
}

impl StallSum {
    /// Adds a slice.
    pub(crate) fn add(&mut self, outcome: &Outcome, stalls: &SliceStalls) {
        self.flow += stalls.loaded_flow;
        self.stalled += stalls.loaded_stalled;
        self.count += u64::from(stalls.count);
        self.responses += outcome.good.saturating_sub(outcome.drained);
        self.window.0 += outcome.responses_in_window;
        self.window.1 += stalls.flow;
        let known = self.longest.map_or(Duration::ZERO, |(longest, _)| longest);
        if let Some(gap) = stalls.longest.filter(|gap| gap.lasted > known) {
            let away = Duration::from_nanos(gap.began.unsigned_abs());
            let began = match gap.began < 0 {
                true => outcome.started - away,
                false => outcome.started + away,
            };
            self.longest = Some((gap.lasted, began));
        }
    }

    /// The longest of these: slices that are in no figure leave that alone.
    pub(crate) fn longest_alone(&self) -> StallSum {
        StallSum {
            longest: self.longest,
            ..StallSum::default()
        }
    }

    /// Adds those of other slices.
    pub(crate) fn merge(&mut self, other: &StallSum) {
        self.flow += other.flow;
        self.stalled += other.stalled;
        self.count += other.count;
        self.longest = self.longest.max(other.longest);
        self.responses += other.responses;
        self.window.0 += other.window.0;
        self.window.1 += other.window.1;
    }

    /// Good responses per second while they flowed within windows; 0 where they never did.
    pub(crate) fn flow_rps(&self) -> f64 {
        match self.window.1.as_secs_f64() {
            0.0 => 0.0,
            seconds => self.window.0 as f64 / seconds,
        }
    }

    /// These, of the slices that count, together with those of `others` in which responses flowed about as fast.
    ///
    /// The time of flow is the geometric mean of two: what the clock says, by which timers go, and what the responses take at the rate of the
    /// windows that count, by which collectors go. They differ by what a lead-in is slower.
    pub(crate) fn pooled<'s>(mut self, others: impl Iterator<Item = &'s StallSum>) -> StallSum {
        let rps = self.flow_rps();
        let is_as_fast = |other: &&StallSum| (other.flow_rps() / rps - 1.0).abs() <= SIMILAR_SPEED;
        others
            .filter(is_as_fast)
            .for_each(|other| self.merge(other));
        let by_work = self.responses as f64 / rps;
        let flow = (self.flow.as_secs_f64() * by_work).sqrt();
        StallSum {
            flow: Duration::try_from_secs_f64(flow).unwrap_or(self.flow),
            ..self
        }
    }

    /// Whether they matter to the level.
    pub(crate) fn are_notable(&self) -> bool {
        let all = (self.flow + self.stalled).mul_f64(NOTABLE_SHARE);
        self.count > 1 && self.stalled >= all || self.longest() >= NOTABLE_STALL
    }

    /// How long the longest lasted; nothing if there was none.
    fn longest(&self) -> Duration {
        self.longest.map_or(Duration::ZERO, |(longest, _)| longest)
    }
}

#[cfg(test)]
mod tests;
