//! Little's law.

use super::*;
use crate::checks::law::littles_law;
use photofinish_model::samples::assert_starts;

#[test]
fn littles_law_holds_when_the_cycle_fills_the_connections() {
    // 20,000/s × (480 + 20) µs = 10 connections.
    let mut measurement = measured(closed(10), 1.0, 20_000, 480.0);
    measurement.generator.turnaround_us = Some(20.0);
    let (ok, says) = of(check::LITTLES_LAW, &measurement);
    assert_eq!(ok, Some(true), "{says}");
    assert_eq!(
        says,
        "20,000 sent/s × (480.0 + 20.0) µs = 10.0 of 10 connections (+0.0%)"
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
        assert!(says.starts_with("20,000 sent/s × (500.0 + "), "{says}");
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
        says.ends_with("requests in flight at either end of the window can account for 15.4% on top of the 5%: measure for longer"),
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
            ..Edges::default()
        };
        Some(edges)
    };
    starved.edges = edges(614.0 * 0.8 + half);
    let (ok, says) = of(check::LITTLES_LAW, &starved);
    assert_eq!(ok, None, "{says}");
    assert!(
        says.contains("386.0 of 1,000 connections (−61.4%); requests in flight at either end of the window can account for 61.4%"),
        "{says}"
    );
    // 200 of them had no request under way at all.
    starved.edges = edges(414.0 * 0.8 + half);
    let (ok, says) = of(check::LITTLES_LAW, &starved);
    assert_eq!(ok, Some(false), "{says}");
}

#[test]
fn a_run_of_fewer_requests_than_connections_accuses_nobody() {
    let run = |requests: u64, connections: u32| {
        // By number: each connection that had a request was idle from then on.
        let mut few = measured(closed(connections), 567e-6, requests, 198.0);
        few.generator.turnaround_us = Some(150.0);
        few
    };
    let outcome = littles_law(&run(7, 100));
    assert_eq!(outcome.ok, None);
    assert_eq!(
        outcome.says.expect("the arithmetic").en,
        "7 requests, though 100 can be in flight: some connections had none; send more requests"
    );
    assert_eq!(littles_law(&run(1, 100)).ok, None);
    // Of a cycle there is too little to blame the generator for it, until each connection has had two requests.
    assert_eq!(generator::generator(&run(5, 3), 0.0).ok, Some(true));
    assert_eq!(generator::generator(&run(6, 3), 0.0).ok, Some(false));
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
    assert_starts(&says, "11,000 of 31,000 requests ended without a response");
    let load = open(1_000.0, Arrivals::Poisson, 10);
    assert_eq!(
        of(check::LITTLES_LAW, &measured(load, 1.0, 1_000, 480.0)).0,
        None
    );
}

#[test]
fn littles_law_counts_a_place_only_while_it_is_in_use() {
    // 20 requests of 100 µs and turnarounds of 20 µs on 2 connections: 10 responses and 9 turnarounds each are 1,180 µs, and in a window of 1,400 µs
    // both were idle for 220 µs, before their first request and after their last.
    let mut short = measured(closed(2), 0.0014, 20, 100.0);
    short.generator.turnaround_us = Some(20.0);
    short.generator.lag_us = None;
    short.edges = Some(Edges {
        idle_s: 440e-6,
        firsts: 2,
        ..Edges::default()
    });
    let (ok, says) = of(check::LITTLES_LAW, &short);
    assert_eq!(ok, Some(true), "{says}");
    assert!(
        says.ends_with(" = 1.7 of 2 connections, of which 0.314 were idle on average (+0.0%)"),
        "{says}"
    );
    // HTTP/2 whose server allows 3 of 10 streams from the middle on: 6.5 places are in use on average.
    let mut fewer = measured(closed(1), 1.0, 6_500, 1_000.0);
    fewer.streams = 10;
    fewer.generator.lag_us = None;
    fewer.edges = Some(Edges {
        idle_s: 3.5,
        ..Edges::default()
    });
    let (ok, says) = of(check::LITTLES_LAW, &fewer);
    assert_eq!(ok, Some(true), "{says}");
    // Where places are idle for most of the time, what is left shows nothing.
    fewer.edges = Some(Edges {
        idle_s: 6.0,
        ..Edges::default()
    });
    assert_eq!(of(check::LITTLES_LAW, &fewer).0, None);
}
