//! Reads boards out of CSV, Markdown and JSON.

use std::collections::BTreeMap;

use serde_json::Value;

use super::columns::{Role, role};
use super::{Board, Row};
use crate::figure::{Figure, Scan, unit_bytes};
use crate::table::Separator;
use crate::table::amount::{amount, plain, time};

/// Rows kept of one board.
const ROWS: usize = 200_000;

/// The boards of a file.
pub fn boards(name: &str, text: &str) -> Result<Vec<Board>, String> {
    let tables = match text.trim_start().starts_with(['{', '[']) {
        true => json(text).map_err(|wrong| format!("{name}: {wrong}"))?,
        false => lines(text),
    };
    let boards: Vec<Board> = tables.into_iter().filter_map(|t| board(name, t)).collect();
    match boards.is_empty() {
        true => Err(format!(
            "{name}: there is no board in it: a heading with requests per second and with connections, a latency or a duration is missing"
        )),
        false => Ok(boards),
    }
}

/// Headings and rows as texts, each row with its line.
struct Table {
    headings: Vec<String>,
    rows: Vec<(usize, Vec<String>)>,
}

fn lines(text: &str) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    let mut separator = None;
    let mut before: Option<Vec<String>> = None;
    let mut separators = BTreeMap::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        let several = |by: &char| line.matches(*by).count() >= 2;
        let by = match line.contains('|') {
            true => Some('|'),
            false => [',', ';', '\t'].into_iter().find(several),
        };
        let Some(by) = by else {
            (separator, before) = (None, None);
            continue;
        };
        let splits = separators.entry(by).or_insert_with(|| Separator::of(by));
        let cells = splits.as_mut().map(|s| s.cells(line)).unwrap_or_default();
        let rows = Vec::new();
        let is_rule = by == '|' && line.contains("--") && line.chars().all(|c| "|-: ".contains(c));
        if is_rule {
            if let Some(headings) = before.take() {
                tables.push(Table { headings, rows });
                separator = Some(by);
            }
            continue;
        }
        match tables.last_mut() {
            Some(table) if separator == Some(by) => {
                if table.rows.len() < ROWS {
                    table.rows.push((at + 1, cells));
                }
            }
            _ if by == '|' => before = Some(cells),
            _ => {
                let headings = cells;
                tables.push(Table { headings, rows });
                separator = Some(by);
            }
        }
    }
    tables
}

/// Arrays of objects anywhere in a document, and TechEmpower's results.
fn json(text: &str) -> Result<Vec<Table>, String> {
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
            tables.push(Table { headings, rows });
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
        let cell = match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            Value::Object(inner) if prefix.is_empty() => {
                flatten(inner, &format!("{key} "), headings, cells);
                continue;
            }
            _ => continue,
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

/// `rawData` by task and framework, an array by level of concurrency.
fn tech_empower(value: &Value) -> Option<Table> {
    let raw = value.get("rawData")?.as_object()?;
    let levels = value.get("concurrencyLevels")?.as_array()?;
    let duration = value.get("duration").and_then(Value::as_f64);
    let headings = [
        "task",
        "framework",
        "connections",
        "total requests",
        "duration",
        "avg_latency",
        "max latency",
        "stdev",
        "rps",
    ];
    let mut rows = Vec::new();
    for (task, servers) in raw {
        let by_query = ["query", "update", "fortune-query"].contains(&task.as_str());
        for (server, runs) in servers.as_object().into_iter().flatten() {
            for (at, run) in runs.as_array().into_iter().flatten().enumerate() {
                let text = |key: &str| match run.get(key) {
                    Some(Value::String(text)) => text.clone(),
                    Some(Value::Number(number)) => number.to_string(),
                    _ => String::new(),
                };
                // Rows of query and update are of one number of connections, the largest, and differ in queries.
                let level = match by_query {
                    true => levels.iter().filter_map(Value::as_f64).reduce(f64::max),
                    false => levels.get(at).and_then(Value::as_f64),
                };
                let total: Option<f64> = text("totalRequests").parse().ok();
                let rate = total
                    .zip(duration)
                    .map(|(total, d)| format!("{}", total / d));
                let shown = |value: Option<f64>| value.map(|v| v.to_string()).unwrap_or_default();
                rows.push((
                    rows.len() + 1,
                    vec![
                        task.clone(),
                        server.clone(),
                        shown(level),
                        text("totalRequests"),
                        shown(duration),
                        text("latencyAvg"),
                        text("latencyMax"),
                        text("latencyStdev"),
                        rate.unwrap_or_default(),
                    ],
                ));
            }
        }
    }
    Some(Table {
        headings: headings.map(str::to_owned).to_vec(),
        rows,
    })
}

/// A table as a board, if it has a rate and something to hold it against.
fn board(name: &str, table: Table) -> Option<Board> {
    let mut roles: Vec<Role> = table.headings.iter().map(|h| role(h)).collect();
    let has = |roles: &[Role], wanted: fn(&Role) -> bool| roles.iter().any(wanted);
    if !has(&roles, |r| *r == Role::Server)
        && let Some(first) = roles.iter_mut().find(|r| **r == Role::Other)
    {
        // The first column without a number names the row.
        *first = Role::Server;
    }
    let rates = roles.iter().filter(|r| matches!(r, Role::Rate(_))).count();
    let against = |r: &Role| {
        matches!(
            r,
            Role::Connections | Role::Mean(_) | Role::Quantile(..) | Role::Duration
        )
    };
    if rates == 0 || !has(&roles, against) {
        return None;
    }
    let columns: Vec<(String, Role)> = table.headings.into_iter().zip(roles).collect();
    let rows: Vec<Row> = table
        .rows
        .iter()
        .map(|(line, cells)| row(&columns, *line, cells))
        .collect();
    let rows: Vec<Row> = rows.into_iter().filter(|row| row.rate.is_some()).collect();
    (rows.len() >= 2).then(|| Board {
        name: name.to_owned(),
        columns,
        rows,
    })
}

fn row(columns: &[(String, Role)], line: usize, cells: &[String]) -> Row {
    let mut row = Row {
        line,
        printed: vec![None; columns.len()],
        ..Row::default()
    };
    let mut rates = 0;
    for (at, ((_, role), cell)) in columns.iter().zip(cells).enumerate() {
        let figure = match role {
            Role::Server => {
                join(&mut row.server, cell);
                None
            }
            Role::Task => {
                join(&mut row.task, cell);
                None
            }
            Role::Mean(unit) | Role::Quantile(_, unit) => time(cell, line, *unit, false),
            Role::Duration => time(cell, line, 1000.0, false).map(|f| f.scaled(1e-3)),
            Role::Bytes | Role::ByteRate => bytes(cell, line),
            _ => amount(cell, line, false),
        };
        row.printed[at].clone_from(&figure);
        // What is below zero stands for 'not given'.
        let Some(value) = figure
            .and_then(|f| f.range)
            .map(|r| r.mid())
            .filter(|v| *v >= 0.0)
        else {
            continue;
        };
        match role {
            Role::Connections => row.connections = Some(value),
            Role::Depth => row.depth = Some(value),
            Role::Rate(by) => {
                rates += 1;
                // Of several servers in a row it cannot be told whose the latency is.
                row.rate = (rates == 1).then_some(value * by);
            }
            Role::Mean(_) => row.mean = row.mean.or(Some(value)),
            Role::Quantile(q, _) => row.quantiles.push((*q, value)),
            Role::Duration => row.duration = Some(value),
            Role::Counted => row.counted = Some(row.counted.unwrap_or(0.0) + value),
            Role::CountedToo => row.counted = row.counted.map(|n| n + value),
            Role::Bytes => row.bytes = Some(value),
            Role::ByteRate => row.byte_rate = Some(value),
            Role::Server | Role::Task | Role::Other => {}
        }
    }
    row.quantiles.sort_by(|a, b| a.0.total_cmp(&b.0));
    row
}

fn join(to: &mut String, cell: &str) {
    if !to.is_empty() {
        to.push(' ');
    }
    to.push_str(cell);
}

/// Bytes, or bytes a second.
fn bytes(cell: &str, line: usize) -> Option<Figure> {
    let plain = plain(cell);
    let mut scan = Scan::new(&plain, line);
    let figure = scan.finite()?;
    scan.rest();
    let unit = scan.letters();
    match unit {
        "" => Some(figure),
        unit => Some(figure.in_unit(unit, unit_bytes(&unit.replace("iB", "B"))?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_board_is_read_in_three_forms() {
        let csv = "framework,connections,rps,avg_latency\na,64,1000,50ms\nb,64,2000,30ms\n";
        let markdown = "| framework | connections | rps | avg_latency |\n|---|---|---|---|\n| a | 64 | 1,000 | 50ms |\n| b | 64 | 2,000 | 30ms |\n";
        let json = r#"[{"framework":"a","connections":64,"rps":1000,"avg_latency":"50ms"},{"framework":"b","connections":64,"rps":2000,"avg_latency":"30ms"}]"#;
        for text in [csv, markdown, json] {
            let read = boards("x", text).expect("a board");
            let rows: Vec<_> = read[0]
                .rows
                .iter()
                .map(|r| (r.server.as_str(), r.rate, r.busy()))
                .collect();
            assert_eq!(rows[0], ("a", Some(1000.0), Some(0.78125)), "{text}");
            assert_eq!(rows.len(), 2);
        }
        assert!(boards("x", "a,b,c\n1,2,3\n").is_err());
        assert!(boards("x", "{").is_err());
    }

    #[test]
    fn tech_empower_s_results_are_read() {
        let text = r#"{"duration":15,"concurrencyLevels":[16,32],"rawData":{"json":{"fw":[{"latencyAvg":"1.00ms","latencyMax":"9ms","totalRequests":150000},{"latencyAvg":"2.00ms","latencyMax":"9ms","totalRequests":150000}]}}}"#;
        let read = boards("x", text).expect("a board");
        let row = &read[0].rows[1];
        assert_eq!(
            (row.connections, row.rate, row.mean),
            (Some(32.0), Some(10_000.0), Some(2.0))
        );
    }
}
