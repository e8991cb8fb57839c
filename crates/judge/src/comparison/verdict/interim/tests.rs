use photofinish_model::samples;
use photofinish_stats::{Interval, judge};

use super::*;

fn looks(max_rounds: Option<u32>) -> Looks {
    let mut study = samples::study(&["a", "b"], max_rounds.unwrap_or(5));
    study.settings.max_rounds = max_rounds;
    Looks::of(&study)
}

/// A ratio with 1% of noise, by round.
fn series(ratio: f64, rounds: usize) -> Series {
    const NOISE: [f64; 6] = [0.01, -0.01, 0.004, -0.012, 0.011, -0.003];
    let pair = |round: usize| (1000.0 * ratio * f64::exp(NOISE[round % 6]), 1000.0);
    Series {
        counted: (0..rounds)
            .map(|round| (round as u32 + 1, pair(round)))
            .collect(),
        aside: Rounds::new(),
    }
}

#[test]
fn one_look_is_the_plain_interval() {
    let data = series(1.1, 6);
    let judged = &looks(None).judge(std::slice::from_ref(&data), 0.0, 0.02)[0];
    let plain = data.paired(6).and_then(|p| p.interval(0.05, 0.0));
    assert_eq!(judged.interval, plain);
    assert_eq!((judged.alpha, judged.decided_after), (0.05, Some(6)));
}

#[test]
fn there_is_no_look_before_the_fifth_round() {
    let judged = &looks(Some(12)).judge(&[series(1.5, 4)], 0.0, 0.02)[0];
    assert_eq!((judged.interval, judged.decided_after), (None, None));
    assert_eq!(judged.direction, Some(Direction::Undecided));
}

#[test]
fn each_look_is_drawn_at_its_own_level() {
    let data = series(1.3, 5);
    let judged = &looks(Some(12)).judge(std::slice::from_ref(&data), 0.0, 0.02)[0];
    let level = Sequential::new(12, 0.05).level_at(5);
    assert_eq!(judged.alpha, level);
    assert_eq!(
        judged.interval,
        data.paired(5).and_then(|p| p.interval(level, 0.0))
    );
    assert_eq!(judged.decided_after, Some(5));
    assert_eq!(judged.direction, Some(Direction::Above));
}

#[test]
fn what_a_look_decided_stays_decided_while_the_ratio_does() {
    // Clear after 5 rounds; two rounds then that differ from them, but not in their mean.
    let mut data = series(1.3, 5);
    data.counted
        .extend([(6, (1350.0, 1000.0)), (7, (1250.0, 1000.0))]);
    let judged = &looks(Some(12)).judge(std::slice::from_ref(&data), 0.0, 0.02)[0];
    assert_eq!((judged.decided_after, judged.taken_back), (Some(5), None));
    assert_eq!(judged.direction, Some(Direction::Above));
    // What lies in all looks is narrower than the latest alone.
    let alone = data.paired(7).and_then(|p| p.interval(judged.alpha, 0.0));
    let (within, alone) = judged.interval.zip(alone).expect("intervals");
    assert!(within.is_within(&alone) && within.high - within.low < alone.high - alone.low);
}

#[test]
fn a_decision_that_later_rounds_contradict_is_taken_back() {
    // Clear after 5 rounds. Then the server of the one that was ahead slows down to a third: the ratio of all rounds
    // (1.3^5 · 0.3^3)^(1/8) = 0.75 lies below all that the looks had left.
    let mut data = series(1.3, 5);
    data.counted
        .extend([6, 7, 8].map(|round| (round, (300.0, 1000.0))));
    let judged = &looks(Some(12)).judge(std::slice::from_ref(&data), 0.0, 0.02)[0];
    assert_eq!(judged.direction, Some(Direction::Undecided));
    assert_eq!((judged.decided_after, judged.taken_back), (None, Some(6)));
    // The interval is that of the looks since then, in which the ratio lies, and not on its edge.
    let interval = judged.interval.expect("an interval");
    let ratio = judged.paired.expect("rounds").ratio();
    assert!((ratio - 0.75).abs() < 0.005, "{ratio}");
    assert!(
        interval.low < ratio * 0.9 && interval.high > ratio * 1.1,
        "{interval:?}"
    );
}

#[test]
fn several_comparisons_share_the_five_in_a_hundred() {
    let judged = looks(Some(12)).judge(&[series(1.3, 5), series(1.0, 5)], 0.0, 0.02);
    assert_eq!(judged[0].alpha, Sequential::new(12, 0.025).level_at(5));
    assert_eq!(judged[1].alpha, Sequential::new(12, 0.05).level_at(5));
}

#[test]
fn the_comparisons_of_all_places_are_one_family() {
    let place = |ratio: f64| Group {
        pairs: vec![series(ratio, 5)],
        ..Group::default()
    };
    let judged = looks(None).judge_together(&[place(1.3), place(1.008), place(1.0)], 0.001);
    let levels: Vec<f64> = judged.iter().flatten().map(|judged| judged.alpha).collect();
    assert_eq!(levels, [0.05 / 3.0, 0.05 / 2.0, 0.05 / 2.0]);
}

#[test]
fn a_tie_is_judged_at_the_level_of_a_pair_alone() {
    // 5 rounds: ±1.3% alone, ±2.1% as one of five. Equal series say no more of their spread than one.
    let wild = series(1.0, 5);
    let all = vec![wild.clone(); 5];
    let judged = &looks(None).judge(&all, 0.0, 0.02)[0];
    let alone = wild.paired(5).and_then(|p| p.interval(0.05, 0.0));
    let of_five = wild.paired(5).and_then(|p| p.interval(0.05 / 5.0, 0.0));
    assert_eq!(judge(of_five, 0.02), Direction::Undecided);
    assert_eq!(
        (judged.direction, judged.interval),
        (Some(Direction::Tie), alone)
    );
    assert_eq!(judged.alpha, 0.05);
}

#[test]
fn targets_that_spread_alike_help_one_another() {
    // Five targets, each with the same noise in another order of rounds, the first 4% faster.
    let noise = [0.01, -0.01, 0.004, -0.012, 0.011];
    let figures = |target: usize| -> Vec<(u32, f64)> {
        let ahead = if target == 0 { 1.04 } else { 1.0 };
        let rounds = 0..5usize;
        rounds
            .map(|r| {
                (
                    r as u32 + 1,
                    ahead * f64::exp(noise[(r * 2 + target * 3) % 5]),
                )
            })
            .collect()
    };
    let pair = |a: usize, b: usize| -> Series {
        let both = figures(a).into_iter().zip(figures(b));
        Series {
            counted: both.map(|((round, a), (_, b))| (round, (a, b))).collect(),
            ..Series::default()
        }
    };
    let group = |targets: std::ops::Range<usize>| Group {
        pairs: (1..5).map(|b| pair(0, b)).collect(),
        targets: targets
            .map(|target| {
                let counted = figures(target);
                (
                    target,
                    Series {
                        counted,
                        ..Series::default()
                    },
                )
            })
            .collect(),
        resolution: 0.0,
    };
    let width = |interval: Option<Interval>| {
        let interval = interval.expect("an interval");
        (interval.high / interval.low).ln()
    };
    let judged = |group: Group| {
        let judged = looks(None).judge_together(&[group], 0.02).remove(0);
        (width(judged[3].interval), judged[3].alpha)
    };
    let alone = |level: f64| {
        width(
            pair(0, 4)
                .paired(5)
                .and_then(|paired| paired.interval(level, 0.0)),
        )
    };
    // All pairs alike have one variance, and 16 degrees of freedom for 4.
    let (helped, level) = judged(group(0..5));
    assert!(helped < 0.7 * alone(level), "{helped} for {}", alone(level));
    // Their pairs alone say less, but something.
    let (by_pairs, level) = judged(group(0..0));
    assert!(
        by_pairs < 0.95 * alone(level),
        "{by_pairs} for {}",
        alone(level)
    );
}

/// One of many gets a little less than its share, never more.
#[test]
fn shares_of_many_are_coarse() {
    for comparisons in 1..=500_u32 {
        let share = ALPHA / f64::from(comparisons);
        let coarse = coarse(share);
        assert!(
            coarse <= share * (1.0 + 1e-9) && coarse > share / 1.11,
            "{comparisons}"
        );
    }
    let known: std::collections::BTreeSet<u64> = (1..=500_u32)
        .map(|m| coarse(ALPHA / f64::from(m)).to_bits())
        .collect();
    assert!(known.len() < 60, "{}", known.len());
}
