//! docs/architecture.md is true: which crate uses which, and no files of a crate use one another in a circle.

mod actions;
mod circles;
mod modules;
mod pages;
mod secrets;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The words of a cell that stand between backticks.
fn names(cell: &str) -> BTreeSet<String> {
    let names = cell.split('`').skip(1).step_by(2);
    names.map(str::to_owned).collect()
}

/// What the table says that each crate uses.
fn stated() -> BTreeMap<String, BTreeSet<String>> {
    let text = fs::read_to_string(root().join("docs/architecture.md")).expect("text");
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').collect();
        let [_, name, _, uses, _] = cells.as_slice() else {
            panic!("{row}")
        };
        let name = name.trim().trim_matches('`').to_owned();
        (name, names(uses))
    })
    .collect()
}

/// What each crate's manifest says that it uses, tests aside.
fn declared() -> BTreeMap<String, BTreeSet<String>> {
    let crates = fs::read_dir(root().join("crates")).expect("a folder");
    crates
        .map(|folder| {
            let folder = folder.expect("a folder").path();
            let text = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
            let manifest: toml::Table = text.parse().expect("TOML");
            let uses = manifest.get("dependencies").and_then(toml::Value::as_table);
            let uses = uses.into_iter().flatten().filter_map(|(name, _)| {
                let own = name.strip_prefix("photofinish-")?;
                Some(own.to_owned())
            });
            let name = folder.file_name().expect("a name").to_string_lossy();
            (name.into_owned(), uses.collect())
        })
        .collect()
}

#[test]
fn the_table_of_crates_says_what_each_uses() {
    let (mut stated, mut declared) = (stated(), declared());
    // "all below"
    stated.remove("cli").expect("the binary's row");
    declared.remove("cli").expect("the binary");
    assert_eq!(stated, declared);
}
