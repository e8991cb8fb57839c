//! Windows in which nobody else used the cores.
//!
//! A server beside which others come and go never settles to look at: its throughput falls by half and rises again as they do. What is left
//! out is chosen by what was seen of those others, never by the throughput.

use std::time::Duration;

use photofinish_judge::steady;
use photofinish_model::Window;
use photofinish_stats::settle::Settling;

use crate::observe::Pulse;
use crate::turns::evidence;

/// Where fewer than this share of the windows is left, nothing can be seen of the server …
const SHARE: f64 = 1.0 / 3.0;
/// … and it is not waited for longer than this many times the shortest warm-up.
pub(super) const PATIENCE: u32 = 4;

/// What a warm-up's run shows so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shows {
    Settled,
    NotYet,
    /// Strangers are there nearly all the time.
    Hidden,
}

/// What the windows of a run show, with the pulse after each: settled by all of them, or by those that no stranger disturbed.
pub(super) fn shows(windows: &[Window], pulses: &[Pulse]) -> Shows {
    let how = Settling::when_nothing_compiles();
    let calm = calm(windows, pulses);
    if steady::settled(windows, &how).settled || steady::settled(&calm, &how).settled {
        Shows::Settled
    } else if (calm.len() as f64) < windows.len() as f64 * SHARE {
        Shows::Hidden
    } else {
        Shows::NotYet
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
        grown.is_none_or(|grown| !evidence::are_many(grown, took))
    };
    (windows.iter().zip(pulses))
        .filter(|(window, pulse)| is_calm(window, pulse))
        .map(|(window, _)| *window)
        .collect()
}

#[cfg(test)]
mod tests {
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
        assert_eq!(shows(&windows, &pulses), Shows::Settled);
        let unseen: Vec<Pulse> = vec![Pulse::default(); 15];
        assert_eq!(calm(&windows, &unseen), windows);
    }

    #[test]
    fn a_server_that_climbs_has_not_settled_whoever_disturbs_it() {
        let (windows, pulses) = run(
            |place| (1_000 * (place as u64 + 1), (place as u64 % 5) * 2),
            15,
        );
        assert_eq!(shows(&windows, &pulses), Shows::NotYet);
        let (windows, pulses) = run(|place| (1_000 * (place as u64 + 1), 100), 15);
        assert_eq!(shows(&windows, &pulses), Shows::Hidden);
        // What is even beside them is settled.
        let (windows, pulses) = run(|_| (8_000, 100), 15);
        assert_eq!(shows(&windows, &pulses), Shows::Settled);
    }
}
