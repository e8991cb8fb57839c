//! The load generator: sends requests over many connections and measures exactly when each response arrived.
//!
//! It knows nothing of studies or of how servers are started. One thread a core runs its own
//! event loop; protocols are state machines without I/O. Linux only: arrivals are stamped by the kernel
//! (`SO_TIMESTAMPNS`), and where it does not, by the clock at reading.
//!
//! A [`Session`] keeps its threads and connections from one [`Slice`] of load to the next; [`run`] is a session of one slice.
//!
//! # What is counted
//!
//! - All connections are opened first; before a later slice those that the server has closed since, which is no error and
//!   counts among the `reconnects`. Then load begins on all threads at one instant. The window opens
//!   `lead_in` later and closes after `Until::Elapsed`. With `Until::Requests` there is no lead-in, exactly so many
//!   requests are sent, and the window closes with the last response; when the server cannot be reached for
//!   as long as the timeout, the run ends early.
//! - A request belongs to the window when it was *due* in it: in a closed loop when it was sent, in an open loop by
//!   the schedule. All of the window's requests are followed to their end and counted in `requests`, `latency` (from
//!   the due time) and `service` (from the send), whether they ended well or badly: a response that is not as expected enters with its
//!   time, a request that timed out with the time that was really waited. One that never got a response (its connection was lost, or
//!   the run ended first) is given to the times above the one that it had waited (see `censored`). Only a request that was never sent
//!   has no service time.
//! - `responses_in_window` are the good responses that arrived in the window, whenever their requests were due: throughput
//!   is that over `duration`.
//! - When the window has closed nothing more falls due. Responses to the window's requests that come later are `drained`; a
//!   request that reaches its timeout meanwhile is a `timeout`. What fell due in the window of an open loop and found no
//!   free connection by its end, or is without a response one timeout after it, is `censored`.
//! - A response that is good and yet not as it was when the server was verified ([`Baseline`]) is good, and counted as
//!   `changed` too. Without a baseline, and if nothing states what bodies are, their lengths are compared with the first one's; a thread whose
//!   first 100 responses have several lengths ends that for all threads.
//! - A connection that cannot be opened counts in `errors` and not in `requests`, for nothing was sent; the next attempt
//!   comes 10 ms later, then 20, up to a second. One that the server closes before it has served is opened again after the
//!   same pauses, counted from the attempt; one that has served at once. Errors of the start and of the lead-in count too, for a connection that
//!   is missing touches the window. Bytes without a request are an error beside the requests likewise.
//! - The time to reconnect is no part of a closed loop's latencies; it is part of an open loop's.
//! - In an open loop the schedule begins with the lead-in, which runs at the first stage's starting rate; the stages
//!   begin with the window; after the last one its final rate holds. A request that is due takes a free
//!   connection of its thread or waits for one. None is skipped: waiting costs no memory, because what is due is
//!   always the schedule's next.
//! - A request that is sent 0.1 ms late or more though its connection was free is `late`: its thread did not run. So is what fell due
//!   behind it, sent or not, for as long as it waited for that reason. The response times hold all of it; `late` has them without.
//! - Seconds (`Window`) are cut where a thread reads its responses, so that a response read just after a second's end counts
//!   for the next. The whole window is cut exactly, by the times of arrival.
//!
//! - Several generators may send a load together: each has a [`Share`], all begin at one instant (`Slice::begin`), so that their windows
//!   are one, and what came of it is put together ([`Outcome::together`]).
//! - `kernel_timestamps` is false, and there is no `lag`, as soon as one response of the window came without the kernel's
//!   stamp: the end of a body that only the close of the connection ends never has one.
//!
//! Latency is never corrected afterwards.

#![warn(missing_docs)]

mod affinity;
mod baseline;
mod censored;
mod clock;
mod complaint;
mod config;
mod control;
pub mod echo;
mod error;
mod files;
mod gather;
pub mod grpc;
mod histogram;
pub mod http;
pub mod http2;
mod limits;
mod marks;
pub mod once;
mod outcome;
mod pacing;
mod payload;
mod poll;
mod ports;
pub mod protocol;
mod protocols;
mod reader;
mod record;
mod run;
mod schedule;
mod sequence;
mod session;
mod socket;
mod template;
mod timer;
pub mod tls;
pub mod transport;
mod wake;
pub mod websocket;
mod worker;

pub use affinity::pin;
pub use baseline::{Baseline, Body};
pub use config::{Config, Share, Slice, Until};
pub use control::{Control, Mark};
pub use error::{ConfigError, Error};
pub use outcome::{
    Ahead, Compact, ErrorKind, Gap, Late, Lost, Opening, Outcome, Part, SliceStalls, side_by_side,
};
pub use ports::{ephemeral_range, none_free as no_local_port, own_addresses};
pub use run::run;
pub use session::Session;
pub use socket::await_stamps;
