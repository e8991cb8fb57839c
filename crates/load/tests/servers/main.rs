//! The load generator against servers of all kinds.
//!
//! One binary for all topics, a module each, so that they share one link and one set of helpers. bounded.rs, which counts all memory of its
//! process, and sessions.rs, which looks at all its threads, are others.

mod complaints;
mod counts;
mod docs;
mod echo;
mod goaway;
mod grpc;
mod hostile;
mod hostile_frames;
mod http2;
mod known_bugs;
mod reported;
mod requests;
mod second_opinion;
mod support;
mod timeouts;
mod tls;
mod varying;
mod websocket;
