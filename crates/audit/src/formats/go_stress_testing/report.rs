//! go-stress-testing's table and summary, in Chinese.

use crate::figure::{Figure, Scan};

/// One row of the table: the state after so many seconds. Latencies in milliseconds.
#[derive(Debug)]
pub struct Row {
    pub seconds: Figure,
    pub concurrency: Figure,
    pub good: Figure,
    pub bad: Figure,
    pub rate: Figure,
    pub longest: Figure,
    pub shortest: Figure,
    pub mean: Figure,
    pub bytes: Option<Figure>,
    pub bytes_rate: Option<Figure>,
    /// Responses by status.
    pub statuses: Vec<(String, Figure)>,
}

/// A table with its summary, or either alone.
#[derive(Debug, Default)]
pub struct Report {
    /// A line of it was there.
    pub begun: bool,
    pub rows: Vec<Row>,
    pub goroutines: Option<Figure>,
    pub total: Option<Figure>,
    pub seconds: Option<Figure>,
    pub good: Option<Figure>,
    pub bad: Option<Figure>,
    /// `tp90: 1.000` of newer versions: share of 1 and milliseconds.
    pub percentiles: Vec<(f64, Figure)>,
}

/// Rows kept of one table: a day of seconds; later ones only replace the last.
const ROWS: usize = 90_000;

impl Report {
    /// Takes one line; whether it belongs to a report.
    pub fn take(&mut self, text: &str, line: usize) -> bool {
        if text.contains('|')
            && let Some(row) = row(text, line)
        {
            if self.rows.len() >= ROWS {
                self.rows.pop();
            }
            self.rows.push(row);
            return true;
        }
        let mut any = false;
        let mut after = |label: &str, slot: &mut Option<Figure>| {
            let mut scan = Scan::new(text, line);
            if scan.find(label) {
                scan.lit(":");
                let found = scan.finite();
                any |= found.is_some();
                *slot = found.or(slot.take());
            }
        };
        after("处理协程数量", &mut self.goroutines);
        after("-n)", &mut self.total);
        after("总请求时间", &mut self.seconds);
        after("successNum", &mut self.good);
        after("failureNum", &mut self.bad);
        if !self.begun {
            return any;
        }
        for (label, q) in [("tp90", 0.9), ("tp95", 0.95), ("tp99", 0.99)] {
            let mut slot = None;
            after(label, &mut slot);
            if let Some(figure) = slot
                && self.percentiles.iter().all(|(have, _)| *have != q)
            {
                self.percentiles.push((q, figure));
            }
        }
        any
    }
}

/// `1s│ 4│ 4100│ 0│ 4102.10│ 20.10│ 0.40│ 0.98│ 410,000│ 410,000│200:4100`, bars already plain.
fn row(text: &str, line: usize) -> Option<Row> {
    let cells: Vec<&str> = text
        .trim()
        .trim_matches('|')
        .split('|')
        .map(str::trim)
        .take(16)
        .collect();
    if cells.len() < 8 {
        return None;
    }
    let number = |at: usize| Scan::new(cells.get(at)?, line).number();
    let mut first = Scan::new(cells[0], line);
    let seconds = first.finite()?;
    if first.letters() != "s" {
        return None;
    }
    let statuses = cells
        .get(10)
        .map(|cell| statuses(cell, line))
        .unwrap_or_default();
    Some(Row {
        seconds: seconds.in_unit("s", 1.0),
        concurrency: number(1)?,
        good: number(2)?,
        bad: number(3)?,
        rate: number(4)?,
        longest: number(5)?,
        shortest: number(6)?,
        mean: number(7)?,
        bytes: number(8),
        bytes_rate: number(9),
        statuses,
    })
}

/// `200:4100;500:3`.
fn statuses(cell: &str, line: usize) -> Vec<(String, Figure)> {
    cell.split([';', ' '])
        .filter_map(|part| {
            let (status, count) = part.split_once(':')?;
            Some((status.trim().to_owned(), Scan::new(count, line).finite()?))
        })
        .take(64)
        .collect()
}
