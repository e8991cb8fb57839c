//! The reference pages: every example is right, and every key is documented.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use photofinish_model::duration::{format_duration, parse_duration};
use photofinish_model::settings::{Kind, RaceLayer};
use photofinish_model::{MOST_STREAMS, Search};

use super::{STUB, Stub, read_study_with, read_target, render};
use crate::error::Error;
use crate::plan::Target;
use crate::shelf::Targets;
use crate::{
    capacity, claim, expect, levels, limits, race, service, study_file, target_file, tls, workload,
};

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
    assert_documented(&page, "The study", &study_file::keys());
    assert_documented(&page, "Entries of `targets`", study_file::TARGET_ENTRY_KEYS);
    assert_documented(&page, "`warmup`", race::WARMUP_KEYS);
    assert_documented(&page, "`lanes`", race::LANES_KEYS);
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

/// What the row of a key says of its type and its default.
fn row(page: &str, heading: &str, key: &str) -> [String; 2] {
    let section = page.split("\n## ").find(|part| part.starts_with(heading));
    let start = format!("| `{key}` | ");
    let mut rows = section.into_iter().flat_map(str::lines);
    let row = rows.find_map(|line| line.strip_prefix(&start));
    let mut cells = row.unwrap_or_default().split(" | ");
    let [kind, default] = [(); 2].map(|()| cells.next().unwrap_or("").to_owned());
    // A minute may be written as 60 s.
    let time = parse_duration(default.trim_matches(['`', '"']));
    [
        kind,
        time.map_or(default, |time| format!("`\"{}\"`", format_duration(time))),
    ]
}

#[test]
fn ranges_and_defaults_are_those_of_the_code() {
    let (study, target) = (page("study-files.md"), page("target-files.md"));
    let of_time = |key: &'static str, bounds: RangeInclusive<Duration>, default: Duration| {
        let [from, to] = [*bounds.start(), *bounds.end()].map(format_duration);
        let default = format!("`\"{}\"`", format_duration(default));
        (key, format!("time, {from} to {to}"), default)
    };
    let of_number = |key: &'static str, bounds: RangeInclusive<u32>, default: &str| {
        let (from, to) = (bounds.start(), bounds.end());
        (
            key,
            format!("whole number, {from} to {to}"),
            default.to_owned(),
        )
    };
    let connections = 1..=levels::MAX_CONNECTIONS;
    let of_levels = levels::RATE_CONNECTIONS.to_string();
    for (page, heading, (key, kind, default)) in [
        (
            &study,
            "Entries of `targets`",
            of_number("streams", 1..=MOST_STREAMS, "`1`"),
        ),
        (
            &study,
            "`[[workload]]`",
            of_number("streams", 1..=MOST_STREAMS, "`1`"),
        ),
        (
            &study,
            "`[[workload]]`",
            of_number("rate-connections", connections.clone(), &of_levels),
        ),
        (
            &study,
            "`[[workload]]`",
            of_time(
                "timeout",
                limits::RESPONSE_TIMEOUT,
                limits::DEFAULT_RESPONSE_TIMEOUT,
            ),
        ),
        (
            &study,
            "`load`",
            of_number("connections", connections, &of_levels),
        ),
        (
            &study,
            "`load`",
            of_time("step", limits::DURATION, Search::STEP),
        ),
        (
            &study,
            "`load`",
            of_time("max-time", limits::SEARCH, Search::MAX_TIME),
        ),
        (
            &target,
            "`[build]`",
            of_time(
                "timeout",
                limits::BUILD_TIMEOUT,
                limits::DEFAULT_BUILD_TIMEOUT,
            ),
        ),
        (
            &target,
            "`[ready]`",
            of_time(
                "timeout",
                limits::READY_TIMEOUT,
                limits::DEFAULT_READY_TIMEOUT,
            ),
        ),
        (
            &target,
            "`[stop]`",
            of_time("grace", limits::GRACE, limits::DEFAULT_GRACE),
        ),
    ] {
        assert_eq!(row(page, heading, key), [kind, default], "{heading}: {key}");
    }
}

/// The rows of settings in the reference, each with the heading under which it stands.
fn rows_of_settings() -> Vec<(String, String)> {
    let defaults = RaceLayer::of_run().complete();
    let rows = defaults.values().into_iter().filter_map(|(row, default)| {
        let (table, key) = match row.key?.split_once('.') {
            Some((table, key)) => (format!("`{table}`"), key),
            None => ("The study".to_owned(), row.key?),
        };
        let default = default.map_or_else(
            || row.unset.to_owned(),
            |value| match &row.kind {
                Kind::Time(_) | Kind::Cpus | Kind::Word(_) => format!("`\"{value}\"`"),
                Kind::Switch | Kind::Count(_) | Kind::Share => value.to_string(),
            },
        );
        let kind = row.kind.in_reference();
        let (meaning, example) = (row.meaning(), row.example);
        Some((
            table,
            format!("| `{key}` | {kind} | {default} | {meaning} | `{example}` |"),
        ))
    });
    rows.collect()
}

/// The page with these rows in place of those of the same keys under the same headings.
fn with_rows(page: &str, rows: &[(String, String)]) -> String {
    let mut heading = String::new();
    let lines = page.lines().map(|line| {
        if let Some(text) = line.strip_prefix("## ") {
            heading = text.to_owned();
        }
        let start = |row: &str| row.split(" | ").next().unwrap_or_default().to_owned() + " | ";
        let same =
            |(table, row): &&(String, String)| *table == heading && line.starts_with(&start(row));
        rows.iter().find(same).map_or(line, |(_, row)| row)
    });
    let lines: Vec<&str> = lines.collect();
    lines.join("\n") + "\n"
}

#[test]
fn settings_stand_in_the_reference_as_their_table_declares_them() {
    let rows = rows_of_settings();
    let committed = page("study-files.md");
    let made = with_rows(&committed, &rows);
    for (table, row) in &rows {
        assert!(made.contains(row), "{table} lacks {row}");
    }
    if made != committed {
        std::fs::write(path("study-files.md"), made).unwrap();
        panic!("docs/study-files.md was stale; it is written anew, so commit it");
    }
    let settings = RaceLayer::of_compare().complete();
    let compare = page("compare.md");
    let rounds = format!("there are {} rounds", settings.rounds);
    let length = format!("measured for {} s", settings.duration.as_secs_f64());
    assert!(compare.contains(&rounds) && compare.contains(&length));
}
