//! The reference pages: every example is right, and every key is documented.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use photofinish_model::Metric;
use photofinish_model::settings::{Group, RaceLayer};

use super::{STUB, Stub, read_study_with, read_target, render};
use crate::error::Error;
use crate::keys::{self, Key};
use crate::plan::Target;
use crate::targets::Targets;
use crate::{FILES, target_file};

fn path(name: &str) -> PathBuf {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    docs.join(name)
}

fn page(name: &str) -> String {
    std::fs::read_to_string(path(name)).unwrap()
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
fn every_key_of_a_workload_that_is_about_a_service_is_documented() {
    let page = page("services.md");
    let keys = ["before", "count-after", "service"];
    assert_documented(&page, "The keys of a workload", &keys);
    for key in keys::study::COUNT_AFTER {
        assert!(page.contains(&format!("`{}`", key.name)));
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
fn tools_and_placeholders_are_documented() {
    let study = page("study-files.md");
    for key in keys::study::MEASURED_AT {
        assert!(study.contains(&format!("`measured-at = {{ {} = ", key.name)));
    }
    let target = page("target-files.md");
    let needs: Vec<&str> = keys::target::NEEDS.iter().map(|key| key.name).collect();
    assert_eq!(needs, target_file::TOOLS);
    let placeholders: Vec<String> = crate::PLACEHOLDERS
        .iter()
        .map(|(name, _)| format!("{{{name}}}"))
        .collect();
    let placeholders: Vec<&str> = placeholders.iter().map(String::as_str).collect();
    assert_documented(&target, "Placeholders", &placeholders);
}

/// The rows of settings in the reference of study files, in the table `heading`.
fn rows_of_settings(heading: &str) -> Vec<String> {
    let defaults = RaceLayer::of_run().complete();
    let rows = defaults.values().into_iter().filter_map(|(row, default)| {
        let (table, key) = match row.key?.split_once('.') {
            Some((table, key)) => (format!("`{table}`"), key),
            None => ("The study".to_owned(), row.key?),
        };
        let default = default.map_or_else(|| row.unset.to_owned(), |value| keys::shown(&value));
        let (kind, meaning, example) = (row.kind.in_reference(), row.meaning(), row.example);
        let line = format!("| `{key}` | {kind} | {default} | {meaning} | `{example}` |");
        (table == heading).then_some(line)
    });
    rows.collect()
}

/// A table of keys on a page.
struct Table {
    heading: &'static str,
    head: &'static str,
    rows: Vec<String>,
}

const HEAD: &str = "| key | type | default | meaning | example |";

/// The tables of keys on a page.
fn tables(page: &str) -> Vec<Table> {
    let of = |heading: &'static str, keys: &[Key]| Table {
        heading,
        head: HEAD,
        rows: keys
            .iter()
            .map(Key::row)
            .chain(rows_of_settings(heading))
            .collect(),
    };
    match page {
        "study-files.md" => vec![
            of("The study", keys::study::STUDY),
            of("Entries of `targets`", keys::study::TARGET_ENTRY),
            of("`warmup`", &[]),
            of("`lanes`", keys::study::LANES),
            of("`[[workload]]`", keys::study::WORKLOAD),
            of("`load`", keys::study::LOAD),
            of("`expect`", keys::study::EXPECT),
            of("`[[claim]]`", keys::study::CLAIM),
            Table {
                heading: "Metrics of a claim",
                head: "| metric | what it is |",
                rows: Metric::ALL.iter().map(metric_row).collect(),
            },
        ],
        "services.md" => vec![of("`[service.NAME]`", keys::study::SERVICE)],
        _ => vec![
            of("The target", keys::target::TARGET),
            Table {
                heading: "`needs`",
                head: "| tool | what it is | example |",
                rows: keys::target::NEEDS.iter().map(Key::short_row).collect(),
            },
            of("`[build]`", keys::target::BUILD),
            of("`[start]`", keys::target::START),
            of("`[tls]`", keys::target::TLS),
            of("`[ready]`", keys::target::READY),
            of("`[stop]`", keys::target::STOP),
            of("`[variant.NAME]`", keys::target::VARIANT),
        ],
    }
}

fn metric_row(metric: &Metric) -> String {
    format!("| `{}` | {} |", metric.spec().key, metric.spec().doc)
}

/// The page with these tables of keys under their headings.
fn with_tables(page: &str, tables: &[Table]) -> String {
    let (mut heading, mut made, mut in_table) = ("", Vec::new(), false);
    for line in page.lines() {
        heading = line.strip_prefix("## ").unwrap_or(heading);
        in_table = in_table && line.starts_with('|');
        if in_table {
            continue;
        }
        made.push(line.to_owned());
        let mut tables = tables.iter();
        if let Some(table) = tables.find(|table| line == table.head && table.heading == heading) {
            made.push("|---".repeat(line.matches('|').count() - 1) + "|");
            made.extend(table.rows.iter().cloned());
            in_table = true;
        }
    }
    made.join("\n") + "\n"
}

#[test]
fn the_reference_of_files_is_made_from_the_tables_of_keys() {
    let mut stale = Vec::new();
    for name in ["study-files.md", "services.md", "target-files.md"] {
        let (committed, tables) = (page(name), tables(name));
        let made = with_tables(&committed, &tables);
        for Table { heading, rows, .. } in &tables {
            let is_there = rows.iter().all(|row| made.contains(row));
            assert!(is_there, "{name} has no table {heading}");
        }
        if made != committed {
            std::fs::write(path(name), made).unwrap();
            stale.push(name);
        }
    }
    assert!(
        stale.is_empty(),
        "{stale:?} in docs/ were stale; they are written anew, so commit them"
    );
    let settings = RaceLayer::of_compare().complete();
    let compare = page("compare.md");
    let rounds = format!("there are {} rounds", settings.rounds);
    let length = format!("measured for {} s", settings.duration.as_secs_f64());
    assert!(compare.contains(&rounds) && compare.contains(&length));
}

#[test]
fn a_schema_knows_every_key_that_the_reader_knows() {
    let schema = |name: &str| {
        let file = FILES.iter().find(|file| file.name == name);
        file.expect("a schema").schema()
    };
    let study = schema("study-file");
    let properties = study["properties"].as_object().expect("properties");
    let settings = keys::settings(None).into_iter().map(|(key, _)| key);
    let known: BTreeSet<&str> = keys::study::STUDY
        .iter()
        .map(|key| key.name)
        .chain(settings)
        .collect();
    let named: BTreeSet<&str> = properties.keys().map(String::as_str).collect();
    assert_eq!(named, known);
    assert_eq!(
        study["required"],
        serde_json::json!(["title", "targets", "workload"])
    );
    assert_eq!(properties["rounds"]["maximum"], 1000);
    assert_eq!(properties["warmup"]["properties"]["max"]["type"], "string");
    let workload = &properties["workload"]["items"]["properties"];
    assert_eq!(workload["expect"]["properties"]["status"]["minimum"], 100);
    assert_eq!(
        schema("target-file")["properties"]["stop"]["properties"]["grace"]["default"],
        "5s"
    );
    assert!(schema("hosts-file")["properties"]["slurm"]["properties"]["wait"].is_object());
}
