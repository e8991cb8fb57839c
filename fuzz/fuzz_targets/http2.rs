//! Any bytes from a server of HTTP/2, in any pieces, give the same responses as the whole; none makes the client panic,
//! use bytes that it was not given, or hold more than its limits.
#![no_main]

use libfuzzer_sys::fuzz_target;
use photofinish_fuzz_support::{ALONE, cut};
use photofinish_load::http2::Http2;
use photofinish_load::protocol::{Progress, Protocol, Response, Ticket};
use photofinish_model::{Expect, Request};

#[path = "../support.rs"]
mod photofinish_fuzz_support;

/// A server's first words: SETTINGS without a setting.
const SETTINGS: &[u8] = b"\0\0\0\x04\0\0\0\0\0";
const STREAMS: u32 = 3;

fn heard(pieces: &[&[u8]]) -> (Vec<(u32, Response)>, bool) {
    let (request, expect) = (Request::get("/"), Expect::default());
    let mut http2 = Http2::new(&request, &expect, ("http", "h"), STREAMS, 0, ALONE).expect("valid");
    let mut state = http2.state(0);
    let (mut out, mut responses) = (Vec::new(), Vec::new());
    http2.opened(&mut state, &mut out);
    assert_eq!(
        http2.receive(&mut state, SETTINGS, &mut out),
        Progress::More
    );
    for ticket in 0..STREAMS {
        http2.request(&mut state, Ticket(ticket));
    }
    for piece in pieces {
        let mut rest = *piece;
        loop {
            out.clear();
            match http2.receive(&mut state, rest, &mut out) {
                Progress::More => break,
                Progress::Done {
                    used,
                    ticket,
                    response,
                } => {
                    rest = &rest[used..];
                    responses.push((ticket.0, response));
                }
                Progress::Last { used } => rest = &rest[used..],
                Progress::Broken(_) => return (responses, true),
            }
        }
    }
    (responses, false)
}

fuzz_target!(|input: (Vec<u8>, Vec<u8>)| {
    let (cuts, bytes) = input;
    let whole = heard(&[&bytes]);
    assert_eq!(heard(&cut(&bytes, &cuts)), whole);
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(heard(&single), whole);
});
