//! Nodes of a Slurm job as machines: what a file of hosts asks for, and what was had.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A job whose nodes are the machines of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The partition; `None` = the cluster's default.
    pub partition: Option<String>,
    /// The account; `None` = the user's default.
    pub account: Option<String>,
    /// Slurm ends it then.
    pub time_limit: Duration,
    /// Further options of `sbatch`.
    pub options: Vec<String>,
    /// How long it may be in the queue.
    pub wait: Duration,
}

/// A node as it is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// Its name; `None` = any of the job's that is left.
    pub name: Option<String>,
    /// How many cores of it are used; `None` = all that the job has there.
    pub cpus: Option<u32>,
}

/// A node that servers or a load generator ran on, and what was given of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NodeRecord {
    /// Its name.
    pub machine: String,
    /// The id of the job.
    pub job: String,
    /// The job's partition.
    pub partition: String,
    /// Whether no other job may run on it.
    pub exclusive: bool,
    /// How many cores were asked for; of a node whose cores were all asked for: as many as Slurm says that the job has there.
    pub cpus_asked: u32,
    /// Whether that is all that the job has there.
    pub all_cpus: bool,
    /// The cores that may be used, as the kernel says.
    pub cpus: Vec<u32>,
}

impl NodeRecord {
    /// Whether it has whole cores of its own. A node that no other job may run on may have more of them than Slurm counts, which leaves
    /// out hardware threads where it is told so.
    pub fn has_own_cores(&self) -> bool {
        let (asked, may) = (self.cpus_asked as usize, self.cpus.len());
        may == asked || (self.all_cpus && self.exclusive && may > asked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_cores_than_asked_for_are_its_own_where_the_node_is() {
        let node = |asked, all_cpus, exclusive, may: u32| NodeRecord {
            machine: "n1".to_owned(),
            job: "7".to_owned(),
            partition: "race".to_owned(),
            exclusive,
            cpus_asked: asked,
            all_cpus,
            cpus: (0..may).collect(),
        };
        assert!(node(4, false, true, 4).has_own_cores());
        assert!(node(4, true, false, 4).has_own_cores());
        assert!(node(4, true, true, 8).has_own_cores());
        // Slurm has bound it to nothing.
        assert!(!node(4, false, true, 8).has_own_cores());
        assert!(!node(4, true, false, 8).has_own_cores());
        // Or gave less than it says.
        assert!(!node(4, true, true, 2).has_own_cores());
    }
}
