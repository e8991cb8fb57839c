//! JMeter's summary lines: `summary +    307 in 00:00:02 =  162.5/s Avg:   102 Min:   100 Max:   127 Err:     0 (0.00%) Active: …`.

use crate::figure::{Figure, Scan};

/// One summary line.
#[derive(Debug)]
pub struct Entry {
    pub line: usize,
    /// `=` is the total so far, `+` what came since the line before.
    pub total: bool,
    pub count: Figure,
    /// Seconds, rounded to whole ones unless printed with decimals.
    pub seconds: Figure,
    /// `None` for JMeter's `******`.
    pub rate: Option<Figure>,
    pub mean: Figure,
    pub min: Figure,
    pub max: Figure,
    pub errors: Figure,
    pub error_percent: Option<Figure>,
    pub active: Option<Figure>,
    pub started: Option<Figure>,
}

/// The summary lines of one run, in order.
#[derive(Debug, Default)]
pub struct Run {
    pub name: String,
    pub entries: Vec<Entry>,
    last_total: Option<usize>,
    last_delta: Option<usize>,
}

impl Run {
    /// A run without lines.
    pub fn new(name: String) -> Self {
        Self {
            name,
            ..Self::default()
        }
    }

    /// Whether `next` cannot belong to this run: its total is smaller than one before, or equal with less time.
    pub fn ended_before(&self, next: &Entry) -> bool {
        let lo = |f: &Figure| f.range.map_or(0.0, |r| r.lo);
        let Some(last) = self.last_total.and_then(|at| self.entries.get(at)) else {
            return false;
        };
        if next.total {
            let since: f64 = self.after_total().iter().map(|e| lo(&e.count)).sum();
            let starts_again = since > 0.0 && since == lo(&next.count) && lo(&last.count) > 0.0;
            let same_time = lo(&next.seconds) <= lo(&last.seconds);
            return starts_again
                || lo(&next.seconds) < lo(&last.seconds)
                || lo(&next.count) < lo(&last.count) && same_time;
        }
        // Threads that had all finished do not begin again.
        let active = |e: &Entry| e.active.as_ref().map(lo);
        let before = self.last_delta.and_then(|at| self.entries.get(at));
        before.and_then(active) == Some(0.0) && active(next) > Some(0.0)
    }

    /// The lines after the last total.
    fn after_total(&self) -> &[Entry] {
        let from = self.last_total.map_or(0, |at| at + 1);
        self.entries.get(from..).unwrap_or_default()
    }

    /// A new run, with those lines: the total that shows the old one to have ended comes after the new one's first lines.
    pub fn split(&mut self) -> Self {
        let from = self.last_total.map_or(0, |at| at + 1);
        let mut fresh = Self::new(self.name.clone());
        for entry in self.entries.split_off(from.min(self.entries.len())) {
            fresh.push(entry);
        }
        fresh
    }

    pub fn push(&mut self, entry: Entry) {
        let slot = if entry.total {
            &mut self.last_total
        } else {
            &mut self.last_delta
        };
        *slot = Some(self.entries.len());
        self.entries.push(entry);
    }
}

/// One line, if it is a summary line; text before the name (a logger's time stamp) is allowed.
pub fn parse(text: &str, line: usize) -> Option<(String, Entry)> {
    let avg = text.find("Avg:")?;
    let head = &text[..avg];
    let sign = head.find(" + ").or_else(|| head.find(" = "))?;
    let name = head[..sign].split_whitespace().next_back()?.to_owned();
    let total = head[sign..].starts_with(" = ");
    let mut scan = Scan::new(&text[sign + 3..], line);
    let count = scan.finite()?;
    if !scan.lit("in") {
        return None;
    }
    let seconds = scan.clock()?;
    if !scan.lit("=") {
        return None;
    }
    let rate = match scan.lit("******") {
        true => None,
        false => Some(scan.finite()?),
    };
    if !scan.lit("/s") {
        return None;
    }
    let mut field = |label: &str| {
        let mut next = scan.clone();
        let figure = if next.find(label) {
            next.finite()
        } else {
            None
        };
        if figure.is_some() {
            scan = next;
        }
        figure
    };
    let mean = field("Avg:")?.truncated();
    let min = field("Min:")?;
    let max = field("Max:")?;
    let errors = field("Err:")?;
    let error_percent = field("(");
    let (active, started) = (field("Active:"), field("Started:"));
    Some((
        name,
        Entry {
            line,
            total,
            count,
            seconds,
            rate,
            mean,
            min,
            max,
            errors,
            error_percent,
            active,
            started,
        },
    ))
}
