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
        let rows = self.board.rows.iter();
        let known: Vec<f64> = rows.filter_map(|row| row.duration).collect();
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
        let mut add = |kind, rule, column, says, meaning| {
            let severity = match kind {
                "link" => Severity::Impossible,
                _ => Severity::Doubtful,
            };
            let complaint = Complaint {
                severity,
                rule,
                column,
                says,
                meaning,
            };
            found.push((kind, complaint));
        };
        let mean_of = || self.board.heading(|r| matches!(r, Role::Mean(_)));
        let heading = |q: f64| self.board.heading_of(q);
        // 1% for histograms, and the last of three digits.
        let is_above = |low: f64, high: f64| low > high * 1.01 + 0.01 && high > 0.0;
        for pair in row.quantiles.windows(2) {
            let ((p, a), (q, b)) = (pair[0], pair[1]);
            if p < q && is_above(a, b) {
                let ([low, high], [a, b]) = ([p, q].map(heading), [a, b].map(digits));
                let says = format!("'{low}' {a} ms is more than '{high}' {b} ms");
                add(
                    "order",
                    Rule::Order,
                    high,
                    says,
                    "Of the same requests this cannot be: the columns are from different runs, or in different units.",
                );
            }
        }
        let max = row.quantiles.iter().find(|(q, _)| *q >= 100.0);
        if let (Some(mean), Some((_, max))) = (row.mean, max)
            && is_above(mean, *max)
        {
            let [mean, max] = [mean, *max].map(digits);
            let says = format!("mean {mean} ms is more than the maximum {max} ms");
            let meaning = "Of the same requests this cannot be.";
            add("max", Rule::Mean, mean_of(), says, meaning);
        }
        let connections = row.connections.filter(|c| *c >= 1.0);
        let is_closed = !multiplexed(row) && !self.board.open;
        if let (Some(connections), Some(rate), true) = (connections, row.rate, is_closed) {
            let room = connections * row.depth.filter(|d| *d >= 1.0).unwrap_or(1.0);
            // Without a mean, the quantiles alone: a share of the requests takes at least so long.
            let nexts = row.quantiles.iter().skip(1).map(|(q, _)| *q).chain([100.0]);
            let parts = row.quantiles.iter().zip(nexts);
            let parts = parts.map(|((q, v), next)| (next - q).max(0.0) / 100.0 * v);
            let busy = rate * row.mean.unwrap_or_else(|| parts.sum()) / 1000.0;
            let [shown_rate, at_once, shown, allowed] = [rate, busy, connections, room].map(digits);
            let allow = format!("requests at a time; {shown} connections allow {allowed}");
            if busy > ABOVE * room
                && let Some(mean) = row.mean
            {
                add(
                    "little",
                    Rule::LittlesLaw,
                    mean_of(),
                    format!(
                        "{shown_rate} per second × {} ms = {at_once} {allow}",
                        digits(mean)
                    ),
                    "A closed loop has no more at a time: the load was an open loop, the tool adds latencies that it never measured (wrk does), or rate, mean and connections are of different runs.",
                );
            } else if busy > ABOVE * room {
                let parts = row.quantiles.iter();
                let parts =
                    parts.map(|(q, v)| format!("{} of {} ms", percent(q / 100.0), digits(*v)));
                let parts = parts.collect::<Vec<_>>().join(", ");
                add(
                    "little-quantiles",
                    Rule::LittlesLaw,
                    heading(row.quantiles.last().map_or(0.0, |(q, _)| *q)),
                    format!("{shown_rate} per second with {parts} are at least {at_once} {allow}"),
                    "A closed loop has no more at a time: the load was an open loop, the tool adds latencies that it never measured (wrk does), or rate and latency are of different runs.",
                );
            }
        }
        if let (Some(usual), Some(taken)) = (usual, row.duration)
            && taken > LONGER * usual
        {
            let [usual, taken] = [usual, taken].map(digits);
            add(
                "duration",
                Rule::Rate,
                self.board.heading(|r| *r == Role::Duration),
                format!("this run took {taken} s, where most took {usual} s"),
                "The generator stood still, or waited for responses after its end: the rate is over another time than that of the others.",
            );
        }
        if let (Some(link), Some(bytes)) = (link, row.byte_rate)
            && bytes * 8.0 > link * 1.01
        {
            let [bits, link] = [bytes * 8.0, link].map(digits);
            let column = self.board.heading(|r| *r == Role::ByteRate);
            let says = format!("{bits} bits per second over a link of {link}");
            let meaning = "No more can pass than the link carries.";
            add("link", Rule::Bytes, column, says, meaning);
        }
        found
    }
}

/// Whether the task's name says that a connection may have many requests at a time, and no column how many.
fn multiplexed(row: &Row) -> bool {
    row.depth.is_none_or(|depth| depth <= 1.0) && heading::multiplexed(&row.task)
}
