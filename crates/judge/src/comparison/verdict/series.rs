//! Figures by round: of one target, or of two in the rounds that both have.

use photofinish_stats::spread::{FEWEST_FREEDOM, Kinds, freedom_within};
use photofinish_stats::{Paired, Spread};

/// A figure of each round, or two targets' figures in rounds that both have.
pub(crate) type Rounds<T = (f64, f64)> = Vec<(u32, T)>;

/// Two targets' figures by round, or those of one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Series<T = (f64, f64)> {
    /// In the rounds that count.
    pub(crate) counted: Rounds<T>,
    /// In rounds of another kind, which say nothing of the ratio but, where few count, how much rounds differ.
    pub(crate) aside: Rounds<T>,
    /// The variance of the logarithm of a round's ratio that its turns imply; not there for rounds without turns.
    pub(crate) implied: Rounds<f64>,
    /// By how much the ratio may be off however many rounds there are, as a logarithm.
    pub(crate) uncertainty: f64,
}

/// With fewer rounds that count those of another kind say how much rounds differ: of two alone next to nothing is known.
pub(crate) const FEW: usize = 3;

impl<T> Default for Series<T> {
    fn default() -> Self {
        Series {
            counted: Rounds::new(),
            aside: Rounds::new(),
            implied: Rounds::new(),
            uncertainty: 0.0,
        }
    }
}

impl<T> Series<T> {
    /// The logarithms of the rounds up to this one; `None` where one has none.
    pub(super) fn logs(&self, round: u32, log: impl Fn(&T) -> Option<f64>) -> Option<Series<f64>> {
        let logs = |rounds: &Rounds<T>| {
            let logs = upto(rounds, round).map(|(at, figures)| Some((*at, log(figures)?)));
            logs.collect::<Option<Rounds<f64>>>()
        };
        Some(Series {
            counted: logs(&self.counted)?,
            aside: logs(&self.aside)?,
            ..Series::default()
        })
    }
}

impl Series<f64> {
    /// By kinds of rounds, as far as they say how much rounds differ.
    pub(super) fn kinds(self) -> Kinds {
        match self.counted.len() < FEW {
            true => vec![self.counted, self.aside],
            false => vec![self.counted],
        }
    }
}

impl Series {
    /// The rounds up to this one, summed up.
    pub(crate) fn paired(&self, round: u32) -> Option<Paired> {
        self.helped(round, None)
    }

    /// The same, its spread drawn toward that of others. A round's variance is at least what its turns imply.
    pub(super) fn helped(&self, round: u32, spread: Option<&Spread>) -> Option<Paired> {
        let of = |rounds: &Rounds| {
            let pairs: Vec<(f64, f64)> = upto(rounds, round).map(|(_, pair)| *pair).collect();
            Paired::new(&pairs)
        };
        let paired = of(&self.counted)?;
        let paired = match of(&self.aside) {
            Some(aside) if paired.rounds < FEW => paired.pooled_with(&aside),
            _ => paired,
        };
        let paired = match spread {
            Some(spread) => paired.helped_by(spread),
            None => paired,
        };
        let implied: f64 = upto(&self.implied, round)
            .map(|(_, variance)| variance)
            .sum();
        Some(Paired {
            uncertainty: self.uncertainty,
            ..paired.with_variance_of_at_least(implied / paired.rounds as f64)
        })
    }

    /// The log ratios up to a round; `None` where they say next to nothing of how much rounds differ, and where one has no logarithm.
    pub(super) fn log_ratios(&self, round: u32) -> Option<Kinds> {
        let log = |(a, b): &(f64, f64)| (*a > 0.0 && *b > 0.0).then(|| a.ln() - b.ln());
        let kinds = self.logs(round, log)?.kinds();
        (freedom_within(&kinds) >= FEWEST_FREEDOM).then_some(kinds)
    }
}

/// The rounds up to this one.
pub(crate) fn upto<T>(rounds: &Rounds<T>, round: u32) -> impl Iterator<Item = &(u32, T)> {
    rounds.iter().filter(move |(at, _)| *at <= round)
}
