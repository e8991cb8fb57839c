//! Warming up: load flows until throughput has settled, within the study's bounds.
//!
//! Each workload of the trial is warmed up in turn at its largest level, so that every path that
//! will be measured is hot; the bounds are shared out among them. The workloads of a sweep take the same path
//! and are warmed up together, by the first of them.

use std::time::{Duration, Instant};

use photofinish_load::outcome::Window;
use photofinish_results::model::{self, Warmup};
use photofinish_results::steady;
use photofinish_study::plan::{self, Workload};

use crate::convert;
use crate::error::Halt;
use crate::measure;
use crate::observe::{self, Next};
use crate::order::{self, Scheduled, Step};
use crate::scene::Scene;
use crate::server::Server;

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

/// Those of the stations that are warmed up: one of each sweep.
pub(crate) fn warmed_up(workloads: &[Workload], stations: &[Step]) -> Vec<Step> {
    let mut sweeps: Vec<&str> = Vec::new();
    stations
        .iter()
        .filter(|station| match &workloads[station.workload].sweep {
            None => true,
            Some(sweep) => {
                let first = !sweeps.contains(&sweep.name.as_str());
                sweeps.push(&sweep.name);
                first
            }
        })
        .copied()
        .collect()
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

/// How long each of so many stations may take at most.
pub(crate) fn bound(scene: &Scene, stations: usize) -> Duration {
    scene.plan.warmup.max / stations.max(1) as u32
}

/// Warms one workload up.
///
/// # Errors
/// As [`observe::observe`].
pub(crate) fn warm_up(
    scene: &Scene,
    server: &mut Server,
    trial: &Scheduled,
    station: &Step,
    stations: usize,
    on_window: &mut dyn FnMut(&Window),
) -> Result<Warmup, Halt> {
    let workload = &scene.plan.workloads[station.workload];
    let load = load(&workload.loads[station.load]);
    let least = scene.plan.warmup.min / stations.max(1) as u32;
    let seed = order::arrivals_seed(scene.seed, trial.round, station);
    let bound = bound(scene, stations);
    let config = measure::config(scene, server, workload, &load, bound, Duration::ZERO, seed);
    let began = Instant::now();
    let mut windows: Vec<model::Window> = Vec::new();
    observe::observe(scene, server, &config, &mut |window| {
        on_window(window);
        windows.push(convert::window(window));
        let flowed = window.start + window.duration;
        match flowed >= least && steady::settled(&windows).settled {
            true => Next::Enough,
            false => Next::GoOn,
        }
    })?;
    let steady = steady::settled(&windows);
    Ok(Warmup {
        duration_s: began.elapsed().as_secs_f64(),
        settled: steady.settled,
        load,
        workload: workload.name.clone(),
        windows,
        shifts: steady.shifts,
    })
}

#[cfg(test)]
mod tests {
    use photofinish_study::plan::{Arrivals, Load, Sweep};

    use super::*;
    use crate::fake;

    #[test]
    fn a_sweep_is_warmed_up_by_its_first_workload() {
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
            swept("c-1k", "c"),
            fake::workload("d", &[1]),
        ];
        let step = |workload| Step {
            order: 0,
            workload,
            load: 0,
        };
        let all: Vec<Step> = (0..5).map(step).collect();
        let warmed = warmed_up(&workloads, &all);
        let places: Vec<usize> = warmed.iter().map(|step| step.workload).collect();
        assert_eq!(places, [0, 1, 3, 4]);
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
