//! The steps of the GitHub Action: the scripts that it calls, in a repository that the test makes.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use photofinish_model::text::no_commands;

use crate::repository::{commit, git, repository};
use crate::support::Yard;

mod comment;
mod unraced;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs one of the action's scripts in a repository, with these variables.
fn script(yard: &Yard, name: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(root().join("scripts/action").join(name));
    yard.place(&mut command);
    let path = format!(
        "{}:{}",
        yard.path("bin").display(),
        std::env::var("PATH").expect("a path")
    );
    command
        .env("PATH", path)
        .env("PHOTOFINISH", env!("CARGO_BIN_EXE_photofinish"))
        .env("RACE_OUT", "out")
        .env("GITHUB_STEP_SUMMARY", yard.path("step-summary"))
        .envs(variables.iter().copied());
    command.output().expect("a script")
}

/// A race of the two branches with this gate.
fn race(yard: &Yard, more: &[(&str, &str)]) -> Output {
    let short = "--lead-in 0 --rounds 3 -d 200ms --warmup 0 --lanes none -c 2";
    let asked = [
        ("RACE_BASE", "main"),
        ("RACE_HEAD", "work"),
        ("RACE_BUILD", "cp server.in server.sh"),
        ("RACE_START", "sh ./server.sh {photofinish} {port}"),
        ("RACE_URL", "http://127.0.0.1:{port}/plaintext"),
        ("RACE_ARGS", short),
    ];
    script(yard, "race", &[&asked, more].concat())
}

fn text(yard: &Yard, name: &str) -> String {
    fs::read_to_string(yard.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

#[test]
fn the_race_of_a_pull_request_leaves_what_the_job_shows() {
    let yard = repository();
    // What the base gains after the head has left it is no doing of the head's.
    git(&yard, &["switch", "--quiet", "main"]);
    yard.write("server.in", "exit 1\n");
    commit(&yard, "A mistake on the base");
    let gate = "head.p99 > base.p99 * 1000\n\n  head.throughput < 0.0001 * base.throughput\n";
    let ended = race(&yard, &[("RACE_FAIL_IF", gate)]);
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    let junit = text(&yard, "out/junit.xml");
    assert_eq!(
        junit.matches("classname=\"compare.fail-if\"").count(),
        2,
        "{junit}"
    );
    let summary = text(&yard, "out/summary.md");
    for part in [
        "## Gate",
        "fail if head.p99 &gt; base.p99",
        "base@",
        "head@",
    ] {
        assert!(summary.contains(part), "{part}: {summary}");
    }
    assert_eq!(text(&yard, "step-summary"), summary);
    assert!(text(&yard, "out/report.html").contains("<html"));
    assert_eq!(text(&yard, "out/exit-code"), "0\n");
    yard.wait_empty();
}

#[test]
fn the_exit_code_is_that_of_the_gate_and_what_fails_has_a_summary_too() {
    let yard = repository();
    let fails = [("RACE_FAIL_IF", "head.throughput > 0.0001 * base.throughput")];
    let ended = race(&yard, &fails);
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    assert!(text(&yard, "out/summary.md").contains("**FAILED: fail if"));
    // A build that fails: no report, and nothing is left of the race before. What it prints is in the log of the job alone, and
    // commands nothing there.
    let hostile =
        "echo step canary-7; printf '```\\n@evil\\n::error::owned\\n##[error]owned\\n'; false";
    let ended = race(&yard, &[("RACE_BUILD", hostile)]);
    assert_eq!(ended.status.code(), Some(3), "{ended:?}");
    for shown in ["out/summary.md", "step-summary"] {
        let shown = text(&yard, shown);
        let says = "There is no verdict: exit code 3 (the race could not be run";
        assert!(shown.contains(says), "{shown}");
        assert!(
            !shown.contains("canary-7") && !shown.contains("@evil"),
            "{shown}"
        );
    }
    let printed =
        [&ended.stdout, &ended.stderr].map(|log| String::from_utf8_lossy(log).into_owned());
    assert!(printed.concat().contains("canary-7"), "{printed:?}");
    for log in [&ended.stdout, &ended.stderr] {
        let log = String::from_utf8_lossy(log);
        assert_eq!(no_commands(&log), log);
    }
    assert!(!yard.path("out/junit.xml").exists() && !yard.path("out/report.html").exists());
    yard.wait_empty();
}

#[test]
fn what_is_left_out_is_said_by_the_script_alone() {
    let yard = repository();
    // A photofinish that leaves its arguments.
    yard.write("bin/stand-in", "#!/bin/sh\nprintf '%s\\n' \"$@\" > args\n");
    executable(&yard, "bin/stand-in");
    let stand_in = yard.path("bin/stand-in");
    let asked = |more: &[(&str, &str)]| {
        let always = [
            ("RACE_BASE", "main"),
            ("RACE_HEAD", "work"),
            ("PHOTOFINISH", stand_in.to_str().expect("UTF-8")),
        ];
        let ended = script(&yard, "race", &[&always, more].concat());
        assert_eq!(ended.status.code(), Some(0), "{ended:?}");
        let args = text(&yard, "args");
        args.lines().map(str::to_owned).collect::<Vec<String>>()
    };
    let values = |args: &[String], flag: &str| -> Vec<String> {
        let pairs = args.windows(2).filter(|pair| pair[0] == flag);
        pairs.map(|pair| pair[1].clone()).collect()
    };
    let gate = [
        "head.throughput < base.throughput * 0.95",
        "head.p99 > base.p99 * 1.05",
        "head.server-cpu > base.server-cpu * 1.05",
    ];
    let until = |args: &[String]| args.iter().filter(|arg| *arg == "--until-decided").count();
    // The action passes what its user left out as nothing.
    let server = ("RACE_START", "./server {port}");
    let blank = [
        ("RACE_URL", ""),
        ("RACE_FAIL_IF", "\n"),
        ("RACE_UNDECIDED", ""),
        ("RACE_ARGS", ""),
    ];
    for more in [vec![server], [&[server][..], &blank].concat()] {
        let args = asked(&more);
        assert_eq!(args[..2], ["compare", "./server {port}"]);
        assert_eq!(values(&args, "--fail-if"), gate);
        assert_eq!(values(&args, "-c"), ["4"]);
        assert_eq!(values(&args, "--url"), ["http://127.0.0.1:{port}/"]);
        assert_eq!(values(&args, "--undecided"), ["pass"]);
        assert_eq!(until(&args), 1);
    }
    // A study has levels of its own.
    let args = asked(&[("RACE_STUDY", "api")]);
    assert_eq!(args[..2], ["run", "api"]);
    assert_eq!(values(&args, "--fail-if"), gate);
    assert_eq!((values(&args, "-c").len(), until(&args)), (0, 1));
    // What is said counts in place of it.
    let args = asked(&[
        server,
        ("RACE_URL", "http://127.0.0.1:{port}/x"),
        ("RACE_FAIL_IF", "  checks\n\n  head.p50 > 5ms"),
        ("RACE_UNDECIDED", "fail"),
        ("RACE_ARGS", "--names 'a b,c'"),
    ]);
    assert_eq!(values(&args, "--url"), ["http://127.0.0.1:{port}/x"]);
    assert_eq!(values(&args, "--fail-if"), ["checks", "head.p50 > 5ms"]);
    assert_eq!(values(&args, "--undecided"), ["fail"]);
    assert_eq!(values(&args, "--names"), ["a b,c"]);
    assert_eq!((values(&args, "-c").len(), until(&args)), (0, 0));
    let args = asked(&[server, ("RACE_FAIL_IF", "none\n")]);
    assert_eq!(values(&args, "--fail-if").len(), 0);
    // Nor is it said what becomes of a gate that is not decided, unless the flags have one.
    assert_eq!(values(&args, "--undecided").len(), 0);
    let args = asked(&[
        server,
        ("RACE_FAIL_IF", "none\n"),
        ("RACE_ARGS", "--fail-if checks"),
    ]);
    assert_eq!(values(&args, "--undecided"), ["pass"]);
    // Words are split as a shell does, and no shell reads them.
    let ran = yard.path("ran");
    let hostile = format!(
        "--names 'a b',c\\ d \"it's\" '' $(touch {0}) `touch {0}` ; touch {0} $HOME *",
        ran.display()
    );
    let args = asked(&[server, ("RACE_ARGS", &hostile)]);
    let words = args
        .iter()
        .position(|arg| arg == "--names")
        .expect("it is passed");
    let expected = ["--names", "a b,c d", "it's", "", "$(touch"];
    assert_eq!(args[words..words + 5], expected);
    assert_eq!(args.last().map(String::as_str), Some("*"));
    assert!(!ran.exists());
}

#[test]
fn the_gate_that_is_left_out_is_one_that_photofinish_takes() {
    let yard = repository();
    let ended = race(&yard, &[]);
    let junit = text(&yard, "out/junit.xml");
    assert!(matches!(ended.status.code(), Some(0 | 1)), "{ended:?}");
    for gate in [
        "head.throughput &lt; base.throughput * 0.95",
        "head.p99 &gt; base.p99 * 1.05",
        "head.server-cpu &gt; base.server-cpu * 1.05",
    ] {
        assert!(junit.contains(gate), "{gate}: {junit}");
    }
    yard.wait_empty();
}

fn executable(yard: &Yard, name: &str) {
    fs::set_permissions(yard.path(name), fs::Permissions::from_mode(0o755)).expect("ours");
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let yard = Yard::new();
    let ended = script(&yard, "install", &[("PHOTOFINISH", "no-such-photofinish")]);
    assert_eq!(ended.status.code(), Some(3));
    let given = script(&yard, "install", &[]);
    assert_eq!(
        String::from_utf8_lossy(&given.stdout).trim(),
        env!("CARGO_BIN_EXE_photofinish")
    );
}

#[test]
fn the_action_s_inputs_and_scripts_are_there() {
    let action = fs::read_to_string(root().join("action.yml")).expect("an action");
    let (head, steps) = action.split_once("\nruns:").expect("steps");
    let inputs = head.split_once("\ninputs:\n").expect("inputs").1;
    let inputs = inputs.split_once("\noutputs:").expect("outputs").0;
    let declared = inputs
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.strip_suffix(':'));
    let declared: Vec<&str> = declared.filter(|name| !name.starts_with(' ')).collect();
    let documented = fs::read_to_string(root().join("docs/ci.md")).expect("its page");
    for name in &declared {
        assert!(steps.contains(&format!("inputs.{name}")), "{name} is used");
        assert!(
            documented.contains(&format!("`{name}`")),
            "{name} is documented"
        );
    }
    for used in steps.split("inputs.").skip(1) {
        let end = used
            .find(|c: char| !c.is_alphanumeric() && c != '-')
            .unwrap_or(used.len());
        assert!(declared.contains(&&used[..end]), "{}", &used[..end]);
    }
    for used in steps.split("$ACTION/scripts/action/").skip(1) {
        let end = used.find('"').expect("a quote");
        assert!(root().join("scripts/action").join(&used[..end]).is_file());
    }
}
