//! What a request's CPU time is spent on.

use photofinish_judge::comparison::{
    Cell, Comparison, FunctionTime, LayersBeside, TargetFigures, TargetProfile,
};
use photofinish_model::units::{Unit, percent, thousands};
use photofinish_model::{Layer, Metric};
use photofinish_stats::Interval;
use photofinish_voice::{Language, Say};

use crate::document::{Block, Figure, Table};

use super::cell::heading;

pub(super) fn layers(comparison: &Comparison) -> Vec<Block> {
    let profiled = |cell: &&Cell| cell.targets.iter().any(|target| target.profile.is_some());
    let cells: Vec<&Cell> = comparison.cells.iter().filter(profiled).collect();
    if cells.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![
        Block::section("Where a request's CPU time goes"),
        Block::line(
            "Microseconds of the server's CPU per request, by samples of its call stacks in slices beside the measured ones; the layers add up to what was measured. A difference counts where its interval, which allows for all of them, excludes 0.",
        ),
    ];
    for cell in cells {
        blocks.push(heading(cell));
        blocks.push(Block::Table(table(cell)));
        blocks.extend(cell.targets.iter().filter_map(price).map(Block::line));
        if !cell.functions.is_empty() {
            let title = "The functions with the most CPU time of their own".to_owned();
            blocks.push(Block::Folded(title, functions(&cell.functions)));
        }
    }
    blocks
}

fn table(cell: &Cell) -> Table {
    let targets: Vec<(&TargetFigures, &TargetProfile)> = (cell.targets.iter())
        .filter_map(|target| Some((target, target.profile.as_ref()?)))
        .collect();
    // Of more than two targets each would have its column of differences; those are in the JSON.
    let beside = match cell.layers.as_slice() {
        [pair] => Some(pair),
        _ => None,
    };
    let mut header = vec!["layer".to_owned()];
    header.extend(targets.iter().map(|(target, _)| target.target.clone()));
    header.extend(beside.map(|pair| format!("{} − {}", pair.b, pair.a)));
    let seen = |layer: &&Layer| {
        let mut profiles = targets.iter().flat_map(|(_, profile)| &profile.layers);
        profiles.any(|time| time.layer == **layer)
    };
    let row = |layer: &Layer| {
        let name = Metric::of_layer(*layer).say(Language::En);
        let mut row = vec![Figure::new(name)];
        row.extend(targets.iter().map(|(_, profile)| spent(profile, *layer)));
        row.extend(beside.map(|pair| differs(pair, *layer)));
        row
    };
    let mut rows: Vec<Vec<Figure>> = Layer::ALL.iter().filter(seen).map(row).collect();
    let mut all = vec![Figure::new("all")];
    all.extend(
        (targets.iter()).map(|(_, profile)| Figure::new(Unit::Microseconds.text(profile.cpu_us))),
    );
    all.extend(beside.map(|_| Figure::none()));
    rows.push(all);
    Table { header, rows }
}

/// The time of functions by themselves, with that of all that they call below it.
fn functions(functions: &[FunctionTime]) -> Table {
    let first = functions.first();
    let mut header = vec!["function".to_owned()];
    header.extend(
        first
            .iter()
            .flat_map(|of| &of.times)
            .map(|of| of.target.clone()),
    );
    // As for layers: the differences of several pairs are in the JSON.
    let has_one_pair = first.is_some_and(|of| of.differences.len() == 1);
    let pair = first.filter(|_| has_one_pair).map(|of| &of.differences[0]);
    header.extend(pair.map(|pair| format!("{} − {}", pair.b, pair.a)));
    let us = |value: f64| Unit::Microseconds.text(value);
    let row = |of: &FunctionTime| {
        let mut row = vec![Figure::new(of.function.as_str())];
        row.extend(of.times.iter().map(|time| Figure {
            detail: Some(format!("total {}", us(time.total_us))),
            ..Figure::new(us(time.self_us))
        }));
        if has_one_pair {
            let by = of.differences.first().map(|of| of.difference);
            row.push(by.map_or_else(Figure::none, |by| {
                difference(by.more_us, by.interval, by.is_sure)
            }));
        }
        row
    };
    Table {
        header,
        rows: functions.iter().map(row).collect(),
    }
}

/// A difference, in brackets where it is not certain.
fn difference(more_us: f64, interval: Option<Interval>, is_sure: bool) -> Figure {
    let text = Unit::Microseconds.text(more_us);
    let text = if is_sure { text } else { format!("({text})") };
    Figure {
        detail: interval.map(|it| Unit::Microseconds.interval(more_us, it)),
        ..Figure::new(text)
    }
}

fn spent(profile: &TargetProfile, layer: Layer) -> Figure {
    let found = profile.layers.iter().find(|time| time.layer == layer);
    found.map_or_else(Figure::none, |time| Figure {
        detail: Some(percent(time.share)),
        ..Figure::new(Unit::Microseconds.text(time.us))
    })
}

fn differs(pair: &LayersBeside, layer: Layer) -> Figure {
    let found = pair.layers.iter().find(|found| found.layer == layer);
    found.map_or_else(Figure::none, |found| {
        difference(found.more_us, found.interval, found.is_sure)
    })
}

/// What the profiler took of a target's throughput.
fn price(target: &TargetFigures) -> Option<String> {
    let profile = target.profile.as_ref()?;
    let lost = match profile.lost {
        0 => String::new(),
        lost => format!(", {} lost", thousands(lost as f64)),
    };
    let samples = thousands(profile.samples as f64);
    let price = match (profile.throughput_ratio, profile.throughput_interval) {
        (Some(ratio), Some(interval)) => format!(
            "; throughput with the profiler {} of that without [{} … {}]",
            percent(ratio),
            percent(interval.low),
            percent(interval.high)
        ),
        (Some(ratio), None) => format!(
            "; throughput with the profiler {} of that without",
            percent(ratio)
        ),
        _ => String::new(),
    };
    Some(format!(
        "{}: {samples} samples{lost}{price}.",
        target.target
    ))
}
