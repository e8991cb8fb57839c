//! Where a server's CPU time went, by samples of its call stacks.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Layer;

/// What samples of a server's call stacks showed, in slices of load beside those that were measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Profile {
    /// Good responses per second meanwhile, which beside the measured throughput is the profiler's price.
    pub throughput_rps: f64,
    /// The server's CPU time per request meanwhile, user and system, in microseconds; `null` where that is not known.
    pub cpu_us_per_request: Option<f64>,
    /// How often a busy core was looked at, in hertz.
    pub hertz: u32,
    /// Samples.
    pub samples: u64,
    /// Samples that the kernel had no room for, of the server and of what else ran on its cores.
    pub lost: u64,
    /// How many samples each layer has; a layer without any is not there.
    pub layers: BTreeMap<Layer, u64>,
    /// The mean number of frames of a sample, the kernel's included; `null` without samples.
    pub stack_depth: Option<f64>,
    /// The one executable that all its processes ran, as the stacks name its frames' module; not there where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// The file with the stacks, in the results folder: folded, a stack a line.
    pub file: String,
    /// Samples of rare stacks that share a line of it.
    pub merged: u64,
}

impl Profile {
    /// The share of the samples that a layer has, 0 to 1; `None` without samples.
    pub fn share(&self, layer: Layer) -> Option<f64> {
        let count = self.layers.get(&layer).copied().unwrap_or(0);
        (self.samples > 0).then(|| count as f64 / self.samples as f64)
    }
}
