//! How a race is measured, as a study file states it: keys and types come from the table of settings.

use photofinish_model::settings::{CpuSets, Group, Kind, Origin, RaceLayer, Row, Value};

use crate::keys::study::LANES;
use crate::reader::{Node, Section};

/// Reads the settings that a study gives.
pub(crate) fn read(file: &Section<'_>) -> RaceLayer {
    let layer = RaceLayer::read(|row| {
        let node = find(file, row)?;
        let value = match row.kind {
            Kind::Cpus if node.is_table() => Value::Cpus(cpu_sets(&node)?),
            _ => node.value_of(&row.kind)?,
        };
        Some((value, Origin::File(node.line())))
    });
    if let (Some(min), Some(max)) = (layer.warmup_min, layer.warmup_max)
        && min.value > max.value
        && let Some(node) = file.get("warmup")
    {
        node.note(
            "`warmup` ends before it may: its min is longer than its max",
            "warmup = { min = \"3s\", max = \"60s\" }",
        );
    }
    layer
}

/// The value of a setting's key, which may be in a table.
fn find<'d>(file: &Section<'d>, row: &Row) -> Option<Node<'d>> {
    match row.key?.split_once('.') {
        None => file.get(row.key?),
        Some((table, key)) => file.section(table)?.get(key),
    }
}

/// CPU sets as a table.
fn cpu_sets(node: &Node<'_>) -> Option<CpuSets> {
    let section = node.section_of("`lanes`", LANES)?;
    let cores = |key| {
        let items = section.need(key)?.list()?;
        let cores = items.iter().map(|item| Some(item.value::<u32>()? as usize));
        cores.collect::<Option<Vec<_>>>()
    };
    let (server, generator) = (cores("server"), cores("generator"));
    CpuSets::of(server?, generator?)
        .map_err(|error| {
            node.note(
                error.to_string(),
                "for example: lanes = { server = [0], generator = [1] }",
            )
        })
        .ok()
}
