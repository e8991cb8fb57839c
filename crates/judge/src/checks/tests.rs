//! Each check against figures whose outcome follows from arithmetic.

use std::collections::BTreeMap;

use photofinish_model::finding::complaint::Complaint;
use photofinish_model::samples;
use photofinish_model::{
    Arrivals, Edges, Lag, Late, Latency, Load, Opened, Opening, Overloaded, Window,
};

use photofinish_voice::{Language, Say};

use super::*;

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

fn window(second: u64, responses: u64) -> Window {
    Window {
        start_s: second as f64,
        duration_s: 1.0,
        responses,
        errors: 0,
        p50_us: None,
        p99_us: None,
        max_us: None,
    }
}

fn of(name: &str, measurement: &Measurement) -> (Option<bool>, String) {
    let checks = checks(measurement, &Seen::default());
    let check = checks.into_iter().find(|c| c.name == name).expect("check");
    (check.ok, check.says)
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
fn littles_law_holds_when_the_cycle_fills_the_connections() {
    // 20,000/s × (480 + 20) µs = 10 connections.
    let mut measurement = measured(closed(10), 1.0, 20_000, 480.0);
    measurement.generator.turnaround_us = Some(20.0);
    let (ok, says) = of(check::LITTLES_LAW, &measurement);
    assert_eq!(ok, Some(true), "{says}");
    assert_eq!(
        says,
        "20,000/s × (480.0 + 20.0) µs = 10.0 of 10 connections (+0.0%)"
    );
    // The same responses from 11 connections: 9% of them are unaccounted for.
    measurement.load = closed(11);
    let (ok, says) = of(check::LITTLES_LAW, &measurement);
    assert_eq!(ok, Some(false), "{says}");
}

#[test]
fn littles_law_counts_whatever_the_server_responded() {
    // Nothing but 404s, and then 88.8% wrong bodies.
    for (good, kind, bad) in [(0, "status", 20_000), (2_240, "body", 17_760)] {
        let right = measured(closed(10), 1.0, 20_000, 500.0);
        let mut measurement = failing(measured(closed(10), 1.0, good, 500.0), &[(kind, bad)]);
        measurement.latency_us = right.latency_us;
        let (ok, says) = of(check::LITTLES_LAW, &measurement);
        assert_eq!(ok, Some(true), "{says}");
        assert!(says.starts_with("20,000/s × (500.0 + "), "{says}");
    }
}

#[test]
fn littles_law_is_no_finer_than_what_was_under_way_at_both_ends() {
    // 1,000 requests over 10 connections in 13 ms: 10% less than 10 × 13 ms / 1,000 = 130 µs each, with one response of 2 ms.
    let mut short = measured(closed(10), 0.013, 1_000, 117.0);
    short.generator.lag_us = None;
    let longest = |measurement: &mut Measurement, us: f64| {
        measurement.latency_us = measurement.latency_us.map(|l| Latency { max: us, ..l });
    };
    longest(&mut short, 2_000.0);
    let (ok, says) = of(check::LITTLES_LAW, &short);
    assert_eq!(ok, None, "{says}");
    assert!(
        says.ends_with("requests under way when the window opened or closed can make up 15.4% beside the 5%: measure for longer"),
        "{says}"
    );
    // Without it there is nothing to account for them.
    longest(&mut short, 200.0);
    assert_eq!(of(check::LITTLES_LAW, &short).0, Some(false));

    // 0.7 s with a stall of 140 ms that one window's end cuts in two: 20% either way, and no more.
    for (off, ok) in [
        (1.04, Some(true)),
        (1.2, None),
        (0.8, None),
        (1.3, Some(false)),
    ] {
        let mut stalled = measured(closed(10), 0.7, 7_000, 1_000.0 * off);
        longest(&mut stalled, 140_000.0);
        let (reported, says) = of(check::LITTLES_LAW, &stalled);
        assert_eq!(reported, ok, "{says}");
    }

    // The generator's thread did not run for 86 ms when the first of 4 connections had sent its request: three of them were idle for
    // so long, which is 3 × 86 / (4 × 200 ms) = 32% of their time, and no fault of the server's.
    let mut late = measured(closed(4), 0.2, 3_380, 111.1);
    late.generator.turnaround_us = Some(48.0);
    longest(&mut late, 8_577.0);
    for (unread_us, ok) in [(85_918.0, None), (1_000.0, Some(false))] {
        late.generator.lag_us = late.generator.lag_us.map(|lag| Lag {
            max: unread_us,
            ..lag
        });
        let (reported, says) = of(check::LITTLES_LAW, &late);
        assert_eq!(reported, ok, "{says}");
    }
}

#[test]
fn littles_law_cannot_decide_where_a_connection_took_long_to_open() {
    // 8 connections that the server closes after each response. The first packet of one new one was dropped: it was idle for 1.02 of
    // 3 s, which is 4.2% of the time of all, and the law's other 3.4% come from elsewhere.
    let mut closing = measured(closed(8), 3.0, 3_816, 4_591.8);
    closing.generator.turnaround_us = Some(1_219.3);
    assert_eq!(of(check::LITTLES_LAW, &closing).0, Some(false));
    let opened = |max| {
        let us = closing.latency_us.map(|us| Latency { max, ..us })?;
        Some(Opened { count: 3_807, us })
    };
    let opening = |connect, tls_full| Opening {
        connect,
        tls_full,
        tls_resumed: opened(100.0),
    };
    let tried = [
        (opening(opened(1_020_000.0), None), 3_807, None),
        (opening(opened(100.0), opened(1_020_000.0)), 3_807, None),
        (opening(opened(100.0), None), 3_807, Some(false)),
        // Those that were opened before the window are in nothing.
        (opening(opened(1_020_000.0), None), 0, Some(false)),
    ];
    for (opening, reconnects, ok) in tried {
        let measurement = Measurement {
            opening: Some(opening),
            reconnects,
            ..closing.clone()
        };
        let (reported, says) = of(check::LITTLES_LAW, &measurement);
        assert_eq!(reported, ok, "{says}");
    }
}

#[test]
fn littles_law_cannot_decide_of_connections_that_waited_for_the_whole_window() {
    // Of 1,000 connections 614 are not served within 0.8 s; the others make 38,600 requests of 8 ms. The window's longest took 30 ms.
    let mut starved = measured(closed(1_000), 0.8, 38_600, 8_000.0);
    starved.generator.lag_us = None;
    starved.latency_us = starved.latency_us.map(|latency| Latency {
        max: 30_000.0,
        ..latency
    });
    let (ok, says) = of(check::LITTLES_LAW, &starved);
    assert_eq!(ok, Some(false), "{says}");
    // 614 × 0.8 s, and half a response of the others, which as many have at the window's end.
    let half = 386.0 * 0.004;
    let edges = |carried_s| {
        let edges = Edges {
            carried_s,
            outlasted_s: half,
        };
        Some(edges)
    };
    starved.edges = edges(614.0 * 0.8 + half);
    let (ok, says) = of(check::LITTLES_LAW, &starved);
    assert_eq!(ok, None, "{says}");
    assert!(
        says.contains("386.0 of 1,000 connections (−61.4%); requests under way when the window opened or closed can make up 61.4%"),
        "{says}"
    );
    // 200 of them had no request under way at all.
    starved.edges = edges(414.0 * 0.8 + half);
    let (ok, says) = of(check::LITTLES_LAW, &starved);
    assert_eq!(ok, Some(false), "{says}");
}

#[test]
fn littles_law_is_not_claimed_where_it_cannot_be_checked() {
    let empty = measured(closed(10), 1.0, 0, 0.0);
    assert_eq!(of(check::LITTLES_LAW, &empty).0, None);
    let reset = failing(
        measured(closed(10), 1.0, 20_000, 480.0),
        &[("reset", 11_000)],
    );
    let (ok, says) = of(check::LITTLES_LAW, &reset);
    assert_eq!(ok, None);
    assert!(
        says.starts_with("11,000 of 31,000 requests ended without a response"),
        "{says}"
    );
    let load = open(1_000.0, Arrivals::Poisson, 10);
    assert_eq!(
        of(check::LITTLES_LAW, &measured(load, 1.0, 1_000, 480.0)).0,
        None
    );
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
    assert!(says.contains("and 16.0 requests at the server"), "{says}");
}

#[test]
fn an_open_loop_must_achieve_its_rate() {
    let load = open(1_000.0, Arrivals::Poisson, 10);
    let mut measurement = measured(load.clone(), 1.0, 1_000, 100.0);
    assert_eq!(overload(&measurement, 1_005, 0), None);
    assert_eq!(of(check::GENERATOR, &measurement).0, Some(true));
    measurement.overloaded = overload(&measurement, 1_500, 0);
    let expected = Overloaded {
        offered_rps: 1_500.0,
        achieved_rps: 1_000.0,
    };
    assert_eq!(measurement.overloaded, Some(expected));
    measurement.generator.achieved_ratio = 1_000.0 / 1_500.0;
    // 0.1 requests at the server, and 10 connections that a request was due for: nobody but the generator held them.
    let (ok, says) = of(check::GENERATOR, &measurement);
    assert_eq!(ok, Some(false));
    assert!(
        says.contains("achieved 66.7% of the offered rate"),
        "{says}"
    );
    assert!(
        says.contains("overloaded: achieved 1,000/s of 1,500/s offered"),
        "{says}"
    );
    // One of twenty still in flight at the end is no shortfall.
    let few = measured(load, 1.0, 19, 50_000.0);
    assert_eq!(overload(&few, 20, 0), None);
}

#[test]
fn a_server_that_always_has_work_is_the_bottleneck_of_an_overload() {
    // 130,000/s × 61 µs: 7.9 of 10 connections have a request at the server, and the generator half a core to spare.
    let mut measurement = measured(open(1e6, Arrivals::Poisson, 10), 1.0, 130_000, 442_000.0);
    measurement.service_us = measured(closed(1), 1.0, 1, 61.0).latency_us;
    measurement.generator.cpu_utilisation = 0.47;
    measurement.overloaded = overload(&measurement, 1_000_000, 0);
    assert!(measurement.overloaded.is_some());
    let (ok, says) = of(check::GENERATOR, &measurement);
    assert_eq!(ok, Some(true), "{says}");
    assert!(
        says.starts_with(
            "overloaded: achieved 130,000/s of 1,000,000/s offered: the server, or the number of connections, was the bottleneck"
        ),
        "{says}"
    );
    assert!(says.contains("and 7.93 requests at the server"), "{says}");
    // A thread without time to spare is known to be one all the same.
    measurement.generator.cpu_utilisation = 0.97;
    assert_eq!(of(check::GENERATOR, &measurement).0, Some(false));
}

#[test]
fn a_queue_that_grows_for_the_whole_window_is_overload() {
    // 1,000/s offered for a second and 900 served: the last waits 100/900 s, the mean half of it.
    let load = open(1_000.0, Arrivals::Constant, 10);
    let measurement = measured(load, 1.0, 900, 55_556.0);
    let reported = overload(&measurement, 1_000, 0);
    assert_eq!(reported.map(|o| o.achieved_rps), Some(900.0));
}

#[test]
fn requests_that_still_wait_to_be_sent_are_a_shortfall() {
    // 200,000/s for two seconds. Soon 40,000 wait to be sent and at the end 30,000, so that each waits for 170 ms, and then 0.5 ms for
    // its response. By the time of waiting 185,000/s × 170 ms = 31,450 would be under way and nothing missing.
    let load = open(200_000.0, Arrivals::Constant, 100);
    let mut measurement = measured(load.clone(), 2.0, 370_000, 170_000.0);
    measurement.service_us = measured(load, 1.0, 1, 500.0).latency_us;
    measurement.windows = vec![window(0, 170_000), window(1, 200_000)];
    let reported = overload(&measurement, 400_000, 0);
    assert_eq!(reported.map(|o| o.achieved_rps), Some(185_000.0));
}

#[test]
fn what_a_slow_server_has_in_its_hands_is_no_overload() {
    // 1,000/s and a response after 300 ms: of the first 2 s the last 0.3 are served later, and so with Poisson arrivals,
    // of which 330 may come in that time. 600 in its hands would be a queue.
    let load = open(1_000.0, Arrivals::Poisson, 1_000);
    let mut measurement = measured(load, 2.0, 1_700, 300_000.0);
    measurement.windows = vec![window(0, 700), window(1, 1_000)];
    for (offered, overloaded) in [(2_000, false), (2_030, false), (2_300, true)] {
        let reported = overload(&measurement, offered, 0);
        assert_eq!(reported.is_some(), overloaded, "{offered}");
    }
}

#[test]
fn what_a_ramp_leaves_under_way_at_its_end_is_no_overload() {
    // From 0 to 2,000/s in 10 s, each served after 100 ms: 190 are under way at the end, at twice the mean rate.
    let load = open(1_000.0, Arrivals::Constant, 1_000);
    let mut measurement = measured(load, 10.0, 9_801, 100_000.0);
    measurement.windows = (0..10)
        .map(|i| window(i, 200 * i + if i == 0 { 81 } else { 80 }))
        .collect();
    assert_eq!(overload(&measurement, 10_000, 0), None);
}

#[test]
fn what_went_out_late_when_the_window_had_closed_is_no_overload() {
    // The machine stood still for the window's last 36 ms.
    let load = open(1_000.0, Arrivals::Constant, 100);
    let measurement = measured(load, 1.0, 964, 100.0);
    assert_eq!(overload(&measurement, 1_000, 36), None);
    // With four connections the others wait for one.
    assert!(overload(&measurement, 1_000, 4).is_some());
}

#[test]
fn wrong_responses_are_errors_and_no_overload() {
    let load = open(1_000.0, Arrivals::Constant, 10);
    let good = measured(load, 1.0, 960, 100.0);
    let wrong = failing(good.clone(), &[("status", 30), ("closed-early", 10)]);
    assert_eq!(overload(&wrong, 1_000, 0), None);
    let late = failing(good, &[("timeout", 40)]);
    assert!(overload(&late, 1_000, 0).is_some());
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
    let reset = Complaint::said("reset by the server");
    let seen = Seen {
        first_error: Some(&reset),
        ..Seen::default()
    };
    let checks = checks(&bad, &seen);
    let errors = checks.iter().find(|c| c.name == check::ERRORS).expect("it");
    assert_eq!(errors.ok, Some(false));
    assert_eq!(
        errors.says,
        "5 of 20,000 requests failed: reset 2, timeout 3; the first: reset by the server"
    );
    let none = measured(closed(10), 1.0, 0, 0.0);
    assert_eq!(of(check::ERRORS, &none).0, Some(false));
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
        reported.finding.say(Language::En),
        "20,000 echoes × 100 bytes = 2,000,000 bytes; 2,000,000 came, 2,000,000 went"
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
        let alone = check.finding == Some(CheckFinding::OneRunAlone {});
        assert!(!alone || check.ok.is_none());
        for language in Language::ALL {
            let says = check.finding.as_ref().expect("a finding").say(language);
            assert!(!says.is_empty() && !says.contains("NaN"), "{says}");
        }
    }
}

#[test]
fn responses_are_as_they_were_or_it_is_said_how_many_are_not() {
    let judge = |measurement: &Measurement, compared| {
        let shorter = Complaint::said("shorter");
        let seen = Seen {
            compared,
            first_change: Some(&shorter),
            ..Seen::default()
        };
        let mut checks = checks(measurement, &seen).into_iter();
        let check = checks.find(|check| check.name == check::AS_VERIFIED);
        check.map(|check| (check.ok, check.says))
    };
    let mut measurement = measured(closed(10), 1.0, 2_000, 5_000.0);
    assert_eq!(judge(&measurement, None), None);
    let got = |ok: bool, says: &str| Some((Some(ok), says.to_owned()));
    assert_eq!(
        judge(&measurement, Some(Compared::Verified)),
        got(
            true,
            "all 2,000 responses were as when the target was verified"
        )
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
            "3 of 2,000 responses were not as when the target was verified; the first: shorter"
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
