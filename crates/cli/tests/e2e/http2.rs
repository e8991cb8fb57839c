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
    let flags = "--http2 --streams 10 -c 4 --expect-body hello";
    let measured = yard.load(&url, 20_000, flags);
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
    let server = Server::start(&yard, &["event-loop", "--threads", "1"]);
    let other = server.url("/plaintext");
    for (url, flags, code, says) in [
        (
            &few,
            "--http2 --streams 10 -d 300ms",
            3,
            &[
                "the server accepts 3 concurrent requests on a connection",
                "use 3 streams",
            ][..],
        ),
        (&other, "--http2 -d 300ms", 3, &["does not speak HTTP/2"]),
        (&few, "--streams 10", 2, &["--http2"]),
    ] {
        yard.run(&format!("load {url} {flags}"))
            .code(code)
            .says(says);
    }
}

#[test]
fn the_built_in_server_speaks_it_beside_http1() {
    let yard = Yard::new();
    let serve = ["event-loop", "--threads", "1", "--http2"];
    for (more, flags) in [
        (&[][..], ""),
        (&["--tls"], "--insecure"),
        (&["--unix-socket", "h2.sock"], "--unix-socket h2.sock"),
    ] {
        let server = Server::start(&yard, &[&serve[..], more].concat());
        let url = server.url("/plaintext");
        for more in [
            "",
            "--http2 --streams 10",
            "--http2 --streams 10 -m POST --body '{counter} and so on'",
        ] {
            let body = "-c 4 --expect-body 'Hello, World!'";
            yard.load(&url, 2_000, &format!("{body} {flags} {more}"));
        }
    }
    let server = Server::start(&yard, &serve);
    let url = server.url("/sleep?ms=20");
    let measured = yard.load(&url, 40, "-c 1 --http2 --streams 20");
    // Twenty wait together: forty take two of them, not forty.
    let took = measured["duration_s"].as_f64().expect("a number");
    assert!((0.04..0.4).contains(&took), "{measured}");
    let says = ["--http2", "event-loop and delay"];
    yard.refuses("server thread-per-connection --http2", &says);
}

#[test]
fn one_server_is_compared_with_itself_over_the_other_version() {
    let yard = Yard::new();
    let serve = "{photofinish} server event-loop --threads 1 --http2 --port {port}";
    let compare = |flags: &str| {
        let url = "--url http://127.0.0.1:{port}/plaintext -n h1,h2";
        yard.compare(&format!("'{serve}' '{serve}' {url} {flags}"))
    };
    compare("--http2=h2 --streams 5 -c 20").code(0);
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
    for (flags, says) in [
        ("--http2=x -c 20", "no server is called `x`"),
        ("--http2=h1,h2 -c 20", "write --http2 alone"),
        ("--http2=h2 -c 7", "not a multiple of 5"),
    ] {
        compare(&format!("{flags} --streams 5"))
            .code(2)
            .says(&[says]);
    }
    let says = ["write --http2 alone"];
    yard.refuses("load http://127.0.0.1:1/ --http2=h2", &says);
}
