//! Whether each machine that a scheduler gave to servers or load generators had whole cores of its own.

use photofinish_model::kubernetes::PodRecord;
use photofinish_model::slurm::NodeRecord;
use photofinish_model::store::Results;
use photofinish_voice::run_check::{node_lacks_cores, pod_lacks_cores};

use crate::comparison::checks::tally::{Counted, Failing, Tally};

/// Whether a scheduler gave any.
pub(crate) fn is_made(results: &Results) -> bool {
    let (pods, nodes) = given(results);
    !pods.is_empty() || !nodes.is_empty()
}

fn given(results: &Results) -> (&[PodRecord], &[NodeRecord]) {
    let machines = results.environment.machines.as_ref();
    machines.map_or((&[], &[]), |machines| (&machines.pods, &machines.nodes))
}

/// Counts pods, or nodes.
pub(crate) fn tally(results: &Results) -> Tally {
    let (pods, nodes) = given(results);
    let without = pods.iter().filter_map(pod_lacks_cores);
    let unbound = nodes.iter().filter_map(node_lacks_cores);
    let checked = pods.len() + nodes.len();
    Tally {
        checked,
        of: checked,
        failing: without.chain(unbound).map(Failing::new).collect(),
        counted: match pods {
            [] => Counted::Nodes,
            _ => Counted::Pods,
        },
        ..Tally::default()
    }
}
