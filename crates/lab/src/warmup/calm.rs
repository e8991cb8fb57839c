//! Windows in which nobody else used the cores, and for how long a server is waited for that does not settle in them.
//!
//! A server beside which others come and go never settles to look at: its throughput falls by half and rises again as they do. What is left
//! out is chosen by what was seen of those others, never by the throughput.
//!
//! Nor does one settle whose core is faster now and slower then. Where its throughput times how long a fixed piece of arithmetic took on the
//! core has settled, the server has: what is left out is the core's own.
//!
//! A server may also be uneven by itself. Where just-in-time compilers have nothing to do with it, for there are none or they are idle, and it
//! no longer becomes faster, that is how it runs: to wait longer shows nothing new.

use std::time::Duration;

use photofinish_judge::steady;
use photofinish_model::{Window, middle};
use photofinish_stats::settle::Settling;

use crate::observe::Pulse;
use crate::turns::around;

/// Where fewer than this share of the windows is left, nothing can be seen of the server …
const SHARE: f64 = 1.0 / 3.0;
/// … and it is not waited for longer than this many times the shortest warm-up.
const PATIENCE_HIDDEN: u32 = 4;
/// The same where it has no compiler, and beside the strangers becomes no faster …
const PATIENCE_BLURRED: u32 = 2;
/// … and where the server is uneven by itself and does not climb.
const PATIENCE_UNEVEN: u32 = 2;
/// Whether a server climbs shows in so many parts of its windows …
const PARTS: usize = 4;
/// … of so many each, at least.
const WINDOWS_A_PART: usize = 4;

/// A server that later is no faster than by this share was warm before …
const SAME: f64 = 0.1;
/// … by so many windows at least on either side.
const WINDOWS_TO_COMPARE: usize = 2;
/// Windows begin a little sooner or later than planned, in seconds.
const EDGE: f64 = 0.01;

/// What a warm-up's run shows so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shows {
    Settled,
    NotYet,
    /// Strangers are there nearly all the time.
    Hidden,
    /// The same, but it has no compiler, and becomes no faster beside them.
    Blurred,
    /// It shifts or drifts to and fro, and becomes no faster.
    Uneven,
}

impl Shows {
    /// Whether a warm-up that has taken so long, and is to take `least` in any case, ends.
    pub(super) fn ends(self, took: Duration, least: Duration) -> bool {
        let patience = match self {
            Shows::Settled => 1,
            Shows::Hidden => PATIENCE_HIDDEN,
            Shows::Blurred => PATIENCE_BLURRED,
            Shows::Uneven => PATIENCE_UNEVEN,
            Shows::NotYet => return false,
        };
        took >= least * patience
    }
}

/// What the windows of a run show, with the pulse after each: settled by all of them, or by those that no stranger disturbed, as measured or at
/// one speed of the core. `compiles`: whether the server has just-in-time compilers; they are idle.
pub(super) fn shows(windows: &[Window], pulses: &[Pulse], compiles: bool) -> Shows {
    let how = Settling::when_nothing_compiles();
    let calm = calm(windows, pulses);
    let settled = |windows: &[Window]| {
        steady::settled(windows, &how).settled
            || (!compiles && steady::settled(&in_pairs(windows), &how).settled)
    };
    let at_one_speed = at_one_speed(windows, pulses);
    if settled(windows)
        || settled(&calm)
        || at_one_speed.is_some_and(|windows| settled(&self::calm(&windows, pulses)))
    {
        Shows::Settled
    } else if (calm.len() as f64) < windows.len() as f64 * SHARE {
        match !compiles && climbs(windows, &how) == Some(false) {
            true => Shows::Blurred,
            false => Shows::Hidden,
        }
    } else if climbs(&calm, &how) == Some(false) {
        Shows::Uneven
    } else {
        Shows::NotYet
    }
}

/// The windows as they would be had the core always been as fast as in the middle, for a server that computes; `None` where its speed is not
/// known of all.
fn at_one_speed(windows: &[Window], pulses: &[Pulse]) -> Option<Vec<Window>> {
    let times = pulses
        .iter()
        .map(|pulse| Some(pulse.reference?.as_secs_f64()));
    let times: Vec<f64> = times.collect::<Option<_>>()?;
    let usual = middle(times.clone())?;
    let evened = |(window, time): (&Window, f64)| Window {
        responses: (window.responses as f64 * time / usual).round() as u64,
        ..*window
    };
    (usual > 0.0).then(|| windows.iter().zip(times).map(evened).collect())
}

/// Two windows as one. Short ones show a server in short quiet spells; but where responses come in waves, or few of them, they differ by
/// chance alone, and a pair of them by less.
fn in_pairs(windows: &[Window]) -> Vec<Window> {
    let pair = |pair: &[Window]| Window {
        duration_s: pair.iter().map(|window| window.duration_s).sum(),
        responses: pair.iter().map(|window| window.responses).sum(),
        errors: pair.iter().map(|window| window.errors).sum(),
        p50_us: None,
        p99_us: None,
        max_us: None,
        ..pair[0]
    };
    windows.chunks_exact(2).map(pair).collect()
}

/// Whether the last quarter of the windows is faster than each quarter before it, by more than the tolerance; `None` where a quarter has fewer
/// than [`WINDOWS_A_PART`].
fn climbs(windows: &[Window], how: &Settling) -> Option<bool> {
    let each = windows.len() / PARTS;
    if each < WINDOWS_A_PART {
        return None;
    }
    let responses =
        |part: &[Window]| part.iter().map(|window| window.responses).sum::<u64>() as f64;
    // What does not fill a part is of the first windows.
    let whole = &windows[windows.len() - each * PARTS..];
    let (before, last) = whole.split_at(each * (PARTS - 1));
    let best = before.chunks(each).map(responses).fold(0.0, f64::max);
    Some(responses(last) > best * (1.0 + how.tolerance))
}

/// Whether a server was as fast within the least time, but for its first fifth, as after it, within [`SAME`] and in windows that no stranger
/// disturbed: then the least time was enough. Where too few windows are left to see it, that is not known.
pub(super) fn was_warm_after(least: Duration, windows: &[Window], pulses: &[Pulse]) -> bool {
    let calm = calm(windows, pulses);
    let least = least.as_secs_f64();
    let rate = |from: f64, to: f64| {
        let within = |window: &&Window| window.start_s >= from - EDGE && window.start_s < to - EDGE;
        let part: Vec<&Window> = calm.iter().filter(within).collect();
        let seconds: f64 = part.iter().map(|window| window.duration_s).sum();
        let responses: u64 = part.iter().map(|window| window.responses).sum();
        (part.len() >= WINDOWS_TO_COMPARE).then(|| responses as f64 / seconds)
    };
    match (rate(least / 5.0, least), rate(least, f64::INFINITY)) {
        (Some(then), Some(later)) => later <= then * (1.0 + SAME),
        _ => false,
    }
}

fn calm(windows: &[Window], pulses: &[Pulse]) -> Vec<Window> {
    let mut before = Some(Duration::ZERO);
    let mut is_calm = |window: &Window, pulse: &Pulse| {
        let grown = pulse
            .strangers
            .zip(before)
            .map(|(now, then)| now.saturating_sub(then));
        before = pulse.strangers;
        let took = Duration::from_secs_f64(window.duration_s);
        grown.is_none_or(|grown| !around::are_many(grown, took))
    };
    (windows.iter().zip(pulses))
        .filter(|(window, pulse)| is_calm(window, pulse))
        .map(|(window, _)| *window)
        .collect()
}

#[cfg(test)]
mod tests {
    use photofinish_stats::random::Random;

    use super::*;

    /// Windows of 200 ms with so many responses, and after each what strangers have used in it, in ms.
    fn run(of: impl Fn(usize) -> (u64, u64), count: usize) -> (Vec<Window>, Vec<Pulse>) {
        let mut strangers = Duration::ZERO;
        let one = |place: usize| {
            let (responses, used) = of(place);
            strangers += Duration::from_millis(used);
            let window = Window {
                start_s: place as f64 / 5.0,
                duration_s: 0.2,
                responses,
                errors: 0,
                p50_us: None,
                p99_us: None,
                max_us: None,
            };
            let pulse = Pulse {
                strangers: Some(strangers),
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
            .find(|(n, shows)| shows.ends(Duration::from_millis(200) * *n as u32, LEAST))
            .unwrap_or((300, Shows::NotYet))
    }

    const LEAST: Duration = Duration::from_secs(1);

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
    fn beside_strangers_that_never_rest_a_server_without_a_compiler_is_waited_for_twice_the_least()
    {
        // Half, a third or all of the core is left, in an order without a rule.
        let beside = |place: usize| [4_000, 3_000, 8_000, 3_500, 7_000, 2_500][place * place % 6];
        let ends = |of: &dyn Fn(usize) -> u64, compiles| {
            let (windows, pulses) = run(|place| (of(place), 100), 300);
            (1..=300)
                .map(|n| (n, shows(&windows[..n], &pulses[..n], compiles)))
                .find(|(n, shows)| shows.ends(Duration::from_millis(200) * *n as u32, LEAST))
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
            was_warm_after(LEAST, &windows, &pulses)
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
        // A stranger took half of the core in the first second: how fast it was then was not seen.
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
        assert!(!Shows::NotYet.ends(LEAST * 60, Duration::ZERO));
        let second = Shows::Settled.ends(LEAST, LEAST) && Shows::Hidden.ends(LEAST * 4, LEAST);
        assert!(second && !Shows::Hidden.ends(LEAST * 3, LEAST));
    }

    /// The mean time in seconds that a warm-up of a second at least takes, in windows of so many milliseconds, where the server gives so
    /// many responses in each millisecond; a stranger takes half of its core now and then where `beside` says so.
    fn takes(width: u64, beside: bool, mut responses: impl FnMut(&mut Random, u64) -> f64) -> f64 {
        const RUNS: u64 = 200;
        let mut total = Duration::ZERO;
        for seed in 0..RUNS {
            let mut random = Random::stream(seed, 1);
            let (mut busy, mut left) = (random.uniform() < 0.5, 3_000.0 * random.uniform());
            let mut windows = Vec::new();
            let mut pulses = Vec::new();
            let mut strangers = 0.0;
            loop {
                let mut count = 0.0;
                for ms in 0..width {
                    let share = if busy && beside { 0.5 } else { 1.0 };
                    count += share * responses(&mut random, windows.len() as u64 * width + ms);
                    strangers += 1.0 - share;
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
                pulse[0].strangers = Some(Duration::from_secs_f64(strangers / 1e3));
                windows.append(&mut window);
                pulses.append(&mut pulse);
                let took = Duration::from_millis(windows.len() as u64 * width);
                if took >= LEAST && shows(&windows, &pulses, false).ends(took, LEAST) {
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
        let steady =
            |random: &mut Random, _: u64| 60.0 * (1.0 + 0.52 * (2.0 * random.uniform() - 1.0));
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
}
