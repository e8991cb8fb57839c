//! The table of an answer: absolute figures of every server and how they differ, or, of several places, a matrix.

use photofinish_judge::comparison::{Cell, TargetFigures, Verdict};
use photofinish_model::units::{self, Unit};
use photofinish_model::{Load, Metric};
use photofinish_stats::Direction;
use photofinish_voice::label;

use crate::document::{Cell as Figure, Table};
use crate::ending::Figures;
use crate::words::{Text, Tone};

use super::source::{Source, short_place};

/// What a table of one place shows, if any server has it.
const SHOWN: [Metric; 4] = [
    Metric::Throughput,
    Metric::P50,
    Metric::P99,
    Metric::ServerCpu,
];

/// Returns the table of a run; `None` if nothing was measured.
pub(super) fn table(source: &Source) -> Option<Figures> {
    let measured = |cell: &&Cell| contenders(cell).next().is_some();
    let cells: Vec<&Cell> = source.comparison.cells.iter().filter(measured).collect();
    let several_servers = cells.iter().any(|cell| contenders(cell).count() > 1);
    match cells.as_slice() {
        [] => None,
        [one] => Some(of_place(source, one)),
        _ if several_servers => Some(matrix(source, &cells)),
        _ => Some(of_one_server(source, &cells)),
    }
}

/// The contenders with figures.
fn contenders(cell: &Cell) -> impl Iterator<Item = &TargetFigures> {
    cell.contenders().filter(|target| target.rounds > 0)
}

/// A row for each server, the best first, and by how much they differ.
pub(super) fn of_place(source: &Source, cell: &Cell) -> Figures {
    let ranked = ranked(cell, contenders(cell).collect());
    let metrics: Vec<Metric> = shown(&[cell]);
    let Table {
        mut header,
        mut rows,
    } = Table::of(&ranked)
        .column(Text::default(), |it| source.server(&it.target))
        .columns(
            &metrics,
            |metric| name(**metric, cell),
            |it, metric| figure(it, **metric, largest(&ranked, **metric)),
        )
        .table();
    let mut kept = 0;
    match ranked.as_slice() {
        [first, second] => {
            let differences = metrics.iter().map(|metric| {
                let verdict = verdict(cell, *metric, &first.target, &second.target);
                verdict.map_or_else(Figure::none, |verdict| {
                    match is_contradicted(cell, verdict) {
                        true => Figure::new(Text::from(label::result_unclear()).toned(Tone::Muted)),
                        false => difference(verdict, &first.target),
                    }
                })
            });
            let name = Figure::new(label::result_difference()).toned(Tone::Muted);
            rows.push([name].into_iter().chain(differences).collect());
            kept = 1;
        }
        [first, others @ ..] if !others.is_empty() => {
            header.push(Text::from(label::result_difference()));
            rows[0].push(Figure::new(""));
            for (other, row) in others.iter().zip(&mut rows[1..]) {
                let metric = cell.headline_metric;
                let verdict = verdict(cell, metric, &other.target, &first.target);
                row.push(match verdict {
                    Some(verdict) => difference(verdict, &other.target),
                    None => Figure::new(""),
                });
            }
        }
        _ => {}
    }
    Figures {
        spare: metrics
            .iter()
            .position(|metric| *metric == Metric::P50)
            .map(|at| at + 1)
            .into_iter()
            .collect(),
        table: Table { header, rows },
        kept,
    }
}

/// A row for each place of the only server.
fn of_one_server(source: &Source, cells: &[&Cell]) -> Figures {
    let metrics = shown(cells);
    let all: Vec<&TargetFigures> = cells.iter().flat_map(|cell| contenders(cell)).collect();
    let targets = (cells.iter()).flat_map(|cell| contenders(cell).map(move |it| (cell, it)));
    let place =
        |(cell, _): &(&&Cell, &TargetFigures)| Figure::new(short_place(source.comparison, cell));
    let table = Table::of(targets).column(Text::default(), place).columns(
        metrics,
        |metric| name(*metric, cells[0]),
        |(_, target), metric| figure(target, *metric, largest(&all, *metric)),
    );
    Figures {
        table: table.table(),
        ..Figures::default()
    }
}

/// A row for each place and a column for each server: the figure of the best one, and by how much each other one differs from it.
fn matrix(source: &Source, cells: &[&Cell]) -> Figures {
    let mut servers: Vec<&str> = Vec::new();
    for cell in cells {
        for target in ranked(cell, contenders(cell).collect()) {
            if !servers.contains(&target.target.as_str()) {
                servers.push(&target.target);
            }
        }
    }
    let one_metric = cells
        .iter()
        .all(|cell| cell.headline_metric == cells[0].headline_metric);
    let place = |cell: &&&Cell| {
        let place = short_place(source.comparison, cell);
        Figure::new(match cell.headline_metric {
            _ if one_metric => place,
            Metric::Throughput => place,
            metric => Text::list([place, name(metric, cell)]),
        })
    };
    let of_server = |cell: &&&Cell, server: &&str| {
        let metric = cell.headline_metric;
        let ranked = ranked(cell, contenders(cell).collect());
        let target = ranked.iter().find(|target| target.target == **server);
        let (Some(target), Some(best)) = (target, ranked.first()) else {
            return Figure::none();
        };
        if target.target == best.target {
            return figure(target, metric, largest(&ranked, metric)).toned(Tone::Strong);
        }
        match verdict(cell, metric, &target.target, &best.target) {
            Some(verdict) => difference(verdict, &target.target),
            None => figure(target, metric, largest(&ranked, metric)),
        }
    };
    let first = match one_metric {
        true => name(cells[0].headline_metric, cells[0]),
        false => Text::from(label::units_requests_per_second()),
    };
    let spare = (3..=servers.len()).rev().collect();
    let table = Table::of(cells).column(first, place);
    let table = table.columns(servers, |server| source.server(server), of_server);
    Figures {
        table: table.table(),
        spare,
        kept: 0,
    }
}

/// Servers in the order of the metric that the headline states, the best first.
fn ranked<'c>(cell: &Cell, mut targets: Vec<&'c TargetFigures>) -> Vec<&'c TargetFigures> {
    let metric = cell.headline_metric;
    let size = |target: &TargetFigures| {
        let figure = target.figure(metric);
        let mean = figure.map(|figure| figure.mean.unwrap_or(figure.max));
        mean.map_or(f64::INFINITY, |mean| match metric.larger_is_better() {
            true => -mean,
            false => mean,
        })
    };
    targets.sort_by(|a, b| size(a).total_cmp(&size(b)));
    targets
}

/// The metrics that any server has.
fn shown(cells: &[&Cell]) -> Vec<Metric> {
    let has = |metric: &Metric| {
        let mut all = cells.iter().flat_map(|cell| contenders(cell));
        all.any(|target| target.figure(*metric).is_some())
    };
    SHOWN.into_iter().filter(has).collect()
}

/// The largest figure of a column, whose unit all of it have.
fn largest(targets: &[&TargetFigures], metric: Metric) -> f64 {
    let figures = targets.iter().filter_map(|target| target.figure(metric));
    figures.filter_map(|figure| figure.mean).fold(0.0, f64::max)
}

/// A figure without its interval; the difference has one.
fn figure(target: &TargetFigures, metric: Metric, largest: f64) -> Figure {
    let Some(figure) = target.figure(metric) else {
        return Figure::none();
    };
    let Some(mean) = figure.mean else {
        return Figure::new(figure.range());
    };
    let text = match metric.unit() {
        Unit::RequestsPerSecond => units::rate_of_four(mean),
        unit => unit.text_like(mean, largest),
    };
    // Response times of an overloaded open loop are those of a queue.
    let tone = match target.void.contains(&metric) {
        true => Tone::Bad,
        false => Tone::Plain,
    };
    Figure::new(text).toned(tone)
}

fn verdict<'c>(cell: &'c Cell, metric: Metric, of: &str, over: &str) -> Option<&'c Verdict> {
    let mut verdicts = cell.verdicts_on(metric);
    verdicts.find(|verdict| verdict.is_between(of, over))
}

/// Whether the figures above a difference say the opposite of it. They are of all requests of all rounds, a verdict is of the rounds and turns that
/// both servers have.
fn is_contradicted(cell: &Cell, verdict: &Verdict) -> bool {
    let mean = |target: &str| cell.target(target)?.figure(verdict.metric)?.mean;
    let (Some(of), Some(over), Some(ratio)) =
        (mean(&verdict.of), mean(&verdict.over), verdict.ratio)
    else {
        return false;
    };
    verdict.ahead().is_some()
        && verdict.metric != cell.headline_metric
        && (of > over) != (ratio > 1.0)
}

/// By how much a server's figure differs from the other's; nothing if there is no verdict on them.
pub(super) fn difference(verdict: &Verdict, of: &str) -> Figure {
    let ratio = verdict.ratio_of(of).filter(|_| verdict.void().is_none());
    let Some((ratio, interval)) = ratio else {
        return Figure::none();
    };
    if verdict.wide {
        return Figure::new(Text::from(label::too_wide()).toned(Tone::Muted));
    }
    let tone = match verdict.direction() {
        Some(Direction::Above | Direction::Below) => Tone::Strong,
        _ => Tone::Muted,
    };
    Figure::new(units::difference(ratio, interval)).toned(tone)
}

/// A metric's name as a heading.
fn name(metric: Metric, cell: &Cell) -> Text {
    match (metric, &cell.load) {
        (Metric::Throughput, Load::Capacity(_)) => Text::from(label::result_sustained()),
        (Metric::Throughput, _) => Text::from(label::units_requests_per_second()),
        (Metric::ServerCpu, _) => Text::from(label::result_cpu()),
        _ => Text::say(&metric),
    }
}
