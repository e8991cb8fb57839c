//! `--rev`: revisions of a git repository, raced against each other or the working tree.

use std::fs;

use crate::repository::{commit, git, repository};
use crate::support::{Ended, Running, Yard, measurements};

const URL: &str = "http://127.0.0.1:{port}/plaintext";
const SERVE: &str = "'sh ./server.sh {photofinish} {port}'";
const BUILD: &str = "--build 'cp server.in server.sh'";

/// A short comparison of the revisions that these flags name.
fn compare(yard: &Yard, flags: &str) -> Ended {
    yard.compare(&format!("--url {URL} -c 2 {flags}"))
}

fn labels(yard: &Yard) -> Vec<String> {
    let lines = measurements(yard.results("compare").last().expect("results"));
    let mut labels: Vec<String> = lines
        .iter()
        .map(|line| line["target"].as_str().expect("a label").to_owned())
        .collect();
    labels.sort();
    labels.dedup();
    labels
}

#[test]
fn two_revisions_race_each_built_once() {
    let yard = repository();
    let short = |rev: &str| git(&yard, &["rev-parse", "--short=7", rev]);
    let (main, head) = (
        format!("main@{}", short("main")),
        format!("HEAD@{}", short("HEAD")),
    );
    let gate = "--fail-if 'HEAD.p99 > main.p99 * 1000'";
    let first = compare(
        &yard,
        &format!("--rev main --rev HEAD {BUILD} {SERVE} {gate}"),
    )
    .code(0);
    first.says(&[
        &format!("{main}: commit {} (A server)", short("main")),
        &format!("{head}: commit {} (A comment)", short("HEAD")),
        &format!("built {main}"),
        &format!("built {head}"),
        "--fail-if 'HEAD.p99 > main.p99 * 1000':",
    ]);
    assert_eq!(labels(&yard), [head, main]);
    // The same trees again are not built again.
    let named = format!("base={}", git(&yard, &["rev-parse", "main"]));
    let gate = "--fail-if 'base.throughput < 1'";
    let second = compare(
        &yard,
        &format!("{gate} --rev {named} --rev HEAD {BUILD} {SERVE}"),
    )
    .code(0)
    .says(&[&format!("base@{}", short("main"))]);
    second.never_says("built ");
    // The user's own files are as they were.
    assert_eq!(git(&yard, &["status", "--porcelain"]), "");
    assert!(!yard.path("server.sh").exists());
    yard.wait_empty();
}

#[test]
fn one_revision_races_the_working_tree_with_what_is_not_committed() {
    let yard = repository();
    // A new file that only the working tree has, without which its server does not start.
    yard.write(
        "server.in",
        ". ./new.sh\nexec $1 server event-loop --threads 1 --port $2\n",
    );
    yard.write("new.sh", "true\n");
    let index = fs::read(yard.path(".git/index")).expect("an index");
    compare(&yard, &format!("--rev HEAD {BUILD} {SERVE}"))
        .code(0)
        .says(&["working-tree: commit", "with 2 uncommitted files"]);
    assert_eq!(labels(&yard)[1], "working-tree");
    assert_eq!(fs::read(yard.path(".git/index")).expect("an index"), index);
    // Two revisions: what is not committed is said not to race.
    compare(&yard, &format!("--rev HEAD --rev main {BUILD} {SERVE}"))
        .code(0)
        .says(&["note: 2 uncommitted files in", "are not raced"]);
    yard.wait_empty();
}

#[test]
fn what_cannot_be_raced_is_named_with_a_remedy() {
    let yard = repository();
    for (flags, says) in [
        (
            "--rev main --rev mian",
            &["`mian`", "has no such revision", "git branch"][..],
        ),
        ("--rev main --rev --help", &["--rev"]),
        (
            "--rev main --rev main",
            &["--rev", "`main` is listed twice"],
        ),
        ("--rev main --fail-if 'main.p99 >'", &["--fail-if"]),
    ] {
        let ended = compare(&yard, &format!("{flags} {SERVE}"))
            .code(2)
            .says(says);
        let is_introduced = ended.err.contains("note:") || ended.err.contains(": commit ");
        assert!(!is_introduced, "{}", ended.err);
    }
    let two = format!("--rev main {SERVE} {SERVE}");
    compare(&yard, &two).code(2).says(&["--rev", "2 commands"]);
    // A build that fails in one of them.
    let build = "--build '! grep Better server.in'";
    let ended = compare(&yard, &format!("--rev main --rev HEAD {build} {SERVE}")).code(3);
    ended.says(&[
        "cannot run HEAD@",
        "# Better.",
        "failed to race the revisions: HEAD@",
    ]);
    // Nothing was measured, and of the run nothing is left but what the message points to.
    let runs = fs::read_dir(yard.path("results/compare")).expect("runs");
    for run in runs {
        let left = fs::read_dir(run.expect("a run").path()).expect("a folder");
        let left: Vec<_> = left
            .map(|entry| entry.expect("an entry").file_name())
            .collect();
        assert_eq!(left, ["logs"]);
    }
    // A clone without its history.
    let clone = Yard::new();
    let from = format!("file://{}", yard.path("").display());
    git(
        &clone,
        &[
            "clone", "--quiet", "--depth", "1", "--branch", "work", &from, "clone",
        ],
    );
    let mut command = clone.command(&format!("compare --url {URL} --rev main {SERVE}"));
    command.current_dir(clone.path("clone"));
    let ended = Running::start(command).end().code(2);
    ended.says(&["shallow clone", "git fetch --unshallow", "fetch-depth: 0"]);
    let nowhere = Yard::new();
    compare(&nowhere, &format!("--rev main {SERVE}"))
        .code(2)
        .says(&["is not in a git repository"]);
}

#[test]
fn a_repository_that_git_does_not_read_is_told_in_git_s_words() {
    let yard = repository();
    let mut command = yard.command(&format!("compare --url {URL} --rev main {SERVE}"));
    // git's own switch for its tests: as in a container whose user does not own the checkout.
    command.env("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1");
    let ended = Running::start(command).end().code(3);
    let ended = ended.says(&[
        "dubious ownership",
        "git config --global --add safe.directory",
    ]);
    ended.never_says("is not in a git repository");
    let bare = Yard::new();
    git(&bare, &["init", "--quiet", "--bare"]);
    compare(&bare, &format!("--rev main {SERVE}"))
        .code(2)
        .says(&["bare repository", "working tree"]);
}

#[test]
fn a_study_and_a_target_race_at_revisions() {
    let yard = repository();
    let target = |comment: &str| {
        format!(
            "title = \"a server\" # {comment}\n[start]\ncommand = [\"{{photofinish}}\", \"server\", \"event-loop\", \"--threads\", \"1\", \"--port\", \"{{port}}\"]\n[ready]\npath = \"/plaintext\"\n"
        )
    };
    yard.target("api", &target("old"));
    commit(&yard, "A target");
    yard.target("api", &target("new")).study("s", &["api"], "");
    commit(&yard, "A study");
    yard.run("run s --rev HEAD~1 --rev HEAD --fail-if 'HEAD.p99 > HEAD~1.p99 * 1000'")
        .code(0)
        .says(&["HEAD~1@", "HEAD@"]);
    let lines = measurements(&yard.result("s"));
    assert_eq!(lines.len(), 4);
    compare(&yard, "--rev HEAD~1 --rev HEAD api").code(0);
    assert_eq!(labels(&yard).len(), 2);
    // Where it is not there yet.
    let says = ["`main` has no target `api`"];
    yard.refuses("run s --rev main --rev HEAD", &says);
    yard.wait_empty();
}
