//! Only what builds requests, starts processes, opens connections, checks what was given, or computes fingerprints reads a secret.

use std::fs;
use std::path::{Path, PathBuf};

/// The files that may. A new line needs a reason why the value itself must be known there.
const READERS: [&str; 24] = [
    "host/src/container.rs",
    "host/src/host/request/data.rs",
    "host/src/local/process/start.rs",
    "lab/src/fake/host.rs",
    "lab/src/prepare/build.rs",
    "lab/src/record/fingerprint.rs",
    "lab/src/record/secrets.rs",
    "lab/src/service/mariadb.rs",
    "lab/src/service/postgresql.rs",
    "load/src/grpc.rs",
    "load/src/http/book.rs",
    "load/src/http/request.rs",
    "load/src/http2/request.rs",
    "load/src/tls/settings.rs",
    "load/src/websocket/message.rs",
    "model/src/request.rs",
    "model/src/request/grpc.rs",
    "model/src/request/login.rs",
    "model/src/request/websocket.rs",
    "study/src/compare.rs",
    "study/src/compare/start.rs",
    "study/src/flags.rs",
    "study/src/target_file.rs",
    "study/src/workload/grpc.rs",
];

/// All files of sources below a folder, tests aside.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        match path.is_dir() {
            true if name != "tests" => sources(&path, found),
            false if name.ends_with(".rs") && name != "tests.rs" => found.push(path),
            _ => {}
        }
    }
}

#[test]
fn only_these_files_read_secrets() {
    let crates = crate::root().join("crates");
    let mut files = Vec::new();
    for entry in fs::read_dir(&crates).expect("crates").flatten() {
        sources(&entry.path().join("src"), &mut files);
    }
    let mut readers: Vec<String> = (files.iter())
        .filter(|file| {
            let text = fs::read_to_string(file).expect("text");
            let code = text
                .split("#[cfg(test)]\nmod tests")
                .next()
                .unwrap_or_default();
            code.contains(".expose()") || code.contains("exposing(||")
        })
        .map(|file| {
            let below = file.strip_prefix(&crates).expect("below");
            below.display().to_string()
        })
        .collect();
    readers.sort();
    assert_eq!(readers, READERS);
}
