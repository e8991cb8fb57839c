//! When requests of an open loop are due.
//!
//! The rate over time is piecewise linear. Its integral, the number of requests due by a time, is
//! inverted exactly, so a schedule is a sequence of counts turned into times: 0, 1, 2, … for constant
//! arrivals, and the sums of unit exponential gaps for Poisson arrivals (a Poisson process of varying
//! rate is one of unit rate in the changed time; Lewis & Shedler 1979).
//!
//! Threads share a schedule without talking: thread k of T takes each T-th slot of a constant one,
//! and a Poisson one is the sum of T independent ones of a T-th of the rate (superposition is exact).

use crate::clock::{NEVER, Nanos, SECOND};
use photofinish_model::{Arrivals, Stage};
use photofinish_stats::Random;

/// The rate over time.
#[derive(Clone, Debug)]
pub struct Rate {
    segments: Vec<Segment>,
}

#[derive(Clone, Copy, Debug)]
struct Segment {
    /// When it begins, in seconds from the schedule's start.
    begin: f64,
    /// Its length in seconds; infinite for the last.
    length: f64,
    from: f64,
    to: f64,
    /// Requests due before it.
    before: f64,
}

impl Segment {
    fn count(&self, time: f64) -> f64 {
        let slope = if self.length.is_finite() {
            (self.to - self.from) / self.length
        } else {
            0.0
        };
        self.from * time + slope * time * time / 2.0
    }
}

impl Rate {
    /// `lead_in` seconds at the first stage's starting rate, the stages, then the last one's final rate for ever.
    pub fn new(lead_in: f64, stages: &[Stage]) -> Rate {
        let mut segments: Vec<Segment> = Vec::with_capacity(stages.len() + 2);
        let (mut begin, mut before) = (0.0, 0.0);
        let first = stages.first().map_or(0.0, |stage| stage.from);
        let last = stages.last().map_or(0.0, |stage| stage.to);
        let pieces = std::iter::once((lead_in, first, first))
            .chain(
                stages
                    .iter()
                    .map(|s| (s.duration.as_secs_f64(), s.from, s.to)),
            )
            .filter(|(length, ..)| *length > 0.0)
            .chain(std::iter::once((f64::INFINITY, last, last)));
        for (length, from, to) in pieces {
            let segment = Segment {
                begin,
                length,
                from,
                to,
                before,
            };
            if length.is_finite() {
                begin += length;
                before += segment.count(length);
            }
            segments.push(segment);
        }
        Rate { segments }
    }

    /// How many requests are due by `time` (seconds).
    #[cfg(test)]
    pub fn count(&self, time: f64) -> f64 {
        self.segments
            .iter()
            .rev()
            .find(|segment| segment.begin <= time)
            .map_or(0.0, |segment| {
                segment.before + segment.count(time - segment.begin)
            })
    }

    /// When the count reaches `count`, in seconds; `None`: never. `at` is the segment where the last search ended.
    fn time(&self, count: f64, at: &mut usize) -> Option<f64> {
        while self
            .segments
            .get(*at + 1)
            .is_some_and(|next| next.before <= count)
        {
            *at += 1;
        }
        let segment = self.segments.get(*at)?;
        let rest = count - segment.before;
        let slope = if segment.length.is_finite() {
            (segment.to - segment.from) / segment.length
        } else {
            0.0
        };
        // The root of slope/2 t² + from t = rest, in the form that loses no digits when the slope is small.
        let time = 2.0 * rest
            / (segment.from
                + (segment.from * segment.from + 2.0 * slope * rest)
                    .max(0.0)
                    .sqrt());
        if rest == 0.0 && (segment.from > 0.0 || segment.to > 0.0) {
            return Some(segment.begin);
        }
        time.is_finite()
            .then(|| segment.begin + time.min(segment.length))
    }
}

/// One thread's part of a schedule: the next due time, and on.
#[derive(Clone, Debug)]
pub struct Schedule {
    rate: Rate,
    at: usize,
    start: Nanos,
    next: Nanos,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Constant {
        slot: u64,
        step: u64,
    },
    Poisson {
        sum: f64,
        threads: f64,
        random: Random,
    },
}

impl Schedule {
    /// Thread `thread` of `threads`, beginning at `start`.
    pub fn new(
        arrivals: Arrivals,
        rate: Rate,
        start: Nanos,
        thread: usize,
        threads: usize,
        seed: u64,
    ) -> Schedule {
        let kind = match arrivals {
            Arrivals::Constant => Kind::Constant {
                slot: thread as u64,
                step: threads as u64,
            },
            Arrivals::Poisson => {
                let mut random = Random::stream(seed, thread as u64);
                let sum = random.exponential();
                Kind::Poisson {
                    sum,
                    threads: threads as f64,
                    random,
                }
            }
        };
        let mut schedule = Schedule {
            rate,
            at: 0,
            start,
            next: NEVER,
            kind,
        };
        schedule.find();
        schedule
    }

    /// When the next request is due; [`NEVER`] when no further one is.
    #[inline]
    pub fn next(&self) -> Nanos {
        self.next
    }

    /// Goes on to the request after the next.
    pub fn advance(&mut self) {
        match &mut self.kind {
            Kind::Constant { slot, step } => *slot += *step,
            Kind::Poisson { sum, random, .. } => *sum += random.exponential(),
        }
        self.find();
    }

    fn find(&mut self) {
        let count = match &self.kind {
            Kind::Constant { slot, .. } => *slot as f64,
            Kind::Poisson { sum, threads, .. } => sum * threads,
        };
        self.next = match self.rate.time(count, &mut self.at) {
            Some(seconds) if seconds < 1e9 => {
                self.start + (seconds * SECOND as f64).round() as Nanos
            }
            _ => NEVER,
        };
    }
}

#[cfg(test)]
mod tests;
