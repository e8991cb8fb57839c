//! What the CPU time of a server is spent on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What CPU time was spent on. Each sample of a profile belongs to one.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    /// The kernel receiving: from the packet's arrival to the program's buffer.
    KernelReceive,
    /// The kernel sending.
    KernelSend,
    /// Waiting and waking: epoll, futex, the scheduler.
    Waiting,
    /// Memory: page faults, mapping.
    Memory,
    /// All else that the kernel does.
    KernelOther,
    /// TLS and its cryptography.
    Tls,
    /// The runtime: garbage collector, just-in-time compiler, allocator, the C library on its own.
    Runtime,
    /// The framework, by package, crate or module.
    Framework,
    /// The program itself.
    Application,
    /// Code compiled at run time that gives no names, such as a JVM's: application, framework and library alike.
    Compiled,
    /// What has no name.
    Unknown,
}

impl Layer {
    /// All of them, in the order in which they are shown.
    pub const ALL: &[Layer] = &[
        Layer::KernelReceive,
        Layer::KernelSend,
        Layer::Waiting,
        Layer::Memory,
        Layer::KernelOther,
        Layer::Tls,
        Layer::Runtime,
        Layer::Framework,
        Layer::Application,
        Layer::Compiled,
        Layer::Unknown,
    ];
}
