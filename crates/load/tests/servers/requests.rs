//! Requests from a list, over real sockets: their order, how often each is sent, and each response held to its own expectation.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Arc, Mutex};

use crate::support;
use crate::support::{Server, config, load};
use photofinish_load::{Control, ErrorKind, Outcome, Until, run};
use photofinish_model::samples::assert_contains;
use photofinish_model::{Exchange, Expect, Listed, Order, Recall, Request, Requests, Version};

fn listed(path: &str, weight: u32) -> Listed {
    Listed {
        request: Request::get(path),
        expect: Expect::default(),
        weight,
    }
}

fn requests(list: Vec<Listed>, order: Order, per_connection: bool) -> Exchange {
    Exchange::Requests(Requests {
        source: "list".to_owned(),
        list: list.into(),
        order,
        per_connection,
        version: Version::Http1,
    })
}

/// Ports of connections, and the paths that came over them, in order.
type Seen = Vec<(u16, String)>;

/// A server that says each request's path back, and records which came on which connection, in order.
fn recording() -> (Server, Arc<Mutex<Seen>>) {
    let seen: Arc<Mutex<Seen>> = Arc::default();
    let server = {
        let seen = Arc::clone(&seen);
        Server::reading(move |stream, head| {
            let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
            let port = stream.peer_addr().map_or(0, |peer| peer.port());
            seen.lock().unwrap().push((port, path.clone()));
            let response = format!(
                "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{path}",
                path.len()
            );
            stream.write_all(response.as_bytes()).is_ok()
        })
    };
    (server, seen)
}

fn sent(exchange: Exchange, connections: u32, threads: usize, count: u64) -> (Outcome, Seen) {
    let (server, seen) = recording();
    let mut config = config(server.address, connections, Until::Requests(count));
    config.threads = threads;
    config.exchange = exchange;
    let outcome = load(&config);
    let seen = seen.lock().unwrap().clone();
    (outcome, seen)
}

#[test]
fn one_thread_sends_them_in_order_over_all_connections() {
    let list = (0..5).map(|n| listed(&format!("/{n}"), 1)).collect();
    let (outcome, seen) = sent(requests(list, Order::InOrder, false), 1, 1, 12);
    assert_eq!((outcome.requests, outcome.errors.len()), (12, 0));
    let paths: Vec<&str> = seen.iter().map(|(_, path)| &**path).collect();
    assert_eq!(
        paths,
        [
            "/0", "/1", "/2", "/3", "/4", "/0", "/1", "/2", "/3", "/4", "/0", "/1"
        ]
    );
    // Several connections of two threads: each is sent as often as each other.
    let list = (0..5).map(|n| listed(&format!("/{n}"), 1)).collect();
    let (_, seen) = sent(requests(list, Order::InOrder, false), 6, 1, 500);
    let mut counts = BTreeMap::new();
    seen.iter()
        .for_each(|(_, path)| *counts.entry(path).or_insert(0) += 1);
    assert!(counts.values().all(|count| *count == 100), "{counts:?}");
}

#[test]
fn each_connection_can_go_through_them_by_itself() {
    let list = (0..3).map(|n| listed(&format!("/{n}"), 1)).collect();
    let (_, seen) = sent(requests(list, Order::InOrder, true), 4, 2, 200);
    let mut by_connection: BTreeMap<u16, Vec<&str>> = BTreeMap::new();
    for (port, path) in &seen {
        by_connection.entry(*port).or_default().push(path);
    }
    assert_eq!(by_connection.len(), 4);
    for paths in by_connection.values() {
        for (at, path) in paths.iter().enumerate() {
            assert_eq!(*path, format!("/{}", at % 3));
        }
    }
}

#[test]
fn weights_decide_how_often_each_is_sent() {
    let weights = [1, 2, 7];
    let list = weights
        .iter()
        .map(|&weight| listed(&format!("/{weight}"), weight));
    let (outcome, seen) = sent(
        requests(list.collect(), Order::Weighted, false),
        3,
        1,
        6_000,
    );
    assert_eq!((outcome.requests, outcome.errors.len()), (6_000, 0));
    let chi: f64 = (weights.iter())
        .map(|&weight| {
            let path = format!("/{weight}");
            let got = seen.iter().filter(|(_, seen)| *seen == path).count() as f64;
            let expected = 600.0 * f64::from(weight);
            (got - expected).powi(2) / expected
        })
        .sum();
    // 2 degrees of freedom, 99.9%. The seed fixes the draws.
    assert!(chi < 13.8, "{chi}");
}

#[test]
fn each_response_is_held_to_its_own_expectation() {
    let with = |path: &str, expect: Expect| Listed {
        expect,
        ..listed(path, 1)
    };
    let body = |text: &str| Expect {
        body: Some(text.into()),
        ..Expect::default()
    };
    let list = vec![
        with("/a", body("/a")),
        // Equal in length to the one before and to the one after.
        with("/b", body("/x")),
        with("/c", Expect::default()),
        with(
            "/d",
            Expect {
                status: Some(201),
                ..Expect::default()
            },
        ),
        with(
            "/{counter}",
            Expect {
                contains: Recall::parse("/{counter}"),
                ..Expect::default()
            },
        ),
    ];
    let (outcome, seen) = sent(requests(list, Order::InOrder, false), 1, 1, 50);
    assert_eq!(outcome.requests, 50);
    let count = |kind| outcome.errors.get(&kind).copied().unwrap_or_default();
    assert_eq!((count(ErrorKind::Body), count(ErrorKind::Status)), (10, 10));
    assert_eq!(outcome.errors.len(), 2, "{:?}", outcome.errors);
    let says = support::first_error(&outcome);
    assert_eq!(says, "body differs at byte 1: expected \"x\", got \"b\"");
    let numbers: Vec<&str> = (seen.iter().skip(4).step_by(5))
        .map(|(_, path)| &**path)
        .collect();
    assert_eq!(numbers[..3], ["/1", "/2", "/3"]);
}

#[test]
fn more_requests_than_are_remembered_are_each_held_to_their_own_expectation() {
    let with_body = |n: usize, body: String| Listed {
        expect: Expect {
            body: Some(body.into_bytes()),
            ..Expect::default()
        },
        ..listed(&format!("/{n}"), 1)
    };
    // All responses are equally long, and have equal heads; every seventh expects the body of another.
    let list = (1_000..1_700).map(|n| match n % 7 {
        0 => with_body(n, format!("/{}", n + 1)),
        // Some share a rule.
        1 | 2 => listed(&format!("/{n}"), 1),
        _ => with_body(n, format!("/{n}")),
    });
    let list = requests(list.collect(), Order::InOrder, false);
    let (outcome, _) = sent(list, 2, 1, 1_400);
    assert_eq!(outcome.requests, 1_400);
    let errors: Vec<_> = outcome.errors.into_iter().collect();
    assert_eq!(errors, [(ErrorKind::Body, 200)]);
}

#[test]
fn a_list_that_cannot_be_is_refused_by_its_request() {
    let server = Server::responding(support::HELLO);
    let refused = |list| {
        let mut config = config(server.address, 1, Until::Requests(1));
        config.exchange = requests(list, Order::InOrder, false);
        run(&config, &Control::default()).unwrap_err().to_string()
    };
    assert_contains(&refused(Vec::new()), "at least one request");
    let space = refused(vec![listed("/", 1), listed("/a b", 1)]);
    assert_contains(&space, "request 2 of list: the request's path \"/a b\"");
}
