//! Under which conditions the headline was measured: load, cores, rounds and time.

use photofinish_model::message::{Message, Parts};
use photofinish_model::store::Results;
use photofinish_model::{Load, TrialRecord};
use photofinish_voice::headline::setting as said;

use super::measured;
use crate::comparison::Cell;
use crate::comparison::figures::gaps;

/// Returns the conditions; what is not known is left out.
pub(crate) fn setting(results: &Results, cells: &[Cell]) -> Message {
    let parts = [
        level(cells),
        server_cores(results).map(|cores| said::cores(cores as u64)),
        rounds(results, cells),
        TrialRecord::took_s(&results.trials).map(said::took),
    ];
    said::setting(parts.into_iter().flatten().collect::<Parts>())
}

fn level(cells: &[Cell]) -> Option<Message> {
    let first = cells.first()?;
    let one_workload = cells.iter().all(|cell| cell.workload == first.workload);
    let connections = cells.iter().map(|cell| match cell.load {
        Load::Closed { connections } => Some(connections),
        Load::Open { .. } | Load::Capacity { .. } => None,
    });
    let connections: Option<Vec<u32>> = connections.collect();
    let ends = connections.and_then(|all| Some((*all.iter().min()?, *all.iter().max()?)));
    Some(match (cells.len(), one_workload, ends) {
        (1, _, _) => said::level(&first.load),
        (_, true, Some((fewest, most))) => said::connections(fewest, most),
        (levels, true, None) => said::levels(levels),
        (loads, false, _) => said::loads(loads),
    })
}

/// The cores that servers had; `None` if that is not known of one of them.
pub(crate) fn server_cores(results: &Results) -> Option<usize> {
    let environment = &results.environment;
    if results.study.targets.iter().any(|target| target.already) {
        return None;
    }
    let own = environment.server_cpus.len();
    match (own, &environment.machines) {
        (0, None) => Some(environment.cpus.len()).filter(|cores| *cores > 0),
        (0, Some(_)) => None,
        (cores, _) => Some(cores),
    }
}

/// The rounds; if not all count for the headline, those that do and those that were made.
fn rounds(results: &Results, cells: &[Cell]) -> Option<Message> {
    let made = gaps::rounds_done(results);
    let verdicts = measured(cells)
        .into_iter()
        .flat_map(|cell| cell.verdicts_on(cell.headline_metric));
    let counted = verdicts
        .filter(|verdict| verdict.direction().is_some())
        .map(|verdict| verdict.rounds)
        .min();
    match counted {
        _ if made == 0 => None,
        Some(counted) if counted < made as usize => Some(said::rounds_that_count(counted, made)),
        _ => Some(said::rounds(made)),
    }
}
