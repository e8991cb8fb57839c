//! What to read first: what to be careful about, and one row for each workload and load level.

use photofinish_judge::comparison::{Cell, CheckStatus, Comparison, Standing};
use photofinish_model::Metric;
use photofinish_model::finding::doubt::DoubtFinding;
use photofinish_model::units;
use photofinish_voice::Message;

use crate::document::{Block, Figure, Item, Table, Tone};

/// What to be careful about, a statement each: they touch every figure below.
pub(super) fn cautions(comparison: &Comparison) -> Vec<Block> {
    let mut items = Vec::new();
    if !comparison.failures.is_empty() {
        let trials = units::plural(comparison.failures.len(), "failure", "failures");
        items.push(format!("{trials}, see below"));
    }
    let doubts = comparison.doubts.iter();
    // The others are shown by their own parts of the report.
    let of_rounds = |doubt: &&Message<DoubtFinding>| {
        matches!(
            doubt.finding,
            DoubtFinding::Already { .. }
                | DoubtFinding::Uneven { .. }
                | DoubtFinding::TwoGroups { .. }
                | DoubtFinding::ShortSlices { .. }
                | DoubtFinding::IfIndependent { .. }
                | DoubtFinding::WithinNoise { .. }
        )
    };
    items.extend(doubts.filter(of_rounds).map(|doubt| doubt.en.clone()));
    for check in &comparison.checks {
        if check.status == CheckStatus::Failed {
            items.push(format!("FAILED check: {}", check.title.en));
        }
    }
    if items.is_empty() {
        return Vec::new();
    }
    let items = items.into_iter().map(|text| Item::new(text, Tone::Bad));
    vec![Block::List(items.collect())]
}

/// A row for each cell: who leads in throughput, and who in the slowest hundredth.
pub(super) fn glance(comparison: &Comparison) -> Vec<Block> {
    let contested: Vec<&Cell> = comparison
        .cells
        .iter()
        .filter(|cell| cell.verdicts.iter().any(|verdict| verdict.rounds > 1))
        .collect();
    if contested.is_empty() {
        return Vec::new();
    }
    let header = ["ahead at", "in requests/s", "in p99"];
    let rows = contested.iter().map(|cell| {
        vec![
            Figure::new(place(cell, comparison)),
            leader(cell, Metric::Throughput),
            leader(cell, Metric::P99),
        ]
    });
    vec![Block::Table(Table {
        header: header.map(str::to_owned).to_vec(),
        rows: rows.collect(),
    })]
}

/// The load level, with the workload where there are several.
pub(super) fn place(cell: &Cell, comparison: &Comparison) -> String {
    let first = comparison.cells.first();
    if first.is_some_and(|first| {
        comparison
            .cells
            .iter()
            .all(|c| c.workload == first.workload)
    }) {
        cell.level.en.clone()
    } else {
        format!("{}, {}", cell.workload, cell.level.en)
    }
}

/// Who leads in a metric, and by how much before the best of the rest.
fn leader(cell: &Cell, metric: Metric) -> Figure {
    let Some(lead) = cell.lead(metric) else {
        return Figure::none();
    };
    let Some(gap) = &lead.gap else {
        return Figure::new(match lead.among {
            Some(Standing::Tie) if lead.beside.is_empty() => "tie",
            Some(Standing::Mixed) => "no clear order",
            _ => "undecided",
        });
    };
    let by = by(gap.ratio);
    let text = match lead.leaders.as_slice() {
        [] => by,
        [one] => format!("{one} {by}"),
        [one, others @ ..] => format!("{one}, with {} {by}", others.join(", ")),
    };
    let text = match lead.beside.is_empty() {
        true => text,
        // Of the others nothing is known: say whom it is ahead of.
        false => format!("{text} before {}", gap.over),
    };
    Figure {
        text,
        tone: Tone::Strong,
        detail: None,
        ..Figure::default()
    }
}

/// A ratio as a step up or down: `+10.0%`, `−30.0%`, `2.30 ×`, `2.30 × lower`.
fn by(ratio: f64) -> String {
    match ratio {
        r if r >= 2.0 => format!("{} ×", units::number(r)),
        r if r >= 1.0 => format!("+{}", units::percent(r - 1.0)),
        r if r > 0.5 => format!("−{}", units::percent(1.0 - r)),
        r => format!("{} × lower", units::number(r.recip())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_steps() {
        let steps = [1.1, 2.5, 0.75, 0.4].map(by);
        assert_eq!(steps, ["+10.0%", "2.50 ×", "−25.0%", "2.50 × lower"]);
    }
}
