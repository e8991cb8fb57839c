use super::*;
use crate::Paired;
use crate::random::Simulated;

/// n = 8, values 1 to 8: the squares sum up to 42, the products of neighbours to 26.25: r = 0.625, plus 3.5/8, at most 0.8.
#[test]
fn by_hand() {
    let rising: Vec<f64> = (1..=8).map(f64::from).collect();
    assert_eq!(correlation(&[&rising]), 0.8);
    // 1, −1, 1, … goes to and fro: no resemblance.
    let fro: Vec<f64> = (0..8)
        .map(|i| if i % 2 == 0 { 1.0 } else { -1.0 })
        .collect();
    assert_eq!(correlation(&[&fro]), 0.0);
    // 1, 1, −1, −1, 1, 1, −1, −1: products 1 −1 1 −1 1 −1 1 = 1 of 8: r = 0.125, plus 1.5/8.
    let pairs: Vec<f64> = (0..8)
        .map(|i| if i / 2 % 2 == 0 { 1.0 } else { -1.0 })
        .collect();
    assert!((correlation(&[&pairs]) - 0.3125).abs() < 1e-12);
    for nothing in [&rising[..7], &[0.0; 9], &[f64::NAN; 9], &[]] {
        assert_eq!(correlation(&[nothing]), 0.0);
    }
}

/// ρ = 0.5, n = 3: v = 1 + 2 (2/3 · 0.5 + 1/3 · 0.25) = 11/6, the sample's variance 1 − 5/12 = 7/12: √(22/7).
#[test]
fn what_correlation_costs_by_hand() {
    assert!((stretch(0.5, 3) - (22.0f64 / 7.0).sqrt()).abs() < 1e-12);
    assert_eq!(
        (stretch(0.0, 9), stretch(0.5, 1), stretch(f64::NAN, 1)),
        (1.0, 1.0, 1.0)
    );
    // Many rounds: √((1 + ρ)/(1 − ρ)).
    assert!((stretch(0.5, 5000) - 3f64.sqrt()).abs() < 1e-3);
}

/// 1.5 / √25 = 0.3.
#[test]
fn what_is_not_excluded_by_hand() {
    assert_eq!((not_excluded(0.0, 4), not_excluded(0.3, 9)), (0.5, 0.5));
    assert!((not_excluded(0.1, 25) - 0.4).abs() < 1e-12);
    assert_eq!((not_excluded(0.4, 25), not_excluded(0.7, 25)), (0.5, 0.7));
    assert!((not_excluded(0.0, 10_000) - 0.015).abs() < 1e-12);
}

#[test]
fn an_interval_is_stretched_by_it() {
    let alike = [1.0, 1.2, 1.4, 1.5, 1.4, 1.2, 1.1, 1.0].map(|a| (a, 1.0));
    let paired = Paired::new(&alike).expect("rounds");
    assert!(paired.correlation > 0.5);
    let plain = paired.sd.expect("an sd") / 8f64.sqrt();
    let found = paired.standard_error().expect("an error");
    assert!((found / plain - stretch(paired.correlation, 8)).abs() < 1e-12);
    let low = Paired {
        correlation: 0.2,
        ..paired
    };
    let found = low.standard_error().expect("an error");
    let more = low
        .were_rounds_alike(0.8)
        .standard_error()
        .expect("an error");
    assert!(more > found);
    assert_eq!(low.were_rounds_alike(0.1), low);
}

/// The log ratios of the rounds of a run.
type Draw = fn(&mut Simulated, usize) -> Vec<f64>;

fn each(random: &mut Simulated, rounds: usize, draw: impl Fn(&mut Simulated) -> f64) -> Vec<f64> {
    (0..rounds).map(|_| draw(random) - draw(random)).collect()
}

fn autoregressive(random: &mut Simulated, rounds: usize, rho: f64) -> Vec<f64> {
    let mut state = random.normal();
    (0..rounds)
        .map(|_| {
            let now = state;
            state = rho * state + (1.0 - rho * rho).sqrt() * random.normal();
            0.01 * now
        })
        .collect()
}

/// How often a run of `rounds` is called different: as it is judged, and without regard to correlation; and how often it still is with the
/// largest correlation that is not excluded.
fn called(rounds: usize, draw: Draw, ratio: f64) -> [f64; 3] {
    const RUNS: u32 = 3000;
    let mut random = Simulated::new(20_261_123);
    let mut calls = [0; 3];
    for _ in 0..RUNS {
        let logs = draw(&mut random, rounds);
        let pairs: Vec<(f64, f64)> = logs.iter().map(|d| (ratio * d.exp(), 1.0)).collect();
        let paired = Paired::new(&pairs).expect("rounds");
        let plain = Paired {
            correlation: 0.0,
            ..paired
        };
        let held = paired.were_rounds_alike(not_excluded(paired.correlation, rounds));
        for (calls, paired) in calls.iter_mut().zip([paired, plain, held]) {
            *calls += u32::from(paired.p_value().is_some_and(|p| p < 0.05));
        }
    }
    calls.map(|calls| f64::from(calls) / f64::from(RUNS))
}

const EQUAL: [(&str, Draw); 9] = [
    ("normal 1%", |r, n| each(r, n, |r| 0.01 * r.normal())),
    ("lognormal 20%", |r, n| each(r, n, |r| 0.2 * r.normal())),
    ("Pareto tail", |r, n| {
        each(r, n, |r| -0.6 * r.uniform().ln())
    }),
    ("two modes in both, 10% apart", |r, n| {
        each(r, n, |r| {
            (if r.uniform() < 0.5 { 0.1 } else { 0.0 }) + 0.005 * r.normal()
        })
    }),
    ("noise 1% and 5%", |r, n| {
        (0..n)
            .map(|_| 0.01 * r.normal() - 0.05 * r.normal())
            .collect()
    }),
    // The machine slows down by 10% over the run, and who leads a round meets it earlier.
    ("drift of 10%", |r, n| {
        let order = |round: usize| {
            if (round / 2 + round).is_multiple_of(2) {
                1.0
            } else {
                -1.0
            }
        };
        let step = 0.1 / (2 * n) as f64;
        (0..n)
            .map(|round| order(round) * step + 0.003 * (r.normal() - r.normal()))
            .collect()
    }),
    ("slow spells, 1 of 5 blocks", |r, n| {
        each(r, n, |r| {
            let spell = if r.uniform() < 0.2 {
                -0.3 * r.uniform()
            } else {
                0.0
            };
            spell + 0.01 * r.normal()
        })
    }),
    ("correlation 0.3", |r, n| autoregressive(r, n, 0.3)),
    ("correlation 0.5", |r, n| autoregressive(r, n, 0.5)),
];

/// The table of notes/spreads.md.
#[test]
fn false_calls_and_power() {
    const ROUNDS: [usize; 6] = [4, 5, 6, 8, 12, 20];
    let head: String = ROUNDS.iter().map(|n| format!(" {n:>16}")).collect();
    let mut table = format!(
        "called different of 100: as judged (before; marked as sure){:>0}\n{:<32}{head}\n",
        "", "rounds"
    );
    let mut row = |name: &str, draw: Draw, ratio: f64| -> Vec<[f64; 3]> {
        let found: Vec<[f64; 3]> = ROUNDS.iter().map(|n| called(*n, draw, ratio)).collect();
        let cells = found.iter().map(|f| {
            let [now, before, sure] = f.map(|share| share * 100.0);
            format!(" {now:>5.1} ({before:>4.1};{sure:>4.1})")
        });
        table += &format!("{name:<32}{}\n", cells.collect::<String>());
        found
    };
    let mut wrong = Vec::new();
    for (name, draw) in EQUAL {
        wrong.push((name, row(name, draw, 1.0)));
    }
    let mut right = Vec::new();
    for (ratio, draw, name) in [
        (1.015, EQUAL[0].1, "1.5% faster, noise 1%"),
        (1.03, EQUAL[0].1, "3% faster, noise 1%"),
        (1.05, EQUAL[0].1, "5% faster, noise 1%"),
    ] {
        right.push((name, row(name, draw, ratio)));
    }
    println!("{table}");
    for (name, found) in &wrong {
        for (rounds, [now, before, sure]) in ROUNDS.iter().zip(found) {
            // 3,000 runs of 5 in 100 have a standard deviation of 0.4.
            let most = match *name {
                "correlation 0.3" => 0.14,
                "correlation 0.5" => {
                    if *rounds < ENOUGH {
                        0.24
                    } else {
                        0.16
                    }
                }
                _ => 0.06,
            };
            assert!(*now <= most, "{name}, {rounds} rounds: {now}");
            assert!(now <= before && sure <= now);
            // Three standard deviations of 3,000 runs.
            let most = 0.05 + 3.0 * (0.05f64 * 0.95 / 3000.0).sqrt();
            assert!(*sure <= most, "{name}, {rounds} rounds, sure: {sure}");
        }
    }
    let power = |at: usize, rounds: usize| right[at].1[rounds][0];
    // Of 20 rounds what is found is marked as sure, too.
    assert!(right[1].1[5][2] > 0.99 && right[0].1[5][2] > 0.8);
    assert!(power(1, 1) > 0.9 && power(1, 3) > 0.9 && power(2, 0) > 0.95 && power(2, 4) > 0.99);
}
