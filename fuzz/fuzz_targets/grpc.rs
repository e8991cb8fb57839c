//! Any bytes from a server of gRPC, in any pieces, give the same responses as the whole; none makes the client panic,
//! use bytes that it was not given, or hold more than its limits.
#![no_main]

use libfuzzer_sys::fuzz_target;
use photofinish_fuzz_support::{ALONE, cut};
use photofinish_load::grpc::Speaker;
use photofinish_load::protocol::{Progress, Protocol, Response, Ticket};
use photofinish_model::{Expect, Grpc, Payload};

#[path = "../support.rs"]
mod photofinish_fuzz_support;

/// A server's first words: SETTINGS without a setting.
const SETTINGS: &[u8] = b"\0\0\0\x04\0\0\0\0\0";
const STREAMS: u32 = 3;

fn heard(pieces: &[&[u8]]) -> (Vec<(u32, Response)>, bool) {
    let call = Grpc {
        path: "/p.S/M".to_owned(),
        headers: Vec::new(),
        message: Payload::fixed("m"),
        messages: Some(1),
        expect: Expect::default(),
        streams: STREAMS,
    };
    let mut speaker = Speaker::of(&call, ("http", "h"), 0, ALONE, None).expect("valid");
    let mut state = speaker.state(0);
    let (mut out, mut responses) = (Vec::new(), Vec::new());
    speaker.opened(&mut state, &mut out);
    assert_eq!(
        speaker.receive(&mut state, SETTINGS, &mut out),
        Progress::More
    );
    for ticket in 0..STREAMS {
        speaker.request(&mut state, Ticket(ticket));
    }
    for piece in pieces {
        let mut rest = *piece;
        loop {
            out.clear();
            match speaker.receive(&mut state, rest, &mut out) {
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
