//! `photofinish load --http2` against the server of the `h2` library.

use std::net::{SocketAddr, TcpListener};
use std::thread;

use bytes::Bytes;
use http::Response;

use crate::support::{Server, Yard, all_good, measurements};

/// Responds to every request with `hello`. Ends with this process.
fn peer(streams: u32) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.set_nonblocking(true).expect("non-blocking");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.expect("a runtime").block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(async move {
                    let mut settings = h2::server::Builder::new();
                    settings.max_concurrent_streams(streams);
                    let Ok(mut connection) = settings.handshake::<_, Bytes>(stream).await else {
                        return;
                    };
                    while let Some(Ok((_, mut respond))) = connection.accept().await {
                        let head = Response::new(());
                        if let Ok(mut body) = respond.send_response(head, false) {
                            let _ = body.send_data(Bytes::from_static(b"hello"), true);
                        }
                    }
                });
            }
        });
    });
    address
}

fn url(address: SocketAddr) -> String {
    format!("http://{address}/")
}

#[test]
fn as_many_requests_as_asked_for_over_connections_and_streams() {
    let yard = Yard::new();
    let url = url(peer(100));
    let mut args = vec!["load", &url, "--http2", "--streams", "10", "-c", "4"];
    args.extend(["-n", "20000", "--expect-body", "hello", "--json"]);
    let measured = yard.run(&args).code(0).json();
    assert_eq!(measured["requests"], 20_000);
    assert_eq!(measured["status"]["200"], 20_000);
    assert_eq!(
        (&measured["streams"], &measured["connects"]),
        (&10.into(), &4.into())
    );
    let law = measured["checks"].as_array().expect("checks");
    let law = law.iter().find(|check| check["name"] == "littles-law");
    // All streams are accounted for, as far as so short a run can tell.
    assert_ne!(law.expect("Little's law")["ok"], false, "{measured}");
}

#[test]
fn what_stands_in_the_way_is_said() {
    let yard = Yard::new();
    let few = url(peer(3));
    let ended = yard.run(&["load", &few, "--http2", "--streams", "10", "-d", "300ms"]);
    ended.code(3).says(&[
        "the server accepts 3 concurrent requests on a connection",
        "use 3 streams",
    ]);
    let server = Server::start(&yard, &["event-loop", "--threads", "1"]);
    let ended = yard.run(&["load", &server.url("/plaintext"), "--http2", "-d", "300ms"]);
    ended.code(3).says(&["does not speak HTTP/2"]);
    let ended = yard.run(&["load", &few, "--streams", "10"]);
    ended.code(2).says(&["--http2"]);
}

#[test]
fn the_built_in_server_speaks_it_beside_http1() {
    let yard = Yard::new();
    let serve = ["event-loop", "--threads", "1", "--http2"];
    for (more, flags) in [
        (&[][..], &[][..]),
        (&["--tls"], &["--insecure"]),
        (&["--unix-socket", "h2.sock"], &["--unix-socket", "h2.sock"]),
    ] {
        let server = Server::start(&yard, &[&serve[..], more].concat());
        let url = server.url("/plaintext");
        let args = [&["-c", "4", "--expect-body", "Hello, World!"][..], flags].concat();
        let streams = ["--http2", "--streams", "10"];
        let posts = ["-m", "POST", "--body", "{counter} and so on"];
        for more in [&[][..], &streams, &[&streams[..], &posts].concat()] {
            yard.load(&url, 2_000, &[&args[..], more].concat());
        }
    }
    let server = Server::start(&yard, &serve);
    let url = server.url("/sleep?ms=20");
    let args = ["load", &url, "-c", "1", "-n", "40", "--json", "--http2"];
    let measured = yard
        .run(&[&args[..], &["--streams", "20"]].concat())
        .code(0)
        .json();
    // Twenty wait together: forty take two of them, not forty.
    let took = measured["duration_s"].as_f64().expect("a number");
    assert!((0.04..0.4).contains(&took), "{measured}");
    let says = yard.run(&["server", "thread-per-connection", "--http2"]);
    says.code(2).says(&["--http2", "event-loop and delay"]);
}

#[test]
fn one_server_is_compared_with_itself_over_the_other_version() {
    let yard = Yard::new();
    let serve = "{photofinish} server event-loop --threads 1 --http2 --port {port}";
    let url = "http://127.0.0.1:{port}/plaintext";
    let two = [serve, serve, "--url", url, "-n", "h1,h2"];
    let compare = |more: &[&str]| yard.compare(&[&two[..], more].concat());
    compare(&["--http2=h2", "--streams", "5", "-c", "20"]).code(0);
    let lines = measurements(&yard.result("compare"));
    assert_eq!(lines.len(), 4);
    all_good(&lines);
    for line in lines {
        let measured = &line["measurement"];
        // As many are in flight, at one level.
        let expected = match line["target"].as_str() {
            Some("h1") => (20, 1),
            _ => (4, 5),
        };
        let connections = measured["load"]["connections"].as_u64().expect("a number");
        // Left out where it is one.
        let streams = measured["streams"].as_u64().unwrap_or(1);
        assert_eq!((connections, streams), expected, "{line}");
        assert_eq!(line["load"]["connections"], 20);
    }
    let cases = [
        ("--http2=x", "20", "no server is called `x`"),
        ("--http2=h1,h2", "20", "write --http2 alone"),
        ("--http2=h2", "7", "not a multiple of 5"),
    ];
    for (flag, connections, says) in cases {
        let refused = compare(&[flag, "--streams", "5", "-c", connections]);
        refused.code(2).says(&[says]);
    }
    let load = ["load", "http://127.0.0.1:1/", "--http2=h2"];
    yard.run(&load).code(2).says(&["write --http2 alone"]);
}
