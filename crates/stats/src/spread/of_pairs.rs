//! What the pairs of all places say of one another's spread.
//!
//! Two targets at three loads, or three at one, are three log ratios a round, each of whose variances is known with d = R − 1 degrees of
//! freedom (less by one for each further kind of rounds that have a mean of their own). They are drawn toward what they have in common as those
//! of many targets are (see the module above). That is their geometric mean,
//!
//! *common* = exp(mean of ln s² − ψ(d/2) + ln(d/2)), ψ the digamma function: without the bias of a logarithm, as Smyth has it,
//!
//! which one noisy pair does not raise for all. But pairs share their processes: what one process does at one load it may do at all. So how much
//! it is worth is not taken from how alike the variances are alone. d₀ is the smaller of
//!
//! - 2 ψ′⁻¹(w), Smyth's estimate from the variance w of the logarithms of all variances;
//! - the degrees of freedom of their mean, less d. For K series with covariance matrix S that is d · (tr S)² / ‖S‖² − d, ‖S‖² the sum of the
//!   squares of its entries (Box, *Some theorems on quadratic forms*, Annals of Mathematical Statistics 25, 1954): d · K − d for series that have
//!   nothing in common, 0 for series that are one. In general d_i is the rank of the projection P_i that takes a series' means out, and it is
//!   (tr S)² / Σ (z_i · z_j)² / (tr(P_i P_j) d_i d_j), z what it leaves: series need not be of the same rounds.
//!
//! From few rounds the entries' squares are too large by chance (Greenhouse & Geisser 1959), which makes d₀ too small: the safe side. The estimate
//! without that bias, d² / ((d − 1) (d + 2)) · (‖S‖² − (tr S)² / d) (Huynh & Feldt 1976; Srivastava 2005), is by chance too small as often as
//! too large. From [`FOR_HALF`] series on the geometric mean of both is taken.

use super::kinds::{FEWEST_FREEDOM, Kinds, freedom_within};
use super::{LEAST_SHARE, Spread, digamma, inverse_trigamma, mean};

/// From so many series on spreads are drawn together.
pub const FEWEST_PAIRS: usize = 3;
/// From so many series on the bias of the squared covariances is taken out by half.
const FOR_HALF: usize = 6;

/// What pairs say of the spread of each of them. `None` for fewer than [`FEWEST_PAIRS`] of them, one with fewer than [`FEWEST_FREEDOM`] degrees of
/// freedom within its kinds of rounds, a number that is not finite, or no spread at all.
pub fn spread_of_pairs(pairs: &[Kinds]) -> Option<Spread> {
    let few = |kinds: &Kinds| freedom_within(kinds) < FEWEST_FREEDOM;
    if pairs.len() < FEWEST_PAIRS || pairs.iter().any(few) {
        return None;
    }
    let count = pairs.len() as f64;
    let all: Vec<Residuals> = pairs.iter().map(Residuals::of).collect();
    let variances: Vec<f64> = all.iter().map(|of| of.product(of) / of.freedom).collect();
    let trace: f64 = variances.iter().sum();
    let mean = trace / count;
    if !(mean.is_finite() && mean > 0.0) {
        return None;
    }
    let own = all.iter().map(|of| of.freedom);
    let (least, most) = (
        own.clone().fold(f64::INFINITY, f64::min),
        own.fold(0.0, f64::max),
    );
    // Of the mean of all variances: for series of the same rounds ‖S‖².
    let squares: f64 = (all.iter())
        .flat_map(|a| all.iter().map(move |b| a.shared(b)))
        .sum::<f64>()
        * least;
    let unbiased =
        least * least / ((least - 1.0) * (least + 2.0)) * (squares - trace * trace / least);
    let fewest = trace * trace / count;
    let squares = match pairs.len() < FOR_HALF {
        true => squares,
        false => (squares * unbiased.max(fewest)).sqrt(),
    };
    let of_mean = least * trace * trace / squares;
    let logs: Vec<f64> = variances
        .iter()
        .map(|variance| (variance / mean).max(LEAST_SHARE * LEAST_SHARE).ln())
        .collect();
    let middle = logs.iter().sum::<f64>() / count;
    let apart = logs.iter().map(|x| (x - middle).powi(2)).sum::<f64>() / (count - 1.0);
    let freedom = (2.0 * inverse_trigamma(apart)).min(of_mean - most).max(0.0);
    let of_logs = |of: &Residuals| digamma(of.freedom / 2.0) - (of.freedom / 2.0).ln();
    let bias = all.iter().map(of_logs).sum::<f64>() / count;
    let variance = mean * (middle - bias).exp();
    freedom.is_finite().then_some(Spread { variance, freedom })
}

/// What is left of a pair's log ratios without the mean of each kind of rounds.
struct Residuals {
    left: Vec<(u32, f64)>,
    kinds: Vec<Vec<u32>>,
    freedom: f64,
}

impl Residuals {
    fn of(kinds: &Kinds) -> Residuals {
        let without_mean = |rounds: &Vec<(u32, f64)>| {
            let mean = mean(rounds.iter().map(|(_, x)| *x));
            let left = rounds.iter().map(|(round, x)| (*round, x - mean));
            left.collect::<Vec<(u32, f64)>>()
        };
        let of_kind = |rounds: &Vec<(u32, f64)>| rounds.iter().map(|(round, _)| *round).collect();
        Residuals {
            left: kinds.iter().flat_map(without_mean).collect(),
            kinds: kinds.iter().map(of_kind).collect(),
            freedom: freedom_within(kinds) as f64,
        }
    }

    /// z_i · z_j, over the rounds of both.
    fn product(&self, other: &Residuals) -> f64 {
        if self.kinds == other.kinds {
            let both = self.left.iter().zip(&other.left);
            return both.map(|((_, a), (_, b))| a * b).sum();
        }
        let in_other = |at: u32| other.left.iter().find(|(round, _)| *round == at);
        let both = self.left.iter();
        both.filter_map(|(round, x)| Some(x * in_other(*round)?.1))
            .sum()
    }

    /// What two variances have in common: half of their covariance.
    fn shared(&self, other: &Residuals) -> f64 {
        let in_both = self.in_both(other);
        if in_both <= 0.0 {
            return 0.0;
        }
        self.product(other).powi(2) / (in_both * self.freedom * other.freedom)
    }

    /// tr(P_i P_j): with c rounds of a kind of m rounds in one of n it adds c − c/m − c/n + c²/(m n).
    fn in_both(&self, other: &Residuals) -> f64 {
        if self.kinds == other.kinds {
            return self.freedom;
        }
        let pairs = self.kinds.iter();
        let pairs = pairs.flat_map(|own| other.kinds.iter().map(move |of_other| (own, of_other)));
        let in_both = pairs.map(|(own, of_other)| {
            let common = own.iter().filter(|round| of_other.contains(round)).count();
            if common == 0 {
                return 0.0;
            }
            let (c, m, n) = (common as f64, own.len() as f64, of_other.len() as f64);
            c * (1.0 - 1.0 / m - 1.0 / n + c / (m * n))
        });
        in_both.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Simulated;
    use crate::spread::of_one_kind;
    use crate::{Paired, holm_levels};

    fn rows<const K: usize>(rows: [[f64; 3]; K]) -> Vec<Kinds> {
        rows.map(|row| of_one_kind(&row)).to_vec()
    }

    /// Four series of variance 1 in three rounds, by hand: two of (1, −1, 0) and two of (1, 1, −2) / √3, which have nothing in common. Of the 16
    /// covariances 8 are ±1 and 8 are 0: 2 · 16 / 8 = 4 degrees of freedom of the mean, 2 beyond the own. All variances are
    /// equal, so nothing else bounds it. ψ(1) is −γ, Euler's constant: common is e^γ.
    #[test]
    fn by_hand() {
        let third = 1.0 / 3f64.sqrt();
        let pairs = rows([
            [1.0, -1.0, 0.0],
            [5.0, 3.0, 4.0],
            [third, third, -2.0 * third],
            [-third, -third, 2.0 * third],
        ]);
        let spread = spread_of_pairs(&pairs).expect("a spread");
        assert!(
            (spread.variance - 0.577_215_664_9f64.exp()).abs() < 1e-9,
            "{spread:?}"
        );
        assert!((spread.freedom - 2.0).abs() < 1e-9, "{spread:?}");
        // One series four times says no more than once.
        let same = vec![of_one_kind(&[1.0, -1.0, 0.0]); 4];
        let spread = spread_of_pairs(&same).expect("a spread");
        assert!(spread.freedom < 1e-9, "{spread:?}");
    }

    /// Rounds 1 and 2 of one kind and 3 and 4 of another: (±1, ∓1) in the first and (±1, ∓1) in the second leave variance 2 with 2 degrees of freedom.
    /// One that has all four rounds of one kind, (1, −1, 1, −1), leaves 4/3 with 3. Of the first it shares P₁P₂ = P₁, so tr = 2.
    #[test]
    fn kinds_of_rounds_have_means_of_their_own() {
        let two = |a: f64, b: f64| {
            vec![
                vec![(1, a + 1.0), (2, a - 1.0)],
                vec![(3, b + 1.0), (4, b - 1.0)],
            ]
        };
        let [first, second] = [two(0.0, 9.0), of_one_kind(&[1.0, -1.0, 1.0, -1.0])];
        let [a, b] = [Residuals::of(&first), Residuals::of(&second)];
        assert_eq!((a.freedom, b.freedom), (2.0, 3.0));
        assert_eq!(
            (a.product(&a), a.product(&b), b.product(&b)),
            (4.0, 4.0, 4.0)
        );
        assert!((a.in_both(&b) - 2.0).abs() < 1e-12);
        assert!((a.shared(&b) - 16.0 / (2.0 * 2.0 * 3.0)).abs() < 1e-12);
        // Whatever the means of the kinds are, they say nothing.
        let all = [two(0.0, 9.0), two(5.0, -3.0), two(1.0, 1.0)];
        let like_one = [two(0.0, 0.0), two(0.0, 0.0), two(0.0, 0.0)];
        assert_eq!(spread_of_pairs(&all), spread_of_pairs(&like_one));
        // In no round that is the other's.
        let later = vec![vec![(5, 1.0), (6, -1.0), (7, 0.0)]];
        assert_eq!(a.shared(&Residuals::of(&later)), 0.0);
        // A kind without rounds changes nothing.
        let with_none = Residuals::of(&vec![vec![], second[0].clone()]);
        assert!((a.shared(&with_none) - a.shared(&b)).abs() < 1e-12);
    }

    #[test]
    fn what_says_nothing_gives_nothing() {
        let four = |row: &[f64]| vec![of_one_kind(row); 4];
        let good = four(&[1.0, 2.0, 4.0]);
        assert!(spread_of_pairs(&good).is_some());
        let mut few = good.clone();
        few[1] = vec![vec![(1, 1.0), (2, 2.0)], vec![(3, 4.0)]];
        for pairs in [
            vec![],
            good[..2].to_vec(),
            four(&[1.0, 2.0]),
            four(&[1.0, f64::NAN, 2.0]),
            four(&[1.0, 1.0, 1.0]),
            four(&[f64::MAX, -f64::MAX, 0.0]),
            few,
        ] {
            assert_eq!(spread_of_pairs(&pairs), None, "{pairs:?}");
        }
    }

    /// Which deviation one process has from the others of its target, as a logarithm.
    type Draw = fn(&mut Simulated) -> f64;

    /// A report: (targets, places, rounds), the share of a process's variance that is the same at all places, its distribution, and by how much each
    /// target's and each place's deviations are multiplied.
    struct Case {
        size: (usize, usize, usize),
        shared: f64,
        draw: Draw,
        noisy_target: f64,
        noisy_place: f64,
        /// The first target at each place, as a ratio above 1.
        faster: f64,
    }

    impl Case {
        /// The log ratios of all pairs at all places, and whether the pair has the first target.
        fn pairs(&self, random: &mut Simulated) -> Vec<(bool, Vec<f64>)> {
            let (targets, places, rounds) = self.size;
            let (same, own) = (self.shared.sqrt(), (1.0 - self.shared).sqrt());
            let mut noise = || -> Vec<f64> { (0..rounds).map(|_| (self.draw)(random)).collect() };
            let process: Vec<Vec<f64>> = (0..targets).map(|_| noise()).collect();
            let mut all = Vec::new();
            for place in 0..places {
                let of_place = if place == 0 { self.noisy_place } else { 1.0 };
                let row = |target: usize| -> Vec<f64> {
                    let last = target + 1 == targets;
                    let times = of_place * if last { self.noisy_target } else { 1.0 };
                    let ahead = if target == 0 {
                        self.faster.ln_1p()
                    } else {
                        0.0
                    };
                    let here = noise();
                    let both = process[target].iter().zip(&here);
                    both.map(|(p, h)| ahead + times * (same * p + own * h))
                        .collect()
                };
                let figures: Vec<Vec<f64>> = (0..targets).map(row).collect();
                for a in 0..targets {
                    for b in a + 1..targets {
                        let both = figures[a].iter().zip(&figures[b]);
                        all.push((a == 0, both.map(|(a, b)| a - b).collect()));
                    }
                }
            }
            all
        }

        /// The share of reports in which a pair of equal targets is called different, and that of the first target's pairs that are, by each
        /// pair's own spread and by what all say; and how wide pooled intervals are beside own ones on average, at the level of so many comparisons (of every tenth report: quantiles take their time).
        fn calls(&self, reports: u32) -> ([[f64; 2]; 2], f64) {
            let mut random = Simulated::new(20_261_127);
            let (mut calls, mut narrower) = ([[0.0; 2]; 2], 0.0);
            let mut compared = 0.0;
            for report in 0..reports {
                let pairs = self.pairs(&mut random);
                let logs: Vec<Vec<f64>> = pairs.iter().map(|(_, logs)| logs.clone()).collect();
                let rows: Vec<Kinds> = logs.iter().map(|logs| of_one_kind(logs)).collect();
                let spread = spread_of_pairs(&rows);
                let own = logs.iter().map(|logs| {
                    let pairs: Vec<(f64, f64)> = logs.iter().map(|d| (d.exp(), 1.0)).collect();
                    Paired::new(&pairs).expect("rounds")
                });
                let own: Vec<Paired> = own.collect();
                let helped = |own: &Paired| spread.map_or(*own, |spread| own.helped_by(&spread));
                let pooled: Vec<Paired> = own.iter().map(helped).collect();
                let level = 0.05 / pairs.len() as f64;
                let width = |paired: &Paired| {
                    let interval = paired.interval(level, 0.0).expect("an interval");
                    (interval.high / interval.low).ln()
                };
                let sum = |of: &[Paired]| of.iter().map(width).sum::<f64>();
                if report % 10 == 0 {
                    narrower += sum(&pooled) / sum(&own);
                    compared += 1.0;
                }
                for (calls, judged) in calls.iter_mut().zip([&own, &pooled]) {
                    let p: Vec<Option<f64>> = judged.iter().map(Paired::p_value).collect();
                    let levels = holm_levels(&p, 0.05);
                    let called = |at: usize| p[at].is_some_and(|p| p < levels[at]);
                    let (first, rest): (Vec<usize>, Vec<usize>) =
                        (0..p.len()).partition(|at| pairs[*at].0 && self.faster > 0.0);
                    calls[0] += f64::from(u8::from(rest.iter().any(|at| called(*at))));
                    let found = first.iter().filter(|at| called(**at)).count();
                    calls[1] += found as f64 / first.len().max(1) as f64;
                }
            }
            let share = |calls: f64| 100.0 * calls / f64::from(reports);
            (calls.map(|each| each.map(share)), narrower / compared)
        }
    }

    const NORMAL: Draw = |r| 0.01 * r.normal();

    const SIZES: [(usize, usize, usize); 7] = [
        (2, 3, 4),
        (2, 12, 4),
        (3, 1, 5),
        (3, 2, 5),
        (3, 4, 3),
        (3, 12, 4),
        (3, 4, 6),
    ];

    /// Equal targets, whatever they share from place to place, however they spread, and whoever is noisier. By chance 400 reports
    /// of 5 in 100 show up to 7.5.
    #[test]
    fn equal_targets_are_called_different_in_at_most_5_of_100_reports() {
        let shapes: [(&str, Draw, f64, f64); 8] = [
            ("normal", NORMAL, 1.0, 1.0),
            (
                "exponential tail",
                |r| (1.0 + 0.1 * r.exponential()).ln(),
                1.0,
                1.0,
            ),
            ("Pareto tail", |r| -0.6 * r.uniform().ln(), 1.0, 1.0),
            (
                "one process in seven 10% slow",
                |r| (if r.uniform() < 0.15 { -0.1 } else { 0.0 }) + 0.005 * r.normal(),
                1.0,
                1.0,
            ),
            ("one target thrice", NORMAL, 3.0, 1.0),
            ("one target ten times", NORMAL, 10.0, 1.0),
            ("one place thrice", NORMAL, 1.0, 3.0),
            ("one place ten times", NORMAL, 1.0, 10.0),
        ];
        let mut worst = 0.0f64;
        for size in SIZES {
            for shared in [0.0, 0.5, 1.0] {
                for (name, draw, noisy_target, noisy_place) in shapes {
                    let case = Case {
                        size,
                        shared,
                        draw,
                        noisy_target,
                        noisy_place,
                        faster: 0.0,
                    };
                    let ([[own, _], [pooled, _]], narrower) = case.calls(400);
                    println!(
                        "{size:?}, {shared} shared, {name}: own {own:.1}, pooled {pooled:.1} of 100; widths × {narrower:.2}"
                    );
                    assert!(
                        pooled <= 7.5f64.max(own + 1.0),
                        "{size:?} {shared} {name}: {pooled}"
                    );
                    worst = worst.max(pooled);
                }
            }
        }
        println!("worst {worst:.1}");
    }

    /// The table of notes/spreads.md: one target that is faster by `faster`, noise of 1% a process, half of it the same at all places.
    #[test]
    fn a_faster_one_is_found_more_often_and_intervals_are_narrower() {
        for (size, faster, least) in TABLE {
            let case = Case {
                size,
                shared: 0.5,
                draw: NORMAL,
                noisy_target: 1.0,
                noisy_place: 1.0,
                faster,
            };
            let ([[_, own], [wrong, pooled]], narrower) = case.calls(600);
            println!(
                "{size:?}, {faster}: found {own:.0} and {pooled:.0} of 100, false calls {wrong:.1}; widths × {narrower:.2}"
            );
            assert!(pooled >= own + least, "{size:?}: {own} {pooled}");
            assert!(wrong <= 6.0, "{size:?}: {wrong}");
            assert!(narrower < 0.85, "{size:?}: {narrower}");
        }
    }

    /// (targets, places, rounds), by how much the first is faster, and how many more of 100 are found at least.
    const TABLE: [((usize, usize, usize), f64, f64); 4] = [
        ((2, 4, 4), 0.03, 10.0),
        ((3, 4, 3), 0.06, 20.0),
        ((3, 12, 4), 0.05, 20.0),
        ((3, 4, 6), 0.025, 10.0),
    ];
}
