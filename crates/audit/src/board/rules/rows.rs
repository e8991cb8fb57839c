//! Rules about single rows of a board.

use std::collections::BTreeMap;

use super::{Check, Complaint, FACTOR, MOST};
use crate::board::columns::Role;
use crate::board::{Row, Scope, median};
use crate::figure::{digits, percent};
use crate::finding::{Rule, Severity};
use crate::table::heading;

/// Above the law by this much: an open loop, or a mean that is none. Published tables need some room for clocks and ramps.
const ABOVE: f64 = 1.5;
/// Findings about single rows of one rule; what more rows have is one finding.
const EACH: usize = 20;
/// A run that took longer than the usual one by this factor.
const LONGER: f64 = 1.25;

impl Check<'_> {
    /// What a row says of itself. What many rows say is said once.
    pub fn rows(&mut self, link: Option<f64>) {
        let of = self.board.rows.len();
        let usual = self.usual_duration();
        let mut all: BTreeMap<&str, Vec<(&Row, Complaint)>> = BTreeMap::new();
        let board = self.board;
        for row in &board.rows {
            for (kind, complaint) in self.complaints(row, link, usual) {
                all.entry(kind).or_default().push((row, complaint));
            }
        }
        for complaints in all.into_values() {
            if complaints.len() <= EACH {
                for (row, mut complaint) in complaints {
                    complaint.says = format!("{}: {}", row.server, complaint.says);
                    self.add(Scope::Row, &row.task, (&[row], of), complaint);
                }
                continue;
            }
            let rows: Vec<&Row> = complaints.iter().map(|(row, _)| *row).collect();
            if let Some((row, mut first)) = complaints.into_iter().next() {
                let (n, server) = (rows.len(), &row.server);
                first.says = format!("{n} of {of} rows, such as {server}: {}", first.says);
                self.add(Scope::Column, "", (&rows, of), first);
            }
        }
    }

    /// How long a run takes, if most rows took about as long.
    fn usual_duration(&self) -> Option<f64> {
        let known: Vec<f64> = self
            .board
            .rows
            .iter()
            .filter_map(|row| row.duration)
            .collect();
        let middle = median(known.clone()).filter(|m| *m > 0.0)?;
        let usual = known.iter().filter(|d| (*d / middle - 1.0).abs() <= FACTOR);
        (usual.count() as f64 >= MOST * known.len() as f64).then_some(middle)
    }

    fn complaints(
        &self,
        row: &Row,
        link: Option<f64>,
        usual: Option<f64>,
    ) -> Vec<(&'static str, Complaint)> {
        let mut found = Vec::new();
        let mut add = |kind, severity, rule, column, says, meaning| {
            let complaint = Complaint {
                severity,
                rule,
                column,
                says,
                meaning,
            };
            found.push((kind, complaint));
        };
        let mean_of = || self.heading(|r| matches!(r, Role::Mean(_)));
        let heading = |q: f64| self.heading(|r| matches!(r, Role::Quantile(k, _) if *k == q));
        for pair in row.quantiles.windows(2) {
            let ((p, a), (q, b)) = (pair[0], pair[1]);
            // 1% for histograms, and the last of three digits.
            if p < q && a > b * 1.01 + 0.01 && b > 0.0 {
                add(
                    "order",
                    Severity::Doubtful,
                    Rule::Order,
                    heading(q),
                    format!(
                        "'{}' {} ms is more than '{}' {} ms",
                        heading(p),
                        digits(a),
                        heading(q),
                        digits(b)
                    ),
                    "Of the same requests this cannot be: the columns are from different runs, or in different units.",
                );
            }
        }
        if let (Some(mean), Some((_, max))) =
            (row.mean, row.quantiles.iter().find(|(q, _)| *q >= 100.0))
            && mean > max * 1.01 + 0.01
            && *max > 0.0
        {
            add(
                "max",
                Severity::Doubtful,
                Rule::Mean,
                mean_of(),
                format!(
                    "mean {} ms is more than the maximum {} ms",
                    digits(mean),
                    digits(*max)
                ),
                "Of the same requests this cannot be.",
            );
        }
        let depth = row.depth.filter(|d| *d >= 1.0).unwrap_or(1.0);
        if let (Some(busy), Some(connections)) = (row.busy(), row.connections)
            && !multiplexed(row)
            && !self.board.open
            && busy > ABOVE
        {
            add(
                "little",
                Severity::Doubtful,
                Rule::LittlesLaw,
                mean_of(),
                format!(
                    "{} per second × {} ms = {} requests at a time; {} connections allow {}",
                    digits(row.rate.unwrap_or(0.0)),
                    digits(row.mean.unwrap_or(0.0)),
                    digits(row.rate.unwrap_or(0.0) * row.mean.unwrap_or(0.0) / 1000.0),
                    digits(connections),
                    digits(connections * depth)
                ),
                "A closed loop has no more at a time: the load was an open loop, the tool adds latencies that it never measured (wrk does), or rate, mean and connections are of different runs.",
            );
        }
        // The quantiles alone: a share of the requests takes at least so long.
        let least: f64 = row
            .quantiles
            .iter()
            .zip(row.quantiles.iter().skip(1).map(|(q, _)| *q).chain([100.0]))
            .map(|((q, v), next)| (next - q).max(0.0) / 100.0 * v)
            .sum();
        if let (None, Some(connections), Some(rate)) =
            (row.mean, row.connections.filter(|c| *c >= 1.0), row.rate)
        {
            let busy = rate * least / 1000.0;
            let closed = !multiplexed(row) && !self.board.open;
            if busy > ABOVE * connections * depth && closed {
                let parts = row
                    .quantiles
                    .iter()
                    .map(|(q, v)| format!("{} of {} ms", percent(q / 100.0), digits(*v)));
                add(
                    "little-quantiles",
                    Severity::Doubtful,
                    Rule::LittlesLaw,
                    heading(row.quantiles.last().map_or(0.0, |(q, _)| *q)),
                    format!(
                        "{} per second with {} are at least {} requests at a time; {} connections allow {}",
                        digits(rate),
                        parts.collect::<Vec<_>>().join(", "),
                        digits(busy),
                        digits(connections),
                        digits(connections * depth)
                    ),
                    "A closed loop has no more at a time: the load was an open loop, the tool adds latencies that it never measured (wrk does), or rate and latency are of different runs.",
                );
            }
        }
        if let (Some(usual), Some(taken)) = (usual, row.duration)
            && taken > LONGER * usual
        {
            add(
                "duration",
                Severity::Doubtful,
                Rule::Rate,
                self.heading(|r| *r == Role::Duration),
                format!(
                    "this run took {} s, where most took {} s",
                    digits(taken),
                    digits(usual)
                ),
                "The generator stood still, or waited for responses after its end: the rate is over another time than that of the others.",
            );
        }
        if let (Some(link), Some(bytes)) = (link, row.byte_rate)
            && bytes * 8.0 > link * 1.01
        {
            add(
                "link",
                Severity::Impossible,
                Rule::Bytes,
                self.heading(|r| *r == Role::ByteRate),
                format!(
                    "{} bits per second over a link of {}",
                    digits(bytes * 8.0),
                    digits(link)
                ),
                "No more can pass than the link carries.",
            );
        }
        found
    }
}

/// Whether the task's name says that a connection may have many requests at a time, and no column how many.
fn multiplexed(row: &Row) -> bool {
    row.depth.is_none_or(|depth| depth <= 1.0) && heading::multiplexed(&row.task)
}
