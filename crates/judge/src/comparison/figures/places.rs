//! The places of a study: where figures are compared with one another.

use photofinish_model::finding::asked::Asked;
use photofinish_model::store::Results;
use photofinish_model::{Line, Load};

/// A place in the study: which lines are compared with one another.
pub(crate) struct Place<'a> {
    pub(crate) workload: &'a str,
    pub(crate) request: &'a Asked,
    pub(crate) load: &'a Load,
    pub(crate) targets: Vec<&'a str>,
}

/// All places of a study, in its order.
pub(crate) fn places(results: &Results) -> impl Iterator<Item = Place<'_>> {
    let study = &results.study;
    study.workloads.iter().flat_map(move |workload| {
        let takes = |label: &str| {
            workload.targets.is_empty() || workload.targets.iter().any(|target| target == label)
        };
        let targets: Vec<&str> = study
            .targets
            .iter()
            .map(|target| target.label.as_str())
            .filter(|label| takes(label))
            .collect();
        workload.loads.iter().map(move |load| Place {
            workload: &workload.name,
            request: &workload.request,
            load,
            targets: targets.clone(),
        })
    })
}

impl Place<'_> {
    /// The lines of one target here, by round.
    pub(crate) fn lines<'r>(&self, results: &'r Results, target: &str) -> Vec<&'r Line> {
        let mut lines: Vec<&Line> = results
            .lines
            .iter()
            .filter(|line| {
                line.target == target && line.workload == self.workload && line.load == *self.load
            })
            .collect();
        lines.sort_by_key(|line| line.round);
        lines
    }
}
