//! The load levels of a workload.

use photofinish_model::Load;

use crate::capacity::read_load;
use crate::reader::{Node, Section};

/// The levels, and those at which others have published figures.
pub(super) fn read_loads(section: &Section<'_>) -> (Vec<Load>, Vec<Load>) {
    let items = |key| {
        let node = section.get(key);
        node.map(|node| node.one_or_more()).unwrap_or_default()
    };
    let (connections, rates) = (items("connections"), items("rates"));
    let published = items("published-connections");
    let arrivals = section.get("arrivals");
    let over = section.get("rate-connections");
    for node in [arrivals, over].into_iter().flatten() {
        if section.get("rates").is_none() {
            node.note(
                format!("`{}` has no effect without `rates`", node.name()),
                "add rates = [1000], or leave it out",
            );
        }
    }
    let searches = read_load(section);
    let levels = ["connections", "rates", "load"];
    let is_there = |key: &&str| section.get(key).is_some() || section.is_misspelt(key);
    if !levels.iter().any(is_there) {
        section.note(
            "the workload has no load level",
            "add connections = [100] (closed loop), rates = [1000] (open loop) or load = { capacity = \"p99 < 10ms\" } (the highest rate that meets it)",
        );
    }
    let arrivals = section.value_or_default("arrivals");
    let closed = |node| {
        let node: &Node<'_> = node;
        let connections: Option<u32> = node.value();
        (
            *node,
            connections.map(|connections| Load::Closed { connections }),
        )
    };
    let open = rates.iter().map(|node| {
        let load = node.value().map(|rate| Load::Open {
            rate,
            arrivals,
            connections: section.value_or_default("rate-connections"),
        });
        (*node, load)
    });
    (
        once_each(connections.iter().map(closed).chain(open).chain(searches)),
        once_each(published.iter().map(closed)),
    )
}

fn once_each<'d>(levels: impl Iterator<Item = (Node<'d>, Option<Load>)>) -> Vec<Load> {
    let mut loads: Vec<Load> = Vec::new();
    for (node, load) in levels {
        let Some(load) = load else { continue };
        if loads.contains(&load) {
            node.note("this load level is listed twice", "name each level once");
        }
        loads.push(load);
    }
    loads
}
