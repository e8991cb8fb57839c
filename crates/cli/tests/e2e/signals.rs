//! Ctrl-C once and again and again, SIGTERM and SIGHUP in every phase of a run: no process is left, no folder for temporary files and no
//! cgroup, and the run can be resumed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{GOOD, Running, Yard, script, wait_until};

/// Where a signal may meet a run.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    Build,
    Start,
    WarmUp,
    Measurement,
}

const PHASES: [Phase; 4] = [
    Phase::Build,
    Phase::Start,
    Phase::WarmUp,
    Phase::Measurement,
];

impl Phase {
    /// A study that stays in this phase, until the file `quick` is there.
    fn yard(self) -> Yard {
        let yard = Yard::new();
        fs::create_dir(yard.path("tmp")).expect("a folder");
        let wait = "touch YARD/begun; [ -e YARD/quick ] || sleep 600";
        let slow = match self {
            Phase::Build => {
                let build = format!("[build]\ncommand = [\"sh\", \"-c\", \"{wait}\"]\n[start]");
                GOOD.replace("[start]", &build)
            }
            Phase::Start => script(&format!(
                "mktemp; {wait}\nexec {{photofinish}} server event-loop --threads 1 --port {{port}}"
            )),
            // It has temporary files, which it leaves, and children in sessions of their own.
            Phase::WarmUp | Phase::Measurement => script(
                "mktemp; setsid sleep 600 & \nexec {photofinish} server event-loop --threads 1 --port {port}",
            ),
        };
        let slow = slow.replace("YARD", &yard.path("").display().to_string());
        let more = match self {
            Phase::WarmUp => "warmup = { min = \"30s\", max = \"60s\" }",
            _ => "duration = \"300ms\"",
        };
        yard.target("good", GOOD).target("slow", &slow).study(
            "s",
            &["good", "slow"],
            &format!("rounds = 1\nconnections = [1, 2, 3]\n{more}"),
        );
        yard
    }

    fn is_reached(self, yard: &Yard, err: &str) -> bool {
        match self {
            Phase::Build | Phase::Start => yard.path("begun").exists(),
            Phase::WarmUp => err.contains(": warming up on"),
            Phase::Measurement => err.contains("(2 of 6,"),
        }
    }
}

/// photofinish with temporary files of its own. Whoever runs the tests may have been started with `nohup`.
fn command(yard: &Yard, args: &[&str]) -> Command {
    let mut command = Command::new("env");
    yard.place(&mut command);
    command
        .env("TMPDIR", yard.path("tmp"))
        .arg("--default-signal=HUP,INT,TERM")
        .arg(env!("CARGO_BIN_EXE_photofinish"))
        .args(args);
    command
}

/// A run in this phase, and the cgroups that it has made.
fn reach(phase: Phase, yard: &Yard) -> (Running, BTreeSet<PathBuf>) {
    let running = Running::start(command(yard, &["run", "s"]));
    wait_until(&format!("{phase:?}"), || {
        let err = running.err();
        match phase.is_reached(yard, &err) {
            true => Ok(()),
            false => Err(err),
        }
    });
    let pids = yard.processes();
    let pids = pids.iter().filter_map(|process| process.split(':').next());
    let groups = pids.filter_map(|pid| {
        let groups = fs::read_to_string(format!("/proc/{pid}/cgroup")).ok()?;
        let own = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
        let mut folders = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"]
            .map(|mount| Path::new(mount).join(own))
            .into_iter();
        folders.find(|folder| own.contains("photofinish-") && folder.exists())
    });
    (running, groups.collect())
}

/// Asserts that nothing is left, except the records of what the next start must remove.
fn clean(yard: &Yard, groups: &BTreeSet<PathBuf>, what: &str) {
    yard.wait_empty();
    let left: Vec<PathBuf> = fs::read_dir(yard.path("tmp"))
        .expect("a folder")
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_none_or(|end| end != "made"))
        .collect();
    assert!(left.is_empty(), "{what}: {left:?}");
    let left: Vec<&PathBuf> = groups.iter().filter(|group| group.exists()).collect();
    assert!(left.is_empty(), "{what}: {left:?}");
}

/// Asserts that the study can be run to its end.
fn resumes(yard: &Yard) {
    fs::write(yard.path("quick"), "").expect("a file");
    let mut again = vec!["run", "s", "--warmup", "0"];
    if yard
        .results("s")
        .iter()
        .any(|dir| dir.join("study.json").exists())
    {
        again.push("--resume");
    }
    Running::start(command(yard, &again)).end().code(0);
    yard.wait_empty();
    assert_eq!(fs::read_dir(yard.path("tmp")).expect("a folder").count(), 0);
}

/// One signal: the run ends in good order.
fn once(phase: Phase) {
    for signal in ["INT", "TERM", "HUP"] {
        let yard = phase.yard();
        let (running, groups) = reach(phase, &yard);
        running.signal(signal);
        running.end().code(3).says(&["interrupted"]);
        clean(&yard, &groups, &format!("{phase:?} {signal}"));
        if signal == "HUP" {
            resumes(&yard);
        }
    }
}

/// A signal again and again: the run ends at once, in good order or not, and its servers with it.
fn again_and_again(phase: Phase) {
    for signal in ["INT", "TERM", "HUP"] {
        let yard = phase.yard();
        let (running, groups) = reach(phase, &yard);
        let stat = format!("/proc/{}/stat", running.pid());
        wait_until("it ends", || {
            running.signal(signal);
            let stat = fs::read_to_string(&stat).unwrap_or_default();
            match stat
                .rsplit(") ")
                .next()
                .is_none_or(|rest| rest.starts_with('Z'))
            {
                true => Ok(()),
                false => Err(stat),
            }
        });
        let ended = running.end();
        let code = ended.status.code();
        assert!(
            [Some(3), Some(130)].contains(&code),
            "{code:?}: {}",
            ended.err
        );
        clean(
            &yard,
            &groups,
            &format!("{phase:?} {signal}, again and again"),
        );
        if signal == "INT" {
            resumes(&yard);
        }
    }
}

#[test]
fn one_signal_during_a_build() {
    once(Phase::Build);
}

#[test]
fn one_signal_while_a_server_starts() {
    once(Phase::Start);
}

#[test]
fn one_signal_during_a_warm_up() {
    once(Phase::WarmUp);
}

#[test]
fn one_signal_during_a_measurement() {
    once(Phase::Measurement);
}

#[test]
fn signals_again_and_again_in_every_phase() {
    PHASES.into_iter().for_each(again_and_again);
}

#[test]
fn a_kill_leaves_no_temporary_files_of_servers() {
    for phase in [Phase::Start, Phase::WarmUp, Phase::Measurement] {
        let yard = phase.yard();
        let (running, groups) = reach(phase, &yard);
        running.signal("KILL");
        running.end();
        clean(&yard, &groups, &format!("{phase:?} KILL"));
        resumes(&yard);
    }
}
