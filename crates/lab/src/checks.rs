//! The honesty rules, as far as one measurement alone can tell.

use photofinish_load::config::Exchange;
use photofinish_load::outcome::Outcome;
use photofinish_results::model::{Check, Load, Measurement, Overloaded, check};
use photofinish_results::steady;
use photofinish_results::units::thousands;

use crate::convert::us;
use crate::quiet;

/// How far Little's law may be off.
const TOLERANCE: f64 = 0.05;
/// The law counts those answers that arrive within the window, the mean latency those requests that
/// were due in it. They differ by what was in flight at both ends: at most about two mean latencies'
/// worth of requests, which is the whole tolerance when the mean is a fortieth of the window.
const MEAN_OVER_WINDOW: f64 = 1.0 / 40.0;
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

/// All rules in their order, for one load run.
pub(crate) fn of_one_run(measurement: &Measurement, outcome: &Outcome) -> Vec<Check> {
    check::ALL
        .iter()
        .map(|name| {
            let (ok, says) = match *name {
                check::LITTLES_LAW => littles_law(measurement, outcome),
                check::GENERATOR => generator(measurement, outcome),
                check::ERRORS => errors(measurement, outcome),
                check::STEADY => steady::within(&measurement.windows),
                check::QUIET => quiet::judge(None),
                _ => (None, "not checked for one load run".to_owned()),
            };
            Check {
                name: (*name).to_owned(),
                ok,
                says,
            }
        })
        .collect()
}

type Verdict = (Option<bool>, String);

/// Connections = rate at which requests end × mean time of a connection's cycle (Little 1961).
fn littles_law(measurement: &Measurement, outcome: &Outcome) -> Verdict {
    let Load::Closed { connections } = measurement.load else {
        return (
            None,
            "not checked: an open loop has no fixed number in flight".to_owned(),
        );
    };
    let Some(latency) = measurement.latency_us else {
        return (None, "not checked: no request came to an end".to_owned());
    };
    let failed: u64 = measurement.errors.values().sum();
    if failed * 2 > measurement.requests {
        let (attempts, noun) = measurement.attempts();
        let says = format!("not checked: {failed} of {attempts} {noun} failed");
        return (None, says);
    }
    let window = us(outcome.duration);
    if latency.mean > window * MEAN_OVER_WINDOW {
        let says = format!(
            "not checked: the window of {:.3} s is shorter than 40 times the mean latency of {:.3} s",
            window / 1e6,
            latency.mean / 1e6
        );
        return (None, says);
    }
    let rate = measurement.throughput_rps + failed as f64 / outcome.duration.as_secs_f64();
    let turnaround = measurement.generator.turnaround_us.unwrap_or(0.0);
    let in_flight = rate * (latency.mean + turnaround) / 1e6;
    let off = in_flight / f64::from(connections) - 1.0;
    let says = format!(
        "{rate:.0}/s × ({:.1} + {turnaround:.1}) µs = {in_flight:.1} of {connections} connections ({:+.1}%)",
        latency.mean,
        off * 100.0
    );
    (Some(off.abs() <= TOLERANCE), says)
}

/// Neither the generator's CPU, nor its turnaround, nor its schedule limited what was measured.
fn generator(measurement: &Measurement, outcome: &Outcome) -> Verdict {
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

/// No errors and no timeouts; else each kind counted.
fn errors(measurement: &Measurement, outcome: &Outcome) -> Verdict {
    let failed: u64 = measurement.errors.values().sum();
    if measurement.requests == 0 {
        let why = outcome.first_error.as_deref().unwrap_or("none was sent");
        return (Some(false), format!("no request came to an end: {why}"));
    }
    if failed == 0 {
        return (
            Some(true),
            format!("all {} answers as expected", measurement.requests),
        );
    }
    let kinds: Vec<String> = (measurement.errors.iter())
        .map(|(kind, count)| format!("{kind} {count}"))
        .collect();
    let first = match &outcome.first_error {
        Some(error) => format!("; the first: {error}"),
        None => String::new(),
    };
    let (attempts, noun) = measurement.attempts();
    let says = format!(
        "{failed} of {attempts} {noun} failed: {}{first}",
        kinds.join(", ")
    );
    (Some(false), says)
}

/// As many bytes came and went as so many answers and requests must have.
pub(crate) fn bytes(measurement: &Measurement, exchange: &Exchange) -> Verdict {
    let failed: u64 = measurement.errors.values().sum();
    if failed > 0 {
        let says = "not checked: nobody can tell the bytes of requests that failed";
        return (None, says.to_owned());
    }
    let requests = measurement.requests;
    let (came, went) = (measurement.bytes_in, measurement.bytes_out);
    match exchange {
        Exchange::Echo { size } => {
            let expected = requests * *size as u64;
            let says = format!(
                "{requests} echoes × {size} bytes = {expected} bytes; {came} came, {went} went"
            );
            (Some(came == expected && went == expected), says)
        }
        Exchange::Http { expect, .. } => {
            let Some(body) = &expect.body else {
                let says = "not checked: the bytes of an answer are not stated";
                return (None, says.to_owned());
            };
            // A head is longer than its status line, and may differ from answer to answer.
            let least = requests * (body.len() + STATUS_LINE.len()) as u64;
            let says = format!(
                "{requests} answers × {} bytes of body and a head of at least {} = at least {least} bytes; {came} came",
                body.len(),
                STATUS_LINE.len()
            );
            (Some(came >= least), says)
        }
    }
}

/// The shortest head of an answer.
const STATUS_LINE: &str = "HTTP/1.1 200\r\n\r\n";

/// Puts a rule's outcome in the place of the one that was there.
pub(crate) fn replace(checks: &mut [Check], name: &str, ok: Option<bool>, says: String) {
    for check in checks.iter_mut().filter(|check| check.name == name) {
        check.ok = ok;
        check.says.clone_from(&says);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::Duration;

    use photofinish_load::outcome::ErrorKind;
    use photofinish_results::model::{Arrivals, check};

    use super::*;
    use crate::{convert, fake};

    const S: Duration = Duration::from_secs(1);

    fn closed(connections: u32) -> Load {
        Load::Closed { connections }
    }

    fn of(name: &str, outcome: &Outcome, load: &Load) -> (Option<bool>, String) {
        let measurement = convert::measurement(outcome, load);
        let check = measurement
            .checks
            .into_iter()
            .find(|c| c.name == name)
            .expect("check");
        (check.ok, check.says)
    }

    #[test]
    fn littles_law_holds_when_the_cycle_fills_the_connections() {
        // 20,000/s × (480 + 20) µs = 10 connections.
        let mut outcome = fake::outcome(10, S, 20_000, Duration::from_micros(480));
        outcome.turnaround = Some(Duration::from_micros(20));
        let (ok, says) = of(check::LITTLES_LAW, &outcome, &closed(10));
        assert_eq!(ok, Some(true), "{says}");
        assert!(says.starts_with("20000/s × (480."), "{says}");
        assert!(says.contains("= 10.0 of 10 connections (+0."), "{says}");
        // The same answers from 11 connections: 9% of them are unaccounted for.
        let (ok, says) = of(check::LITTLES_LAW, &outcome, &closed(11));
        assert_eq!(ok, Some(false), "{says}");
    }

    #[test]
    fn littles_law_is_not_claimed_where_it_cannot_be_checked() {
        let long = fake::outcome(10, S, 300, Duration::from_millis(30));
        assert_eq!(of(check::LITTLES_LAW, &long, &closed(10)).0, None);
        let empty = fake::outcome(10, S, 0, Duration::ZERO);
        assert_eq!(of(check::LITTLES_LAW, &empty, &closed(10)).0, None);
        let mut failing = fake::outcome(10, S, 20_000, Duration::from_micros(480));
        failing.errors = BTreeMap::from([(ErrorKind::Status, 11_000)]);
        assert_eq!(of(check::LITTLES_LAW, &failing, &closed(10)).0, None);
    }

    #[test]
    fn a_busy_generator_is_the_limit() {
        let mut outcome = fake::outcome(100, S, 100_000, Duration::from_millis(1));
        outcome.thread_cpu = vec![S * 94 / 100, S / 2];
        assert_eq!(of(check::GENERATOR, &outcome, &closed(100)).0, Some(true));
        outcome.thread_cpu = vec![S / 2, S * 95 / 100];
        let (ok, says) = of(check::GENERATOR, &outcome, &closed(100));
        assert_eq!(ok, Some(false));
        assert!(says.contains("used 95% of a core"), "{says}");
    }

    #[test]
    fn turnaround_limits_only_where_the_server_runs_out_of_work() {
        // One connection: 80 µs at the server, 20 µs with the generator.
        let mut one = fake::outcome(1, S, 10_000, Duration::from_micros(80));
        one.turnaround = Some(Duration::from_micros(20));
        let (ok, says) = of(check::GENERATOR, &one, &closed(1));
        assert_eq!(ok, Some(false));
        assert!(says.contains("up to 25% more"), "{says}");
        // Twenty connections with the same shares: 16 requests are always at the server.
        let mut many = fake::outcome(20, S, 200_000, Duration::from_micros(80));
        many.turnaround = Some(Duration::from_micros(20));
        assert_eq!(of(check::GENERATOR, &many, &closed(20)).0, Some(true));
    }

    #[test]
    fn an_open_loop_must_achieve_its_rate() {
        let open = Load::Open {
            rate: 1_000.0,
            arrivals: Arrivals::Poisson,
            connections: 10,
        };
        let mut outcome = fake::outcome(10, S, 1_000, Duration::from_micros(100));
        outcome.offered = Some(1_005);
        assert_eq!(of(check::GENERATOR, &outcome, &open).0, Some(true));
        outcome.offered = Some(1_500);
        let (ok, says) = of(check::GENERATOR, &outcome, &open);
        assert_eq!(ok, Some(false));
        assert!(says.contains("66.7% of the offered rate"), "{says}");
        assert!(
            says.starts_with("overloaded: 1,000/s of 1,500/s offered were achieved"),
            "{says}"
        );
        let told = convert::measurement(&outcome, &open).overloaded;
        let expected = Overloaded {
            offered_rps: 1_500.0,
            achieved_rps: 1_000.0,
        };
        assert_eq!(told, Some(expected));
        // One of twenty still in flight at the end is no shortfall.
        let mut few = fake::outcome(10, S, 19, Duration::from_millis(50));
        few.offered = Some(20);
        assert_eq!(of(check::GENERATOR, &few, &open).0, Some(true));
        assert_eq!(convert::measurement(&few, &open).overloaded, None);
    }

    #[test]
    fn a_queue_that_grows_for_the_whole_window_is_overload() {
        // 1,000/s offered for a second and 900 answered: the last waits 100/900 s, the mean half of it.
        let open = Load::Open {
            rate: 1_000.0,
            arrivals: Arrivals::Constant,
            connections: 10,
        };
        let mut outcome = fake::outcome(10, S, 900, Duration::from_micros(55_556));
        outcome.offered = Some(1_000);
        let told = convert::measurement(&outcome, &open).overloaded;
        assert_eq!(told.map(|o| o.achieved_rps), Some(900.0));
    }

    #[test]
    fn a_stepped_clock_spoils_kernel_timestamps() {
        let mut outcome = fake::outcome(10, S, 20_000, Duration::from_micros(480));
        outcome.clock_step = Duration::from_micros(4);
        assert_eq!(of(check::GENERATOR, &outcome, &closed(10)).0, Some(true));
        outcome.clock_step = Duration::from_millis(2);
        assert_eq!(of(check::GENERATOR, &outcome, &closed(10)).0, Some(false));
    }

    #[test]
    fn errors_are_counted_by_kind() {
        let mut outcome = fake::outcome(10, S, 20_000, Duration::from_micros(480));
        assert_eq!(of(check::ERRORS, &outcome, &closed(10)).0, Some(true));
        outcome.errors = BTreeMap::from([(ErrorKind::Timeout, 3), (ErrorKind::Reset, 2)]);
        outcome.first_error = Some("reset by the server".to_owned());
        let (ok, says) = of(check::ERRORS, &outcome, &closed(10));
        assert_eq!(ok, Some(false));
        assert!(says.starts_with("5 of 20000 requests failed: "), "{says}");
        assert!(
            says.contains("timeout 3") && says.contains("reset 2"),
            "{says}"
        );
        let none = fake::outcome(10, S, 0, Duration::ZERO);
        assert_eq!(of(check::ERRORS, &none, &closed(10)).0, Some(false));
    }

    #[test]
    fn echoes_have_exactly_the_bytes_of_their_messages() {
        let outcome = fake::outcome(10, S, 20_000, Duration::from_micros(480));
        let mut measurement = convert::measurement(&outcome, &closed(10));
        let echo = Exchange::Echo { size: 100 };
        // The fake's answers have 100 bytes and its requests 40.
        assert_eq!(bytes(&measurement, &echo).0, Some(false));
        measurement.bytes_out = 2_000_000;
        let (ok, says) = bytes(&measurement, &echo);
        assert_eq!(ok, Some(true), "{says}");
        assert!(
            says.starts_with("20000 echoes × 100 bytes = 2000000 bytes"),
            "{says}"
        );
        measurement.bytes_in += 1;
        assert_eq!(bytes(&measurement, &echo).0, Some(false));
        measurement.errors.insert("timeout".to_owned(), 1);
        assert_eq!(bytes(&measurement, &echo).0, None);
    }

    #[test]
    fn every_rule_is_named_and_none_is_claimed_unchecked() {
        let outcome = fake::outcome(10, S, 20_000, Duration::from_micros(480));
        let checks = convert::measurement(&outcome, &closed(10)).checks;
        let names: Vec<&str> = checks.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, check::ALL);
        for check in checks.iter().filter(|c| c.says.starts_with("not checked")) {
            assert_eq!(check.ok, None);
        }
    }
}
