//! From what the load generator reports to what a results folder holds.
//!
//! Times become microseconds, and whatever there is no figure for becomes `null`: never zero, never NaN.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use hdrhistogram::Histogram;
use photofinish_judge::checks::{self, Schedule};
use photofinish_judge::steady;
use photofinish_load::{ErrorKind, Outcome, SliceStalls};
use photofinish_model as model;
use photofinish_model::{Latency, Measurement};

use crate::turns::stalls::{self, StallSum};

/// Adds an outcome to what there is so far.
pub(crate) fn add(sum: &mut Option<Outcome>, more: Outcome) {
    match sum {
        None => *sum = Some(more),
        Some(sum) => sum.add(&more),
    }
}

/// [`model::STANDSTILL_US`] as a duration.
pub(crate) const STANDSTILL: Duration = Duration::from_micros(model::STANDSTILL_US as u64);

/// What one load run came to. Its checks are made when all is known that they are made from.
pub(crate) fn measurement(outcome: &Outcome, load: &model::Load) -> Measurement {
    let seconds = outcome.duration.as_secs_f64();
    // How long it took until a connection was lost is no response time; how long nothing came is the least that one would have been.
    let lost = outcome.errors.iter().filter(|(kind, _)| kind.is_lost());
    let responded = outcome.requests > lost.map(|(_, count)| count).sum();
    let mut measurement = Measurement {
        requests: outcome.requests,
        errors: by_kind(&outcome.errors),
        failed_connects: by_kind(&outcome.unopened),
        closed_idle: by_kind(&outcome.idle_ends),
        first_error: outcome.first_error.as_ref().map(|first| model::FirstError {
            says: first.to_string(),
            at_s: outcome.first_error_at.map(|at| at.as_secs_f64()),
        }),
        duration_s: seconds,
        throughput_rps: ratio(outcome.responses_in_window as f64, seconds).unwrap_or(0.0),
        latency_us: responded.then(|| latency(&outcome.latency)).flatten(),
        service_us: responded.then(|| latency(&outcome.service)).flatten(),
        bytes_in: outcome.bytes_in,
        bytes_out: outcome.bytes_out,
        load: load.clone(),
        // Known with the exchange, when the checks are made.
        streams: 1,
        mute: outcome.mute,
        drained: outcome.drained,
        edges: Some(model::Edges {
            carried_s: outcome.carried.as_secs_f64(),
            outlasted_s: outcome.outlasted.as_secs_f64(),
            idle_s: outcome.idle.as_secs_f64(),
            firsts: outcome.firsts,
        }),
        stalls: Some(stalls(outcome)),
        censored: outcome.censored,
        overloaded: None,
        changed: outcome.changed,
        lead_in_requests: outcome.lead_in_requests,
        status: (outcome.status.iter())
            .map(|(status, count)| (status.to_string(), *count))
            .collect(),
        connects: outcome.connects,
        reconnects: outcome.reconnects,
        opening: Some(opening(&outcome.opening)),
        generator: generator(outcome),
        generators: parts(outcome, load),
        windows: outcome.windows.clone(),
        steadiness: None,
        checks: Vec::new(),
        capacity: None,
    };
    measurement.steadiness = steady::steadiness(&measurement, &[]);
    measurement.overloaded = outcome.offered.and_then(|offered| {
        let sent_late = outcome.sent_late;
        checks::overloaded(&measurement, Schedule { offered, sent_late })
    });
    measurement
}

/// How many there were of each kind that there is, by its name.
fn by_kind(errors: &BTreeMap<ErrorKind, u64>) -> BTreeMap<String, u64> {
    let errors = errors.iter().filter(|(_, count)| **count > 0);
    errors
        .map(|(kind, count)| (kind.name().to_owned(), *count))
        .collect()
}

/// How long the server stalled in a continuous run, in which stalls take the share of the window that they take.
fn stalls(outcome: &Outcome) -> model::Stalls {
    let limit = stalls::limit(outcome.usual_service());
    let found = outcome.stalls(limit);
    let within = SliceStalls {
        loaded_flow: found.flow,
        loaded_stalled: outcome.duration.saturating_sub(found.flow),
        ..found
    };
    let mut sum = StallSum::default();
    sum.add(outcome, &within);
    let flow_rps = ratio(outcome.responses_in_window as f64, found.flow.as_secs_f64());
    recorded(&sum, limit, flow_rps.unwrap_or(0.0))
}

/// The stalls of a server with so many responses per second while they flow.
pub(crate) fn recorded(sum: &StallSum, limit: Duration, flow_rps: f64) -> model::Stalls {
    model::Stalls {
        longer_than_s: limit.as_secs_f64(),
        flow_s: sum.flow.as_secs_f64(),
        stalled_s: sum.stalled.as_secs_f64(),
        count: sum.count,
        longest_s: sum
            .longest
            .map_or(0.0, |(longest, _)| longest.as_secs_f64()),
        longest_at: sum.longest.map(|(_, at)| rfc3339(at)),
        flow_rps,
    }
}

/// What each of several generators measured.
fn parts(outcome: &Outcome, load: &model::Load) -> Vec<model::GeneratorPart> {
    let part = |part: &photofinish_load::Part| {
        let of = part.outcome.outcome();
        // It has its own connections of an open or closed loop; rates are known from what fell due.
        let own = measurement(&of, &load.with_connections(part.connections));
        model::GeneratorPart {
            machine: part.machine.clone(),
            connections: part.connections,
            requests: own.requests,
            errors: own.failures(),
            throughput_rps: own.throughput_rps,
            latency_us: own.latency_us,
            limited: checks::is_limited(&own, us(of.clock_step)),
            generator: own.generator,
            astray: of.astray,
            // Known to whoever knows the machines.
            shares_server: false,
            clock_ahead_us: part.clock.nanos as f64 / 1e3,
            clock_uncertain_us: us(part.clock.uncertain),
        }
    };
    outcome.parts.iter().map(part).collect()
}

fn opening(opening: &photofinish_load::Opening) -> model::Opening {
    let opened = |histogram: &Histogram<u64>| {
        Some(model::Opened {
            count: histogram.len(),
            us: latency(histogram)?,
        })
    };
    model::Opening {
        connect: opened(&opening.connect),
        tls_full: opened(&opening.full),
        tls_resumed: opened(&opening.resumed),
    }
}

fn generator(outcome: &Outcome) -> model::Generator {
    let total: Duration = outcome.thread_cpu.iter().sum();
    let busiest = outcome.thread_cpu.iter().max().copied().unwrap_or_default();
    let arrival_clock = match outcome.kernel_timestamps {
        true => model::ArrivalClock::Kernel,
        false => model::ArrivalClock::Reading,
    };
    model::Generator {
        threads: outcome.thread_cpu.len() as u32,
        cpu_us_per_request: ratio(us(total), responses_in_window(outcome) as f64),
        cpu_utilisation: ratio(busiest.as_secs_f64(), outcome.duration.as_secs_f64())
            .unwrap_or(0.0),
        lag_us: outcome.lag.as_ref().and_then(lag),
        turnaround_us: outcome.turnaround.map(us),
        achieved_ratio: match outcome.offered {
            Some(offered) => {
                ratio(outcome.responses_in_window as f64, offered as f64).unwrap_or(1.0)
            }
            None => 1.0,
        },
        arrival_clock,
        late: late(outcome),
        stood_still: None,
        throttled_share: None,
    }
}

fn late(outcome: &Outcome) -> Option<model::Late> {
    let late = outcome.late.as_ref()?;
    let in_time = outcome.latency_in_time()?;
    Some(model::Late {
        requests: late.requests(),
        longest_us: us(late.longest),
        p99_in_time_us: latency(&in_time).map(|latency| latency.p99),
    })
}

/// How long a core stalled, from how late a thread that only sleeps woke on it, in nanoseconds.
pub(crate) fn stood_still(late: &Histogram<u64>) -> model::StoodStill {
    let stops = late.iter_recorded().filter_map(|at| {
        let late = Duration::from_nanos(at.value_iterated_to());
        (late >= STANDSTILL).then(|| us(late) * at.count_at_value() as f64)
    });
    let longest = Duration::from_nanos(late.max());
    model::StoodStill {
        longest_us: if longest >= STANDSTILL {
            us(longest)
        } else {
            0.0
        },
        // The sum of nothing is -0.
        total_us: stops.sum::<f64>() + 0.0,
    }
}

/// Responses that took the generator's and the server's work within the window: good ones, and those that were not as expected.
pub(crate) fn responses_in_window(outcome: &Outcome) -> u64 {
    let wrong = outcome.errors.iter().filter(|(kind, _)| kind.is_response());
    outcome.responses_in_window + wrong.map(|(_, count)| count).sum::<u64>()
}

/// Responses to all requests, the lead-in's too.
pub(crate) fn responses_in_all(outcome: &Outcome) -> u64 {
    let lost = outcome.errors.iter().filter(|(kind, _)| kind.is_lost());
    let lost: u64 = lost.map(|(_, count)| count).sum();
    outcome.sent.saturating_sub(outcome.censored + lost)
}

/// A histogram of nanoseconds; `None` if it is empty.
fn latency(histogram: &Histogram<u64>) -> Option<Latency> {
    if histogram.is_empty() {
        return None;
    }
    let at = |quantile: f64| histogram.value_at_quantile(quantile) as f64 / 1e3;
    Some(Latency {
        mean: histogram.mean() / 1e3,
        min: histogram.min() as f64 / 1e3,
        p50: at(0.5),
        p90: at(0.9),
        p95: at(0.95),
        p99: at(0.99),
        p999: at(0.999),
        max: histogram.max() as f64 / 1e3,
    })
}

/// The same for how late something was.
pub(crate) fn lag(histogram: &Histogram<u64>) -> Option<model::Lag> {
    latency(histogram).map(|l| model::Lag {
        mean: l.mean,
        p50: l.p50,
        p99: l.p99,
        max: l.max,
    })
}

/// A moment as RFC 3339 in UTC, to the millisecond.
pub(crate) fn rfc3339(at: SystemTime) -> String {
    // Beyond the years that jiff knows the clock is not set; the epoch says so plainly.
    let at = jiff::Timestamp::try_from(at).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    format!("{at:.3}")
}

/// Microseconds.
pub(crate) fn us(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

/// A quotient; `None` if it is not a number.
pub(crate) fn ratio(of: f64, over: f64) -> Option<f64> {
    let ratio = of / over;
    (over > 0.0 && ratio.is_finite()).then_some(ratio)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake;

    #[test]
    fn figures_are_those_of_the_outcome() {
        let mut outcome = fake::outcome(
            10,
            Duration::from_secs(2),
            40_000,
            Duration::from_micros(480),
        );
        outcome.thread_cpu = vec![Duration::from_millis(400), Duration::from_millis(1_000)];
        outcome.status = BTreeMap::from([(200, 40_000)]);
        let got = measurement(&outcome, &model::Load::Closed { connections: 10 });
        assert_eq!(got.requests, 40_000);
        assert_eq!(got.throughput_rps, 20_000.0);
        let latency = got.latency_us.expect("latency");
        // 3 significant digits.
        assert!((latency.p50 - 480.0).abs() < 0.5, "{latency:?}");
        assert!((latency.mean - 480.0).abs() < 0.5, "{latency:?}");
        assert_eq!(got.generator.cpu_us_per_request, Some(35.0));
        assert_eq!(got.generator.cpu_utilisation, 0.5);
        assert_eq!(got.generator.threads, 2);
        assert_eq!(got.status, BTreeMap::from([("200".to_owned(), 40_000)]));
    }

    #[test]
    fn a_core_stands_still_from_5_ms_on() {
        let mut late = Histogram::new_with_bounds(1, 60_000_000_000, 3).expect("bounds");
        late.record_n(20_000, 5_000).expect("in bounds");
        late.record_n(4_000_000, 3).expect("in bounds");
        let never = model::StoodStill {
            longest_us: 0.0,
            total_us: 0.0,
        };
        assert_eq!(stood_still(&late), never);
        // Two stops of 10 ms and one of 70.
        late.record_n(10_000_000, 2).expect("in bounds");
        late.record(70_000_000).expect("in bounds");
        let still = stood_still(&late);
        // 3 significant digits.
        assert!((still.longest_us - 70_000.0).abs() < 70.0, "{still:?}");
        assert!((still.total_us - 90_000.0).abs() < 90.0, "{still:?}");
    }

    #[test]
    fn what_was_sent_late_is_carried_over() {
        let second = Duration::from_secs(1);
        let mut outcome = fake::outcome(10, second, 1_000, Duration::from_millis(1));
        let load = model::Load::Closed { connections: 10 };
        assert_eq!(measurement(&outcome, &load).generator.late, None);
        // 30 more took 500 ms, 498 of them by the generator's doing.
        let of = |ms: u64, count| {
            let mut histogram = outcome.latency.clone();
            histogram.reset();
            histogram
                .record_n(ms * 1_000_000, count)
                .expect("in bounds");
            histogram
        };
        let late = photofinish_load::Late {
            latency: of(500, 30),
            without: of(2, 30),
            unsent: of(100, 0),
            longest: Duration::from_millis(498),
        };
        outcome.latency.add(&late.latency).expect("in bounds");
        outcome.late = Some(late);
        let got = measurement(&outcome, &load);
        assert!(got.latency_us.expect("latency").p99 > 499_000.0);
        let late = got.generator.late.expect("some were late");
        assert_eq!((late.requests, late.longest_us), (30, 498_000.0));
        let p99 = late.p99_in_time_us.expect("some are left");
        assert!((p99 - 2_000.0).abs() < 2.0, "{p99}");
    }

    #[test]
    fn nothing_measured_is_null_and_no_nan() {
        let outcome = fake::outcome(1, Duration::ZERO, 0, Duration::ZERO);
        let got = measurement(&outcome, &model::Load::Closed { connections: 1 });
        assert_eq!(got.latency_us, None);
        assert_eq!(got.generator.cpu_us_per_request, None);
        assert_eq!(got.throughput_rps, 0.0);
        // serde_json writes a NaN as null where a number belongs, which would not read back.
        let text = serde_json::to_string(&got).expect("JSON");
        assert_eq!(
            serde_json::from_str::<Measurement>(&text).expect("reads back"),
            got
        );
    }

    #[test]
    fn moments_are_utc() {
        let at = SystemTime::UNIX_EPOCH + Duration::from_millis(1_700_000_000_250);
        assert_eq!(rfc3339(at), "2023-11-14T22:13:20.250Z");
    }
}
