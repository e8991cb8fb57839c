//! Protocol buffers: what a method of gRPC takes and returns, and messages from their JSON to the bytes that are sent.
//!
//! JSON is that of protobuf (<https://protobuf.dev/programming-guides/json/>). In its strings, and in strings that stand for whole
//! numbers, places may be filled in anew for each call (`{random:1..100}`, `{counter}`), as in the bodies of HTTP requests.

mod call;
mod error;
mod pieces;
mod schema;

pub use call::{Stated, call};
pub use error::Error;
pub use schema::{Method, Reply, Schema};
