//! The network between load generators and servers, as it was before the first round.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How one load generator reaches the servers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Network {
    /// What the user calls the generator's machine.
    pub generator: String,
    /// How long an empty exchange takes; `null` where none came through.
    pub round_trip: Option<RoundTrip>,
    /// The interface by which the generator's machine reaches the servers; `null` where it is not known.
    pub generator_interface: Option<Interface>,
    /// The interface of the servers' machine that has the address to which load is sent; `null` where it is not known.
    pub server_interface: Option<Interface>,
}

/// How long a small request takes to a server that does next to nothing, one at a time, with nothing else on the network.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoundTrip {
    /// How many there were.
    pub exchanges: u64,
    /// The shortest, in microseconds.
    pub min_us: f64,
    /// The median.
    pub p50_us: f64,
    /// The 99th percentile.
    pub p99_us: f64,
}

/// A network interface.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Interface {
    /// Its name, such as `eth0`.
    pub name: String,
    /// What it is.
    pub kind: InterfaceKind,
    /// The speed that its device states, in millions of bits per second; `null` where there is none.
    pub mbit_per_s: Option<u64>,
}

/// What an interface is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InterfaceKind {
    /// The loopback interface: what is sent never leaves the machine.
    Loopback,
    /// One without a device below it, such as an end of a veth pair. The kernel may state a speed for it that means nothing.
    Virtual,
    /// One of a device, or on top of some.
    Device,
}

/// A network link that carried about as much as it can.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FullLink {
    /// Whose.
    pub machine: String,
    /// The name of its interface.
    pub interface: String,
    /// Its speed, in millions of bits per second.
    pub mbit_per_s: u64,
    /// The share of it that was used in one direction, headers of packets included.
    pub share: f64,
}

impl Network {
    /// Whether what is sent never leaves the machine, as far as that is known.
    pub fn is_loopback(&self) -> bool {
        let interface = self.generator_interface.as_ref();
        interface.is_some_and(|interface| interface.kind == InterfaceKind::Loopback)
    }
}
