//! Whether throughput has settled, and whether a measurement was steady, from the windows of a load run.

use photofinish_stats::changepoint::{Class, Faster, Segment, Shape, Within, classify};
use photofinish_stats::settle::{self, Settling};

use photofinish_model::finding::check::{Change, CheckFinding, Drift, Shift, SteadySeries};
use photofinish_model::{Load, Measurement, Steadiness, Window};

use crate::checks::outcome::Outcome;

/// What the windows tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steady {
    /// Whether throughput has settled.
    pub settled: bool,
    /// The windows at which it shifted, counted from 0.
    pub shifts: Vec<u32>,
}

/// Whether throughput has settled at the end of these windows; see [`settle::settled`]. A last
/// window that is shorter than the first is left out: its throughput says less than that of the others.
pub fn settled(windows: &[Window], how: &Settling) -> Steady {
    let told = settle::settled(&throughput(full(windows)), how);
    Steady {
        settled: told.is_settled(),
        shifts: told.shifts.iter().map(|shift| *shift as u32).collect(),
    }
}

/// The fewest windows from which a measurement is judged: a line through 4 has two degrees of freedom left, and
/// calls hardly anything a drift.
pub const FEWEST_WINDOWS: usize = 5;

/// The change within a measurement that still counts as steady, relative. A mean over a measurement that shifts by 5% in its
/// middle is off by half of that; and it is the tolerance of Little's law.
pub const TOLERANCE: f64 = 0.05;

/// What a measurement's windows make of it: as it was found when it was measured, or as it is found now where an older version did
/// not write it down.
pub fn of(measurement: &Measurement) -> Option<Steadiness> {
    let recorded = measurement.steadiness.clone();
    recorded.or_else(|| steadiness(measurement, &[]))
}

/// What the windows of a measurement make of it: by its throughput, and where that is flat by its median response time; `None` where
/// they are too few to say, or hold no figures.
///
/// `beside`: where targets were measured in turns, the windows of each of the others in the same turns.
pub fn steadiness(measurement: &Measurement, beside: &[Vec<Window>]) -> Option<Steadiness> {
    let shapes = Course::of(measurement, beside).shapes();
    let (_, shape) = shapes
        .iter()
        .find(|(_, shape)| shape.class != Class::Flat)
        .or(shapes.first())?;
    let shifts = shape.segments.iter().skip(1);
    Some(Steadiness {
        class: shape.class,
        // Segments of a flat series are alike.
        shifts: match shape.class {
            Class::Flat => Vec::new(),
            _ => shifts.map(|segment| segment.start as u32).collect(),
        },
    })
}

/// What is looked at for a change.
#[derive(Clone, Copy)]
struct Course<'a> {
    /// Those of full length.
    windows: &'a [Window],
    /// In turns, the windows of each of the other targets in the same turns.
    beside: &'a [Vec<Window>],
    /// The most requests that can have been under way where a run of windows begins or ends.
    in_flight: f64,
}

impl<'a> Course<'a> {
    fn of(measurement: &'a Measurement, beside: &'a [Vec<Window>]) -> Course<'a> {
        let in_flight = match measurement.load {
            Load::Closed { connections } => f64::from(connections) * f64::from(measurement.streams),
            // Requests come by a clock of their own.
            Load::Open { .. } | Load::Capacity(_) => 0.0,
        };
        Course {
            windows: full(&measurement.windows),
            beside,
            in_flight,
        }
    }

    /// By how much the throughput of a window may be off for where it begins and ends, in requests/s. Slices of turns begin and end each
    /// for itself: what their edges do is in how they differ.
    fn edge(&self) -> f64 {
        match (self.windows.first(), self.beside) {
            (Some(window), []) => self.in_flight / window.duration_s,
            _ => 0.0,
        }
    }

    /// The shape of each series; empty where windows are too few.
    fn shapes(&self) -> Vec<(SteadySeries, Shape)> {
        if self.windows.len() < FEWEST_WINDOWS {
            return Vec::new();
        }
        let rate: Figure = |window| Some(window.responses as f64 / window.duration_s);
        // A window without a response has no median; its throughput says enough.
        let median: Figure = |window| window.p50_us;
        let (edge, none) = (self.edge(), 0.0);
        let series = [
            self.shape(SteadySeries::Throughput, Faster::Higher, rate, edge),
            self.shape(
                SteadySeries::MedianResponseTime,
                Faster::Lower,
                median,
                none,
            ),
        ];
        series.into_iter().flatten().collect()
    }

    fn shape(
        &self,
        series: SteadySeries,
        faster: Faster,
        of: Figure,
        edge: f64,
    ) -> Option<(SteadySeries, Shape)> {
        let values: Vec<f64> = self.windows.iter().map(of).collect::<Option<_>>()?;
        let tolerance = TOLERANCE;
        let mut shape = classify(&values, faster, &Within { tolerance, edge })?;
        if shape.class != Class::Flat {
            let against = relative(&values, self.beside, of);
            let against =
                against.and_then(|values| classify(&values, faster, &Within::tolerance(tolerance)));
            if against.is_some_and(|against| against.class == Class::Flat) {
                shape.class = Class::Flat;
            }
        }
        Some((series, shape))
    }
}

/// Whether a measurement was steady: neither its throughput nor its median response time shifts or drifts over the windows by more
/// than [`TOLERANCE`] (see [`classify`]), and no just-in-time compiler took more than that of the server's CPU time
/// (`compiling_share`): without it the server would be faster by that much, and what it compiles will be.
///
/// In turns it changes only where it also changes against the other targets of the same turns (`beside`): what slows them all down is
/// the machine, and leaves their ratio as it is. In a closed loop only what the requests under way at the windows' edges cannot explain is
/// a change of throughput: connections that wait together are answered together, and a wave falls into one window or the next.
pub(crate) fn judge(
    measurement: &Measurement,
    beside: &[Vec<Window>],
    compiling_share: Option<f64>,
) -> Outcome {
    let course = Course::of(measurement, beside);
    let windows = course.windows;
    let shapes = course.shapes();
    let compiling = compiling_share.filter(|share| *share > TOLERANCE);
    let unsteady = shapes.iter().filter(|(_, s)| s.class != Class::Flat);
    let changes: Vec<Change> = unsteady
        .map(|(series, shape)| change(*series, shape, windows))
        .collect();
    if compiling.is_some() || !changes.is_empty() {
        let finding = CheckFinding::Unsteady { compiling, changes };
        return Outcome {
            ok: Some(false),
            finding,
        };
    }
    let (ok, finding) = match (windows.len(), shapes.is_empty()) {
        (windows, true) if windows < FEWEST_WINDOWS => (
            None,
            CheckFinding::TooFewWindows {
                windows,
                needed: FEWEST_WINDOWS,
            },
        ),
        (_, true) => (None, CheckFinding::NoFigures {}),
        (windows, false) => (
            Some(true),
            CheckFinding::Flat {
                series: shapes.iter().map(|(series, _)| *series).collect(),
                windows,
            },
        ),
    };
    Outcome { ok, finding }
}

/// A figure of a window.
type Figure = fn(&Window) -> Option<f64>;

/// Each value over the geometric mean of the others' in the same turn; `None` where there are no others, or one has no such figure.
fn relative(values: &[f64], beside: &[Vec<Window>], of: Figure) -> Option<Vec<f64>> {
    if beside.is_empty() {
        return None;
    }
    let against = |(turn, value): (usize, &f64)| {
        let mut sum = 0.0;
        for other in beside {
            sum += of(other.get(turn)?).filter(|figure| *figure > 0.0)?.ln();
        }
        Some(value / (sum / beside.len() as f64).exp())
    };
    values.iter().enumerate().map(against).collect()
}

/// Where the series shifted most, or else drifted.
fn change(series: SteadySeries, shape: &Shape, windows: &[Window]) -> Change {
    let at = |window: usize| windows.get(window).map_or(0.0, |window| window.start_s);
    let step = |pair: &[Segment]| match pair {
        [from, to] => (to.mean - from.mean).abs(),
        _ => 0.0,
    };
    let largest = (shape.segments.windows(2)).max_by(|a, b| step(a).total_cmp(&step(b)));
    let shift = match largest {
        Some([from, to]) => Some(Shift {
            from: from.mean,
            to: to.mean,
            at_s: at(to.start),
            of: shape.segments.len() - 1,
        }),
        _ => None,
    };
    // A straight line that changes by a share of its mean goes through the mean in its middle. Neither a rate nor a time is below zero.
    let line = |(mean, drift): (f64, f64)| Drift {
        from: (mean * (1.0 - drift / 2.0)).max(0.0),
        to: (mean * (1.0 + drift / 2.0)).max(0.0),
    };
    let mean = shape.segments.first().map(|segment| segment.mean);
    Change {
        series,
        class: shape.class,
        drift: mean.zip(shape.drift).filter(|_| shift.is_none()).map(line),
        shift,
        length_s: windows.last().map_or(0.0, |w| w.start_s + w.duration_s),
    }
}

/// All windows but a last one that is shorter than the first.
pub fn full(windows: &[Window]) -> &[Window] {
    let full = windows.first().map_or(0.0, |window| window.duration_s) * 0.99;
    let is_full = |window: &&Window| window.duration_s > 0.0 && window.duration_s >= full;
    &windows[..windows.iter().take_while(is_full).count()]
}

fn throughput(windows: &[Window]) -> Vec<f64> {
    let rate = |window: &Window| window.responses as f64 / window.duration_s;
    windows.iter().map(rate).collect()
}

#[cfg(test)]
mod tests {
    use photofinish_model::samples;
    use photofinish_voice::{Language, Say};

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
        (outcome.ok, outcome.finding.say(Language::En))
    }

    fn within(windows: &[Window]) -> (Option<bool>, String) {
        let (ok, says) = judge(windows, None);
        let found = steadiness(&measured(windows, 1), &[]);
        let is_flat = found.map(|steadiness| steadiness.class == Class::Flat);
        assert_eq!(is_flat, ok, "one decision: {says}");
        (ok, says)
    }

    fn windows(responses: &[u64]) -> Vec<Window> {
        responses
            .iter()
            .enumerate()
            .map(|(second, responses)| Window {
                start_s: second as f64,
                duration_s: 1.0,
                responses: *responses,
                errors: 0,
                p50_us: None,
                p99_us: None,
                max_us: None,
            })
            .collect()
    }

    #[test]
    fn a_compiler_at_work_is_a_warm_up() {
        let flat = windows(&[40_000; 12]);
        for quiet in [None, Some(0.0), Some(0.05)] {
            assert_eq!(judge(&flat, quiet), within(&flat));
        }
        let told = "warm-up: its just-in-time compiler still took 11.4% of its CPU time";
        assert_eq!(judge(&flat, Some(0.114)), (Some(false), told.to_owned()));
        let mut shifted = windows(&[40_000; 6]);
        shifted.extend(windows(&[80_000; 6]));
        let (ok, says) = judge(&shifted, Some(0.114));
        assert_eq!(ok, Some(false));
        assert_eq!(says, format!("{told}; {}", within(&shifted).1));
    }

    #[test]
    fn windows_tell_when_throughput_has_settled() {
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
        let told = settled(&steady, &how);
        assert!(told.settled);
        assert_eq!(told.shifts, [] as [u32; 0]);
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
    fn a_shift_is_told_with_its_place_and_size() {
        let half = |low: f64, high: f64| series(move |i| if i < 10 { low } else { high }, 20);
        let (ok, says) = within(&half(40_000.0, 32_000.0));
        assert_eq!(ok, Some(false));
        assert!(
            says.starts_with("slow-down: throughput fell by 20.0% from 40,"),
            "{says}"
        );
        assert!(says.contains(" at 10.0 s of 20.0 s"), "{says}");
        let (ok, says) = within(&half(32_000.0, 40_000.0));
        assert_eq!(ok, Some(false));
        assert!(
            says.starts_with("warm-up: throughput rose by 25.0% from 32,"),
            "{says}"
        );
        let (ok, says) = within(&series(|i| if i < 18 { 40_000.0 } else { 20_000.0 }, 20));
        assert_eq!(ok, Some(false));
        assert!(
            says.starts_with("no steady state: throughput fell by "),
            "{says}"
        );
    }

    #[test]
    fn five_windows_tell_a_drift() {
        let (ok, says) = within(&windows(&[40_000, 39_000, 37_900, 37_000, 36_000]));
        assert_eq!(ok, Some(false));
        assert!(
            // The line falls by 1,000 a window: from half a window before the first to half a window after the last.
            says.starts_with("no steady state: throughput fell by 12.4% from 40,500 requests/s to 35,500 requests/s")
                && says.ends_with("from beginning to end, by a straight line through 5.0 s"),
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
            "4 windows cannot show a shift, 5 can: measure for longer"
        );
    }

    #[test]
    fn a_median_that_shifts_is_told_where_throughput_does_not() {
        // An open loop: the rate is what is offered, and the server gets slower.
        let mut windows = series(|_| 1_000.0, 20);
        for (place, window) in windows.iter_mut().enumerate() {
            window.p50_us = Some(noisy(if place < 8 { 100.0 } else { 300.0 }, place) as f64);
        }
        let (ok, says) = within(&windows);
        assert_eq!(ok, Some(false));
        assert!(
            says.starts_with("slow-down: median response time rose 3.0"),
            "{says}"
        );
        assert!(says.contains(" at 8.0 s of 20.0 s"), "{says}");
    }

    #[test]
    fn a_server_that_stops_answering_is_not_steady() {
        let (ok, says) = within(&series(|i| if i < 10 { 40_000.0 } else { 0.0 }, 20));
        assert_eq!(ok, Some(false), "{says}");
        assert!(
            says.starts_with("slow-down: throughput fell by 100"),
            "{says}"
        );
    }

    #[test]
    fn a_wave_that_falls_into_another_window_is_no_change() {
        // 64 connections are answered together every 20.4 ms; windows of 50 ms hold two or three waves, and the first half of 0.8 s
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
}
