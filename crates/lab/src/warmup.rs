//! Warming up: load flows until throughput has settled and just-in-time compilers have little left to do, within the study's bounds.
//!
//! Each workload of the trial is warmed up in turn at its largest level, so that every path that
//! will be measured is hot; the bounds are shared out among them. The workloads of a sweep take the same path, or one to another as its
//! variable grows: they are warmed up together, by the first and the last of them.
//!
//! Windows in which other processes used the cores say nothing of the server, and where the core's speed changes so does throughput ([`calm`]).
//!
//! In the first round that is found out. A server that has no compilers and was as fast after the least time as later is warmed up no longer
//! than that in the rounds after it, and what that saves goes to turns.

use std::time::{Duration, Instant};

use photofinish_judge::steady;
use photofinish_load::{Config, Outcome};
use photofinish_model::Window;
use photofinish_model::{Load, Search, Warmup};
use photofinish_stats::settle::Settling;
use photofinish_study::plan::Workload;

use crate::error::{Halt, failed};
use crate::events::Event;
use crate::journal::Journal;
use crate::measure::{self, silence};
use crate::observe::{Next, Pulse};
use crate::order::{self, Scheduled, Step};
use crate::run_context::RunContext;
use crate::server::Server;

mod bursts;
mod calm;

use bursts::{Bounds, Compilers, bounds, compiling};
use calm::{Shows, shows};

/// Longest window of a server without a compiler: the shorter the windows, the more of them fit into a quiet
/// phase of the machine.
const MAX_WINDOW_UNCOMPILED: Duration = Duration::from_millis(100);
/// Compilers that share the server's cores are done with a burst's work after this number of idle samples.
/// Work that takes longer than this time continues during the next burst.
const COMPILERS_IDLE: (u32, Duration) = (2, Duration::from_secs(5));

/// The workloads that a trial measures, each with its largest level, in the plan's order.
pub(crate) fn stations(workloads: &[Workload], trial: &Scheduled) -> Vec<Step> {
    let station = |workload: usize| Step {
        order: 0,
        workload,
        load: largest(&workloads[workload]),
    };
    trial.workloads().into_iter().map(station).collect()
}

/// Those of the stations that are warmed up: not those whose path others warm up, and of each sweep both ends; the first at least.
fn warmed_up(workloads: &[Workload], stations: &[Step]) -> Vec<Step> {
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
    let weight = |load: &Load| match *load {
        Load::Closed { connections } | Load::Capacity(Search { connections, .. }) => {
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
fn load(level: &Load) -> Load {
    match *level {
        Load::Capacity(Search { connections, .. }) => Load::Closed { connections },
        Load::Closed { .. } | Load::Open { .. } => level.clone(),
    }
}

/// Warms a server up, each workload in turn within its share of the study's bounds; reports each.
///
/// # Errors
/// As [`Server::observe`].
pub(crate) fn warm_up(
    server: &mut Server,
    trial: &Scheduled,
    warmups: &mut Vec<Warmup>,
    journal: &mut Journal,
) -> Result<(), Halt> {
    let run = server.run;
    let (plan, target) = (run.plan, &server.target.label);
    if plan.settings.warmup_max.is_zero() {
        return Ok(());
    }
    let stations = warmed_up(&plan.workloads, &stations(&plan.workloads, trial));
    let mut time_left = plan.settings.warmup_max;
    for (i, station) in stations.iter().enumerate() {
        let workload = &plan.workloads[station.workload];
        let to_go = stations.len() - i;
        let bounds = match bounds(plan.settings.warmup_min, time_left, to_go, stations.len()) {
            bounds if journal.is_warm_at_once(target, &workload.name) => bounds.shortest(),
            bounds => bounds,
        };
        let load = load(&workload.loads[station.load]);
        run.report(Event::Warming {
            target: target.clone(),
            workload: workload.name.clone(),
            load: load.clone(),
            bound: bounds.most,
        });
        server.prepare_for(workload)?;
        let seed = order::arrivals_seed(run.seed, trial.round, station);
        let (warmed, at_once) = Warming::new(server, workload, load, bounds, seed).warm_up()?;
        if at_once {
            journal.was_warm_at_once(target, &workload.name);
        }
        // The time for the responses to what was asked last is not taken from the others.
        time_left = time_left.saturating_sub(warmed.flowed());
        run.report(Event::Warmed {
            target: target.clone(),
            took: Duration::from_secs_f64(warmed.duration_s),
            settled: (!warmed.fixed).then_some(warmed.settled),
        });
        warmups.push(warmed);
    }
    Ok(())
}

/// One workload that is warmed up.
struct Warming<'w, 's> {
    server: &'w mut Server<'s>,
    workload: &'s Workload,
    load: Load,
    bounds: Bounds,
    seed: u64,
    /// How long each window is.
    window: Duration,
    began: Instant,
    /// Whether its compilers use the load generator's cores for now.
    lent: bool,
    /// Those of all its load runs.
    windows: Vec<Window>,
    /// The server's pulse after each of the last run's.
    pulses: Vec<Pulse>,
}

impl<'w, 's> Warming<'w, 's> {
    fn new(
        server: &'w mut Server<'s>,
        workload: &'s Workload,
        load: Load,
        bounds: Bounds,
        seed: u64,
    ) -> Warming<'w, 's> {
        Warming {
            server,
            workload,
            load,
            bounds,
            seed,
            window: measure::window(bounds.most),
            began: Instant::now(),
            lent: false,
            windows: Vec::new(),
            pulses: Vec::new(),
        }
    }

    /// In [bursts], and then until its throughput has settled; and whether the least time would have been enough.
    fn warm_up(mut self) -> Result<(Warmup, bool), Halt> {
        let mut before = Pulse::of(self.server);
        let mut compilers = Compilers::of(before);
        if compilers.are_done() {
            // No burst will show what it is for, and caches fill fast.
            self.window = self.window.min(MAX_WINDOW_UNCOMPILED);
        }
        let (bounds, window) = (self.bounds, self.window);
        while !compilers.are_done() && self.began.elapsed() < bounds.bursts_until(window) {
            // Before each, for some runtimes start their compilers anew.
            self.lend_cores(true)?;
            self.send(window * bursts::BURST_WINDOWS, &|_, _| Shows::NotYet)?;
            if !self.lent {
                (self.server).until_still(COMPILERS_IDLE, |server| Pulse::of(server).compiling)?;
            }
            let after = Pulse::of(self.server);
            compilers.note(before, after);
            before = after;
        }
        self.lend_cores(false)?;
        // Bursts may have taken longer than they should, where responses did: it must be seen whether the server is warm.
        let least = bursts::to_settle(window).min(bounds.most).max(window);
        let left = bounds.most.saturating_sub(self.began.elapsed()).max(least);
        let shown = self.send(left, &|windows, pulses| match compiling(pulses) {
            true => Shows::NotYet,
            false => shows(windows, pulses, !compilers.are_absent()),
        })?;
        // One that another started while that one was put back may have stayed.
        self.lend_cores(false)?;
        let warmup = Warmup {
            duration_s: self.began.elapsed().as_secs_f64(),
            settled: shown == Shows::Settled,
            fixed: self.server.run.plan.settings.warmup_is_fixed() || bounds.found_out,
            load: self.load,
            workload: self.workload.name.clone(),
            shifts: steady::settled(&self.windows, &Settling::default()).shifts,
            windows: self.windows,
        };
        let no_longer = warmup.settled && warmup.flowed() <= bounds.least + window;
        let at_once = compilers.are_absent()
            && (no_longer || calm::was_warm_after(bounds.least, &warmup.windows, &self.pulses));
        Ok((warmup, at_once))
    }

    /// Lends compilers the load generator's cores, or takes these back. Where server and generator have no cores apart on one machine, or the
    /// kernel refuses it, they stay on the server's.
    fn lend_cores(&mut self, lend: bool) -> Result<(), Halt> {
        let RunContext {
            cpu_sets, pairs, ..
        } = self.server.run;
        if pairs.is_empty() {
            return Ok(());
        }
        let cores = match lend {
            true => &cpu_sets.generator,
            false => &cpu_sets.server,
        };
        let placed = self.server.process.place_compilers(cores.clone());
        self.lent = placed.map_err(failed)? && lend;
        Ok(())
    }

    /// Sends the load for so long, or until it is warm by the run's windows and the server's pulse after each, or that cannot be seen; what
    /// they show in the end.
    fn send(&mut self, limit: Duration, shown: &Shown) -> Result<Shows, Halt> {
        let (begun, first) = (self.began.elapsed(), self.windows.len());
        let (run, least) = (self.server.run, self.bounds.least);
        let lead_in = Duration::ZERO;
        let config = measure::config(
            self.server,
            self.workload,
            &self.load,
            limit,
            lead_in,
            self.seed,
        );
        let config = Config {
            window: self.window,
            // One that does not sleep would leave compilers nothing of its core.
            eager: config.eager && !self.lent,
            ..config
        };
        let (windows, pulses) = (&mut self.windows, &mut self.pulses);
        let (timeout, mut responded) = (self.workload.timeout, Duration::ZERO);
        let mut silent_for = Duration::ZERO;
        pulses.clear();
        let seen = self.server.observe(&config, true, &mut |window, pulse| {
            let ended = Duration::from_secs_f64(window.start_s + window.duration_s);
            if window.responses > 0 {
                responded = ended;
            }
            silent_for = ended.saturating_sub(responded);
            let window = Window {
                start_s: begun.as_secs_f64() + window.start_s,
                ..*window
            };
            windows.push(window);
            pulses.push(pulse);
            let took = window.start_s + window.duration_s;
            run.report(Event::Window(window));
            // What was run is looked at only if that may end it.
            let took = Duration::from_secs_f64(took);
            let is_warm = took >= least && shown(&windows[first..], pulses).ends(took, least);
            match is_warm || silent_for >= silence::least(timeout) {
                true => Next::Enough,
                false => Next::GoOn,
            }
        })?;
        self.require_response(&seen.outcome, silent_for)?;
        let whole = steady::full(&self.windows[first..]).len();
        self.windows.truncate(first + whole);
        Ok(shown(&self.windows[first..], &self.pulses))
    }

    /// Asks a server for a single response that gave none in as long as one may take, at all or in the end.
    ///
    /// # Errors
    /// If it gives none again: it would keep all others waiting at each level.
    fn require_response(&mut self, outcome: &Outcome, silent_for: Duration) -> Result<(), Halt> {
        let timeout = self.workload.timeout;
        let silent_in_the_end = silent_for >= silence::least(timeout);
        if !silent_in_the_end && !silence::is_in_vain(outcome, Duration::ZERO, timeout) {
            return Ok(());
        }
        let mut silence = silence::unanswered(outcome, self.workload, &self.load);
        if silent_in_the_end {
            silence.window_s = silent_for.as_secs_f64();
        }
        match self.server.verify(self.workload) {
            Ok(_) => Ok(()),
            Err(halt) => Err(silence::gone(silence, halt)),
        }
    }
}

/// Whether a server is warm, by the windows of a run and its pulse after each.
type Shown<'a> = dyn Fn(&[Window], &[Pulse]) -> Shows + 'a;

#[cfg(test)]
mod tests {
    use photofinish_model::{Arrivals, Sweep};

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
