//! `scripts/studies-page` makes a page of published claims from the program's own report: no figure is another.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use photofinish_judge::comparison::Comparison;
use photofinish_model::store::Results;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs the script with a program that prints this report.
fn page(report: &str, args: &[&str]) -> Output {
    let temp = tempfile::tempdir().expect("a folder");
    let path = |name: &str| temp.path().join(name);
    fs::write(path("report.md"), report).expect("a file");
    let program = format!("#!/bin/sh\ncat '{}'\n", path("report.md").display());
    fs::write(path("program"), program).expect("a file");
    fs::set_permissions(path("program"), fs::Permissions::from_mode(0o755)).expect("a mode");
    Command::new("python3")
        .arg(root().join("scripts/studies-page"))
        .args(["--output", "-"])
        .args(args)
        .env("PHOTOFINISH", path("program"))
        .output()
        .expect("python3 runs: install it, the test needs nothing but its standard library")
}

#[test]
fn each_claim_is_a_row_with_the_words_of_the_report() {
    let folder = root().join("crates/judge/tests/stored/usual");
    let results = Results::read(&folder).expect("a results folder");
    let comparison = Comparison::from(&results);
    let report = photofinish_report::markdown(&comparison);
    let done = page(&report, &[&folder.display().to_string()]);
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{errors}");
    let page = String::from_utf8(done.stdout).expect("text");
    let rows: Vec<&str> = (page.lines())
        .filter(|line| line.starts_with("| the published"))
        .collect();
    assert_eq!(rows.len(), comparison.claims.len());
    for (row, claim) in rows.iter().zip(&comparison.claims) {
        assert!(row.contains(&claim.claim.says), "{row}");
        assert!(row.contains(&format!("**{}**", claim.outcome.en)), "{row}");
        assert!(
            claim.ratio.is_none() || row.contains(&claim.says.en),
            "{row}"
        );
        // Each cell is a line of the report, but for the words around it.
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        assert_eq!(cells.len(), 4, "{row}");
        for cell in &cells[1..3] {
            assert!(report.contains(cell.trim()), "{cell}");
        }
    }
    assert!(page.contains("| [usual](#usual) | 5 |"), "{page}");
    assert!(page.contains(&comparison.headline.en), "{page}");
}

#[test]
fn a_folder_without_results_is_an_error_that_names_it() {
    let done = page("", &["/nonexistent"]);
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(
        !done.status.success() && errors.contains("/nonexistent"),
        "{errors}"
    );
}
