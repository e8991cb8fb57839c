//! What `photofinish load` prints of one run.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use photofinish_model::samples::{self, assert_contains};
use photofinish_model::{
    ArrivalClock, Arrivals, Check, FirstError, Load, Measurement, Overloaded, check,
};
use photofinish_report::{Detail, Screen, load};
use photofinish_voice::checks;

/// What a run of that many response times prints.
fn drawn(measurement: &Measurement, detail: Detail, width: usize) -> String {
    let mut times = Histogram::new(3).expect("three digits");
    times.record_n(500_000, 900).expect("in range");
    times.record_n(1_500_000, 100).expect("in range");
    load(measurement, &times, detail, Screen::plain(width))
}

/// The ending, which has at most twelve lines and the verdict first, and what `-v` adds.
fn both(measurement: &Measurement, width: usize) -> String {
    let drawn = |detail| drawn(measurement, detail, width);
    let (verdict, ending) = (drawn(Detail::Verdict), drawn(Detail::Ending));
    let first = verdict.lines().next().expect("a line");
    assert!(ending.starts_with(first), "{ending}");
    let figures = ending.split("\n\nhistogram").next().expect("figures");
    assert!(figures.lines().count() <= 12, "{ending}");
    format!("{ending}{}\n{}", "=".repeat(width), drawn(Detail::Tables))
}

#[test]
fn a_clean_run() {
    insta::assert_snapshot!(both(&samples::measurement(200_000.0), 100));
}

#[test]
fn an_open_loop_with_errors() {
    let mut measurement = samples::measurement(4_000.0);
    measurement.load = Load::Open {
        rate: 5000.0,
        arrivals: Arrivals::Poisson,
        connections: 100,
    };
    let mut service = measurement.latency_us.expect("times");
    service.p99 /= 2.0;
    measurement.service_us = Some(service);
    measurement.errors = BTreeMap::from([("reset".to_owned(), 12), ("timeout".to_owned(), 3)]);
    measurement.censored = 3;
    measurement.generator.achieved_ratio = 0.8;
    measurement.generator.turnaround_us = None;
    measurement.generator.lag_us = None;
    measurement.generator.arrival_clock = ArrivalClock::Reading;
    measurement.checks = vec![
        Check {
            name: check::LITTLES_LAW.to_owned(),
            ok: None,
            says: None,
        },
        Check {
            name: check::STEADY.to_owned(),
            ok: None,
            says: None,
        },
        Check {
            name: check::NOISE_FLOOR.to_owned(),
            ok: None,
            says: None,
        },
        Check {
            name: check::GENERATOR.to_owned(),
            ok: Some(false),
            says: Some(checks::achieved(0.8)),
        },
    ];
    insta::assert_snapshot!(both(&measurement, 80));
}

#[test]
fn a_window_of_few_response_times_is_doubted() {
    let short = |duration_s: f64, drained: u64| {
        let mut measurement = samples::measurement(8.0);
        measurement.load = Load::Closed { connections: 4 };
        measurement.duration_s = duration_s;
        measurement.drained = drained;
        measurement.checks.clear();
        if let Some(latency) = &mut measurement.latency_us {
            latency.mean = 500_000.0;
        }
        let text = drawn(&measurement, Detail::Ending, 200);
        (
            text.contains("with care"),
            text.contains("only 2.00 response times long"),
        )
    };
    assert_eq!(short(1.0, 4), (true, true));
    assert_eq!(short(6.0, 4), (false, false));
    // A run by number has no request that its window cuts in two.
    assert_eq!(short(1.0, 0), (false, false));
}

#[test]
fn how_many_connections_a_rate_needs_is_said() {
    // 100 ms a response: 10/s over a connection with one request in flight, 40/s with four.
    let says = |connections: u32, streams: u32, achieved: f64| {
        let mut measurement = samples::measurement(achieved);
        measurement.load = Load::Open {
            rate: 1_000.0,
            arrivals: Arrivals::Poisson,
            connections,
        };
        measurement.streams = streams;
        let mut service = measurement.latency_us.expect("times");
        service.mean = 100_000.0;
        measurement.service_us = Some(service);
        measurement.overloaded = Some(Overloaded {
            offered_rps: 1_000.0,
            achieved_rps: achieved,
        });
        drawn(&measurement, Detail::Ending, 300)
    };
    let carried = |text: &str| text.contains("can carry no more at this service time");
    let one = says(1, 1, 10.0);
    assert!(
        one.contains("achieved 10/s of 1,000/s offered: 1 connection can carry no more")
            && one.contains("100 or more would do"),
        "{one}"
    );
    let streams = says(2, 4, 79.0);
    assert!(
        carried(&streams) && streams.contains("25 or more would do"),
        "{streams}"
    );
    // Places were free: more of them would not help.
    let free = says(100, 1, 500.0);
    assert!(
        !carried(&free) && free.contains("achieved 500/s of 1,000/s offered"),
        "{free}"
    );
}

#[test]
fn no_number_of_connections_is_named_for_a_server_that_is_gone() {
    let mut measurement = samples::measurement(40.0);
    measurement.load = Load::Open {
        rate: 100.0,
        arrivals: Arrivals::Poisson,
        connections: 4,
    };
    let mut service = measurement.latency_us.expect("times");
    service.mean = 100_000.0;
    measurement.service_us = Some(service);
    measurement.overloaded = Some(Overloaded {
        offered_rps: 100.0,
        achieved_rps: 40.0,
    });
    let drawn = |measurement: &Measurement| drawn(measurement, Detail::Ending, 300);
    assert!(drawn(&measurement).contains("10 or more would do"));
    measurement.checks.push(Check {
        name: check::AVAILABLE.to_owned(),
        ok: Some(false),
        says: Some(checks::unavailable(3.1e6, 5e6)),
    });
    let text = drawn(&measurement);
    assert!(
        text.contains("achieved 40/s of 100/s offered; the response times")
            && text.contains("unavailable for 3.10 s"),
        "{text}"
    );
}

#[test]
fn an_open_window_without_a_response_is_doubted() {
    let mut measurement = samples::measurement(0.0);
    measurement.load = Load::Open {
        rate: 10.0,
        arrivals: Arrivals::Poisson,
        connections: 4,
    };
    measurement.throughput_rps = 0.0;
    measurement.drained = 2;
    measurement.checks.clear();
    let text = drawn(&measurement, Detail::Ending, 200);
    assert!(
        text.contains("with care") && text.contains("response times long"),
        "{text}"
    );
}

#[test]
fn connections_without_any_response_are_said() {
    let says = |mute: u64| {
        let mut measurement = samples::measurement(1_000.0);
        measurement.load = Load::Closed { connections: 40 };
        measurement.mute = mute;
        drawn(&measurement, Detail::Ending, 200)
    };
    let few = says(30);
    assert_contains(
        &few,
        "30 of 40 connections had none at all: the server may hold fewer",
    );
    assert!(!says(0).contains("had none at all"));
}

#[test]
fn the_first_error_is_said_without_being_asked_for() {
    let mut measurement = samples::measurement(1_000.0);
    measurement.errors = BTreeMap::from([("reset".to_owned(), 12)]);
    measurement.first_error = Some(FirstError {
        says: "the server ended the stream: REFUSED_STREAM".to_owned(),
        at_s: Some(0.5),
    });
    assert_contains(&drawn(&measurement, Detail::Ending, 200), "REFUSED_STREAM");
}

#[test]
fn a_run_without_any_response() {
    let mut measurement = samples::measurement(0.001);
    measurement.throughput_rps = 0.0;
    measurement.requests = 0;
    measurement.latency_us = None;
    measurement.service_us = None;
    measurement.status.clear();
    measurement.checks.clear();
    insta::assert_snapshot!(both(&measurement, 80));
}

/// What the server did of a status that no response had to count, as a WebSocket that is refused.
#[test]
fn no_empty_list_of_statuses_is_printed() {
    let mut measurement = samples::measurement(1_000.0);
    measurement.status.clear();
    measurement.errors = BTreeMap::from([("status".to_owned(), 4)]);
    let ending = drawn(&measurement, Detail::Ending, 100);
    assert_contains(&ending, "4 with an unexpected status\n");
    assert!(!ending.contains("all responses"), "{ending}");
}

#[test]
fn bodies_that_changed_are_named() {
    let mut measurement = samples::measurement(1_000.0);
    measurement.changed = 500;
    measurement.checks = vec![Check {
        name: check::BODY_LENGTH.to_owned(),
        ok: Some(false),
        says: Some(checks::other_length(500_u64, 1_000_u64, 0.5, None)),
    }];
    let ending = drawn(&measurement, Detail::Ending, 120);
    assert_contains(
        &ending,
        "changed    500 of 1,000 responses (50.0%) had a body of another length than the first ones",
    );
}
