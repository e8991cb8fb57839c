//! Whether gaps are exponential, as those of Poisson arrivals are: the Anderson–Darling test.
//!
//! With the gaps in order and F(x) = 1 − exp(−x / mean),
//! A² = −n − (1/n) Σ (2i − 1) · (ln F(x_i) + ln(1 − F(x_{n+1−i}))). It weighs the tails, where bursts and missing long gaps show.
//! Sources: Anderson and Darling, *A test of goodness of fit*, JASA 49, 1954; Stephens, *EDF statistics for goodness of fit and some
//! comparisons*, JASA 69, 1974 (the critical values; the distribution without known parameters and that for
//! an exponential with estimated mean); Marsaglia and Marsaglia, *Evaluating the Anderson–Darling distribution*, Journal of Statistical
//! Software 9, 2004 (the p-value).

use crate::summary::mean_and_sd;

/// The fewest gaps that are tested: from 5 on the distribution of A² is that of large samples.
pub const FEWEST_GAPS: usize = 5;

/// What the test says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AndersonDarling {
    /// How many gaps.
    pub gaps: usize,
    /// A²; multiplied by 1 + 0.6 / n where the mean was estimated. Larger is less exponential.
    pub statistic: f64,
    /// What A² exceeds in 5 of 100 exponential samples.
    pub critical_5_percent: f64,
    /// What A² exceeds in 1 of 100 exponential samples.
    pub critical_1_percent: f64,
    /// The p-value; `None` where the mean was estimated.
    pub p_value: Option<f64>,
}

impl AndersonDarling {
    /// Tests gaps whose mean is known: 1 / rate for a Poisson schedule at a stated rate. This
    /// also notices a wrong rate. `None` as for [`AndersonDarling::unknown_mean`], and where `mean` is not above 0.
    pub fn known_mean(gaps: &[f64], mean: f64) -> Option<AndersonDarling> {
        let statistic = statistic(gaps, mean)?;
        Some(AndersonDarling {
            gaps: gaps.len(),
            statistic,
            critical_5_percent: 2.492,
            critical_1_percent: 3.857,
            p_value: Some((1.0 - distribution(statistic)).clamp(0.0, 1.0)),
        })
    }

    /// Tests gaps with the mean that they have. `None` with fewer than [`FEWEST_GAPS`], a gap that is negative
    /// or not finite, or none above 0.
    ///
    /// A gap of 0 (shorter than the clock's tick) counts as half of the smallest above 0.
    pub fn unknown_mean(gaps: &[f64]) -> Option<AndersonDarling> {
        let (mean, _) = mean_and_sd(gaps)?;
        Some(AndersonDarling {
            gaps: gaps.len(),
            statistic: statistic(gaps, mean)? * (1.0 + 0.6 / gaps.len() as f64),
            critical_5_percent: 1.341,
            critical_1_percent: 1.957,
            p_value: None,
        })
    }
}

/// A² of the gaps against an exponential distribution.
fn statistic(gaps: &[f64], mean: f64) -> Option<f64> {
    let usable = mean.is_finite() && mean > 0.0 && gaps.len() >= FEWEST_GAPS;
    if !usable || !gaps.iter().all(|gap| gap.is_finite() && *gap >= 0.0) {
        return None;
    }
    let mut sorted = gaps.to_vec();
    sorted.sort_by(f64::total_cmp);
    let smallest = sorted.iter().copied().find(|gap| *gap > 0.0)? / 2.0;
    let scaled: Vec<f64> = sorted.iter().map(|gap| gap.max(smallest) / mean).collect();
    let n = scaled.len() as f64;
    let sum: f64 = scaled
        .iter()
        .zip(scaled.iter().rev())
        .enumerate()
        // ln F(x) = ln(1 − e^−x) and ln(1 − F(x)) = −x, without the digits that 1 − e^−x would lose.
        .map(|(i, (x, mirrored))| (2 * i + 1) as f64 * ((-(-x).exp_m1()).ln() - mirrored))
        .sum();
    let statistic = -n - sum / n;
    statistic.is_finite().then_some(statistic)
}

/// P(A² < z) for large samples with known parameters: Marsaglia and Marsaglia's `adinf`, within 2e-6.
fn distribution(z: f64) -> f64 {
    if z <= 0.0 {
        0.0
    } else if z < 2.0 {
        let series = [
            2.00012, 0.247105, -0.0649821, 0.0347962, -0.011672, 0.00168691,
        ];
        (-1.2337141 / z).exp() / z.sqrt() * polynomial(&series, z)
    } else {
        let series = [1.0776, -2.30695, 0.43424, -0.082433, 0.008056, -0.0003146];
        // Beyond its range the polynomial turns; all of the distribution lies below by then.
        (-polynomial(&series, z.min(12.0)).exp()).exp()
    }
}

fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Simulated;

    fn exponential(n: usize, mean: f64, random: &mut Simulated) -> Vec<f64> {
        (0..n).map(|_| mean * random.exponential()).collect()
    }

    /// Five gaps at the quantiles 0.1, 0.3, 0.5, 0.7, 0.9: A² = −5 − (1/5) Σ (2i−1)(ln F_i + ln(1 − F_{6−i})), where
    /// 1 − F_{6−i} = F_i, so the sum is 2 · (ln 0.1 + 3 ln 0.3 + 5 ln 0.5 + 7 ln 0.7 + 9 ln 0.9).
    #[test]
    fn five_gaps_by_hand() {
        let quantiles = [0.1f64, 0.3, 0.5, 0.7, 0.9];
        let gaps = quantiles.map(|f| -3.0 * (1.0 - f).ln());
        let sum: f64 = quantiles
            .iter()
            .zip([1.0, 3.0, 5.0, 7.0, 9.0])
            .map(|(f, w)| 2.0 * w * f.ln())
            .sum();
        let found = AndersonDarling::known_mean(&gaps, 3.0).expect("a test");
        assert!((found.statistic - (-5.0 - sum / 5.0)).abs() < 1e-9);
    }

    /// Stephens' table for known parameters.
    #[test]
    fn p_values_are_those_of_the_table() {
        for (statistic, p) in [
            (1.248, 0.25),
            (1.610, 0.15),
            (1.933, 0.10),
            (2.492, 0.05),
            (3.070, 0.025),
            (3.857, 0.01),
            (6.0, 0.001),
        ] {
            let found = 1.0 - distribution(statistic);
            assert!((found / p - 1.0).abs() < 0.05, "{found} is not {p}");
        }
        assert_eq!(distribution(1e9), distribution(12.0));
    }

    #[test]
    fn exponential_gaps_are_refused_as_often_as_the_level_says() {
        let mut random = Simulated::new(11);
        let mut refused = [0; 4];
        for _ in 0..4000 {
            let gaps = exponential(50, 0.02, &mut random);
            let known = AndersonDarling::known_mean(&gaps, 0.02).expect("a test");
            let unknown = AndersonDarling::unknown_mean(&gaps).expect("a test");
            for (at, test) in [known, unknown].iter().enumerate() {
                refused[2 * at] += u32::from(test.statistic > test.critical_5_percent);
                refused[2 * at + 1] += u32::from(test.statistic > test.critical_1_percent);
            }
        }
        println!(
            "refused of 4000 at 5% and 1%: known mean {:?}, unknown {:?}",
            &refused[..2],
            &refused[2..]
        );
        for (found, expected) in refused.iter().zip([200u32, 40, 200, 40]) {
            // Within four standard deviations.
            let sd = f64::from(expected).sqrt();
            assert!(
                (f64::from(*found) - f64::from(expected)).abs() < 4.0 * sd,
                "{refused:?}"
            );
        }
    }

    #[test]
    fn other_gaps_are_refused() {
        let mut random = Simulated::new(3);
        let constant = [0.01; 200];
        let uniform: Vec<f64> = (0..200).map(|_| 0.02 * random.uniform()).collect();
        let mut bursts = exponential(200, 0.01, &mut random);
        bursts.iter_mut().step_by(4).for_each(|gap| *gap *= 0.05);
        for gaps in [&constant[..], &uniform, &bursts] {
            let found = AndersonDarling::unknown_mean(gaps).expect("a test");
            assert!(found.statistic > found.critical_1_percent, "{found:?}");
        }
        // The right shape at the wrong rate shows only where the mean is known.
        let slow = exponential(500, 0.013, &mut random);
        let known = AndersonDarling::known_mean(&slow, 0.01).expect("a test");
        assert!(known.p_value.is_some_and(|p| p < 0.01), "{known:?}");
        let unknown = AndersonDarling::unknown_mean(&slow).expect("a test");
        assert!(
            unknown.statistic < unknown.critical_5_percent,
            "{unknown:?}"
        );
    }

    #[test]
    fn gaps_that_say_nothing_give_nothing() {
        assert_eq!(AndersonDarling::unknown_mean(&[]), None);
        assert_eq!(AndersonDarling::unknown_mean(&[1.0; 4]), None);
        assert_eq!(AndersonDarling::unknown_mean(&[0.0; 9]), None);
        assert_eq!(
            AndersonDarling::unknown_mean(&[1.0, 2.0, -1.0, 3.0, 4.0]),
            None
        );
        assert_eq!(
            AndersonDarling::unknown_mean(&[1.0, 2.0, f64::NAN, 3.0, 4.0]),
            None
        );
        assert_eq!(AndersonDarling::known_mean(&[1.0; 9], 0.0), None);
        // A tick of the clock between some: still a figure.
        let ticks = AndersonDarling::unknown_mean(&[0.0, 0.0, 1.0, 2.0, 3.0, 1.0]).expect("a test");
        assert!(ticks.statistic.is_finite());
    }
}
