use photofinish_model::samples::{self, assert_starts};

use super::*;

/// A closed loop with these windows.
fn measured(windows: &[Window], connections: u32) -> Measurement {
    Measurement {
        load: Load::Closed { connections },
        windows: windows.to_vec(),
        ..samples::measurement(1_000.0)
    }
}

fn judge(windows: &[Window], compiling_share: Option<f64>) -> (Option<bool>, String) {
    let outcome = super::judge(&measured(windows, 1), &[], compiling_share);
    (
        outcome.ok,
        outcome.says.map(|says| says.en).unwrap_or_default(),
    )
}

fn within(windows: &[Window]) -> (Option<bool>, String) {
    let (ok, says) = judge(windows, None);
    let found = steadiness(&measured(windows, 1), &[]);
    let is_flat = found.map(|steadiness| steadiness.class == Class::Flat);
    assert_eq!(is_flat, ok, "one decision: {says}");
    (ok, says)
}

fn windows(responses: &[u64]) -> Vec<Window> {
    let seconds = (0..).zip(responses);
    let windows = seconds.map(|(second, responses)| samples::window(second, *responses));
    windows.collect()
}

#[test]
fn a_compiler_at_work_is_a_warm_up() {
    let flat = windows(&[40_000; 12]);
    for quiet in [None, Some(0.0), Some(0.05)] {
        assert_eq!(judge(&flat, quiet), within(&flat));
    }
    let reported = "warm-up: its just-in-time compiler still took 11.4% of its CPU time";
    assert_eq!(
        judge(&flat, Some(0.114)),
        (Some(false), reported.to_owned())
    );
    let mut shifted = windows(&[40_000; 6]);
    shifted.extend(windows(&[80_000; 6]));
    let (ok, says) = judge(&shifted, Some(0.114));
    assert_eq!(ok, Some(false));
    assert_eq!(says, format!("{reported}; {}", within(&shifted).1));
}

#[test]
fn windows_show_when_throughput_has_settled() {
    let how = Settling::default();
    assert!(!settled(&[], &how).settled);
    assert!(!settled(&windows(&[1_000; 3]), &how).settled);
    let rising = windows(&[
        1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000,
    ]);
    assert!(!settled(&rising, &how).settled);
    let mut steady = windows(&[40_000; 12]);
    assert!(settled(&steady, &how).settled);
    // A last window that was cut short does not look like a fall.
    steady.push(Window {
        duration_s: 0.1,
        responses: 3_000,
        ..steady[0]
    });
    let reported = settled(&steady, &how);
    assert!(reported.settled);
    assert_eq!(reported.shifts, [] as [u32; 0]);
}

/// 1% of noise about a level, always the same.
fn noisy(level: f64, place: usize) -> u64 {
    const NOISE: [f64; 7] = [0.3, -1.0, 0.8, -0.2, 1.0, -0.7, -0.2];
    (level * (1.0 + NOISE[place % 7] / 100.0)) as u64
}

fn series(level: impl Fn(usize) -> f64, count: usize) -> Vec<Window> {
    let responses: Vec<u64> = (0..count).map(|i| noisy(level(i), i)).collect();
    windows(&responses)
}

#[test]
fn a_measurement_without_a_shift_is_flat() {
    let (ok, says) = within(&series(|_| 40_000.0, 20));
    assert_eq!(
        (ok, says.as_str()),
        (Some(true), "flat: throughput over 20 windows")
    );
}

#[test]
fn a_shift_is_reported_with_its_place_and_size() {
    let half = |low: f64, high: f64| series(move |i| if i < 10 { low } else { high }, 20);
    let (ok, says) = within(&half(40_000.0, 32_000.0));
    assert_eq!(ok, Some(false));
    assert_starts(&says, "slow-down: throughput fell by 20.0% from 40,");
    assert!(says.contains(" at 10.0 s of 20.0 s"), "{says}");
    let (ok, says) = within(&half(32_000.0, 40_000.0));
    assert_eq!(ok, Some(false));
    assert_starts(&says, "warm-up: throughput rose by 25.0% from 32,");
    let (ok, says) = within(&series(|i| if i < 18 { 40_000.0 } else { 20_000.0 }, 20));
    assert_eq!(ok, Some(false));
    assert_starts(&says, "no steady state: throughput fell by ");
}

#[test]
fn five_windows_show_a_drift() {
    let (ok, says) = within(&windows(&[40_000, 39_000, 37_900, 37_000, 36_000]));
    assert_eq!(ok, Some(false));
    assert!(
        // The line falls by 1,000 a window: from half a window before the first to half a window after the last.
        says.starts_with(
            "no steady state: throughput fell by 12.4% from 40,500 requests/s to 35,500 requests/s"
        ) && says.ends_with("from start to end (linear fit over 5.0 s)"),
        "{says}"
    );
    // A line that falls below zero, which no rate can, falls to zero.
    let (ok, says) = within(&windows(&[9_000, 6_700, 4_500, 2_200, 0]));
    assert_eq!(ok, Some(false));
    assert!(says.contains("throughput fell by 100%"), "{says}");
    let (ok, says) = within(&windows(&[40_000; 4]));
    assert_eq!(ok, None);
    assert_eq!(
        says,
        "4 windows, and 5 are needed to detect a shift: measure for longer"
    );
}

#[test]
fn a_median_that_shifts_is_reported_where_throughput_does_not() {
    // An open loop: the rate is what is offered, and the server gets slower.
    let mut windows = series(|_| 1_000.0, 20);
    for (place, window) in windows.iter_mut().enumerate() {
        window.p50_us = Some(noisy(if place < 8 { 100.0 } else { 300.0 }, place) as f64);
    }
    let (ok, says) = within(&windows);
    assert_eq!(ok, Some(false));
    assert_starts(&says, "slow-down: median response time rose 3.0");
    assert!(says.contains(" at 8.0 s of 20.0 s"), "{says}");
}

#[test]
fn a_server_that_stops_responding_is_not_steady() {
    let (ok, says) = within(&series(|i| if i < 10 { 40_000.0 } else { 0.0 }, 20));
    assert_eq!(ok, Some(false), "{says}");
    assert_starts(&says, "slow-down: throughput fell by 100");
}

#[test]
fn a_wave_that_falls_into_another_window_is_no_change() {
    // 64 connections get their responses together every 20.4 ms; windows of 50 ms hold two or three waves, and the first half of 0.8 s
    // one wave more than the second.
    let until = |window: u64| (window * 500 + 4) / 204 * 64;
    let waves: Vec<Window> = (0..16)
        .map(|at| Window {
            start_s: at as f64 * 0.05,
            duration_s: 0.05,
            ..windows(&[until(at + 1) - until(at)])[0]
        })
        .collect();
    let responses = |part: &[Window]| part.iter().map(|w| w.responses).sum::<u64>();
    let (first, second) = waves.split_at(8);
    assert_eq!((responses(first), responses(second)), (1_216, 1_280));
    let outcome = super::judge(&measured(&waves, 64), &[], None);
    assert_eq!(outcome.ok, Some(true));
    // A half as fast as the other is a change, whatever waves there are.
    let mut falls = waves.clone();
    falls[8..].iter_mut().for_each(|w| w.responses /= 2);
    let outcome = super::judge(&measured(&falls, 64), &[], None);
    assert_eq!(outcome.ok, Some(false));
    // In an open loop nothing waits for anything.
    let open = Measurement {
        load: Load::Open {
            rate: 1_000.0,
            arrivals: photofinish_model::Arrivals::Constant,
            connections: 64,
        },
        ..measured(&waves, 64)
    };
    assert_eq!(Course::of(&open, &[]).edge(), 0.0);
    assert_eq!(Course::of(&measured(&waves, 64), &[]).edge(), 64.0 / 0.05);
    let beside = [waves.clone()];
    assert_eq!(Course::of(&measured(&waves, 64), &beside).edge(), 0.0);
}

#[test]
fn in_turns_only_what_the_others_do_not_share_is_a_change() {
    // Both run at half their speed for a while: the machine did.
    let spell = |i: usize| if (8..20).contains(&i) { 0.5 } else { 1.0 };
    let one = series(|i| 40_000.0 * spell(i), 40);
    let other = series(|i| 25_000.0 * spell(i + 40), 40);
    let shared = series(|i| 25_000.0 * spell(i), 40);
    let flat = |beside: &[Vec<Window>]| {
        let one = measured(&one, 1);
        let outcome = super::judge(&one, beside, None);
        let class = steadiness(&one, beside).map(|steadiness| steadiness.class);
        assert_eq!(outcome.ok, Some(class == Some(Class::Flat)));
        outcome.ok
    };
    assert_eq!(flat(&[]), Some(false));
    assert_eq!(flat(std::slice::from_ref(&shared)), Some(true));
    // A change that the other has no part in.
    assert_eq!(flat(std::slice::from_ref(&other)), Some(false));
    // What a steady one lies beside makes it no less steady.
    let outcome = super::judge(&measured(&other, 1), std::slice::from_ref(&one), None);
    assert_eq!(outcome.ok, Some(true));
    // A turn in which the other had no response compares with nothing.
    let silent = windows(&[0; 40]);
    assert_eq!(flat(&[silent]), Some(false));
}
