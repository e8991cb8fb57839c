//! Published tables in Markdown: connections, requests per second and mean latency, each in a column of its own or together in a cell.
//!
//! A table does not say which tool made it, nor whether each connection was always busy, so that only Little's law is checked, and with mercy.

use crate::figure::{Figure, Scan, percent, time};
use crate::finding::{self, Rule, Severity};
use crate::format::{Format, Found, Take};
use crate::lines::Line;
use crate::sheet::{Sheet, both};

/// One pair of rate and mean with its number of connections. The mean is in milliseconds.
#[derive(Debug)]
struct Point {
    pub connections: Figure,
    pub rate: Figure,
    pub mean: Figure,
    /// The cell speaks of timeouts.
    pub timeouts: bool,
    /// The cell has a `nan`.
    pub nan: Option<Figure>,
}

/// The points of one table.
#[derive(Debug, Default)]
struct Table {
    pub first: usize,
    pub last: usize,
    pub points: Vec<Point>,
    columns: Vec<Column>,
}

/// What a column holds.
#[derive(Debug, Clone)]
enum Column {
    /// The number of connections of its row.
    Connections,
    /// Rate and mean at the number of connections in the heading.
    Level(Figure, f64),
    /// Rate and mean, with the factor that makes a bare mean milliseconds (0: needs a unit).
    Pair(f64),
    Rate,
    Mean(f64),
    Other,
}

/// Picks tables out of lines.
#[derive(Default)]
pub struct Reader {
    heading: Option<(usize, String)>,
    table: Option<Table>,
}

impl Reader {
    /// Reads one line; a table that it shows to have ended comes back.
    fn read(&mut self, line: &Line<'_>) -> Option<Table> {
        let text = line.text.as_ref();
        if !text.contains('|') {
            self.heading = None;
            return self.take();
        }
        if let Some(table) = &mut self.table {
            table.row(text, line.number);
            return None;
        }
        let rule =
            text.contains("--") && text.bytes().all(|b| matches!(b, b'|' | b'-' | b':' | b' '));
        if rule && let Some((first, heading)) = self.heading.take() {
            self.table = columns(&heading, first).map(|columns| Table {
                first,
                last: line.number,
                columns,
                points: Vec::new(),
            });
        } else {
            self.heading = Some((line.number, text.to_owned()));
        }
        None
    }

    /// The table that is under way, if it has something to check.
    fn take(&mut self) -> Option<Table> {
        self.table.take().filter(|t| !t.points.is_empty())
    }
}

impl Format for Reader {
    fn line(&mut self, line: &Line<'_>, found: &mut Found) -> Take {
        found.check(self.read(line), check);
        Take::Passed
    }

    fn end(&mut self, found: &mut Found) {
        found.check(self.take(), check);
    }
}

fn cells(row: &str) -> impl Iterator<Item = &str> {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    row.strip_suffix('|')
        .unwrap_or(row)
        .split('|')
        .map(str::trim)
}

/// The roles of the columns, if the heading names connections, a rate and a mean.
fn columns(heading: &str, line: usize) -> Option<Vec<Column>> {
    let has = |text: &str, words: &[&str]| words.iter().any(|w| text.contains(w));
    let connections = |t: &str| has(t, &["connection", "concurren", "并发", "连接数"]);
    let rate = |t: &str| {
        has(
            t,
            &[
                "req/s",
                "requests/s",
                "rps",
                "qps",
                "requests per second",
                "吞吐",
            ],
        )
    };
    let mean = |t: &str| has(t, &["mean", "avg", "average", "latency", "平均"]);
    let all = heading.to_lowercase();
    if !(connections(&all) && rate(&all) && mean(&all)) {
        return None;
    }
    let together = cells(&all).any(|c| rate(c) && mean(c));
    let columns = cells(&all)
        .map(|cell| {
            let mut scan = Scan::new(cell, line);
            let default = bare_unit(cell);
            match scan.finite() {
                Some(level) if together => Column::Level(level, default),
                _ if rate(cell) && mean(cell) => Column::Pair(default),
                _ if connections(cell) => Column::Connections,
                _ if rate(cell) => Column::Rate,
                _ if mean(cell) => Column::Mean(default),
                _ => Column::Other,
            }
        })
        .collect();
    Some(columns)
}

/// Milliseconds in the unit that a heading names for its bare numbers; 0 if it names none.
fn bare_unit(cell: &str) -> f64 {
    let mut words = cell.split(|c: char| !c.is_alphabetic());
    words.find_map(unit).unwrap_or(0.0)
}

fn unit(word: &str) -> Option<f64> {
    match word {
        "us" | "µs" | "μs" => Some(1e-3),
        "ms" | "毫秒" => Some(1.0),
        "sec" | "秒" => Some(1e3),
        _ => None,
    }
}

impl Table {
    fn row(&mut self, text: &str, line: usize) {
        self.last = line;
        let cells: Vec<&str> = cells(text).collect();
        let number = |cell: &str| Scan::new(cell, line).finite();
        let columns = || self.columns.iter().zip(&cells);
        let stated = columns().find_map(|(column, cell)| match column {
            Column::Connections => number(cell),
            _ => None,
        });
        let mut found = Vec::new();
        let mut rate: Option<Figure> = None;
        for (column, cell) in columns() {
            let (connections, pair) = match column {
                Column::Level(level, bare) => (Some(level.clone()), both_of(cell, line, *bare)),
                Column::Pair(bare) => (stated.clone(), both_of(cell, line, *bare)),
                Column::Rate => {
                    rate = number(cell).map(Figure::rounded);
                    continue;
                }
                Column::Mean(bare) => {
                    let mean = latency(&mut Scan::new(cell, line), *bare);
                    (stated.clone(), rate.take().zip(mean))
                }
                Column::Connections | Column::Other => continue,
            };
            if let (Some(connections), Some((rate, mean))) = (connections, pair) {
                let lower = cell.to_lowercase();
                found.push(Point {
                    connections,
                    rate,
                    mean,
                    timeouts: lower.contains("timeout")
                        || lower.contains("timed out")
                        || lower.contains("超时"),
                    nan: lower
                        .find("-nan")
                        .and_then(|at| Scan::new(&lower[at..], line).number()),
                });
            }
        }
        self.points.extend(found);
    }
}

/// `1,989; 665.93 ms (54,494 timeouts)` or `505.43 (15.83, 454.05)`.
fn both_of(cell: &str, line: usize, bare: f64) -> Option<(Figure, Figure)> {
    let mut scan = Scan::new(cell, line);
    let rate = scan.finite()?.rounded();
    let separated = [";", ",", "(", "/"].iter().any(|s| scan.lit(s));
    let mean = separated.then(|| latency(&mut scan, bare))??;
    Some((rate, mean))
}

/// A latency in milliseconds, with its own unit or that of the heading.
fn latency(scan: &mut Scan<'_>, bare: f64) -> Option<Figure> {
    let figure = scan.finite()?.rounded();
    let word: String = scan
        .rest()
        .chars()
        .take_while(|c| c.is_alphabetic())
        .collect();
    let by = match word.as_str() {
        "s" => 1e3,
        "" => bare,
        other => unit(other)?,
    };
    let shown = if word.is_empty() {
        String::new()
    } else {
        format!(" {word}")
    };
    (by > 0.0).then(|| figure.in_unit(&shown, by))
}

/// Checks one table.
fn check(t: &Table, sheet: &mut Sheet) -> finding::Report {
    for point in &t.points {
        if let Some(nan) = &point.nan {
            sheet.add(
                Severity::Impossible,
                Rule::NotANumber,
                &[nan, &point.mean],
                format!("mean {} with '{}': the mean of no values at all", point.mean.text, nan.text),
                "No response entered the latency: all of them took longer than the tool's timeout, or none came.",
            );
        }
        law(point, sheet);
    }
    let title = format!("{} pairs of rate and mean", t.points.len());
    finding::Report::new("table", (t.first, t.last), title)
}

/// Bounds of rate × mean / connections. Wider than for a known tool by what is unknown of this one: below, connections may have been
/// idle; above, tools add samples or count from a schedule.
const FINE: (f64, f64) = (0.55, 1.5);

fn law(p: &Point, sheet: &mut Sheet) {
    let (Some((c, x)), Some(m)) = (both(&p.connections, &p.rate), p.mean.range) else {
        return;
    };
    if c.lo < 1.0 || x.lo <= 0.0 {
        return;
    }
    let expected = c.over(x).scaled(1000.0);
    let share = m.over(expected);
    let figures = [&p.mean, &p.connections, &p.rate];
    let says = format!(
        "{} connections / {} per second = {}; printed mean {}",
        p.connections.text,
        p.rate.text,
        time(expected.mid()),
        p.mean.text
    );
    if share.hi >= FINE.0 && share.lo <= FINE.1 {
        sheet.holds(Rule::LittlesLaw, &figures, says);
        return;
    }
    let part = percent(share.mid());
    if share.lo > FINE.1 {
        let meaning = format!(
            "{part} of the connections' time would be in the latency: with one request at a time there is no more than 100%."
        );
        sheet.add(
            Severity::Doubtful,
            Rule::LittlesLaw,
            &figures,
            says,
            meaning,
        );
    } else if p.timeouts || p.nan.is_some() {
        let meaning = format!(
            "Only {part} of the connections' time is in the latency: what timed out is missing. A client waited {} on average.",
            time(expected.mid())
        );
        sheet.add(
            Severity::Impossible,
            Rule::LittlesLaw,
            &figures,
            says,
            meaning,
        );
    } else {
        let meaning = format!(
            "Only {part} of the connections' time is in the latency. If each connection sent its next request at once, a client waited {} on average, and responses that timed out are missing from the mean.",
            time(expected.mid())
        );
        sheet.add(
            Severity::Doubtful,
            Rule::LittlesLaw,
            &figures,
            says,
            meaning,
        );
    }
}
