//! What to read first: what to be careful about, and one row for each workload and load level.

use photofinish_results::comparison::{
    Cell, CheckStatus, Comparison, Quantity, TargetFigures, Verdict,
};
use photofinish_results::units;
use photofinish_stats::Direction;

use crate::document::{Block, Figure, Item, Table, Tone};

/// From so many times between a target's fastest and slowest round on, the rounds are called
/// uneven. A quiet machine with settled servers stays below a tenth of that.
const UNEVEN: f64 = 1.25;

/// What to be careful about, a statement each: they touch every figure below.
pub(super) fn cautions(comparison: &Comparison) -> Vec<Block> {
    let mut items = Vec::new();
    if !comparison.failures.is_empty() {
        let trials = units::plural(comparison.failures.len(), "failure", "failures");
        items.push(format!("{trials}, see below"));
    }
    items.extend(uneven(comparison));
    for check in &comparison.checks {
        if check.status == CheckStatus::Failed {
            items.push(format!("FAILED check: {}", check.title));
        }
    }
    if items.is_empty() {
        return Vec::new();
    }
    let items = items.into_iter().map(|text| Item::new(text, Tone::Bad));
    vec![Block::List(items.collect())]
}

/// Where the rounds differ most, if they differ much.
fn uneven(comparison: &Comparison) -> Option<String> {
    let spreads = comparison.cells.iter().flat_map(|cell| {
        cell.targets.iter().filter_map(move |target| {
            let figure = target.figure(Quantity::Throughput)?;
            (figure.min > 0.0).then(|| (figure.max / figure.min, cell, target))
        })
    });
    let (spread, cell, target) = spreads.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (spread > UNEVEN).then(|| {
        format!(
            "uneven rounds: the throughput of {} at {} differs up to {} times from round to round; the machine is busy, or the measurements are too short",
            target.target,
            place(cell, comparison),
            units::number(spread)
        )
    })
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
            leader(cell, Quantity::Throughput),
            leader(cell, Quantity::P99),
        ]
    });
    vec![Block::Table(Table {
        header: header.map(str::to_owned).to_vec(),
        rows: rows.collect(),
    })]
}

/// The load level, with the workload where there are several.
fn place(cell: &Cell, comparison: &Comparison) -> String {
    let first = comparison.cells.first();
    if first.is_some_and(|first| {
        comparison
            .cells
            .iter()
            .all(|c| c.workload == first.workload)
    }) {
        cell.level.clone()
    } else {
        format!("{}, {}", cell.workload, cell.level)
    }
}

/// Who is first in a quantity, and by how much before the next.
fn leader(cell: &Cell, quantity: Quantity) -> Figure {
    let Some(verdict) = between_the_first_two(cell, quantity) else {
        return Figure::none();
    };
    match verdict.from_ahead() {
        Some((ahead, _, ratio, _)) => Figure {
            text: format!("{ahead} {}", by(ratio)),
            tone: Tone::Strong,
            detail: None,
        },
        None if verdict.direction == Some(Direction::Tie) => Figure::new("tie"),
        None if verdict.direction == Some(Direction::Undecided) => Figure::new("undecided"),
        None => Figure::none(),
    }
}

/// The verdict between the two best targets; with two targets, the only one.
fn between_the_first_two(cell: &Cell, quantity: Quantity) -> Option<&Verdict> {
    let mean = |target: &TargetFigures| target.figure(quantity)?.mean;
    let mut ranked: Vec<(&str, f64)> = cell
        .targets
        .iter()
        .filter(|target| target.is_contender())
        .filter_map(|target| Some((target.target.as_str(), mean(target)?)))
        .collect();
    ranked.sort_by(|a, b| match quantity {
        Quantity::Throughput => b.1.total_cmp(&a.1),
        _ => a.1.total_cmp(&b.1),
    });
    let [(first, _), (second, _), ..] = ranked.as_slice() else {
        return None;
    };
    cell.verdicts.iter().find(|verdict| {
        let pair = (verdict.of.as_str(), verdict.over.as_str());
        Quantity::from(verdict.metric) == quantity
            && (pair == (*first, *second) || pair == (*second, *first))
    })
}

/// A ratio as a step up or down: `+10.0%`, `−30.0%`, `× 2.30`, `÷ 2.30`.
fn by(ratio: f64) -> String {
    match ratio {
        r if r >= 2.0 => format!("× {}", units::number(r)),
        r if r >= 1.0 => format!("+{}", units::percent(r - 1.0)),
        r if r > 0.5 => format!("−{}", units::percent(1.0 - r)),
        r => format!("÷ {}", units::number(r.recip())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_steps() {
        let steps = [1.1, 2.5, 0.75, 0.4].map(by);
        assert_eq!(steps, ["+10.0%", "× 2.50", "−25.0%", "÷ 2.50"]);
    }
}
