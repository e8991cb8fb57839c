//! Actions of workflows are pinned by the hash of a commit: whoever owns a tag can move it.

use std::fs;
use std::path::PathBuf;

use super::root;

/// The workflows, the action, and the page that shows how both are used.
fn files() -> Vec<PathBuf> {
    let workflows = fs::read_dir(root().join(".github/workflows")).expect("a folder");
    let workflows = workflows.map(|file| file.expect("a file").path());
    workflows
        .chain(["action.yml", "docs/ci.md"].map(|file| root().join(file)))
        .collect()
}

#[test]
fn every_action_is_pinned_by_the_hash_of_a_commit() {
    let mut pinned = 0;
    for file in files() {
        let text = fs::read_to_string(&file).expect("text");
        for line in text.lines() {
            // The example of this action names no commit, which nobody knows before there is one.
            let Some((_, used)) = line.split_once("uses: ") else {
                continue;
            };
            if used.starts_with("OWNER/") || used.starts_with("./") {
                continue;
            }
            let hash = used.split(['@', ' ']).nth(1).unwrap_or_default();
            let is_hash = hash.len() == 40 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
            assert!(is_hash, "{}: {}", file.display(), line.trim());
            pinned += 1;
        }
    }
    assert!(pinned > 5, "only {pinned} were found");
}
