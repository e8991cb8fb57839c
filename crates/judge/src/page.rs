//! What the figures of the HTML report need besides the [`Comparison`]: series of windows and distributions.
//!
//! These are figures for pictures, so they are kept short: four significant digits where a point is drawn. The
//! figures of tables come from the comparison, or stand here as they are.

mod beside;
mod flames;
mod latency;
mod searches;

use photofinish_stats::shape::Class;

use crate::comparison::Comparison;
use crate::steady;
use photofinish_model::message::Message;
use photofinish_model::store::Results;
use photofinish_model::{Load, Window};
use photofinish_voice::windows;

pub use beside::{Sweep, SweepPoint, Unfitted};
pub use flames::{FlamePair, Flames, FrameDifference};
pub use latency::{Distribution, Percentile};
pub use searches::Searched;

/// The pictures' data. Targets are named by their index in the study, cells by theirs in [`Comparison::cells`].
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// The windows of each measurement, in the order of the cells, targets and rounds.
    pub measurements: Vec<Measured>,
    /// What all windows of measurements show; `null` where none has enough of them to say.
    pub steady: Option<Message>,
    /// The windows of each warm-up, in the order of the trials.
    pub warmups: Vec<Warmed>,
    /// The response times of each cell and target, the rounds added.
    pub distributions: Vec<Distribution>,
    /// Why response times are lacking; `null` where they were all read.
    pub latency_problem: Option<Message>,
    /// The sweeps over one variable.
    pub sweeps: Vec<Sweep>,
    /// Where the scalability law was not fitted though a workload has several levels of connections, and why.
    pub unfitted: Vec<Unfitted>,
    /// The searches for what targets sustain.
    pub capacities: Vec<Searched>,
    /// The flame graphs.
    pub flames: Vec<Flames>,
}

/// One measurement's windows.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The cell.
    pub cell: usize,
    /// The target.
    pub target: usize,
    /// The round.
    pub round: u32,
    /// The windows.
    pub windows: Series,
    /// What throughput and response times did meanwhile; `null` where the windows are too few to say.
    pub class: Option<Class>,
    /// The windows at which it shifted, counted from 0.
    pub shifts: Vec<u32>,
}

/// One warm-up's windows.
#[derive(Clone, Debug, PartialEq)]
pub struct Warmed {
    /// The cell with the same workload and load; `null` where the study has none.
    pub cell: Option<usize>,
    /// The target.
    pub target: usize,
    /// The round.
    pub round: u32,
    /// Seconds that it took.
    pub duration_s: f64,
    /// Whether the throughput had settled when it ended.
    pub settled: bool,
    /// The windows.
    pub windows: Series,
    /// The windows at which the throughput shifted, counted from 0.
    pub shifts: Vec<u32>,
}

/// Windows in columns, each value rounded to four significant digits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// When each began, in seconds.
    pub at: Vec<f64>,
    /// Good responses per second.
    pub rate: Vec<f64>,
    /// 99th percentile in microseconds.
    pub p99: Vec<Option<f64>>,
}

impl Page {
    /// Reads what the pictures need from the results folder.
    pub fn from(results: &Results, comparison: &Comparison) -> Page {
        let (distributions, latency_problem) = latency::read(results, comparison);
        let measurements = measurements(results, comparison);
        Page {
            steady: steady(&measurements),
            measurements,
            warmups: warmups(results, comparison),
            distributions,
            latency_problem,
            sweeps: beside::sweeps(results, comparison),
            unfitted: beside::unfitted(comparison),
            capacities: searches::searches(results, comparison),
            flames: flames::flames(results, comparison),
        }
    }
}

fn measurements(results: &Results, comparison: &Comparison) -> Vec<Measured> {
    let mut all: Vec<Measured> = results
        .lines
        .iter()
        .filter_map(|line| {
            let measurement = line.measurement.as_ref()?;
            let steadiness = steady::of(measurement);
            Some(Measured {
                cell: cell(comparison, &line.workload, &line.load)?,
                target: target(results, &line.target)?,
                round: line.round,
                windows: Series::from(steady::full(&measurement.windows)),
                class: steadiness.as_ref().map(|steadiness| steadiness.class),
                shifts: steadiness.map_or_else(Vec::new, |steadiness| steadiness.shifts),
            })
        })
        .collect();
    all.sort_by_key(|m| (m.cell, m.target, m.round));
    all
}

/// Whether anything changed within measurements; `None` where nobody can say.
fn steady(measurements: &[Measured]) -> Option<Message> {
    let changed = |measured: &&Measured| {
        measured.class.is_some_and(|class| class != Class::Flat) || !measured.shifts.is_empty()
    };
    let judged = || measurements.iter().filter(|m| m.class.is_some());
    match (judged().count(), judged().filter(changed).count()) {
        (0, _) => None,
        (_, 0) => Some(windows::all_flat()),
        (of, count) => Some(windows::changed(count, of)),
    }
}

fn warmups(results: &Results, comparison: &Comparison) -> Vec<Warmed> {
    let trials = results.trials.iter();
    trials
        .flat_map(|trial| trial.warmups.iter().map(move |warmup| (trial, warmup)))
        .filter_map(|(trial, warmup)| {
            Some(Warmed {
                cell: cell(comparison, &warmup.workload, &warmup.load),
                target: target(results, &trial.target)?,
                round: trial.round,
                duration_s: warmup.duration_s,
                settled: warmup.settled,
                windows: Series::from(steady::full(&warmup.windows)),
                shifts: warmup.shifts.clone(),
            })
        })
        .collect()
}

fn cell(comparison: &Comparison, workload: &str, load: &Load) -> Option<usize> {
    let mut cells = comparison.cells.iter();
    cells.position(|cell| cell.is_at(workload, load))
}

fn target(results: &Results, label: &str) -> Option<usize> {
    let mut targets = results.study.targets.iter();
    targets.position(|target| target.label == label)
}

fn rate(window: &Window) -> f64 {
    window.responses as f64 / window.duration_s
}

impl Series {
    fn from(windows: &[Window]) -> Series {
        let p99 = windows.iter().map(|window| window.p99_us.map(four_digits));
        Series {
            at: windows.iter().map(|w| four_digits(w.start_s)).collect(),
            rate: windows.iter().map(|w| four_digits(rate(w))).collect(),
            p99: p99.collect(),
        }
    }
}

/// A number as it is drawn.
fn four_digits(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use photofinish_model::Warmup;
    use photofinish_model::samples;

    fn windows(rates: &[u64]) -> Vec<Window> {
        let at = |(second, &responses): (u64, &u64)| Window {
            p99_us: Some(123.456),
            ..samples::window(second, responses)
        };
        (0..).zip(rates).map(at).collect()
    }

    #[test]
    fn windows_are_rounded_and_the_short_last_one_is_left_out() {
        let mut all = windows(&[123_456, 100_000]);
        all.push(Window {
            duration_s: 0.25,
            ..all[1]
        });
        let series = Series::from(steady::full(&all));
        assert_eq!(series.at, [0.0, 1.0]);
        assert_eq!(series.rate, [123_500.0, 100_000.0]);
        assert_eq!(series.p99, [Some(123.5), Some(123.5)]);
        assert_eq!(steady::full(&[]), []);
    }

    #[test]
    fn a_run_with_one_measurement_that_shifts_is_not_called_steady() {
        use crate::checks::{Seen, checks};
        use crate::comparison::CheckStatus;
        use photofinish_model::check;

        let flat = [1_000; 20];
        let mut shifted = flat;
        shifted[10..].fill(2_000);
        for (rates, count, status) in [
            ([flat, flat], 0, CheckStatus::Ok),
            ([shifted, flat], 1, CheckStatus::Failed),
            ([flat, shifted], 1, CheckStatus::Failed),
            ([shifted, shifted], 2, CheckStatus::Failed),
        ] {
            let mut results = samples::race(&["a", "b"], &[&[100.0], &[90.0]]);
            for (line, rates) in results.lines.iter_mut().zip(rates) {
                let measurement = line.measurement.as_mut().expect("a measurement");
                measurement.windows = windows(&rates);
                measurement.steadiness = steady::steadiness(measurement, &[]);
                measurement.checks = checks(measurement, &Seen::default());
            }
            let comparison = Comparison::from(&results);
            let steady = comparison.checks.iter().find(|c| c.name == check::STEADY);
            let steady = steady.expect("the check");
            assert_eq!((steady.status, steady.failing.len()), (status, count));
            assert_eq!((steady.checked, steady.of), (2, 2));
            let page = Page::from(&results, &comparison);
            let expected = match count {
                0 => windows::all_flat(),
                count => windows::changed(count, 2_usize),
            };
            assert_eq!(page.steady, Some(expected));
        }
    }

    #[test]
    fn a_measurement_has_its_shifts_and_a_warm_up_its_cell() {
        let mut results = samples::race(&["a", "b"], &[&[100.0], &[90.0]]);
        let mut rates = vec![1000; 10];
        rates.extend([2000; 10]);
        for line in &mut results.lines {
            if let Some(measurement) = &mut line.measurement {
                measurement.windows = windows(&rates);
            }
        }
        results.trials[1].warmups.push(Warmup {
            duration_s: 2.0,
            settled: true,
            fixed: false,
            load: samples::CLOSED_100,
            workload: samples::WORKLOAD.to_owned(),
            windows: windows(&[10, 20]),
            shifts: vec![1],
        });
        let page = Page::from(&results, &Comparison::from(&results));
        let places: Vec<_> = page
            .measurements
            .iter()
            .map(|m| (m.cell, m.target, m.round, m.shifts.clone()))
            .collect();
        assert_eq!(places, [(0, 0, 1, vec![10]), (0, 1, 1, vec![10])]);
        assert_eq!(page.measurements[0].class, Some(Class::WarmUp));
        assert_eq!(page.steady, Some(windows::changed(2_usize, 2_usize)));
        assert_eq!((page.warmups[0].cell, page.warmups[0].target), (Some(0), 1));
        assert_eq!(page.warmups[0].shifts, [1]);
    }
}
