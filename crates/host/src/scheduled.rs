//! Machines that a scheduler gives out for a run: what those of Kubernetes and of Slurm have in common.

use std::time::{SystemTime, UNIX_EPOCH};

use photofinish_model::kubernetes::PodRecord;
use photofinish_model::slurm::NodeRecord;

/// What a scheduler has given out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Allocation {
    /// A pod.
    Pod(PodRecord),
    /// A node of a Slurm job.
    Node(NodeRecord),
}

impl Allocation {
    /// The same, with the cores that may be used there as the kernel says.
    pub(crate) fn on(self, cpus: Vec<u32>) -> Allocation {
        match self {
            Allocation::Pod(pod) => Allocation::Pod(PodRecord { cpus, ..pod }),
            Allocation::Node(node) => Allocation::Node(NodeRecord { cpus, ..node }),
        }
    }
}

/// What no other run has. Only letters and digits, for names.
pub(crate) fn run_id() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |now| now.as_nanos() as u64);
    format!("{:x}", now ^ (u64::from(std::process::id()) << 44))
}
