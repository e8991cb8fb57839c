//! What the pictures need beside the figures: which workloads make up a sweep, and where an open loop was overloaded.

use schemars::JsonSchema;
use serde::Serialize;

use crate::comparison::Comparison;
use photofinish_model::store::Results;

use super::{cell, target};

/// Workloads that differ in one variable, at one load level.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Sweep {
    /// The name that its workloads share.
    pub name: String,
    /// What differs, such as `size`.
    pub variable: String,
    /// The level that its cells share, by the index of the first of them.
    pub cell: usize,
    /// Its levels, in the order of the variable.
    pub points: Vec<SweepPoint>,
}

/// One level of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SweepPoint {
    /// What the variable is.
    pub value: u64,
    /// The cell.
    pub cell: usize,
}

/// A measurement whose open loop was offered more than was answered.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Overload {
    /// The cell.
    pub cell: usize,
    /// The target.
    pub target: usize,
    /// The round.
    pub round: u32,
    /// Requests that fell due, per second.
    pub offered_rps: f64,
    /// Good answers, per second.
    pub achieved_rps: f64,
}

/// The sweeps with two levels and more, in the order of the study.
pub(super) fn sweeps(results: &Results, comparison: &Comparison) -> Vec<Sweep> {
    let mut sweeps: Vec<Sweep> = Vec::new();
    for workload in &results.study.workloads {
        let Some(sweep) = &workload.sweep else {
            continue;
        };
        for load in &workload.loads {
            let Some(cell) = cell(comparison, &workload.name, load) else {
                continue;
            };
            let point = SweepPoint {
                value: sweep.value,
                cell,
            };
            let same = |known: &&mut Sweep| {
                known.name == sweep.name && comparison.cells[known.cell].load == *load
            };
            match sweeps.iter_mut().find(same) {
                Some(known) => known.points.push(point),
                None => sweeps.push(Sweep {
                    name: sweep.name.clone(),
                    variable: sweep.variable.clone(),
                    cell,
                    points: vec![point],
                }),
            }
        }
    }
    sweeps.retain(|sweep| sweep.points.len() > 1);
    for sweep in &mut sweeps {
        sweep.points.sort_by_key(|point| point.value);
    }
    sweeps
}

/// The overloaded measurements, in the order of the cells, targets and rounds.
pub(super) fn overloads(results: &Results, comparison: &Comparison) -> Vec<Overload> {
    let mut all: Vec<Overload> = results
        .lines
        .iter()
        .filter_map(|line| {
            let overloaded = line.measurement.as_ref()?.overloaded?;
            Some(Overload {
                cell: cell(comparison, &line.workload, &line.load)?,
                target: target(results, &line.target)?,
                round: line.round,
                offered_rps: overloaded.offered_rps,
                achieved_rps: overloaded.achieved_rps,
            })
        })
        .collect();
    all.sort_by_key(|overload| (overload.cell, overload.target, overload.round));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use photofinish_model::samples;
    use photofinish_model::{Overloaded, Sweep as Part};

    #[test]
    fn workloads_of_a_sweep_are_joined_in_the_order_of_the_variable() {
        let mut results = samples::race(&["a"], &[&[100.0]]);
        let alone = results.study.workloads[0].clone();
        for value in [4096, 1024] {
            let mut part = alone.clone();
            part.name = format!("echo-{value}");
            part.sweep = Some(Part {
                name: "echo".to_owned(),
                variable: "size".to_owned(),
                value,
            });
            results.study.workloads.push(part);
        }
        let sweeps = sweeps(&results, &Comparison::from(&results));
        let [sweep] = sweeps.as_slice() else {
            panic!("one sweep: {sweeps:?}");
        };
        assert_eq!(
            (sweep.name.as_str(), sweep.variable.as_str()),
            ("echo", "size")
        );
        let points: Vec<_> = sweep.points.iter().map(|p| (p.value, p.cell)).collect();
        assert_eq!(points, [(1024, 2), (4096, 1)]);
    }

    #[test]
    fn overloads_are_told_with_their_place() {
        let mut results = samples::race(&["a", "b"], &[&[100.0, 90.0], &[90.0, 90.0]]);
        let line = results
            .lines
            .iter_mut()
            .find(|l| l.target == "b" && l.round == 2);
        let measurement = line.and_then(|line| line.measurement.as_mut());
        measurement.expect("measured").overloaded = Some(Overloaded {
            offered_rps: 200.0,
            achieved_rps: 90.0,
        });
        let told = overloads(&results, &Comparison::from(&results));
        assert_eq!(
            told,
            [Overload {
                cell: 0,
                target: 1,
                round: 2,
                offered_rps: 200.0,
                achieved_rps: 90.0
            }]
        );
    }
}
