use photofinish_model::samples::{self, assert_contains, assert_starts};

use super::*;

/// Four rounds of 12 s whose log ratios are ±x around 10%, with x such that their standard deviation is 3%.
fn four_rounds() -> Results {
    let x = 0.03 * 3f64.sqrt() / 2.0;
    let a = [x, -x, -x, x].map(|d| 1000.0 * (0.1 + d).exp());
    samples::race(&["a", "b"], &[&a, &[1000.0; 4]])
}

fn plan(results: &Results, half: f64, within: Option<u64>) -> HalfWidthPlan {
    HalfWidthPlan::from(results, half, within.map(Duration::from_secs)).expect("a plan")
}

fn need(plan: &HalfWidthPlan, half: f64) -> &Need {
    let mut needs = plan.needs.iter();
    needs.find(|need| need.half_width == half).expect("a row")
}

/// s = 3%. ±5%: five rounds have 2.776445 · 0.03 / √5 = 0.0373 in logarithms, and fewer than five are luck. ±2%: 12, by 2.200985 · 0.03 / √12.
/// ±1%: 38, by 2.026192 · 0.03 / √38 = 0.009861 (37: 0.010003). At ±2% the ends of the spread's range, 2.078% and 6.797%, take 7 and 48.
#[test]
fn rounds_and_time_by_hand() {
    let plan = plan(&four_rounds(), 0.02, None);
    assert_eq!((plan.rounds, plan.round_s, plan.ratios), (4, Some(12.0), 1));
    let found: Vec<(f64, Option<u32>, Option<f64>)> = (plan.needs.iter())
        .map(|need| (need.half_width, need.rounds, need.time_s))
        .collect();
    let expected = [(0.05, 5, 60.0), (0.02, 12, 144.0), (0.01, 38, 456.0)];
    let expected = expected.map(|(half, rounds, time)| (half, Some(rounds), Some(time)));
    assert_eq!(found, expected);
    let two = need(&plan, 0.02);
    assert_eq!((two.at_least, two.at_most), (Some(7), Some(48)));
    assert_eq!(two.rounds_for_half_of_the_ratios, Some(12));
    // 20 minutes are enough on one pair.
    assert_eq!((two.pairs, two.rounds_of_a_pair), (Some(1), Some(12)));
    // t(3) = 3.182446.
    let so_far = (3.182_446 * 0.03 / 2.0_f64).exp_m1();
    assert!((plan.widest - so_far).abs() < 1e-6 && plan.median == plan.widest);
}

/// Within 60 s a pair has five rounds. Two pairs take 12 rounds (2.228139 · 0.03 / √12), so six each; three take four each.
#[test]
fn pairs_of_machines_by_hand() {
    let results = four_rounds();
    let pairs = |within: u64| {
        let plan = plan(&results, 0.02, Some(within));
        let need = need(&plan, 0.02);
        need.pairs.zip(need.rounds_of_a_pair)
    };
    assert_eq!(pairs(60), Some((3, 4)));
    assert_eq!(pairs(72), Some((2, 6)));
    // Each pair has two rounds at least.
    assert_eq!(pairs(23), None);
    // ±2% on 1, 2, 4 and 6 pairs: 12, 12, 12 and 12 rounds; 12 − 4 degrees of freedom have 2.306004 · 0.03 / √12 = 0.019971, more than
    // 0.019803, so four pairs have four rounds each, and six pairs three (2.178813 · 0.03 / √18 with 12 degrees of freedom).
    let twenty_minutes = plan(&results, 0.02, None);
    let on_pairs: Vec<_> = (need(&twenty_minutes, 0.02).on_pairs)
        .iter()
        .map(|on| (on.pairs, on.rounds, on.rounds_of_a_pair, on.time_s))
        .collect();
    let expected = [
        (1, 12, 12, 144.0),
        (2, 12, 6, 72.0),
        (4, 16, 4, 48.0),
        (6, 18, 3, 36.0),
    ];
    let expected =
        expected.map(|(pairs, rounds, each, time)| (pairs, Some(rounds), Some(each), Some(time)));
    assert_eq!(on_pairs, expected);
    let mut study = results.clone();
    study.study.settings.within = Some(Duration::from_secs(60));
    assert_eq!(plan(&study, 0.02, None).within_s, 60.0);
}

#[test]
fn a_plan_in_words() {
    let plan = plan(&four_rounds(), 0.02, Some(60));
    let says: Vec<&str> = plan.says.iter().map(|says| says.en.as_str()).collect();
    let expected = [
        "1 ratio of throughputs after 4 rounds (12 s each); the widest interval is ±4.9%: a / b, plaintext, 100 connections",
        "±2% for every ratio takes about 12 rounds (7 to 48, since the spread itself is an estimate): 2 min 24 s on one pair of machines",
        "to reach it: photofinish run sample --half-width 2% --max-rounds 48",
        "±2% within 1 min takes 3 pairs of machines with 4 rounds each",
        "on several pairs of machines the interval is the one on these machines, which holds for no others",
        "rounds are taken to be as long, and to differ as much, as the stored ones",
    ];
    assert_eq!(says, expected);
    let forecast = plan.forecast().expect("a forecast").en;
    let expected = "±5% in 1 min; ±2% needs about 3 min here (by the run of 2026-01-31T12:00:00Z)";
    assert_eq!(forecast, expected);
}

/// Half-widths that take equally many rounds are one in the forecast, and one without an end is said to be out of reach.
#[test]
fn forecasts_of_little_and_of_much_spread() {
    let forecast = |spread: f64| {
        let a = [1.0, -1.0, -1.0, 1.0].map(|d| 1000.0 * (spread * d).exp());
        let results = samples::race(&["a", "b"], &[&a, &[1000.0; 4]]);
        plan(&results, DEFAULT, None)
            .forecast()
            .expect("a forecast")
            .en
    };
    assert_starts(&forecast(0.001), "±2% needs about 1 min here (");
    assert_contains(&forecast(1.5), "±2% is out of reach here (");
}

/// Of several ratios the widest decides, and half of them need fewer rounds.
#[test]
fn every_ratio_is_as_narrow_as_planned() {
    let at = |factor: f64, noise: [f64; 6]| noise.map(|d| 1000.0 * factor * d.exp()).to_vec();
    let a = at(1.0, [0.01, -0.01, 0.0, 0.02, -0.02, 0.0]);
    let b = at(1.1, [-0.01, 0.01, 0.02, 0.0, 0.0, -0.02]);
    let c = at(1.2, [0.2, -0.2, 0.1, -0.1, 0.15, -0.15]);
    let results = samples::race(&["a", "b", "c"], &[&a, &b, &c]);
    let plan = plan(&results, 0.03, None);
    assert_eq!(plan.ratios, 3);
    let halves: Vec<f64> = plan.needs.iter().map(|need| need.half_width).collect();
    assert_eq!(halves, [0.05, 0.03, 0.02, 0.01]);
    let comparison = Comparison::from(&results);
    let ratios = ratios(&comparison);
    for need in &plan.needs {
        let rounds = need.rounds.expect("a number");
        let widest = |rounds: u32| {
            let halves = ratios.iter().map(|ratio| ratio.width.after(rounds, 1));
            halves
                .map(|half| half.expect("a half-width"))
                .fold(0.0, f64::max)
        };
        assert!(widest(rounds) <= need.half_width && widest(rounds - 1) > need.half_width);
        assert!(need.rounds_for_half_of_the_ratios <= need.rounds);
        assert!(need.at_least <= need.rounds && need.rounds <= need.at_most);
    }
    let says = &plan.says[0].en;
    assert!(says.contains("a / c") || says.contains("b / c"), "{says}");
}

#[test]
fn a_run_without_a_spread_says_what_to_run() {
    let one = samples::race(&["a", "b"], &[&[1.0], &[2.0]]);
    let alone = samples::race(&["a"], &[&[1.0, 2.0, 3.0]]);
    for results in [one, alone] {
        let error = HalfWidthPlan::from(&results, DEFAULT, None).expect_err("no spread");
        assert_contains(&error.to_string(), "run `photofinish run sample` first");
    }
    assert_eq!(command("compare"), "photofinish compare");
}

#[test]
fn times_are_as_exact_as_a_forecast() {
    for (seconds, expected) in [
        (61.0, 65.0),
        (121.0, 180.0),
        (1_801.0, 2_100.0),
        (6_900.0, 6_900.0),
    ] {
        assert_eq!(rough(seconds), expected);
    }
}
