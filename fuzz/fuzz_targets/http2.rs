#![no_main]

use libfuzzer_sys::fuzz_target;
use photofinish_fuzz_support::{ALONE, in_any_pieces, over_http2};
use photofinish_load::http2::Http2;
use photofinish_model::{Expect, Request};

#[path = "../support.rs"]
mod photofinish_fuzz_support;

const STREAMS: u32 = 3;

fuzz_target!(|input: (Vec<u8>, Vec<u8>)| {
    let (cuts, bytes) = input;
    let (request, expect) = (Request::get("/"), Expect::default());
    in_any_pieces(&bytes, &cuts, |pieces| {
        let speaker =
            Http2::new(&request, &expect, ("http", "h"), STREAMS, 0, ALONE).expect("valid");
        over_http2(speaker, STREAMS, pieces)
    });
});
