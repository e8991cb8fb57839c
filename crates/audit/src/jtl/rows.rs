//! The sums over a result file: rows are added up as they pass, none is kept.

use super::sample::Sample;
use std::collections::{BTreeMap, HashMap};

/// Rows at fault: how many, and the first one's line and sentence.
#[derive(Debug, Default)]
pub struct Fault {
    pub count: u64,
    pub line: usize,
    pub says: String,
}

impl Fault {
    /// Counts one more, and keeps the first.
    pub fn add(&mut self, line: usize, says: impl FnOnce() -> String) {
        if self.count == 0 {
            (self.line, self.says) = (line, says());
        }
        self.count += 1;
    }
}

/// The sums over a file.
#[derive(Debug, Default)]
pub struct Rows {
    pub xml: bool,
    pub first: usize,
    pub last: usize,
    pub count: u64,
    pub failed: u64,
    /// Requests by elapsed milliseconds.
    pub elapsed: BTreeMap<u64, u64>,
    pub total_elapsed: u128,
    /// First start and last end, in milliseconds of the epoch.
    pub span: Option<(u64, u64)>,
    pub most_threads: Option<(u64, usize)>,
    /// Smallest and largest response, in bytes.
    pub bytes: Option<(u64, u64)>,
    pub labels: BTreeMap<String, u64>,
    pub late_first_byte: Fault,
    pub late_connect: Fault,
    pub good_with_error: Fault,
    pub overlapping: Fault,
    pub negative: Fault,
    pub not_rows: Fault,
    /// Rows that sum up others or are parts of them: they are no samples of their own.
    pub sums: u64,
    /// Begin and end of each thread's rows so far that are not summed up yet.
    open: HashMap<String, (u64, u64)>,
}

/// Threads and labels that are told apart; beyond that rows still count in the totals.
const NAMES: usize = 100_000;
impl Rows {
    /// A file without rows yet, of which `line` is the first.
    pub fn new(xml: bool, line: usize) -> Self {
        Self {
            xml,
            first: line,
            last: line,
            ..Self::default()
        }
    }

    /// Adds one row.
    pub fn add(&mut self, s: Sample, line: usize) {
        if let Some(t) = s.negative {
            self.negative.add(line, || format!("elapsed {t} ms"));
            return;
        }
        if s.sums_up || self.encloses(&s) {
            self.sums += 1;
            self.labels.entry(s.label).or_default();
            return;
        }
        self.count += 1;
        *self.elapsed.entry(s.elapsed).or_default() += 1;
        self.total_elapsed += u128::from(s.elapsed);
        self.failed += u64::from(s.ok == Some(false));
        if let Some(threads) = s.threads
            && self.most_threads.is_none_or(|(most, _)| threads > most)
        {
            self.most_threads = Some((threads, line));
        }
        if let (Some(bytes), Some(true)) = (s.bytes, s.ok) {
            let (lo, hi) = self.bytes.unwrap_or((bytes, bytes));
            self.bytes = Some((lo.min(bytes), hi.max(bytes)));
        }
        let parts = [
            ("Latency", s.latency, &mut self.late_first_byte),
            ("Connect", s.connect, &mut self.late_connect),
        ];
        for (name, part, fault) in parts {
            if let Some(part) = part.filter(|part| *part > s.elapsed) {
                fault.add(line, || {
                    format!("{name} {part} ms > elapsed {} ms", s.elapsed)
                });
            }
        }
        if s.ok == Some(true) && s.code.len() == 3 && s.code.starts_with(['4', '5']) {
            self.good_with_error
                .add(line, || format!("success with responseCode {}", s.code));
        }
        if let Some(start) = s.start {
            let end = start.saturating_add(s.elapsed);
            let (first, last) = self.span.unwrap_or((start, end));
            self.span = Some((first.min(start), last.max(end)));
            self.overlap(&s, start, end, line);
        }
        if self.labels.len() < NAMES || self.labels.contains_key(&s.label) {
            *self.labels.entry(s.label).or_default() += 1;
        }
    }

    /// Whether the row reaches over all of its thread's rows since the last such one: a transaction, or a page with what it loads.
    fn encloses(&mut self, s: &Sample) -> bool {
        let (Some(start), Some((from, to))) = (s.start, self.open.get(&s.thread).copied()) else {
            return false;
        };
        let end = start.saturating_add(s.elapsed);
        // Clocks tick by the millisecond.
        let encloses = !s.thread.is_empty()
            && start <= from.saturating_add(1)
            && end.saturating_add(1) >= to
            && to > start.saturating_add(1);
        if encloses {
            self.open.remove(&s.thread);
        }
        encloses
    }

    /// A thread's sample that begins before its last one ended. A clock's tick of 1 ms is allowed.
    fn overlap(&mut self, s: &Sample, start: u64, end: u64, line: usize) {
        if s.thread.is_empty() || (self.open.len() >= NAMES && !self.open.contains_key(&s.thread)) {
            return;
        }
        let before = self.open.get(&s.thread).copied();
        if let Some((_, before)) = before
            && start.saturating_add(1) < before
        {
            self.overlapping.add(line, || {
                format!(
                    "'{}' begins a sample {} ms before its last one has ended",
                    s.thread,
                    before - start
                )
            });
        }
        let from = before.map_or(start, |(from, _)| from);
        self.open.insert(s.thread.clone(), (from, end));
    }

    /// Whether rows name their threads.
    pub fn has_threads(&self) -> bool {
        !self.open.is_empty()
    }

    /// The smallest elapsed time that at least the share `q` of the rows does not exceed.
    pub fn quantile(&self, q: f64) -> u64 {
        let rank = (q * self.count as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        for (&ms, &n) in &self.elapsed {
            seen += n;
            if seen >= rank {
                return ms;
            }
        }
        0
    }
}
