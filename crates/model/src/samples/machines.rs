//! Machines of a made-up run.

use crate::Machines;
use crate::network::{Interface, Network, RoundTrip};

/// Servers on `servers` and load from `load`, with an empty exchange of 300 µs by these interfaces.
pub fn machines(server: Option<Interface>, generator: Option<Interface>) -> Machines {
    Machines {
        server: "servers".to_owned(),
        generator: "load".to_owned(),
        same: false,
        generator_cpu: "Sample CPU".to_owned(),
        generator_cores: 2,
        generator_kernel: "6.1.0".to_owned(),
        generators: Vec::new(),
        pods: Vec::new(),
        nodes: Vec::new(),
        networks: vec![Network {
            generator: "load".to_owned(),
            round_trip: Some(RoundTrip {
                exchanges: 300,
                min_us: 280.0,
                p50_us: 300.0,
                p99_us: 410.0,
            }),
            generator_interface: generator,
            server_interface: server,
        }],
    }
}
