//! The audit on reports that the real tools printed, and on the same reports with something made wrong.
//!
//! Each text under `cases/` has its expected findings beside it in `snapshots/`. Texts named `sound-…` are untouched output of a real
//! run and must be without any doubt; `sound-made-…` are a simulated closed loop of 50 connections in a layout that the tool's
//! documentation or source has, or tables made from it.

mod faults;
mod others;
mod pasted;
mod robust;
mod simulated;

use photofinish_audit::{Audit, Severity, audit};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// All texts, by name.
fn cases() -> Vec<(String, String)> {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/audit/cases");
    let mut all: Vec<(String, String)> = std::fs::read_dir(folder)
        .expect("the folder of cases")
        .map(|entry| {
            let path = entry.expect("a case").path();
            let name = path
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            (name, std::fs::read_to_string(&path).expect("a text"))
        })
        .collect();
    all.sort();
    all
}

fn drawn(audit: &Audit) -> String {
    let mut out = String::new();
    for (at, report) in audit.reports.iter().enumerate() {
        let _ = writeln!(
            out,
            "{} in lines {}-{}: {}",
            report.tool.name(),
            report.first_line,
            report.last_line,
            report.title
        );
        for f in audit.findings.iter().filter(|f| f.report == at) {
            let lines: Vec<String> = f.lines.iter().map(ToString::to_string).collect();
            let _ = writeln!(
                out,
                "  {:?} {} {} [{}] {}",
                f.severity,
                lines.join(","),
                f.rule.name(),
                f.figure,
                f.arithmetic
            );
            if !f.meaning.is_empty() {
                let _ = writeln!(out, "      {}", f.meaning);
            }
        }
    }
    let _ = writeln!(out, "impossible: {}", audit.impossible());
    out
}

#[test]
fn every_case_gives_its_findings() {
    for (name, text) in cases() {
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(name.replace('.', "-"), drawn(&audit(&text)));
        });
    }
}

#[test]
fn a_sound_report_raises_no_doubt() {
    for (name, text) in cases()
        .into_iter()
        .filter(|(name, _)| name.starts_with("sound-"))
    {
        let audit = audit(&text);
        assert!(!audit.reports.is_empty(), "{name} has a report");
        let doubts: Vec<_> = audit
            .findings
            .iter()
            .filter(|f| f.severity >= Severity::Doubtful)
            .collect();
        assert!(doubts.is_empty(), "{name}: {doubts:#?}");
        assert!(
            audit.count(Severity::Holds) > 0,
            "{name} has checks that hold"
        );
    }
}

#[test]
fn a_broken_report_is_called_impossible() {
    for (name, text) in cases()
        .into_iter()
        .filter(|(name, _)| name.starts_with("broken-"))
    {
        assert!(
            audit(&text).impossible() > 0,
            "{name} has a figure that cannot be true"
        );
    }
}
