//! How throughput scales with connections.

use photofinish_judge::comparison::{Comparison, Fitted};
use photofinish_model::units::{self, Unit};

use crate::document::{Block, Figure, Item, Table, Tone};

pub(super) fn scaling(comparison: &Comparison) -> Vec<Block> {
    let all = &comparison.scaling;
    let mut blocks = out_of_line(comparison);
    if all.is_empty() {
        return blocks;
    }
    blocks.extend([
        Block::section("Scaling"),
        Block::line(
            "The Universal Scalability Law, fitted over the closed-loop levels, with 95% intervals: contention is the share of work that waits for others, coherency the cost of keeping each consistent with every other.",
        ),
    ]);
    let mut workloads: Vec<&str> = all
        .iter()
        .map(|scaling| scaling.workload.as_str())
        .collect();
    workloads.dedup();
    for workload in workloads {
        let fits = || all.iter().filter(|scaling| scaling.workload == workload);
        blocks.push(Block::Heading(3, workload.to_owned()));
        let says = fits().map(|scaling| Item::new(&scaling.says.en, Tone::Plain));
        blocks.push(Block::List(says.collect()));
        let rows = fits().map(|scaling| {
            vec![
                Figure::new(&scaling.target),
                figure(scaling.gamma, |value| Unit::RequestsPerSecond.text(value)),
                figure(scaling.alpha, units::percent),
                figure(scaling.beta, |value| format!("{value:.2e}")),
                scaling.knee.map_or_else(Figure::none, |knee| {
                    figure(knee, |v| units::thousands(v.round()))
                }),
                Figure::new(units::percent(scaling.residual)),
            ]
        });
        blocks.push(Block::Table(Table {
            header: [
                "target",
                "one connection",
                "contention",
                "coherency",
                "peak at",
                "residual",
            ]
            .map(str::to_owned)
            .to_vec(),
            rows: rows.collect(),
        }));
    }
    blocks
}

/// The levels of sweeps that do not fit those around them.
fn out_of_line(comparison: &Comparison) -> Vec<Block> {
    let points = &comparison.out_of_line;
    if points.is_empty() {
        return Vec::new();
    }
    let items = points
        .iter()
        .map(|point| Item::new(&point.says.en, Tone::Bad));
    vec![Block::section("Outliers"), Block::List(items.collect())]
}

fn figure(fitted: Fitted, text: impl Fn(f64) -> String) -> Figure {
    Figure {
        text: text(fitted.value),
        detail: fitted
            .interval
            .map(|interval| format!("[{} … {}]", text(interval.low), text(interval.high))),
        tone: Tone::Plain,
        ..Figure::default()
    }
}
