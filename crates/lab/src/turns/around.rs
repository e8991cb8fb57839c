//! What was seen around a slice, and what that says of its turn.

use std::time::Duration;

use hdrhistogram::Histogram;
use photofinish_model::{Disturbed, MOVED, UNEVEN, moved};

use super::even::{Evenness, Took};
use super::state::{Grade, TurnState};
use crate::convert::STANDSTILL;

/// CPU time of strangers in a slice that disturbs it, or of servers that should rest: a scheduler's turn or more …
const OTHERS: Duration = Duration::from_millis(3);
/// … or this share of a slice, where that is more. So much of one may a core have stood still, too.
const SHARE: f64 = 0.03;

/// A core that lets a thread wait for so many times as long as in another target's slice stood still again and again, for moments too short to
/// be told from a sleep each.
const LATER: f64 = 3.0;

/// What was seen around one slice.
#[derive(Clone, Debug)]
pub(crate) struct Around {
    /// From border to border.
    pub(crate) took: Duration,
    /// CPU time of processes of neither side on the cores of server and generator.
    pub(crate) others: Option<Duration>,
    pub(crate) bystanders: Option<Duration>,
    /// The core-to-core latency before and after it, in nanoseconds.
    pub(crate) latencies: Option<[f64; 2]>,
    /// The same as shares of what is usual.
    pub(crate) of_usual: Option<[f64; 2]>,
    /// How late a thread that only sleeps woke up.
    pub(crate) late: Option<Histogram<u64>>,
    /// How long a fixed piece of arithmetic took on the server's core and on the generator's, in nanoseconds.
    pub(crate) reference: Took,
    /// How late the server's core and the generator's let a thread run that no other thread keeps from it, in nanoseconds.
    pub(crate) wake: Took,
}

/// Whether so much CPU time of strangers within so long disturbs a measurement.
pub(crate) fn are_many(others: Duration, took: Duration) -> bool {
    others >= limit(OTHERS, took)
}

/// How much within so long disturbs it, where so little does in a short slice.
fn limit(short: Duration, took: Duration) -> Duration {
    short.max(took.mul_f64(SHARE))
}

impl Around {
    /// The longest that a thread that only sleeps woke up late.
    pub(crate) fn stopped(&self) -> Option<Duration> {
        let late = self.late.as_ref().filter(|late| !late.is_empty())?;
        Some(Duration::from_nanos(late.max()))
    }

    /// What was seen of the slice.
    pub(crate) fn seen(&self) -> TurnState {
        let of = |seen: Option<Duration>, short: Duration, what: Disturbed| {
            let times = seen?.as_secs_f64() / limit(short, self.took).as_secs_f64();
            Some(TurnState::Disturbed(what, Grade::of(times)?))
        };
        let others = of(self.others, OTHERS, Disturbed::OtherProcesses);
        let bystanders = of(self.bystanders, OTHERS, Disturbed::Bystanders);
        let stopped = of(self.stopped(), STANDSTILL, Disturbed::StoppedCore);
        let disturbed = [others, bystanders, stopped].into_iter().flatten();
        disturbed.fold(self.cores(), TurnState::with)
    }

    /// Where the cores lay.
    fn cores(&self) -> TurnState {
        let Some([before, after]) = self.of_usual else {
            return TurnState::Usual;
        };
        let far = before.min(after) > MOVED || before.max(after) < 1.0 / MOVED;
        let most = moved(before, 1.0).max(moved(after, 1.0));
        match Grade::of(most / MOVED) {
            None => TurnState::Usual,
            Some(grade) if far => TurnState::Elsewhere(grade),
            Some(grade) => TurnState::Disturbed(Disturbed::MovedCores, grade),
        }
    }
}

/// What the cores were like beside each target so far.
#[derive(Debug)]
pub(super) struct SoFar {
    /// How fast they were.
    speeds: Evenness,
    /// How late they let threads run.
    lateness: Evenness,
}

impl Default for SoFar {
    fn default() -> SoFar {
        SoFar {
            speeds: Evenness::within(UNEVEN),
            lateness: Evenness::within(LATER),
        }
    }
}

impl SoFar {
    /// Adds a turn, by what was seen around its slices, each with the place of its target: what disturbs one of them disturbs the turn.
    pub(super) fn add<'a>(
        &mut self,
        slices: impl Iterator<Item = (usize, &'a Around)> + Clone,
    ) -> TurnState {
        let took = |of: fn(&Around) -> Took| {
            let took = slices.clone().map(|(place, around)| (place, of(around)));
            took.collect::<Vec<_>>()
        };
        let speeds = self.speeds.add(&took(|around| around.reference));
        let late = self.lateness.add(&took(|around| around.wake));
        let uneven = [
            (Disturbed::UnevenCores, speeds),
            (Disturbed::StoppedCore, late),
        ];
        let uneven = uneven.into_iter();
        let uneven = uneven.filter_map(|(what, grade)| Some(TurnState::Disturbed(what, grade?)));
        let seen = slices.map(|(_, around)| around.seen()).chain(uneven);
        seen.reduce(TurnState::with).unwrap_or(TurnState::Usual)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn around(took: u64, others: Option<u64>, late: &[u64]) -> Around {
        let mut histogram = Histogram::new_with_bounds(1, 60_000_000_000, 3).expect("bounds");
        for late in late {
            histogram.saturating_record(late * 1_000_000);
        }
        Around {
            took: ms(took),
            others: others.map(ms),
            bystanders: None,
            latencies: None,
            of_usual: None,
            late: Some(histogram),
            reference: [None; 2],
            wake: [None; 2],
        }
    }

    #[test]
    fn only_what_is_seen_outside_disturbs() {
        let others = |grade| TurnState::Disturbed(Disturbed::OtherProcesses, Grade::at(grade));
        assert_eq!(around(70, Some(2), &[1]).seen(), TurnState::Usual);
        assert_eq!(around(70, Some(3), &[1]).seen(), others(0));
        assert_eq!(around(70, Some(35), &[1]).seen(), others(3));
        assert_eq!(around(70, Some(70_000), &[1]).seen(), others(5));
        // 3% of 400 ms is 12 ms.
        assert_eq!(around(400, Some(11), &[1]).seen(), TurnState::Usual);
        assert_eq!(around(400, Some(12), &[1]).seen(), others(0));
        assert_eq!(around(70, None, &[]).seen(), TurnState::Usual);
        let stopped = |grade| TurnState::Disturbed(Disturbed::StoppedCore, Grade::at(grade));
        assert_eq!(around(70, None, &[0, 6]).seen(), stopped(0));
        assert_eq!(around(70, Some(0), &[0, 4]).seen(), TurnState::Usual);
        assert_eq!(around(400, Some(0), &[0, 11]).seen(), TurnState::Usual);
        assert_eq!(around(400, Some(0), &[0, 13]).seen(), stopped(0));
        let rest = |others, bystanders| Around {
            bystanders: Some(ms(bystanders)),
            ..around(70, Some(others), &[1])
        };
        let bystanders = |grade| TurnState::Disturbed(Disturbed::Bystanders, Grade::at(grade));
        assert_eq!(rest(0, 2).seen(), TurnState::Usual);
        assert_eq!(rest(0, 3).seen(), bystanders(0));
        assert_eq!(rest(3, 59).seen(), bystanders(4));
        assert_eq!(rest(6, 3).seen(), others(1));
        // The worse of both.
        assert_eq!(around(70, Some(3), &[11]).seen(), stopped(1));
        assert_eq!(around(70, Some(3), &[6]).seen(), others(0));
    }

    #[test]
    fn cores_are_elsewhere_from_begin_to_end_or_were_moved() {
        let seen = |of_usual| {
            let around = around(70, None, &[]);
            let of_usual = Some(of_usual);
            Around { of_usual, ..around }.seen()
        };
        let moved = |grade| TurnState::Disturbed(Disturbed::MovedCores, Grade::at(grade));
        assert_eq!(seen([1.9, 0.6]), TurnState::Usual);
        assert_eq!(seen([2.5, 4.5]), TurnState::Elsewhere(Grade::at(1)));
        assert_eq!(seen([0.4, 0.3]), TurnState::Elsewhere(Grade::at(0)));
        assert_eq!(seen([1.0, 4.5]), moved(1));
        assert_eq!(seen([4.5, 0.4]), moved(1));
    }

    #[test]
    fn a_core_that_is_later_beside_one_target_stood_still_there() {
        let mut so_far = SoFar::default();
        let mut turn = |late: [f64; 2], took: [f64; 2]| {
            let slices = [0, 1].map(|at: usize| Around {
                wake: [Some(20_000.0), Some(late[at])],
                reference: [Some(took[at]), Some(4_000.0)],
                ..around(70, Some(0), &[1])
            });
            so_far.add(slices.iter().enumerate())
        };
        let stopped = |grade| TurnState::Disturbed(Disturbed::StoppedCore, Grade::at(grade));
        assert_eq!(turn([20_000.0, 50_000.0], [4_000.0; 2]), TurnState::Usual);
        assert_eq!(turn([90_000.0, 80_000.0], [4_000.0; 2]), TurnState::Usual);
        // Three times as late, five times, nine times.
        assert_eq!(turn([20_000.0, 62_000.0], [4_000.0; 2]), stopped(0));
        assert_eq!(turn([110_000.0, 20_000.0], [4_000.0; 2]), stopped(1));
        assert_eq!(turn([20_000.0, 190_000.0], [4_000.0; 2]), stopped(2));
        // How fast a core is counts as before, and what it is called is the other.
        let uneven = TurnState::Disturbed(Disturbed::UnevenCores, Grade::at(0));
        assert_eq!(turn([20_000.0; 2], [4_000.0, 4_600.0]), uneven);
        assert_eq!(turn([20_000.0, 70_000.0], [4_000.0, 6_100.0]), stopped(2));
    }
}
