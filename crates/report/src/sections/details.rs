//! What `-v` adds to an ending: a table of each level, the warnings, the checks by outcome, and what is missing.

use photofinish_judge::comparison::{Cell, TargetFigures};
use photofinish_model::Metric;
use photofinish_voice::label;

use crate::document::{Block, Cell as Figure, Item, Table};
use crate::words::{Text, Tone};

use super::figures::figure;
use super::source::{Source, errors, is_measured, place_with_request, shown};
use super::{checks, claims, gaps};

/// What a table of a level shows, if any server has it.
const SHOWN: [Metric; 9] = [
    Metric::Throughput,
    Metric::P50,
    Metric::P90,
    Metric::P99,
    Metric::P999,
    Metric::Max,
    Metric::ServerCpu,
    Metric::ContextSwitches,
    Metric::Memory,
];

pub(super) fn details(source: &Source) -> Vec<Block> {
    let comparison = source.comparison;
    let mut blocks = Vec::new();
    for cell in comparison.cells.iter().filter(|cell| is_measured(cell)) {
        blocks.push(Block::Heading(place_with_request(cell)));
        blocks.push(Block::Table(table(source, cell)));
        blocks.extend(errors(cell));
        let notes = notes(cell);
        if !notes.is_empty() {
            blocks.push(Block::List(notes));
        }
    }
    if !comparison.warnings.is_empty() {
        let warnings = comparison.warnings.iter().map(|warning| &warning.says);
        blocks.push(Block::heading(label::warnings()));
        blocks.push(Block::list(warnings, Tone::Bad));
    }
    blocks.push(Block::heading(label::checks_title()));
    blocks.push(Block::List(checks::grouped(source)));
    blocks.extend(claims::claims(source));
    blocks.extend(gaps::gaps(source));
    blocks
}

/// A row for each server with the intervals of its figures.
fn table(source: &Source, cell: &Cell) -> Table {
    let targets: Vec<&TargetFigures> = shown(cell)
        .into_iter()
        .filter(|target| target.rounds > 0)
        .collect();
    let is_known = |metric: &Metric| {
        targets
            .iter()
            .any(|target| target.figure(*metric).is_some())
    };
    let metrics: Vec<Metric> = SHOWN.into_iter().filter(is_known).collect();
    let heading = |metric: &Metric| match metric {
        Metric::Throughput => Text::from(label::units_requests_per_second()),
        Metric::ServerCpu => Text::from(label::result_cpu()),
        Metric::ContextSwitches => Text::from(label::details_switches()),
        _ => Text::say(metric),
    };
    let name = |target: &&TargetFigures| Figure::new(source.server(&target.target));
    let table = Table::of(targets).column(label::server(), name);
    let table = table.columns(metrics, heading, |target, metric| figure(target, *metric));
    table.table()
}

/// The verdicts in sentences, with what casts doubt on them.
fn notes(cell: &Cell) -> Vec<Item> {
    let of = |verdict: &photofinish_judge::comparison::Verdict| {
        let cautions = verdict.notes.iter().filter(|note| note.caution);
        Item {
            below: cautions.map(|note| Text::from(&note.says)).collect(),
            ..Item::new(&verdict.says, Tone::Plain)
        }
    };
    cell.verdicts_on(cell.headline_metric).map(of).collect()
}
