//! A difference over the rounds, in the figure's own unit: for what may be zero, and so has no ratio.

use crate::spread::{Kinds, Spread, of_one_kind, spread_of_pairs};
use crate::summary::mean_and_sd;
use crate::{Interval, OverMachines, Paired, student};

/// The mean of the rounds' figures; `None` without any, and where one is not finite.
pub fn mean(values: &[f64]) -> Option<f64> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    mean.is_finite().then_some(mean)
}

/// The sample standard deviation over the rounds; `None` under two of them.
pub fn deviation(values: &[f64]) -> Option<f64> {
    mean_and_sd(values)?.1
}

/// One of several differences that samples of the same two targets show: how it came out in each round.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampled {
    /// The difference in each round.
    pub figures: Vec<f64>,
    /// The standard error that each has by the chance of sampling alone.
    pub errors: Vec<f64>,
    /// The standard error that each is expected to have in all, up to a factor that all of the differences have in common.
    pub expected: Vec<f64>,
}

/// The mean of each of several sampled differences and its interval at level `alpha`: mean ± t·s/√n, as [`mean_interval`] has it, with the
/// errors of sampling for the least. In units of what is expected of it the variance of each is drawn toward that of all of them (see
/// [`spread_of_pairs`]): with four or five rounds each knows little of its own. `None` for one without figures or with one that is not
/// finite; no interval under two rounds.
pub fn sampled(all: &[Sampled], alpha: f64) -> Vec<Option<(f64, Option<Interval>)>> {
    let in_units = |one: &Sampled| {
        let unit = mean_square(&one.expected).sqrt();
        let row: Vec<f64> = one.figures.iter().map(|figure| figure / unit).collect();
        let is_finite = row.iter().all(|x| x.is_finite());
        is_finite.then(|| of_one_kind(&row))
    };
    let rows: Vec<Kinds> = all.iter().filter_map(in_units).collect();
    let common = spread_of_pairs(&rows);
    let one = |one: &Sampled| {
        let least = (mean_square(&one.errors) / one.errors.len() as f64).sqrt();
        let others = common.map(|common| Spread {
            variance: common.variance * mean_square(&one.expected),
            ..common
        });
        let interval = interval(&one.figures, least, others, alpha);
        Some((mean(&one.figures)?, interval))
    };
    all.iter().map(one).collect()
}

fn mean_square(errors: &[f64]) -> f64 {
    errors.iter().map(|error| error * error).sum::<f64>() / errors.len().max(1) as f64
}

/// The interval of the mean of the rounds' figures, mean ± t·s/√n with n − 1 degrees of freedom, at level `alpha`. The standard error is
/// taken to be at least `least`: figures that are counted in few samples may agree by chance. `None` under two rounds.
pub fn mean_interval(values: &[f64], least: f64, alpha: f64) -> Option<Interval> {
    interval(values, least, None, alpha)
}

/// The interval of the mean of the figures of several pairs of machines, at level `alpha`: as [`OverMachines::on_these`] has it for log
/// ratios. `None` if no pair has two rounds.
pub fn mean_interval_over_machines(machines: &[Vec<f64>], alpha: f64) -> Option<Interval> {
    let of_one = |values: &Vec<f64>| {
        let (mean, sd) = mean_and_sd(values)?;
        Some(Paired {
            rounds: values.len(),
            mean,
            sd,
            freedom: values.len() as f64 - 1.0,
            correlation: 0.0,
            uncertainty: 0.0,
        })
    };
    let each: Vec<Paired> = machines.iter().filter_map(of_one).collect();
    let all = OverMachines::new(each)?.on_these();
    let reach = student::two_sided_of(alpha, all.freedom)? * all.standard_error()?;
    Interval::new(all.mean - reach, all.mean + reach)
}

/// The interval of [`mean_interval`] with a variance that is drawn toward what others say of it.
fn interval(values: &[f64], least: f64, others: Option<Spread>, alpha: f64) -> Option<Interval> {
    let (mean, sd) = mean_and_sd(values)?;
    let own = Spread {
        variance: sd?.powi(2),
        freedom: (values.len() - 1) as f64,
    };
    let spread = others.map_or(own, |others| others.draw(own));
    let t = student::two_sided_of(alpha, spread.freedom)?;
    let error = (spread.variance / values.len() as f64).sqrt().max(least);
    Interval::new(mean - t * error, mean + t * error)
}

/// The difference of the means of two samples, and what is known of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanDifference {
    /// The first mean less the second.
    pub mean: f64,
    /// Its variance, s₁² / n₁ + s₂² / n₂.
    pub variance: f64,
}

impl MeanDifference {
    /// That of two samples; `None` if one has fewer than two values, or neither has a spread.
    pub fn of(first: &[f64], second: &[f64]) -> Option<MeanDifference> {
        let ((first_mean, first_sd), (second_mean, second_sd)) =
            (mean_and_sd(first)?, mean_and_sd(second)?);
        let variance =
            first_sd?.powi(2) / first.len() as f64 + second_sd?.powi(2) / second.len() as f64;
        let difference = MeanDifference {
            mean: first_mean - second_mean,
            variance,
        };
        (difference.mean.is_finite() && variance.is_finite() && variance > 0.0)
            .then_some(difference)
    }

    /// The mean of differences in several rounds, each weighted by what is known of it; `None` of none.
    pub fn together(all: &[MeanDifference]) -> Option<MeanDifference> {
        let weights: f64 = all.iter().map(|of| of.variance.recip()).sum();
        let sum: f64 = all.iter().map(|of| of.mean / of.variance).sum();
        (weights > 0.0).then(|| MeanDifference {
            mean: sum / weights,
            variance: weights.recip(),
        })
    }

    /// Whether it is not chance, at level `alpha`: for samples of dozens of values, by the normal distribution.
    pub fn is_certain(&self, alpha: f64) -> bool {
        let many = student::two_sided_of(alpha, 1e6);
        many.is_some_and(|many| self.mean.abs() > many * self.variance.sqrt())
    }
}

/// The standard error that a share of `samples` has by chance alone, where `count` of them were seen: that of a binomial share, with one
/// sample more of which half counts, so that none seen is not taken for none there.
pub fn share_error(count: u64, samples: u64) -> f64 {
    let share = (count as f64 + 0.5) / (samples as f64 + 1.0);
    (share * (1.0 - share) / (samples as f64 + 1.0))
        .max(0.0)
        .sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_what_the_formula_gives() {
        // Mean 3, s² = 2.5, s/√5 = 0.707107; t(4, 97.5%) = 2.776445: half-width 1.963243.
        let interval = mean_interval(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.0, 0.05).expect("an interval");
        assert!((interval.low - 1.036_757).abs() < 1e-6, "{interval:?}");
        assert!((interval.high - 4.963_243).abs() < 1e-6, "{interval:?}");
        // Equal figures: the least error alone.
        let interval = mean_interval(&[2.0; 5], 0.1, 0.05).expect("an interval");
        assert!((interval.high - 2.277_644_5).abs() < 1e-6, "{interval:?}");
    }

    /// Two pairs of machines with means 2 and 5 and squares of 2 each: s² = 4 / 3, the variance of the mean s² (1/3 + 1/2) / 4, t(3) = 3.182446.
    #[test]
    fn an_interval_over_machines_by_hand() {
        let machines = [vec![1.0, 2.0, 3.0], vec![4.0, 6.0]];
        let interval = mean_interval_over_machines(&machines, 0.05).expect("an interval");
        let half = 3.182_446_3 * (4.0 / 3.0 * (1.0 / 3.0 + 1.0 / 2.0) / 4.0_f64).sqrt();
        assert!((interval.low - (3.5 - half)).abs() < 1e-6, "{interval:?}");
        assert!((interval.high - (3.5 + half)).abs() < 1e-6, "{interval:?}");
        let single = [vec![1.0], vec![2.0]];
        assert_eq!(mean_interval_over_machines(&single, 0.05), None);
        assert_eq!(mean_interval_over_machines(&[], 0.05), None);
    }

    #[test]
    fn differences_that_are_alike_lend_each_other_degrees_of_freedom() {
        // Four differences of the same expected error, two and two with nothing in common (see `spread_of_pairs`): by its arithmetic the common
        // variance is e^γ with 2 degrees of freedom, each own one 1 with 2. So s² = (2 + 2 e^γ) / 4 and t has 4 degrees of freedom.
        let third = 1.0 / 3f64.sqrt();
        let rows = [
            [1.0, -1.0, 0.0],
            [5.0, 3.0, 4.0],
            [third, third, -2.0 * third],
            [-third, -third, 2.0 * third],
        ];
        let of = |times: f64, row: &[f64; 3]| Sampled {
            figures: row.iter().map(|x| times * x).collect(),
            errors: vec![0.0; 3],
            expected: vec![0.7 * times; 3],
        };
        // In other units each is the same.
        let times = [1.0, 100.0, 0.01, 1.0];
        let all: Vec<Sampled> = times
            .into_iter()
            .zip(&rows)
            .map(|(t, row)| of(t, row))
            .collect();
        let found = sampled(&all, 0.05);
        let s = ((1.0 + 0.577_215_664_9_f64.exp()) / 2.0).sqrt();
        let half = 2.776_445 * s / 3f64.sqrt();
        for (found, (times, middle)) in found
            .into_iter()
            .zip(times.into_iter().zip([0.0, 4.0, 0.0, 0.0]))
        {
            let (mean, interval) = found.expect("figures");
            let interval = interval.expect("an interval");
            assert!((mean / times - middle).abs() < 1e-9, "{mean}");
            assert!(
                (interval.high / times - middle - half).abs() < 1e-5,
                "{interval:?}"
            );
        }
        // Alone each has what it knows itself: t(2, 97.5%) = 4.302653.
        let alone = sampled(&all[..1], 0.05)[0]
            .expect("figures")
            .1
            .expect("an interval");
        assert!(
            (alone.high - 4.302_653 / 3f64.sqrt()).abs() < 1e-5,
            "{alone:?}"
        );
        // The error of sampling is the least, however alike the figures are.
        let alike = Sampled {
            figures: vec![1.0; 3],
            errors: vec![0.3; 3],
            expected: vec![0.3; 3],
        };
        let alike = sampled(&[alike], 0.05)[0]
            .expect("figures")
            .1
            .expect("an interval");
        assert!(
            (alike.high - 1.0 - 4.302_653 * 0.3 / 3f64.sqrt()).abs() < 1e-5,
            "{alike:?}"
        );
        // What says nothing.
        let none = Sampled {
            figures: vec![],
            errors: vec![],
            expected: vec![],
        };
        let nan = Sampled {
            figures: vec![f64::NAN; 3],
            errors: vec![0.1; 3],
            expected: vec![0.0; 3],
        };
        assert_eq!(sampled(&[none, nan], 0.05), [None, None]);
        let once = Sampled {
            figures: vec![1.0],
            errors: vec![0.1],
            expected: vec![0.1],
        };
        assert_eq!(sampled(&[once], 0.05), [Some((1.0, None))]);
    }

    /// (1, 3) and (5, 7, 9): 2 − 7 = −5, with a variance of 2/2 + 4/3. Two of them have half of it.
    #[test]
    fn a_difference_of_means_by_hand() {
        let one = MeanDifference::of(&[1.0, 3.0], &[5.0, 7.0, 9.0]).expect("a difference");
        assert!((one.mean + 5.0).abs() < 1e-12 && (one.variance - 7.0 / 3.0).abs() < 1e-12);
        let two = MeanDifference::together(&[one, one]).expect("a difference");
        assert!((two.mean + 5.0).abs() < 1e-12 && (two.variance - 7.0 / 6.0).abs() < 1e-12);
        // 5 / √(7/3) = 3.27 and 5 / √(7/6) = 4.63 standard errors; 0.0005 is 3.48.
        assert_eq!(
            (one.is_certain(0.0005), two.is_certain(0.0005)),
            (false, true)
        );
        assert_eq!(MeanDifference::of(&[1.0], &[5.0, 7.0]), None);
        assert_eq!(MeanDifference::together(&[]), None);
    }

    #[test]
    fn a_share_of_few_samples_is_uncertain() {
        // (20.5 / 101) · (80.5 / 101) / 101
        let expected = (20.5_f64 / 101.0 * (80.5 / 101.0) / 101.0).sqrt();
        assert!((share_error(20, 100) - expected).abs() < 1e-12);
        assert!(share_error(0, 100) > 0.0);
        assert_eq!(share_error(0, 0), 0.5);
    }

    #[test]
    fn what_says_nothing_gives_nothing() {
        assert_eq!(mean(&[]), None);
        assert_eq!(mean(&[1.0, f64::NAN]), None);
        assert_eq!(mean_interval(&[1.0], 0.0, 0.05), None);
        assert_eq!(mean_interval(&[1.0, f64::INFINITY], 0.0, 0.05), None);
    }
}
