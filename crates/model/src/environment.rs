//! The machine and the program: `environment.json`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kubernetes::PodRecord;
use crate::network::Network;
use crate::slurm::NodeRecord;

/// `environment.json`: the machine and the program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Environment {
    /// The version of this format.
    pub version: u32,
    /// photofinish's version.
    pub photofinish: String,
    /// The commit that photofinish was run in, where the studies lie in a git checkout.
    pub commit: Option<String>,
    /// The processor's name.
    pub cpu: String,
    /// The cores that this process may use.
    pub cpus: Vec<u32>,
    /// The cores of the server's lane; empty = not pinned.
    pub server_cpus: Vec<u32>,
    /// The cores of the generator's lane; empty = not pinned.
    pub generator_cpus: Vec<u32>,
    /// Memory in bytes.
    pub memory_bytes: u64,
    /// The kernel's release.
    pub kernel: String,
    /// The operating system's name.
    pub os: String,
    /// The frequency governor, where there is one.
    pub governor: Option<String>,
    /// The hypervisor, where the system names one.
    pub hypervisor: Option<String>,
    /// The limit of open files.
    pub open_files: u64,
    /// The nice value of servers, where it is not the usual one: other programs waited for them on their cores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_nice: Option<i32>,
    /// The tools found: name → version (path).
    pub tools: BTreeMap<String, String>,
    /// What servers and load run on, where they run on two machines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machines: Option<Machines>,
}

/// What servers and load run on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Machines {
    /// What the user calls the servers' machine.
    pub server: String,
    /// What the user calls the generator's; of several all of them.
    pub generator: String,
    /// Whether the two are one all the same; of several generators, whether one of them shares the servers' machine.
    pub same: bool,
    /// The generator's processor.
    pub generator_cpu: String,
    /// How many cores the generator may use.
    pub generator_cores: u32,
    /// The release of its kernel.
    pub generator_kernel: String,
    /// Where load comes from several machines: each; the fields above are of the first one then. Empty where it comes from one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub generators: Vec<GeneratorMachine>,
    /// The pods that servers and load generators ran in, the servers' first; empty where they ran in none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pods: Vec<PodRecord>,
    /// The nodes of a Slurm job that they ran on, in the same order; empty where they ran on none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<NodeRecord>,
    /// How each load generator reaches the servers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub networks: Vec<Network>,
}

/// One of several machines that load comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GeneratorMachine {
    /// What the user calls it.
    pub name: String,
    /// Whether servers run on it too.
    pub same: bool,
    /// Its processor.
    pub cpu: String,
    /// How many cores the generator may use.
    pub cores: u32,
    /// The release of its kernel.
    pub kernel: String,
}
