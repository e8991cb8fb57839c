//! Two targets compared over the rounds that both have.
//!
//! In round r the log ratio is d_r = ln(a_r / b_r). The ratio is exp(mean d), a geometric mean, and its
//! interval exp(mean d ± t_{R−1, 1−α/2} · s / √R). Pairing by round takes out what both targets share
//! in a round (a busy neighbour, a warm machine). The log makes A against B and B against A mirror
//! images, and a ratio's errors more nearly symmetric.
//! Sources: Georges, Buytaert, Eeckhout, *Statistically rigorous Java performance evaluation*, OOPSLA 2007
//! (intervals over VM invocations); Kalibera, Jones, *Rigorous benchmarking in reasonable time*, ISMM 2013
//! (the ratio as effect size).

use crate::correlation::{ENOUGH, correlation, stretch};
use crate::interval::{Interval, usable_margin};
use crate::spread::Spread;
use crate::student;
use crate::summary::mean_and_sd;

/// What the interval of two rounds reaches at least to either side.
pub const LEAST_REACH: f64 = 0.1;

/// The log ratios d_r = ln(a_r / b_r) of two targets, summed up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paired {
    /// How many rounds both targets have.
    pub rounds: usize,
    /// The mean of d.
    pub mean: f64,
    /// The standard deviation of d: that of the sample, or one that was drawn toward what other targets show ([`Spread`]). `None`
    /// with one round.
    pub sd: Option<f64>,
    /// With how many degrees of freedom `sd` is known: rounds − 1, and more with other targets' help.
    pub freedom: f64,
    /// How much a round resembles the one before it, by [`correlation`]; 0 where rounds are too few to tell.
    pub correlation: f64,
    /// By how much the mean may be off, however many rounds there are, as a logarithm: 0 for what is as it was measured. Intervals
    /// are wider by it at either end.
    pub uncertainty: f64,
}

impl Paired {
    /// Sums up the pairs (a, b) of the rounds that both targets have. `None` when there is none, or when a
    /// value is not finite or not above zero: such a value has no logarithm, and to leave its round out
    /// would choose the data by their outcome.
    pub fn new(pairs: &[(f64, f64)]) -> Option<Paired> {
        let usable = |value: f64| value.is_finite() && value > 0.0;
        if !pairs.iter().all(|&(a, b)| usable(a) && usable(b)) {
            return None;
        }
        // ln a - ln b where the quotient would overflow; equal values give exactly 0 either way.
        let logs: Vec<f64> = pairs.iter().map(|&(a, b)| a.ln() - b.ln()).collect();
        let (mean, sd) = mean_and_sd(&logs)?;
        Some(Paired {
            rounds: pairs.len(),
            mean,
            sd,
            freedom: pairs.len() as f64 - 1.0,
            correlation: correlation(&[&logs]),
            uncertainty: 0.0,
        })
    }

    /// The same of ratios that each round has.
    pub fn of_ratios(ratios: impl IntoIterator<Item = f64>) -> Option<Paired> {
        let pairs = ratios.into_iter().map(|ratio| (ratio, 1.0));
        Paired::new(&pairs.collect::<Vec<_>>())
    }

    /// The same with a correlation between rounds that was estimated from more than these two targets.
    pub fn with_correlation(self, correlation: f64) -> Paired {
        match self.rounds >= ENOUGH {
            true => Paired {
                correlation,
                ..self
            },
            false => self,
        }
    }

    /// The same with a variance of at least `variance`: what the turns within rounds imply. Two or three rounds often agree by chance
    /// much better than their turns allow.
    pub fn with_variance_of_at_least(self, variance: f64) -> Paired {
        let least = variance.max(0.0).sqrt();
        Paired {
            sd: self.sd.map(|sd| sd.max(least)),
            ..self
        }
    }

    /// The same with a spread that was drawn toward that of all targets of its place.
    pub fn helped_by(self, spread: &Spread) -> Paired {
        let Some(own) = self.sd.filter(|_| spread.freedom > 0.0) else {
            return self;
        };
        let drawn = spread.draw(Spread {
            variance: own * own,
            freedom: self.freedom,
        });
        Paired {
            sd: Some(drawn.variance.sqrt()),
            freedom: drawn.freedom,
            ..self
        }
    }

    /// The same with a spread that is pooled with that of rounds of another kind, whose mean is another and says nothing here: s² is the
    /// mean of both variances by their degrees of freedom, as the analysis of variance has it within groups. It supposes that
    /// rounds of both kinds differ among themselves alike.
    pub fn pooled_with(self, other: &Paired) -> Paired {
        match other.sd {
            Some(sd) => self.helped_by(&Spread {
                variance: sd * sd,
                freedom: other.freedom,
            }),
            None => self,
        }
    }

    /// The ratio a / b: exp(mean d).
    pub fn ratio(&self) -> f64 {
        self.mean.exp().min(f64::MAX)
    }

    /// The standard error of the mean of d: s / √R, stretched where rounds resemble the ones before. `None` under 2 rounds.
    pub fn standard_error(&self) -> Option<f64> {
        let stretch = stretch(self.correlation, self.rounds);
        Some(stretch * self.sd? / (self.rounds as f64).sqrt())
    }

    /// The same, were a round to resemble the one before it by at least `correlation`.
    pub fn were_rounds_alike(self, correlation: f64) -> Paired {
        Paired {
            correlation: self.correlation.max(correlation),
            ..self
        }
    }

    /// The interval of the ratio at level `alpha` (0.05 for 95%). `None` under 2 rounds, where `alpha` is not
    /// between 0 and 1, or where the data bound nothing (an end beyond the range of numbers).
    ///
    /// It is never narrower than ± `resolution` (relative) about the ratio: 0 for exact figures, the width of a bucket for
    /// figures from a histogram, which else would agree to the last digit and pass for certain. With fewer than two degrees of freedom it is
    /// never narrower than ± [`LEAST_REACH`]: the spread of two rounds is hardly known, and they may agree to the last digit by chance.
    pub fn interval(&self, alpha: f64, resolution: f64) -> Option<Interval> {
        let half = student::two_sided_of(alpha, self.freedom)? * self.standard_error()?;
        let least = match self.freedom < 2.0 {
            true => usable_margin(resolution).max(LEAST_REACH),
            false => usable_margin(resolution),
        };
        let half = (half + self.uncertainty).max(least.ln_1p());
        Interval::new((self.mean - half).exp(), (self.mean + half).exp())
    }

    /// The p-value of the two-sided t test of 'mean d = 0'. `None` under 2 rounds. Rounds that agree to the
    /// last digit give 1 where they say 'equal' and 0 where they do not.
    pub fn p_value(&self) -> Option<f64> {
        let error = self.standard_error()?;
        let beyond = (self.mean.abs() - self.uncertainty).max(0.0);
        if error == 0.0 {
            return Some(if beyond == 0.0 { 1.0 } else { 0.0 });
        }
        let tail = student::tail_above(beyond / error, self.freedom)?;
        Some((2.0 * tail).min(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// d = 0.1, 0.2, 0.3: mean 0.2, s = 0.1, standard error 0.1 / √3, t = 3.4641 at 2 degrees of freedom.
    fn three() -> Paired {
        let pairs: Vec<(f64, f64)> = [0.1f64, 0.2, 0.3].map(|d| (d.exp(), 1.0)).to_vec();
        Paired::new(&pairs).expect("three rounds")
    }

    #[test]
    fn three_rounds_by_hand() {
        let paired = three();
        assert!((paired.mean - 0.2).abs() < 1e-12);
        assert!((paired.sd.expect("an sd") - 0.1).abs() < 1e-12);
        assert!((paired.ratio() - 0.2f64.exp()).abs() < 1e-12);
        let interval = paired.interval(0.05, 0.0).expect("an interval");
        let half = 4.302_652_73 * 0.1 / 3f64.sqrt();
        assert!((interval.low - (0.2 - half).exp()).abs() < 1e-6);
        assert!((interval.high - (0.2 + half).exp()).abs() < 1e-6);
        // At 2 degrees of freedom P(|T| > t) = 1 - t / √(2 + t²).
        let t = 12f64.sqrt();
        let p = 1.0 - t / (2.0 + t * t).sqrt();
        assert!((paired.p_value().expect("a p-value") - p).abs() < 1e-9);
    }

    /// Two rounds of one kind, d = 0.1 and 0.3: mean 0.2, variance 0.02. Two of another, d = 0.5 and 0.6: variance 0.005. Within both
    /// it is 0.0125 with 2 degrees of freedom, and the standard error of the first's mean √(0.0125 / 2).
    #[test]
    fn rounds_of_another_kind_say_how_much_rounds_differ() {
        let of = |logs: [f64; 2]| {
            let pairs: Vec<(f64, f64)> = logs.map(|d| (d.exp(), 1.0)).to_vec();
            Paired::new(&pairs).expect("two rounds")
        };
        let pooled = of([0.1, 0.3]).pooled_with(&of([0.5, 0.6]));
        assert!((pooled.mean - 0.2).abs() < 1e-12);
        assert_eq!((pooled.rounds, pooled.freedom), (2, 2.0));
        assert!((pooled.sd.expect("an sd").powi(2) - 0.0125).abs() < 1e-12);
        let interval = pooled.interval(0.05, 0.0).expect("an interval");
        let half = 4.302_652_73 * (0.0125f64 / 2.0).sqrt();
        assert!((interval.low - (0.2 - half).exp()).abs() < 1e-6);
        // A third spread is drawn in with the degrees of freedom of both: (2 · 0.0125 + 2 · 0.0025) / 4.
        let helped = pooled.helped_by(&Spread {
            variance: 0.0025,
            freedom: 2.0,
        });
        assert!((helped.sd.expect("an sd").powi(2) - 0.0075).abs() < 1e-12);
        assert_eq!(helped.freedom, 4.0);
        let one = Paired::new(&[(3.0, 2.0)]).expect("a round");
        assert_eq!(pooled.pooled_with(&one), pooled);
        assert_eq!(one.pooled_with(&pooled), one);
    }

    #[test]
    fn values_without_a_logarithm_give_nothing() {
        assert_eq!(Paired::new(&[]), None);
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Paired::new(&[(1.0, 2.0), (bad, 1.0)]), None);
            assert_eq!(Paired::new(&[(1.0, bad)]), None);
        }
    }

    #[test]
    fn one_round_has_a_ratio_and_no_interval() {
        let paired = Paired::new(&[(3.0, 2.0)]).expect("a round");
        assert!((paired.ratio() - 1.5).abs() < 1e-12);
        assert_eq!(paired.sd, None);
        assert_eq!(paired.interval(0.05, 0.001), None);
        assert_eq!(paired.p_value(), None);
    }

    #[test]
    fn rounds_without_variance_are_as_certain_as_their_resolution() {
        let equal = Paired::new(&[(5.0, 5.0); 3]).expect("rounds");
        assert_eq!(equal.p_value(), Some(1.0));
        assert_eq!(equal.interval(0.05, 0.0), Interval::new(1.0, 1.0));
        let wider = equal.interval(0.05, 0.001).expect("an interval");
        assert!((wider.high - 1.001).abs() < 1e-12 && (wider.low - 1.0 / 1.001).abs() < 1e-12);
        let other = Paired::new(&[(6.0, 5.0); 3]).expect("rounds");
        assert_eq!(other.p_value(), Some(0.0));
    }

    #[test]
    fn an_interval_without_a_bound_is_none() {
        let paired = Paired::new(&[(1e300, 1e-300), (1e-300, 1e300)]).expect("rounds");
        assert_eq!(paired.interval(0.05, 0.0), None);
        assert_eq!(three().interval(0.0, 0.0), None);
        assert_eq!(three().interval(f64::NAN, 0.0), None);
    }

    proptest! {
        #[test]
        fn swapping_the_targets_mirrors_the_figures(pairs in prop::collection::vec((1e-3f64..1e6, 1e-3f64..1e6), 2..12)) {
            let swapped: Vec<(f64, f64)> = pairs.iter().map(|&(a, b)| (b, a)).collect();
            let (there, back) = (Paired::new(&pairs), Paired::new(&swapped));
            let (there, back) = (there.expect("rounds"), back.expect("rounds"));
            prop_assert!((there.ratio() * back.ratio() - 1.0).abs() < 1e-9);
            prop_assert_eq!(there.p_value(), back.p_value());
        }

        #[test]
        fn the_interval_excludes_one_just_when_the_p_value_is_below_its_level(
            pairs in prop::collection::vec((0.5f64..2.0, 0.5f64..2.0), 2..12),
            alpha in 0.001f64..0.5,
        ) {
            let paired = Paired::new(&pairs).expect("rounds");
            let p = paired.p_value().expect("a p-value");
            prop_assume!((p - alpha).abs() > 1e-6);
            if let Some(interval) = paired.interval(alpha, 0.0) {
                // The interval of two rounds has a least reach.
                match paired.rounds > 2 {
                    true => prop_assert_eq!(!interval.contains(1.0), p < alpha),
                    false => prop_assert!(interval.contains(1.0) || p < alpha),
                }
            }
        }

        #[test]
        fn nothing_that_is_no_number_comes_out(pairs in prop::collection::vec((any::<f64>(), any::<f64>()), 0..6), alpha in any::<f64>(), resolution in any::<f64>()) {
            if let Some(paired) = Paired::new(&pairs) {
                prop_assert!(paired.mean.is_finite() && paired.ratio().is_finite());
                prop_assert!(paired.sd.is_none_or(f64::is_finite));
                prop_assert!(paired.p_value().is_none_or(|p| (0.0..=1.0).contains(&p)));
                let interval = paired.interval(alpha, resolution);
                prop_assert!(interval.is_none_or(|i| i.low.is_finite() && i.high.is_finite() && i.low <= i.high));
            }
        }
    }
}
