//! How a race is measured, as a study file states it: keys and types come from the table of settings.

use photofinish_model::settings::{CpuSets, Group, Kind, MAX_CORE, Origin, RaceLayer, Row, Value};

use crate::keys::study::LANES;
use crate::reader::{Node, Section};

/// The keys of the table `warmup`.
pub(crate) const WARMUP_KEYS: &[&str] = &["min", "max"];

const WARMUP_EXAMPLE: &str = "warmup = { min = \"3s\", max = \"60s\" }";

/// The keys of settings at the top of a study.
pub(crate) fn keys() -> impl Iterator<Item = &'static str> {
    let keys = RaceLayer::ROWS.iter().filter_map(|row| row.key);
    let keys = keys.map(|key| key.split_once('.').map_or(key, |(table, _)| table));
    // `warmup.min` and `warmup.max` stand next to each other.
    let mut last = None;
    keys.filter(move |key| last.replace(*key) != Some(*key))
}

/// Reads the settings that a study gives.
pub(crate) fn read(file: &Section<'_>) -> RaceLayer {
    let layer = RaceLayer::read(|row| {
        let node = find(file, row)?;
        let value = match row.kind {
            Kind::Cpus if node.is_table() => Value::Cpus(cpu_sets(&node)?),
            _ => node.value(&row.kind)?,
        };
        Some((value, Origin::File(node.line())))
    });
    if let (Some(min), Some(max)) = (layer.warmup_min, layer.warmup_max)
        && min.value > max.value
        && let Some(node) = file.get("warmup")
    {
        node.note(
            "`warmup` ends before it may: its min is longer than its max",
            WARMUP_EXAMPLE,
        );
    }
    layer
}

/// The value of a setting's key, which may be in a table.
fn find<'d>(file: &Section<'d>, row: &Row) -> Option<Node<'d>> {
    match row.key?.split_once('.') {
        None => file.get(row.key?),
        Some((table, key)) => {
            let what = format!("`{table}`");
            let section = file
                .get(table)?
                .named_section(&what, WARMUP_KEYS, WARMUP_EXAMPLE);
            section?.get(key)
        }
    }
}

/// CPU sets as a table.
fn cpu_sets(node: &Node<'_>) -> Option<CpuSets> {
    let example = "lanes = { server = [0], generator = [1] }";
    let section = node.section("`lanes`", LANES, example)?;
    let cores = |key| {
        let items = section.need(key, example)?.list(example)?;
        let cores = items.iter().map(|item| item.integer(0..=MAX_CORE as u32));
        cores
            .map(|core| core.map(|core| core as usize))
            .collect::<Option<Vec<_>>>()
    };
    let (server, generator) = (cores("server"), cores("generator"));
    CpuSets::of(server?, generator?)
        .map_err(|error| node.note(error.to_string(), example))
        .ok()
}
