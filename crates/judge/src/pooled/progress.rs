//! How far a run on several pairs of machines is that adds rounds.

use photofinish_model::Metric;
use photofinish_model::message::Message;

use super::{Pooled, PooledRatio};
use crate::comparison::{Progress, Verdict, first_undecided};

impl Pooled {
    /// How far a run is that adds rounds until it is decided, or until the interval of every ratio of throughputs is as narrow as was asked for:
    /// by the verdicts on these machines.
    pub fn progress(&self) -> Progress {
        let half_width = self.head.settings.half_width;
        let is_waited_for = |ratio: &PooledRatio| match half_width {
            Some(_) => ratio.metric == Metric::Throughput,
            None => ratio.is_headline,
        };
        Progress::of_verdicts(self.on_these(is_waited_for), half_width)
    }

    /// The first verdict of a headline that the rounds have not decided, in a sentence with its interval.
    pub fn first_undecided(&self) -> Option<Message> {
        first_undecided(self.on_these(|ratio| ratio.is_headline))
    }

    /// The verdicts on these machines of such ratios.
    fn on_these(&self, is_such: impl Fn(&PooledRatio) -> bool) -> impl Iterator<Item = &Verdict> {
        let ratios = self.ratios.iter().filter(move |ratio| is_such(ratio));
        ratios.filter_map(|ratio| ratio.on_these.as_ref())
    }
}
