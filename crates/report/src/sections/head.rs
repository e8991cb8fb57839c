//! What was run, where, and what is not there.

use photofinish_results::comparison::{Comparison, Head};
use photofinish_results::units::{self, Unit};

use crate::document::{Block, Item, Text, Tone};

pub(super) fn head(comparison: &Comparison) -> Vec<Block> {
    let head = &comparison.head;
    let mut blocks = vec![
        Block::Heading(1, head.title.clone()),
        Block::Line(Text {
            text: comparison.headline.clone(),
            tone: Tone::Strong,
        }),
    ];
    let targets = head.targets.iter().map(|target| {
        let mut item = Item::new(format!("{}: {}", target.label, target.title), Tone::Plain);
        let tools = target
            .tools
            .iter()
            .map(|(name, found)| format!("{name} {found}"));
        item.below.extend(tools);
        item
    });
    blocks.push(Block::List(targets.collect()));
    blocks.push(Block::line(run(head)));
    blocks.push(Block::line(machine(head)));
    if let Some(source) = &head.source {
        blocks.push(Block::line(format!("Published: {source}")));
    }
    blocks
}

fn run(head: &Head) -> String {
    format!(
        "Study {}: {} of {} of {} s each, begun {}, seed {}{}.",
        head.name,
        head.rounds_done,
        units::plural(head.rounds_asked as usize, "round", "rounds"),
        head.duration_s,
        head.started,
        head.seed,
        if head.smoke { ", a smoke run" } else { "" }
    )
}

fn machine(head: &Head) -> String {
    let machine = &head.machine;
    let lane = |cpus: &[u32]| {
        let cpus: Vec<String> = cpus.iter().map(u32::to_string).collect();
        cpus.join(",")
    };
    let lanes = if machine.server_cpus.is_empty() && machine.generator_cpus.is_empty() {
        "server and generator not pinned".to_owned()
    } else {
        format!(
            "server on {}, generator on {}",
            lane(&machine.server_cpus),
            lane(&machine.generator_cpus)
        )
    };
    let mut parts = vec![
        machine.cpu.clone(),
        units::plural(machine.cpus.len(), "core", "cores"),
        lanes,
        Unit::Bytes.text(machine.memory_bytes as f64),
        machine.os.clone(),
        format!("kernel {}", machine.kernel),
    ];
    parts.extend(
        machine
            .hypervisor
            .as_ref()
            .map(|name| format!("hypervisor {name}")),
    );
    parts.extend(
        machine
            .governor
            .as_ref()
            .map(|name| format!("governor {name}")),
    );
    parts.push(format!("photofinish {}", machine.photofinish));
    parts.extend(
        machine
            .commit
            .as_ref()
            .map(|commit| format!("commit {commit}")),
    );
    format!("Machine: {}.", parts.join(", "))
}

/// Failures and missing measurements, before any figure: they touch them all.
pub(super) fn gaps(comparison: &Comparison) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !comparison.failures.is_empty() {
        blocks.push(Block::section("Failures"));
        let items = comparison.failures.iter().map(|failure| {
            let text = format!(
                "{}, round {}: {}",
                failure.target, failure.round, failure.why
            );
            let mut item = Item::new(text, Tone::Bad);
            if !failure.measurements.is_empty() {
                item.below
                    .push(format!("lost: {}", failure.measurements.join("; ")));
            }
            item
        });
        blocks.push(Block::List(items.collect()));
    }
    if !comparison.missing.is_empty() {
        blocks.push(Block::section("Not measured"));
        let items = comparison.missing.iter().map(|missing| {
            let rounds: Vec<String> = missing.rounds.iter().map(u32::to_string).collect();
            let noun = if rounds.len() == 1 { "round" } else { "rounds" };
            Item::new(
                format!(
                    "{}, {}, {}: {noun} {}",
                    missing.target,
                    missing.workload,
                    missing.level,
                    rounds.join(", ")
                ),
                Tone::Plain,
            )
        });
        blocks.push(Block::List(items.collect()));
    }
    blocks
}
