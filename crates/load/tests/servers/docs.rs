//! The tests that notes/faults.md and notes/resolution.md name exist, and each fault in the first one's list has one or cannot happen.

use std::path::Path;

/// `file.rs::function` in backquotes; a `::function` that follows is in the same file.
fn tests_named(line: &str) -> Vec<(String, String)> {
    let mut file = String::new();
    let quoted = line.split('`').skip(1).step_by(2);
    quoted
        .filter_map(|name| name.rsplit_once("::"))
        .filter(|(path, function)| {
            !function.is_empty() && (path.is_empty() || path.ends_with(".rs"))
        })
        .map(|(path, function)| {
            if !path.is_empty() {
                file = path.to_owned();
            }
            (file.clone(), function.to_owned())
        })
        .collect()
}

#[test]
fn every_test_that_is_named_exists() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for (page, least) in [("notes/faults.md", 20), ("notes/resolution.md", 2)] {
        let text = std::fs::read_to_string(crates.join("..").join(page)).unwrap();
        let mut named = 0;
        for (file, function) in text.lines().flat_map(tests_named) {
            let source = std::fs::read_to_string(crates.join(&file))
                .unwrap_or_else(|error| panic!("{page} names {file}: {error}"));
            // It must be a test, and not any function of that name.
            let at = source.find(&format!("fn {function}("));
            let before = at.map(|at| source[..at].trim_end());
            assert!(
                before.is_some_and(|text| text.ends_with("#[test]")),
                "{page} names {file}::{function}, which is no test"
            );
            named += 1;
        }
        assert!(named >= least, "{page}: only {named} names were found");
    }
}

#[test]
fn every_fault_is_tested_or_cannot_happen() {
    let page = include_str!("../../../../notes/faults.md");
    let list = page.split("## Faults of other generators").nth(1).unwrap();
    for number in 1..=21 {
        let row = list
            .lines()
            .find(|line| line.starts_with(&format!("| {number} | ")))
            .unwrap_or_else(|| panic!("fault {number} is missing"));
        assert!(
            row.contains("cannot happen")
                || row.contains("the same test")
                || !tests_named(row).is_empty(),
            "fault {number} has no test"
        );
    }
}
