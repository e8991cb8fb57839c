//! A measurement that is a search: the highest rate that holds an objective.
//!
//! The search is that of `photofinish capacity`. Each of its steps is a load run that is watched as any other measurement's; what
//! is recorded is the step at the highest rate that held, with what the search found.

use std::cell::RefCell;
use std::time::Instant;

use photofinish_model::capacity::{self as results, Ended, Found};
use photofinish_model::{Arrivals, Line, Load, check};
use photofinish_study::plan::Search;

use crate::error::Halt;
use crate::events::Event;
use crate::measure::{self, Measured, SameJob};
use crate::observe::{self, Next, Seen};
use crate::order::{self, Scheduled, Step};
use crate::scene::Scene;
use crate::server::Server;
use crate::{capacity, checks, idle};

/// Searches, and tells each step.
///
/// # Errors
/// As [`measure::measure`].
pub(crate) fn measure(
    scene: &Scene,
    server: &mut Server,
    trial: &Scheduled,
    step: &Step,
    search: &Search,
    same_job: &SameJob,
    tell: &mut dyn FnMut(Event),
) -> Result<Measured, Halt> {
    let workload = &scene.plan.workloads[step.workload];
    let connections = workload.loads[step.load].connections();
    let seed = order::arrivals_seed(scene.seed, trial.round, step);
    // Told to by the load runs and by the search, one at a time.
    let tell = RefCell::new(tell);
    let mut run = |rate: f64| -> Result<capacity::Measured<Seen>, Halt> {
        let load = Load::Open {
            rate,
            arrivals: Arrivals::Poisson,
            connections,
        };
        idle::prepare(scene, server, workload)?;
        let (length, lead_in) = (capacity::length(search, rate), capacity::lead_in(search));
        let config = measure::config(scene, server, workload, &load, length, lead_in, seed);
        let seen = observe::observe(scene, server, &config, &mut |window, _| {
            (tell.borrow_mut())(Event::Window(window.clone()));
            Next::GoOn
        })?;
        // A rate at which nothing is answered does not hold; the search goes on at a lower one.
        measure::silence(scene, server, trial, step, &load, &seen)?;
        let exchange = &config.exchange;
        let hiccups = seen.machine.as_ref().and_then(|machine| machine.hiccup_us);
        Ok(capacity::Measured {
            measurement: measure::judged(scene, workload, &load, exchange, &seen, same_job),
            hiccup_us: hiccups.map(|late| late.p99),
            rest: seen,
        })
    };
    let mut number = 0;
    let mut on_step = |step: &results::Step| {
        number += 1;
        (tell.borrow_mut())(Event::Step {
            number,
            step: step.clone(),
        });
    };
    let began = Instant::now();
    let mut late = || began.elapsed() >= search.max_time;
    let sought = capacity::find(search, &mut run, &mut on_step, &mut late, scene.interrupt)?;
    if sought.found.ended == Ended::Interrupted {
        return Err(Halt::Interrupted);
    }
    let mut line = measure::line(scene, trial, step);
    let Some(best) = sought.best else {
        line.failure = Some("the search had no time for a single step".to_owned());
        return Ok(Measured {
            line,
            latency: None,
        });
    };
    Ok(record(line, sought.found, best))
}

/// The line of a search: its best step, and what was found.
fn record(line: Line, found: Found, best: capacity::Measured<Seen>) -> Measured {
    let capacity::Measured {
        mut measurement,
        rest: seen,
        ..
    } = best;
    if let (true, Some(failed)) = (found.generator_limited, found.failed_rps) {
        let says = format!(
            "its busiest thread had no time to spare at {failed:.0}/s, the rate that failed; the server may sustain more; give the generator more cores"
        );
        checks::replace(&mut measurement.checks, check::GENERATOR, Some(false), says);
    }
    measurement.throughput_rps = found.sustained_rps.unwrap_or(0.0);
    measurement.capacity = Some(found);
    measure::filled(line, measurement, seen)
}
