//! What the pictures need beside the figures: which workloads make up a sweep, and where no law was fitted.

use crate::comparison::{Cell, Comparison, OutOfLine};
use photofinish_model::Load;
use photofinish_model::message::Message;
use photofinish_model::store::Results;
use photofinish_stats::sweep;
use photofinish_stats::usl::FEWEST_LEVELS;
use photofinish_voice::{scaling, sweep as sweeps_found};

use super::cell;
use crate::lists::by_key;

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
    let workloads = results.study.workloads.iter();
    let swept = workloads.filter_map(|workload| Some((workload, workload.sweep.as_ref()?)));
    let points = swept.flat_map(|(workload, sweep)| {
        workload.loads.iter().filter_map(move |load| {
            let (value, cell) = (sweep.value, cell(comparison, &workload.name, load)?);
            Some(((&sweep.name, load), (sweep, SweepPoint { value, cell })))
        })
    });
    let several = by_key(points).into_iter();
    let several = several.filter(|(_, points)| points.len() > 1);
    several
        .map(|((name, _), points)| {
            let (first, SweepPoint { cell, .. }) = points[0];
            let mut points: Vec<SweepPoint> = points.into_iter().map(|(_, point)| point).collect();
            points.sort_by_key(|point| point.value);
            Sweep {
                name: name.clone(),
                variable: first.variable.clone(),
                says: says(name, &comparison.cells[cell], points.len(), comparison),
                cell,
                points,
            }
        })
        .collect()
}

/// Returns what a sweep with so many levels shows as a whole, at the load of this cell.
fn says(sweep: &str, at: &Cell, levels: usize, comparison: &Comparison) -> Option<Message> {
    let own = |point: &OutOfLine| point.sweep == sweep && point.level == at.level;
    let needed = sweep::FEWEST_LEVELS;
    if comparison.out_of_line.iter().any(own) {
        return None;
    }
    Some(match levels < needed {
        true => sweeps_found::too_few_levels(needed),
        false => sweeps_found::in_line(),
    })
}

/// What keeps the scalability law from being fitted, by workload: too few levels for anybody, or the figures of one target.
pub(super) fn unfitted(comparison: &Comparison) -> Vec<Unfitted> {
    let measured = |cell: &&Cell| {
        matches!(cell.load, Load::Closed { .. }) && cell.targets.iter().any(|it| it.rounds > 0)
    };
    let cells = comparison.cells.iter().filter(measured);
    let workloads = by_key(cells.map(|cell| (cell.workload.as_str(), cell)));
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
