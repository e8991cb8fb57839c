use super::*;
use crate::random::Simulated;
use crate::student;

/// The bounds as |t|.
fn bounds(schedule: &Schedule, error: f64) -> Vec<f64> {
    let bounds = Bounds::new(schedule, error);
    let t = |rounds: usize| student::two_sided(bounds.level_after(rounds), rounds);
    schedule.rounds().map(|n| t(n).expect("a bound")).collect()
}

fn assert_bounds(schedule: &Schedule, error: f64, expected: &[f64], relative: f64) {
    let found = bounds(schedule, error);
    println!("error {error:.4}: {found:.2?}");
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        let off = (found / expected - 1.0).abs();
        assert!(off < relative, "{found} is not {expected}");
    }
}

/// The expected figures come from a simulation by others, with two or three digits.
#[test]
fn bounds_are_those_of_an_independent_simulation() {
    let short = Schedule::up_to(7);
    assert_bounds(&short, 0.05, &[127.3, 11.5, 5.84, 4.12, 2.91], 0.02);
    assert_bounds(&short, 0.05 / 3.0, &[382.0, 20.3, 8.8, 5.8, 3.9], 0.02);
    assert_bounds(&short, 0.05 / 6.0, &[764.0, 28.9, 11.3, 7.1, 4.6], 0.02);
    let long = [127.3, 11.5, 6.36, 4.69, 3.60, 3.27, 3.00, 2.85];
    assert_bounds(&Schedule::up_to(20), 0.05, &long, 0.02);
}

/// With one degree of freedom P(|T| > t) = 1 − 2 arctan(t) / π, so 0.005 is t = 127.32. One analysis is a t test: t(4, 97.5%) = 2.776.
#[test]
fn the_first_bound_is_in_closed_form() {
    let first = bounds(&Schedule::up_to(7), 0.05)[0];
    let expected = (std::f64::consts::FRAC_PI_2 * (1.0 - 0.005)).tan();
    assert!((first / expected - 1.0).abs() < 1e-6, "{first}");
    let once = bounds(&Schedule::once(5), 0.05);
    assert!((once[0] - 2.776_445).abs() < 1e-5, "{once:?}");
}

/// The chain without any analysis is Student's t at each number of rounds.
#[test]
fn the_chain_is_students_t() {
    for rounds in [3, 5, 20] {
        let schedule = Schedule {
            analyses: vec![(2, 1e-9), (rounds, 1.0)],
        };
        let t = bounds(&schedule, 0.05)[1];
        let expected = student::two_sided(0.05, rounds).expect("a quantile");
        assert!(
            (t / expected - 1.0).abs() < 0.005,
            "{rounds}: {t} {expected}"
        );
    }
}

#[test]
fn equal_servers_pass_each_bound_as_often_as_planned() {
    const RUNS: u32 = 20_000;
    let schedule = Schedule::up_to(20);
    let bounds: Vec<(usize, f64)> = schedule.rounds().zip(bounds(&schedule, 0.05)).collect();
    let mut called = vec![0_u32; bounds.len()];
    let mut random = Simulated::new(20_261_130);
    for _ in 0..RUNS {
        let (mut sum, mut squares) = (0.0, 0.0);
        let mut analyses = bounds.iter().enumerate().peekable();
        for n in 1..=20 {
            let x = random.normal();
            sum += x;
            squares += x * x;
            let Some((at, (_, bound))) = analyses.next_if(|(_, (rounds, _))| *rounds == n) else {
                continue;
            };
            let n = n as f64;
            let variance = (squares - sum * sum / n) / (n - 1.0);
            if sum.abs() / (variance * n).sqrt() > *bound {
                called[at] += 1;
                break;
            }
        }
    }
    let mut spent = 0.0;
    for ((rounds, share), called) in schedule.analyses.iter().zip(called) {
        spent += f64::from(called) / f64::from(RUNS);
        let planned = 0.05 * share;
        println!("after {rounds}: {spent:.4} of {planned:.4}");
        // Four standard errors.
        let error = (planned / f64::from(RUNS)).sqrt();
        assert!((spent - planned).abs() < 4.0 * error, "{rounds}: {spent}");
    }
}

#[test]
fn analyses_are_where_they_are_stated() {
    let rounds = |schedule: &Schedule| schedule.rounds().collect::<Vec<_>>();
    assert_eq!(rounds(&Schedule::up_to(7)), [2, 3, 4, 5, 7]);
    assert_eq!(rounds(&Schedule::up_to(20)), [2, 3, 4, 5, 7, 10, 14, 20]);
    assert_eq!(rounds(&Schedule::up_to(12)), [2, 3, 4, 5, 7, 10, 12]);
    assert_eq!(rounds(&Schedule::up_to(6)), [2, 3, 4, 5, 6]);
    assert_eq!(rounds(&Schedule::up_to(2)), [2]);
    assert_eq!(rounds(&Schedule::up_to(1)), [0; 0]);
    assert_eq!(rounds(&Schedule::up_to(7).beginning_with(3)), [3, 4, 5, 7]);
    assert_eq!(rounds(&Schedule::up_to(2).beginning_with(3)), [2]);
    assert_eq!(rounds(&Schedule::up_to(7).ended_after(6)), [2, 3, 4, 5, 6]);
    assert_eq!(rounds(&Schedule::up_to(7).ended_after(4)), [2, 3, 4]);
    assert_eq!(rounds(&Schedule::up_to(7).ended_after(7)), [2, 3, 4, 5, 7]);
    assert_eq!(rounds(&Schedule::up_to(7).ended_after(1)), [0; 0]);
    assert_eq!(Schedule::up_to(usize::MAX).last(), Some(MOST_ROUNDS));
    for schedule in [2, 3, 6, 7, 8, 12, 20, 33, 100].map(Schedule::up_to) {
        let shares = || schedule.analyses.iter().map(|(_, share)| *share);
        assert!(shares().zip(shares().skip(1)).all(|(a, b)| a < b));
        assert_eq!(shares().next_back(), Some(1.0));
    }
}

#[test]
fn analyses_of_several_pairs_are_at_the_end_of_a_wave() {
    let analyses = |most: usize, pairs: usize| Schedule::up_to(most).in_waves_of(pairs).analyses;
    assert_eq!(analyses(7, 2), [(4, SHORT[2].1), (6, SHORT[3].1), (7, 1.0)]);
    let rounds = |most, pairs| -> Vec<usize> {
        let all = analyses(most, pairs).into_iter();
        all.map(|(rounds, _)| rounds).collect()
    };
    assert_eq!(rounds(20, 2), [4, 6, 8, 10, 14, 20]);
    assert_eq!(rounds(20, 6), [12, 18, 20]);
    assert_eq!(rounds(12, 6), [12]);
    // Fewer rounds than two waves are analysed once.
    assert_eq!(rounds(7, 4), [7]);
    assert_eq!(analyses(20, 1), Schedule::up_to(20).analyses);
    assert!(rounds(1, 3).is_empty());
}

/// A run that ended early spends all that is left: its last bound is lower than that of a run that goes on.
#[test]
fn an_early_end_spends_what_is_left() {
    let schedule = Schedule::up_to(7);
    let early = Bounds::new(&schedule.clone().ended_after(4), 0.05).level_after(4);
    let late = Bounds::new(&schedule, 0.05).level_after(4);
    assert!(early > 2.0 * late, "{early} {late}");
}

#[test]
fn what_is_no_error_has_no_bounds() {
    for error in [0.0, 1.0, f64::NAN] {
        assert_eq!(Bounds::new(&Schedule::up_to(7), error).level_after(7), 0.0);
    }
    let tiny = Bounds::new(&Schedule::up_to(100), 0.05 / 2000.0);
    for rounds in Schedule::up_to(100).rounds() {
        let level = tiny.level_after(rounds);
        assert!(level > 0.0 && level < 0.05, "{rounds}: {level}");
    }
    assert_eq!(tiny.level_after(6), 0.0);
}
