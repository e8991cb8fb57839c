//! What `load` reports against what the server noted itself: the kernel's stamp of each request's
//! arrival, and the time at which the response was written.

use serde_json::Value;

use crate::support::{Server, Yard};

/// Reported and true may differ by this many microseconds …
const MICROSECONDS: f64 = 20.0;
/// … or by this share, whichever is more.
const SHARE: f64 = 0.02;

/// On a machine whose two cores are wanted by others, a response may wait between the server's note
/// and its sending, and a request between its sending and its arrival: that is neither's fault, so
/// the best of so many runs counts. The bound itself stays.
const RUNS: usize = 8;

fn off(reported: &Value, truth: &Value, percentile: &str) -> Result<(), String> {
    let get = |from: &Value| from[percentile].as_f64().expect("a number");
    let (reported, truth) = (get(&reported["latency_us"]), get(truth));
    let allowed = MICROSECONDS.max(SHARE * truth);
    if (reported - truth).abs() <= allowed {
        Ok(())
    } else {
        Err(format!(
            "{percentile}: reported {reported} µs, true {truth} µs, allowed ± {allowed:.1} µs"
        ))
    }
}

fn measures_the_truth(connections: &str) {
    measures_the_truth_over(connections, &[], &[]);
}

/// With further flags of server and load.
fn measures_the_truth_over(connections: &str, serve: &[&str], load: &[&str]) {
    measures_the_truth_at(&|server| server.url("/plaintext"), connections, serve, load);
}

/// At this URL of the server.
fn measures_the_truth_at(
    url: &dyn Fn(&Server) -> String,
    connections: &str,
    serve: &[&str],
    load: &[&str],
) {
    let yard = Yard::new();
    let mut wrong = Vec::new();
    for _ in 0..RUNS {
        let usual = ["--delay", "1ms", "--slow", "20ms"];
        let delays = match serve.contains(&"--delay") {
            true => &[][..],
            false => &usual,
        };
        let delays = [&["delay", "--slow-one-in", "50"], delays].concat();
        let server = Server::start(&yard, &[&delays[..], serve].concat());
        let url = url(&server);
        let args = ["load", &url, "-c", connections, "-d", "1s", "--json"];
        let ended = yard.run(&[&args[..], load].concat());
        let reported = ended.code(0).json();
        let truth = server.truth();
        // All that was asked is in both records: the same requests are compared.
        assert_eq!(reported["requests"], truth["requests"]);
        let offs = ["p50", "p90", "p99"].map(|percentile| off(&reported, &truth, percentile));
        if offs.iter().all(Result::is_ok) {
            return;
        }
        wrong.extend(offs.into_iter().filter_map(Result::err));
    }
    panic!("no run of {RUNS} at {connections} connections measured the truth: {wrong:#?}");
}

#[test]
fn at_10_connections() {
    measures_the_truth("10");
}

#[test]
fn at_100_connections() {
    measures_the_truth("100");
}

#[test]
fn over_a_unix_socket() {
    // The kernel keeps no time of arrival there: until a thread is woken, which takes tens of microseconds on a machine that has
    // nothing else to do, a request is in no record of the server's, and a response is still on its way.
    let at = ["--unix-socket", "server.sock"];
    let later = ["--delay", "10ms", "--slow", "40ms"];
    measures_the_truth_over("10", &[&at[..], &later].concat(), &at);
}

/// A hundred requests at once every millisecond are more than what is built for debugging keeps up with: on a slow core the ten requests of a
/// connection take the generator 0.3 ms from the first that is put together until all are written.
const LATER_OVER_HTTP2: [&str; 5] = ["--http2", "--delay", "25ms", "--slow", "100ms"];

#[test]
fn over_http2_with_ten_streams_on_each_of_ten_connections() {
    measures_the_truth_over("10", &LATER_OVER_HTTP2, &["--http2", "--streams", "10"]);
}

#[test]
fn over_http2_and_tls() {
    let load = ["--http2", "--streams", "10", "--insecure"];
    let serve = [&LATER_OVER_HTTP2[..], &["--tls"]].concat();
    measures_the_truth_over("10", &serve, &load);
}

/// Ten calls in flight on each of ten connections, whose message must come back.
fn measures_the_truth_of_calls(scheme: &str, serve: &[&str], load: &[&str]) {
    let calls = [
        "--streams",
        "10",
        "--body",
        "hello",
        "--expect-body",
        "hello",
    ];
    measures_the_truth_at(
        &|server| format!("{scheme}://{}/echo.Echo/Unary", server.address),
        "10",
        &[&LATER_OVER_HTTP2[..], serve].concat(),
        &[&calls[..], load].concat(),
    );
}

#[test]
fn of_calls_over_grpc() {
    measures_the_truth_of_calls("grpc", &[], &[]);
}

#[test]
fn of_calls_over_grpc_and_tls() {
    measures_the_truth_of_calls("grpcs", &["--tls"], &["--insecure"]);
}

#[test]
fn over_tls() {
    measures_the_truth_over("50", &["--tls"], &["--insecure"]);
}

#[test]
fn over_tls_with_a_connection_for_each_request() {
    let yard = Yard::new();
    let server = Server::start(&yard, &["event-loop", "--threads", "1", "--tls"]);
    let url = server.url("/plaintext");
    let args = ["load", &url, "--insecure", "-c", "4", "-n", "400", "--json"];
    let kept = yard.run(&args).code(0).json();
    let count = |of: &Value, kind: &str| of["opening"][kind]["count"].as_u64().unwrap_or(0);
    assert_eq!(count(&kept, "connect"), 4);
    assert_eq!(count(&kept, "tls_full") + count(&kept, "tls_resumed"), 4);
    let closed = [&args[..], &["--no-keepalive"]].concat();
    let resumed = yard.run(&closed).code(0).json();
    assert_eq!(
        (&resumed["requests"], &resumed["errors"]),
        (&400.into(), &serde_json::json!({}))
    );
    assert!(count(&resumed, "connect") >= 400, "{}", resumed["opening"]);
    assert!(
        count(&resumed, "tls_resumed") >= 300,
        "{}",
        resumed["opening"]
    );
    let full = yard.run(&[&closed[..], &["--full-handshakes"]].concat());
    let full = full.code(0).json();
    assert!(count(&full, "tls_full") >= 400, "{}", full["opening"]);
    assert!(full["opening"]["tls_resumed"].is_null());
}
