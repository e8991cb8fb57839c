use photofinish_model::samples;
use photofinish_stats::Interval;

use super::*;

fn analyses(max_rounds: Option<u32>) -> Analyses {
    let mut results = samples::race(&["a", "b"], &[&[], &[]]);
    results.study.settings.max_rounds = max_rounds;
    Analyses::of(&results)
}

/// A ratio with 1% of noise, by round.
fn series(ratio: f64, rounds: usize) -> Series {
    const NOISE: [f64; 6] = [0.01, -0.01, 0.004, -0.012, 0.011, -0.003];
    let pair = |round: usize| (1000.0 * ratio * f64::exp(NOISE[round % 6]), 1000.0);
    Series {
        counted: (0..rounds)
            .map(|round| (round as u32 + 1, pair(round)))
            .collect(),
        ..Series::default()
    }
}

fn level(max: usize, share: f64, rounds: usize) -> f64 {
    Bounds::new(&Schedule::up_to(max), share).level_after(rounds)
}

#[test]
fn one_analysis_is_the_plain_interval() {
    let data = series(1.1, 6);
    let judged = &analyses(None).judge(std::slice::from_ref(&data), 0.0, 0.02)[0];
    let plain = data.paired(6).and_then(|p| p.interval(0.05, 0.0));
    assert_eq!(judged.decision.interval, plain);
    assert_eq!(judged.decision.level, 0.05);
    assert_eq!(judged.decision.decided_after, Some(6));
}

#[test]
fn what_is_open_has_the_interval_of_the_bound() {
    // 1.5%: the bound after five rounds is 4.7 standard errors of 0.4%.
    let data = series(1.015, 5);
    let judged = &analyses(Some(20)).judge(std::slice::from_ref(&data), 0.0, 0.02)[0];
    let bound = level(20, 0.05, 5);
    assert_eq!(judged.decision.level, bound);
    let interval = data.paired(5).and_then(|p| p.interval(bound, 0.0));
    assert_eq!(judged.decision.interval, interval);
    assert_eq!(judged.decision.direction, Some(Direction::Undecided));
}

#[test]
fn a_large_difference_is_called_after_three_rounds() {
    let data = series(1.3, 5);
    let judged = &analyses(Some(20)).judge(std::slice::from_ref(&data), 0.0, 0.02)[0];
    assert_eq!(judged.decision.decided_after, Some(3));
    assert_eq!(judged.decision.direction, Some(Direction::Above));
    // The interval is the ordinary one of all rounds.
    let ordinary = data.paired(5).and_then(|p| p.interval(0.05, 0.0));
    assert_eq!(judged.decision.interval, ordinary);
}

#[test]
fn servers_with_compilers_are_first_analysed_after_three_rounds() {
    // 3 × to the last digit is clear after two rounds.
    let data = |rounds| Series {
        counted: (1..=rounds)
            .map(|round| (round, (3000.0, 1000.0)))
            .collect(),
        ..Series::default()
    };
    let mut results = samples::race(&["a", "b"], &[&[1.0], &[1.0]]);
    results.study.settings.max_rounds = Some(7);
    let decided = |results: &Results, rounds| {
        let judged = &Analyses::of(results).judge(&[data(rounds)], 0.0, 0.02)[0];
        (judged.decision.direction, judged.decision.decided_after)
    };
    assert_eq!(decided(&results, 2), (Some(Direction::Above), Some(2)));
    for line in &mut results.lines {
        line.server.as_mut().expect("a server").compiling_share = Some(0.01);
    }
    assert_eq!(decided(&results, 2), (Some(Direction::Undecided), None));
    assert_eq!(decided(&results, 3), (Some(Direction::Above), Some(3)));
}

/// The time was over after four rounds: the analysis then is the last one, and spends all that is left of the error.
#[test]
fn the_end_of_the_time_is_the_last_analysis() {
    let data = series(1.02, 4);
    let mut results = samples::race(&["a", "b"], &[&[1.0; 4], &[1.0; 4]]);
    results.study.settings.max_rounds = Some(7);
    let judged = |results: &Results| {
        Analyses::of(results).judge(std::slice::from_ref(&data), 0.0, 0.005)[0].decision
    };
    assert_eq!(judged(&results).direction, Some(Direction::Undecided));
    results.time_over = vec![samples::time_over(4)];
    let last = judged(&results);
    assert!(last.level > level(7, 0.05, 4), "{last:?}");
    let bound = Bounds::new(&Schedule::up_to(7).ended_after(4), 0.05).level_after(4);
    assert!(last.level == bound || last.direction == Some(Direction::Above));
}

/// Of two rounds that agree by chance the turns know better: 2% a turn, 16 turns.
#[test]
fn the_variance_is_at_least_what_turns_imply() {
    let implied = 0.02_f64.powi(2) / 16.0;
    let data = Series {
        counted: vec![(1, (1300.0, 1000.0)), (2, (1300.0, 1000.0))],
        implied: vec![(1, implied), (2, implied)],
        ..Series::default()
    };
    let paired = data.paired(2).expect("rounds");
    assert!((paired.sd.expect("a deviation") - 0.005).abs() < 1e-12);
    // |t| = ln 1.3 / (0.5% / √2) = 74 is not beyond 127.
    let judged = &analyses(Some(7)).judge(&[data], 0.0, 0.02)[0];
    assert_eq!(judged.decision.direction, Some(Direction::Undecided));
}

/// Twelve pairs of eight rounds of independent noise: one correlation for all of them is 0 or small, and no interval gets wider from the seventh round
/// to the eighth by it.
#[test]
fn all_pairs_of_a_report_have_one_correlation() {
    let mut random = photofinish_stats::Random::stream(7, 7);
    let mut pairs = vec![Series::default(); 12];
    for round in 1..=8 {
        for series in &mut pairs {
            let series: &mut Series = series;
            let noise: f64 = random.normal() - random.normal();
            series.counted.push((round, (f64::exp(0.01 * noise), 1.0)));
        }
    }
    let own: Vec<f64> = (pairs.iter())
        .map(|series| series.paired(8).expect("rounds").correlation)
        .collect();
    let judged = analyses(None).judge(&pairs, 0.0, 0.02);
    let of_all: Vec<f64> = (judged.iter())
        .map(|judged| judged.paired.expect("rounds").correlation)
        .collect();
    let mean = own.iter().sum::<f64>() / 12.0;
    assert!(
        of_all
            .iter()
            .all(|one| *one == of_all[0] && *one < mean / 1.5),
        "{of_all:?} {own:?}"
    );
}

#[test]
fn a_decision_that_later_rounds_contradict_is_withdrawn() {
    // Clear after three rounds. Then the server that was ahead slows down to a third.
    let mut data = series(1.3, 5);
    data.counted
        .extend([6, 7, 8].map(|round| (round, (300.0, 1000.0))));
    let judged = &analyses(Some(7)).judge(std::slice::from_ref(&data), 0.0, 0.02)[0];
    assert_eq!(judged.decision.direction, Some(Direction::Undecided));
    assert_eq!(judged.decision.decided_after, None);
    assert_eq!(judged.decision.withdrawn_after, Some(7));
}

#[test]
fn several_comparisons_share_the_five_in_a_hundred() {
    let judged = analyses(Some(12)).judge(&[series(1.3, 3), series(1.0, 3)], 0.0, 0.001);
    assert_eq!((judged[0].share, judged[1].share), (0.025, 0.05));
    assert_eq!(judged[1].decision.level, level(12, 0.05, 3));
}

#[test]
fn the_comparisons_of_all_places_are_one_family() {
    let place = |ratio: f64| Group {
        pairs: vec![series(ratio, 5)],
        ..Group::default()
    };
    let judged = analyses(None).judge_together(&[place(1.3), place(1.008), place(1.0)], 0.001);
    let levels: Vec<f64> = judged.iter().flatten().map(|judged| judged.share).collect();
    assert_eq!(levels, [0.05 / 3.0, 0.05 / 2.0, 0.05 / 2.0]);
}

#[test]
fn a_tie_is_judged_at_the_level_of_a_pair_alone() {
    // 5 rounds: ±1.3% alone, ±2.1% as one of five. Equal series say no more of their spread than one.
    let wild = series(1.0, 5);
    let all = vec![wild.clone(); 5];
    let judged = &analyses(None).judge(&all, 0.0, 0.02)[0];
    let alone = wild.paired(5).and_then(|p| p.interval(0.05, 0.0));
    let of_five = wild.paired(5).and_then(|p| p.interval(0.05 / 5.0, 0.0));
    assert_eq!(
        photofinish_stats::judge(of_five, 0.02),
        Direction::Undecided
    );
    assert_eq!(
        (judged.decision.direction, judged.decision.interval),
        (Some(Direction::Tie), alone)
    );
    assert_eq!(judged.decision.level, 0.05);
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
        let judged = analyses(None).judge_together(&[group], 0.02).remove(0);
        (width(judged[3].decision.interval), judged[3].decision.level)
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
