//! `photofinish audit`.

use std::io::stdin;
use std::path::Path;

use photofinish_audit::{Audit, Severity, audit as read_reports, text};
use photofinish_model::files;

use crate::args::{AuditArgs, FailIf};
use crate::exit::Failure;
use crate::out;
use crate::screen::{colour, width};

pub fn audit(args: &AuditArgs) -> Result<(), Failure> {
    let audits = args
        .files
        .iter()
        .map(|file| Ok((file.display().to_string(), read_reports(&read(file)?))))
        .collect::<Result<Vec<(String, Audit)>, Failure>>()?;
    if args.json {
        out::result(&photofinish_report::audit::json(&audits).map_err(Failure::run)?)?;
    } else {
        let draw = if args.verbose {
            photofinish_report::audit::terminal_verbose
        } else {
            photofinish_report::audit::terminal
        };
        out::result(&draw(&audits, width(), colour()))?;
    }
    let found = |count: fn(&Audit) -> usize| audits.iter().any(|(_, audit)| count(audit) > 0);
    let fails = match args.fail_if {
        None => false,
        Some(FailIf::Impossible) => found(Audit::impossible),
        Some(FailIf::Doubtful) => {
            found(|audit| audit.impossible() + audit.count(Severity::Doubtful))
        }
    };
    if fails {
        return Err(Failure::Condition);
    }
    match audits.iter().find(|(_, audit)| audit.reports.is_empty()) {
        Some((name, _)) if args.fail_if.is_some() => Err(Failure::request(format!(
            "no report of a known tool in {name}, so that --fail-if has nothing to judge: check that it is the output of one of the tools in docs/audit.md"
        ))),
        _ => Ok(()),
    }
}

/// The most bytes of a file or a stream that are read: a day's samples of a busy load generator. What is larger has no end, as a rule.
const MOST: u64 = 2 << 30;

/// A file's text.
fn read(file: &Path) -> Result<String, Failure> {
    let bytes = if file.as_os_str() == "-" {
        files::read_from(stdin(), MOST)
    } else if file.starts_with("/dev/fd") || file.starts_with("/dev/stdin") {
        // What a shell hands over (`<(wrk …)`) is a pipe that somebody writes.
        files::read_given(file, MOST)
    } else {
        files::read(file, MOST)
    }
    .map_err(|e| Failure::request(format!("cannot read {}: {e}", file.display())))?;
    Ok(text(&bytes))
}
