//! What a release takes: every crate could be published, and all places that name the version agree.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
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

/// `make dist` of a program that is built already.
#[test]
fn an_archive_has_the_program_its_documents_and_schemas_and_a_checksum() {
    let folder = tempfile::tempdir().expect("a folder");
    let dist = folder.path().join("dist");
    let run = |command: &mut Command| {
        let output = command
            .current_dir(folder.path())
            .output()
            .expect("it runs");
        let says = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command:?}: {says}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    run(Command::new(root().join("scripts/dist"))
        .env("DIST_PROGRAM", env!("CARGO_BIN_EXE_photofinish"))
        .env("DIST_FOLDER", &dist)
        .env("DEB_COMPRESSION", "none"));
    let files: Vec<PathBuf> = (std::fs::read_dir(&dist).expect("a folder").flatten())
        .map(|entry| entry.path())
        .collect();
    let is_archive = |file: &&PathBuf| file.extension().is_some_and(|it| it == "gz");
    let archive = files.iter().find(is_archive).expect("an archive");
    run(Command::new("tar")
        .arg("-xzf")
        .arg(archive)
        .arg("--strip-components=1"));
    for file in [
        "LICENSE",
        "README.md",
        "CHANGELOG.md",
        "schemas/report.schema.json",
    ] {
        assert!(folder.path().join(file).is_file(), "{file}");
    }
    let version = run(Command::new(folder.path().join("photofinish")).arg("--version"));
    assert_eq!(
        version.trim(),
        concat!("photofinish ", env!("CARGO_PKG_VERSION"))
    );
    let sums = std::fs::read_to_string(dist.join("SHA256SUMS")).expect("checksums");
    assert_eq!(sums.lines().count(), files.len() - 1, "{sums}");
    run(Command::new("sh")
        .arg("-c")
        .arg("cd dist && sha256sum --check --strict SHA256SUMS"));
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
