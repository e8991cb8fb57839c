//! What each server used per request: the figures behind a 'because'.

use std::collections::BTreeSet;

use photofinish_judge::comparison::{Cell, Comparison};
use photofinish_model::Metric;
use photofinish_model::metric::Of;
use photofinish_voice::{Language, Say};

use crate::document::{Block, Figure, Table};

use super::cell::heading;
use super::figures::value;

/// Whether the table shows it: all that the server, its services and the wire have to say, but sums whose parts are shown.
fn is_shown(metric: Metric) -> bool {
    let spec = metric.spec();
    let is_sum = |metric| {
        Metric::ALL
            .iter()
            .any(|part| part.spec().part_of == Some(metric))
    };
    matches!(spec.of, Of::Server | Of::Service | Of::Wire | Of::Waits)
        && (metric == Metric::ServerCores || !is_sum(metric))
}

pub(super) fn evidence(comparison: &Comparison) -> Vec<Block> {
    let mut blocks = vec![
        Block::section("Evidence"),
        Block::line(
            "Per request: the server's CPU time, context switches, page faults and bytes of a response. In total: CPU cores in use (1.5 is what others call 150%), those of just-in-time compilers too where there are any, bytes per second of responses (what the server sent) and of requests (what it received; MB = 1,000,000 bytes), peak resident memory, threads. A range where a round is zero.",
        ),
    ];
    let known = |cell: &&Cell| {
        let mut targets = cell.targets.iter();
        targets.any(|target| target.figures.keys().any(|metric| is_shown(*metric)))
    };
    let of_services = |cell: &Cell| {
        let mut targets = cell.targets.iter();
        targets.any(|target| target.figure(Metric::ServiceCpu).is_some())
    };
    if comparison.cells.iter().any(of_services) {
        blocks.push(Block::line(
            "Service: what the target's database used, per request of the target and in total.",
        ));
    }
    blocks.extend(waits(comparison).map(Block::line));
    let before = blocks.len();
    for cell in comparison.cells.iter().filter(known) {
        blocks.push(heading(cell));
        blocks.push(Block::Table(table(cell)));
    }
    if blocks.len() == before {
        return Vec::new();
    }
    blocks
}

/// What the waits are, and whose are not among them; `None` where nobody looked.
fn waits(comparison: &Comparison) -> Option<String> {
    let targets = || comparison.cells.iter().flat_map(|cell| &cell.targets);
    if !targets().any(|target| target.figures.keys().any(|metric| metric.is_wait())) {
        return None;
    }
    let unseen = targets().filter(|target| target.has_unseen_waits);
    let unseen: BTreeSet<&str> = unseen.map(|target| target.target.as_str()).collect();
    let unseen: Vec<&str> = unseen.into_iter().collect();
    let but = match unseen.as_slice() {
        [] => String::new(),
        unseen => format!(
            " Virtual threads ({}) are not seen while they wait.",
            unseen.join(", ")
        ),
    };
    Some(format!(
        "Waits, per request: for how long threads of a Java server that had a request waited, all of them added up, by samples of their stacks in slices of their own.{but}"
    ))
}

fn table(cell: &Cell) -> Table {
    let shown = Metric::ALL.iter().copied().filter(|metric| {
        let mut figures = cell.targets.iter().flat_map(|t| t.figure(*metric));
        // Where nobody has a compiler, or waits so, its column would be all zeros.
        let may_be_zero = *metric != Metric::Compilers && !metric.is_wait();
        is_shown(*metric) && figures.any(|f| may_be_zero || f.max > 0.0)
    });
    let shown: Vec<Metric> = shown.collect();
    let mut header = vec!["target".to_owned()];
    header.extend(shown.iter().map(|metric| metric.say(Language::En)));
    let rows = cell.targets.iter().map(|target| {
        let mut row = vec![Figure::new(&target.target)];
        row.extend(shown.iter().map(|metric| {
            target
                .figure(*metric)
                .map_or_else(Figure::none, |figure| Figure {
                    // The intervals are in the JSON; here they would hide the figures.
                    detail: None,
                    ..value(figure)
                })
        }));
        row
    });
    Table {
        header,
        rows: rows.collect(),
    }
}
