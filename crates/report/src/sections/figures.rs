//! The figures: a table a workload and load level, the targets as rows.

use photofinish_judge::comparison::{
    Cell, Comparison, Figure as Measured, GeneratorFigures, TargetFigures,
};
use photofinish_model::units::{self, Unit};
use photofinish_model::{Metric, Role, TargetRecord, failed_connects};
use photofinish_stats::Interval;
use photofinish_voice::{Language, Say, check};

use crate::document::{Block, Figure, Table, Text, Tone};

use super::cell::heading;
use super::sustained::sustained;

/// What the table shows; all else is in the JSON and the CSV.
const SHOWN: [Metric; 6] = [
    Metric::Throughput,
    Metric::Mean,
    Metric::P50,
    Metric::P99,
    Metric::P999,
    Metric::Max,
];

/// The mark of a throughput that errors have touched.
const MARK: &str = " *";

pub(super) fn figures(comparison: &Comparison) -> Vec<Block> {
    let cells = &comparison.cells;
    if cells
        .iter()
        .all(|cell| cell.targets.iter().all(|target| target.rounds == 0))
    {
        return Vec::new();
    }
    let mut blocks = vec![
        Block::section("Figures"),
        Block::line(
            "Geometric means over the rounds with 95% intervals; response times; the maximum with its range over the rounds.",
        ),
    ];
    blocks.extend(comparison.head.limit().map(the_limit));
    for cell in cells {
        blocks.push(heading(cell));
        blocks.push(Block::Table(table(cell, comparison.head.rounds_asked)));
        blocks.extend(cell.network.iter().map(|network| Block::line(&network.en)));
        blocks.extend(sustained(cell));
        blocks.extend(held_back(cell));
        blocks.extend(by_generator(cell));
        if cell.targets.iter().any(|target| target.error_count() > 0) {
            blocks.push(Block::Line(Text {
                text: "* with errors: throughput counts good responses only, and failed requests are in the response times, with the time that they waited.".to_owned(),
                tone: Tone::Bad,
            }));
        }
    }
    blocks
}

/// What the limit is, and what a share of it is.
fn the_limit(limit: &TargetRecord) -> Block {
    Block::line(format!(
        "The limit is {}: {}. Shares of the limit are throughput over the limit's, round by round, with 95% intervals.",
        limit.label,
        limit.title.trim_end_matches('.')
    ))
}

/// That the limit could do more than it was asked to, where that is so.
fn held_back(cell: &Cell) -> Option<Block> {
    let limit = cell.targets.iter().find(|t| t.role == Role::Limit)?;
    (cell.limit_held_back > 0).then(|| {
        Block::line(format!(
            "In {} of {} rounds the load generator was the bottleneck for the limit, which could do more: the shares are upper bounds.",
            cell.limit_held_back, limit.rounds
        ))
    })
}

/// What each of several load generators measured by itself.
fn by_generator(cell: &Cell) -> Vec<Block> {
    let range = |interval: Interval, unit: Unit| {
        format!(
            "{} to {}",
            unit.text(interval.low),
            unit.text(interval.high)
        )
    };
    let line = |target: &TargetFigures, one: &GeneratorFigures| {
        let times = [("p50", one.p50_us), ("p99", one.p99_us)].into_iter();
        let times = times.filter_map(|(name, interval)| {
            Some(format!(", {name} {}", range(interval?, Unit::Microseconds)))
        });
        Block::line(format!(
            "{} by load generator {}: {}{}; its clock known to ± {}",
            target.target,
            one.machine,
            range(one.throughput_rps, Unit::RequestsPerSecond),
            times.collect::<String>(),
            Unit::Microseconds.text(one.clock_uncertain_us)
        ))
    };
    let of = |target: &TargetFigures| {
        let lines = target.generators.iter().map(|one| line(target, one));
        lines.collect::<Vec<Block>>()
    };
    cell.targets.iter().flat_map(of).collect()
}

fn table(cell: &Cell, rounds_asked: u32) -> Table {
    let with_errors = cell.targets.iter().any(|target| target.error_count() > 0);
    let with_rounds = cell
        .targets
        .iter()
        .any(|target| target.rounds != rounds_asked as usize);
    let with_shares = cell
        .targets
        .iter()
        .any(|target| target.share_of_limit.is_some());
    let mut header = vec!["target".to_owned()];
    for metric in SHOWN {
        header.push(match metric.unit() {
            Unit::RequestsPerSecond if cell.load.objective().is_some() => "sustained/s".to_owned(),
            Unit::RequestsPerSecond => "requests/s".to_owned(),
            _ => metric.say(Language::En),
        });
        if with_shares && metric == Metric::Throughput {
            header.push("share of limit".to_owned());
        }
    }
    header.extend(with_errors.then(|| "errors".to_owned()));
    header.extend(with_rounds.then(|| "rounds".to_owned()));
    let rows = cell.targets.iter().map(|target| {
        let mut row = vec![Figure::new(&target.target)];
        for metric in SHOWN {
            row.push(figure(target, metric));
            if with_shares && metric == Metric::Throughput {
                row.push(share(target));
            }
        }
        row.extend(with_errors.then(|| errors(target)));
        row.extend(with_rounds.then(|| Figure::new(target.rounds.to_string())));
        row
    });
    Table {
        header,
        rows: rows.collect(),
    }
}

fn figure(target: &TargetFigures, metric: Metric) -> Figure {
    let Some(figure) = target.figure(metric) else {
        return Figure::none();
    };
    let mut shown = value(figure);
    if metric == Metric::Throughput && target.error_count() > 0 {
        shown.text.push_str(MARK);
    }
    shown
}

fn share(target: &TargetFigures) -> Figure {
    match &target.share_of_limit {
        _ if target.role == Role::Limit => Figure::new("the limit"),
        None => Figure::none(),
        Some(share) => Figure {
            text: share.text(),
            detail: share
                .interval
                .and_then(units::wide)
                .or_else(|| share.bounds()),
            tone: Tone::Plain,
            ..Figure::default()
        },
    }
}

/// A figure with its interval, or its range; requests/s stand in the header.
pub(super) fn value(figure: &Measured) -> Figure {
    let Some(mean) = figure.mean else {
        return Figure::new(figure.range());
    };
    Figure {
        text: match figure.unit {
            Unit::RequestsPerSecond => units::number(mean),
            unit => unit.text(mean),
        },
        detail: figure.interval.map(|interval| {
            units::wide(interval).unwrap_or_else(|| figure.unit.interval(mean, interval))
        }),
        tone: Tone::Plain,
        ..Figure::default()
    }
}

fn errors(target: &TargetFigures) -> Figure {
    if target.error_count() == 0 {
        return Figure::new("0");
    }
    // A connect that fails is an error without a request.
    let attempts = target.requests + failed_connects(&target.errors);
    let share = target.error_count() as f64 / attempts.max(1) as f64;
    Figure {
        text: format!(
            "{} ({})",
            check::errors(&target.errors, Language::En),
            units::percent(share)
        ),
        detail: Some(in_rounds(&target.rounds_with_errors)),
        tone: Tone::Bad,
        ..Figure::default()
    }
}

fn in_rounds(rounds: &[u32]) -> String {
    let rounds: Vec<String> = rounds.iter().map(u32::to_string).collect();
    let noun = if rounds.len() == 1 { "round" } else { "rounds" };
    format!("in {noun} {}", rounds.join(", "))
}
