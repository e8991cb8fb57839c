use super::*;
use crate::random::Simulated;
use crate::{Analysis, Bounds, Decision, Direction, Schedule};

fn of(logs: &[f64]) -> Paired {
    let paired = Paired::of_ratios(logs.iter().map(|log| log.exp())).expect("rounds");
    Paired {
        correlation: 0.0,
        ..paired
    }
}

fn over(machines: &[&[f64]]) -> OverMachines {
    OverMachines::new(machines.iter().map(|logs| of(logs)).collect()).expect("machines")
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-6, "{found} is not {expected}");
}

/// Three pairs with means 0.1, 0.2, 0.3 and squares of 0.02 each: s² = 0.06 / 3, v = 0.01, the variance of the mean 0.03 / 9, t(3) = 3.182446.
/// Q = 0.02 / 0.01, and P(F > 1) with 2 and 3 degrees of freedom is (1 + 2/3)^−1.5.
#[test]
fn three_machines_by_hand() {
    let over = over(&[&[0.0, 0.2], &[0.1, 0.3], &[0.2, 0.4]]);
    let these = over.on_these();
    assert_eq!((these.rounds, these.freedom), (6, 3.0));
    close(these.mean, 0.2);
    close(
        these.standard_error().expect("an error"),
        (0.01f64 / 3.0).sqrt(),
    );
    let interval = these.interval(0.05, 0.0).expect("an interval");
    let half = 3.182_446_3 * (0.01f64 / 3.0).sqrt();
    close(interval.high.ln(), 0.2 + half);
    close(interval.low.ln(), 0.2 - half);
    assert_eq!(over.like_these(), None);
    let differs = over.heterogeneity().expect("a test");
    close(differs.q, 2.0);
    close(differs.p_value, (5.0f64 / 3.0).powf(-1.5));
    assert!(differs.sd < 1e-4);
}

/// Four pairs with means 0, 0.1, 0.2, 0.3, whose variance is 0.05 / 3, and v = 0.0025: τ² = 0.05 / 3 − 0.0025. On machines like these
/// the mean has the variance 0.05 / 12, with t(3) = 3.182446; on these machines 0.0025 / 4, with t(4) = 2.776445.
#[test]
fn four_machines_by_hand() {
    let rounds = |mean: f64| [mean - 0.05, mean + 0.05];
    let all = [0.0, 0.1, 0.2, 0.3].map(rounds);
    let over = over(&all.each_ref().map(|logs| logs.as_slice()));
    let half = |paired: Paired| {
        close(paired.mean, 0.15);
        let interval = paired.interval(0.05, 0.0).expect("an interval");
        interval.high.ln() - paired.mean
    };
    close(half(over.on_these()), 2.776_445_1 * 0.025);
    let like_these = over.like_these().expect("a ratio");
    assert_eq!((like_these.rounds, like_these.freedom), (4, 3.0));
    close(half(like_these), 3.182_446_3 * (0.05f64 / 12.0).sqrt());
    let differs = over.heterogeneity().expect("a test");
    close(differs.q, 20.0);
    close(differs.sd.powi(2), 0.05 / 3.0 - 0.0025);
}

/// One pair of machines has the verdict that its rounds have.
#[test]
fn one_machine_is_as_ever() {
    let rounds = of(&[0.1, 0.2, 0.3, 0.25]);
    let correlated = Paired {
        correlation: 0.4,
        uncertainty: 0.01,
        ..rounds
    };
    for paired in [rounds, correlated] {
        let one = OverMachines::new(vec![paired]).expect("a machine");
        let (these, alone) = (one.on_these(), paired);
        assert_eq!((these.rounds, these.freedom), (4, 3.0));
        let ends = |paired: Paired| paired.interval(0.05, 0.0).expect("an interval");
        close(ends(these).low, ends(alone).low);
        close(ends(these).high, ends(alone).high);
        assert_eq!((one.heterogeneity(), one.like_these()), (None, None));
        assert_eq!(one.deviating(0.02, 0.05), []);
    }
}

/// Uneven numbers of rounds: Q is k − 1 with the τ² that was found.
#[test]
fn machines_with_more_rounds_weigh_more_on_machines_like_these() {
    let over = over(&[
        &[0.0, 0.1],
        &[0.3, 0.4, 0.35, 0.35, 0.3, 0.4],
        &[0.1, 0.2, 0.15],
        &[0.5, 0.6],
    ]);
    let variances = over.variances().expect("variances");
    let between = over.between(&variances);
    let weights: Vec<f64> = variances
        .iter()
        .map(|own| (own + between).recip())
        .collect();
    close(over.scatter(&weights), 3.0);
    let like_these = over.like_these().expect("a ratio");
    close(
        like_these.standard_error().expect("an error").powi(2),
        weights.iter().sum::<f64>().recip(),
    );
    assert!(like_these.mean > over.on_these().mean);
}

#[test]
fn machines_that_disagree_are_named() {
    let near = |mean: f64| [mean - 0.01, mean, mean + 0.01];
    let named = |means: &[f64]| {
        let all: Vec<[f64; 3]> = means.iter().map(|mean| near(*mean)).collect();
        let all: Vec<&[f64]> = all.iter().map(|logs| logs.as_slice()).collect();
        over(&all).deviating(0.02, 0.05)
    };
    assert_eq!(named(&[0.0, 0.001, 0.0, 0.002]), []);
    // It is not the three that disagree with one.
    let one = named(&[0.0, 0.0, 0.0, 0.2]);
    assert_eq!(one.len(), 1);
    assert_eq!(one[0].machine, 3);
    close(one[0].ratio, 0.2f64.exp());
    let places = |means: &[f64]| -> Vec<usize> {
        let all = named(means).into_iter();
        all.map(|deviation| deviation.machine).collect()
    };
    assert_eq!(places(&[0.3, 0.0, 0.0, -0.2, 0.0]), [0, 3]);
    // Of two neither is the usual one.
    assert_eq!(places(&[0.0, 0.2]), [0, 1]);
    // Certain, but within the margin; far off, but not certain.
    assert_eq!(
        over(&[&[0.0, 1e-5], &[0.01, 0.01]]).deviating(0.02, 0.05),
        []
    );
    assert_eq!(over(&[&[0.0, 0.2], &[0.3, 0.1]]).deviating(0.02, 0.05), []);
}

#[test]
fn what_says_nothing_gives_nothing() {
    assert_eq!(OverMachines::new(Vec::new()), None);
    // A round each shows no spread.
    let single = over(&[&[0.1], &[0.2], &[0.3], &[0.4]]);
    let these = single.on_these();
    close(these.mean, 0.25);
    assert_eq!((these.sd, these.interval(0.05, 0.0)), (None, None));
    assert_eq!((single.like_these(), single.heterogeneity()), (None, None));
    assert_eq!(single.deviating(0.02, 0.05), []);
    // Rounds that agree to the last digit.
    let equal = over(&[&[0.0, 0.0], &[0.0, 0.0], &[0.0, 0.0], &[0.0, 0.0]]);
    assert_eq!(equal.heterogeneity(), None);
    let like_these = equal.like_these().expect("a ratio");
    assert_eq!((like_these.mean, like_these.sd), (0.0, Some(0.0)));
    let apart = over(&[&[0.0, 0.0], &[0.1, 0.1], &[0.2, 0.2], &[0.3, 0.3]]);
    let like_these = apart.like_these().expect("a ratio");
    close(
        like_these.standard_error().expect("an error"),
        (0.05f64 / 12.0).sqrt(),
    );
}

/// How rounds and machines differ in a simulation; a machine's own log ratio has the standard deviation `between`, a round's 3%.
struct Noise {
    name: &'static str,
    between: f64,
    /// The rounds of a machine, by its place.
    rounds: fn(usize) -> usize,
    /// How many times as noisy a machine is, by its place.
    times: fn(usize) -> f64,
}

const WITHIN: f64 = 0.03;

/// In how many of 100 runs intervals cover what they are to cover, and how wide they are.
#[derive(Debug, Default)]
struct Covered {
    /// The mean ratio of these machines.
    these: f64,
    /// The ratio of all machines like these.
    like_these: f64,
    /// The same by the interval of all rounds together.
    pooled: f64,
    /// The mean half-width on these machines, and on machines like these.
    half: [f64; 2],
    /// In how many the heterogeneity test has p < 0.05.
    differ: f64,
    /// In how many a machine is named.
    named: f64,
}

fn simulated(random: &mut Simulated, noise: &Noise, machines: usize) -> Covered {
    const RUNS: usize = 2000;
    let mut covered = Covered::default();
    let one = |hit: bool| f64::from(u8::from(hit)) * 100.0 / RUNS as f64;
    for _ in 0..RUNS {
        let (mut truth, mut all, mut logs) = (0.0, Vec::new(), Vec::new());
        for machine in 0..machines {
            let own = noise.between * random.normal();
            truth += own / machines as f64;
            let spread = WITHIN * (noise.times)(machine);
            let rounds: Vec<f64> = (0..(noise.rounds)(machine))
                .map(|_| own + spread * random.normal())
                .collect();
            logs.extend(&rounds);
            all.push(of(&rounds));
        }
        let over = OverMachines::new(all).expect("machines");
        let covers = |paired: &Paired, truth: f64| {
            let interval = paired.interval(0.05, 0.0).expect("an interval");
            (interval.contains(truth.exp()), interval.half_width())
        };
        let half = |half: Option<f64>| half.expect("a half-width") * 100.0 / RUNS as f64;
        let (hit, width) = covers(&over.on_these(), truth);
        covered.these += one(hit);
        covered.half[0] += half(width);
        covered.pooled += one(covers(&of(&logs), 0.0).0);
        if let Some(like_these) = over.like_these() {
            let (hit, width) = covers(&like_these, 0.0);
            covered.like_these += one(hit);
            covered.half[1] += half(width);
        }
        let differs = over.heterogeneity();
        covered.differ += one(differs.is_some_and(|differs| differs.p_value < 0.05));
        covered.named += one(!over.deviating(0.02, 0.05).is_empty());
    }
    covered
}

/// Equal weights and the pooled variance cover the ratio on these machines; from four machines on the other interval covers the ratio of all
/// machines like these. The interval of all rounds together covers it far too seldom. `notes/spreads.md` has the table.
#[test]
fn intervals_cover_what_they_state_on_1_to_32_machines() {
    let noises = [
        Noise {
            name: "machines do not differ",
            between: 0.0,
            rounds: |_| 4,
            times: |_| 1.0,
        },
        Noise {
            name: "machines differ by 1.5%",
            between: 0.015,
            rounds: |_| 4,
            times: |_| 1.0,
        },
        Noise {
            name: "machines differ by 3%",
            between: 0.03,
            rounds: |_| 4,
            times: |_| 1.0,
        },
        Noise {
            name: "… 10 rounds a machine",
            between: 0.03,
            rounds: |_| 10,
            times: |_| 1.0,
        },
        Noise {
            name: "… 3 to 7 rounds a machine",
            between: 0.03,
            rounds: |machine| 3 + machine % 5,
            times: |_| 1.0,
        },
        Noise {
            name: "… every third is twice as noisy",
            between: 0.03,
            rounds: |_| 4,
            times: |machine| if machine % 3 == 2 { 2.0 } else { 1.0 },
        },
    ];
    let mut random = Simulated::new(63);
    println!(
        "| noise | machines | all rounds as one sample | on these machines | on machines like these | half-widths | p < 0.05 | named |"
    );
    for noise in &noises {
        for machines in [1, 2, 3, 4, 6, 8, 16, 32] {
            let found = simulated(&mut random, noise, machines);
            let (like_these, half) = match machines >= FEWEST_LIKE_THESE {
                true => (
                    format!("{:.1}%", found.like_these),
                    format!(", ±{:.1}%", found.half[1]),
                ),
                false => ("–".to_owned(), String::new()),
            };
            println!(
                "| {} | {machines} | {:.0}% | {:.1}% | {like_these} | ±{:.1}%{half} | {:.0}% | {:.0}% |",
                noise.name, found.pooled, found.these, found.half[0], found.differ, found.named,
            );
            let (name, differ) = (noise.name, noise.between > 0.0);
            assert!(
                (93.0..=97.0).contains(&found.these),
                "{name} {machines}: {found:?}"
            );
            if machines >= FEWEST_LIKE_THESE {
                assert!(found.like_these >= 92.5, "{name} {machines}: {found:?}");
            }
            if noise.between >= WITHIN && machines > 1 {
                assert!(found.pooled < 87.0, "{name} {machines}: {found:?}");
            }
            if !differ {
                assert!(
                    found.differ < 6.5 && found.named < 6.0,
                    "{machines}: {found:?}"
                );
            }
        }
    }
}

/// Runs of several pairs of machines that are analysed after each planned wave, as a run of one pair is after its rounds: in how many of 100
/// a difference is called.
fn called(random: &mut Simulated, (pairs, most): (usize, usize), ratio: f64, between: f64) -> f64 {
    const RUNS: usize = 4000;
    let schedule = Schedule::up_to(most).in_waves_of(pairs);
    let bounds = Bounds::new(&schedule, 0.05);
    let mut different = 0;
    for _ in 0..RUNS {
        let own: Vec<f64> = (0..pairs).map(|_| between * random.normal()).collect();
        // The mean ratio of these machines is `ratio`.
        let off = own.iter().sum::<f64>() / pairs as f64 - ratio.ln();
        let mut logs = vec![Vec::new(); pairs];
        let mut decision = Decision::default();
        for rounds in schedule.rounds() {
            let mut done: usize = logs.iter().map(Vec::len).sum();
            while done < rounds {
                let pair = done % pairs;
                logs[pair].push(own[pair] - off + WITHIN * random.normal());
                done += 1;
            }
            let all = logs.iter().map(|logs| of(logs)).collect();
            let paired = OverMachines::new(all).expect("machines").on_these();
            let analysis = Analysis {
                after: rounds as u32,
                is_last: schedule.last() == Some(rounds),
                bound: bounds.level_after(rounds),
                share: 0.05,
                alone: 0.05,
                margin: 0.02,
                resolution: 0.0,
            };
            decision = analysis.of(&paired, &decision);
            let is_open = decision.direction == Some(Direction::Undecided);
            if !is_open {
                break;
            }
        }
        let direction = decision.direction;
        different += usize::from(matches!(
            direction,
            Some(Direction::Above | Direction::Below)
        ));
    }
    different as f64 * 100.0 / RUNS as f64
}

/// The bounds of repeated analyses are exact for one pair of machines. With their levels and R − k degrees of freedom, several pairs call equal
/// servers different in no more than 5 of 100 runs either, however much machines differ.
#[test]
fn repeated_analyses_of_several_pairs_keep_their_error() {
    let mut random = Simulated::new(64);
    println!("| pairs | most rounds | equal servers | equal, machines differ by 3% | 5% |");
    for (pairs, most) in [
        (1, 20),
        (2, 7),
        (2, 20),
        (3, 20),
        (4, 20),
        (6, 20),
        (6, 60),
        (12, 60),
    ] {
        let plan = (pairs, most);
        let [equal, apart] = [0.0, 0.03].map(|between| called(&mut random, plan, 1.0, between));
        let found = called(&mut random, plan, 1.05, 0.03);
        println!("| {pairs} | {most} | {equal:.1}% | {apart:.1}% | {found:.0}% |");
        assert!(equal < 5.8 && apart < 5.8, "{plan:?}: {equal} {apart}");
        assert!(most < 20 || found > 90.0, "{plan:?}: {found}");
    }
}
