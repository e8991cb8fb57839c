//! Ctrl-C, SIGTERM, SIGHUP and SIGKILL in every phase of a run: no process is left, no folder for temporary files and no cgroup, what was
//! measured is kept, and `--resume` finishes the study without measuring anything twice.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use serde_json::Value;

use crate::support::{GOOD, Running, Yard, measurements, place, records, script, wait_until};

/// Where a signal may meet a run.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    Build,
    Start,
    WarmUp,
    Measurement,
}

/// Each phase with a signal that ends a run, and another one. All three signals take the same way through the program, whatever the phase is.
const PHASES: [(Phase, &str, &str); 4] = [
    (Phase::Build, "INT", "HUP"),
    (Phase::Start, "TERM", "INT"),
    (Phase::WarmUp, "HUP", "TERM"),
    (Phase::Measurement, "INT", "HUP"),
];

/// Targets × levels of the study below, which has one round.
const ALL: usize = 2 * 3;

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

/// How a run ended.
#[derive(Clone, Copy, PartialEq)]
enum End {
    InGoodOrder,
    /// The record of what it made stays: the next start removes it.
    AtOnce,
}

/// Asserts that the run of this process left nothing.
fn clean(yard: &Yard, groups: &BTreeSet<PathBuf>, pid: i32, end: End, what: &str) {
    yard.wait_empty();
    let record = format!("photofinish-{pid}-");
    let is_record = |name: &str| name.starts_with(&record) && name.ends_with(".made");
    let mut left: Vec<String> = fs::read_dir(yard.path("tmp"))
        .expect("a folder")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    if end == End::AtOnce && left.len() == 1 {
        left.retain(|name| !is_record(name));
    }
    assert!(left.is_empty(), "{what}: {left:?}");
    let left: Vec<&PathBuf> = groups.iter().filter(|group| group.exists()).collect();
    assert!(left.is_empty(), "{what}: {left:?}");
}

/// Asserts that the study can be run to its end.
fn resumes(yard: &Yard) {
    yard.write("quick", "");
    let mut again = vec!["run", "s", "--warmup", "0"];
    let has_begun = |dir: &PathBuf| dir.join("study.json").exists();
    if yard.results("s").iter().any(has_begun) {
        again.push("--resume");
    }
    Running::start(command(yard, &again)).end().code(0);
    yard.wait_empty();
    assert_eq!(fs::read_dir(yard.path("tmp")).expect("a folder").count(), 0);
}

/// One signal: the run ends in good order, and is resumed.
fn once(phase: Phase, signal: &str) {
    let yard = phase.yard();
    let (running, groups) = reach(phase, &yard);
    let pid = running.pid();
    running.signal(signal);
    let ended = running.end().code(3);
    clean(
        &yard,
        &groups,
        pid,
        End::InGoodOrder,
        &format!("{phase:?} {signal}"),
    );
    let dir = yard.result("s");
    let relative = dir.strip_prefix(yard.path("")).expect("below").display();
    let page = format!("{relative}/report.html");
    let ended = ended.prints(&[&page]).says(&[
        "interrupted",
        &format!("Resume with: photofinish run s --resume {relative}"),
    ]);
    if phase == Phase::WarmUp {
        ended.prints(&["No verdict: nothing was measured"]);
        assert!(records(&dir.join("trials.jsonl")).is_empty());
    }
    let before = measurements(&dir);
    assert!(before.len() < ALL, "it was interrupted too late");
    // What was under way is not recorded.
    assert!(
        before.iter().all(|line| line["measurement"].is_object()),
        "{before:#?}"
    );
    let seed = || {
        let study = fs::read_to_string(dir.join("study.json")).expect("study.json");
        let study: Value = serde_json::from_str(&study).expect("JSON");
        study["seed"].clone()
    };
    let first_seed = seed();
    resumes(&yard);
    let after = measurements(&dir);
    assert_eq!(after[..before.len()], before);
    // Each is measured once.
    let places: BTreeSet<String> = after.iter().map(place).collect();
    assert_eq!((after.len(), places.len()), (ALL, ALL));
    assert_eq!(seed(), first_seed);
    // Nothing is left to do, and nothing is done.
    resumes(&yard);
    assert_eq!(measurements(&dir), after);
    assert_eq!(yard.results("s").len(), 1);
}

/// A signal again and again: the run ends at once, in good order or not, and its servers with it.
fn again_and_again(phase: Phase, signal: &str) {
    let yard = phase.yard();
    let (running, groups) = reach(phase, &yard);
    let pid = running.pid();
    wait_until("it ends", || {
        running.signal(signal);
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let state = stat.rsplit(") ").next();
        match state.is_none_or(|state| state.starts_with('Z')) {
            true => Ok(()),
            false => Err(stat),
        }
    });
    let ended = running.end();
    let end = match ended.status.code() {
        Some(3) => End::InGoodOrder,
        Some(130) => End::AtOnce,
        code => panic!("{code:?}: {}", ended.err),
    };
    let what = format!("{phase:?} {signal}, again and again");
    clean(&yard, &groups, pid, end, &what);
    resumes(&yard);
}

/// Does this in all phases at once: each waits most of the time.
fn in_every_phase(what: impl Fn(Phase, [&str; 2]) + Sync) {
    thread::scope(|scope| {
        for (phase, signal, other) in PHASES {
            let what = &what;
            scope.spawn(move || what(phase, [signal, other]));
        }
    });
}

#[test]
fn one_signal_in_every_phase() {
    in_every_phase(|phase, [signal, _]| once(phase, signal));
}

#[test]
fn signals_again_and_again_in_every_phase() {
    in_every_phase(|phase, [_, signal]| again_and_again(phase, signal));
}

#[test]
fn a_kill_leaves_no_temporary_files_of_servers() {
    in_every_phase(|phase, _| {
        // killed.rs has a build.
        if phase == Phase::Build {
            return;
        }
        let yard = phase.yard();
        let (running, groups) = reach(phase, &yard);
        let pid = running.pid();
        running.signal("KILL");
        running.end();
        clean(&yard, &groups, pid, End::AtOnce, &format!("{phase:?} KILL"));
        resumes(&yard);
    });
}
