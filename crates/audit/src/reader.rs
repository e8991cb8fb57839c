//! Picks the reports of a layout out of lines and JSON documents.

mod command;
mod csv;
mod document;

use crate::figure::{Figure, Range};
use crate::json::Document;
use crate::layout::{Captured, Layout, Line, RowName, text_of};
use crate::quantity::split;
use crate::record::{Record, Scope};
use command::{Command, command};
use csv::CsvRows;

pub use document::ask;

/// Rows kept of a CSV file or a document.
const ROWS: usize = 10_000;

/// What a line asks for that is read within a report only.
const BEGUN: &str = "mark.begun";

/// Reads the reports of one layout.
pub struct Reader<'l> {
    layout: &'l Layout,
    open: Option<Open>,
    csv: Option<CsvRows>,
    command: Option<Command>,
}

/// A report that is under way.
struct Open {
    record: Record,
    /// The last line that shows that it goes on.
    alive: usize,
    section: String,
    /// Lines of the layout that were there.
    seen: Vec<bool>,
    /// What begins a report was there, and nothing else yet.
    only_begun: bool,
    /// No line with a figure or a text was there yet.
    empty: bool,
    foreign: bool,
    mark: bool,
}

impl<'l> Reader<'l> {
    /// Reads reports of that layout.
    pub fn new(layout: &'l Layout) -> Self {
        Self {
            layout,
            open: None,
            csv: None,
            command: None,
        }
    }

    /// The layout.
    pub fn layout(&self) -> &'l Layout {
        self.layout
    }

    /// Reads a line; a report that it shows to have ended comes back.
    pub fn line(&mut self, text: &str, number: usize, is_boundary: bool) -> Option<Record> {
        if self.layout.csv.is_some()
            && let Some(done) = self.csv_line(text, number)
        {
            return done;
        }
        let mut done = None;
        if let Some(command) = command(self.layout, text, number) {
            done = self.close();
            self.command = Some(command);
        }
        if let Some(open) = &self.open
            && number > open.alive + self.layout.gap
        {
            done = self.close();
        }
        let layout = self.layout;
        let is_foreign = || (layout.foreign.iter()).any(|form| form.read(text, number).is_some());
        for &at in layout.candidates(text) {
            let line = &layout.lines[at];
            let Some(captured) = line.form.read(text, number) else {
                continue;
            };
            if let Some(open) = &self.open
                && open.ends_before(line, at, layout)
            {
                done = self.close();
            }
            if !fits(self.open.as_ref(), line) {
                continue;
            }
            let fresh = self.open.is_none();
            let open = self.open.get_or_insert_with(|| Open::new(number, layout));
            if let (Some(RowName::Once), Some(name)) = (line.row, text_of(&captured, "@row"))
                && !name.starts_with('{')
                && open.record.rows().iter().any(|row| row.name == name)
            {
                done = self.close();
                self.open = Some(Open::new(number, layout));
            }
            let open = self.open.get_or_insert_with(|| Open::new(number, layout));
            open.foreign |= is_foreign();
            if open.take(line, at, &captured, number) {
                return done;
            }
            if fresh {
                self.open = None;
            }
        }
        if let Some(open) = &mut self.open {
            open.foreign |= is_foreign();
            if layout.chatter.iter().any(|begin| text.starts_with(begin)) {
                open.alive = number;
            } else if is_boundary {
                done = self.close().or(done);
            }
        }
        done
    }

    /// The text has ended.
    pub fn end(&mut self) -> Vec<Record> {
        let csv = self.csv.take();
        let csv = self.finished(csv);
        self.close().into_iter().chain(csv).collect()
    }

    /// The report of the rows of a CSV file, if it is one.
    fn finished(&self, rows: Option<CsvRows>) -> Option<Record> {
        let record = rows.map(CsvRows::finish);
        record.filter(|record| is_one(self.layout, record))
    }

    fn close(&mut self) -> Option<Record> {
        let open = self.open.take()?;
        let marks = self.layout.lines.iter().any(|line| line.mark);
        let its_own = !open.foreign && (open.mark || !marks);
        let mut record = open.record;
        derive(self.layout, &mut record);
        if !its_own || !is_one(self.layout, &record) {
            return None;
        }
        if let Some(command) = self.command.take() {
            command.add_to(&mut record);
            derive(self.layout, &mut record);
        }
        Some(record)
    }

    /// The report in a document, if it is this tool's.
    pub fn document(&self, document: &Document) -> Option<Record> {
        let layout = self.layout;
        let documents = layout.documents.iter();
        let mut found = documents.filter_map(|d| document::read(d, document, layout));
        found.find(|record| is_one(layout, record))
    }

    /// Reads a line of a CSV file: `None` if it is none.
    fn csv_line(&mut self, text: &str, number: usize) -> Option<Option<Record>> {
        let csv = self.layout.csv.as_ref()?;
        let heads = |line: &str| csv.headings.iter().any(|heading| line.starts_with(heading));
        if heads(text) {
            let before = self.csv.replace(CsvRows::new(csv, text, number)?);
            return Some(self.finished(before));
        }
        let open = self.csv.as_mut()?;
        // Line ends of both kinds make blank lines.
        if text.is_empty() || open.row(csv, text, number) {
            return Some(None);
        }
        let ended = self.csv.take();
        self.finished(ended).map(Some)
    }
}

/// Whether a line is read in the section and after the quantities that it needs.
fn fits(open: Option<&Open>, line: &Line) -> bool {
    let section = match (&line.section, open) {
        (None, _) => true,
        (Some(wanted), Some(open)) => open.section == *wanted,
        (Some(_), None) => false,
    };
    let after = match (&line.after, open) {
        (None, _) => true,
        (Some(name), Some(_)) if name == BEGUN => true,
        (Some(name), Some(open)) => {
            let run = open.record.run();
            run.get(name).is_some() || run.range(name).is_some()
        }
        (Some(_), None) => false,
    };
    section && after
}

impl Open {
    fn new(number: usize, layout: &Layout) -> Self {
        Self {
            record: Record::new(number),
            alive: number,
            section: String::new(),
            seen: vec![false; layout.lines.len()],
            only_begun: true,
            empty: true,
            foreign: false,
            mark: false,
        }
    }

    /// Whether the line begins another report than this one.
    fn ends_before(&self, line: &Line, at: usize, layout: &Layout) -> bool {
        let run = self.record.run();
        let is_late = || layout.late.iter().any(|name| run.get(name).is_some());
        let fits = fits(Some(self), line);
        line.begins && !self.only_begun
            || fits && !line.many && self.seen[at]
            || line.head && (is_late() || run.quantiles().next().is_some())
    }

    fn take(&mut self, line: &Line, at: usize, captured: &[Captured<'_>], number: usize) -> bool {
        if let Some(scope) = &line.scope {
            self.record.enter(scope);
        }
        if !self.record.take(captured, line, number) {
            return false;
        }
        set_mark(&mut self.record, line.set.as_deref(), number);
        // What stands above a report is no part of it.
        if !captured.is_empty() || line.set.is_some() || !line.begins && !self.empty {
            self.record.span.0 = if self.empty {
                number
            } else {
                self.record.span.0
            };
            self.record.span.1 = number;
            self.empty = false;
        }
        if let Some(section) = &line.enter {
            section.clone_into(&mut self.section);
        }
        self.alive = number;
        self.seen[at] = true;
        self.mark |= line.mark;
        self.only_begun &= line.begins || captured.is_empty();
        true
    }
}

/// Sets a mark of the run.
fn set_mark(record: &mut Record, mark: Option<&str>, line: usize) {
    if let Some(mark) = mark {
        record.set(0, mark, Figure::exact("1", line, 1.0));
    }
}

/// Computes quantities that a layout derives from others: for the run and for each part, but those for its own use for the run only.
fn derive(layout: &Layout, record: &mut Record) {
    for at in 0..record.scopes.len() {
        for (name, from) in &layout.derive {
            let scope = &record.scopes[at];
            if scope.get(name).is_some() || at > 0 && name.starts_with('_') {
                continue;
            }
            let own = |name: &str| match split(name) {
                Some(_) => record.range(scope, name),
                None => scope.get(name)?.range,
            };
            let needed = from.names();
            let line = needed
                .iter()
                .find_map(|(name, _)| record.figure(scope, name))
                .map(|f| f.line);
            if let (Some(range), Some(line)) = (from.value(&own), line) {
                let text = from.with(&|name| scope.get(name).map(|f| f.text.clone()));
                if range.hi.is_finite() {
                    let range = Some(range);
                    record.set(at, name, Figure { text, line, range });
                }
            }
        }
    }
}

/// Whether what was gathered is a report: a sentence that mentions one of the labels is none.
fn is_one(layout: &Layout, record: &Record) -> bool {
    let has = |scope: &Scope| {
        let is_there = |name: &str| match record.figure(scope, name) {
            Some(_) => Some(Range::exact(1.0)),
            None => record.range(scope, name).map(|_| Range::exact(1.0)),
        };
        let found = layout
            .needs
            .iter()
            .filter(|need| need.value(&is_there).is_some());
        let range = |name: &str| record.range(scope, name);
        found.count() >= layout.at_least && layout.needs_too.holds(&range)
    };
    has(record.run()) || record.rows().iter().any(has)
}
