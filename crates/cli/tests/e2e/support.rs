//! What the tests share: a folder of one's own, and waiting for conditions.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use photofinish_model::finding::failure::FailureFinding;
use serde_json::Value;
use tempfile::TempDir;

pub use crate::running::{Ended, Running, Server};

/// A target that listens on the host that it is given, for servers on other machines.
pub const AT_HOST: &str = r#"
title = "a server"
[start]
command = ["{photofinish}", "server", "event-loop", "--threads", "1", "--host", "{host}", "--port", "{port}"]
[ready]
path = "/plaintext"
"#;

/// How long a condition may take; far more than it does, for busy machines.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// The variable that marks every process that a test causes to be started.
const MARK: &str = "PHOTOFINISH_TEST_YARD";

/// A server that serves everything that these studies ask for.
pub const GOOD: &str = r#"
title = "a server"
[start]
command = ["{photofinish}", "server", "event-loop", "--threads", "1", "--port", "{port}"]
[ready]
path = "/plaintext"
"#;

/// A target that is a shell script; `{port}` and `{photofinish}` are filled in.
pub fn script(lines: &str) -> String {
    format!(
        "title = \"a script\"\n[start]\ncommand = [\"sh\", \"-c\", '''\n{lines}\n''']\n[ready]\npath = \"/plaintext\"\n"
    )
}

/// What makes `compare`, which has no study file to say so, short enough for a test.
pub const SHORT: &str = "--lead-in 0 --rounds 2 -d 200ms --warmup 0 --lanes none";

/// The words of a command: a line that a shell would split, or the words themselves.
pub trait Words {
    fn words(&self) -> Vec<String>;
}

impl Words for &str {
    fn words(&self) -> Vec<String> {
        shlex::split(self).unwrap_or_else(|| panic!("a quote is not closed: {self}"))
    }
}

impl Words for &String {
    fn words(&self) -> Vec<String> {
        self.as_str().words()
    }
}

impl Words for &[&str] {
    fn words(&self) -> Vec<String> {
        self.iter().map(|word| (*word).to_owned()).collect()
    }
}

impl Words for &Vec<&str> {
    fn words(&self) -> Vec<String> {
        self.as_slice().words()
    }
}

impl<const COUNT: usize> Words for &[&str; COUNT] {
    fn words(&self) -> Vec<String> {
        self.as_slice().words()
    }
}

/// A folder with studies, targets, results and a build cache of its own; the current folder of
/// every photofinish that is run in it.
pub struct Yard {
    dir: TempDir,
}

impl Yard {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        for folder in ["studies", "targets"] {
            fs::create_dir(dir.path().join(folder)).expect("a folder");
        }
        Yard { dir }
    }

    /// A yard with a short study `s` of these targets, which are all alike; `more` as in [`Yard::study`].
    pub fn of(targets: &[&str], more: &str) -> Self {
        let yard = Yard::new();
        for target in targets {
            yard.target(target, GOOD);
        }
        yard.study("s", targets, more);
        yard
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Writes a file in this folder.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    pub fn target(&self, name: &str, toml: &str) -> &Self {
        self.write(&format!("targets/{name}/target.toml"), toml);
        self
    }

    /// A study of one workload, short; `more` are lines that replace or add to its own.
    pub fn study(&self, name: &str, targets: &[&str], more: &str) -> &Self {
        let mut text = String::new();
        let defaults = [
            ("title", "\"a test\""),
            ("rounds", "2"),
            ("duration", "\"200ms\""),
            ("lead-in", "\"0ms\""),
            ("warmup", "{ min = \"0s\", max = \"0s\" }"),
            ("lanes", "\"none\""),
        ];
        let set = |key: &str| {
            more.lines()
                .any(|line| line.starts_with(&format!("{key} =")))
        };
        for (key, value) in defaults.iter().filter(|(key, _)| !set(key)) {
            let _ = writeln!(text, "{key} = {value}");
        }
        let _ = writeln!(text, "targets = {targets:?}");
        let (top, workload): (Vec<&str>, Vec<&str>) = more.lines().partition(|line| {
            ![
                "connections =",
                "load =",
                "expect =",
                "timeout =",
                "count-after =",
            ]
            .iter()
            .any(|k| line.starts_with(k))
        });
        let _ = writeln!(text, "{}", top.join("\n"));
        let _ = writeln!(
            text,
            "[[workload]]\nname = \"plaintext\"\npath = \"/plaintext\""
        );
        let _ = writeln!(text, "{}", workload.join("\n"));
        if !set("expect") {
            let _ = writeln!(
                text,
                "expect = {{ status = 200, body = \"Hello, World!\" }}"
            );
        }
        if !set("connections") && !set("load") {
            let _ = writeln!(text, "connections = [4]");
        }
        self.write(&format!("studies/{name}.toml"), text);
        self
    }

    /// photofinish in this folder.
    pub fn command(&self, args: impl Words) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_photofinish"));
        self.place(&mut command);
        command.args(args.words());
        command
    }

    /// Makes this folder a command's place.
    pub fn place(&self, command: &mut Command) {
        command
            .current_dir(self.dir.path())
            .env(MARK, self.dir.path())
            .env("XDG_CACHE_HOME", self.path("cache"))
            .env("XDG_STATE_HOME", self.path("state"))
            .env_remove("NO_COLOR")
            .stdin(Stdio::null());
    }

    /// Runs photofinish to its end.
    pub fn run(&self, args: impl Words) -> Ended {
        self.start(args).end()
    }

    /// Runs photofinish, which refuses the request and says all of this.
    #[track_caller]
    pub fn refuses(&self, args: impl Words, says: &[&str]) -> Ended {
        self.run(args).code(2).says(says)
    }

    /// Runs a short `compare` to its end.
    pub fn compare(&self, args: impl Words) -> Ended {
        let mut command = self.command("compare");
        command.args(args.words()).args(SHORT.words());
        Running::start(command).end()
    }

    /// Sends a server so many requests, all of which must go well, and returns what is reported.
    pub fn load(&self, url: &str, requests: u64, flags: impl Words) -> Value {
        let line = format!("load '{url}' -n {requests} --json");
        let mut command = self.command(&line);
        command.args(flags.words());
        let measured = Running::start(command).end().code(0).json();
        assert_eq!(measured["requests"], requests, "{measured}");
        assert_eq!(measured["errors"], serde_json::json!({}), "{measured}");
        measured
    }

    /// Starts photofinish.
    pub fn start(&self, args: impl Words) -> Running {
        Running::start(self.command(args))
    }

    /// Every process that was started from this folder and still lives.
    pub fn processes(&self) -> Vec<String> {
        let mark = format!("{MARK}={}", self.dir.path().display());
        let entries = fs::read_dir("/proc").expect("/proc");
        let living = entries.flatten().filter_map(|entry| {
            let environment = fs::read(entry.path().join("environ")).ok()?;
            environment
                .split(|byte| *byte == 0)
                .any(|variable| variable == mark.as_bytes())
                .then(|| {
                    let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
                    let pid = entry.file_name().to_string_lossy().into_owned();
                    format!(
                        "{pid}: {}",
                        String::from_utf8_lossy(&command).replace('\0', " ")
                    )
                })
        });
        living.collect()
    }

    /// Waits until a file of this name is there, which a program that runs is to make.
    pub fn wait_file(&self, name: &str, running: &Running) {
        wait_until(&format!("there is {name}"), || {
            let exists = self.path(name).exists();
            exists.then_some(()).ok_or_else(|| running.err())
        });
    }

    /// Waits until nothing that was started from this folder lives.
    pub fn wait_empty(&self) {
        wait_none("no process is left", || self.processes());
    }

    /// Waits until a run of a study has so many measurements that did not fail.
    pub fn wait_measured(&self, study: &str, least: usize) {
        wait_until("something is measured", || {
            let folders = self.results(study);
            let lines = folders.first().map(|folder| measurements(folder));
            let lines = lines.unwrap_or_default();
            let good = lines.iter().filter(|line| line["measurement"].is_object());
            let good = good.count();
            (good >= least).then_some(()).ok_or(format!("{good} are"))
        });
    }

    /// The results folders of a study, the oldest first.
    pub fn results(&self, study: &str) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.path("results").join(study)) else {
            return Vec::new();
        };
        let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        folders.sort();
        folders
    }

    /// The only results folder of a study.
    pub fn result(&self, study: &str) -> PathBuf {
        let mut folders = self.results(study);
        assert_eq!(folders.len(), 1, "{folders:?}");
        folders.remove(0)
    }
}

/// The records of a file with a JSON object a line; a torn last line is left out.
pub fn records(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

/// The lines of a run.
pub fn measurements(results: &Path) -> Vec<Value> {
    records(&results.join("measurements.jsonl"))
}

/// Asserts that each measurement has requests, and no error.
#[track_caller]
pub fn all_good(lines: &[Value]) {
    assert!(!lines.is_empty());
    for line in lines {
        let measured = &line["measurement"];
        assert!(measured["requests"].as_u64() > Some(0), "{line}");
        assert_eq!(measured["errors"], serde_json::json!({}), "{line}");
    }
}

/// Asserts that what several generators measured by themselves adds up to the measurement.
#[track_caller]
pub fn parts_add_up(line: &Value, generators: usize) {
    let measurement = &line["measurement"];
    let parts = measurement["generators"].as_array().expect("several");
    let sum = |key: &str| -> u64 { parts.iter().filter_map(|part| part[key].as_u64()).sum() };
    assert_eq!(parts.len(), generators);
    assert_eq!(Some(sum("requests")), measurement["requests"].as_u64());
    assert!(parts.iter().all(|part| part["requests"].as_u64() > Some(0)));
    let rates: f64 = parts
        .iter()
        .filter_map(|part| part["throughput_rps"].as_f64())
        .sum();
    let rate = measurement["throughput_rps"].as_f64().expect("a rate");
    assert!((rates / rate - 1.0).abs() < 1e-6, "{rates} {rate}");
}

/// Why a measurement failed, in words.
pub fn failure(line: &Value) -> String {
    let failure = serde_json::from_value::<FailureFinding>(line["failure"].clone());
    failure.expect("a reason").to_string()
}

/// What distinguishes one measurement of a run from the others.
pub fn place(line: &Value) -> String {
    format!(
        "{} {} {} {}",
        line["round"], line["target"], line["workload"], line["load"]
    )
}

/// Waits until there is none of something.
pub fn wait_none(what: &str, left: impl Fn() -> Vec<String>) {
    wait_until(what, || {
        let left = left();
        left.is_empty().then_some(()).ok_or(format!("{left:#?}"))
    });
}

/// Waits until so much time is over, where that is what is tested.
pub fn wait_for_time(time: Duration) {
    let begun = Instant::now();
    wait_until("the time is over", || {
        let long = begun.elapsed() >= time;
        long.then_some(()).ok_or(format!("{:?}", begun.elapsed()))
    });
}

/// Waits for a condition; what it says otherwise is reported when patience ends.
pub fn wait_until(what: &str, mut condition: impl FnMut() -> Result<(), String>) {
    let begun = Instant::now();
    loop {
        match condition() {
            Ok(()) => return,
            Err(says) if begun.elapsed() > PATIENCE => {
                panic!("waited in vain until {what}: {says}")
            }
            Err(_) => thread::sleep(Duration::from_millis(5)),
        }
    }
}
