//! Whether the load generator, and not the server, was the limit.

use photofinish_load::outcome::Outcome;
use photofinish_results::model::{Load, Measurement, Overloaded};
use photofinish_results::units::thousands;

use super::Verdict;
use crate::convert::us;

/// A thread that is on its core for so much of the time cannot be told from one that always is.
pub(crate) const BUSY: f64 = 0.95;
/// A connection may be in the generator's hands for this share of its cycle.
const TURNAROUND: f64 = 0.10;
/// Unless so many requests are with the server on average. Were their number Poisson-distributed, the
/// server would have nothing to do for e^-5 = 0.7% of the time, so the generator takes nothing from it.
const PLENTY: f64 = 5.0;
/// What an open loop must achieve of its offered rate.
const ACHIEVED: f64 = 0.99;
/// A step of the wall clock that spoils latencies, as a share of their median.
const STEP: f64 = 0.01;

/// Neither the generator's CPU, nor its turnaround, nor its schedule limited what was measured.
pub(super) fn generator(measurement: &Measurement, outcome: &Outcome) -> Verdict {
    let generator = &measurement.generator;
    let latency = measurement.latency_us;
    let mut limits = Vec::new();
    let mut figures = vec![format!(
        "its busiest thread used {:.0}% of a core",
        generator.cpu_utilisation * 100.0
    )];
    if generator.cpu_utilisation >= BUSY {
        limits.push("its busiest thread had no time to spare; give it more cores".to_owned());
    }
    match (measurement.load.clone(), latency, generator.turnaround_us) {
        (Load::Closed { .. }, Some(latency), Some(turnaround)) => {
            let share = turnaround / (turnaround + latency.mean);
            let with_server = measurement.throughput_rps * latency.mean / 1e6;
            figures.push(format!(
                "a connection was {:.0}% of its cycle in the generator's hands ({turnaround:.1} of {:.1} µs)",
                share * 100.0,
                turnaround + latency.mean
            ));
            if share > TURNAROUND && with_server < PLENTY {
                limits.push(format!(
                    "with {with_server:.1} requests at the server it waited for the generator, so it could answer up to {:.0}% more; latency is not touched",
                    turnaround / latency.mean * 100.0
                ));
            }
        }
        (Load::Open { .. }, _, _) => {
            let achieved = generator.achieved_ratio;
            figures.push(format!(
                "{:.1}% of the offered rate was achieved",
                achieved * 100.0
            ));
            if let Some(overloaded) = measurement.overloaded {
                limits.push(format!(
                    "overloaded: {} of {} offered were achieved, for generator or server could not keep up; the latency at the offered rate is not known",
                    per_second(overloaded.achieved_rps),
                    per_second(overloaded.offered_rps)
                ));
            }
        }
        _ => {}
    }
    if let Some(lag) = generator.lag_us {
        figures.push(format!("answers waited {:.1} µs for it (median)", lag.p50));
    }
    let p50 = latency.map_or(f64::MAX, |l| l.p50);
    if outcome.kernel_timestamps && us(outcome.clock_step) > p50 * STEP {
        limits.push(format!(
            "the wall clock was stepped by {:?} meanwhile, which spoils kernel timestamps; measure again",
            outcome.clock_step
        ));
    }
    let ok = limits.is_empty();
    if !ok {
        figures = limits.into_iter().chain(figures).collect();
    }
    (Some(ok), figures.join("; "))
}

/// Whether requests of an open loop came in faster than they were answered.
pub(crate) fn overloaded(measurement: &Measurement, outcome: &Outcome) -> Option<Overloaded> {
    let offered = outcome.offered? as f64;
    let missing = offered - outcome.answers_in_window as f64;
    // What is in flight when the window closes is no shortfall. A queue that grows at a steady pace
    // is: at the end it is twice as long as the mean wait in it would make it.
    let in_flight = measurement
        .latency_us
        .map_or(0.0, |l| measurement.throughput_rps * l.mean / 1e6);
    let short = measurement.generator.achieved_ratio < ACHIEVED && missing > in_flight + 1.0;
    let seconds = outcome.duration.as_secs_f64();
    (short && seconds > 0.0).then(|| Overloaded {
        offered_rps: offered / seconds,
        achieved_rps: measurement.throughput_rps,
    })
}

/// A rate in words.
fn per_second(rate: f64) -> String {
    format!("{}/s", thousands(rate.round()))
}
