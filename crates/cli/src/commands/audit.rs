//! `photofinish audit`.

use std::fs;
use std::io::stdin;
use std::path::{Path, PathBuf};

use photofinish_audit::{Audit, Layouts, Severity, audit_boards, audit_with, text};
use photofinish_model::files;
use photofinish_report::audit as report;

use crate::args::{AuditArgs, FailIf};
use crate::exit::Failure;
use crate::out;
use crate::screen::{colour, width};

pub fn audit(args: &AuditArgs) -> Result<(), Failure> {
    if args.board {
        return boards(args);
    }
    let layouts = layouts(&args.layout)?;
    let audits = args
        .files
        .iter()
        .map(|file| {
            Ok((
                file.display().to_string(),
                audit_with(&read(file)?, &layouts),
            ))
        })
        .collect::<Result<Vec<(String, Audit)>, Failure>>()?;
    if args.json {
        out::result(&report::json(&audits).map_err(Failure::run)?)?;
    } else {
        let text = report::terminal(&audits, args.verbose, width(), colour());
        out::result(&text)?;
    }
    let count = |severity| audits.iter().map(|(_, audit)| audit.count(severity)).sum();
    fail_if(args, count)?;
    match audits.iter().find(|(_, audit)| audit.reports.is_empty()) {
        Some((name, _)) if args.fail_if.is_some() => Err(Failure::request(format!(
            "no report of a known tool in {name}, so that --fail-if has nothing to judge: check that it is the output of one of the tools in docs/audit.md"
        ))),
        _ => Ok(()),
    }
}

/// The condition that was asked for, on the number of findings by severity.
fn fail_if(args: &AuditArgs, count: impl Fn(Severity) -> usize) -> Result<(), Failure> {
    let impossible = count(Severity::Impossible);
    let fails = match args.fail_if {
        None => false,
        Some(FailIf::Impossible) => impossible > 0,
        Some(FailIf::Doubtful) => impossible + count(Severity::Doubtful) > 0,
    };
    match fails {
        true => Err(Failure::Condition),
        false => Ok(()),
    }
}

/// The layouts that are built in, and those of these files.
fn layouts(files: &[PathBuf]) -> Result<Layouts, Failure> {
    let texts = files
        .iter()
        .map(|file| Ok((file.display().to_string(), read(file)?)))
        .collect::<Result<Vec<_>, Failure>>()?;
    let more = texts
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()));
    Layouts::with(more).map_err(Failure::request)
}

/// Audits whole boards.
fn boards(args: &AuditArgs) -> Result<(), Failure> {
    let mut files = Vec::new();
    for file in &args.files {
        match file.is_dir() {
            false => files.push(file.clone()),
            true => files.extend(months(file)?),
        }
    }
    let texts = files
        .iter()
        .map(|file| Ok((file.display().to_string(), read(file)?)))
        .collect::<Result<Vec<_>, Failure>>()?;
    let audit = audit_boards(&texts, args.link).map_err(Failure::request)?;
    match args.json {
        true => out::result(&report::board::json(&audit).map_err(Failure::run)?)?,
        false => out::result(&report::board::terminal(&audit, width(), colour()))?,
    }
    let write = |file: &Path, text: &str| {
        fs::write(file, text)
            .map_err(|e| Failure::request(format!("cannot write {}: {e}", file.display())))
    };
    if let Some(file) = &args.html {
        write(file, &report::board::html(&audit))?;
    }
    if let Some(file) = &args.csv {
        write(file, &report::board::csv(&audit).map_err(Failure::run)?)?;
    }
    fail_if(args, |severity| audit.count(severity))
}

/// The boards in a folder, by name: names of months are in order.
fn months(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let wrong = |e| Failure::request(format!("cannot read {}: {e}", folder.display()));
    let entries = fs::read_dir(folder).map_err(wrong)?;
    let is_board = |path: &PathBuf| {
        let extension = path.extension().and_then(|e| e.to_str());
        extension.is_some_and(|e| ["csv", "json", "md"].contains(&e))
    };
    let mut files: Vec<PathBuf> = entries
        .map(|entry| Ok(entry.map_err(wrong)?.path()))
        .collect::<Result<_, Failure>>()?;
    files.retain(is_board);
    files.sort();
    match files.is_empty() {
        true => Err(Failure::request(format!(
            "no board (.csv, .json, .md) in {}",
            folder.display()
        ))),
        false => Ok(files),
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
    Ok(text(bytes))
}
