//! What each server used per request: the figures behind a 'because'.

use photofinish_judge::comparison::{Cell, Comparison, Quantity};

use crate::document::{Block, Figure, Table};

use super::figures::{heading, value};

/// What the table shows, and the name of its column.
const SHOWN: [(Quantity, &str); 15] = [
    (Quantity::CpuUser, "CPU user"),
    (Quantity::CpuSystem, "CPU system"),
    (Quantity::SwitchesVoluntary, "switches voluntary"),
    (Quantity::SwitchesForced, "switches forced"),
    (Quantity::FaultsMinor, "faults minor"),
    (Quantity::FaultsMajor, "faults major"),
    (Quantity::BytesPerAnswer, "bytes on the wire"),
    (Quantity::CpuCores, "CPU in all"),
    (Quantity::Compilers, "compilers"),
    (Quantity::BytesOut, "network in"),
    (Quantity::BytesIn, "network out"),
    (Quantity::Memory, "memory"),
    (Quantity::Threads, "threads"),
    (Quantity::ServiceCpu, "service CPU"),
    (Quantity::ServiceCores, "service CPU in all"),
];

pub(super) fn evidence(comparison: &Comparison) -> Vec<Block> {
    let mut blocks = vec![
        Block::section("Evidence"),
        Block::line(
            "Per request: the server's CPU time, context switches, page faults and bytes of an answer. In all: cores kept busy (1.5 is what others call 150%), by just-in-time compilers too where there are any, bytes that the server got and sent per second (MB = 1,000,000 bytes), the largest resident memory, threads. A range where a round is zero.",
        ),
    ];
    let known = |cell: &&Cell| {
        let mut targets = cell.targets.iter();
        targets.any(|target| {
            SHOWN
                .iter()
                .any(|(quantity, _)| target.figure(*quantity).is_some())
        })
    };
    let of_services = |cell: &Cell| {
        let mut targets = cell.targets.iter();
        targets.any(|target| target.figure(Quantity::ServiceCpu).is_some())
    };
    if comparison.cells.iter().any(of_services) {
        blocks.push(Block::line(
            "Service: what the target's database used, per request of the target and in all.",
        ));
    }
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

fn table(cell: &Cell) -> Table {
    let shown: Vec<&(Quantity, &str)> = SHOWN
        .iter()
        .filter(|(quantity, _)| {
            let mut figures = cell.targets.iter().flat_map(|t| t.figure(*quantity));
            // Where nobody has a compiler its column would be all zeros.
            figures.any(|figure| *quantity != Quantity::Compilers || figure.max > 0.0)
        })
        .collect();
    let mut header = vec!["target".to_owned()];
    header.extend(shown.iter().map(|(_, name)| (*name).to_owned()));
    let rows = cell.targets.iter().map(|target| {
        let mut row = vec![Figure::new(&target.target)];
        row.extend(shown.iter().map(|(quantity, _)| {
            target
                .figure(*quantity)
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
