//! Reads what other load tools print and says which of the figures can be true.
//!
//! `docs/audit.md` has every rule with its formula and tolerance. [`lines`](self) are cleaned first (quotes, HTML,
//! full-width characters), each [`Format`](format::Format) picks out its reports, and the checks do interval arithmetic on
//! the digits as printed. One pass over the text; memory grows with the reports found, not with the text.

#![forbid(unsafe_code)]

mod between;
mod encoding;
mod figure;
mod finding;
mod format;
mod formats;
mod gather;
mod json;
mod lines;
mod record;
mod responses;
mod rules;
mod sheet;

pub use between::between;
pub use encoding::text;
pub use figure::Range;
pub use finding::{Audit, Finding, Report, Rule, Severity, Tool};

use format::{Format, Found, Take};
use lines::Line;

/// Audits `text`: any text, with any number of reports in it, or none.
pub fn audit(text: &str) -> Audit {
    let mut formats = formats::all();
    let mut found = Found::default();
    let mut documents = json::Collector::default();
    // Lines of what may become a document: those of a tool's document are no lines of text.
    let mut held: Vec<Line<'_>> = Vec::new();
    for line in lines::lines(text) {
        let document = documents.line(&line);
        held.push(line);
        if documents.is_open() {
            continue;
        }
        if let Some(document) = document {
            let before = found.reports();
            for format in &mut formats {
                format.document(&document, &mut found);
            }
            if found.reports() > before {
                held.clear();
            }
        }
        for line in held.drain(..) {
            pass(&line, &mut formats, &mut found);
        }
    }
    for line in &held {
        pass(line, &mut formats, &mut found);
    }
    for format in &mut formats {
        format.end(&mut found);
    }
    let mut audit = found.into_audit();
    between::within(&mut audit);
    spare_cut_line(&mut audit, text);
    audit
}

/// Shows a line to the formats, until one claims it.
fn pass(line: &Line<'_>, formats: &mut [Box<dyn Format>], found: &mut Found) {
    for format in formats {
        if format.line(line, found) == Take::Claimed {
            break;
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
