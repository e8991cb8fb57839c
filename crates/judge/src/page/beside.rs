//! What the pictures need beside the figures: which workloads make up a sweep, and where no law was fitted.

use crate::comparison::{Cell, Comparison, OutOfLine};
use photofinish_model::Load;
use photofinish_model::message::Message;
use photofinish_model::store::Results;
use photofinish_stats::sweep;
use photofinish_stats::usl::FEWEST_LEVELS;
use photofinish_voice::{scaling, sweep as sweeps_found};

use super::cell;

/// Workloads that differ in one variable, at one load level.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// The name that its workloads share.
    pub name: String,
    /// What differs, such as `size`.
    pub variable: String,
    /// The level that its cells share, by the index of the first of them.
    pub cell: usize,
    /// Its levels, in the order of the variable.
    pub points: Vec<SweepPoint>,
    /// What it shows as a whole; `null` where a level is out of line, which is said of that level.
    pub says: Option<Message>,
}

/// One level of a sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepPoint {
    /// What the variable is.
    pub value: u64,
    /// The cell.
    pub cell: usize,
}

/// A workload with several levels of connections, of which no law was fitted to one target or to any.
#[derive(Clone, Debug, PartialEq)]
pub struct Unfitted {
    /// The workload.
    pub workload: String,
    /// Why.
    pub says: Message,
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
                    says: None,
                }),
            }
        }
    }
    sweeps.retain(|sweep| sweep.points.len() > 1);
    for sweep in &mut sweeps {
        sweep.points.sort_by_key(|point| point.value);
        sweep.says = says(sweep, comparison);
    }
    sweeps
}

fn says(sweep: &Sweep, comparison: &Comparison) -> Option<Message> {
    let level = &comparison.cells.get(sweep.cell)?.level;
    let own = |point: &OutOfLine| point.sweep == sweep.name && point.level == *level;
    let needed = sweep::FEWEST_LEVELS;
    if comparison.out_of_line.iter().any(own) {
        return None;
    }
    Some(match sweep.points.len() < needed {
        true => sweeps_found::too_few_levels(needed),
        false => sweeps_found::in_line(),
    })
}

/// What keeps the scalability law from being fitted, by workload: too few levels for anybody, or the figures of one target.
pub(super) fn unfitted(comparison: &Comparison) -> Vec<Unfitted> {
    let mut workloads: Vec<(&str, Vec<&Cell>)> = Vec::new();
    let measured = |cell: &&Cell| cell.targets.iter().any(|target| target.rounds > 0);
    for cell in comparison.cells.iter().filter(measured) {
        if !matches!(cell.load, Load::Closed { .. }) {
            continue;
        }
        match workloads
            .iter_mut()
            .find(|(name, _)| *name == cell.workload)
        {
            Some((_, cells)) => cells.push(cell),
            None => workloads.push((&cell.workload, vec![cell])),
        }
    }
    let several = workloads.into_iter().filter(|(_, cells)| cells.len() > 1);
    several
        .flat_map(|(workload, cells)| why_unfitted(comparison, workload, &cells))
        .collect()
}

fn why_unfitted(comparison: &Comparison, workload: &str, cells: &[&Cell]) -> Vec<Unfitted> {
    let unfitted = |says: Message| Unfitted {
        workload: workload.to_owned(),
        says,
    };
    let levels = cells.len();
    if levels < FEWEST_LEVELS {
        let needed = FEWEST_LEVELS;
        return vec![unfitted(scaling::too_few_levels(levels, needed))];
    }
    let mut targets: Vec<&str> = Vec::new();
    for target in cells.iter().flat_map(|cell| cell.contenders()) {
        if target.rounds > 0 && !targets.contains(&target.target.as_str()) {
            targets.push(&target.target);
        }
    }
    let fitted = |target: &str| {
        let mut all = comparison.scaling.iter();
        all.any(|scaling| scaling.workload == workload && scaling.target == target)
    };
    let lacking = targets.into_iter().filter(|target| !fitted(target));
    lacking
        .map(|target| unfitted(scaling::not_fitted(target)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use photofinish_model::Sweep as Part;
    use photofinish_model::samples;

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
    fn what_a_sweep_shows_is_said() {
        let mut results = samples::race(&["a"], &[&[100.0]]);
        results.study.workloads[0].sweep = Some(Part {
            name: "echo".to_owned(),
            variable: "size".to_owned(),
            value: 1,
        });
        let mut second = results.study.workloads[0].clone();
        second.name = "echo-2".to_owned();
        results.study.workloads.push(second);
        let [sweep] = sweeps(&results, &Comparison::from(&results))
            .try_into()
            .expect("one sweep");
        assert_eq!(sweep.says, Some(sweeps_found::too_few_levels(5_usize)));
    }

    #[test]
    fn two_levels_are_too_few_for_a_law() {
        let mut results = samples::race(&["a", "b"], &[&[100.0], &[90.0]]);
        assert_eq!(unfitted(&Comparison::from(&results)), []);
        let more = Load::Closed { connections: 200 };
        results.study.workloads[0].loads.push(more.clone());
        let mut line = results.lines[0].clone();
        line.load = more;
        results.lines.push(line);
        let [found] = unfitted(&Comparison::from(&results))
            .try_into()
            .expect("one workload");
        assert_eq!(found.says, scaling::too_few_levels(2_usize, 4_usize));
    }
}
