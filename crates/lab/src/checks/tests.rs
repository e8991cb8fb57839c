//! Each rule against figures whose outcome follows from arithmetic.

use std::collections::BTreeMap;
use std::time::Duration;

use photofinish_load::outcome::ErrorKind;
use photofinish_model::{Arrivals, Load, Overloaded, check};

use super::*;
use crate::{convert, fake};

const S: Duration = Duration::from_secs(1);

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

fn overload(outcome: &Outcome, load: &Load) -> Option<Overloaded> {
    convert::measurement(outcome, load).overloaded
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
    let load = open(1_000.0, Arrivals::Poisson, 10);
    let mut outcome = fake::outcome(10, S, 1_000, Duration::from_micros(100));
    outcome.offered = Some(1_005);
    assert_eq!(of(check::GENERATOR, &outcome, &load).0, Some(true));
    outcome.offered = Some(1_500);
    let (ok, says) = of(check::GENERATOR, &outcome, &load);
    assert_eq!(ok, Some(false));
    assert!(says.contains("66.7% of the offered rate"), "{says}");
    assert!(
        says.starts_with("overloaded: 1,000/s of 1,500/s offered were achieved"),
        "{says}"
    );
    let told = overload(&outcome, &load);
    let expected = Overloaded {
        offered_rps: 1_500.0,
        achieved_rps: 1_000.0,
    };
    assert_eq!(told, Some(expected));
    // One of twenty still in flight at the end is no shortfall.
    let mut few = fake::outcome(10, S, 19, Duration::from_millis(50));
    few.offered = Some(20);
    assert_eq!(of(check::GENERATOR, &few, &load).0, Some(true));
    assert_eq!(overload(&few, &load), None);
}

#[test]
fn a_queue_that_grows_for_the_whole_window_is_overload() {
    // 1,000/s offered for a second and 900 answered: the last waits 100/900 s, the mean half of it.
    let load = open(1_000.0, Arrivals::Constant, 10);
    let mut outcome = fake::outcome(10, S, 900, Duration::from_micros(55_556));
    outcome.offered = Some(1_000);
    let told = overload(&outcome, &load);
    assert_eq!(told.map(|o| o.achieved_rps), Some(900.0));
}

#[test]
fn requests_that_still_wait_to_be_sent_are_a_shortfall() {
    // 200,000/s for two seconds. Soon 40,000 wait to be sent and at the end 30,000, so that each waits for 170 ms, and then 0.5 ms for
    // its answer. By the time of waiting 185,000/s × 170 ms = 31,450 would be under way and nothing missing.
    let load = open(200_000.0, Arrivals::Constant, 100);
    let mut outcome = fake::outcome(100, 2 * S, 370_000, Duration::from_millis(170));
    outcome.service = fake::outcome(100, S, 370_000, Duration::from_micros(500)).service;
    outcome.windows = vec![fake::window(0, 170_000), fake::window(1, 200_000)];
    outcome.offered = Some(400_000);
    let told = overload(&outcome, &load);
    assert_eq!(told.map(|o| o.achieved_rps), Some(185_000.0));
}

#[test]
fn what_a_slow_server_has_in_its_hands_is_no_overload() {
    // 1,000/s and an answer after 300 ms: of the first 2 s the last 0.3 are answered later, and so with Poisson arrivals,
    // of which 330 may come in that time. 600 in its hands would be a queue.
    let load = open(1_000.0, Arrivals::Poisson, 1_000);
    let mut outcome = fake::outcome(1_000, 2 * S, 1_700, Duration::from_millis(300));
    outcome.windows = vec![fake::window(0, 700), fake::window(1, 1_000)];
    for (offered, overloaded) in [(2_000, false), (2_030, false), (2_300, true)] {
        outcome.offered = Some(offered);
        let told = overload(&outcome, &load);
        assert_eq!(told.is_some(), overloaded, "{offered}");
    }
}

#[test]
fn what_a_ramp_leaves_under_way_at_its_end_is_no_overload() {
    // From 0 to 2,000/s in 10 s, each answered after 100 ms: 190 are under way at the end, at twice the mean rate.
    let load = open(1_000.0, Arrivals::Constant, 1_000);
    let mut outcome = fake::outcome(1_000, 10 * S, 9_801, Duration::from_millis(100));
    outcome.windows = (0..10)
        .map(|i| fake::window(i, 200 * i + if i == 0 { 81 } else { 80 }))
        .collect();
    outcome.offered = Some(10_000);
    assert_eq!(overload(&outcome, &load), None);
}

#[test]
fn what_went_out_late_when_the_window_had_closed_is_no_overload() {
    // The machine stood still for the window's last 36 ms.
    let load = open(1_000.0, Arrivals::Constant, 100);
    let mut outcome = fake::outcome(100, S, 964, Duration::from_micros(100));
    outcome.offered = Some(1_000);
    outcome.sent_late = 36;
    assert_eq!(overload(&outcome, &load), None);
    // With four connections the others wait for one.
    outcome.sent_late = 4;
    assert!(overload(&outcome, &load).is_some());
}

#[test]
fn wrong_answers_are_errors_and_no_overload() {
    let load = open(1_000.0, Arrivals::Constant, 10);
    let mut outcome = fake::outcome(10, S, 960, Duration::from_micros(100));
    outcome.offered = Some(1_000);
    outcome.errors = BTreeMap::from([(ErrorKind::Status, 30), (ErrorKind::Closed, 10)]);
    assert_eq!(overload(&outcome, &load), None);
    outcome.errors = BTreeMap::from([(ErrorKind::Timeout, 40)]);
    assert!(overload(&outcome, &load).is_some());
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
