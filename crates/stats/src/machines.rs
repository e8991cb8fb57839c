//! The ratio of two servers over rounds of several pairs of machines.
//!
//! Each pair of machines (one for the servers, one for the load) has a ratio of its own. Rounds of different pairs are never one sample: the
//! interval of all rounds together is too narrow for machines in general, and too wide for these. With y_i the mean log ratio of pair i
//! over its n_i rounds, s_i² the variance of these rounds, k pairs and R rounds in all:
//!
//! s² = Σ (n_i − 1) s_i² / (R − k), v_i = s² / n_i
//!
//! - **On these machines** ([`OverMachines::on_these`]): the mean of the y_i with equal weights, whose variance is Σ v_i / k², and Student's t
//!   with R − k degrees of freedom. Other machines may have another ratio.
//! - **On machines like these** ([`OverMachines::like_these`]): the pairs are a sample of all pairs like them, whose ratios differ with the
//!   variance τ². The weights are w_i = 1 / (v_i + τ²), the variance is that of Hartung and Knapp (*A refined method for the meta-analysis
//!   of controlled clinical trials with binary outcome*, Statistics in Medicine 20, 2001), and t has k − 1 degrees of freedom. τ² is the one
//!   for which Q = Σ w_i (y_i − m)² is k − 1, or 0 (Paule, Mandel, *Consensus values and weighting factors*, Journal of Research of the
//!   National Bureau of Standards 87, 1982). Hartung and Knapp's factor Q / (k − 1) is then 1, and it counts as 1 where τ² is 0, too (Röver,
//!   Knapp, Friede, *Hartung-Knapp-Sidik-Jonkman approach and its modification*, BMC Medical Research Methodology 15, 2015): so this interval is
//!   not narrower than the one on these machines. The variance is 1 / Σ w_i.
//! - **Heterogeneity** ([`OverMachines::heterogeneity`]): Cochran's Q = Σ (y_i − m)² / v_i (*The combination of estimates from different
//!   experiments*, Biometrics 10, 1954). s² is an estimate, so Q / (k − 1) has the F distribution with k − 1 and R − k degrees of
//!   freedom, as in the analysis of variance.
//!
//! A round's correlation with the one before stretches v_i, as it stretches the interval of one pair.

use statrs::distribution::{ContinuousCDF, FisherSnedecor};

use crate::correlation::stretch;
use crate::interval::usable_margin;
use crate::paired::Paired;
use crate::student;

/// From so many pairs on there is a verdict on machines like these: three show next to nothing of how much machines differ.
pub const FEWEST_LIKE_THESE: usize = 4;

/// So many halvings leave a billionth of an interval.
const HALVINGS: usize = 30;

/// The log ratios of two servers on each of several pairs of machines.
#[derive(Clone, Debug, PartialEq)]
pub struct OverMachines {
    each: Vec<Paired>,
    /// The variance of a round within its pair of machines, s²; `None` if no pair has two rounds.
    variance: Option<f64>,
    /// Its degrees of freedom, R − k.
    freedom: f64,
}

/// How much the ratios of pairs of machines differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heterogeneity {
    /// Cochran's Q.
    pub q: f64,
    /// The probability of such a Q, or a larger one, if all pairs have the same ratio.
    pub p_value: f64,
    /// The standard deviation of the pairs' own log ratios, τ.
    pub sd: f64,
}

/// A pair of machines that disagrees with the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deviation {
    /// Its place among the pairs.
    pub machine: usize,
    /// Its ratio over the geometric mean of the others' ratios.
    pub ratio: f64,
}

impl OverMachines {
    /// Sums up the rounds of several pairs of machines, of each by itself. `None` without any.
    pub fn new(each: Vec<Paired>) -> Option<OverMachines> {
        let known = each
            .iter()
            .filter_map(|paired| Some((paired.sd?, paired.freedom)));
        let (squares, freedom) = known.fold((0.0, 0.0), |(squares, all), (sd, freedom)| {
            (squares + freedom * sd * sd, all + freedom)
        });
        (!each.is_empty()).then(|| OverMachines {
            each,
            variance: (freedom > 0.0).then(|| squares / freedom),
            freedom,
        })
    }

    /// The rounds of each pair of machines.
    pub fn each(&self) -> &[Paired] {
        &self.each
    }

    /// The ratio on these machines, as the rounds of one pair of machines would have it.
    pub fn on_these(&self) -> Paired {
        let count = self.each.len() as f64;
        let variances = self.variances();
        let variance = variances.map(|all| all.iter().sum::<f64>() / (count * count));
        let rounds = self.each.iter().map(|paired| paired.rounds).sum();
        let weights = vec![1.0; self.each.len()];
        self.summed_up(&weights, variance, rounds, self.freedom)
    }

    /// The ratio on machines like these; its `rounds` are pairs of machines. `None` for fewer than [`FEWEST_LIKE_THESE`], and if no pair has
    /// two rounds.
    pub fn like_these(&self) -> Option<Paired> {
        let count = self.each.len();
        let variances = self.variances().filter(|_| count >= FEWEST_LIKE_THESE)?;
        let between = self.between(&variances);
        let weights: Vec<f64> = (variances.iter())
            .map(|own| (own + between).recip())
            .collect();
        let variance = weights.iter().sum::<f64>().recip();
        // Without any spread all pairs have the same ratio.
        let weights = match variance > 0.0 {
            true => weights,
            false => vec![1.0; count],
        };
        Some(self.summed_up(&weights, Some(variance), count, count as f64 - 1.0))
    }

    /// How much the pairs' ratios differ; `None` for one pair, and if rounds of a pair do not differ at all.
    pub fn heterogeneity(&self) -> Option<Heterogeneity> {
        let variances = self.variances()?;
        let weights: Vec<f64> = variances.iter().map(|own| own.recip()).collect();
        let (q, between) = (self.scatter(&weights), self.each.len() as f64 - 1.0);
        let distribution = FisherSnedecor::new(between, self.freedom).ok()?;
        q.is_finite().then(|| Heterogeneity {
            q,
            p_value: distribution.sf(q / between).clamp(0.0, 1.0),
            sd: self.between(&variances).sqrt(),
        })
    }

    /// The pairs whose ratio is certainly another one than the others' and off by more than `margin`, in their order.
    ///
    /// The pair that is farthest off the mean of the others is named first and left out, then the next of those that are left, so that it is
    /// not the others that disagree with one pair. Where two are left that disagree, both are named. Each test has the level `alpha` / k.
    pub fn deviating(&self, margin: f64, alpha: f64) -> Vec<Deviation> {
        let mut found = Vec::new();
        let level = alpha / self.each.len() as f64;
        let (Some(variances), Some(t)) =
            (self.variances(), student::two_sided_of(level, self.freedom))
        else {
            return found;
        };
        let least = usable_margin(margin).ln_1p();
        let mut left: Vec<usize> = (0..self.each.len()).collect();
        while left.len() > 1 {
            let off = |machine: usize| {
                let others = left.iter().copied().filter(|other| *other != machine);
                let count = left.len() as f64 - 1.0;
                let (mut mean, mut variance, mut uncertainty) =
                    (0.0, variances[machine], self.each[machine].uncertainty);
                for other in others {
                    mean += self.each[other].mean / count;
                    variance += variances[other] / (count * count);
                    uncertainty += self.each[other].uncertainty / count;
                }
                let off = self.each[machine].mean - mean;
                let is_certain = off.abs() > t * variance.sqrt() + uncertainty;
                (is_certain && off.abs() > least).then_some(off)
            };
            let certain = left
                .iter()
                .filter_map(|machine| Some((*machine, off(*machine)?)));
            let mut certain: Vec<(usize, f64)> = certain.collect();
            certain.sort_by(|(_, a), (_, b)| b.abs().total_cmp(&a.abs()));
            // Of two neither is the usual one.
            let named = if left.len() == 2 { 2 } else { 1 };
            certain.truncate(named);
            if certain.is_empty() {
                break;
            }
            left.retain(|machine| certain.iter().all(|(named, _)| named != machine));
            found.extend(certain.iter().map(|(machine, off)| Deviation {
                machine: *machine,
                ratio: off.exp(),
            }));
        }
        found.sort_by_key(|deviation| deviation.machine);
        found
    }

    /// The variance of the mean of each pair's rounds, v_i.
    fn variances(&self) -> Option<Vec<f64>> {
        let variance = self.variance?;
        let of = |paired: &Paired| {
            let stretch = stretch(paired.correlation, paired.rounds);
            variance * stretch * stretch / paired.rounds as f64
        };
        Some(self.each.iter().map(of).collect())
    }

    /// The variance of the pairs' own log ratios, τ², by Paule and Mandel.
    fn between(&self, variances: &[f64]) -> f64 {
        let expected = self.each.len() as f64 - 1.0;
        let at = |between: f64| {
            let weights: Vec<f64> = variances
                .iter()
                .map(|own| (own + between).recip())
                .collect();
            self.scatter(&weights)
        };
        // Q falls, and is at most k − 1 at the variance of the means.
        let (mut low, mut high) = (0.0, self.scatter(&vec![1.0; self.each.len()]) / expected);
        for _ in 0..HALVINGS {
            let middle = (low + high) / 2.0;
            if at(middle) > expected {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The weighted sum of the squares of the pairs' means around their weighted mean.
    fn scatter(&self, weights: &[f64]) -> f64 {
        let mean = self.weighted(weights, |paired| paired.mean);
        let both = self.each.iter().zip(weights);
        both.map(|(paired, weight)| weight * (paired.mean - mean).powi(2))
            .sum()
    }

    fn weighted(&self, weights: &[f64], of: fn(&Paired) -> f64) -> f64 {
        let both = self.each.iter().zip(weights);
        let sum: f64 = both.map(|(paired, weight)| weight * of(paired)).sum();
        sum / weights.iter().sum::<f64>()
    }

    /// A mean with this variance, as if it were that of `rounds` rounds.
    fn summed_up(
        &self,
        weights: &[f64],
        variance: Option<f64>,
        rounds: usize,
        freedom: f64,
    ) -> Paired {
        Paired {
            rounds,
            mean: self.weighted(weights, |paired| paired.mean),
            sd: variance.map(|variance| (variance * rounds as f64).sqrt()),
            freedom,
            correlation: 0.0,
            uncertainty: self.weighted(weights, |paired| paired.uncertainty),
        }
    }
}

#[cfg(test)]
mod tests;
