use super::*;
use crate::random::Simulated;
use crate::turns::{median_ratio, medians_beside};
use crate::{Paired, holm_levels};

/// Four targets in three rounds, by hand. Rows less their means: (0, 1, −1), (0, −1, 1), (1, −1, 0), (−1, 1, 0), whose columns have the
/// mean 0: these are the residuals. Each row's square sum over 2 is 1, their sum 4, so Σσ² = 4 · 4/3, the mean 4/3, a pair's 8/3.
#[test]
fn by_hand() {
    let rows = [
        [5.0, 6.0, 4.0],
        [7.0, 6.0, 8.0],
        [2.0, 0.0, 1.0],
        [0.0, 2.0, 1.0],
    ];
    let place: Place = (0..).zip(rows.map(|row| of_one_kind(&row))).collect();
    let spread = spreads(std::slice::from_ref(&place))[0].expect("a spread");
    assert!((spread.variance - 8.0 / 3.0).abs() < 1e-12);
    // All alike: what Satterthwaite leaves, 3 · 2 − 2.
    assert!((spread.freedom - 4.0).abs() < 1e-9, "{spread:?}");
    // It is the mean of the pairs' own variances.
    let mut sum = 0.0;
    for a in 0..4 {
        for b in a + 1..4 {
            let pairs = rows[a].iter().zip(rows[b]);
            let pairs: Vec<(f64, f64)> = pairs.map(|(a, b)| (a.exp(), b.exp())).collect();
            sum += Paired::new(&pairs)
                .and_then(|p| p.sd)
                .expect("an sd")
                .powi(2);
        }
    }
    assert!((spread.variance - sum / 6.0).abs() < 1e-9);
    // What a round adds to all changes nothing.
    let shifted: Place = (place.iter())
        .map(|(t, kinds)| {
            let added = [9.0, -4.0, 0.5];
            let row = kinds[0].iter().zip(added).map(|((_, x), added)| x + added);
            (*t, of_one_kind(&row.collect::<Vec<f64>>()))
        })
        .collect();
    let other = spreads(&[shifted])[0].expect("a spread");
    assert!((other.variance - spread.variance).abs() < 1e-9);
    // The same rounds twice, as another kind in which each target has another mean: as many degrees of freedom again, and the same
    // variance.
    let twice: Place = (place.iter())
        .map(|(t, kinds)| {
            let other = kinds[0]
                .iter()
                .map(|(round, x)| (round + 3, x + 5.0 * *t as f64));
            (*t, vec![kinds[0].clone(), other.collect()])
        })
        .collect();
    let both = spreads(&[twice])[0].expect("a spread");
    assert!((both.variance - spread.variance).abs() < 1e-9);
    assert!((both.freedom - (3.0 * 4.0 - 4.0)).abs() < 1e-9, "{both:?}");
}

#[test]
fn what_says_nothing_gives_nothing() {
    let rows = |k: usize, r: usize, x: f64| -> Place {
        (0..k)
            .map(|t| {
                let row = (0..r).map(|i| x * ((t * 7 + i * 3) % 5) as f64);
                (t, of_one_kind(&row.collect::<Vec<f64>>()))
            })
            .collect()
    };
    assert!(spreads(&[rows(4, 3, 1.0)])[0].is_some());
    for place in [
        vec![],
        rows(3, 5, 1.0),
        rows(6, 2, 1.0),
        rows(6, 5, 0.0),
        rows(6, 5, f64::NAN),
        rows(6, 5, f64::MAX),
    ] {
        assert_eq!(spreads(&[place]), [None]);
    }
    let mut uneven = rows(4, 4, 1.0);
    uneven[2].1[0].pop();
    assert_eq!(spreads(&[uneven]), [None]);
}

/// ψ′(1) = π²/6, ψ′(1/2) = π²/2.
#[test]
fn the_trigamma_function_is_that_of_the_tables() {
    let pi2 = std::f64::consts::PI.powi(2);
    for (x, expected) in [(1.0, pi2 / 6.0), (0.5, pi2 / 2.0), (30.0, 0.033_895_060)] {
        assert!(
            (trigamma(x) - expected).abs() < 1e-8 * expected.max(1.0),
            "{x}"
        );
        assert!((inverse_trigamma(trigamma(x)) / x - 1.0).abs() < 1e-6);
    }
}

/// ψ(1) = −γ, ψ(1/2) = −γ − 2 ln 2, ψ(x + 1) = ψ(x) + 1/x.
#[test]
fn the_digamma_function_is_that_of_the_tables() {
    let euler = 0.577_215_664_901_532_9;
    for (x, expected) in [
        (1.0, -euler),
        (0.5, -euler - 2.0 * 2f64.ln()),
        (2.0, 1.0 - euler),
    ] {
        assert!((digamma(x) - expected).abs() < 1e-9, "{x}");
    }
}

/// A pair's variance by hand: 4 degrees of freedom of its own with variance 1, 12 of others with variance 5: (4 + 60) / 16 = 4.
#[test]
fn a_pair_is_drawn_toward_the_others() {
    let own = Paired {
        uncertainty: 0.0,
        rounds: 5,
        mean: 0.1,
        sd: Some(1.0),
        freedom: 4.0,
        correlation: 0.0,
    };
    let spread = Spread {
        variance: 5.0,
        freedom: 12.0,
    };
    let helped = own.helped_by(&spread);
    assert_eq!((helped.sd, helped.freedom), (Some(2.0), 16.0));
    let alone = Spread {
        freedom: 0.0,
        ..spread
    };
    assert_eq!(own.helped_by(&alone), own);
}

/// The logarithm of one process's figure.
type Draw = fn(&mut Simulated) -> f64;

/// Targets × places, and how many rounds there are of each kind, of which the first counts.
type Size<'k> = (usize, usize, &'k [usize]);

/// A report, the first target faster by `faster`. Half of a process's deviation is the same at all places. In rounds of another kind all targets are
/// other ones.
fn report(
    random: &mut Simulated,
    (targets, places, kinds): Size,
    draw: &dyn Fn(&mut Simulated, usize) -> f64,
    faster: f64,
) -> Vec<Place> {
    let half = 0.5f64.sqrt();
    let rounds: usize = kinds.iter().sum();
    let shared: Vec<Vec<f64>> = (0..targets)
        .map(|t| (0..rounds).map(|_| draw(random, t)).collect())
        .collect();
    (0..places)
        .map(|_| {
            let busy: Vec<f64> = (0..rounds).map(|_| 0.02 * random.normal()).collect();
            let row = |t: usize| {
                let ahead = if t == 0 { (1.0 + faster).ln() } else { 0.0 };
                let mut figure = |kind: usize, r: usize| {
                    let own = match places {
                        1 => shared[t][r],
                        _ => half * (shared[t][r] + draw(random, t)),
                    };
                    ahead + 0.3 * (kind * t) as f64 + busy[r] + own
                };
                let mut next = 0..rounds;
                let of_kind = |(kind, of_kind): (usize, &usize)| {
                    let rounds = next.by_ref().take(*of_kind);
                    rounds.map(|r| (r as u32, figure(kind, r))).collect()
                };
                (t, kinds.iter().enumerate().map(of_kind).collect())
            };
            (0..targets).map(row).collect()
        })
        .collect()
}

/// Two targets.
type Pair = (usize, usize);

/// The differences of two targets' logarithms.
fn of_pair(place: &Place, (a, b): Pair) -> Kinds {
    let kinds = place[a].1.iter().zip(&place[b].1);
    let less = kinds.map(|(a, b)| {
        let rounds = a.iter().zip(b);
        rounds.map(|((round, a), (_, b))| (*round, a - b)).collect()
    });
    less.collect()
}

/// Which pairs of each place are called different: all pairs of all places are one family.
fn called(places: &[Place]) -> Vec<Vec<(Pair, bool)>> {
    let logs = places.iter().flat_map(|place| {
        let pairs = (0..place.len()).flat_map(|a| (a + 1..place.len()).map(move |b| (a, b)));
        pairs.map(|pair| of_pair(place, pair))
    });
    let of_pairs = spread_of_pairs(&logs.collect::<Vec<_>>());
    let of_targets = spreads(places).into_iter();
    let helped: Vec<Option<Spread>> = of_targets
        .map(|of_targets| Spread::surer(of_targets, of_pairs))
        .collect();
    let p: Vec<Vec<(Pair, Option<f64>)>> = places
        .iter()
        .zip(&helped)
        .map(|(place, spread)| {
            let pair = |a: usize, b: usize| {
                let kinds = of_pair(place, (a, b));
                let paired = kinds.iter().map(|rounds| {
                    let pairs = rounds.iter().map(|(_, d)| (d.exp(), 1.0));
                    Paired::new(&pairs.collect::<Vec<(f64, f64)>>())
                });
                let paired: Option<Vec<Paired>> = paired.collect();
                let paired = paired?
                    .into_iter()
                    .reduce(|own, other| own.pooled_with(&other))?;
                let paired = match spread {
                    Some(spread) => paired.helped_by(spread),
                    None => paired,
                };
                paired.p_value()
            };
            (0..place.len())
                .flat_map(|a| (a + 1..place.len()).map(move |b| (a, b)))
                .map(|(a, b)| ((a, b), pair(a, b)))
                .collect()
        })
        .collect();
    let all: Vec<Option<f64>> = p.iter().flatten().map(|(_, p)| *p).collect();
    let mut levels = holm_levels(&all, 0.05).into_iter();
    let mut is_below = |p: Option<f64>| levels.next().zip(p).is_some_and(|(level, p)| p < level);
    p.iter()
        .map(|place| place.iter().map(|&(pair, p)| (pair, is_below(p))).collect())
        .collect()
}

fn false_calls(reports: u32, size: Size, draw: &dyn Fn(&mut Simulated, usize) -> f64) -> f64 {
    let mut random = Simulated::new(20_261_122);
    let wrong = (0..reports).filter(|_| {
        let places = report(&mut random, size, draw, 0.0);
        called(&places).iter().flatten().any(|(_, called)| *called)
    });
    wrong.count() as f64 / f64::from(reports)
}

const NORMAL: Draw = |r| 0.01 * r.normal();

#[test]
fn equal_targets_are_called_different_in_at_most_5_of_100_reports() {
    let shapes: [(&str, Draw); 5] = [
        ("normal 1%", NORMAL),
        ("lognormal 20%", |r| 0.2 * r.normal()),
        ("exponential tail 10%", |r| {
            (1.0 + 0.1 * r.exponential()).ln()
        }),
        ("Pareto tail", |r| -0.6 * r.uniform().ln()),
        ("two modes 10% apart", |r| {
            (if r.uniform() < 0.5 { 0.1 } else { 0.0 }) + 0.005 * r.normal()
        }),
    ];
    let mut table = "reports with a false call: 8 places\n".to_owned();
    for (name, draw) in shapes {
        for (targets, kinds) in [
            (6, &[4][..]),
            (6, &[5]),
            (4, &[4]),
            (6, &[2, 2]),
            (4, &[2, 2]),
            (4, &[2, 3]),
        ] {
            let found = false_calls(400, (targets, 8, kinds), &|random, _| draw(random));
            table += &format!(
                "{name:<24} {targets} targets, {kinds:?} rounds {:>5.1}%\n",
                found * 100.0
            );
            // By chance 400 reports of 5 in 100 show up to 7.5 (4,000 showed at most 4.3).
            assert!(
                found <= 0.075,
                "{name}, {targets} targets, {kinds:?} rounds: {found}"
            );
        }
    }
    println!("{table}");
}

/// One or more targets that spread more than the others must not borrow their certainty.
#[test]
fn unequal_noise_calls_no_more() {
    let mut table = "reports with a false call, noise of the targets unequal\n".to_owned();
    let noisy: [(&str, [f64; 6]); 5] = [
        ("one twice", [1.0, 1.0, 1.0, 1.0, 1.0, 2.0]),
        ("one thrice", [1.0, 1.0, 1.0, 1.0, 1.0, 3.0]),
        ("one ten times", [1.0, 1.0, 1.0, 1.0, 1.0, 10.0]),
        ("two thrice", [1.0, 1.0, 1.0, 1.0, 3.0, 3.0]),
        ("one to four times", [1.0, 1.5, 2.0, 2.5, 3.0, 4.0]),
    ];
    for (name, noise) in noisy {
        for (places, reports) in [(1, 1500), (8, 400)] {
            let draw = |random: &mut Simulated, target: usize| noise[target] * NORMAL(random);
            let found = false_calls(reports, (6, places, &[5]), &draw);
            table += &format!("{name:<20} {places} places {:>5.1}%\n", found * 100.0);
            assert!(found <= 0.05, "{name}, {places} places: {found}");
        }
    }
    println!("{table}");
}

/// One of six that is 3% faster, 1% noise a process, 5 rounds: told apart from all others. Without the others' help 4 to 5 in 100 at one
/// place, and none of 8.
#[test]
fn one_of_six_that_is_faster_is_found() {
    for (places, faster, rounds, least) in [
        (1, 0.03, 5, 0.5),
        (8, 0.03, 5, 0.3),
        (8, 0.05, 4, 0.7),
        (1, 0.05, 5, 0.95),
    ] {
        let mut random = Simulated::new(3);
        let reports = 300;
        let mut found = 0;
        for _ in 0..reports {
            let size: Size = (6, places, &[rounds]);
            let places = report(&mut random, size, &|random, _| NORMAL(random), faster);
            for place in called(&places) {
                let of_first = place.iter().filter(|((a, _), _)| *a == 0);
                found += u32::from(of_first.into_iter().all(|(_, called)| *called));
            }
        }
        let share = f64::from(found) / (reports * places) as f64;
        println!("{faster} at {places} places, {rounds} rounds: {share}");
        assert!(share >= least, "{faster} at {places} places: {share}");
    }
}

/// Medians of six targets in 5 rounds of 20 turns, the first one's times (1 + `slower`): the pairs' ratios by turns, and what the rounds say beside
/// the mean of all. A machine's state meets all targets of a turn, half of the turns at half the speed; processes differ by 1%, slices by 3%, of
/// the last target by `last` times that.
fn by_turns(random: &mut Simulated, slower: f64, last: f64) -> (Place, Vec<(Pair, Paired)>) {
    const TARGETS: usize = 6;
    let mut rows = vec![Vec::new(); TARGETS];
    let all = (0..TARGETS).flat_map(|a| (a + 1..TARGETS).map(move |b| (a, b)));
    let mut pairs: Vec<(Pair, Vec<(f64, f64)>)> = all.map(|pair| (pair, Vec::new())).collect();
    for _ in 0..5 {
        let noisy = |target: usize| if target + 1 == TARGETS { last } else { 1.0 };
        let ahead = |target: usize| if target == 0 { slower.ln_1p() } else { 0.0 };
        let process: Vec<f64> = (0..TARGETS)
            .map(|target| ahead(target) + 0.01 * noisy(target) * random.normal())
            .collect();
        let turns: Vec<Vec<f64>> = (0..20)
            .map(|_| {
                let state = if random.uniform() < 0.5 { 2.0 } else { 1.0 };
                let mut slice = |target: usize| 0.03 * noisy(target) * random.normal();
                let times = (0..TARGETS).map(|target| process[target] + slice(target));
                times.map(|time| 300.0 * state * time.exp()).collect()
            })
            .collect();
        let beside = medians_beside(&turns).expect("medians");
        for (row, median) in rows.iter_mut().zip(beside) {
            row.push(median);
        }
        for ((a, b), rounds) in &mut pairs {
            let both: Vec<(f64, f64)> = turns.iter().map(|turn| (turn[*a], turn[*b])).collect();
            rounds.push((median_ratio(&both).expect("a ratio"), 1.0));
        }
    }
    let paired = pairs.into_iter();
    let paired = paired.filter_map(|(pair, rounds)| Some((pair, Paired::new(&rounds)?)));
    let place = rows.iter().map(|row| of_one_kind(row));
    ((0..).zip(place).collect(), paired.collect())
}

/// Of `reports`, how many have a pair of equal targets called different, and how many have the first target behind all others: by each pair's own
/// spread, and by pooled ones; and the pooled variance over the mean of the pairs' own.
fn medians_called(reports: u32, slower: f64, last: f64) -> ([[f64; 2]; 2], f64) {
    let mut random = Simulated::new(20_261_124);
    let mut calls = [[0.0; 2]; 2];
    let (mut pooled, mut own) = (0.0, 0.0);
    for _ in 0..reports {
        let (place, pairs) = by_turns(&mut random, slower, last);
        let spread = spreads(&[place])[0].expect("a spread");
        pooled += spread.variance;
        let variances = pairs
            .iter()
            .map(|(_, paired)| paired.sd.expect("an sd").powi(2));
        own += variances.sum::<f64>() / pairs.len() as f64;
        for (calls, is_pooled) in calls.iter_mut().zip([false, true]) {
            let p: Vec<Option<f64>> = pairs
                .iter()
                .map(|(_, paired)| match is_pooled {
                    true => paired.helped_by(&spread).p_value(),
                    false => paired.p_value(),
                })
                .collect();
            let levels = holm_levels(&p, 0.05);
            let is_called = |place: usize| p[place].is_some_and(|p| p < levels[place]);
            let of_first = |place: usize| pairs[place].0.0 == 0;
            let all = 0..pairs.len();
            let wrong = all
                .clone()
                .filter(|place| slower == 0.0 || !of_first(*place));
            calls[0] += f64::from(u8::from(wrong.clone().any(is_called)));
            let right = all.clone().filter(|place| of_first(*place)).all(is_called);
            calls[1] += f64::from(u8::from(right));
        }
    }
    (
        calls.map(|each| each.map(|calls| 100.0 * calls / f64::from(reports))),
        pooled / own,
    )
}

/// The table of notes/spreads.md.
#[test]
fn medians_by_turns_are_pooled_as_they_spread() {
    const REPORTS: u32 = 800;
    for last in [1.0, 3.0] {
        let ([[alone, _], [pooled, _]], variances) = medians_called(REPORTS, 0.0, last);
        println!(
            "noise of one × {last}: false calls {alone:.1} and pooled {pooled:.1}, variances {variances:.3}"
        );
        assert!(pooled <= 5.0, "{last}: {pooled}");
        assert!((0.9..1.1).contains(&variances), "{last}: {variances}");
    }
    let ([[_, alone], [wrong, pooled]], _) = medians_called(REPORTS, 0.04, 1.0);
    println!(
        "4% slower, behind all others: {alone:.1} and pooled {pooled:.1}; false calls {wrong:.1}"
    );
    assert!(
        pooled > alone + 20.0 && wrong <= 5.0,
        "{alone} {pooled} {wrong}"
    );
}
