//! What is asked of the action's race and comes to none: why is said in all that the job shows.

use super::{race, script, text};
use crate::repository::{git, repository};
use crate::support::Yard;

/// Whatever the script was asked, it ended with this code and left this sentence where the job shows it.
fn ends(yard: &Yard, more: &[(&str, &str)], code: i32, says: &str) {
    let ended = race(yard, more);
    assert_eq!(ended.status.code(), Some(code), "{more:?}: {ended:?}");
    let printed = String::from_utf8_lossy(&ended.stdout).into_owned();
    for told in [
        &printed,
        &text(yard, "out/summary.md"),
        &text(yard, "out/log"),
    ] {
        assert!(told.contains(says), "{says}: {told}");
    }
    assert_eq!(text(yard, "out/exit-code"), format!("{code}\n"));
}

#[test]
fn a_wrong_request_is_no_failure_of_the_gate() {
    let yard = repository();
    let cases = [
        (("RACE_START", " "), "RACE_START"),
        (("RACE_BASE", ""), "RACE_BASE"),
        (("RACE_HEAD", ""), "RACE_HEAD"),
        (("RACE_ARGS", "--names 'a b"), "RACE_ARGS"),
    ];
    for (wrong, says) in cases {
        ends(&yard, &[wrong], 2, says);
        let shown = text(&yard, "step-summary");
        assert!(shown.ends_with(&text(&yard, "out/summary.md")), "{shown}");
    }
    // What git says of a revision that it does not know stays in the log. One that looks like an option is none.
    for base in ["mian", "--all", "--fork-point"] {
        let ended = race(&yard, &[("RACE_BASE", base)]);
        assert_eq!(ended.status.code(), Some(2), "{ended:?}");
        let summary = text(&yard, "out/summary.md");
        assert!(
            summary.contains("exit code 2 (the request was wrong)"),
            "{summary}"
        );
        let log = text(&yard, "out/log");
        let says = format!("Not a valid object name {base}");
        assert!(
            log.contains(&says) && log.contains("has no such revision"),
            "{log}"
        );
    }
}

#[test]
fn the_first_push_of_a_branch_has_nothing_to_be_compared_with() {
    let yard = repository();
    let zeros = "0".repeat(40);
    ends(
        &yard,
        &[("RACE_BASE", &zeros)],
        0,
        "a new branch has no base",
    );
}

#[test]
fn what_the_race_leaves_is_no_file_that_is_not_committed() {
    let yard = repository();
    let left = [("RACE_OUT", "photofinish-out"), ("RACE_START", "")];
    assert_eq!(race(&yard, &left).status.code(), Some(2));
    assert!(yard.path("photofinish-out/summary.md").is_file());
    assert_eq!(
        git(&yard, &["status", "--porcelain", "photofinish-out"]),
        ""
    );
    // A folder that was there is left as it was.
    std::fs::create_dir(yard.path("mine")).expect("a folder");
    assert_eq!(
        race(&yard, &[("RACE_OUT", "mine"), ("RACE_START", "")])
            .status
            .code(),
        Some(2)
    );
    assert!(!yard.path("mine/.gitignore").exists());
}

#[test]
fn a_race_that_left_no_summary_is_a_warning_of_the_comment() {
    let yard = repository();
    let to = [
        ("COMMENT_REPOSITORY", "o/r"),
        ("COMMENT_NUMBER", "7"),
        ("GH_TOKEN", "a-token"),
    ];
    let ended = script(&yard, "comment", &to);
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    let printed = String::from_utf8_lossy(&ended.stdout);
    assert!(
        printed.starts_with("::warning::photofinish: ") && printed.contains("no summary"),
        "{printed}"
    );
}
