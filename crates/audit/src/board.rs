//! Whole boards: tables of many servers, one row a measurement, and several months of one board.
//!
//! A board names its columns in a heading (CSV, Markdown), or by the keys of the objects of a JSON array. Rules look at a
//! column at a time: a wrong column is one finding and not hundreds. Thresholds are those at which published boards differ from
//! simulated ones; each is a constant with its reason.

mod columns;
mod months;
mod read;
mod rules;

use serde::Serialize;

use crate::figure::Figure;
use crate::finding::{Rule, Severity};

pub use columns::Role;

/// A board as it was read.
#[derive(Debug, Clone, Serialize)]
pub struct Board {
    /// The file.
    pub name: String,
    /// Headings and what their columns hold.
    pub columns: Vec<(String, Role)>,
    /// Measurements.
    pub rows: Vec<Row>,
    /// A heading says that requests were sent by a schedule, that connections waited, or that tokens were counted: then a common
    /// rate is no ceiling, and Little's law is not that of a closed loop.
    #[serde(skip)]
    pub open: bool,
}

/// One measurement of a board.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Row {
    /// Line of the file, from 1; for JSON the position in the array, from 1.
    pub line: usize,
    /// The server, by the columns that are texts.
    pub server: String,
    /// The task: what all servers of a group did.
    pub task: String,
    /// Connections.
    pub connections: Option<f64>,
    /// Requests that a connection may have under way.
    pub depth: Option<f64>,
    /// Requests a second.
    pub rate: Option<f64>,
    /// Mean latency in milliseconds.
    pub mean: Option<f64>,
    /// Percentages and latencies in milliseconds; 100 is the maximum.
    pub quantiles: Vec<(f64, f64)>,
    /// Length of the run in seconds.
    pub duration: Option<f64>,
    /// Responses that were counted.
    pub counted: Option<f64>,
    /// Bytes that were received.
    pub bytes: Option<f64>,
    /// Bytes a second.
    pub byte_rate: Option<f64>,
    /// Figures as printed, by column.
    #[serde(skip)]
    pub printed: Vec<Option<Figure>>,
}

impl Board {
    /// The heading of the first column that is wanted; empty if there is none.
    fn heading(&self, wanted: impl Fn(&Role) -> bool) -> String {
        let column = self.columns.iter().find(|(_, role)| wanted(role));
        column.map_or(String::new(), |(heading, _)| heading.clone())
    }

    /// The heading of a percentile, or of the maximum, which is 100.
    fn heading_of(&self, percent: f64) -> String {
        self.heading(|role| matches!(role, Role::Quantile(q, _) if *q == percent))
    }
}

impl Row {
    /// The server and what it did: the same row in another month.
    pub fn key(&self) -> (String, String, u64) {
        let connections = self.connections.unwrap_or_default();
        (
            self.server.clone(),
            self.task.clone(),
            connections.to_bits(),
        )
    }

    /// Mean requests at a time for each that the connections may have: rate × mean / connections.
    pub fn busy(&self) -> Option<f64> {
        let depth = self.depth.filter(|d| *d >= 1.0).unwrap_or(1.0);
        let connections = self.connections.filter(|c| *c >= 1.0)?;
        Some(self.rate? * self.mean? / 1000.0 / (connections * depth))
    }
}

/// What a finding of a board is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// A column, in all rows or in those of a group.
    Column,
    /// One row.
    Row,
    /// Two months.
    Months,
}

/// A finding about a board.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BoardFinding {
    /// Index of the board; of two months, the later one.
    pub board: usize,
    /// What it is about.
    pub scope: Scope,
    /// How bad it is.
    pub severity: Severity,
    /// What was checked.
    pub rule: Rule,
    /// Heading of the column in question.
    pub column: String,
    /// The group of rows, such as a task; empty for the whole board.
    pub group: String,
    /// How many rows it is about, and of how many.
    pub rows: (usize, usize),
    /// The first of them, by line.
    pub line: usize,
    /// The arithmetic.
    pub says: String,
    /// What it means for a reader.
    pub meaning: String,
}

/// The audit of boards.
#[derive(Debug, Clone, Serialize)]
pub struct BoardAudit {
    /// The boards, in the order in which they were given.
    pub boards: Vec<Board>,
    /// Columns first, then rows by severity, then months.
    pub findings: Vec<BoardFinding>,
}

impl BoardAudit {
    /// Number of findings of one severity.
    pub fn count(&self, severity: Severity) -> usize {
        let findings = self.findings.iter();
        findings.filter(|f| f.severity == severity).count()
    }
}

/// Audits boards: name and text of each file. Several are months of one board, in order.
///
/// # Errors
/// The name of a file in which there is no board, and what is missing.
pub fn audit_boards(files: &[(String, String)], link: Option<f64>) -> Result<BoardAudit, String> {
    let mut boards = Vec::new();
    for (name, text) in files {
        boards.extend(read::boards(name, text)?);
    }
    let mut findings = Vec::new();
    for (at, board) in boards.iter().enumerate() {
        rules::check(board, at, link, &mut findings);
    }
    for at in 1..boards.len() {
        months::check(&boards[at - 1], &boards[at], at, &mut findings);
    }
    findings.sort_by_key(|f| (f.scope, std::cmp::Reverse(f.severity), f.board, f.line));
    Ok(BoardAudit { boards, findings })
}

/// The middle of values; `None` for none.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    Some(match values.len() % 2 {
        0 => f64::midpoint(values[middle - 1], upper),
        _ => upper,
    })
}
