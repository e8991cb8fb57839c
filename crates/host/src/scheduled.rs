//! Machines that a scheduler gives out for a run: what those of Kubernetes and of Slurm have in common.

use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use photofinish_model::kubernetes::PodRecord;
use photofinish_model::slurm::NodeRecord;

use super::Error;

/// What a scheduler has given out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// A pod.
    Pod(PodRecord),
    /// A node of a Slurm job.
    Node(NodeRecord),
}

impl Given {
    /// The same, with the cores that may be used there as the kernel says.
    pub(crate) fn on(self, cpus: Vec<u32>) -> Given {
        match self {
            Given::Pod(pod) => Given::Pod(PodRecord { cpus, ..pod }),
            Given::Node(node) => Given::Node(NodeRecord { cpus, ..node }),
        }
    }
}

/// What no other run has. Only letters and digits, for names.
pub(crate) fn run_id() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |now| now.as_nanos() as u64);
    format!("{:x}", now ^ (u64::from(std::process::id()) << 44))
}

/// Starts something on all machines at once, since the binary takes its time to come there. `broke` is the error of a thread that broke down.
///
/// # Errors
/// Those of `start`, the first of them.
pub(crate) fn at_once<T: Send, R: Send>(
    machines: impl Iterator<Item = T>,
    start: impl Fn(T) -> Result<R, Error> + Sync,
    broke: impl Fn() -> Error,
) -> Result<Vec<R>, Error> {
    let start = &start;
    thread::scope(|scope| {
        let threads: Vec<_> = machines
            .map(|machine| scope.spawn(move || start(machine)))
            .collect();
        // All of them, so that whatever was started is known, and ended, where another one fails.
        let joined: Vec<_> = threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err(broke())))
            .collect();
        joined.into_iter().collect()
    })
}
