//! Rules about one board: about its columns here, about single rows in `rules/rows.rs`.

mod ceiling;
mod rows;

use std::collections::BTreeMap;

use super::columns::Role;
use super::{Board, BoardFinding, Row, Scope, median};
use crate::figure::{digits, short};
use crate::finding::{Rule, Severity};

/// The smallest group of which a column is judged.
const GROUP: usize = 5;
/// The share of a group that makes it the column's fault and not the rows'.
const MOST: f64 = 0.8;
/// Two figures that are the same column differ by no more than this.
const SAME: f64 = 0.001;
/// Percentiles from here on are above the mean, as a rule.
const HIGH: f64 = 90.0;
/// So many digits are not the same by chance.
const DIGITS: usize = 3;
/// A factor between two columns is one if it is at least this far from 1, and no row is farther from it.
const FACTOR: f64 = 0.05;
/// The duration is in another unit: nanoseconds, microseconds, milliseconds, minutes or hours.
const UNITS: [f64; 5] = [1e-9, 1e-6, 1e-3, 60.0, 3600.0];

/// Checks one board.
pub fn check(board: &Board, at: usize, link: Option<f64>, found: &mut Vec<BoardFinding>) {
    let mut check = Check { board, at, found };
    check.sentinels();
    let tasks = groups(board);
    check.last_is_mean(&tasks);
    check.factor(&tasks);
    for (name, rows) in &tasks {
        check.same_percentiles(name, rows);
        check.sizes(name, rows);
    }
    if !board.open {
        for (name, rows) in levels(board) {
            check.ceiling(&name, &rows);
        }
    }
    check.rows(link);
}

/// Rows by the name of their group.
type Groups<'a> = BTreeMap<String, Vec<&'a Row>>;

/// The groups in which a column is at fault, and their rows.
struct Fault<'a> {
    names: Vec<&'a str>,
    rows: Vec<&'a Row>,
    of: usize,
}

impl<'a> Fault<'a> {
    /// Groups of which most rows are at fault. Small ones count if all of theirs are, and a larger one was found; `None` if none was.
    fn of(groups: &'a Groups<'a>, at_fault: impl Fn(&Row) -> Option<bool>) -> Option<Self> {
        let mut fault = Self {
            names: Vec::new(),
            rows: Vec::new(),
            of: 0,
        };
        let mut found = false;
        for (name, rows) in groups {
            let (wrong, known) = at_fault_of(rows, &at_fault);
            let large = wrong.len() >= GROUP && most(&wrong, known);
            if large || !wrong.is_empty() && wrong.len() == known {
                found |= large;
                fault.names.push(name);
                fault.of += known;
                fault.rows.extend(wrong);
            }
        }
        found.then_some(fault)
    }

    fn groups(&self) -> String {
        self.names.join(", ")
    }
}

/// The rows at fault, and of how many rows that is known.
fn at_fault_of<'a>(
    rows: &[&'a Row],
    at_fault: impl Fn(&Row) -> Option<bool>,
) -> (Vec<&'a Row>, usize) {
    let known = rows.iter().filter_map(|row| Some((*row, at_fault(row)?)));
    let known: Vec<(&Row, bool)> = known.collect();
    let wrong = known.iter().filter(|(_, is_wrong)| *is_wrong);
    (wrong.map(|(row, _)| *row).collect(), known.len())
}

/// Whether these rows are most of so many.
fn most(rows: &[&Row], of: usize) -> bool {
    rows.len() as f64 >= MOST * of as f64
}

/// The rows of each task.
fn groups(board: &Board) -> Groups<'_> {
    let mut groups = Groups::new();
    for row in &board.rows {
        groups.entry(row.task.clone()).or_default().push(row);
    }
    groups
}

/// The rows of each task and number of connections.
fn levels(board: &Board) -> Groups<'_> {
    let mut groups = Groups::new();
    for row in &board.rows {
        let connections = row
            .connections
            .map(|c| format!("{} connections", digits(c)));
        let parts = [
            Some(row.task.clone()).filter(|t| !t.is_empty()),
            connections,
        ];
        let name: Vec<String> = parts.into_iter().flatten().collect();
        groups.entry(name.join(", ")).or_default().push(row);
    }
    groups
}

/// What is wrong, and with which column.
struct Complaint {
    severity: Severity,
    rule: Rule,
    column: String,
    says: String,
    meaning: &'static str,
}

struct Check<'a> {
    board: &'a Board,
    at: usize,
    found: &'a mut Vec<BoardFinding>,
}

impl Check<'_> {
    fn add(
        &mut self,
        scope: Scope,
        group: &str,
        (rows, of): (&[&Row], usize),
        complaint: Complaint,
    ) {
        self.found.push(BoardFinding {
            board: self.at,
            scope,
            severity: complaint.severity,
            rule: complaint.rule,
            column: complaint.column,
            group: group.to_owned(),
            rows: (rows.len(), of),
            line: rows.iter().map(|row| row.line).min().unwrap_or(0),
            says: complaint.says,
            meaning: complaint.meaning.to_owned(),
        });
    }

    /// Columns with -1 for 'not given'.
    fn sentinels(&mut self) {
        for (at, (heading, role)) in self.board.columns.iter().enumerate() {
            if *role == Role::Other {
                continue;
            }
            let below = |row: &&Row| {
                let figure = row.printed.get(at).and_then(Option::as_ref);
                figure.and_then(|f| f.range).is_some_and(|r| r.hi < 0.0)
            };
            let rows: Vec<&Row> = self.board.rows.iter().filter(below).collect();
            if rows.is_empty() {
                continue;
            }
            let (n, of) = (rows.len(), self.board.rows.len());
            let says = format!("{n} of {of} rows have a figure below zero in '{heading}'");
            self.add(
                Scope::Column,
                "",
                (&rows, of),
                Complaint {
                    severity: Severity::Impossible,
                    rule: Rule::NotANumber,
                    column: heading.clone(),
                    says,
                    meaning: "It stands for 'not given' and is published as a figure: means and rankings over this column are wrong.",
                },
            );
        }
    }

    /// The highest percentile is the mean.
    fn last_is_mean(&mut self, tasks: &Groups<'_>) {
        let last = |row: &Row| {
            let found = row.quantiles.iter().rfind(|(q, _)| *q < 100.0);
            found.copied().filter(|(q, _)| *q >= HIGH)
        };
        let mut columns = self.board.columns.iter();
        let column = columns.position(|(_, role)| matches!(role, Role::Mean(_)));
        let is_fine = |row: &Row| {
            let printed = column.and_then(|at| row.printed.get(at)?.as_ref());
            printed.is_some_and(|f| f.text.bytes().filter(u8::is_ascii_digit).count() >= DIGITS)
        };
        let mean = |row: &Row| row.mean.filter(|m| *m > 0.0 && is_fine(row));
        let both = |row: &Row| Some((mean(row)?, last(row)?.1));
        let is_same = |(mean, v): (f64, f64)| (mean - v).abs() <= SAME * mean;
        let Some(fault) = Fault::of(tasks, |row| both(row).map(is_same)) else {
            return;
        };
        let q = fault.rows.iter().find_map(|row| last(row));
        let column = self.board.heading_of(q.map_or(0.0, |(q, _)| q));
        let mean = self.board.heading(|r| matches!(r, Role::Mean(_)));
        let (n, of) = (fault.rows.len(), fault.of);
        let says = format!("'{column}' equals '{mean}' in {n} of {of} rows");
        self.add(
            Scope::Column,
            &fault.groups(),
            (&fault.rows, fault.of),
            Complaint {
                severity: Severity::Impossible,
                rule: Rule::Mean,
                column,
                says,
                meaning: "A high percentile is the mean only where all responses take the same time: the mean was published as a percentile.",
            },
        );
    }

    /// Two percentiles are the same column.
    fn same_percentiles(&mut self, group: &str, rows: &[&Row]) {
        let columns = self.board.columns.iter();
        let quantiles = columns.filter_map(|(_, role)| match role {
            Role::Quantile(q, _) if *q < 100.0 => Some(*q),
            _ => None,
        });
        let quantiles: Vec<f64> = quantiles.collect();
        for (at, low) in quantiles.iter().enumerate() {
            for high in &quantiles[at + 1..] {
                let value = |row: &Row, q: f64| {
                    let found = row.quantiles.iter().find(|(known, _)| *known == q);
                    found.map(|(_, v)| *v).filter(|v| *v > 0.0)
                };
                let is_same = |row: &Row| Some(value(row, *low)? == value(row, *high)?);
                let (same, known) = at_fault_of(rows, is_same);
                // Times of few digits are often equal.
                let is_fine = |row: &&&Row| value(row, *low).is_some_and(|v| v.fract() != 0.0);
                if same.iter().filter(is_fine).count() < GROUP || !most(&same, known) {
                    continue;
                }
                let [a, b] = [low, high].map(|q| self.board.heading_of(*q));
                let says = format!("'{b}' equals '{a}' in {} of {known} rows", same.len());
                self.add(
                    Scope::Column,
                    group,
                    (&same, known),
                    Complaint {
                        severity: Severity::Impossible,
                        rule: Rule::Order,
                        column: b,
                        says,
                        meaning: "One column holds the other's figures.",
                    },
                );
            }
        }
    }

    /// One factor between counted / duration and the rate.
    fn factor(&mut self, tasks: &Groups<'_>) {
        let ratio = |row: &Row| {
            let rate = row.rate.filter(|r| *r > 0.0)?;
            Some(row.counted.filter(|n| *n > 0.0)? / row.duration.filter(|d| *d > 0.0)? / rate)
        };
        // Groups of one factor are one fault.
        let middle = |rows: &[&Row]| median(rows.iter().filter_map(|row| ratio(row)).collect());
        let mut factors: Vec<f64> = tasks.values().filter_map(|rows| middle(rows)).collect();
        let is = |factor: f64, of: f64| (factor / of - 1.0).abs() <= FACTOR;
        factors.retain(|factor| !is(*factor, 1.0) && !UNITS.iter().any(|unit| is(*factor, *unit)));
        factors.sort_by(f64::total_cmp);
        factors.dedup_by(|a, b| (*a / *b - 1.0).abs() <= FACTOR);
        for factor in factors {
            let at_it = |row: &Row| ratio(row).map(|r| (r / factor - 1.0).abs() <= FACTOR);
            let Some(fault) = Fault::of(tasks, at_it) else {
                continue;
            };
            let column = self.board.heading(|r| *r == Role::Duration);
            let counted = self.board.heading(|r| *r == Role::Counted);
            let (factor, n, of) = (short(factor), fault.rows.len(), fault.of);
            let says =
                format!("'{counted}' / '{column}' is {factor} times the rate in {n} of {of} rows");
            self.add(
                Scope::Column,
                &fault.groups(),
                (&fault.rows, fault.of),
                Complaint {
                    severity: Severity::Impossible,
                    rule: Rule::Rate,
                    column,
                    says,
                    meaning: "The rate is a count over a time. One factor in the whole group means that the time, the count or the rate is of something else, such as of one of several runs.",
                },
            );
        }
    }

    /// Response sizes that differ within one task.
    fn sizes(&mut self, group: &str, rows: &[&Row]) {
        let size = |row: &Row| {
            let rate = row.rate.filter(|r| *r > 0.0)?;
            let each = row.byte_rate.map(|b| b / rate);
            let count = row.counted.filter(|n| *n >= 100.0);
            let counted = row.bytes.zip(count).map(|(b, n)| b / n);
            each.or(counted).filter(|s| *s > 0.0)
        };
        let known: Vec<f64> = rows.iter().filter_map(|row| size(row)).collect();
        let middle = median(known.clone()).filter(|_| known.len() >= GROUP);
        let Some(middle) = middle else {
            return;
        };
        let is_far = |row: &Row| size(row).map(|s| s > 2.0 * middle || s < 0.5 * middle);
        let (far, of) = at_fault_of(rows, is_far);
        if far.is_empty() {
            return;
        }
        let ends = (f64::INFINITY, 0.0_f64);
        let (least, most) = known.iter().fold(ends, |(a, b), s| (a.min(*s), b.max(*s)));
        let [middle, least, most] = [middle, least, most].map(|size| digits(size.round()));
        let n = far.len();
        let says = format!(
            "bytes for each response: {middle} in the middle, {least} to {most} over all; {n} of {of} rows have less than half or more than twice the middle"
        );
        let column = self
            .board
            .heading(|r| matches!(r, Role::ByteRate | Role::Bytes));
        self.add(
            Scope::Column,
            group,
            (&far, of),
            Complaint {
                severity: Severity::Note,
                rule: Rule::Bytes,
                column,
                says,
                meaning: "Servers of one task that send so different responses do not do the same job, or the bytes were counted differently.",
            },
        );
    }
}
