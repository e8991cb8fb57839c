//! What photofinish is built from has a licence that `deny.toml` allows, and comes from the registry or lies in this repository.
//!
//! Licences are expressions of SPDX: `OR` leaves the choice, `AND` asks for all; `/` is an older `OR`.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The licences that `deny.toml` allows, and those that it allows to single crates.
struct Allowed {
    all: Vec<String>,
    exceptions: Vec<(String, Vec<String>)>,
}

impl Allowed {
    fn read() -> Allowed {
        let text = std::fs::read_to_string(root().join("deny.toml")).expect("deny.toml");
        let deny: toml::Table = text.parse().expect("TOML");
        let words = |value: &toml::Value| -> Vec<String> {
            let words = value.as_array().expect("an array").iter();
            words
                .map(|word| word.as_str().expect("a licence").to_owned())
                .collect()
        };
        let licences = &deny["licenses"];
        let exceptions = licences["exceptions"]
            .as_array()
            .expect("exceptions")
            .iter();
        Allowed {
            all: words(&licences["allow"]),
            exceptions: exceptions
                .map(|one| {
                    let name = one["crate"].as_str().expect("a name").to_owned();
                    (name, words(&one["allow"]))
                })
                .collect(),
        }
    }

    fn allows(&self, name: &str, licence: &str) -> bool {
        let mut exceptions = self.exceptions.iter();
        let single = exceptions.find(|(known, _)| known == name);
        let mut allowed = self
            .all
            .iter()
            .chain(single.iter().flat_map(|(_, all)| all));
        allowed.any(|known| known == licence)
    }
}

/// Whether an expression is met where `allows` says which licences are.
fn meets(expression: &str, allows: &dyn Fn(&str) -> bool) -> bool {
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    if words.is_empty() {
        return false;
    }
    let mut at = 0;
    let met = any(&words, &mut at, allows);
    assert_eq!(
        at,
        words.len(),
        "`{expression}` is no expression of licences"
    );
    met
}

fn any(words: &[&str], at: &mut usize, allows: &dyn Fn(&str) -> bool) -> bool {
    let mut met = all(words, at, allows);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        met |= all(words, at, allows);
    }
    met
}

fn all(words: &[&str], at: &mut usize, allows: &dyn Fn(&str) -> bool) -> bool {
    let mut met = one(words, at, allows);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        met &= one(words, at, allows);
    }
    met
}

fn one(words: &[&str], at: &mut usize, allows: &dyn Fn(&str) -> bool) -> bool {
    let word = words.get(*at).copied().unwrap_or_default();
    *at += 1;
    if word == "(" {
        let met = any(words, at, allows);
        assert_eq!(words.get(*at), Some(&")"), "{words:?}");
        *at += 1;
        return met;
    }
    match (words.get(*at), words.get(*at + 1)) {
        (Some(&"WITH"), Some(exception)) => {
            *at += 2;
            allows(&format!("{word} WITH {exception}"))
        }
        _ => allows(word),
    }
}

#[test]
fn expressions_are_met_as_spdx_says() {
    let allows = |licence: &str| ["MIT", "ISC", "A WITH B"].contains(&licence);
    for met in [
        "MIT",
        "MIT OR X",
        "X/MIT",
        "X / MIT",
        "MIT AND ISC",
        "(X OR MIT) AND ISC",
        "A WITH B OR X",
    ] {
        assert!(meets(met, &allows), "{met}");
    }
    for not in [
        "X",
        "MIT AND X",
        "(X OR Y) AND MIT",
        "X OR MIT AND Y",
        "A",
        "MIT WITH B",
        "",
    ] {
        assert!(!meets(not, &allows), "{not}");
    }
}

#[test]
fn every_dependency_is_allowed() {
    let allowed = Allowed::read();
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut refused = Vec::new();
    for manifest in ["Cargo.toml", "targets/limit/Cargo.toml", "fuzz/Cargo.toml"] {
        let output = Command::new(&cargo)
            .args([
                "metadata",
                "--format-version",
                "1",
                "--locked",
                "--manifest-path",
            ])
            .arg(root().join(manifest))
            .output()
            .expect("cargo runs");
        let says = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{manifest}: {says}");
        let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let packages = metadata["packages"].as_array().expect("packages");
        assert!(packages.len() > 2, "{manifest}");
        for package in packages {
            let name = package["name"].as_str().expect("a name");
            let source = package["source"].as_str();
            let is_ours = source.is_none();
            let licence = package["license"].as_str().unwrap_or_default();
            if !is_ours && !meets(licence, &|one| allowed.allows(name, one)) {
                refused.push(format!(
                    "{name}: the licence `{licence}` is not allowed by deny.toml"
                ));
            }
            if source.is_some_and(|source| !source.starts_with("registry+")) {
                refused.push(format!("{name}: it comes from {source:?}"));
            }
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

/// What `cargo publish` refuses a crate for: no description or licence, and dependencies without a version.
#[test]
fn every_crate_could_be_published() {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--no-deps",
            "--manifest-path",
        ])
        .arg(root().join("Cargo.toml"))
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let mut lacks = Vec::new();
    let mut descriptions = std::collections::BTreeSet::new();
    for package in metadata["packages"].as_array().expect("packages") {
        let name = package["name"].as_str().expect("a name");
        for key in ["description", "license", "rust_version"] {
            if package[key].as_str().is_none_or(str::is_empty) {
                lacks.push(format!("{name}: no {key}"));
            }
        }
        if !descriptions.insert(package["description"].as_str()) {
            lacks.push(format!("{name}: the description of another crate"));
        }
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            // Those of tests alone are left out of what is published.
            if dependency["req"] == "*" && dependency["kind"] != "dev" {
                lacks.push(format!("{name}: {} without a version", dependency["name"]));
            }
        }
    }
    assert!(lacks.is_empty(), "{}", lacks.join("\n"));
}

/// A release's tag, and every place that names a version, agree.
#[test]
fn a_release_has_one_version() {
    let check = |tag: &str| {
        let output = Command::new(root().join("scripts/release-check"))
            .arg(tag)
            .output()
            .expect("a script");
        let says = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.success(), says)
    };
    // Until there is a section for it in CHANGELOG.md, that alone is missing.
    let version = env!("CARGO_PKG_VERSION");
    let (_, says) = check(&format!("v{version}"));
    for line in says.lines() {
        assert_eq!(
            line,
            format!("release-check: CHANGELOG.md has no section ## {version}")
        );
    }
    let (released, says) = check("v987.6.5");
    assert!(!released);
    for place in [
        "Cargo.toml: [workspace.package]",
        "CITATION.cff",
        "CHANGELOG.md",
    ] {
        assert!(says.contains(place), "{says}");
    }
}
