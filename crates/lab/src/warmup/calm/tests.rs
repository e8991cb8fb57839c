use photofinish_model::samples;
use photofinish_stats::random::Random;

use super::*;

/// Windows of 200 ms with so many responses, and after each what other processes have used in it, in ms.
fn run(of: impl Fn(usize) -> (u64, u64), count: usize) -> (Vec<Window>, Vec<Pulse>) {
    let mut other_processes = Duration::ZERO;
    let one = |place: usize| {
        let (responses, used) = of(place);
        other_processes += Duration::from_millis(used);
        let window = Window {
            start_s: place as f64 / 5.0,
            duration_s: 0.2,
            ..samples::window(0, responses)
        };
        let pulse = Pulse {
            other_processes: Some(other_processes),
            ..Pulse::default()
        };
        (window, pulse)
    };
    (0..count).map(one).unzip()
}

#[test]
fn windows_that_strangers_disturb_are_left_out() {
    // Every fifth second or so somebody takes half of the core.
    let (windows, pulses) = run(
        |place| match place % 5 {
            3 => (4_000, 100),
            _ => (8_000, 1),
        },
        15,
    );
    assert_eq!(calm(&windows, &pulses).len(), 12);
    assert_eq!(shows(&windows, &pulses, true), Shows::Settled);
    let unseen: Vec<Pulse> = vec![Pulse::default(); 15];
    assert_eq!(calm(&windows, &unseen), windows);
}

#[test]
fn a_server_whose_core_changes_its_speed_settles_at_one_speed() {
    // The core takes 1 to 2 times as long, in an order without a rule.
    let times = |place: usize| [40, 55, 80, 44, 62, 41, 71][place * place % 7];
    let run = |of: &dyn Fn(usize) -> u64| {
        let (windows, mut pulses) = run(|place| (of(place), 0), 15);
        for (place, pulse) in pulses.iter_mut().enumerate() {
            pulse.reference = Some(Duration::from_nanos(100 * times(place)));
        }
        (windows, pulses)
    };
    let (windows, mut pulses) = run(&|place| 400_000 / times(place));
    assert_eq!(shows(&windows, &pulses, true), Shows::Settled);
    pulses[3].reference = None;
    assert_eq!(shows(&windows, &pulses, true), Shows::NotYet);
    // One that climbs beside it, and one that is steady whatever the core does.
    let (windows, pulses) = run(&|place| 40_000 * (place as u64 + 5) / times(place));
    assert_eq!(shows(&windows, &pulses, true), Shows::NotYet);
    let (windows, pulses) = run(&|_| 8_000);
    assert_eq!(shows(&windows, &pulses, true), Shows::Settled);
}

#[test]
fn a_server_that_climbs_has_not_settled_whoever_disturbs_it() {
    let (windows, pulses) = run(
        |place| (1_000 * (place as u64 + 1), (place as u64 % 5) * 2),
        15,
    );
    assert_eq!(shows(&windows, &pulses, true), Shows::NotYet);
    let (windows, pulses) = run(|place| (1_000 * (place as u64 + 1), 100), 15);
    assert_eq!(shows(&windows, &pulses, true), Shows::Hidden);
    // What is even beside them is settled.
    let (windows, pulses) = run(|_| (8_000, 100), 15);
    assert_eq!(shows(&windows, &pulses, true), Shows::Settled);
}
/// In how many windows a server without a compiler, or with, has its warm-up ended that is to take a second at least and 60 s at most,
/// asked after each window as a warm-up does.
fn ends(of: impl Fn(usize) -> u64, compiles: bool) -> (usize, Shows) {
    let (windows, pulses) = run(|place| (of(place), 0), 300);
    (1..=300)
        .map(|n| (n, shows(&windows[..n], &pulses[..n], compiles)))
        .find(|(n, shows)| shows.ends(Duration::from_millis(200) * *n as u32, SHORTEST))
        .unwrap_or((300, Shows::NotYet))
}

const SHORTEST: Duration = Duration::from_secs(1);

/// For so many windows at one throughput, then for as many at the other, and so on.
fn to_and_fro(each: usize) -> impl Fn(usize) -> u64 {
    move |place| match place / each % 2 {
        0 => 8_000,
        _ => 9_000,
    }
}

#[test]
fn an_uneven_server_that_becomes_no_faster_is_waited_for_twice_the_least() {
    // Shifts in every second never leave the third without a shift that settling asks for. Two seconds are 10 windows, and four
    // parts of four are 16.
    assert_eq!(ends(to_and_fro(5), false), (16, Shows::Uneven));
    // Compilers that are idle change nothing.
    assert_eq!(ends(to_and_fro(5), true), (16, Shows::Uneven));
    // At times the last quarter happens to be the fastest.
    for each in 4..8 {
        let (end, shown) = ends(to_and_fro(each), false);
        assert!(end <= 50 && shown == Shows::Uneven, "{each}: {end}");
    }
    // It becomes slower, and never stops to.
    let falls = |place| 9_000 - 20 * place as u64;
    assert_eq!(ends(falls, false), (16, Shows::Uneven));
}

#[test]
fn a_server_that_climbs_is_waited_for_with_a_compiler_or_without() {
    // 1 − e^(−t/40) / 2 of 8,000. The last quarter of n windows is 2.7% above the one before it at n = 160, and 1.9% at n = 187.
    let climbs = |place| 4_000 + (4_000.0 * (1.0 - (-(place as f64) / 40.0).exp())) as u64;
    let (windows, pulses) = run(|place| (climbs(place), 0), 60);
    assert_eq!(shows(&windows, &pulses, false), Shows::NotYet);
    let (end, shown) = ends(climbs, false);
    assert!((170..200).contains(&end), "{end} {shown:?}");
    let for_ever = |place| 4_000 + 100 * place as u64;
    assert_eq!(ends(for_ever, false).1, Shows::NotYet);
}

#[test]
fn a_server_without_a_compiler_is_warmed_up_for_twice_the_least_while_other_processes_never_rest() {
    // Half, a third or all of the core is left, in an order without a rule.
    let beside = |place: usize| [4_000, 3_000, 8_000, 3_500, 7_000, 2_500][place * place % 6];
    let ends = |of: &dyn Fn(usize) -> u64, compiles| {
        let (windows, pulses) = run(|place| (of(place), 100), 300);
        (1..=300)
            .map(|n| (n, shows(&windows[..n], &pulses[..n], compiles)))
            .find(|(n, shows)| shows.ends(Duration::from_millis(200) * *n as u32, SHORTEST))
    };
    // A look needs 16 windows; two seconds are 10.
    assert_eq!(ends(&beside, false), Some((16, Shows::Blurred)));
    assert_eq!(ends(&beside, true), Some((20, Shows::Hidden)));
    // As one that climbs beside them.
    let climbs = |place: usize| beside(place) * (place as u64 + 5);
    assert_eq!(ends(&climbs, false), Some((20, Shows::Hidden)));
}

#[test]
fn what_is_as_fast_after_the_least_time_as_later_was_warm() {
    // Windows of 200 ms: of the first second all but the first one.
    let was_warm = |of: &dyn Fn(usize) -> (u64, u64), count| {
        let (windows, pulses) = run(of, count);
        was_warm_after(SHORTEST, &windows, &pulses)
    };
    let steady = |place: usize| (if place < 1 { 100 } else { 8_000 }, 0);
    assert!(was_warm(&steady, 12));
    assert!(was_warm(&|place| (9_000 - 100 * place as u64, 0), 12));
    // Twice as fast after two seconds; 10% faster after one second, and 11%.
    assert!(!was_warm(
        &|place| (if place < 10 { 4_000 } else { 8_000 }, 0),
        20
    ));
    let jumps = |to: u64| move |place| (if place < 5 { 8_000 } else { to }, 0);
    assert!(was_warm(&jumps(8_800), 12));
    assert!(!was_warm(&jumps(8_880), 12));
    // A other process took half of the core in the first second: how fast it was then was not seen.
    let beside = |place: usize| if place < 5 { (4_000, 100) } else { (8_000, 0) };
    assert!(!was_warm(&beside, 12));
    // It took half of it later: what is left is compared.
    let beside = |place: usize| if place > 7 { (4_000, 100) } else { (8_000, 0) };
    assert!(was_warm(&beside, 12));
    assert!(!was_warm(&steady, 5) && !was_warm(&steady, 0));
}

#[test]
fn too_few_windows_do_not_show_that_a_server_is_uneven() {
    let (windows, pulses) = run(|place| (to_and_fro(3)(place), 0), 15);
    assert_eq!(shows(&windows, &pulses, false), Shows::NotYet);
    assert!(!Shows::NotYet.ends(SHORTEST * 60, Duration::ZERO));
    let second =
        Shows::Settled.ends(SHORTEST, SHORTEST) && Shows::Hidden.ends(SHORTEST * 4, SHORTEST);
    assert!(second && !Shows::Hidden.ends(SHORTEST * 3, SHORTEST));
}

/// The mean time in seconds that a warm-up of a second at least takes, in windows of so many milliseconds, where the server gives so
/// many responses in each millisecond; a other process takes half of its core now and then where `beside` says so.
fn takes(width: u64, beside: bool, mut responses: impl FnMut(&mut Random, u64) -> f64) -> f64 {
    const RUNS: u64 = 200;
    let mut total = Duration::ZERO;
    for seed in 0..RUNS {
        let mut random = Random::stream(seed, 1);
        let (mut busy, mut left) = (random.uniform() < 0.5, 3_000.0 * random.uniform());
        let mut windows = Vec::new();
        let mut pulses = Vec::new();
        let mut other_processes = 0.0;
        loop {
            let mut count = 0.0;
            for ms in 0..width {
                let share = if busy && beside { 0.5 } else { 1.0 };
                count += share * responses(&mut random, windows.len() as u64 * width + ms);
                other_processes += 1.0 - share;
                left -= 1.0;
                if left <= 0.0 {
                    busy = !busy;
                    left = 500.0 + random.uniform() * if busy { 3_500.0 } else { 5_500.0 };
                }
            }
            // Nothing else that is left to chance: a window of its own.
            let place = windows.len();
            let (mut window, mut pulse) = run(|_| (count as u64, 0), 1);
            window[0].start_s = (place as u64 * width) as f64 / 1e3;
            window[0].duration_s = width as f64 / 1e3;
            pulse[0].other_processes = Some(Duration::from_secs_f64(other_processes / 1e3));
            windows.append(&mut window);
            pulses.append(&mut pulse);
            let took = Duration::from_millis(windows.len() as u64 * width);
            if took >= SHORTEST && shows(&windows, &pulses, false).ends(took, SHORTEST) {
                total += took;
                break;
            }
        }
    }
    total.as_secs_f64() / RUNS as f64
}

#[test]
fn short_windows_find_quiet_spells() {
    // 60 responses a ms, 30% more or less: windows of 100 ms differ by 3%.
    let steady = |random: &mut Random, _: u64| 60.0 * (1.0 + 0.52 * (2.0 * random.uniform() - 1.0));
    let both = |beside, responses: fn(&mut Random, u64) -> f64| {
        [100, 200].map(|width| takes(width, beside, responses))
    };
    let [short, long] = both(true, steady);
    assert!(short < 1.5 && long > 2.2, "{short} {long}");
    let [short, long] = both(false, steady);
    assert!(short < 1.4 && long > 1.6, "{short} {long}");
    // 64 responses at once every 21 ms, and one response in 2 ms: windows differ by chance, and short ones settle no later.
    let waves = |_: &mut Random, ms: u64| if ms.is_multiple_of(21) { 64.0 } else { 0.0 };
    let rare = |random: &mut Random, _: u64| f64::from(u8::from(random.uniform() < 0.5));
    for [short, long] in [both(false, waves), both(true, waves), both(false, rare)] {
        assert!(short < 1.02 * long, "{short} {long}");
    }
}
