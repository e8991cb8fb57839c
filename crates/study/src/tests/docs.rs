//! The reference pages: every example is right, and every key is documented.

use std::collections::BTreeSet;
use std::path::Path;

use super::{STUB, Stub, read_study_with, read_target, render};
use crate::error::Error;
use crate::plan::Target;
use crate::shelf::Targets;
use crate::{capacity, claim, expect, service, study_file, target_file, tls, workload};

fn page(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs")
        .join(name);
    std::fs::read_to_string(path).unwrap()
}

/// The `toml` blocks of a page.
fn blocks(page: &str) -> Vec<&str> {
    let starts = page.split("```toml\n").skip(1);
    starts
        .map(|rest| rest.split("```").next().unwrap_or(""))
        .collect()
}

/// Any target there is, as the pages' studies name some of the repository's.
struct Anything;

impl Targets for Anything {
    fn names(&self) -> Vec<String> {
        Stub.names()
    }

    fn find(&self, name: &str) -> Option<Result<Vec<Target>, Error>> {
        let (_, text) = STUB[1];
        let text = format!("{text}\n[variant.gc-off]\n[variant.current-virtual]\n");
        Some(read_target(name, &text))
    }
}

#[test]
fn every_example_of_a_study_is_right() {
    for name in ["study-files.md", "services.md", "adding-a-study.md"] {
        let page = page(name);
        assert!(blocks(&page).len() >= 2);
        for block in blocks(&page) {
            if let Err(error) = read_study_with(block, &Anything) {
                panic!("{}\n{block}", render(&error));
            }
        }
    }
}

#[test]
fn every_key_of_a_service_is_documented() {
    let page = page("services.md");
    assert_documented(&page, "`[service.NAME]`", service::SERVICE_KEYS);
    assert_documented(
        &page,
        "The keys of a workload",
        &["before", "count-after", "service"],
    );
    for key in service::COUNT_KEYS {
        assert!(page.contains(&format!("`{key}`")));
    }
}

#[test]
fn every_example_of_a_target_is_right() {
    for (name, least) in [("target-files.md", 3), ("adding-a-target.md", 1)] {
        let page = page(name);
        assert!(blocks(&page).len() >= least);
        for block in blocks(&page) {
            if let Err(error) = read_target("example", block) {
                panic!("{}\n{block}", render(&error));
            }
        }
    }
}

/// Each key has a row in the table under its heading, and each row is one of a key.
fn assert_documented(page: &str, heading: &str, keys: &[&str]) {
    let section = page.split("\n## ").find(|part| part.starts_with(heading));
    let section = section.unwrap_or_else(|| panic!("no heading {heading}"));
    let rows = section.lines().filter_map(|line| {
        let (key, _) = line.strip_prefix("| `")?.split_once("` |")?;
        Some(key)
    });
    let rows: BTreeSet<&str> = rows.collect();
    let keys: BTreeSet<&str> = keys.iter().copied().collect();
    let lacks: Vec<&&str> = keys.difference(&rows).collect();
    assert!(lacks.is_empty(), "{heading}: not documented: {lacks:?}");
    let unknown: Vec<&&str> = rows.difference(&keys).collect();
    assert!(unknown.is_empty(), "{heading}: no such key: {unknown:?}");
}

#[test]
fn every_key_of_a_study_is_documented() {
    let page = page("study-files.md");
    assert_documented(&page, "The study", study_file::STUDY_KEYS);
    assert_documented(&page, "Entries of `targets`", study_file::TARGET_ENTRY_KEYS);
    assert_documented(&page, "`warmup`", study_file::WARMUP_KEYS);
    assert_documented(&page, "`lanes`", study_file::LANES_KEYS);
    assert_documented(&page, "`[[workload]]`", workload::WORKLOAD_KEYS);
    assert_documented(&page, "`load`", capacity::LOAD_KEYS);
    assert_documented(&page, "`expect`", expect::EXPECT_KEYS);
    assert_documented(&page, "`[[claim]]`", claim::CLAIM_KEYS);
    for key in claim::MEASURED_AT_KEYS {
        assert!(page.contains(&format!("`measured-at = {{ {key} = ")));
    }
    assert_documented(&page, "Metrics of a claim", photofinish_model::Metric::KEYS);
}

#[test]
fn every_key_of_a_target_is_documented() {
    let page = page("target-files.md");
    assert_documented(&page, "The target", target_file::TARGET_KEYS);
    assert_documented(&page, "`needs`", target_file::TOOLS);
    assert_documented(&page, "`[build]`", target_file::BUILD_KEYS);
    assert_documented(&page, "`[start]`", target_file::START_KEYS);
    assert_documented(&page, "`[tls]`", tls::TLS_KEYS);
    assert_documented(&page, "`[ready]`", target_file::READY_KEYS);
    assert_documented(&page, "`[stop]`", target_file::STOP_KEYS);
    assert_documented(&page, "`[variant.NAME]`", target_file::VARIANT_KEYS);
    let placeholders: Vec<String> = crate::PLACEHOLDERS
        .iter()
        .map(|(name, _)| format!("{{{name}}}"))
        .collect();
    let placeholders: Vec<&str> = placeholders.iter().map(String::as_str).collect();
    assert_documented(&page, "Placeholders", &placeholders);
}
