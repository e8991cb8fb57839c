//! JMeter's result files, as CSV with a header or as XML: rows are added up as they pass, none is kept.

use super::lines::Line;
use std::collections::{BTreeMap, HashMap};

/// One sample. Times in milliseconds; `None` for columns that the file does not have.
#[derive(Debug, Default)]
struct Sample {
    start: Option<u64>,
    elapsed: u64,
    latency: Option<u64>,
    connect: Option<u64>,
    bytes: Option<u64>,
    threads: Option<u64>,
    ok: Option<bool>,
    code: String,
    label: String,
    thread: String,
}

/// Rows at fault: how many, and the first one's line and sentence.
#[derive(Debug, Default)]
pub struct Fault {
    pub count: u64,
    pub line: usize,
    pub says: String,
}

impl Fault {
    fn add(&mut self, line: usize, says: impl FnOnce() -> String) {
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
    /// Smallest and largest answer, in bytes.
    pub bytes: Option<(u64, u64)>,
    pub labels: BTreeMap<String, u64>,
    pub late_first_byte: Fault,
    pub late_connect: Fault,
    pub good_with_error: Fault,
    pub overlapping: Fault,
    pub not_rows: Fault,
    ends: HashMap<String, u64>,
}

/// Threads and labels that are told apart; beyond that rows still count in the totals.
const NAMES: usize = 100_000;
/// Rows that cannot be read, one after the other, after which the file has ended.
const BROKEN: u32 = 3;
/// Lines that one quoted field may span.
const SPAN: usize = 64;
/// And bytes: a stray quote must not swallow the rest.
const FIELD: usize = 65_536;

/// Picks result files out of lines.
#[derive(Default)]
pub struct Reader {
    columns: Vec<String>,
    delimiter: char,
    rows: Option<Rows>,
    broken: u32,
    /// A row whose quoted field goes on in the next line.
    partial: Option<(usize, usize, String)>,
}

impl Reader {
    /// Reads one line; whether it belongs to a result file. Files that it shows to have ended go to `done`.
    pub fn line(&mut self, line: &Line<'_>, done: &mut Vec<Rows>) -> bool {
        let text = line.text.as_ref();
        if text.starts_with("<httpSample ") || text.starts_with("<sample ") {
            return self.xml(text, line.number, done);
        }
        if self.rows.as_ref().is_some_and(|r| r.xml) {
            if text.contains("</testResults>") {
                done.extend(self.end());
            }
            return text.starts_with('<');
        }
        if let Some((columns, delimiter)) = header(text) {
            done.extend(self.end());
            (self.columns, self.delimiter) = (columns, delimiter);
            self.rows = Some(Rows {
                first: line.number,
                last: line.number,
                ..Rows::default()
            });
            return true;
        }
        self.rows.is_some() && self.csv(text, line.number, done)
    }

    fn csv(&mut self, text: &str, number: usize, done: &mut Vec<Rows>) -> bool {
        let (from, lines, whole) = match self.partial.take() {
            Some((from, lines, before)) => (from, lines + 1, before + "\n" + text),
            None => (number, 1, text.to_owned()),
        };
        if text.is_empty() && lines == 1 {
            // A blank line ends a pasted file.
            done.extend(self.end());
            return true;
        }
        if whole.matches('"').count() % 2 == 1 && lines < SPAN && whole.len() < FIELD {
            self.partial = Some((from, lines, whole));
            return true;
        }
        let sample = split(&whole, self.delimiter).and_then(|cells| sample(&self.columns, &cells));
        let Some(rows) = &mut self.rows else {
            return false;
        };
        match sample {
            Some(sample) => {
                self.broken = 0;
                rows.add(sample, from);
                rows.last = number;
                true
            }
            None => {
                self.broken += 1;
                if self.broken >= BROKEN {
                    done.extend(self.end());
                    return false;
                }
                // Prose after a pasted file has no delimiters; a damaged row has.
                let row = whole.matches(self.delimiter).count() >= 3;
                if row {
                    rows.not_rows.add(from, || whole.chars().take(60).collect());
                }
                row
            }
        }
    }

    fn xml(&mut self, text: &str, number: usize, done: &mut Vec<Rows>) -> bool {
        let Some(sample) = element(text) else {
            return false;
        };
        if self.rows.as_ref().is_some_and(|r| !r.xml) {
            done.extend(self.end());
        }
        let rows = self.rows.get_or_insert_with(|| Rows {
            xml: true,
            first: number,
            ..Rows::default()
        });
        rows.add(sample, number);
        rows.last = number;
        true
    }

    /// The file that is under way, if it has rows.
    pub fn end(&mut self) -> Option<Rows> {
        self.broken = 0;
        self.partial = None;
        self.rows.take().filter(|r| r.count > 0)
    }
}

impl Rows {
    fn add(&mut self, s: Sample, line: usize) {
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
        if let Some(latency) = s.latency.filter(|&l| l > s.elapsed) {
            self.late_first_byte.add(line, || {
                format!("Latency {latency} ms > elapsed {} ms", s.elapsed)
            });
        }
        if let Some(connect) = s.connect.filter(|&c| c > s.elapsed) {
            self.late_connect.add(line, || {
                format!("Connect {connect} ms > elapsed {} ms", s.elapsed)
            });
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

    /// A thread's sample that begins before its last one ended. A clock's tick of 1 ms is allowed.
    fn overlap(&mut self, s: &Sample, start: u64, end: u64, line: usize) {
        if s.thread.is_empty() || (self.ends.len() >= NAMES && !self.ends.contains_key(&s.thread)) {
            return;
        }
        if let Some(before) = self.ends.insert(s.thread.clone(), end)
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

/// Columns and delimiter, if the line is a header of JMeter's.
fn header(text: &str) -> Option<(Vec<String>, char)> {
    if !text.contains("timeStamp") || !text.contains("elapsed") {
        return None;
    }
    [',', ';', '\t', '|'].into_iter().find_map(|delimiter| {
        let cells = split(text, delimiter)?;
        let known = ["timeStamp", "elapsed"];
        (cells.len() >= 3 && known.iter().all(|k| cells.iter().any(|c| c == k)))
            .then_some((cells, delimiter))
    })
}

/// Cells of a row, quotes removed (`""` within quotes is one quote).
fn split(row: &str, delimiter: char) -> Option<Vec<String>> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let mut chars = row.chars().peekable();
    while let Some(c) = chars.next() {
        let cell = cells.last_mut()?;
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            c if c == delimiter && !quoted => cells.push(String::new()),
            c => cell.push(c),
        }
    }
    (!quoted).then_some(cells)
}

fn sample(columns: &[String], cells: &[String]) -> Option<Sample> {
    if columns.len() != cells.len() {
        return None;
    }
    let mut s = Sample::default();
    let mut timed = false;
    for (column, cell) in columns.iter().zip(cells) {
        let cell = cell.trim();
        let number = || cell.parse().ok();
        match column.as_str() {
            // May be a formatted date: then there is no throughput to compute.
            "timeStamp" => s.start = number(),
            "elapsed" => {
                s.elapsed = number()?;
                timed = true;
            }
            "Latency" => s.latency = number(),
            "Connect" => s.connect = number(),
            "bytes" => s.bytes = number(),
            "allThreads" => s.threads = number(),
            "success" => s.ok = cell.parse().ok(),
            "responseCode" => cell.clone_into(&mut s.code),
            "label" => cell.clone_into(&mut s.label),
            "threadName" => cell.clone_into(&mut s.thread),
            _ => {}
        }
    }
    timed.then_some(s)
}

/// `<httpSample t="124" lt="124" ct="11" ts="…" s="true" lb="…" rc="200" tn="…" by="93" na="5">`
fn element(text: &str) -> Option<Sample> {
    let mut s = Sample::default();
    let mut timed = false;
    let mut rest = text.split_once(' ')?.1;
    while let Some((name, after)) = rest.split_once("=\"") {
        let (value, next) = after.split_once('"')?;
        rest = next;
        let number = || value.parse().ok();
        match name.trim() {
            "t" => {
                s.elapsed = number()?;
                timed = true;
            }
            "lt" => s.latency = number(),
            "ct" => s.connect = number(),
            "ts" => s.start = number(),
            "by" => s.bytes = number(),
            "na" => s.threads = number(),
            "s" => s.ok = value.parse().ok(),
            "rc" => value.clone_into(&mut s.code),
            "lb" => value.clone_into(&mut s.label),
            "tn" => value.clone_into(&mut s.thread),
            _ => {}
        }
    }
    timed.then_some(s)
}
