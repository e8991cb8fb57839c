//! Two targets compared within a round, over the turns in which each was measured for a short slice.
//!
//! The pairs (a, b) are of turns that were kept. Three estimates of the round's ratio:
//!
//! - the **ratio of sums**, Σa / Σb: what each has done in all of its slices of equal length. Verdicts are drawn from it, for it
//!   counts what happens rarely and is a target's own (a collection, a flush).
//! - the **trimmed ratio**: the mean of ln(a / b) without the lowest and the highest fifth (Tukey & McLaughlin 1963). Single slices
//!   that a stranger disturbed do not move it; nor do rare pauses of a target's own, which it therefore leaves out.
//! - the **Hodges-Lehmann** ratio: the median of the means of all pairs of turns' logarithms (Hodges & Lehmann 1963); in between.
//!
//! The simulation below compares the three: the last serves that alone, and the sums are made where slices are added up. Another one
//! compares ratios of percentiles: those of all requests of a round, and the **median ratio**, that of the turns' own percentiles.

/// The ratio of two sums over the same turns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatioOfTotals {
    /// Σa / Σb.
    pub ratio: f64,
    /// The variance of its logarithm that the turns imply, if they are independent: m / (m − 1) · Σ (a / Σa − b / Σb)² (Cochran, *Sampling
    /// techniques*, 1977, section 6.3). `None` with one turn.
    pub variance: Option<f64>,
}

/// The ratio of the sums of pairs (a, b), one of each turn; `None` without a ratio that is finite and above zero.
pub fn ratio_of_totals(pairs: impl IntoIterator<Item = (f64, f64)>) -> Option<RatioOfTotals> {
    let pairs: Vec<(f64, f64)> = pairs.into_iter().collect();
    let (a, b) = (pairs.iter()).fold((0.0, 0.0), |(a, b), pair| (a + pair.0, b + pair.1));
    let ratio = finite(a / b)?;
    let count = pairs.len() as f64;
    let squares: f64 = pairs
        .iter()
        .map(|pair| (pair.0 / a - pair.1 / b).powi(2))
        .sum();
    let variance = (pairs.len() > 1).then(|| squares * count / (count - 1.0));
    Some(RatioOfTotals { ratio, variance })
}

/// The variance of the logarithm of [`median_ratio`] that the turns imply: that of the median of as many normal values, π / 2 · σ² / m with σ by
/// the median absolute deviation. `None` from fewer than two turns, and as [`trimmed_ratio`].
pub fn variance_of_median(pairs: &[(f64, f64)]) -> Option<f64> {
    /// σ of a normal distribution over its median absolute deviation.
    const NORMAL: f64 = 1.482_602_218_505_602;
    let logs = logs(pairs).filter(|logs| logs.len() > 1)?;
    let count = logs.len() as f64;
    let middle = median(logs.clone())?;
    let deviation = NORMAL * median(logs.iter().map(|log| (log - middle).abs()).collect())?;
    Some(std::f64::consts::FRAC_PI_2 * deviation.powi(2) / count)
}

/// The share of turns that is left out at each end by [`trimmed_ratio`].
pub const TRIM: f64 = 0.2;

/// exp of the mean of ln(a / b) without the lowest and the highest [`TRIM`] of the turns; `None` without turns, or where a value
/// is not above zero or not finite.
pub fn trimmed_ratio(pairs: &[(f64, f64)]) -> Option<f64> {
    let mut logs = logs(pairs)?;
    logs.sort_by(f64::total_cmp);
    let out = (logs.len() as f64 * TRIM).floor() as usize;
    let kept = &logs[out..logs.len() - out];
    finite((kept.iter().sum::<f64>() / kept.len() as f64).exp())
}

/// exp of the median of ln(a / b): where up to half of the turns were disturbed it is that of the others; `None` as [`trimmed_ratio`].
pub fn median_ratio(pairs: &[(f64, f64)]) -> Option<f64> {
    finite(median(logs(pairs)?)?.exp())
}

/// How far each target's figure lies from the mean of all of them in its turn, as a logarithm: the median over the turns, each of which has a figure of
/// each target. What differs from turn to turn for all is taken out, as in [`median_ratio`] of two of them. `None` as [`trimmed_ratio`], and where
/// turns have different numbers of targets.
pub fn medians_beside(turns: &[Vec<f64>]) -> Option<Vec<f64>> {
    let targets = turns.first()?.len();
    let mut beside = vec![Vec::new(); targets];
    for turn in turns {
        let usable = |value: &f64| value.is_finite() && *value > 0.0;
        if turn.len() != targets || !turn.iter().all(usable) {
            return None;
        }
        let mean = turn.iter().map(|value| value.ln()).sum::<f64>() / targets as f64;
        for (beside, value) in beside.iter_mut().zip(turn) {
            beside.push(value.ln() - mean);
        }
    }
    beside.into_iter().map(median).collect()
}

/// The median of logarithms; `None` of none.
pub(crate) fn median(mut logs: Vec<f64>) -> Option<f64> {
    logs.sort_by(f64::total_cmp);
    let upper = *logs.get(logs.len() / 2)?;
    Some(f64::midpoint(logs[(logs.len() - 1) / 2], upper))
}

/// ln(a / b) of each turn.
fn logs(pairs: &[(f64, f64)]) -> Option<Vec<f64>> {
    let usable = |value: f64| value.is_finite() && value > 0.0;
    let all = pairs.iter().all(|&(a, b)| usable(a) && usable(b));
    (all && !pairs.is_empty()).then(|| pairs.iter().map(|(a, b)| a.ln() - b.ln()).collect())
}

fn finite(ratio: f64) -> Option<f64> {
    (ratio.is_finite() && ratio > 0.0).then_some(ratio)
}

#[cfg(test)]
mod tests {
    /// Turns (1, 1), (3, 1): the ratio is 2. a / Σa − b / Σb is ±1/4, so the variance is 2/1 · 2/16.
    #[test]
    fn a_ratio_of_sums_by_hand() {
        let sums = ratio_of_totals([(1.0, 1.0), (3.0, 1.0)]).expect("a ratio");
        assert_eq!((sums.ratio, sums.variance), (2.0, Some(0.25)));
        let one = ratio_of_totals([(3.0, 1.0)]).expect("a ratio");
        assert_eq!((one.ratio, one.variance), (3.0, None));
        for nothing in [
            vec![],
            vec![(0.0, 1.0)],
            vec![(1.0, 0.0)],
            vec![(f64::NAN, 1.0)],
        ] {
            assert_eq!(ratio_of_totals(nothing), None);
        }
    }

    /// 400 runs of 50 turns with 10% of noise each: the variance that turns imply is that of the runs' ratios.
    #[test]
    fn the_variance_that_turns_imply_is_that_of_the_ratios() {
        let mut random = Simulated::new(20_261_201);
        let (mut sums, mut medians, mut implied) = (Vec::new(), Vec::new(), [0.0; 2]);
        for _ in 0..400 {
            let pairs: Vec<(f64, f64)> = (0..50)
                .map(|_| ((0.1 * random.normal()).exp(), (0.1 * random.normal()).exp()))
                .collect();
            let of_sums = ratio_of_totals(pairs.iter().copied()).expect("a ratio");
            sums.push(of_sums.ratio.ln());
            medians.push(median_ratio(&pairs).expect("a ratio").ln());
            implied[0] += of_sums.variance.expect("a variance") / 400.0;
            implied[1] += variance_of_median(&pairs).expect("a variance") / 400.0;
        }
        for (ratios, implied) in [sums, medians].iter().zip(implied) {
            let (_, sd) = crate::summary::mean_and_sd(ratios).expect("ratios");
            let of_ratios = sd.expect("a deviation").powi(2);
            println!("{of_ratios} {implied}");
            assert!(
                (of_ratios / implied - 1.0).abs() < 0.2,
                "{of_ratios} {implied}"
            );
        }
    }

    use super::*;
    use crate::random::Simulated;

    /// Σa / Σb; `None` without turns, or where a value is negative or not finite, or a sum is 0.
    fn ratio_of_sums(pairs: &[(f64, f64)]) -> Option<f64> {
        let usable = |value: f64| value.is_finite() && value >= 0.0;
        if !pairs.iter().all(|&(a, b)| usable(a) && usable(b)) {
            return None;
        }
        let (a, b) = pairs
            .iter()
            .fold((0.0, 0.0), |(sum_a, sum_b), (a, b)| (sum_a + a, sum_b + b));
        let ratio = a / b;
        (ratio.is_finite() && ratio > 0.0).then_some(ratio)
    }

    /// exp of the median of all (d_i + d_j) / 2 with i ≤ j, d = ln(a / b); `None` as [`trimmed_ratio`].
    fn hodges_lehmann_ratio(pairs: &[(f64, f64)]) -> Option<f64> {
        let logs = logs(pairs)?;
        let means: Vec<f64> = (0..logs.len())
            .flat_map(|i| logs[i..].iter().map(move |other| (i, other)))
            .map(|(i, other)| f64::midpoint(logs[i], *other))
            .collect();
        finite(median(means)?.exp())
    }

    #[test]
    fn by_hand() {
        let pairs = [(2.0, 1.0), (2.0, 1.0), (8.0, 1.0), (2.0, 4.0), (4.0, 2.0)];
        assert_eq!(ratio_of_sums(&pairs), Some(2.0)); // 18 / 9
        // The logs are ln of 2, 2, 8, 0.5, 2: without the lowest and the highest, 2 thrice.
        let near = |got: Option<f64>, expected: f64| {
            let got = got.expect("a ratio");
            assert!((got - expected).abs() < 1e-12, "{got} for {expected}");
        };
        near(trimmed_ratio(&pairs), 2.0);
        near(hodges_lehmann_ratio(&pairs), 2.0);
        // Two turns: the mean of the only three means is that of both logs.
        near(hodges_lehmann_ratio(&[(1.0, 1.0), (4.0, 1.0)]), 2.0);
        near(median_ratio(&pairs), 2.0);
        near(
            median_ratio(&[(9.0, 1.0), (4.0, 1.0), (1.0, 4.0), (1.0, 1.0)]),
            2.0,
        );
        near(trimmed_ratio(&[(1.0, 1.0), (4.0, 1.0)]), 2.0);
    }

    /// ln of 1, 2, 4 is −ln 2, 0, ln 2 beside its mean, whatever the turn is multiplied by.
    #[test]
    fn beside_the_mean_of_a_turn_by_hand() {
        let turns = [1.0, 10.0, 3.0].map(|times| vec![times, 2.0 * times, 4.0 * times]);
        let found = medians_beside(&turns).expect("medians");
        for (found, expected) in found.iter().zip([-(2f64.ln()), 0.0, 2f64.ln()]) {
            assert!((found - expected).abs() < 1e-12, "{found}");
        }
        assert_eq!(medians_beside(&[]), None);
        assert_eq!(medians_beside(&[vec![1.0, 2.0], vec![1.0]]), None);
        assert_eq!(medians_beside(&[vec![1.0, 0.0]]), None);
    }

    #[test]
    fn what_says_nothing_gives_nothing() {
        for pairs in [
            &[][..],
            &[(f64::NAN, 1.0)],
            &[(-1.0, 1.0)],
            &[(f64::INFINITY, 1.0)],
        ] {
            assert_eq!(ratio_of_sums(pairs), None);
            assert_eq!(trimmed_ratio(pairs), None);
            assert_eq!(hodges_lehmann_ratio(pairs), None);
            assert_eq!(median_ratio(pairs), None);
        }
        // A slice without a response counts in a sum, and has no logarithm.
        assert_eq!(ratio_of_sums(&[(0.0, 1.0), (3.0, 1.0)]), Some(1.5));
        assert_eq!(trimmed_ratio(&[(0.0, 1.0), (3.0, 1.0)]), None);
    }

    /// Root mean square of ln(estimate / truth) in percent, of each of the three, over many rounds of 60 turns of two targets
    /// that are equally fast but for what `bend` does to a slice's throughput.
    fn errors(seed: u64, truth: f64, bend: impl Fn(&mut Simulated, usize) -> f64) -> [f64; 3] {
        const ROUNDS: usize = 400;
        const TURNS: usize = 60;
        let mut random = Simulated::new(seed);
        let mut squares = [0.0; 3];
        for _ in 0..ROUNDS {
            let pairs: Vec<(f64, f64)> = (0..TURNS)
                .map(|_| {
                    let mut slice = |target| {
                        // Slices of one server differ by 2%.
                        let rate = 1_000.0 * (0.02 * random.normal()).exp();
                        rate * bend(&mut random, target)
                    };
                    (slice(0), slice(1))
                })
                .collect();
            let estimates = [
                ratio_of_sums(&pairs),
                trimmed_ratio(&pairs),
                hodges_lehmann_ratio(&pairs),
            ];
            for (square, estimate) in squares.iter_mut().zip(estimates) {
                *square += (estimate.expect("a ratio") / truth).ln().powi(2);
            }
        }
        squares.map(|square| 100.0 * (square / ROUNDS as f64).sqrt())
    }

    /// What the choice rests on. Bounds are in percent; with 400 rounds a root mean square is known to some 4% of itself.
    #[test]
    fn the_ratio_of_sums_is_right_where_pauses_are_a_targets_own_and_as_good_where_it_is_quiet() {
        let near = |got: f64, expected: f64| {
            assert!((got / expected - 1.0).abs() < 0.2, "{got} for {expected}");
        };
        // Quiet: 0.02 × √2 / √60 = 0.365%; trimming costs a little.
        let [sums, trimmed, hl] = errors(1, 1.0, |_, _| 1.0);
        near(sums, 0.365);
        near(trimmed, 0.365);
        near(hl, 0.365);
        // Every tenth slice of the first target loses 30% to its own collector: it does 3% less, whatever a robust estimate says.
        let own = |random: &mut Simulated, target| {
            let pauses = target == 0 && random.uniform() < 0.1;
            if pauses { 0.7 } else { 1.0 }
        };
        let [sums, trimmed, hl] = errors(2, 0.97, own);
        assert!(sums < 1.5, "{sums}");
        assert!(trimmed > 2.0 && hl > 1.8, "{trimmed} {hl}");
        // A stranger that was not noticed takes half of one slice in twenty, whoever's it is: here the robust ones are better. That is
        // why disturbed turns are set aside by what was seen of the stranger, and both are shown.
        let stranger = |random: &mut Simulated, _| if random.uniform() < 0.05 { 0.5 } else { 1.0 };
        let [sums, trimmed, hl] = errors(3, 1.0, stranger);
        assert!(sums > 1.5, "{sums}");
        assert!(trimmed < 0.6 && hl < 0.75, "{trimmed} {hl}");
    }

    /// What response times of a slice are multiplied by: all of them by one factor, and of these a share by another.
    #[derive(Clone, Copy)]
    struct Slow {
        all: f64,
        some: (f64, f64),
    }

    const PLAIN: Slow = Slow {
        all: 1.0,
        some: (0.0, 1.0),
    };

    fn at(sorted: &[f64], quantile: f64) -> f64 {
        let rank = (sorted.len() as f64 * quantile).ceil() as usize;
        sorted[rank.max(1) - 1]
    }

    /// Root mean square of the logarithm of a percentile's ratio in percent, over rounds of 20 turns of two targets that are equal but for
    /// what is drawn of a turn's two slices: of all requests together, and by the median of the turns' ratios.
    fn of_percentiles(
        quantile: f64,
        spread: f64,
        mut draw: impl FnMut(&mut Simulated) -> [Slow; 2],
    ) -> [f64; 2] {
        const ROUNDS: usize = 60;
        const TURNS: usize = 20;
        const REQUESTS: usize = 300;
        let mut random = Simulated::new(1);
        let mut squares = [0.0; 2];
        for _ in 0..ROUNDS {
            let mut all = [Vec::new(), Vec::new()];
            let turns = (0..TURNS).map(|_| {
                let drawn = draw(&mut random);
                let own = [0, 1].map(|target| {
                    let Slow {
                        all: times,
                        some: (share, more),
                    } = drawn[target];
                    let slice = times * (0.015 * random.normal()).exp();
                    let mut request = |_| {
                        let some = if random.uniform() < share { more } else { 1.0 };
                        slice * some * (spread * random.normal()).exp()
                    };
                    let mut times: Vec<f64> = (0..REQUESTS).map(&mut request).collect();
                    times.sort_by(f64::total_cmp);
                    let own = at(&times, quantile);
                    all[target].extend(times);
                    own
                });
                (own[0], own[1])
            });
            let turns: Vec<(f64, f64)> = turns.collect();
            let together = all.map(|mut times| {
                times.sort_by(f64::total_cmp);
                at(&times, quantile)
            });
            let estimates = [Some(together[0] / together[1]), median_ratio(&turns)];
            for (square, estimate) in squares.iter_mut().zip(estimates) {
                *square += estimate.expect("a ratio").ln().powi(2);
            }
        }
        squares.map(|square| 100.0 * (square / ROUNDS as f64).sqrt())
    }

    /// Why ratios of medians are taken by turns.
    #[test]
    fn medians_by_turn_stand_where_those_of_all_requests_fall_into_another_state() {
        let slow = Slow { all: 2.0, ..PLAIN };
        // Quiet: 0.015 × √2 / √20 = 0.47%, and a median takes 1.25 times that.
        let [together, by_turn] = of_percentiles(0.5, 0.05, |_| [PLAIN; 2]);
        assert!(together < 0.6 && by_turn < 0.75, "{together} {by_turn}");
        // A machine at half its speed in half of the turns, for both. Of each target's requests now a few more than half are slow, now a few less.
        let [together, by_turn] =
            of_percentiles(0.5, 0.05, |random| match random.uniform() < 0.5 {
                true => [slow; 2].map(|slow| jittered(slow, random)),
                false => [PLAIN; 2].map(|plain| jittered(plain, random)),
            });
        assert!(together > 10.0 && by_turn < 1.5, "{together} {by_turn}");
        // Half of the slices are disturbed, each by its own.
        let [together, by_turn] = of_percentiles(0.5, 0.05, |random| {
            let disturbed = random.uniform() < 0.5;
            [PLAIN; 2].map(|slice| Slow {
                all: slice.all * (if disturbed { 0.3 } else { 0.0 } * random.normal()).exp(),
                ..slice
            })
        });
        assert!(by_turn < 0.75 * together, "{together} {by_turn}");
    }

    /// A tenth of a slice's requests, more or less, meet the other state.
    fn jittered(slow: Slow, random: &mut Simulated) -> Slow {
        let other = if slow.all > 1.0 { 0.5 } else { 2.0 };
        Slow {
            some: (0.1 * random.uniform(), other),
            ..slow
        }
    }

    /// Why ratios of higher percentiles are not: what one in fifty requests meets, in every other slice, is beyond the 99th of all of them.
    #[test]
    fn higher_percentiles_by_turn_leave_out_what_comes_in_some_slices() {
        let [together, by_turn] = of_percentiles(0.99, 0.3, |random| {
            let pauses = random.uniform() < 0.4;
            let some = if pauses { (0.05, 10.0) } else { PLAIN.some };
            [Slow { some, ..PLAIN }, PLAIN]
        });
        assert!(together > 130.0 && by_turn < 100.0, "{together} {by_turn}");
    }
}
