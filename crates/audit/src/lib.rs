//! Reads what other load tools print and says which of the figures can be true.
//!
//! `docs/audit.md` has every rule with its formula and tolerance. [`lines`](self) are cleaned first (quotes, HTML,
//! full-width characters), each [`Format`](format::Format) picks out its reports, and the checks do interval arithmetic on
//! the digits as printed. One pass over the text; memory grows with the reports found, not with the text.

#![forbid(unsafe_code)]

mod between;
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
pub use figure::Range;
pub use finding::{Audit, Finding, Report, Rule, Severity, Tool};

use format::{Found, Take};

/// Audits `text`: any text, with any number of reports in it, or none.
pub fn audit(text: &str) -> Audit {
    let mut formats = formats::all();
    let mut found = Found::default();
    let mut documents = json::Collector::default();
    for line in lines::lines(text) {
        if let Some(document) = documents.line(&line) {
            for format in &mut formats {
                format.document(&document, &mut found);
            }
        }
        for format in &mut formats {
            if format.line(&line, &mut found) == Take::Claimed {
                break;
            }
        }
    }
    for format in &mut formats {
        format.end(&mut found);
    }
    let mut audit = found.into_audit();
    between::within(&mut audit);
    audit
}
