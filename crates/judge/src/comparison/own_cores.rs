//! Whether each pod that servers or load generators ran in had whole cores of its own.

use photofinish_model::finding::run_check::{Counted, RunCheckFinding};
use photofinish_model::kubernetes::PodRecord;
use photofinish_model::store::Results;

use super::tally::{Failing, Tally};

/// Whether there are pods.
pub(super) fn is_made(results: &Results) -> bool {
    !pods(results).is_empty()
}

fn pods(results: &Results) -> &[PodRecord] {
    let machines = results.environment.machines.as_ref();
    machines.map_or(&[], |machines| &machines.pods)
}

/// Counts pods.
pub(super) fn tally(results: &Results) -> Tally {
    let pods = pods(results);
    let without = pods.iter().filter(|pod| !pod.has_own_cores());
    let failing = without.map(|pod| {
        Failing::new(RunCheckFinding::NoOwnCores {
            machine: pod.machine.clone(),
            pod: pod.pod.clone(),
            asked: pod.cpus_asked,
            may: pod.cpus.len() as u32,
        })
    });
    Tally {
        checked: pods.len(),
        of: pods.len(),
        failing: failing.collect(),
        counted: Counted::Pods,
        ..Tally::default()
    }
}
