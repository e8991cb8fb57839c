#![no_main]

use libfuzzer_sys::fuzz_target;
use photofinish_fuzz_support::{ALONE, in_any_pieces, over_http2};
use photofinish_load::grpc::Speaker;
use photofinish_model::{Expect, Grpc, Payload};

#[path = "../support.rs"]
mod photofinish_fuzz_support;

const STREAMS: u32 = 3;

fuzz_target!(|input: (Vec<u8>, Vec<u8>)| {
    let (cuts, bytes) = input;
    let call = Grpc {
        path: "/p.S/M".to_owned(),
        headers: Vec::new(),
        message: Payload::fixed("m"),
        messages: Some(1),
        expect: Expect::default(),
        streams: STREAMS,
    };
    in_any_pieces(&bytes, &cuts, |pieces| {
        let speaker = Speaker::of(&call, ("http", "h"), 0, ALONE, None).expect("valid");
        over_http2(speaker, STREAMS, pieces)
    });
});
