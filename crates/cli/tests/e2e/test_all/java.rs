//! A study of Java servers on other machines, which may have no network: what Maven takes is fetched before.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::running::Running;
use crate::support::{Yard, measurements};

const STUDY: &str = "mina-vs-netty-echo";

/// Two of its targets, with the arguments of Maven that build them.
const TARGETS: [(&str, &[&str]); 2] = [("mina-echo", &[]), ("netty-echo", &["-Pnetty-3"])];

pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Fills Maven's repository with what these targets take: the user's own, or one in this folder of the yard.
pub fn fill(yard: &Yard, folder: Option<&str>) {
    for (target, args) in TARGETS {
        let copy = yard.path(target);
        let from = repository().join("targets").join(target);
        let copied = Command::new("cp").arg("-r").args([&from, &copy]).status();
        assert!(copied.expect("cp").success());
        let mut maven = Command::new("mvn");
        maven.args(["-q", "-B"]).args(args);
        if let Some(folder) = folder {
            let folder = yard.path(folder);
            maven.arg(format!("-Dmaven.repo.local={}", folder.display()));
        }
        maven.args(["clean", "package"]).current_dir(&copy);
        assert!(maven.status().expect("mvn").success(), "{target}");
    }
}

/// Runs each of them for a moment by this command, on the machines of the yard's `hosts.toml`.
pub fn runs_on_hosts(yard: &Yard, mut command: Command) {
    yard.place(&mut command);
    command.args(["run", STUDY, "--smoke", "--no-limit"]);
    for (target, _) in TARGETS {
        command.args(["--only", target]);
    }
    command.arg("--on").arg(yard.path("hosts.toml"));
    command.arg("--results").arg(yard.path("results"));
    command.current_dir(repository());
    Running::start(command).end().code(0);
    let lines = measurements(&yard.result(STUDY));
    let has_requests = |line: &Value| line["measurement"]["requests"].as_u64() > Some(0);
    assert!(lines.iter().all(has_requests), "{lines:#?}");
    for (target, _) in TARGETS {
        assert!(
            lines.iter().any(|line| line["target"] == target),
            "{target}"
        );
    }
}
