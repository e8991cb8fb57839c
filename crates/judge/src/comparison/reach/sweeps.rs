//! Sweeps over one variable, such as the size of a message: which level falls out of line.

use photofinish_stats::sweep;
use schemars::JsonSchema;
use serde::Serialize;

use photofinish_model::message::Message;
use photofinish_model::store::Results;
use photofinish_model::{Load, Metric, Place, Role, WorkloadRecord};
use photofinish_voice::{place, sweep as found};

use crate::comparison::Cell;

/// A level of a sweep at which a target's throughput does not fit those around it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct OutOfLine {
    /// The sweep's name.
    pub sweep: String,
    /// What differs between its levels, such as `size`.
    pub variable: String,
    /// What it is at this level.
    pub value: u64,
    /// The workload of this level.
    pub workload: String,
    /// The load level in words.
    pub level: Message,
    /// The target.
    pub target: String,
    /// Its throughput there.
    pub throughput: f64,
    /// What the nearest curve through its other levels has there.
    pub expected: f64,
    /// Throughput / expected.
    pub ratio: f64,
    /// All of it.
    pub says: Message,
}

/// The levels that are out of line, sweep by sweep.
pub(crate) fn out_of_line(results: &Results, cells: &[Cell]) -> Vec<OutOfLine> {
    let workloads = &results.study.workloads;
    let mut sweeps: Vec<(&str, &str, &Load)> = Vec::new();
    for (name, load) in workloads.iter().flat_map(|workload| {
        let name = workload.sweep.as_ref().map(|sweep| sweep.name.as_str());
        name.into_iter()
            .flat_map(|name| workload.loads.iter().map(move |load| (name, load)))
    }) {
        for target in &results.study.targets {
            let key = (name, target.label.as_str(), load);
            if target.role() == Role::Contender && !sweeps.contains(&key) {
                sweeps.push(key);
            }
        }
    }
    let found = sweeps.into_iter();
    found
        .flat_map(|(name, target, load)| of_one(name, target, load, workloads, cells))
        .collect()
}

fn of_one(
    name: &str,
    target: &str,
    load: &Load,
    workloads: &[WorkloadRecord],
    cells: &[Cell],
) -> Vec<OutOfLine> {
    let levels: Vec<(&WorkloadRecord, u64, f64)> = workloads
        .iter()
        .filter_map(|workload| {
            let sweep = workload.sweep.as_ref().filter(|sweep| sweep.name == name)?;
            let mut cells = cells.iter();
            let cell = cells.find(|cell| cell.is_at(&workload.name, load))?;
            let mean = cell.target(target)?.figure(Metric::Throughput)?.mean?;
            Some((workload, sweep.value, mean))
        })
        .collect();
    let points: Vec<(f64, f64)> = levels.iter().map(|&(_, x, y)| (x as f64, y)).collect();
    let outliers = sweep::out_of_line(&points).into_iter();
    outliers
        .filter_map(|point| {
            let (workload, value, throughput) = levels.get(point.index)?;
            let variable = workload.sweep.as_ref()?.variable.clone();
            let off = throughput / point.expected - 1.0;
            let place = Place::of(&workload.name, load);
            let says = match off < 0.0 {
                true => found::below(target, place, *throughput, -off, point.expected),
                false => found::above(target, place, *throughput, off, point.expected),
            };
            Some(OutOfLine {
                says,
                sweep: name.to_owned(),
                variable,
                value: *value,
                workload: workload.name.clone(),
                level: place::level(load),
                target: target.to_owned(),
                throughput: *throughput,
                expected: point.expected,
                ratio: point.ratio,
            })
        })
        .collect()
}
