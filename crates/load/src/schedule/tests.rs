use std::time::Duration;

use super::*;

fn stage(seconds: f64, from: f64, to: f64) -> Stage {
    Stage {
        duration: Duration::from_secs_f64(seconds),
        from,
        to,
    }
}

fn times(arrivals: Arrivals, rate: &Rate, thread: usize, threads: usize, count: usize) -> Vec<u64> {
    let mut schedule = Schedule::new(arrivals, rate.clone(), 0, thread, threads, 42);
    (0..count)
        .map(|_| {
            let next = schedule.next();
            schedule.advance();
            next
        })
        .collect()
}

#[test]
fn constant_arrivals_are_exact_and_shared() {
    let rate = Rate::new(0.0, &[stage(10.0, 1000.0, 1000.0)]);
    let alone = times(Arrivals::Constant, &rate, 0, 1, 5000);
    for (slot, time) in alone.iter().enumerate() {
        assert_eq!(*time, slot as u64 * MILLI, "slot {slot}");
    }
    let mut together: Vec<u64> = (0..4)
        .flat_map(|k| times(Arrivals::Constant, &rate, k, 4, 1250))
        .collect();
    together.sort_unstable();
    assert_eq!(together, alone);
}

const MILLI: u64 = 1_000_000;

#[test]
fn one_a_second_over_eight_threads() {
    let rate = Rate::new(0.0, &[stage(10.0, 1.0, 1.0)]);
    let mut all: Vec<u64> = (0..8)
        .flat_map(|k| times(Arrivals::Constant, &rate, k, 8, 3))
        .collect();
    all.sort_unstable();
    let expected: Vec<u64> = (0..24).map(|second| second * SECOND).collect();
    assert_eq!(all, expected);
}

#[test]
fn a_ramp_is_integrated_exactly() {
    // From 0 to 1000/s in 10 s: 50 t² requests by t; the 5000th is due at the end.
    let rate = Rate::new(0.0, &[stage(10.0, 0.0, 1000.0)]);
    assert!((rate.count(10.0) - 5000.0).abs() < 1e-9);
    let due = times(Arrivals::Constant, &rate, 0, 1, 5001);
    for (slot, time) in due.iter().enumerate() {
        let exact = (slot as f64 / 50.0).sqrt();
        assert!(
            (*time as f64 / 1e9 - exact).abs() < 2e-9,
            "slot {slot}: {time} for {exact} s"
        );
    }
    // Afterwards the last rate holds.
    assert_eq!(*due.last().unwrap(), 10 * SECOND);
    assert!((rate.count(12.0) - 7000.0).abs() < 1e-9);
}

#[test]
fn stages_follow_each_other_after_the_lead_in() {
    let rate = Rate::new(
        2.0,
        &[
            stage(1.0, 100.0, 100.0),
            stage(2.0, 100.0, 0.0),
            stage(1.0, 0.0, 0.0),
        ],
    );
    assert!((rate.count(2.0) - 200.0).abs() < 1e-9);
    assert!((rate.count(3.0) - 300.0).abs() < 1e-9);
    assert!((rate.count(5.0) - 400.0).abs() < 1e-9);
    let due = times(Arrivals::Constant, &rate, 0, 1, 402);
    assert!(due.windows(2).all(|pair| pair[0] <= pair[1]));
    assert!(due[399] <= 5 * SECOND);
    // At the rate of 0 none is due any more.
    assert_eq!(due[401], NEVER);
}

/// Anderson–Darling's statistic for `gaps` being exponential with mean 1 (nothing is estimated from them).
fn anderson_darling(mut gaps: Vec<f64>) -> f64 {
    gaps.sort_by(f64::total_cmp);
    let n = gaps.len();
    let sum: f64 = (0..n)
        .map(|i| {
            let low = (1.0 - (-gaps[i]).exp()).ln();
            // ln(1 − F) of an exponential is −x.
            let high = -gaps[n - 1 - i];
            (2 * i + 1) as f64 * (low + high)
        })
        .sum();
    -(n as f64) - sum / n as f64
}

#[test]
fn poisson_gaps_are_exponential() {
    let per_second = 2000.0;
    let rate = Rate::new(0.0, &[stage(1.0, per_second, per_second)]);
    for threads in [1, 3] {
        let mut all: Vec<u64> = (0..threads)
            .flat_map(|k| times(Arrivals::Poisson, &rate, k, threads, 30_000 / threads))
            .collect();
        all.sort_unstable();
        // Threads end at different times: what is after the first end is not whole.
        all.truncate(29_000);
        let gaps: Vec<f64> = all
            .windows(2)
            .map(|pair| ((pair[1] - pair[0]) as f64 / 1e9 * per_second).max(1e-9))
            .collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        // The mean of n unit exponentials has a standard deviation of 1/√n: 0.0059 here.
        assert!((mean - 1.0).abs() < 0.02, "{threads} threads: mean {mean}");
        // The 1% point of the statistic with known parameters (Stephens 1974).
        let statistic = anderson_darling(gaps);
        assert!(statistic < 3.857, "{threads} threads: {statistic}");
    }
}

#[test]
fn seeds_and_threads_differ() {
    let rate = Rate::new(0.0, &[stage(1.0, 100.0, 100.0)]);
    let first = times(Arrivals::Poisson, &rate, 0, 2, 10);
    assert_eq!(first, times(Arrivals::Poisson, &rate, 0, 2, 10));
    assert_ne!(first, times(Arrivals::Poisson, &rate, 1, 2, 10));
}
