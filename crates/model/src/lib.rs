//! The records of a results folder, as they are written to disk.
//!
//! | file | record |
//! |---|---|
//! | `study.json` | [`StudyRecord`] |
//! | `environment.json` | [`Environment`] |
//! | `measurements.jsonl` | one [`Line`] a measurement |
//! | `trials.jsonl` | one [`TrialRecord`] a trial |
//! | `time-over.jsonl` | one [`TimeOver`] each time that there was no time for all rounds |
//!
//! Times carry their unit in the name: `_s` seconds, `_us` microseconds. Shares are fractions
//! of one, never percentages. A figure that could not be had is `null`, never zero or NaN.

#![forbid(unsafe_code)]

mod address;
pub mod amount;
pub mod bytes;
pub mod capacity;
pub mod duration;
mod environment;
pub mod files;
pub mod finding;
pub mod folded;
mod generator;
pub mod interference;
pub mod kubernetes;
mod layer;
mod load;
mod measurement;
pub mod message;
pub mod metric;
pub mod network;
pub mod notice;
pub mod objective;
mod overloaded;
mod place;
mod profile;
pub mod request;
mod rules;
#[cfg(any(test, feature = "samples"))]
pub mod samples;
pub mod secret;
pub mod settings;
pub mod slurm;
mod stalls;
pub mod store;
mod study;
pub mod text;
mod time_over;
mod times;
pub mod tls;
mod trial;
mod turns;
pub mod units;
mod usage;
pub mod version;
mod wait;
mod worded;

pub use photofinish_stats::ClaimDirection;

pub use address::{Address, InvalidSocketPath, LONGEST_SOCKET_PATH};
pub use environment::{Environment, GeneratorMachine, Machines};
pub use generator::{ArrivalClock, Generator, GeneratorPart, Late, STANDSTILL_US, StoodStill};
pub use interference::{Disturbed, DisturbedTurns};
pub use layer::Layer;
pub use load::{Arrivals, Load, SHORTEST_LOAD, Search, Stage};
pub use measurement::{Edges, FirstError, Line, Measurement, Opened, Opening, Steadiness, Window};
pub use metric::Metric;
pub use objective::Objective;
pub use overloaded::Overloaded;
pub use place::{NextPlace, Place, Places};
pub use profile::Profile;
pub use request::{
    Blank, Exchange, Expect, Form, Grpc, HIGHEST_WEIGHT, Listed, Login, MOST_REQUEST_BYTES,
    MOST_REQUESTS, MOST_STREAMS, Message, Order, Part, Payload, Piece, Recall, Replies, Request,
    Requests, SHORTEST_TIMEOUT, Same, Take, Template, Version, WebSocket,
};
pub use rules::{Check, check};
pub use secret::{Secret, SecretRecord};
pub use stalls::Stalls;
pub use study::{
    Claim, RequestDigests, Revision, Role, ServiceRecord, StudyRecord, Sweep, TargetRecord,
    WorkloadRecord,
};
pub use time_over::TimeOver;
pub use times::{Lag, Latency};
pub use tls::{Identity, Tls, TlsVersion, Trust};
pub use trial::{TrialRecord, Verified, Warmup};
pub use turns::{OnePiece, Turn, Turns, TurnsBlock};
pub use usage::{BusyProcess, MachineUse, ServerUse};
pub use wait::{Wait, Waits};
pub use worded::Worded;

/// The version of the format of results folders. Fields may be added without a new version.
pub const VERSION: u32 = 1;
