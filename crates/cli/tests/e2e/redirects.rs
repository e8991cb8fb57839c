//! `--follow-redirects`: what redirects lead to is loaded, and the output says so.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;

use crate::support::Yard;

/// A server that redirects `/old` to `/new`, and responds to everything else.
fn server() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || speak(stream));
        }
    });
    address
}

/// Responds on one connection; every request comes in one piece.
fn speak(mut stream: TcpStream) {
    let mut buffer = [0; 4096];
    while let Ok(length @ 1..) = stream.read(&mut buffer) {
        let status = match buffer[..length].starts_with(b"GET /old ") {
            true => "301 Moved Permanently\r\nLocation: /new",
            false => "200 OK",
        };
        let response = format!("HTTP/1.1 {status}\r\nContent-Length: 2\r\n\r\nhi");
        if stream.write_all(response.as_bytes()).is_err() {
            return;
        }
    }
}

#[test]
fn redirects_are_followed_before_a_load_if_that_is_asked_for() {
    let yard = Yard::new();
    let url = format!("http://{}/old", server());
    let asked = ["load", &url, "-c", "2", "-n", "50"];
    yard.run(&asked)
        .code(3)
        .says(&["301 (a redirect)", "--follow-redirects"]);
    let ended = yard.run(&[&asked[..], &["--follow-redirects"]].concat());
    let ended = ended
        .code(0)
        .says(&["redirected to /new, which was loaded"]);
    assert!(ended.out.contains("no errors"), "{}", ended.out);
}

#[test]
fn a_race_loads_what_each_server_redirects_to() {
    let yard = Yard::new();
    let urls = [server(), server()].map(|address| format!("http://{address}/old"));
    let [a, b] = &urls;
    let asked = ["--url", a, "--url", b, "-n", "a,b"];
    yard.compare(&asked).code(3).says(&["301 (a redirect)"]);
    let ended = yard.compare(&[&asked[..], &["--follow-redirects"]].concat());
    ended.code(0).says(&[
        "a redirects to /new, which is loaded",
        "b redirects to /new, which is loaded",
    ]);
}
