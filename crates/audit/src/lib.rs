//! Reads what other load tools print and says which of the figures can be true.
//!
//! A **layout** (`layouts/*.toml`, and files that a user gives) says how a tool prints a report: lines with typed holes, JSON
//! paths, CSV headings, how figures are rounded, and what is known of the tool. It fills a record of named **quantities**
//! (`quantity.rs`): counts, rates, times, quantiles, bytes. **Laws** run on the record where their names exist:
//!
//! | law | where |
//! |---|---|
//! | formulas on intervals: rate = count / time, parts = total, part ≤ whole | `layouts/laws.toml`, and each layout |
//! | order of quantiles, bounds of mean and deviation | `rules/distribution.rs` |
//! | histogram against mean, quantiles and counts | `rules/histogram.rs` |
//! | Little's law of a closed loop, from the mean | `laws/drive.rs` |
//! | from row to row; a row that is made of others | `laws/rows.rs` |
//! | failures, and what they do to the figures beside them | `responses.rs` |
//! | what single tools are known for | their layouts, and `habits/` |
//! | result files of JMeter, row by row; its summary lines | `jtl/`, `jmeter.rs` |
//! | tables and boards, row by row and across rows | `table/`, `board/` |
//!
//! `docs/audit.md` has the rules with their formulas and tolerances. [`lines`](self) are cleaned first (quotes, HTML, full-width
//! characters, prefixes of logs). One pass over the text; memory grows with the reports found, not with the text.

#![forbid(unsafe_code)]

mod between;
mod board;
mod csv;
mod encoding;
mod figure;
mod finding;
mod formula;
mod found;
mod habits;
mod jmeter;
mod json;
mod jtl;
mod laws;
mod layout;
mod layouts;
mod lines;
mod quantity;
mod reader;
mod record;
mod responses;
mod rules;
mod sheet;
mod table;
mod view;

pub use between::between;
pub use board::{Board, BoardAudit, BoardFinding, Role, Row, Scope, audit_boards};
pub use encoding::text;
pub use figure::Range;
pub use finding::{Audit, Finding, Report, Rule, Severity, Tool};
pub use layouts::Layouts;

use found::Found;
use lines::{Line, is_boundary};
use reader::Reader;

/// Audits `text` with the layouts that are compiled in: any text, with any number of reports in it, or none.
pub fn audit(text: &str) -> Audit {
    audit_with(text, Layouts::built_in())
}

/// Audits `text` with these layouts.
pub fn audit_with(text: &str, layouts: &Layouts) -> Audit {
    let mut pass = Pass::new(layouts);
    // A text that is one document may be large: nothing of it is kept but what a layout asks for.
    let is_document = text.trim_start().starts_with(['{', '[']);
    let whole = is_document.then(|| layouts.wanted.read(text)).flatten();
    let read = whole.is_some_and(|document| pass.document(&document));
    if !read {
        pass.lines(text);
    }
    let mut audit = pass.found.into_audit();
    between::within(&mut audit);
    spare_cut_line(&mut audit, text);
    audit
}

/// One pass over a text.
struct Pass<'l> {
    layouts: &'l Layouts,
    readers: Vec<Reader<'l>>,
    results: jtl::Reader,
    summaries: jmeter::Reader,
    tables: table::Reader,
    found: Found,
}

impl<'l> Pass<'l> {
    fn new(layouts: &'l Layouts) -> Self {
        Self {
            layouts,
            readers: layouts.all.iter().map(Reader::new).collect(),
            results: jtl::Reader::default(),
            summaries: jmeter::Reader::default(),
            tables: table::Reader::default(),
            found: Found::default(),
        }
    }

    fn lines(&mut self, text: &str) {
        let mut documents = json::Collector::default();
        // Lines of what may become a document: those of a tool's document are no lines of text.
        let mut held: Vec<Line<'_>> = Vec::new();
        for line in lines::lines(text) {
            let document = documents.line(&line, &self.layouts.wanted);
            held.push(line);
            if documents.is_open() {
                continue;
            }
            // One of many records of a log: a line of JSON is no line of a report.
            let is_record = |held: &[Line<'_>]| match held {
                [line] => line.text.starts_with('{') && line.text.ends_with('}'),
                _ => false,
            };
            if document.is_some_and(|document| self.document(&document) || is_record(&held)) {
                held.clear();
            }
            for line in held.drain(..) {
                self.line(&line);
            }
        }
        for line in &held {
            self.line(line);
        }
        self.results.end(&mut self.found);
        self.summaries.end(&mut self.found);
        self.tables.end(&mut self.found);
        for reader in &mut self.readers {
            self.found.check_all(reader.layout(), reader.end());
        }
    }

    /// Whether the document holds a report of some tool.
    fn document(&mut self, document: &json::Document) -> bool {
        if document.root.is_empty() {
            return false;
        }
        let before = self.found.reports();
        for reader in &self.readers {
            let done = reader.document(document);
            self.found.check_all(reader.layout(), done);
        }
        self.found.reports() > before
    }

    fn line(&mut self, line: &Line<'_>) {
        if self.results.line(line, &mut self.found) {
            return;
        }
        self.summaries.line(line);
        self.tables.line(line, &mut self.found);
        let text = line.text.as_ref();
        let is_boundary = is_boundary(text);
        for reader in &mut self.readers {
            let done = reader.line(text, line.number, is_boundary);
            self.found.check_all(reader.layout(), done);
        }
    }
}

/// A text that does not end with a line may have been cut off within a figure: what this makes of it is no more than doubtful.
fn spare_cut_line(audit: &mut Audit, text: &str) {
    // A line end, or what ends a document, a block of code or a row of a table.
    let is_array = text.trim_start().starts_with('[') && text.ends_with(']');
    if is_array || text.ends_with(['\n', '\r', '}', '>', '`', '|']) {
        return;
    }
    let last = text.matches('\n').count() + 1;
    let accused = |f: &&mut Finding| f.severity == Severity::Impossible && f.lines.contains(&last);
    for finding in audit.findings.iter_mut().filter(accused) {
        finding.severity = Severity::Doubtful;
        finding.meaning += " The text ends within that line, without a line end: unless a figure of it was cut off, this cannot be true.";
    }
}
