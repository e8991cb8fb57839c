//! Servers that listen at either of this machine's own addresses.

use std::net::TcpListener;

use crate::changing;
use crate::support::{Yard, measurements};

/// A server that listens at `::1` alone, as one of Node.js does that is told `localhost`, is found there.
#[test]
fn a_server_is_reached_at_the_loopback_address_at_which_it_listens() {
    if let Err(error) = TcpListener::bind("[::1]:0") {
        println!("not tried: this machine has no ::1: {error}");
        return;
    }
    let yard = Yard::new();
    for (name, at) in [("four", "127.0.0.1"), ("six", "::1")] {
        yard.target(name, &changing::target("not", at));
    }
    yard.study("s", &["four", "six"], "expect = { status = 200 }");
    yard.run(&["run", "s"]).code(0);
    let lines = measurements(&yard.result("s"));
    let requests = |target: &str| {
        let mut of = lines.iter().filter(|line| line["target"] == target);
        of.all(|line| line["measurement"]["requests"].as_u64() > Some(0))
    };
    assert!(requests("four") && requests("six"), "{lines:?}");
}
