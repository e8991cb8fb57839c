//! What `load` reports against what the server noted itself: the kernel's stamp of each request's
//! arrival, and the time at which the response was written.

use serde_json::Value;

use crate::support::{Server, Yard};

/// Reported and true may differ by this many microseconds …
const MICROSECONDS: f64 = 20.0;
/// … or by this share, whichever is more.
const SHARE: f64 = 0.02;

/// A freeze is reported within this share of what arithmetic says.
const FREEZE_SHARE: f64 = 0.05;

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

/// A way to speak with the `delay` server.
#[derive(Clone, Copy)]
pub struct LoadSetup {
    scheme: &'static str,
    path: &'static str,
    connections: &'static str,
    /// The server's usual and slow delays.
    delays: (&'static str, &'static str),
    /// Further flags of server and load.
    serve: &'static str,
    load: &'static str,
}

const HTTP1: LoadSetup = LoadSetup {
    scheme: "http",
    path: "/plaintext",
    connections: "10",
    delays: ("1ms", "20ms"),
    serve: "",
    load: "",
};

pub const TLS: LoadSetup = LoadSetup {
    scheme: "https",
    connections: "50",
    serve: "--tls",
    load: "--insecure",
    ..HTTP1
};

/// The kernel keeps no time of arrival there: until a thread is woken, which takes tens of microseconds on a machine that has nothing
/// else to do and hundreds on a virtual one whose cores sleep, a request is in no record of the server's, and a response is still on its way.
pub const UNIX_SOCKET: LoadSetup = LoadSetup {
    delays: ("40ms", "160ms"),
    serve: "--unix-socket server.sock",
    load: "--unix-socket server.sock",
    ..HTTP1
};

/// Ten requests in flight on each of ten connections. A hundred requests at once every millisecond are more than what is built for
/// debugging keeps up with: on a slow core the ten requests of a connection take the generator 0.3 ms, and with TLS 0.7 ms, from the
/// first that is put together until all are written.
const TEN_BY_TEN: LoadSetup = LoadSetup {
    delays: ("50ms", "200ms"),
    ..HTTP1
};

pub const HTTP2: LoadSetup = LoadSetup {
    serve: "--http2",
    load: "--http2 --streams 10",
    ..TEN_BY_TEN
};

const HTTP2_TLS: LoadSetup = LoadSetup {
    scheme: "https",
    serve: "--http2 --tls",
    load: "--http2 --streams 10 --insecure",
    ..TEN_BY_TEN
};

/// Calls, whose message must come back.
const GRPC: LoadSetup = LoadSetup {
    scheme: "grpc",
    path: "/echo.Echo/Unary",
    serve: "--http2",
    load: "--streams 10 --body hello --expect-body hello",
    ..TEN_BY_TEN
};

pub const GRPC_TLS: LoadSetup = LoadSetup {
    scheme: "grpcs",
    serve: "--http2 --tls",
    load: "--insecure --streams 10 --body hello --expect-body hello",
    ..GRPC
};

/// Messages, whose echoes come in their order: one behind a slow one is as late.
const WEBSOCKET: LoadSetup = LoadSetup {
    scheme: "ws",
    serve: "--websocket",
    load: "--streams 10 --size 64",
    ..TEN_BY_TEN
};

pub const WEBSOCKET_TLS: LoadSetup = LoadSetup {
    scheme: "wss",
    serve: "--websocket --tls",
    load: "--streams 10 --size 64 --insecure",
    ..TEN_BY_TEN
};

impl LoadSetup {
    /// A `delay` server with these flags, and what so much load, by these flags, reports of it, with this exit code.
    fn load(self, yard: &Yard, serve: &str, load: &str, code: i32) -> (Server, Value) {
        let server = Server::start(yard, &format!("delay {serve} {}", self.serve));
        let url = server.url(self.path);
        let (_, rest) = url.split_once("://").expect("a URL");
        let url = format!("{}://{rest}", self.scheme);
        let (connections, flags) = (self.connections, self.load);
        let ended = yard.run(&format!(
            "load {url} -c {connections} --json {load} {flags}"
        ));
        let reported = ended.code(code).json();
        (server, reported)
    }

    /// Whatever is late, and by how much, is so in both records.
    pub fn measures_the_truth(self) {
        let (usual, slow) = self.delays;
        let delays = format!("--slow-one-in 50 --delay {usual} --slow {slow}");
        best_of_some(|yard| {
            let (server, reported) = self.load(yard, &delays, "-d 1s", 0);
            let truth = server.truth();
            // All that was asked is in both records: the same requests are compared.
            assert_eq!(reported["requests"], truth["requests"]);
            ["p50", "p90", "p99"]
                .into_iter()
                .try_for_each(|percentile| off(&reported, &truth, percentile))
        });
    }

    /// A server that freezes once for a second, in an open loop: who was due in that second has waited.
    pub fn measures_a_freeze(self) {
        let freeze = "--slow-one-in 0 --delay 1ms --freeze-after 500ms --freeze-for 1s";
        let rate = "--rate 500 --arrivals constant -d 2s";
        // The longest of a hundred were due in the first 0.01 × 2 s of the freeze.
        let expected = 1e6 - 0.02e6 + 1e3;
        best_of_some(|yard| {
            // A second without a response in a window of two is an outage: exit code 1.
            let (_server, reported) = self.load(yard, freeze, rate, 1);
            assert_eq!(reported["requests"], 1_000);
            assert_eq!(reported["errors"], serde_json::json!({}));
            // Whoever looks from outside sees one stall, from the last response before it to the first after it.
            let stalls = &reported["stalls"];
            let longest = stalls["longest_s"].as_f64().expect("a number");
            if stalls["count"] != 1 || !(0.99..1.05).contains(&longest) {
                return Err(format!("stalls: {stalls}"));
            }
            let p99 = reported["latency_us"]["p99"].as_f64().expect("a number");
            match (p99 / expected - 1.0).abs() <= FREEZE_SHARE {
                true => Ok(()),
                false => Err(format!("p99: reported {p99} µs, expected {expected} µs")),
            }
        });
    }
}

fn best_of_some(mut run: impl FnMut(&Yard) -> Result<(), String>) {
    let yard = Yard::new();
    let mut wrong = Vec::new();
    for _ in 0..RUNS {
        match run(&yard) {
            Ok(()) => return,
            Err(says) => wrong.push(says),
        }
    }
    panic!("no run of {RUNS} measured the truth: {wrong:#?}");
}

/// A test for each way.
macro_rules! tests {
    ($($name:ident: $way:expr, $measures:ident;)+) => {
        $(
            #[test]
            fn $name() {
                $way.$measures();
            }
        )+
    };
}

tests! {
    at_10_connections: HTTP1, measures_the_truth;
    at_100_connections: LoadSetup { connections: "100", ..HTTP1 }, measures_the_truth;
    over_a_unix_socket: UNIX_SOCKET, measures_the_truth;
    over_tls: TLS, measures_the_truth;
    over_http2_and_tls: HTTP2_TLS, measures_the_truth;
    of_calls_over_grpc: GRPC, measures_the_truth;
    of_messages_over_websocket: WEBSOCKET, measures_the_truth;
    of_a_freeze: HTTP1, measures_a_freeze;
    of_a_freeze_over_http2_and_tls: HTTP2_TLS, measures_a_freeze;
    of_a_freeze_over_grpc: GRPC, measures_a_freeze;
    of_a_freeze_over_websocket: WEBSOCKET, measures_a_freeze;
}

#[test]
fn over_tls_with_a_connection_for_each_request() {
    let yard = Yard::new();
    let server = Server::start(&yard, &["event-loop", "--threads", "1", "--tls"]);
    let url = server.url("/plaintext");
    let load = |flags: &str| {
        let ended = yard.run(&format!("load {url} --insecure -c 4 -n 400 --json {flags}"));
        ended.code(0).json()
    };
    let kept = load("");
    let count = |of: &Value, kind: &str| of["opening"][kind]["count"].as_u64().unwrap_or(0);
    assert_eq!(count(&kept, "connect"), 4);
    assert_eq!(count(&kept, "tls_full") + count(&kept, "tls_resumed"), 4);
    let resumed = load("--no-keepalive");
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
    let full = load("--no-keepalive --full-handshakes");
    assert!(count(&full, "tls_full") >= 400, "{}", full["opening"]);
    assert!(full["opening"]["tls_resumed"].is_null());
}
