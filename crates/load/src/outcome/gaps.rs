//! Times in which requests waited and no response came on any connection.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Outcome;
use crate::clock::{self, MILLISECOND, NEVER, Nanos};

/// Shorter times without a response are not noted.
pub(crate) const LEAST: Nanos = MILLISECOND;

/// A time in which requests waited and no response came on any connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// When it began, in nanoseconds from the window's opening; negative = before it.
    pub began: i64,
    /// How long it lasted, until the next response or until nothing was waited for any more.
    pub lasted: Duration,
    /// Whether no response came before it: it may have begun before load did.
    pub under_way: bool,
}

/// The same of one thread, by the clock. Its requests need not have waited for all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Silence {
    /// The thread's last response, or the beginning of load.
    pub from: Nanos,
    /// Since when a request of the thread waited; [`NEVER`] = none did.
    pub waiting: Nanos,
    /// Its next response; [`NEVER`] = there is none.
    pub to: Nanos,
}

/// The gaps that silences of all threads have in common, each thread's in their order, if load began at `start` and the window opened at `opens`.
pub(crate) fn common(
    threads: impl IntoIterator<Item = Vec<Silence>>,
    start: Nanos,
    opens: Nanos,
) -> Vec<Gap> {
    let mut threads = threads.into_iter();
    let first = threads.next().unwrap_or_default();
    let all = threads.fold(first, |all, one| {
        meet(&all, &one, |all, one| {
            let (from, to) = (all.from.max(one.from), all.to.min(one.to));
            (to.saturating_sub(from) >= LEAST).then(|| Silence {
                from,
                waiting: all.waiting.min(one.waiting),
                to,
            })
        })
    });
    let gap = |silence: Silence| {
        let from = silence.from.max(silence.waiting);
        let lasted = silence.to.saturating_sub(from);
        (silence.to != NEVER && lasted >= LEAST).then(|| Gap {
            began: from as i64 - opens as i64,
            lasted: Duration::from_nanos(lasted),
            under_way: silence.from == start,
        })
    };
    all.into_iter().filter_map(gap).collect()
}

/// What `both` makes of each two that meet, of two lists in order of time.
fn meet<T: Timed>(one: &[T], other: &[T], both: impl Fn(&T, &T) -> Option<T>) -> Vec<T> {
    let (mut i, mut j, mut met) = (0, 0, Vec::new());
    while let (Some(mine), Some(theirs)) = (one.get(i), other.get(j)) {
        met.extend(both(mine, theirs));
        if mine.end() <= theirs.end() {
            i += 1;
        } else {
            j += 1;
        }
    }
    met
}

trait Timed {
    fn end(&self) -> i128;
}

impl Timed for Silence {
    fn end(&self) -> i128 {
        self.to.into()
    }
}

impl Timed for Gap {
    fn end(&self) -> i128 {
        i128::from(self.began) + self.lasted.as_nanos() as i128
    }
}

/// The gaps of two generators whose windows opened at the same instant.
pub(super) fn of_both(one: &[Gap], other: &[Gap]) -> Vec<Gap> {
    meet(one, other, |one, other| {
        let began = one.began.max(other.began);
        let lasted = one.end().min(other.end()) - i128::from(began);
        let lasted = Nanos::try_from(lasted).unwrap_or(0);
        (lasted >= LEAST).then(|| Gap {
            began,
            lasted: Duration::from_nanos(lasted),
            under_way: one.under_way && other.under_way,
        })
    })
}

/// A slice divided into flow and stalls. A stall is a gap longer than a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SliceStalls {
    /// How long responses flowed within the window.
    pub flow: Duration,
    /// The whole length of the stalls that began within the window, also what of them came after it.
    pub stalled: Duration,
    /// How long responses flowed under load, in the lead-in and the window.
    pub loaded_flow: Duration,
    /// The whole length of the stalls that began there.
    pub loaded_stalled: Duration,
    /// How many those are.
    pub count: u32,
    /// The whole length of one that was under way when load began.
    pub under_way: Duration,
    /// The longest stall, one that was under way included.
    pub longest: Option<Gap>,
}

impl Outcome {
    /// Divides the slice into flow and stalls: gaps longer than `limit`.
    ///
    /// A stall that began under load counts whole, in the lead-in too: a server that stands still after so much work may do so at the same place of each
    /// slice. One that was under way is neither flow nor a stall of this slice. After the window's end connections are idle by the generator's own doing,
    /// so that nothing counts that begins there.
    pub fn stalls(&self, limit: Duration) -> SliceStalls {
        let nanos = |time: Duration| i128::from(clock::nanos(time));
        let (lead_in, window) = (nanos(self.lead_in), nanos(self.duration));
        let within = |gap: &Gap, from: i128| {
            (gap.end().min(window) - i128::from(gap.began).max(from)).max(0)
        };
        let (mut flow, mut loaded, mut all) = (window, lead_in + window, SliceStalls::default());
        for gap in self.gaps.iter().filter(|gap| gap.lasted > limit) {
            if i128::from(gap.began) > window {
                continue;
            }
            flow -= within(gap, 0);
            loaded -= within(gap, -lead_in);
            if gap.under_way {
                all.under_way += gap.lasted;
            } else {
                all.loaded_stalled += gap.lasted;
                all.count += 1;
                if gap.began >= 0 {
                    all.stalled += gap.lasted;
                }
            }
            if all
                .longest
                .is_none_or(|longest| longest.lasted < gap.lasted)
            {
                all.longest = Some(*gap);
            }
        }
        let time = |nanos: i128| Duration::from_nanos(Nanos::try_from(nanos).unwrap_or(0));
        (all.flow, all.loaded_flow) = (time(flow), time(loaded));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Nanos = MILLISECOND;

    fn silence(from: Nanos, waiting: Nanos, to: Nanos) -> Silence {
        let at = |time: Nanos| if time == NEVER { NEVER } else { time * MS };
        Silence {
            from: at(from),
            waiting: at(waiting),
            to: at(to),
        }
    }

    fn gap(began: i64, lasted: u64) -> Gap {
        Gap {
            began: began * MS as i64,
            lasted: Duration::from_millis(lasted),
            under_way: false,
        }
    }

    #[test]
    fn a_gap_is_what_all_threads_are_silent_for_while_any_request_waits() {
        // The second thread has a response at 150, and the first at 500.
        let first = vec![silence(100, 100, 300), silence(400, 400, 500)];
        let second = vec![
            silence(50, 50, 150),
            silence(150, 150, 450),
            silence(500, NEVER, NEVER),
        ];
        let both = common([first.clone(), second], 0, 90 * MS);
        assert_eq!(both, [gap(10, 50), gap(60, 150), gap(310, 50)]);
        // Idle threads have no response either, and say nothing of the server.
        let idle = || vec![silence(0, NEVER, NEVER)];
        let with_idle = common([first.clone(), idle()], 0, 0);
        assert_eq!(with_idle, [gap(100, 200), gap(400, 100)]);
        assert_eq!(common([idle(), idle()], 0, 0), []);
        // Nothing waited before 180; and one whose request never gets a response has a gap until it is given up.
        let late = vec![silence(100, 180, 300), silence(300, 300, 5_300)];
        assert_eq!(
            common([late.clone()], 0, 0),
            [gap(180, 120), gap(300, 5_000)]
        );
        assert!(common([late], 100 * MS, 0)[0].under_way);
        assert_eq!(common([], 0, 0), []);
    }

    #[test]
    fn gaps_of_several_generators_are_those_of_all() {
        let one = [gap(-20, 50), gap(100, 100)];
        let other = [gap(-10, 20), gap(15, 120), gap(150, 500)];
        assert_eq!(
            of_both(&one, &other),
            [gap(-10, 20), gap(15, 15), gap(100, 35), gap(150, 50)]
        );
    }
}
