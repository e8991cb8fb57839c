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
use photofinish_model::Window;
use photofinish_model::interference::middle;
use photofinish_stats::settle::Settling;

use crate::interference::around;
use crate::observe::Pulse;

/// Smallest share of undisturbed windows from which the server's speed can be seen.
const MIN_SHARE: f64 = 1.0 / 3.0;
/// Longest warm-up with fewer undisturbed windows than [`MIN_SHARE`], in multiples of the shortest warm-up.
const MAX_WARMUP_HIDDEN: u32 = 4;
/// Longest warm-up of a server without a compiler that does not become faster while other processes disturb
/// it, in multiples of the shortest warm-up.
const MAX_WARMUP_DISTURBED: u32 = 2;
/// Longest warm-up of a server whose speed varies by itself without a rise, in multiples of the shortest
/// warm-up.
const MAX_WARMUP_UNEVEN: u32 = 2;
/// Number of parts of the windows that are compared to see whether a server becomes faster.
const TREND_PARTS: usize = 4;
/// Smallest number of windows in each of the [`TREND_PARTS`].
const MIN_PART_WINDOWS: usize = 4;

/// A server that becomes faster by no more than this share was warm before.
const MAX_SPEEDUP: f64 = 0.1;
/// Smallest number of windows before and after a moment that are compared.
const MIN_WINDOWS: usize = 2;
/// How much sooner or later than planned a window may begin, in seconds.
const WINDOW_EDGE_S: f64 = 0.01;

/// What a warm-up's run shows so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shows {
    Settled,
    NotYet,
    /// Other processes are there nearly all the time.
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
            Shows::Hidden => MAX_WARMUP_HIDDEN,
            Shows::Blurred => MAX_WARMUP_DISTURBED,
            Shows::Uneven => MAX_WARMUP_UNEVEN,
            Shows::NotYet => return false,
        };
        took >= least * patience
    }
}

/// What the windows of a run show, with the pulse after each: settled by all of them, or by those that no other process disturbed, as measured or at
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
    } else if (calm.len() as f64) < windows.len() as f64 * MIN_SHARE {
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

/// The windows as they would be had the core always been as fast as in the middle, for a server that computes; `None` if its speed is not
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

/// Whether the last quarter of the windows is faster than each quarter before it, by more than the tolerance; `None` if a quarter has fewer
/// than [`MIN_PART_WINDOWS`].
fn climbs(windows: &[Window], how: &Settling) -> Option<bool> {
    let each = windows.len() / TREND_PARTS;
    if each < MIN_PART_WINDOWS {
        return None;
    }
    let responses =
        |part: &[Window]| part.iter().map(|window| window.responses).sum::<u64>() as f64;
    // What does not fill a part is of the first windows.
    let whole = &windows[windows.len() - each * TREND_PARTS..];
    let (before, last) = whole.split_at(each * (TREND_PARTS - 1));
    let best = before.chunks(each).map(responses).fold(0.0, f64::max);
    Some(responses(last) > best * (1.0 + how.tolerance))
}

/// Whether a server was as fast within the least time, but for its first fifth, as after it, within [`MAX_SPEEDUP`] and in windows that no other process
/// disturbed: then the least time was enough. Where too few windows are left to see it, that is not known.
pub(super) fn was_warm_after(least: Duration, windows: &[Window], pulses: &[Pulse]) -> bool {
    let calm = calm(windows, pulses);
    let least = least.as_secs_f64();
    let rate = |from: f64, to: f64| {
        let within = |window: &&Window| {
            window.start_s >= from - WINDOW_EDGE_S && window.start_s < to - WINDOW_EDGE_S
        };
        let part: Vec<&Window> = calm.iter().filter(within).collect();
        let seconds: f64 = part.iter().map(|window| window.duration_s).sum();
        let responses: u64 = part.iter().map(|window| window.responses).sum();
        (part.len() >= MIN_WINDOWS).then(|| responses as f64 / seconds)
    };
    match (rate(least / 5.0, least), rate(least, f64::INFINITY)) {
        (Some(then), Some(later)) => later <= then * (1.0 + MAX_SPEEDUP),
        _ => false,
    }
}

fn calm(windows: &[Window], pulses: &[Pulse]) -> Vec<Window> {
    let mut before = Some(Duration::ZERO);
    let mut is_calm = |window: &Window, pulse: &Pulse| {
        let grown = pulse
            .other_processes
            .zip(before)
            .map(|(now, then)| now.saturating_sub(then));
        before = pulse.other_processes;
        let took = Duration::from_secs_f64(window.duration_s);
        grown.is_none_or(|grown| !around::are_many(grown, took))
    };
    (windows.iter().zip(pulses))
        .filter(|(window, pulse)| is_calm(window, pulse))
        .map(|(window, _)| *window)
        .collect()
}

#[cfg(test)]
mod tests;
