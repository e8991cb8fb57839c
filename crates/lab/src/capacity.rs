//! The highest rate at which a server holds an objective: `photofinish capacity`.
//!
//! Each step is a short open-loop run with Poisson arrivals at one rate. The rate is doubled until a
//! step fails, or halved until one holds, and then bisected. A step holds when the objective does, the
//! offered rate is achieved and no request failed. A rate fails when two steps at it do: one may have met a
//! hiccup of the machine, which would send the search far below what the server sustains.

mod objective;
mod search;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use photofinish_load::config::{Arrivals, Stage, Until};
use photofinish_results::capacity::{Capacity, Ended, Step};
use photofinish_results::model::{Measurement, VERSION};

use crate::checks::BUSY;
use crate::error::Error;
use crate::hiccup::Hiccups;
use crate::quick::{LoadOptions, OpenLoop, load_once};
use search::Search;

pub use objective::{Objective, ObjectiveError};

/// So many steps at a rate must fail before it is taken to fail.
const TRIES: usize = 2;
/// The machine is too noisy for an objective when a thread that only sleeps wakes later (p99) than this share of its bound.
const NOISE: f64 = 0.5;
/// A step lasts until so many requests fell due, so that the highest of a hundred is seen twice.
const REQUESTS: f64 = 200.0;
/// But for so many times its usual length at most.
const LONGEST: u32 = 10;
/// Before each step the load flows for this share of it, so that a queue has its usual length.
const LEAD_IN: f64 = 0.2;

/// What to search for, and how long.
#[derive(Clone, Debug)]
pub struct CapacityOptions {
    /// What each step sends; its `open`, `until` and `lead_in` are the search's to set.
    pub load: LoadOptions,
    /// What must hold.
    pub objective: Objective,
    /// How long each step is measured; longer where its rate is low.
    pub step: Duration,
    /// The first rate, in requests per second.
    pub start: f64,
    /// How near the answer's two rates must be: 0.02 = 2%.
    pub precision: f64,
    /// At most so many steps.
    pub max_steps: u32,
    /// No step begins after so long.
    pub max_time: Duration,
}

/// Searches. `on_step` is called after each step; `interrupt` ends the search, with what was found until then.
///
/// # Errors
/// As [`load_once`]: for a URL that cannot or may not be loaded, or a load that cannot be sent.
pub fn capacity(
    options: &CapacityOptions,
    on_step: &mut dyn FnMut(&Step),
    interrupt: &AtomicBool,
) -> Result<Capacity, Error> {
    let began = Instant::now();
    let mut late = || began.elapsed() >= options.max_time;
    let mut measure = |rate| {
        let load = at(options, rate);
        let hiccups = Hiccups::start(None);
        let measurement = load_once(&load, &mut |_| {}, interrupt)?;
        Ok(Measured {
            measurement,
            hiccup_us: hiccups.end().map(|late| late.p99),
        })
    };
    search(options, &mut measure, on_step, &mut late, interrupt)
}

/// What came of a step.
struct Measured {
    measurement: Measurement,
    /// How late a thread that only sleeps woke meanwhile, 99th percentile.
    hiccup_us: Option<f64>,
}

/// The search itself, apart from clock and sockets.
fn search(
    options: &CapacityOptions,
    measure: &mut dyn FnMut(f64) -> Result<Measured, Error>,
    on_step: &mut dyn FnMut(&Step),
    late: &mut dyn FnMut() -> bool,
    interrupt: &AtomicBool,
) -> Result<Capacity, Error> {
    let mut search = Search::new(options.start, options.precision);
    let mut steps: Vec<Step> = Vec::new();
    let mut tries = 0;
    let ended = loop {
        let Some(rate) = search.next() else {
            break Ended::Found;
        };
        if steps.len() >= options.max_steps as usize {
            break Ended::Steps;
        }
        if late() {
            break Ended::Time;
        }
        let measured = measure(rate)?;
        // What was measured of an interrupted step says nothing about its rate.
        if interrupt.load(Ordering::Relaxed) {
            break Ended::Interrupted;
        }
        let step = step(rate, &measured, &options.objective);
        tries += 1;
        if step.holds || tries == TRIES {
            search.tell(step.holds);
            tries = 0;
        }
        on_step(&step);
        steps.push(step);
    };
    let (sustained_rps, failed_rps) = search.bracket();
    let limit = steps
        .iter()
        .rfind(|step| !step.holds && Some(step.offered_rps) == failed_rps);
    Ok(Capacity {
        version: VERSION,
        url: options.load.url.clone(),
        objective: options.objective.text().to_owned(),
        connections: options.load.connections,
        sustained_rps,
        failed_rps,
        ended,
        generator_limited: limit.is_some_and(|step| step.generator_cpu >= BUSY),
        noise_us: limit.and_then(|step| noise(step, &options.objective)),
        steps,
    })
}

/// What a step sends.
fn at(options: &CapacityOptions, rate: f64) -> LoadOptions {
    let enough = Duration::try_from_secs_f64(REQUESTS / rate).unwrap_or(Duration::MAX);
    let longest = options.step.saturating_mul(LONGEST);
    let length = enough.clamp(options.step, longest.max(options.step));
    LoadOptions {
        until: Until::Elapsed(length),
        lead_in: options.step.mul_f64(LEAD_IN),
        open: Some(OpenLoop {
            arrivals: Arrivals::Poisson,
            stages: vec![Stage {
                duration: length,
                from: rate,
                to: rate,
            }],
        }),
        ..options.load.clone()
    }
}

/// How late threads woke at a step, where that alone may have broken the objective.
fn noise(step: &Step, objective: &Objective) -> Option<f64> {
    let bound = objective.tightest_us()?;
    step.hiccup_us.filter(|late| *late >= bound * NOISE)
}

fn step(rate: f64, measured: &Measured, objective: &Objective) -> Step {
    let hiccup_us = measured.hiccup_us;
    let measured = &measured.measurement;
    let why = objective.broken_by(measured);
    Step {
        offered_rps: rate,
        achieved_rps: measured.throughput_rps,
        requests: measured.requests,
        errors: measured.errors.values().sum(),
        p50_us: measured.latency_us.map(|l| l.p50),
        p99_us: measured.latency_us.map(|l| l.p99),
        generator_cpu: measured.generator.cpu_utilisation,
        hiccup_us,
        holds: why.is_none(),
        why,
    }
}

#[cfg(test)]
mod tests;
