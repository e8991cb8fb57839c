//! Where the CPU time of a process tree goes: call stacks sampled by the kernel's clock, named, folded, and counted by layer.
//!
//! A [`Sampler`] lets the kernel note, 499 times for each second that a core is busy, which process runs there and by which calls it got
//! there (`perf_event_open`, software event `cpu-clock`, which needs no hardware counter). What was noted of the processes that are
//! asked for is named ([`Sampler::fold`]) and kept as [`Stacks`]: folded, `a;b;c N` a line, as flame graph tools and speedscope read
//! them. [`layers`] says what each stack was doing.
//!
//! What a Java virtual machine compiles has names for that machine alone: an [agent](java::Agent) in it knows them, and its stacks are put
//! below those of the kernel ([`graft`]).
//!
//! The events belong to cores, not to threads: a thread's own clock stalls while the thread does, and starts anew with at least
//! 10 µs, so that a thread which always runs for less would never be seen.

mod family;
mod fold;
mod graft;
pub mod java;
pub mod layers;
mod perf;
mod perf_map;
mod ring;
mod sampled;
mod sampler;
mod symbols;
pub mod waits;

pub use fold::{MAX_STACKS, Stacks};
pub use graft::graft;
pub use perf::Refused;
pub use sampled::Sampled;
pub use sampler::{Sampler, kind_of_thread};

use serde::{Deserialize, Serialize};

/// How often a busy core is looked at, in hertz: no divisor of the kernel's tick or of what programs do each millisecond.
pub const HERTZ: u32 = 499;
/// How often a thread is looked at, in hertz, whether it runs or waits, at most: a server may have hundreds.
pub const WALL_HERTZ: u32 = 49;

/// By which clock a server's threads are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SampleClock {
    /// The CPU time that passes: what its cores run.
    Cpu,
    /// The time that passes: each of its threads, whether that runs or waits. Only if an [agent](java::Agent) looks.
    Wall,
}
