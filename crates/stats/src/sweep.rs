//! A level of a sweep that falls out of line, such as one message size at which a server is slow.
//!
//! A sweep over message sizes has no law to fit, but a shape: the time for a message is made of parts that do not
//! depend on its size and parts in proportion to it, added or overlapping, up to the network's limit. Each such curve (1 / (a + bx), min(c, d / x), and
//! their mixtures) is concave when the logarithm of the throughput is drawn over the logarithm of the size: each level lies on or above the
//! chord between its neighbours. That holds for messages per second as for bytes per second,
//! since the two differ by a straight line there.
//!
//! So the levels that are out of line are the fewest without which the rest is concave. One is pointed at when
//! it is off by more than [`THRESHOLD`] and [`NOISE`] times what the rest is still off (the noise of the sweep itself). Leaving
//! each level out in turn is what tells a dip at one size from a bump at the next: with either, both lie off the
//! chord of their neighbours. The first and the last level are only context: with neighbours on one side, nothing can be said of them.

/// The fewest levels of a sweep that can be judged: the four that make a shape, and one out of line.
pub const FEWEST_LEVELS: usize = 5;

/// A level is out of line from 12% on, relative: beside a noise of 3% a level, 1 sweep in 100 would show one from 10% on by chance.
pub const THRESHOLD: f64 = 0.12;

/// A level is out of line when it is off by this many times what the others are still off at most.
pub const NOISE: f64 = 3.0;

/// A level that falls out of line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutOfLine {
    /// Its place among the levels as they were given.
    pub index: usize,
    /// What the nearest curve through the others has there: the chord between its neighbours for a level that is too low, the nearer of the
    /// lines extended from either side for one that is too high.
    pub expected: f64,
    /// The level's figure over `expected`.
    pub ratio: f64,
}

/// The levels (x, y) that fall out of line, in the order of x: x is a size above 0, y a throughput above 0, each x once (rounds
/// summed up by their geometric mean). Not for latencies, whose curves bend the other way; give 1 / latency. Empty where all are in line, where too many would have to be left out
/// to say which (fewer than four would remain), and where the levels are fewer than [`FEWEST_LEVELS`] or not usable.
pub fn out_of_line(levels: &[(f64, f64)]) -> Vec<OutOfLine> {
    let usable = |&(x, y): &(f64, f64)| x > 0.0 && y > 0.0 && x.is_finite() && y.is_finite();
    if levels.len() < FEWEST_LEVELS || !levels.iter().all(usable) {
        return Vec::new();
    }
    let mut rest: Vec<Point> = levels
        .iter()
        .enumerate()
        .map(|(index, &(x, y))| Point {
            index,
            x: x.ln(),
            y: y.ln(),
        })
        .collect();
    rest.sort_by(|a, b| a.x.total_cmp(&b.x));
    if rest.windows(2).any(|pair| pair[0].x >= pair[1].x) {
        return Vec::new();
    }
    let mut left_out: Vec<Point> = Vec::new();
    while below_chords(&rest) > THRESHOLD.ln_1p() {
        // The first and the last stay.
        let without = |at: usize| {
            let mut others = rest.clone();
            others.remove(at);
            below_chords(&others)
        };
        let worst = (1..rest.len() - 1).min_by(|&a, &b| without(a).total_cmp(&without(b)));
        match worst {
            Some(at) if rest.len() >= FEWEST_LEVELS => left_out.push(rest.remove(at)),
            _ => return Vec::new(),
        }
    }
    let noise = below_chords(&rest);
    left_out.sort_by(|a, b| a.x.total_cmp(&b.x));
    left_out
        .into_iter()
        .filter_map(|point| {
            let expected = nearest(&rest, point)?;
            let off = point.y - expected;
            let out = OutOfLine {
                index: point.index,
                expected: expected.exp(),
                ratio: off.exp(),
            };
            let sure = off.abs() > THRESHOLD.ln_1p().max(NOISE * noise);
            (sure && out.expected.is_finite() && out.ratio.is_finite()).then_some(out)
        })
        .collect()
}

/// A level on the log scales.
#[derive(Clone, Copy)]
struct Point {
    index: usize,
    x: f64,
    y: f64,
}

/// What the straight line through `a` and `b` has at `x`.
fn line(a: Point, b: Point, x: f64) -> f64 {
    a.y + (x - a.x) * (b.y - a.y) / (b.x - a.x)
}

/// How far, at most, a point lies below the chord between its neighbours; 0 for a concave curve.
fn below_chords(points: &[Point]) -> f64 {
    points
        .windows(3)
        .map(|three| line(three[0], three[2], three[1].x) - three[1].y)
        .fold(0.0, f64::max)
}

/// The value nearest to `point` that leaves the curve through `rest` concave: not below the chord of its
/// neighbours, not above the line through the two before it nor that through the two after it.
fn nearest(rest: &[Point], point: Point) -> Option<f64> {
    let after = rest.partition_point(|other| other.x < point.x);
    let (left, right) = (*rest.get(after.checked_sub(1)?)?, *rest.get(after)?);
    let chord = line(left, right, point.x);
    let before = after.checked_sub(2).and_then(|at| rest.get(at));
    let extended = [
        before.map(|&other| line(other, left, point.x)),
        rest.get(after + 1)
            .map(|&other| line(right, other, point.x)),
    ];
    let roof = extended.into_iter().flatten().fold(f64::INFINITY, f64::min);
    Some(point.y.clamp(chord, roof.max(chord)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Simulated;
    use proptest::prelude::*;

    const SIZES: [f64; 6] = [1.0, 2.0, 5.0, 10.0, 50.0, 100.0];
    const MINA: [f64; 6] = [50.0, 81.0, 55.0, 98.0, 100.0, 100.0];
    const NETTY: [f64; 6] = [50.0, 81.0, 98.0, 98.0, 100.0, 100.0];
    const MINA_RATE: [f64; 6] = [45_024.0, 35_548.0, 10_155.0, 8_740.0, 1_873.0, 949.0];
    const NETTY_RATE: [f64; 6] = [44_653.0, 35_580.0, 17_971.0, 8_806.0, 1_909.0, 964.0];

    fn found(y: &[f64; 6]) -> Vec<OutOfLine> {
        let levels: Vec<(f64, f64)> = SIZES.into_iter().zip(*y).collect();
        out_of_line(&levels)
    }

    fn places(y: &[f64; 6]) -> Vec<usize> {
        found(y).iter().map(|level| level.index).collect()
    }

    /// Study 4, as published: bytes per second and messages per second.
    #[test]
    fn minas_point_at_5k_is_found_and_nothing_in_nettys() {
        assert_eq!(places(&MINA), vec![2]);
        assert_eq!(places(&MINA_RATE), vec![2]);
        assert!(places(&NETTY).is_empty());
        assert!(places(&NETTY_RATE).is_empty());
        // The chord from 81 at 2k to 98 at 10k has 81 · (98 / 81)^(ln 2.5 / ln 5) = 90.2 at 5k.
        let level = found(&MINA)[0];
        let expected = 81.0 * (98.0f64 / 81.0).powf(2.5f64.ln() / 5f64.ln());
        assert!((level.expected - expected).abs() < 1e-9);
        assert!((level.ratio - 55.0 / expected).abs() < 1e-9);
    }

    #[test]
    fn the_order_of_the_levels_does_not_matter() {
        let mut levels: Vec<(f64, f64)> = SIZES.into_iter().zip(MINA).collect();
        levels.reverse();
        let found = out_of_line(&levels);
        assert_eq!(found.iter().map(|f| f.index).collect::<Vec<_>>(), vec![3]);
    }

    #[test]
    fn a_bump_is_found_as_well_as_a_dip() {
        let mut bump = NETTY;
        bump[3] = 160.0;
        let found = found(&bump);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].index, 3);
        assert!(found[0].ratio > 1.4, "{found:?}");
    }

    #[test]
    fn noise_is_not_taken_for_a_level_out_of_line() {
        let mut random = Simulated::new(5);
        for noise in [0.01, 0.02, 0.03] {
            let mut noisy = |y: &[f64; 6]| y.map(|v| v * (1.0 + noise * random.normal()));
            let (mut alarms, mut misses) = (0, 0);
            for _ in 0..2000 {
                alarms += u32::from(!places(&noisy(&NETTY)).is_empty());
                misses += u32::from(places(&noisy(&MINA)) != vec![2]);
            }
            println!("noise {noise}: {alarms} false alarms, {misses} misses of 2000");
            assert!(alarms <= 10 && misses <= 10, "{alarms} {misses}");
        }
    }

    #[test]
    fn wild_or_unusable_levels_say_nothing() {
        assert!(places(&[10.0, 100.0, 10.0, 100.0, 10.0, 100.0]).is_empty());
        assert!(places(&[f64::NAN; 6]).is_empty());
        assert!(places(&[0.0; 6]).is_empty());
        assert!(
            out_of_line(&[(1.0, 1.0), (1.0, 2.0), (2.0, 2.0), (3.0, 1.0), (4.0, 1.0)]).is_empty()
        );
        let four: Vec<(f64, f64)> = SIZES.into_iter().zip(MINA).take(4).collect();
        assert!(out_of_line(&four).is_empty());
    }

    proptest! {
        #[test]
        fn nothing_that_is_no_number_comes_out(levels in prop::collection::vec((any::<f64>(), any::<f64>()), 0..9)) {
            let positive: Vec<(f64, f64)> = levels.iter().map(|&(x, y)| (x.abs(), y.abs())).collect();
            for level in out_of_line(&levels).iter().chain(&out_of_line(&positive)) {
                prop_assert!(level.expected.is_finite() && level.ratio.is_finite());
            }
        }
    }
}
