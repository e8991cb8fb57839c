//! Warming up: load flows until throughput has settled and just-in-time compilers have little left to do, within the study's bounds.
//!
//! Each workload of the trial is warmed up in turn at its largest level, so that every path that
//! will be measured is hot; the bounds are shared out among them. The workloads of a sweep take the same path, or one to another as its
//! variable grows: they are warmed up together, by the first and the last of them.

use std::time::{Duration, Instant};

use photofinish_judge::steady;
use photofinish_load::config::Config;
use photofinish_load::outcome::Window;
use photofinish_model as model;
use photofinish_model::Warmup;
use photofinish_stats::settle::Settling;
use photofinish_study::plan::{self, Workload};

use crate::convert;
use crate::error::Halt;
use crate::idle;
use crate::measure;
use crate::observe::{self, Next, Pulse};
use crate::order::{self, Scheduled, Step};
use crate::scene::Scene;
use crate::server::Server;

mod bursts;

pub(crate) use bursts::{Bounds, bounds};
use bursts::{Compilers, compiling};

/// Compilers are done with a burst's work when they are still for so many looks; what takes longer than this goes on during the next.
const STILL: (u32, Duration) = (2, Duration::from_secs(5));

/// The workloads that a trial measures, each with its largest level, in the plan's order.
pub(crate) fn stations(scene: &Scene, trial: &Scheduled) -> Vec<Step> {
    trial
        .workloads()
        .into_iter()
        .map(|workload| Step {
            order: 0,
            workload,
            load: largest(&scene.plan.workloads[workload]),
        })
        .collect()
}

/// Those of the stations that are warmed up: not those whose path others warm up, and of each sweep both ends; the first at least.
pub(crate) fn warmed_up(workloads: &[Workload], stations: &[Step]) -> Vec<Step> {
    let sweep = |station: &Step| {
        let sweep = workloads[station.workload].sweep.as_ref();
        sweep.map(|sweep| sweep.name.as_str())
    };
    let is_end = |at: usize, name: &str| {
        let within = |stations: &[Step]| stations.iter().any(|other| sweep(other) == Some(name));
        !within(&stations[..at]) || !within(&stations[at + 1..])
    };
    let mut warmed: Vec<Step> = (stations.iter().enumerate())
        .filter(|(_, station)| workloads[station.workload].warmed_up)
        .filter(|(at, station)| sweep(station).is_none_or(|name| is_end(*at, name)))
        .map(|(_, station)| *station)
        .collect();
    if warmed.is_empty() {
        warmed.extend(stations.first());
    }
    warmed
}

/// The level that keeps a server busiest: the most connections in a closed loop, else the highest rate.
fn largest(workload: &Workload) -> usize {
    use photofinish_study::plan::Load;
    let weight = |load: &Load| match *load {
        Load::Closed { connections } | Load::Capacity { connections, .. } => {
            (1, f64::from(connections))
        }
        Load::Open { rate, .. } => (0, rate),
    };
    (0..workload.loads.len())
        .max_by(|a, b| {
            let (a, b) = (weight(&workload.loads[*a]), weight(&workload.loads[*b]));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        })
        .unwrap_or(0)
}

/// How load is sent to warm up for a level: as at the level itself, and for a search, which has no rate yet, in a
/// closed loop over its connections.
pub(crate) fn load(level: &plan::Load) -> model::Load {
    match *level {
        plan::Load::Capacity { connections, .. } => model::Load::Closed { connections },
        plan::Load::Closed { .. } | plan::Load::Open { .. } => convert::load(level),
    }
}

/// Warms one workload up: in [bursts], and then until its throughput has settled.
///
/// # Errors
/// As [`observe::observe`].
pub(crate) fn warm_up(
    scene: &Scene,
    server: &mut Server,
    trial: &Scheduled,
    station: &Step,
    bounds: Bounds,
    on_window: &mut dyn FnMut(&Window),
) -> Result<Warmup, Halt> {
    let workload = &scene.plan.workloads[station.workload];
    let load = load(&workload.loads[station.load]);
    let seed = order::arrivals_seed(scene.seed, trial.round, station);
    let length = measure::window(bounds.most);
    let began = Instant::now();
    let mut windows: Vec<model::Window> = Vec::new();
    // Sends the load for so long, or until it is warm by the run's windows and the server's pulse after each; whether it is.
    let mut send = |server: &mut Server, limit, is_warm: &IsWarm| {
        let (begun, first) = (began.elapsed(), windows.len());
        let lead_in = Duration::ZERO;
        let config = measure::config(scene, server, workload, &load, limit, lead_in, seed);
        let config = Config {
            window: length,
            ..config
        };
        let mut pulses: Vec<Pulse> = Vec::new();
        observe::observe(scene, server, &config, &mut |window, pulse| {
            let window = Window {
                start: begun + window.start,
                ..window.clone()
            };
            on_window(&window);
            windows.push(convert::window(&window));
            pulses.push(pulse);
            let long_enough = window.start + window.duration >= bounds.least;
            match long_enough && is_warm(&windows[first..], &pulses) {
                true => Next::Enough,
                false => Next::GoOn,
            }
        })?;
        let whole = steady::full(&windows[first..]).len();
        windows.truncate(first + whole);
        Ok::<_, Halt>(is_warm(&windows[first..], &pulses))
    };
    let mut compilers = Compilers::default();
    let mut before = Pulse::of(server);
    while !compilers.are_done() && began.elapsed() < bounds.bursts_until(length) {
        send(server, length * bursts::WINDOWS, &|_, _| false)?;
        idle::until_still(scene, server, STILL, |_, server| {
            Pulse::of(server).compiling
        })?;
        let after = Pulse::of(server);
        compilers.note(before, after);
        before = after;
    }
    // Bursts may have taken longer than they should, where answers did: it must be seen whether the server is warm.
    let least = bursts::to_settle(length).min(bounds.most).max(length);
    let left = bounds.most.saturating_sub(began.elapsed()).max(least);
    let settled = send(server, left, &|windows, pulses| {
        !compiling(pulses) && steady::settled(windows, &Settling::when_nothing_compiles()).settled
    })?;
    Ok(Warmup {
        duration_s: began.elapsed().as_secs_f64(),
        settled,
        load,
        workload: workload.name.clone(),
        shifts: steady::settled(&windows, &Settling::default()).shifts,
        windows,
    })
}

/// Whether a server is warm, by the windows of a run and its pulse after each.
type IsWarm<'a> = dyn Fn(&[model::Window], &[Pulse]) -> bool + 'a;

#[cfg(test)]
mod tests {
    use photofinish_study::plan::{Arrivals, Load, Sweep};

    use super::*;
    use crate::fake;

    #[test]
    fn each_path_is_warmed_up() {
        let swept = |name: &str, of: &str| Workload {
            sweep: Some(Sweep {
                name: of.to_owned(),
                variable: "size".to_owned(),
                value: 1,
            }),
            ..fake::workload(name, &[1])
        };
        let workloads = [
            fake::workload("a", &[1]),
            swept("b-1k", "b"),
            swept("b-2k", "b"),
            swept("b-3k", "b"),
            swept("c-1k", "c"),
            fake::workload("d", &[1]),
            Workload {
                warmed_up: false,
                ..fake::workload("e", &[1])
            },
        ];
        let step = |workload| Step {
            order: 0,
            workload,
            load: 0,
        };
        let all: Vec<Step> = (0..7).map(step).collect();
        let warmed = warmed_up(&workloads, &all);
        let places: Vec<usize> = warmed.iter().map(|step| step.workload).collect();
        assert_eq!(places, [0, 1, 3, 4, 5]);
        let only = warmed_up(&workloads, &all[6..]);
        assert_eq!(only.len(), 1);
    }

    #[test]
    fn the_largest_level_warms_up() {
        let mut workload = fake::workload("w", &[16, 1_000, 256]);
        assert_eq!(largest(&workload), 1);
        workload.loads = [500.0, 90.0]
            .map(|rate| Load::Open {
                rate,
                arrivals: Arrivals::Poisson,
                connections: 9,
            })
            .to_vec();
        assert_eq!(largest(&workload), 0);
    }
}
