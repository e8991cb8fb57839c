//! Capacities: what each target sustains, and the curves behind it.

use photofinish_judge::comparison::{Cell, Comparison, Point};
use photofinish_model::units::{Unit, per_second, thousands};
use photofinish_stats::Interval;

use crate::document::{Block, Figure, Item, Table, Tone};

use super::cell::place;

/// What each target of a cell sustains, in words, with what to be careful about.
pub(super) fn sustained(cell: &Cell) -> Vec<Block> {
    let items: Vec<Item> = cell
        .targets
        .iter()
        .filter_map(|target| {
            let sustained = target.sustained.as_ref()?;
            let tone = if sustained.none_held.is_empty() && sustained.lower_bound.is_empty() {
                Tone::Plain
            } else {
                Tone::Bad
            };
            let mut item = Item::new(format!("{} {}", target.target, sustained.says.en), tone);
            let doubts = sustained.doubts.iter();
            item.below = doubts.map(|doubt| doubt.en.clone()).collect();
            Some(item)
        })
        .collect();
    if items.is_empty() {
        return Vec::new();
    }
    vec![
        Block::line(
            "Each target at the highest rate that it sustains: response times belong to different rates, and there is no verdict on them.",
        ),
        Block::List(items),
    ]
}

/// Each target's steps by rising rate.
pub(super) fn curves(comparison: &Comparison) -> Vec<Block> {
    let mut blocks = Vec::new();
    for cell in &comparison.cells {
        for target in &cell.targets {
            let Some(sustained) = &target.sustained else {
                continue;
            };
            let title = format!("{}: {}", target.target, place(cell));
            blocks.push(Block::Folded(title, curve(&sustained.curve)));
        }
    }
    if blocks.is_empty() {
        return Vec::new();
    }
    let heading = [
        Block::section("Capacity curves"),
        Block::line(
            "The steps of all rounds by the rate that was offered: in how many the objective was met, and their response times, from the lowest to the highest.",
        ),
    ];
    heading.into_iter().chain(blocks).collect()
}

fn curve(points: &[Point]) -> Table {
    let header = ["offered", "met", "p50", "p99", "errors", ""];
    let rows = points.iter().map(|point| {
        let why = match &point.why {
            None => Figure::new("met"),
            Some(why) => Figure {
                text: why.en.clone(),
                tone: Tone::Bad,
                detail: None,
                ..Figure::default()
            },
        };
        vec![
            Figure::new(per_second(point.offered_rps)),
            Figure::new(format!("{} of {}", point.held, point.steps)),
            times(point.p50_us),
            times(point.p99_us),
            Figure::new(thousands(point.errors as f64)),
            why,
        ]
    });
    Table {
        header: header.map(str::to_owned).to_vec(),
        rows: rows.collect(),
    }
}

fn times(range: Option<Interval>) -> Figure {
    range.map_or_else(Figure::none, |range| {
        Figure::new(if range.low == range.high {
            Unit::Microseconds.text(range.high)
        } else {
            Unit::Microseconds.range(range.low, range.high)
        })
    })
}
