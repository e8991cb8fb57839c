//! Each check against figures whose outcome follows from arithmetic.

use std::collections::BTreeMap;

use photofinish_model::objective::Bounded;
use photofinish_model::samples::{self, assert_contains, assert_starts, window};
use photofinish_model::{
    Arrivals, Edges, FirstError, Lag, Late, Latency, Load, Opened, Opening, Overloaded, StoodStill,
};

use super::*;
use crate::comparison::{Grade, trust_of};

mod law;
mod overload;

fn closed(connections: u32) -> Load {
    Load::Closed { connections }
}

fn open(rate: f64, arrivals: Arrivals, connections: u32) -> Load {
    Load::Open {
        rate,
        arrivals,
        connections,
    }
}

/// So many responses in so many seconds, each after `latency_us`, and a generator that uses a tenth of a core.
fn measured(load: Load, duration_s: f64, responses: u64, latency_us: f64) -> Measurement {
    let mut measurement = samples::measurement(1_000.0);
    let latency = Latency {
        mean: latency_us,
        min: latency_us,
        p50: latency_us,
        p90: latency_us,
        p95: latency_us,
        p99: latency_us,
        p999: latency_us,
        max: latency_us,
    };
    measurement.load = load;
    measurement.requests = responses;
    measurement.errors = BTreeMap::new();
    measurement.duration_s = duration_s;
    measurement.throughput_rps = responses as f64 / duration_s;
    measurement.latency_us = (responses > 0).then_some(latency);
    measurement.service_us = measurement.latency_us;
    measurement.bytes_in = responses * 100;
    measurement.bytes_out = responses * 40;
    measurement.drained = 0;
    measurement.censored = 0;
    measurement.generator.cpu_utilisation = 0.1;
    measurement.generator.turnaround_us = None;
    measurement.windows = vec![window(0, responses)];
    measurement
}

fn of(name: &str, measurement: &Measurement) -> (Option<bool>, String) {
    let checks = checks(measurement, &Seen::default());
    let check = checks.into_iter().find(|c| c.name == name).expect("check");
    (check.ok, check.says.map(|says| says.en).unwrap_or_default())
}

/// The same measurement with so many requests that failed besides.
fn failing(mut measurement: Measurement, errors: &[(&str, u64)]) -> Measurement {
    for (kind, count) in errors {
        measurement.errors.insert((*kind).to_owned(), *count);
        measurement.requests += count;
    }
    measurement
}

fn overload(measurement: &Measurement, offered: u64, sent_late: u64) -> Option<Overloaded> {
    overloaded(measurement, Schedule { offered, sent_late })
}

#[test]
fn a_busy_generator_is_the_bottleneck() {
    let mut measurement = measured(closed(100), 1.0, 100_000, 1_000.0);
    measurement.generator.cpu_utilisation = 0.94;
    assert_eq!(of(check::GENERATOR, &measurement).0, Some(true));
    measurement.generator.cpu_utilisation = 0.95;
    let (ok, says) = of(check::GENERATOR, &measurement);
    assert_eq!(ok, Some(false));
    assert!(says.contains("used 95% of a core"), "{says}");
}

#[test]
fn turnaround_limits_only_where_the_server_runs_out_of_work() {
    // One connection: 80 µs at the server, 20 µs with the generator.
    let mut one = measured(closed(1), 1.0, 10_000, 80.0);
    one.generator.turnaround_us = Some(20.0);
    let (ok, says) = of(check::GENERATOR, &one);
    assert_eq!(ok, Some(false));
    assert!(says.contains("up to 25% more"), "{says}");
    // Twenty connections with the same shares: 16 requests are always at the server.
    let mut many = measured(closed(20), 1.0, 200_000, 80.0);
    many.generator.turnaround_us = Some(20.0);
    assert_eq!(of(check::GENERATOR, &many).0, Some(true));
    // The same where nothing but 404s come: the server responded to all of them.
    let mut missing = failing(measured(closed(20), 1.0, 0, 80.0), &[("status", 200_000)]);
    missing.latency_us = many.latency_us;
    missing.generator.turnaround_us = Some(20.0);
    let (ok, says) = of(check::GENERATOR, &missing);
    assert_eq!(ok, Some(true), "{says}");
    assert!(says.contains("with 16.0 requests at the server"), "{says}");
}

#[test]
fn a_generator_without_cpu_time_or_ports_is_named() {
    let good = measured(closed(10), 1.0, 20_000, 480.0);
    let mut throttled = good.clone();
    throttled.generator.throttled_share = Some(0.71);
    let (ok, says) = of(check::GENERATOR, &throttled);
    assert_eq!(ok, Some(false));
    assert_contains(&says, "own CPU limit (cgroup) stopped it for 71.0%");
    throttled.generator.throttled_share = Some(0.005);
    assert_eq!(of(check::GENERATOR, &throttled).0, Some(true));
    let mut portless = good;
    portless.failed_connects = BTreeMap::from([("no-local-port".to_owned(), 32_000)]);
    let (ok, says) = of(check::GENERATOR, &portless);
    assert_eq!(ok, Some(false));
    assert_contains(&says, "no free local port for 32,000 connections");
}

#[test]
fn a_generator_that_was_kept_from_its_core_did_not_use_it() {
    // Ten connections, each 9 ms in the hands of a generator whose thread ran for 2% of the time, and 1 ms at the server.
    let mut measurement = measured(closed(10), 1.0, 1_000, 1_000.0);
    measurement.generator.turnaround_us = Some(9_000.0);
    measurement.generator.cpu_utilisation = 0.02;
    let (ok, says) = of(check::GENERATOR, &measurement);
    assert_eq!(ok, Some(false));
    assert!(
        says.starts_with("it was kept from its core: connections waited 9.00 ms for it")
            && says.contains("used only 2% of a core")
            && !says.contains("waited for the load generator"),
        "{says}"
    );
    // One that ran all the time was busy.
    measurement.generator.cpu_utilisation = 0.9;
    let (_, says) = of(check::GENERATOR, &measurement);
    assert!(says.contains("waited for the load generator"), "{says}");
    // A single connection's request waits for a wake of the thread, in which it does not run.
    let mut one = measured(closed(1), 1.0, 10_000, 80.0);
    one.generator.turnaround_us = Some(20.0);
    one.generator.cpu_utilisation = 0.01;
    let (_, says) = of(check::GENERATOR, &one);
    assert!(says.contains("up to 25% more"), "{says}");
}

#[test]
fn opening_connections_that_the_server_closes_is_not_the_generators_turnaround() {
    // Two connections of one request each: 300 µs until the next one is open, 80 µs at the server, and the rest with the generator.
    let closing = |own_us: f64| {
        let mut measurement = measured(closed(2), 1.0, 5_000, 80.0);
        measurement.lead_in_requests = 1_000;
        measurement.connects = 6_002;
        measurement.reconnects = 6_000;
        measurement.generator.turnaround_us = Some(300.0 + own_us);
        let opened = |mean| {
            let us = measurement.latency_us.map(|us| Latency { mean, ..us })?;
            Some(Opened { count: 6_002, us })
        };
        measurement.opening = Some(Opening {
            connect: opened(100.0),
            tls_full: None,
            tls_resumed: opened(200.0),
        });
        measurement
    };
    let (ok, says) = of(check::GENERATOR, &closing(20.0));
    assert_eq!(ok, Some(true), "{says}");
    assert!(says.contains("5% of its cycle"), "{says}");
    assert!(says.contains("(20.0 of 400.0 µs)"), "{says}");
    let (ok, says) = of(check::GENERATOR, &closing(95.0));
    assert_eq!(ok, Some(false), "{says}");
    assert!(says.contains("up to 25% more"), "{says}");
    // Every third request on a new connection.
    let mut third = closing(20.0);
    third.reconnects = 2_000;
    third.generator.turnaround_us = Some(100.0 + 10.0);
    let (ok, says) = of(check::GENERATOR, &third);
    assert!(says.contains("(10.0 of 190.0 µs)"), "{says}");
    assert_eq!(ok, Some(true), "{says}");
}

#[test]
fn what_was_sent_late_is_the_generators_where_p99_contains_it() {
    let load = open(1_000.0, Arrivals::Constant, 100);
    let mut measurement = measured(load, 5.0, 5_000, 975_000.0);
    let late = |in_time_us| Late {
        requests: 1_016,
        longest_us: 998_000.0,
        p99_in_time_us: in_time_us,
    };
    measurement.generator.late = Some(late(Some(3_100.0)));
    let (ok, says) = of(check::GENERATOR, &measurement);
    assert_eq!(ok, Some(false));
    assert!(
        says.starts_with(
            "1,016 of 5,000 requests were sent up to 998 ms late although a connection was idle, because its thread did not run: sent in time, p99 would be 3.10 ms, not 975 ms; "
        ),
        "{says}"
    );
    // A tenth of p99 may be its own.
    for (in_time_us, ok) in [(877_000.0, false), (878_000.0, true), (980_000.0, true)] {
        measurement.generator.late = Some(late(Some(in_time_us)));
        let reported = of(check::GENERATOR, &measurement).0;
        assert_eq!(reported, Some(ok), "{in_time_us}");
    }
    // Nothing is left to compare with.
    measurement.generator.late = Some(late(None));
    assert_eq!(of(check::GENERATOR, &measurement).0, Some(true));
}

#[test]
fn a_stepped_clock_spoils_kernel_timestamps() {
    let measurement = measured(closed(10), 1.0, 20_000, 480.0);
    let stepped = |clock_step_us| generator::generator(&measurement, clock_step_us).ok;
    assert_eq!(stepped(4.0), Some(true));
    assert_eq!(stepped(2_000.0), Some(false));
}

#[test]
fn errors_are_counted_by_kind() {
    let good = measured(closed(10), 1.0, 20_000, 480.0);
    assert_eq!(of(check::ERRORS, &good).0, Some(true));
    let bad = failing(
        measured(closed(10), 1.0, 19_995, 480.0),
        &[("timeout", 3), ("reset", 2)],
    );
    let first = |at_s| Measurement {
        first_error: Some(FirstError {
            says: "reset by the server".to_owned(),
            at_s,
        }),
        ..bad.clone()
    };
    let (ok, says) = of(check::ERRORS, &first(None));
    assert_eq!(ok, Some(false));
    assert_eq!(
        says,
        "5 of 20,000 requests failed: 2 connection reset, 3 timed out; the first: reset by the server"
    );
    let (_, says) = of(check::ERRORS, &first(Some(0.25)));
    assert!(
        says.ends_with("; the first after 250 ms: reset by the server"),
        "{says}"
    );
    let none = measured(closed(10), 1.0, 0, 0.0);
    assert_eq!(of(check::ERRORS, &none).0, Some(false));
}

#[test]
fn connections_that_end_without_a_request_are_no_failed_requests() {
    let mut good = measured(closed(10), 1.0, 30, 480.0);
    good.closed_idle = [("websocket-close-1008".to_owned(), 27)].into();
    let (ok, says) = of(check::ERRORS, &good);
    assert_eq!(ok, Some(true), "{says}");
    assert_eq!(
        says,
        "30 responses as expected; the server closed 27 connections while they were idle"
    );
    assert_eq!(good.attempts(), (30, "requests"));
    // One that sends what nobody asked for breaks the protocol.
    good.closed_idle = [("unasked-bytes".to_owned(), 1)].into();
    let (ok, says) = of(check::ERRORS, &good);
    assert_eq!(ok, Some(false));
    assert_contains(&says, "1 unsolicited bytes while nothing was asked");
    // However many connects fail, no more than all of it does.
    let mut none = measured(closed(10), 1.0, 0, 0.0);
    none.failed_connects = [("connect-refused".to_owned(), 32)].into();
    assert_eq!(Bounded::Errors.of(&none), Some(1.0));
    assert_eq!(none.failures(), 32);
    let half = failing(measured(closed(10), 1.0, 30, 480.0), &[("timeout", 2)]);
    let half = Measurement {
        failed_connects: none.failed_connects,
        ..half
    };
    assert_eq!(Bounded::Errors.of(&half), Some(34.0 / 64.0));
    let (_, says) = of(check::ERRORS, &half);
    assert_starts(&says, "34 of 64 requests and connects failed: ");
}

#[test]
fn a_server_that_is_gone_for_a_while_was_unavailable() {
    let good = measured(closed(10), 8.0, 20_000, 480.0);
    let lost = failing(measured(closed(10), 8.0, 20_000, 480.0), &[("reset", 10)]);
    let mut refused = good.clone();
    refused.failed_connects = [("connect-refused".to_owned(), 9)].into();
    let checked = |measurement: &Measurement, each_s: &[f64], is_only_run| {
        let outages = Some(Outages {
            each_s,
            is_only_run,
        });
        let seen = Seen {
            outages,
            ..Seen::default()
        };
        let checks = checks(measurement, &seen);
        let found = checks
            .into_iter()
            .find(|check| check.name == check::AVAILABLE);
        found.map(|check| {
            assert_eq!(check.ok, Some(false));
            check.says.map_or(String::new(), |says| says.en)
        })
    };
    let once = Some("unavailable for 3.10 s of 8.00 s: no response on any connection".to_owned());
    // Once in the only run there is, or with failures.
    assert_eq!(checked(&good, &[3.1], true), once);
    assert_eq!(checked(&lost, &[3.1], false), once);
    assert_eq!(checked(&refused, &[3.1, 0.09], false), once);
    // What recurs is how the server is, and what is short is a collector's.
    assert_eq!(checked(&good, &[3.1], false), None);
    assert_eq!(checked(&good, &[1.0, 1.1, 1.0], true), None);
    assert_eq!(checked(&good, &[0.09; 30], true), None);
    assert_eq!(checked(&lost, &[], true), None);
    let says = checked(&lost, &[1.0, 1.1, 1.0], true).expect("three outages");
    assert_starts(&says, "unavailable for 3.10 s of 8.00 s, 3 times");
    // The generator itself stood still.
    let mut stopped = good.clone();
    stopped.generator.stood_still = Some(StoodStill {
        longest_us: 3_000_000.0,
        total_us: 3_000_000.0,
    });
    assert_eq!(checked(&stopped, &[3.1], true), None);
}

#[test]
fn echoes_have_exactly_the_bytes_of_their_messages() {
    let mut measurement = measured(closed(10), 1.0, 20_000, 480.0);
    let echo = Some(Reply::Echo { size: 100 });
    // The responses have 100 bytes and the requests 40.
    assert_eq!(bytes::bytes(&measurement, echo).ok, Some(false));
    measurement.bytes_out = 2_000_000;
    let reported = bytes::bytes(&measurement, echo);
    assert_eq!(reported.ok, Some(true));
    assert_eq!(
        reported.says.expect("the arithmetic").en,
        "20,000 echoes × 100 bytes = 2,000,000 bytes; 2,000,000 received, 2,000,000 sent"
    );
    measurement.bytes_in += 1;
    assert_eq!(bytes::bytes(&measurement, echo).ok, Some(false));
    measurement.errors.insert("timeout".to_owned(), 1);
    assert_eq!(bytes::bytes(&measurement, echo).ok, None);
}

#[test]
fn a_response_has_at_least_its_body_and_a_status_line() {
    let measurement = measured(closed(10), 1.0, 1_000, 480.0);
    for (body, ok) in [(84, true), (85, false)] {
        let reply = Some(Reply::Body { bytes: body });
        // 16 bytes of head.
        assert_eq!(bytes::bytes(&measurement, reply).ok, Some(ok), "{body}");
    }
}

#[test]
fn every_check_is_made_once_and_none_is_claimed_that_was_not_made() {
    let measurement = measured(closed(10), 1.0, 20_000, 480.0);
    let checks = checks(&measurement, &Seen::default());
    let names: Vec<&str> = checks.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, check::ALL);
    for check in &checks {
        assert!(check.says.is_some() || check.ok.is_none());
        if let Some(says) = &check.says {
            for text in [&says.en, &says.zh] {
                assert!(!text.is_empty() && !text.contains("NaN"), "{text}");
            }
        }
    }
}

#[test]
fn responses_are_as_they_were_or_it_is_said_how_many_are_not() {
    let judge = |measurement: &Measurement, compared| {
        let shorter = Complaint::said("shorter");
        let seen = Seen {
            compared,
            first_change: Some(FirstChange {
                complaint: &shorter,
                at_s: None,
            }),
            ..Seen::default()
        };
        let mut checks = checks(measurement, &seen).into_iter();
        let check = checks.find(|check| check.name == check::AS_VERIFIED);
        check.map(|check| (check.ok, check.says.map(|says| says.en).unwrap_or_default()))
    };
    let mut measurement = measured(closed(10), 1.0, 2_000, 5_000.0);
    assert_eq!(judge(&measurement, None), None);
    let got = |ok: bool, says: &str| Some((Some(ok), says.to_owned()));
    assert_eq!(
        judge(&measurement, Some(Compared::Verified)),
        got(true, "all 2,000 responses matched the verified one")
    );
    assert_eq!(
        judge(&measurement, Some(Compared::Stated)),
        got(true, "all 2,000 responses were as stated")
    );
    measurement.changed = 3;
    assert_eq!(
        judge(&measurement, Some(Compared::Verified)),
        got(
            false,
            "3 of 2,000 responses did not match the verified one; the first: shorter"
        )
    );
    let varying = judge(&measurement, Some(Compared::Varying));
    assert_eq!(varying.expect("the check").0, None);
    // A request that never got a response says nothing of one.
    let failed = failing(measurement, &[("body", 2), ("status", 1), ("timeout", 7)]);
    assert_eq!(
        judge(&failed, Some(Compared::Stated)),
        got(
            false,
            "3 of 2,003 responses had another status or body than stated"
        )
    );
}

#[test]
fn bodies_of_another_length_than_the_first_ones_are_named_with_time_and_share() {
    let judge = |measurement: &Measurement, compared| {
        let change = Complaint::OtherLength {
            bytes: 5,
            first: 1_000,
        };
        let seen = Seen {
            compared,
            first_change: Some(FirstChange {
                complaint: &change,
                at_s: Some(0.27),
            }),
            ..Seen::default()
        };
        let mut checks = checks(measurement, &seen).into_iter();
        let check = checks.find(|check| check.name == check::BODY_LENGTH);
        check.map(|check| (check.ok, check.says.map(|says| says.en).unwrap_or_default()))
    };
    let mut measurement = measured(closed(10), 1.0, 2_000, 5_000.0);
    assert_eq!(judge(&measurement, None), None);
    measurement.changed = 30;
    let says = "30 of 2,000 responses (1.5%) had a body of another length than the first ones; the first after 270 ms: a body of 5 bytes instead of 1000";
    assert_eq!(
        judge(&measurement, None),
        Some((Some(false), says.to_owned()))
    );
    assert_eq!(judge(&measurement, Some(Compared::Verified)), None);
    let grade = |measurement: &Measurement| {
        let check = check::BODY_LENGTH.to_owned();
        let checks = vec![Check {
            name: check,
            ok: Some(false),
            says: None,
        }];
        let measurement = Measurement {
            checks,
            ..measurement.clone()
        };
        trust_of(&measurement, None).grade
    };
    assert_eq!(grade(&measurement), Grade::NotQuotable);
    measurement.changed = 20;
    assert_eq!(grade(&measurement), Grade::WithCare);
}
