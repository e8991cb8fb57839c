//! What the tests share: a folder of one's own, a running photofinish, a running server.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// How long a condition may take; far more than it does, for busy machines.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The variable that marks every process that a test causes to be started.
const MARK: &str = "PHOTOFINISH_TEST_YARD";

/// A server that answers everything that these studies ask for.
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

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn target(&self, name: &str, toml: &str) -> &Self {
        let dir = self.path("targets").join(name);
        fs::create_dir_all(&dir).expect("a folder");
        fs::write(dir.join("target.toml"), toml).expect("a target");
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
            !["connections =", "expect =", "timeout ="]
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
        if !set("connections") {
            let _ = writeln!(text, "connections = [4]");
        }
        fs::write(self.path("studies").join(format!("{name}.toml")), text).expect("a study");
        self
    }

    /// photofinish in this folder.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_photofinish"));
        self.place(&mut command);
        command.args(args);
        command
    }

    /// Makes this folder a command's place.
    pub fn place(&self, command: &mut Command) {
        command
            .current_dir(self.dir.path())
            .env(MARK, self.dir.path())
            .env("XDG_CACHE_HOME", self.path("cache"))
            .env_remove("NO_COLOR")
            .stdin(Stdio::null());
    }

    /// Runs photofinish to its end.
    pub fn run(&self, args: &[&str]) -> Ended {
        self.start(args).end()
    }

    /// Starts photofinish.
    pub fn start(&self, args: &[&str]) -> Running {
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

    /// Waits until nothing that was started from this folder lives.
    pub fn wait_empty(&self) {
        wait_until("no process is left", || {
            let left = self.processes();
            if left.is_empty() {
                Ok(())
            } else {
                Err(format!("{left:#?}"))
            }
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

/// What tells one measurement of a run from the others.
pub fn place(line: &Value) -> String {
    format!(
        "{} {} {} {}",
        line["round"], line["target"], line["workload"], line["load"]
    )
}

/// Waits for a condition; what it says otherwise is told when patience ends.
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

/// How a program ended, and what it printed.
#[derive(Debug)]
pub struct Ended {
    pub status: ExitStatus,
    pub out: String,
    pub err: String,
}

impl Ended {
    /// Asserts the exit code.
    #[track_caller]
    pub fn code(self, code: i32) -> Self {
        assert_eq!(
            self.status.code(),
            Some(code),
            "{}\n--\n{}",
            self.out,
            self.err
        );
        self
    }

    /// Asserts that standard error holds all of these.
    #[track_caller]
    pub fn says(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.err.contains(part), "no {part:?} in:\n{}", self.err);
        }
        self
    }

    /// Asserts that standard output holds all of these.
    #[track_caller]
    pub fn prints(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.out.contains(part), "no {part:?} in:\n{}", self.out);
        }
        self
    }

    /// Standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|e| panic!("{e}: {}\n{}", self.out, self.err))
    }
}

/// A program that runs; what it prints is read as it comes.
pub struct Running {
    child: Child,
    out: Arc<Mutex<String>>,
    err: Arc<Mutex<String>>,
    readers: Vec<thread::JoinHandle<()>>,
}

impl Running {
    pub fn start(mut command: Command) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let (out, err) = (Arc::default(), Arc::default());
        let readers = vec![
            collect(child.stdout.take().expect("a pipe"), &out),
            collect(child.stderr.take().expect("a pipe"), &err),
        ];
        Running {
            child,
            out,
            err,
            readers,
        }
    }

    pub fn pid(&self) -> i32 {
        self.child.id() as i32
    }

    /// Its standard input, where the command has a pipe for it.
    pub fn input(&mut self) -> ChildStdin {
        self.child.stdin.take().expect("a pipe")
    }

    pub fn err(&self) -> String {
        self.err.lock().expect("a reader").clone()
    }

    /// Waits until standard error holds this.
    pub fn wait_for(&self, text: &str) {
        wait_until(&format!("it says {text:?}"), || {
            let err = self.err();
            if err.contains(text) { Ok(()) } else { Err(err) }
        });
    }

    /// Sends a signal by its name, as `kill -INT` does.
    pub fn signal(&self, name: &str) {
        let status = Command::new("kill")
            .args([&format!("-{name}"), &self.pid().to_string()])
            .status()
            .expect("kill");
        assert!(status.success());
    }

    /// Waits for its end.
    pub fn end(mut self) -> Ended {
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                break status;
            }
            if begun.elapsed() > 2 * PATIENCE {
                let _ = self.child.kill();
                panic!("it does not end: {}", self.err());
            }
            thread::sleep(Duration::from_millis(2));
        };
        for reader in self.readers.drain(..) {
            reader.join().expect("a reader");
        }
        let text = |text: &Arc<Mutex<String>>| text.lock().expect("a reader").clone();
        Ended {
            status,
            out: text(&self.out),
            err: text(&self.err),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Nothing happens to one that has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn collect(from: impl Read + Send + 'static, into: &Arc<Mutex<String>>) -> thread::JoinHandle<()> {
    let into = Arc::clone(into);
    thread::spawn(move || {
        let mut from = BufReader::new(from);
        let mut line = Vec::new();
        while from.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
            into.lock()
                .expect("a reader")
                .push_str(&String::from_utf8_lossy(&line));
            line.clear();
        }
    })
}

/// A built-in server; it ends with this value.
pub struct Server {
    running: Running,
    pub address: SocketAddr,
}

impl Server {
    pub fn start(yard: &Yard, args: &[&str]) -> Server {
        let mut all = vec!["server"];
        all.extend(args);
        all.extend(["--port", "0"]);
        let running = yard.start(&all);
        let mut address = None;
        wait_until("the server listens", || {
            let out = running.out.lock().expect("a reader").clone();
            address = out
                .lines()
                .find_map(|line| line.strip_prefix("listening on http://")?.parse().ok());
            address.map(|_| ()).ok_or(out)
        });
        Server {
            running,
            address: address.expect("an address"),
        }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn pid(&self) -> i32 {
        self.running.pid()
    }

    /// What the `delay` kind noted of its own answers.
    pub fn truth(&self) -> Value {
        let mut stream = TcpStream::connect(self.address).expect("a connection");
        write!(
            stream,
            "GET /truth HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        )
        .expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let (_, body) = answer.split_once("\r\n\r\n").expect("a body");
        serde_json::from_str(body).expect("JSON")
    }
}
