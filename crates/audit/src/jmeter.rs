//! JMeter's summary lines, picked out of a log:
//! `summary +    307 in 00:00:02 =  162.5/s Avg:   102 Min:   100 Max:   127 Err:     0 (0.00%) Active: …`.
//!
//! `layouts/jmeter-summary.toml` has the form of a line and the laws of one; here are the runs that the lines belong to, and their
//! totals.

use std::sync::LazyLock;

use crate::figure::{Figure, Range};
use crate::finding::{Report, Rule, Severity};
use crate::found::Found;
use crate::laws::{self, made_of};
use crate::layout::Layout;
use crate::lines::Line;
use crate::record::{Record, Scope};
use crate::rules;
use crate::sheet::Sheet;

static LAYOUT: LazyLock<Layout> = LazyLock::new(|| {
    Layout::parse(include_str!("../layouts/jmeter-summary.toml")).unwrap_or_default()
});

/// Picks summary lines out of a text. Runs with different names may alternate.
#[derive(Default)]
pub struct Reader {
    open: Vec<Run>,
    done: Vec<Run>,
}

/// The summary lines of one run, in order.
#[derive(Default)]
struct Run {
    name: String,
    entries: Vec<Entry>,
}

/// One summary line.
struct Entry {
    line: usize,
    /// `=` is the total so far, `+` what came since the line before.
    total: bool,
    figures: Scope,
    not_given: Vec<(String, Figure)>,
}

/// Names that are followed at a time; a text with more is not a log.
const NAMES: usize = 32;

impl Reader {
    /// Reads a line.
    pub fn line(&mut self, line: &Line<'_>) {
        let Some((name, entry)) = parse(&line.text, line.number) else {
            return;
        };
        let at = match self.open.iter().position(|run| run.name == name) {
            Some(at) => at,
            None => {
                if self.open.len() >= NAMES {
                    self.done.push(self.open.remove(0));
                }
                self.open.push(Run {
                    name: name.clone(),
                    ..Run::default()
                });
                self.open.len() - 1
            }
        };
        let run = &mut self.open[at];
        if run.ended_before(&entry) {
            // The total that shows the old one to have ended comes after the new one's first lines.
            let kept = match entry.total {
                true => run.after_total(),
                false => run.entries.len(),
            };
            let entries = run.entries.split_off(kept);
            self.done
                .push(std::mem::replace(run, Run { name, entries }));
        }
        run.entries.push(entry);
    }

    /// All runs.
    fn take(&mut self) -> Vec<Run> {
        self.done.append(&mut self.open);
        std::mem::take(&mut self.done)
    }

    /// The text has ended.
    pub fn end(&mut self, found: &mut Found) {
        let runs = self.take().into_iter().map(Run::into_record);
        found.check(runs, |(record, totals), sheet| check(record, totals, sheet));
    }
}

/// The least that a figure of a line may be; 0 if it is not there.
fn least(figures: &Scope, name: &str) -> f64 {
    figures.range(name).map_or(0.0, |range| range.lo)
}

impl Run {
    /// Whether `next` cannot belong to this run: its total is smaller than one before, or equal with less time.
    fn ended_before(&self, next: &Entry) -> bool {
        let entries = self.entries.iter().rev();
        if !next.total {
            // Threads that had all finished do not begin again.
            let active = |entry: &Entry| entry.figures.range("active").map(|range| range.lo);
            let before = entries.clone().find(|entry| !entry.total);
            return before.and_then(active) == Some(0.0) && active(next) > Some(0.0);
        }
        let Some(last) = entries.clone().find(|entry| entry.total) else {
            return false;
        };
        let since = self.entries[self.after_total()..].iter();
        let since: f64 = since.map(|entry| least(&entry.figures, "requests")).sum();
        let [(count, seconds), (last_count, last_seconds)] = [next, last].map(|entry| {
            let figures = &entry.figures;
            (least(figures, "requests"), least(figures, "duration"))
        });
        let starts_again = since > 0.0 && since == count && last_count > 0.0;
        starts_again || seconds < last_seconds || count < last_count && seconds <= last_seconds
    }

    /// Where the lines after the last total begin.
    fn after_total(&self) -> usize {
        let last = self.entries.iter().rposition(|entry| entry.total);
        last.map_or(0, |at| at + 1)
    }

    /// The run as a report, and which of its rows are totals.
    fn into_record(self) -> (Record, Vec<bool>) {
        let mut record = Record::new(self.entries.first().map_or(0, |entry| entry.line));
        record.span.1 = self.entries.last().map_or(0, |entry| entry.line);
        record.say("name", &self.name);
        let totals = self.entries.iter().map(|entry| entry.total).collect();
        for mut entry in self.entries {
            record.scopes.push(entry.figures);
            record.not_given.append(&mut entry.not_given);
        }
        (record, totals)
    }
}

/// One line, if it is a summary line; text before the name (a logger's time stamp) is allowed.
fn parse(text: &str, number: usize) -> Option<(String, Entry)> {
    let head = &text[..text.find("Avg:")?];
    let sign = head.find(" + ").or_else(|| head.find(" = "))?;
    let name = head[..sign].split_whitespace().next_back()?.to_owned();
    let text = &text[sign + 1..];
    let line = LAYOUT.lines.first()?;
    let captured = line.form.read(text, number)?;
    let mut record = Record::new(number);
    record.take(&captured, line, number);
    let mut figures = record.scopes.pop()?;
    let duration = figures.get("duration");
    if let Some(old) = duration
        .filter(|figure| figure.text.ends_with('s'))
        .cloned()
    {
        figures.set("mark.old", old, false);
    }
    let entry = Entry {
        line: number,
        total: text.starts_with('='),
        figures,
        not_given: record.not_given,
    };
    Some((name, entry))
}

/// Checks the lines of one run.
fn check(record: &Record, totals: &[bool], sheet: &mut Sheet) -> Report {
    let report = laws::check(&LAYOUT, record, sheet);
    let rows = record.rows();
    // Each total must be the total before plus the lines in between.
    let mut parts: Vec<&Scope> = Vec::new();
    let mut begins_later = true;
    for (row, total) in rows.iter().zip(totals) {
        if *total {
            if !parts.is_empty() {
                check_total(row, &parts, begins_later, sheet);
            }
            parts.clear();
            begins_later = false;
        }
        parts.push(row);
    }
    let last = rows.iter().zip(totals).rfind(|(_, total)| **total);
    if let Some(last) = last.map(|(row, _)| row).or(rows.last())
        && let (Some(failed), Some(requests)) = (last.get("failed"), last.get("requests"))
    {
        rules::failures(sheet, failed, requests, "errors");
    }
    let name = record.text("name").unwrap_or_default();
    Report {
        title: format!("{name}, {} lines", rows.len()),
        ..report
    }
}

/// A total and its parts. If it is the first one of a text that may begin in the middle of a run, a line of no time may be missing.
fn check_total(all: &Scope, parts: &[&Scope], begins_later: bool, sheet: &mut Sheet) {
    let sum = |name: &str| {
        let ranges = parts.iter().filter_map(|part| part.range(name));
        ranges.fold(Range::exact(0.0), Range::plus)
    };
    let [count, time, errors] = ["requests", "duration", "failed"].map(|name| {
        let printed = all.range(name).unwrap_or(Range::exact(0.0));
        (printed, sum(name))
    });
    // If a line were missing its time would be missing too: then nothing can be said.
    let complete = time.1.widened(0.01).meets(time.0);
    let is_more = count.0.above(count.1);
    let usual = "The total must be the total before plus what came since.";
    let (severity, but, meaning) = if count.0.meets(count.1) {
        made_of(all, parts, "the parts", usual, sheet);
        return;
    } else if is_more && !complete {
        (
            Severity::NotChecked,
            "; the times differ too, so that lines are missing",
            "The lines cannot be added up where some were left out.",
        )
    } else if is_more && begins_later && errors.0.lo >= errors.1.lo {
        (
            Severity::Doubtful,
            "; the times add up",
            "The total must be what came since the run began: true only where the text begins later, and a line was left out whose time rounds to nothing.",
        )
    } else {
        (Severity::Impossible, "", usual)
    };
    let figures = all.get("requests").into_iter();
    let figures: Vec<&Figure> = figures
        .chain(parts.iter().filter_map(|part| part.get("requests")))
        .collect();
    let texts: Vec<&str> = figures.iter().map(|figure| figure.text.as_str()).collect();
    let Some((printed, of)) = texts.split_first() else {
        return;
    };
    let says = format!("{} = {}; printed {printed}{but}", of.join(" + "), count.1);
    sheet.add(severity, Rule::Sum, &figures, says, meaning);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_run_is_told_from_the_first() {
        let line = |sign: &str, n: u32, secs: u32| {
            format!(
                "summary {sign} {n} in 00:00:{secs:02} = {}.0/s Avg: 9 Min: 1 Max: 20 Err: 0 (0.00%)",
                n / secs
            )
        };
        // The second is larger than the first: only the sum of its lines shows that it began at zero.
        for second in [[200, 300, 500], [20, 30, 50]] {
            let mut reader = Reader::default();
            let texts = [
                line("+", 100, 10),
                line("+", 100, 10),
                line("=", 200, 20),
                line("+", second[0], 10),
                line("+", second[1], 10),
                line("=", second[2], 20),
            ];
            for (at, text) in texts.into_iter().enumerate() {
                reader.line(&Line {
                    number: at + 1,
                    text: text.into(),
                });
            }
            let sizes: Vec<usize> = reader.take().iter().map(|r| r.entries.len()).collect();
            assert_eq!(sizes, [3, 3]);
        }
    }

    #[test]
    fn lines_of_all_ages_are_read() {
        let new = "summary +   1173 in 00:00:06 =  195.3/s Avg:   101 Min:   100 Max:   107 Err:     0 (0.00%) Active: 20 Started: 20 Finished: 0";
        let (name, e) = parse(new, 7).expect("a summary line");
        assert_eq!((name.as_str(), e.total, e.line), ("summary", false, 7));
        assert_eq!(e.figures.range("threads"), Some(Range::exact(20.0)));
        let old = "2013/05/01 10:00:00 INFO  - jmeter.reporters.Summariser: Generate Summary Results = 205 in 30.1s = 6.8/s Avg: 139 Min: 94 Max: 3133 Err: 0 (0.00%)";
        let (name, e) = parse(old, 1).expect("a summary line");
        assert_eq!((name.as_str(), e.total), ("Results", true));
        assert!(parse("on average = 5 in all", 1).is_none());
    }
}
