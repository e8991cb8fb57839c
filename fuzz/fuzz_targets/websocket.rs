//! Any frames from a server of WebSocket, in any pieces, give the same replies as the whole; none makes the client panic,
//! use bytes that it was not given, or hold more than its limits.
#![no_main]

use libfuzzer_sys::fuzz_target;
use photofinish_fuzz_support::{ALONE, feed_many, in_any_pieces};
use photofinish_load::protocol::{Progress, Protocol, Ticket};
use photofinish_load::websocket::WebSocket;
use photofinish_model::{Message, Request, Template, WebSocket as Wanted};

#[path = "../support.rs"]
mod photofinish_fuzz_support;

const STREAMS: u32 = 3;

/// A connection that the server has opened, with as many messages sent as may be.
fn open(text: bool) -> (WebSocket, <WebSocket as Protocol>::State) {
    let message = match text {
        true => Message::Text(Template::fixed("hello")),
        false => Message::Random { size: 5 },
    };
    let wanted = Wanted {
        opening: Request::get("/"),
        message,
        reply: None,
        streams: STREAMS,
    };
    let mut socket = WebSocket::new(&wanted, "h", 1, 0).expect("valid").at(ALONE);
    let mut state = socket.state(0);
    let mut out = Vec::new();
    socket.opened(&mut state, &mut out);
    let asked = String::from_utf8(out).expect("text");
    let (_, key) = asked.split_once("Key: ").expect("a key");
    let key = key.lines().next().expect("a line").as_bytes();
    let accept = tungstenite::handshake::derive_accept_key(key);
    let response = format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
    );
    let opened = socket.receive(&mut state, response.as_bytes(), &mut Vec::new());
    assert_eq!(opened, Progress::More);
    for ticket in 0..STREAMS {
        socket.request(&mut state, Ticket(ticket));
    }
    (socket, state)
}

fuzz_target!(|input: (bool, Vec<u8>, Vec<u8>)| {
    let (text, cuts, bytes) = input;
    in_any_pieces(&bytes, &cuts, |pieces| {
        let (mut socket, mut state) = open(text);
        feed_many(&mut socket, &mut state, pieces, |out| {
            // A pong for each ping, and no longer than that.
            assert!(out.len() <= 8 * 1024 * 1024);
        })
    });
});
