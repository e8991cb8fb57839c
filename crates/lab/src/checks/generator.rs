//! Whether the load generator, and not the server, was the limit.

use photofinish_load::outcome::{ErrorKind, Outcome};
use photofinish_model::units::thousands;
use photofinish_model::{Load, Measurement, Overloaded};

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
/// So many times what a server that keeps up has in its hands is a queue that grew.
const GROWN: f64 = 1.5;
/// Standard deviations that chance may add to it: it reaches them in one run of a thousand.
const CHANCE: f64 = 3.0;
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

/// Whether requests of an open loop came in faster than they were answered, well or badly: what was offered and had no end
/// when the window closed is more than a server that keeps up has in its hands, which is its rate × its service time
/// (Little's law).
///
/// A request that still waited to be sent has no service time yet, so that a queue in the generator counts in full. A queue
/// in the server that grows at a steady pace is twice as long at the end as the mean time in it makes it: [`GROWN`]
/// lies between.
pub(crate) fn overloaded(measurement: &Measurement, outcome: &Outcome) -> Option<Overloaded> {
    let offered = outcome.offered? as f64;
    let ended = outcome.answers_in_window + failed(outcome);
    // One that was late on its way stood in no queue: a machine that stands still for a moment is not overloaded.
    let missing = offered - ended as f64 - outcome.sent_late as f64;
    let service_s = measurement.service_us.map_or(0.0, |s| s.mean / 1e6);
    let in_service = rate_at_the_end(outcome).unwrap_or(measurement.throughput_rps) * service_s;
    // Arrivals by chance: their number in a given time has its mean for variance.
    let allowed = GROWN * in_service + CHANCE * in_service.sqrt() + 1.0;
    let short = missing > allowed && (ended as f64) < ACHIEVED * offered;
    let seconds = outcome.duration.as_secs_f64();
    (short && seconds > 0.0).then(|| Overloaded {
        offered_rps: offered / seconds,
        achieved_rps: measurement.throughput_rps,
    })
}

/// Requests that came to a bad end by themselves: they stand in no queue.
fn failed(outcome: &Outcome) -> u64 {
    let ended = |kind: &ErrorKind| match kind {
        ErrorKind::Status | ErrorKind::Body | ErrorKind::Malformed | ErrorKind::Unasked => true,
        ErrorKind::Reset | ErrorKind::Closed | ErrorKind::Io => true,
        ErrorKind::Timeout | ErrorKind::Censored => false,
        // No request at all.
        ErrorKind::ConnectRefused | ErrorKind::ConnectTimeout | ErrorKind::Connect => false,
    };
    let errors = outcome.errors.iter();
    errors.filter(|(kind, _)| ended(kind)).map(|(_, n)| n).sum()
}

/// Answers per second in the last window that is long enough to tell: at the first, and in a ramp, there were others.
fn rate_at_the_end(outcome: &Outcome) -> Option<f64> {
    let whole = outcome.windows.first()?.duration;
    let last = (outcome.windows.iter().rev()).find(|window| window.duration * 2 >= whole)?;
    let seconds = last.duration.as_secs_f64();
    (seconds > 0.0).then(|| last.answers as f64 / seconds)
}

/// A rate in words.
fn per_second(rate: f64) -> String {
    format!("{}/s", thousands(rate.round()))
}
