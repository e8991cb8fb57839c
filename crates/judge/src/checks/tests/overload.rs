//! Open loops that do not achieve their rate.

use super::*;
use photofinish_model::samples::assert_contains;

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
    assert_contains(&says, "achieved 66.7% of the offered rate");
    assert_contains(&says, "overloaded: achieved 1,000/s of 1,500/s offered");
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
    assert!(says.contains("with 7.93 requests at the server"), "{says}");
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
