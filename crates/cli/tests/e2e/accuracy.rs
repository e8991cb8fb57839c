//! What `load` reports against what the server noted itself: the kernel's stamp of each request's
//! arrival, and the time at which the answer was written.

use serde_json::Value;

use crate::support::{Server, Yard};

/// Told and true may differ by this many microseconds …
const MICROSECONDS: f64 = 20.0;
/// … or by this share, whichever is more.
const SHARE: f64 = 0.02;

/// On a machine whose two cores are wanted by others, an answer may wait between the server's note
/// and its sending, and a request between its sending and its arrival: that is neither's fault, so
/// the best of so many runs counts. The bound itself stays.
const RUNS: usize = 8;

fn off(told: &Value, truth: &Value, percentile: &str) -> Result<(), String> {
    let get = |from: &Value| from[percentile].as_f64().expect("a number");
    let (told, truth) = (get(&told["latency_us"]), get(truth));
    let allowed = MICROSECONDS.max(SHARE * truth);
    if (told - truth).abs() <= allowed {
        Ok(())
    } else {
        Err(format!(
            "{percentile}: told {told} µs, true {truth} µs, allowed ± {allowed:.1} µs"
        ))
    }
}

fn tells_the_truth(connections: &str) {
    let yard = Yard::new();
    let mut wrong = Vec::new();
    for _ in 0..RUNS {
        let server = Server::start(
            &yard,
            &[
                "delay",
                "--delay",
                "1ms",
                "--slow",
                "20ms",
                "--slow-one-in",
                "50",
            ],
        );
        let ended = yard.run(&[
            "load",
            &server.url("/plaintext"),
            "-c",
            connections,
            "-d",
            "1s",
            "--json",
        ]);
        let told = ended.code(0).json();
        let truth = server.truth();
        // All that was asked is in both records: the same requests are compared.
        assert_eq!(told["requests"], truth["requests"]);
        let offs = ["p50", "p99"].map(|percentile| off(&told, &truth, percentile));
        if offs.iter().all(Result::is_ok) {
            return;
        }
        wrong.extend(offs.into_iter().filter_map(Result::err));
    }
    panic!("no run of {RUNS} at {connections} connections told the truth: {wrong:#?}");
}

#[test]
fn at_10_connections() {
    tells_the_truth("10");
}

#[test]
fn at_100_connections() {
    tells_the_truth("100");
}
