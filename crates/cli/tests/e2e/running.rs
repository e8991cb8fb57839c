//! Programs that run: what they print is read as it comes, and none outlives its test.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use photofinish_load::tls::Settings;
use photofinish_model::{Tls, Trust};
use rustls::{ClientConnection, StreamOwned};
use serde_json::Value;

use crate::support::{PATIENCE, Words, Yard, wait_until};

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

    /// Asserts that standard error holds all of these, in whichever way its lines are broken.
    #[track_caller]
    pub fn says(self, parts: &[&str]) -> Self {
        hold(&self.err, parts);
        self
    }

    /// Asserts that standard output holds all of these, in whichever way its lines are broken.
    #[track_caller]
    pub fn prints(self, parts: &[&str]) -> Self {
        hold(&self.out, parts);
        self
    }

    /// Asserts that standard error does not hold this.
    #[track_caller]
    pub fn never_says(&self, text: &str) {
        assert!(!self.err.contains(text), "{text:?} in:\n{}", self.err);
    }

    /// Asserts that standard output does not hold this.
    #[track_caller]
    pub fn never_prints(&self, text: &str) {
        assert!(!self.out.contains(text), "{text:?} in:\n{}", self.out);
    }

    /// Standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|e| panic!("{e}: {}\n{}", self.out, self.err))
    }
}

/// Asserts that a text holds all of these. Where sentences are wrapped hangs on how long the figures and the other doubts in
/// them are, so a part that is not there as it is may be there word by word.
#[track_caller]
fn hold(text: &str, parts: &[&str]) {
    let words = |of: &str| of.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in parts {
        let there = text.contains(part) || words(text).contains(&words(part));
        assert!(there, "no {part:?} in:\n{text}");
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
    tls: bool,
    /// Of one that listens on a Unix socket, nobody's.
    pub address: SocketAddr,
    /// The Unix socket on which it listens.
    socket: Option<PathBuf>,
}

impl Server {
    pub fn start(yard: &Yard, args: impl Words) -> Server {
        let args = args.words();
        let flag = args.iter().position(|arg| arg == "--unix-socket");
        let socket = flag.map(|at| yard.path(&args[at + 1]));
        let port = socket.is_none().then_some("--port=0");
        let mut command = yard.command("server");
        command.args(&args).args(port);
        let running = Running::start(command);
        let mut address = None;
        wait_until("the server listens", || {
            let out = running.out.lock().expect("a reader").clone();
            address = out.lines().find_map(|line| {
                let (scheme, address) = line.strip_prefix("listening on ")?.split_once("://")?;
                let address = match address.contains(" over the Unix socket ") {
                    true => SocketAddr::from(([0, 0, 0, 0], 0)),
                    false => address.parse().ok()?,
                };
                Some((scheme == "https", address))
            });
            address.map(|_| ()).ok_or(out)
        });
        let (tls, address) = address.expect("an address");
        Server {
            running,
            tls,
            address,
            socket,
        }
    }

    pub fn url(&self, path: &str) -> String {
        let scheme = if self.tls { "https" } else { "http" };
        match self.socket {
            None => format!("{scheme}://{}{path}", self.address),
            Some(_) => format!("{scheme}://localhost{path}"),
        }
    }

    pub fn pid(&self) -> i32 {
        self.running.pid()
    }

    /// What the `delay` kind noted of its own responses.
    pub fn truth(&self) -> Value {
        match &self.socket {
            None => self.truth_over(TcpStream::connect(self.address).expect("a connection")),
            Some(path) => self.truth_over(UnixStream::connect(path).expect("a connection")),
        }
    }

    fn truth_over(&self, mut stream: impl Read + Write) -> Value {
        match self.tls {
            false => truth_of(&mut stream),
            true => {
                let tls = Tls {
                    trust: Trust::Anyone,
                    ..Tls::default()
                };
                let settings = Settings::new(&tls, "localhost", &[]).expect("settings");
                let connection = ClientConnection::new(settings.config, settings.name);
                truth_of(&mut StreamOwned::new(connection.expect("TLS"), stream))
            }
        }
    }
}

fn truth_of(stream: &mut (impl Read + Write)) -> Value {
    let request = b"GET /truth HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    stream.write_all(request).expect("sent");
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("a response");
    let (_, body) = response.split_once("\r\n\r\n").expect("a body");
    serde_json::from_str(body).expect("JSON")
}
