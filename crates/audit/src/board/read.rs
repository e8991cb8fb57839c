//! Reads boards out of CSV, Markdown and JSON.

mod json;

use std::collections::BTreeMap;

use super::columns::{Role, role};
use super::{Board, Row};
use crate::figure::{Figure, Scan, unit_bytes};
use crate::table::amount::{amount, plain, time};
use crate::table::heading::{HEADINGS, normal};
use crate::table::{Separator, is_rule};

/// Rows kept of one board.
const ROWS: usize = 200_000;

/// The boards of a file.
pub fn boards(name: &str, text: &str) -> Result<Vec<Board>, String> {
    let tables = match text.trim_start().starts_with(['{', '[']) {
        true => json::tables(text).map_err(|wrong| format!("{name}: {wrong}"))?,
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
#[derive(Default)]
struct Table {
    headings: Vec<String>,
    rows: Vec<(usize, Vec<String>)>,
    /// Cells are parted by semicolons: commas may be decimal ones.
    decimal_comma: bool,
}

impl Table {
    /// A table without rows, whose cells are parted by a character.
    fn of(headings: Vec<String>, by: char) -> Self {
        Self {
            headings,
            rows: Vec::new(),
            decimal_comma: by == ';',
        }
    }
}

fn lines(text: &str) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    let mut separator = None;
    let mut before: Option<Vec<String>> = None;
    let mut separators = BTreeMap::new();
    for (at, line) in text.lines().enumerate() {
        let line: String = line.trim().chars().map(plain_line).collect();
        let line = line.as_str();
        if is_rule(line) {
            if let Some(headings) = before.take() {
                tables.push(Table::of(headings, '|'));
                separator = Some('|');
            }
            continue;
        }
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
        match tables.last_mut() {
            Some(table) if separator == Some(by) => {
                if table.rows.len() < ROWS {
                    table.rows.push((at + 1, cells));
                }
            }
            _ if by == '|' => before = Some(cells),
            _ => {
                tables.push(Table::of(cells, by));
                separator = Some(by);
            }
        }
    }
    tables
}

/// A character of a line that is drawn, as Markdown has it.
fn plain_line(c: char) -> char {
    match c {
        '│' | '┃' | '║' => '|',
        '─' | '━' | '═' => '-',
        '\u{2500}'..='\u{257f}' => '+',
        c => c,
    }
}

/// A table as a board, if it has a rate and something to hold it against.
fn board(name: &str, table: Table) -> Option<Board> {
    let first = normal(table.headings.first()?);
    if HEADINGS.moment.fit(&first) {
        return None;
    }
    let mut roles: Vec<Role> = table.headings.iter().map(|h| role(h)).collect();
    let has = |roles: &[Role], wanted: &dyn Fn(&Role) -> bool| roles.iter().any(wanted);
    if !has(&roles, &|r| *r == Role::Server)
        && let Some(first) = roles.iter_mut().find(|r| **r == Role::Other)
    {
        // The first column without a number names the row.
        *first = Role::Server;
    }
    tell_apart(&mut roles);
    let is_time = |role: &Role| matches!(role, Role::Mean(_) | Role::Quantile(..));
    let is_against =
        |role: &Role| is_time(role) || [Role::Connections, Role::Duration].contains(role);
    if !has(&roles, &|role| matches!(role, Role::Rate(_))) || !has(&roles, &is_against) {
        return None;
    }
    let headings = || table.headings.iter().map(|heading| normal(heading));
    let scheduled = headings().any(|h| HEADINGS.schedule.fit(&h));
    let of_tokens = headings().any(|h| HEADINGS.tokens.fit(&h));
    let stated = has(&roles, &|r| *r == Role::Depth);
    let columns: Vec<(String, Role)> = table.headings.into_iter().zip(roles).collect();
    let rows = table.rows.iter();
    let rows = rows.map(|(line, cells)| row(&columns, *line, cells, table.decimal_comma));
    let rows: Vec<Row> = rows.filter(|row| row.rate.is_some()).collect();
    (rows.len() >= 2).then(|| Board {
        name: name.to_owned(),
        columns,
        rows,
        // A column of depths says how many requests each row has at a time.
        open: scheduled && !stated || of_tokens,
    })
}

/// Of several columns with one percentile, or several means, it cannot be told which belong together: reads and writes, for example.
fn tell_apart(roles: &mut [Role]) {
    let same = |a: &Role, b: &Role| match (a, b) {
        (Role::Quantile(p, _), Role::Quantile(q, _)) => p == q,
        (a, b) => matches!((a, b), (Role::Mean(_), Role::Mean(_))),
    };
    let twice = |role: &Role| roles.iter().filter(|r| same(r, role)).count() > 1;
    let is_mean = |role: &Role| matches!(role, Role::Mean(_));
    let means = roles.iter().any(|role| is_mean(role) && twice(role));
    let quantiles = roles.iter().any(|role| !is_mean(role) && twice(role));
    for role in roles {
        let is_quantile = matches!(role, Role::Quantile(..));
        if is_quantile && quantiles || is_mean(role) && means {
            *role = Role::Other;
        }
    }
}

fn row(columns: &[(String, Role)], line: usize, cells: &[String], decimal_comma: bool) -> Row {
    let mut row = Row {
        line,
        printed: vec![None; columns.len()],
        ..Row::default()
    };
    let mut rates = 0;
    for (at, ((_, role), cell)) in columns.iter().zip(cells).enumerate() {
        let figure = match role {
            Role::Server => join(&mut row.server, cell),
            Role::Task => join(&mut row.task, cell),
            Role::Mean(unit) | Role::Quantile(_, unit) => time(cell, line, *unit, decimal_comma),
            Role::Duration => time(cell, line, 1000.0, decimal_comma).map(|f| f.scaled(1e-3)),
            Role::Bytes | Role::ByteRate => bytes(cell, line),
            _ => amount(cell, line, decimal_comma),
        };
        row.printed[at].clone_from(&figure);
        // What is below zero stands for 'not given'.
        let value = figure.and_then(|f| f.range).map(|r| r.mid());
        let Some(value) = value.filter(|v| *v >= 0.0) else {
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

/// Adds a part of a name, which has no figure.
fn join(to: &mut String, cell: &str) -> Option<Figure> {
    if !to.is_empty() {
        to.push(' ');
    }
    to.push_str(cell);
    None
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
        let text = r#"{"duration":15,"concurrencyLevels":[16,32],"pipelineConcurrencyLevels":[256,1024],"rawData":{"plaintext":{"fw":[{"latencyAvg":"1.00ms","totalRequests":45000000},{"latencyAvg":"4.00ms","totalRequests":45000000}]}}}"#;
        let row = &boards("x", text).expect("a board")[0].rows[1];
        assert_eq!((row.connections, row.depth), (Some(1024.0), Some(16.0)));
    }
}
