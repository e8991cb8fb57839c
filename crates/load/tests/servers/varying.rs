//! Requests that vary, over real sockets: no number twice, and responses held to what was asked.

use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support;
use crate::support::{Server, config, http, load};
use photofinish_load::{Control, ErrorKind, Outcome, Until, run};
use photofinish_model::samples::assert_starts;
use photofinish_model::{Recall, Template};

#[test]
fn every_request_has_a_number_of_its_own() {
    let heads: Arc<Mutex<Vec<String>>> = Arc::default();
    let server = {
        let heads = Arc::clone(&heads);
        Server::reading(move |stream, head| {
            heads.lock().unwrap().push(head.to_owned());
            stream
                .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                .is_ok()
        })
    };
    let mut config = config(server.address, 6, Until::Requests(300));
    http(&mut config).0.path = Template::parse("/{counter}");
    let outcome = load(&config);
    assert_eq!((outcome.requests, outcome.errors.len()), (300, 0));
    let heads = heads.lock().unwrap();
    let mut numbers: Vec<u64> = heads
        .iter()
        .map(|head| head[5..].split(' ').next().unwrap().parse().unwrap())
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), 300);
    // Two threads: odd and even numbers, each from its first without a gap.
    for first in [1, 2] {
        let own: Vec<u64> = numbers
            .iter()
            .copied()
            .filter(|n| n % 2 == first % 2)
            .collect();
        let expected: Vec<u64> = (0..own.len() as u64).map(|k| first + 2 * k).collect();
        assert_eq!(own, expected);
    }
}

#[test]
fn a_response_about_another_id_is_wrong() {
    // Responses with the id that was asked for, but with 7 in place of 8.
    let server = Server::reading(|stream, head| {
        let id = head[5..].split(' ').next().unwrap();
        let body = format!("[{{\"id\":{},\"a\":0}}]", if id == "8" { "7" } else { id });
        let response = format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        // In two pieces, cut within the id.
        let (one, two) = response.split_at(response.len() - 9);
        stream.write_all(one.as_bytes()).is_ok() && stream.write_all(two.as_bytes()).is_ok()
    });
    let mut config = config(server.address, 3, Until::Requests(400));
    let (request, expect) = http(&mut config);
    request.path = Template::parse("/{random:1..10}");
    expect.contains = Recall::parse("\"id\":{random},");
    expect.rows = Some(1);
    let outcome = load(&config);
    let wrong = outcome
        .errors
        .get(&ErrorKind::Body)
        .copied()
        .unwrap_or_default();
    assert_eq!(outcome.errors.len(), 1, "{:?}", outcome.errors);
    // A tenth of 400, with a standard deviation of 6; the seed decides.
    assert!((15..=65).contains(&wrong), "{wrong}");
    let says = support::first_error(&outcome);
    assert_starts(
        &says,
        "expected a body that contains \"\\\"id\\\":8,\"; the body begins with",
    );
}

#[test]
fn what_the_request_does_not_hold_cannot_come_back() {
    let server = Server::responding(support::HELLO);
    let mut config = config(server.address, 1, Until::Requests(1));
    http(&mut config).1.contains = vec![Recall::Random];
    let error = run(&config, &Control::default()).unwrap_err().to_string();
    assert!(error.contains("the request has none"), "{error}");
}

/// What came of 2,000 requests to a server whose body of a number has so many bytes. `contains`: what a body must contain.
fn lengths(length: impl Fn(u64) -> usize + Send + Sync + 'static, contains: &str) -> Outcome {
    let number = AtomicU64::new(0);
    let server = Server::new(move |stream, _| {
        let body = "x".repeat(length(number.fetch_add(1, Ordering::SeqCst)));
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
        stream.write_all((head + &body).as_bytes()).is_ok()
    });
    let mut config = config(server.address, 4, Until::Requests(2_000));
    config.threads = 1;
    let (_, expect) = http(&mut config);
    if !contains.is_empty() {
        expect.contains = Recall::parse(contains);
    }
    let outcome = load(&config);
    support::assert_good(&outcome, 2_000);
    outcome
}

#[test]
fn bodies_that_change_their_length_are_counted() {
    let outcome = lengths(|number| if number < 1_500 { 50 } else { 3 }, "");
    assert_eq!(outcome.changed, 500);
    let first = outcome.first_change.map(|first| first.to_string());
    assert_eq!(first.as_deref(), Some("a body of 3 bytes instead of 50"));
    assert!(
        outcome
            .first_change_at
            .is_some_and(|at| at > Duration::ZERO)
    );
}

#[test]
fn bodies_of_several_lengths_are_no_change() {
    let unchanged = |outcome: Outcome| (outcome.changed, outcome.first_change) == (0, None);
    assert!(unchanged(lengths(|number| 50 + number as usize % 7, "")));
    assert!(unchanged(lengths(|_| 50, "")));
    // Nor is one that a rule allows.
    assert!(unchanged(lengths(
        |number| if number < 1_500 { 50 } else { 3 },
        "x"
    )));
}
