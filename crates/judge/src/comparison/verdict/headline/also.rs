//! What is decided next to a headline that leaves something open, and what would decide the rest.

use photofinish_model::message::{Clauses, Message};
use photofinish_model::{Metric, Place};
use photofinish_voice::headline::also as said;

use super::{contested, measured, place};
use crate::comparison::verdict::PRACTICAL;
use crate::comparison::verdict::lead::Gap;
use crate::comparison::{Cell, Head, InvalidKind, Verdict};
use crate::lists::by_key;

/// The metrics that are looked at, next to that of the headline.
const OTHERS: [Metric; 3] = [Metric::ServerCpu, Metric::P50, Metric::P99];

/// So many are named.
const NAMED: usize = 2;

/// Returns what is decided in other metrics at places where the headline states that nothing is; of several places only, because of one
/// the table shows all metrics.
pub(crate) fn also(cells: &[Cell]) -> Option<Message> {
    let measured = measured(cells);
    let contested = contested(&measured);
    if contested.len() < 2 {
        return None;
    }
    let decided = |cell: &Cell, metric: Metric| -> Option<Gap> { cell.lead(metric)?.gap.clone() };
    let open = || {
        let open = contested.iter().copied();
        open.filter(|cell| decided(cell, cell.headline_metric).is_none())
    };
    let found = OTHERS.into_iter().flat_map(|metric| {
        let others = open().filter(move |cell| cell.headline_metric != metric);
        others.filter_map(move |cell| {
            // The headline states CPU time itself.
            let is_stated = metric == Metric::ServerCpu && super::metric::when_open(cell).is_some();
            let gap = decided(cell, metric).filter(|_| !is_stated)?;
            let by = gap.advantage(metric);
            Some(((metric, gap.of, gap.over), (by, cell)))
        })
    });
    let parts: Vec<Message> = (by_key(found).into_iter().take(NAMED))
        .map(|((metric, of, over), found)| match found.as_slice() {
            [(by, cell)] => said::lower_by(&of, metric, &over, *by, *by, place(cell, &contested)),
            _ => {
                let places = found.iter().map(|(_, cell)| place(cell, &contested));
                said::lower(&of, metric, &over, &places.collect::<Vec<Place>>())
            }
        })
        .collect();
    (!parts.is_empty()).then(|| said::all(Clauses(parts)))
}

/// Returns how many more rounds would decide what the headline leaves open, and how long they would take; or how to mend a run whose
/// servers did not do the same job.
pub(crate) fn next(head: &Head, cells: &[Cell]) -> Option<Message> {
    let is_other_job = |verdict: &Verdict| {
        let void = verdict.void();
        void.is_some_and(|void| void.kind == InvalidKind::NotComparable)
    };
    let mut verdicts = cells
        .iter()
        .flat_map(|cell| cell.verdicts_on(cell.headline_metric));
    if verdicts.any(is_other_job) {
        return Some(said::respond_alike());
    }
    // What is open between servers behind is no part of the headline.
    let open = measured(cells).into_iter().filter_map(|cell| {
        let needed = cell.lead(cell.headline_metric)?.rounds_needed?;
        let verdicts = cell.verdicts_on(cell.headline_metric);
        let made = verdicts.map(|verdict| verdict.rounds).max()?;
        Some(needed.saturating_sub(made as u32))
    });
    let more = open.max()?.max(1);
    if more > PRACTICAL {
        return Some(said::too_many());
    }
    let all = head.rounds_done + more;
    Some(match head.round_s() {
        None => said::more_rounds(more, all),
        Some(each_s) => said::more_rounds_time(more, all, each_s * f64::from(more)),
    })
}
