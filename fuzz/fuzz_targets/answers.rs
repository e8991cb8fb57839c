//! Any bytes, in any pieces, give the same responses as the whole; and none makes the parser panic, use bytes that
//! it was not given, or go on after it said that the connection is of no use.
#![no_main]

use libfuzzer_sys::fuzz_target;
use photofinish_fuzz_support::{Setting, conversation, in_any_pieces};

#[path = "../support.rs"]
mod photofinish_fuzz_support;

fuzz_target!(|input: (Setting, Vec<u8>, Vec<u8>)| {
    let (setting, cuts, bytes) = input;
    in_any_pieces(&bytes, &cuts, |pieces| conversation(&setting, pieces));
});
