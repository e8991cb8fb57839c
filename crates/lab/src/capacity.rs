//! The highest rate at which a server holds an objective: `photofinish capacity`, and a level of a study.
//!
//! Each step is a short open-loop run with Poisson arrivals at one rate. The rate is doubled until a
//! step fails, or halved until one holds, and then bisected. A step holds when the objective does, the
//! offered rate is achieved and no request failed. A rate fails when two steps at it do: one may have met a
//! hiccup of the machine, which would send the search far below what the server sustains. At the end the lowest rate that failed is
//! tried once more, for both tries may have met one slow spell.

mod objective;
mod search;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use photofinish_judge::checks::BUSY;
use photofinish_load::Until;
use photofinish_model::capacity::{Capacity, Ended, Found, Step};
use photofinish_model::finding::capacity::Broken;
use photofinish_model::{Arrivals, Load, Measurement, Objective, Search, VERSION};

use crate::error::Error;
use crate::order;
use crate::quick::{LoadOptions, load_once};
use objective::{all_wrong, broken_by};
use search::Rates;

/// Number of steps at a rate that must fail before the rate does.
const MAX_ATTEMPTS: usize = 2;
/// Share of an objective's bound above which the wake-up delay (p99) of a sleeping thread makes the machine
/// too noisy.
const MAX_WAKE_SHARE: f64 = 0.5;
/// Fewest due requests of a step, so that the highest of a hundred is seen twice.
const MIN_REQUESTS: f64 = 200.0;
/// Longest step, in multiples of its usual length.
const MAX_LENGTH_FACTOR: u32 = 10;
/// Length of the ramp-up before a step, as a share of the step, so that a queue reaches its usual length.
const RAMP_UP_SHARE: f64 = 0.2;

/// What to send, and what to search for.
#[derive(Clone, Debug)]
pub struct CapacityOptions {
    /// What each step sends; its `load`, `until` and `lead_in` are the search's to set.
    pub load: LoadOptions,
    /// What must hold, and how it is searched for.
    pub search: Search,
}

/// What a search found, and what went wrong first.
#[derive(Clone, Debug)]
pub struct Searched {
    /// What was found.
    pub capacity: Capacity,
    /// What was wrong with the first bad response, or kept one from coming.
    pub first_error: Option<String>,
    /// The path at which redirects ended, which was loaded; `None` if none was followed.
    pub led_to: Option<String>,
}

/// Searches. `on_step` is called after each step; `interrupt` ends the search, with what was found until then.
///
/// # Errors
/// As [`load_once`]: for a URL that cannot or may not be loaded, or a load that cannot be sent.
pub fn capacity(
    options: &CapacityOptions,
    on_step: &mut dyn FnMut(&Step),
    interrupt: &AtomicBool,
) -> Result<Searched, Error> {
    let began = Instant::now();
    let mut late = || began.elapsed() >= options.search.max_time;
    let (mut first_error, mut led_to) = (None, None);
    let mut measure = |attempt| -> Result<Measured<()>, Error> {
        let load = at(options, attempt);
        let loaded = load_once(&load, &mut |_| {}, interrupt)?;
        if first_error.is_none() {
            let first = loaded.measurement.first_error.as_ref();
            first_error = first.map(|first| first.says.clone());
        }
        led_to = loaded.led_to;
        Ok(Measured {
            measurement: loaded.measurement,
            hiccup_us: loaded.hiccups.map(|late| late.p99),
            rest: (),
        })
    };
    let search = &options.search;
    let Sought { found, .. } = find(search, &mut measure, on_step, &mut late, interrupt)?;
    Ok(Searched {
        capacity: Capacity {
            version: VERSION,
            url: options.load.url.clone(),
            objective: search.objective.text().to_owned(),
            connections: search.connections,
            found,
        },
        first_error,
        led_to,
    })
}

/// A step that is to be made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Attempt {
    /// Requests per second.
    pub(crate) rate: f64,
    /// How many steps were made at this rate before.
    pub(crate) before: u32,
}

impl Attempt {
    /// The load of the step.
    pub(crate) fn load(&self, search: &Search) -> Load {
        Load::Open {
            rate: self.rate,
            arrivals: Arrivals::Poisson,
            connections: search.connections,
        }
    }

    /// The seed of its arrivals, from that of the search: another one for each try at a rate, which would else meet the same bursts,
    /// and the same one for every target.
    pub(crate) fn seed(&self, of_search: u64) -> u64 {
        order::step_seed(of_search, self.rate, self.before)
    }
}

/// What came of a step.
pub(crate) struct Measured<T> {
    pub(crate) measurement: Measurement,
    /// How late a thread that only sleeps woke meanwhile, 99th percentile.
    pub(crate) hiccup_us: Option<f64>,
    /// What else whoever measured it wants to keep.
    pub(crate) rest: T,
}

/// What came of a search.
pub(crate) struct Sought<T> {
    pub(crate) found: Found,
    /// The step at the highest rate that held, or the last one where none did; `None` if no step was made.
    pub(crate) best: Option<Measured<T>>,
}

/// The search itself, apart from clock and sockets.
///
/// # Errors
/// The first of `measure`.
pub(crate) fn find<T, E>(
    search: &Search,
    measure: &mut dyn FnMut(Attempt) -> Result<Measured<T>, E>,
    on_step: &mut dyn FnMut(&Step),
    late: &mut dyn FnMut() -> bool,
    interrupt: &AtomicBool,
) -> Result<Sought<T>, E> {
    let mut rates = Rates::new(search.start, search.precision);
    let mut steps: Vec<Step> = Vec::new();
    let mut best = None;
    let mut tries = 0;
    let ended = loop {
        let next = rates.next();
        let Some(rate) = next.or_else(|| rates.doubtful()) else {
            break Ended::Found;
        };
        // To try a rate once more is not worth a search that ends early.
        if steps.len() >= search.max_steps as usize {
            break next.map_or(Ended::Found, |_| Ended::Steps);
        }
        if late() {
            break next.map_or(Ended::Found, |_| Ended::Time);
        }
        let before = steps.iter().filter(|step| step.offered_rps == rate).count() as u32;
        let measured = measure(Attempt { rate, before })?;
        // What was measured of an interrupted step says nothing about its rate.
        if interrupt.load(Ordering::Relaxed) {
            break Ended::Interrupted;
        }
        let step = step(rate, &measured, &search.objective);
        let hopeless = all_wrong(&measured.measurement);
        // Each rate that holds is above all that held before.
        if step.holds || rates.bracket().0.is_none() {
            best = Some(measured);
        }
        tries += 1;
        if next.is_none() {
            rates.note_doubtful(step.holds);
            tries = 0;
        } else if step.holds || tries == MAX_ATTEMPTS {
            rates.note(step.holds);
            tries = 0;
        }
        on_step(&step);
        steps.push(step);
        // Nothing was right so far, and no other rate would change that.
        if hopeless && steps.len() == 1 {
            rates.note(false);
            break Ended::Floor;
        }
        if tries == 0 && is_floor(&steps) {
            break Ended::Floor;
        }
    };
    let (sustained_rps, failed_rps) = rates.bracket();
    let limit = steps
        .iter()
        .rfind(|step| !step.holds && Some(step.offered_rps) == failed_rps);
    let found = Found {
        sustained_rps,
        failed_rps,
        ended,
        generator_limited: limit.is_some_and(|step| step.generator_cpu >= BUSY),
        noise_us: limit.and_then(|step| noise(step, &search.objective)),
        steps,
    };
    Ok(Sought { found, best })
}

/// Whether a response time that breaks the objective does not depend on the rate: nothing held so far, and at the last two rates the
/// same figure broke it and was about the same, by the better try at each. No lower rate would hold then.
fn is_floor(steps: &[Step]) -> bool {
    const SIMILAR: f64 = 0.9;
    let mut rates: Vec<(f64, &str, f64)> = Vec::new();
    for step in steps {
        let Some(Broken::Time { figure, us }) = &step.why else {
            return false;
        };
        match rates.last_mut() {
            Some((rate, known, best)) if *rate == step.offered_rps => {
                if known != figure {
                    return false;
                }
                *best = us.min(*best);
            }
            _ => rates.push((step.offered_rps, figure, *us)),
        }
    }
    match rates.as_slice() {
        [.., (high, of_high, before), (low, of_low, now)] => {
            low < high && of_high == of_low && *now >= SIMILAR * before
        }
        _ => false,
    }
}

/// How long a step at this rate is measured.
pub(crate) fn length(search: &Search, rate: f64) -> Duration {
    let enough = Duration::try_from_secs_f64(MIN_REQUESTS / rate).unwrap_or(Duration::MAX);
    let longest = search.step.saturating_mul(MAX_LENGTH_FACTOR);
    enough.clamp(search.step, longest.max(search.step))
}

/// How long the load flows before a step is measured.
pub(crate) fn lead_in(search: &Search) -> Duration {
    search.step.mul_f64(RAMP_UP_SHARE)
}

/// About how long a search takes, were the server's limit a hundred times the first rate.
pub(crate) fn estimate(search: &Search) -> Duration {
    const DOUBLINGS: f64 = 7.0;
    // From a factor of 2 down to the precision; every second one fails, and is tried again.
    let halvings = (std::f64::consts::LN_2 / search.precision.ln_1p()).log2();
    // One more at the end.
    let steps = DOUBLINGS + MAX_ATTEMPTS as f64 + halvings.ceil().max(0.0) * 1.5 + 1.0;
    let steps = steps.min(f64::from(search.max_steps));
    let step = search.step + lead_in(search);
    step.mul_f64(steps).min(search.max_time + step)
}

/// What a step sends.
fn at(options: &CapacityOptions, attempt: Attempt) -> LoadOptions {
    let search = &options.search;
    LoadOptions {
        until: Until::Elapsed(length(search, attempt.rate)),
        lead_in: lead_in(search),
        load: attempt.load(search),
        seed: attempt.seed(options.load.seed),
        ..options.load.clone()
    }
}

/// How late threads woke at a step, where that alone may have broken the objective.
fn noise(step: &Step, objective: &Objective) -> Option<f64> {
    let bound = objective.tightest_us()?;
    step.hiccup_us
        .filter(|late| *late >= bound * MAX_WAKE_SHARE)
}

fn step<T>(rate: f64, measured: &Measured<T>, objective: &Objective) -> Step {
    let hiccup_us = measured.hiccup_us;
    let measured = &measured.measurement;
    let why = broken_by(objective, measured);
    Step {
        offered_rps: rate,
        achieved_rps: measured.throughput_rps,
        requests: measured.requests,
        errors: measured.failures(),
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
