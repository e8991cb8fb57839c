//! Boards in JSON: arrays of objects, and TechEmpower's results.

use serde_json::Value;

use super::{ROWS, Table};

/// Arrays of objects anywhere in a document, and TechEmpower's results.
pub fn tables(text: &str) -> Result<Vec<Table>, String> {
    let value: Value = serde_json::from_str(text).map_err(|e| format!("not JSON: {e}"))?;
    if let Some(table) = tech_empower(&value) {
        return Ok(vec![table]);
    }
    let mut tables = Vec::new();
    arrays(&value, &mut tables, 0);
    Ok(tables)
}

/// Levels of a document that are searched for arrays.
const DEPTH: usize = 6;

fn arrays(value: &Value, tables: &mut Vec<Table>, depth: usize) {
    if depth > DEPTH {
        return;
    }
    match value {
        Value::Array(items) => {
            let objects: Vec<_> = items.iter().filter_map(Value::as_object).collect();
            if objects.len() < 2 {
                items
                    .iter()
                    .for_each(|item| arrays(item, tables, depth + 1));
                return;
            }
            let mut headings: Vec<String> = Vec::new();
            let mut rows = Vec::new();
            for (at, object) in objects.iter().enumerate().take(ROWS) {
                let mut cells = vec![String::new(); headings.len()];
                flatten(object, "", &mut headings, &mut cells);
                rows.push((at + 1, cells));
            }
            for (_, cells) in &mut rows {
                cells.resize(headings.len(), String::new());
            }
            tables.push(Table {
                headings,
                rows,
                ..Table::default()
            });
        }
        Value::Object(members) => {
            for member in members.values() {
                arrays(member, tables, depth + 1);
            }
        }
        _ => {}
    }
}

fn flatten(
    object: &serde_json::Map<String, Value>,
    prefix: &str,
    headings: &mut Vec<String>,
    cells: &mut Vec<String>,
) {
    for (key, value) in object {
        let name = format!("{prefix}{key}");
        if let (Value::Object(inner), "") = (value, prefix) {
            flatten(inner, &format!("{key} "), headings, cells);
        }
        let Some(cell) = cell(value) else {
            continue;
        };
        let at = match headings.iter().position(|heading| *heading == name) {
            Some(at) => at,
            None => {
                headings.push(name);
                headings.len() - 1
            }
        };
        if cells.len() <= at {
            cells.resize(at + 1, String::new());
        }
        cells[at] = cell;
    }
}

/// Requests at a time on a connection of TechEmpower's plaintext.
const PIPELINE: f64 = 16.0;

/// `rawData` by task and framework, an array by level of concurrency.
fn tech_empower(value: &Value) -> Option<Table> {
    let raw = value.get("rawData")?.as_object()?;
    let levels_of_all = value.get("concurrencyLevels").and_then(Value::as_array);
    let duration = value.get("duration").and_then(Value::as_f64);
    let headings = [
        "task",
        "framework",
        "connections",
        "pipeline",
        "total requests",
        "duration",
        "avg_latency",
        "max latency",
        "stdev",
        "rps",
    ];
    let shown = |value: Option<f64>| value.map(|v| v.to_string()).unwrap_or_default();
    let mut rows = Vec::new();
    for (task, servers) in raw {
        let by_query = ["query", "update", "fortune-query", "cached-query"];
        let by_query = by_query.contains(&task.as_str());
        let is_pipelined = task == "plaintext";
        let levels = value.get("pipelineConcurrencyLevels");
        let levels = levels.filter(|_| is_pipelined).and_then(Value::as_array);
        let levels = levels.or(levels_of_all)?.iter().map(Value::as_f64);
        for (server, runs) in servers.as_object().into_iter().flatten() {
            for (at, run) in runs.as_array().into_iter().flatten().enumerate() {
                let text = |key: &str| run.get(key).and_then(cell).unwrap_or_default();
                // Rows of query and update are of one number of connections, the largest, and differ in queries.
                let level = match by_query {
                    true => levels.clone().flatten().reduce(f64::max),
                    false => levels.clone().nth(at).flatten(),
                };
                let total: Option<f64> = text("totalRequests").parse().ok();
                let rate = total
                    .zip(duration)
                    .map(|(total, duration)| total / duration);
                let cells = vec![
                    task.clone(),
                    server.clone(),
                    shown(level),
                    shown(is_pipelined.then_some(PIPELINE)),
                    text("totalRequests"),
                    shown(duration),
                    text("latencyAvg"),
                    text("latencyMax"),
                    text("latencyStdev"),
                    shown(rate),
                ];
                rows.push((rows.len() + 1, cells));
            }
        }
    }
    Some(Table {
        headings: headings.map(str::to_owned).to_vec(),
        rows,
        ..Table::default()
    })
}

/// What a cell says: a text or a number.
fn cell(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
