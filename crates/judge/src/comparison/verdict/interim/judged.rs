//! What came of one comparison, from one look to the next.

use photofinish_stats::{Direction, Interval, Paired, judge};

/// What came of one comparison.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::comparison) struct Judged {
    pub(in crate::comparison) paired: Option<Paired>,
    pub(in crate::comparison) interval: Option<Interval>,
    /// The level at which the last look drew the interval, as a share of 1 that may be wrong.
    pub(in crate::comparison) alpha: f64,
    /// `None` where nothing can be said.
    pub(in crate::comparison) direction: Option<Direction>,
    /// The round after which a look decided it.
    pub(in crate::comparison) decided_after: Option<u32>,
    /// The round after which a look took an earlier decision back, where it is open since then.
    pub(in crate::comparison) taken_back: Option<u32>,
    /// The chance of a decision by the cap, where it is open and rounds are added until it is decided.
    pub(in crate::comparison) chance: Option<f64>,
}

impl Judged {
    /// Takes a look at what the rounds up to this one say, at the level `self.alpha`. Where that leaves it open, it is a tie if it is
    /// one at the level of a pair that is compared `alone`: to call a tie is not to call a difference, and takes nothing from the family.
    pub(in crate::comparison) fn see(
        &mut self,
        paired: Paired,
        resolution: f64,
        margin: f64,
        (round, alone): (u32, f64),
    ) {
        self.paired = Some(paired);
        let Some(interval) = paired.interval(self.alpha, resolution) else {
            return;
        };
        let within = self.interval.map_or(interval, |before| Interval {
            low: before.low.max(interval.low),
            high: before.high.min(interval.high),
        });
        // Where the ratio of these rounds lies outside, the looks contradict one another: the latest one knows most.
        let within = Interval::new(within.low, within.high).filter(|i| i.contains(paired.ratio()));
        self.interval = Some(within.unwrap_or(interval));
        let mut direction = judge(self.interval, margin);
        let own = paired.interval(alone, resolution);
        if direction == Direction::Undecided && judge(own, margin) == Direction::Tie {
            (direction, self.interval, self.alpha) = (Direction::Tie, own, alone);
        }
        let before = self.direction.replace(direction);
        match direction {
            Direction::Undecided => {
                if self.decided_after.take().is_some() {
                    self.taken_back = Some(round);
                }
            }
            _ if before == Some(direction) => {}
            _ => (self.decided_after, self.taken_back) = (Some(round), None),
        }
    }

    /// Says that nothing is decided where no look was due yet.
    pub(in crate::comparison) fn settle(&mut self) {
        let rounds = self.paired.as_ref().map_or(0, |paired| paired.rounds);
        if self.interval.is_none() && rounds > 1 {
            self.direction = Some(Direction::Undecided);
        }
    }
}
