//! Locust's statistics: the table at the end of a run, `--csv`'s file and `--json`'s list.

mod checks;

use crate::figure::{Figure, Range, Scan, digits};
use crate::finding;
use crate::gather::Block;
use crate::json::{Document, Node};
use crate::record::Splitter;
use crate::rules::{self, Latency};
use crate::sheet::Sheet;

/// The statistics of one table.
#[derive(Debug, Default)]
pub struct Report {
    rows: Vec<Row>,
    reading: Reading,
}

/// What the lines that follow are.
#[derive(Debug, Default)]
enum Reading {
    #[default]
    Nothing,
    /// Rows of the first table.
    Table,
    /// Rows of the table of percentiles, which has these columns.
    Percentiles(Vec<f64>),
    /// Rows of a CSV file with this heading.
    Csv(Vec<String>, Splitter),
}

/// One name, or all together. Times in milliseconds.
#[derive(Debug)]
struct Row {
    name: String,
    requests: Figure,
    failures: Figure,
    failed_percent: Option<Figure>,
    latency: Latency,
    /// Requests whose time is known by rounded time, of JSON.
    histogram: Option<(f64, f64)>,
    /// The percentiles as printed.
    printed: Vec<(f64, Figure)>,
}

/// Rows of one table.
const ROWS: usize = 10_000;
/// The name of the row of all together.
const ALL: &str = "Aggregated";

impl Block for Report {
    fn ends_before(&self, text: &str) -> bool {
        !self.rows.is_empty() && (table_heading(text) || csv_heading(text))
    }

    fn read(&mut self, text: &str, line: usize) -> bool {
        if table_heading(text) {
            self.reading = Reading::Table;
            return true;
        }
        if csv_heading(text) {
            let Some(mut splitter) = Splitter::new(',') else {
                return false;
            };
            let columns = splitter.cells(text).unwrap_or_default();
            let columns = columns.into_iter().map(str::to_owned).collect();
            self.reading = Reading::Csv(columns, splitter);
            return true;
        }
        if text.starts_with("Type") && text.contains("50%") && text.contains("# reqs") {
            let columns = text
                .split_whitespace()
                .filter_map(|c| c.strip_suffix('%')?.parse().ok());
            self.reading = Reading::Percentiles(columns.collect());
            return true;
        }
        if self.rows.len() >= ROWS {
            return false;
        }
        match &mut self.reading {
            Reading::Nothing => false,
            Reading::Table => {
                let row = table_row(text, line);
                let some = row.is_some();
                self.rows.extend(row);
                some
            }
            Reading::Percentiles(columns) => {
                let columns = columns.clone();
                self.percentiles(text, line, &columns)
            }
            Reading::Csv(columns, splitter) => {
                let row = csv_row(columns, splitter, text, line);
                let some = row.is_some();
                self.rows.extend(row);
                some
            }
        }
    }

    fn is_one(&self) -> bool {
        self.rows
            .iter()
            .any(|r| r.requests.range.is_some_and(|n| n.lo > 0.0))
    }

    fn documents(document: &Document) -> Vec<Self> {
        read(&document.root).into_iter().collect()
    }

    fn check(&self, span: (usize, usize), sheet: &mut Sheet) -> finding::Report {
        for row in &self.rows {
            row.check(sheet);
        }
        self.aggregated(sheet);
        let total = self.rows.iter().find(|r| r.name == ALL);
        if let Some(row) = total {
            rules::failures(sheet, &row.failures, &row.requests, "failures");
        } else {
            for row in &self.rows {
                rules::failures(
                    sheet,
                    &row.failures,
                    &row.requests,
                    &format!("failures of {}", row.name),
                );
            }
        }
        let figures: Vec<&Figure> = self
            .rows
            .last()
            .and_then(|r| r.latency.mean.as_ref())
            .into_iter()
            .collect();
        rules::law_not_checked(
            sheet,
            &figures,
            "users of Locust wait between requests, and their number is not in the statistics",
            "Ask for the number of users and wait_time of the locustfile: users / (mean + wait) is the highest rate that they can send.",
        );
        let requests = total
            .map(|r| format!("{} requests, ", r.requests.text))
            .unwrap_or_default();
        let names = self.rows.iter().filter(|r| r.name != ALL).count();
        finding::Report::new("Locust", span, format!("{requests}{names} names"))
    }
}

fn table_heading(text: &str) -> bool {
    text.contains("# reqs") && text.contains("# fails") && text.contains("Avg")
}

fn csv_heading(text: &str) -> bool {
    text.starts_with("Type,Name,Request Count,Failure Count")
        || text.starts_with("\"Type\",\"Name\",\"Request Count\"")
        || text.starts_with("\"Type\",\"Name\",\"# requests\"")
}

/// `GET      /json     2283     0(0.00%) |      3       0      68      2 |  403.55        0.00`
fn table_row(text: &str, line: usize) -> Option<Row> {
    let mut parts = text.split('|');
    let (head, times) = (parts.next()?, parts.next()?);
    let mut words = head.split_whitespace().rev();
    let failed = words.next()?;
    let requests = Scan::new(words.next()?, line).finite()?;
    let mut name: Vec<&str> = words.collect();
    name.reverse();
    let (failures, percent) = failed.split_once('(')?;
    let mut scan = Scan::new(times, line);
    let mut next = || scan.finite().map(|f| f.truncated().in_unit(" ms", 1.0));
    let mut latency = Latency {
        mean: Some(next()?),
        min: next(),
        max: next(),
        ..Latency::default()
    };
    // Of times that were rounded to two digits.
    latency.quantile(50.0, next().map(two_digits));
    Some(Row {
        name: name.last().copied().unwrap_or(ALL).to_owned(),
        requests,
        failures: Scan::new(failures, line).finite()?,
        failed_percent: Scan::new(percent, line).finite(),
        latency,
        histogram: None,
        printed: Vec::new(),
    })
}

/// Locust keeps times rounded to two digits, and to whole milliseconds below 100.
fn two_digits(figure: Figure) -> Figure {
    let size = figure.range.map_or(0.0, Range::mid);
    figure.no_finer((0.05 * size).max(0.5) + 0.5)
}

fn csv_row(columns: &[String], splitter: &mut Splitter, text: &str, line: usize) -> Option<Row> {
    let cells = splitter.cells(text)?;
    if cells.len() != columns.len() || cells.len() < 8 {
        return None;
    }
    let cell = |name: &[&str]| {
        let at = columns.iter().position(|c| name.contains(&c.as_str()))?;
        cells.get(at).copied()
    };
    let number = |name: &[&str]| Scan::new(cell(name)?, line).finite();
    let ms = |name: &[&str]| number(name).map(|f| f.in_unit(" ms", 1.0));
    let mut latency = Latency {
        mean: ms(&["Average Response Time", "Average response time"]),
        min: ms(&["Min Response Time", "Min response time"]),
        max: ms(&["Max Response Time", "Max response time"]),
        ..Latency::default()
    };
    let mut printed = Vec::new();
    for (column, value) in columns.iter().zip(&cells) {
        let percent = column.strip_suffix('%').and_then(|p| p.parse().ok());
        let value = Scan::new(value, line)
            .finite()
            .map(|v| v.in_unit(" ms", 1.0));
        printed.extend(percent.zip(value.clone()));
        latency.quantile(percent.unwrap_or(-1.0), value.map(two_digits));
    }
    Some(Row {
        name: cell(&["Name"])?.to_owned(),
        requests: number(&["Request Count", "# requests"])?,
        failures: number(&["Failure Count", "# failures"])?,
        failed_percent: None,
        latency,
        histogram: None,
        printed,
    })
}

impl Report {
    /// `GET   /json    2   4   6 … 68   2283`: percentiles of the row of that name and number of requests.
    fn percentiles(&mut self, text: &str, line: usize, columns: &[f64]) -> bool {
        let words: Vec<&str> = text.split_whitespace().collect();
        let Some(from) = words.len().checked_sub(columns.len() + 1) else {
            return false;
        };
        let name = from.checked_sub(1).map_or(ALL, |at| words[at]);
        let values = words[from..].iter().map(|w| Scan::new(w, line).finite());
        let Some(values) = values.collect::<Option<Vec<Figure>>>() else {
            return false;
        };
        let Some((requests, values)) = values.split_last() else {
            return false;
        };
        let same = |r: &&mut Row| r.name == name && r.requests.range == requests.range;
        let Some(row) = self.rows.iter_mut().find(same) else {
            return false;
        };
        // The first table's median is the same figure.
        row.latency.quantiles.clear();
        for (percent, value) in columns.iter().zip(values) {
            let value = value.clone().in_unit(" ms", 1.0);
            row.printed.push((*percent, value.clone()));
            row.latency.quantile(*percent, Some(two_digits(value)));
        }
        true
    }
}

/// The statistics in a document, if they are Locust's.
fn read(root: &Node) -> Option<Report> {
    let mut report = Report::default();
    for entry in root.items("").iter().take(ROWS) {
        let requests = entry.number("num_requests")?;
        let total = entry.number("total_response_time")?;
        let n = requests.range?;
        let none = entry
            .number("num_none_requests")
            .and_then(|n| n.range)
            .map_or(0.0, |n| n.lo);
        let timed = n.lo - none;
        let counts: Vec<Figure> = entry.numbers("response_times").map(|(_, n)| n).collect();
        let ms = |key: &str| entry.number(key).map(|f| f.in_unit(" ms", 1.0));
        // The mean, from the sum that the document has.
        let mean = (timed >= 1.0).then(|| Figure {
            text: format!("{} ms / {}", total.text, digits(timed)),
            line: total.line,
            range: total.range.map(|t| t.scaled(1.0 / timed)),
        });
        report.rows.push(Row {
            name: entry.text("name").unwrap_or_default().to_owned(),
            failures: entry.number("num_failures")?,
            failed_percent: None,
            latency: Latency {
                mean,
                min: ms("min_response_time"),
                max: ms("max_response_time"),
                ..Latency::default()
            },
            histogram: Some((Range::total(&counts).lo, timed)),
            printed: Vec::new(),
            requests,
        });
    }
    report.is_one().then_some(report)
}
