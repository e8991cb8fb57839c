//! The keeper: a small process between photofinish and a server, so that nothing is ever left behind.
//!
//! photofinish starts `photofinish __keep … COMMAND…` in a session of its own, so that the terminal's Ctrl-C
//! reaches photofinish alone. The keeper makes orphans among its descendants its own children
//! (`PR_SET_CHILD_SUBREAPER`), which has two consequences that all rests on: whatever a server does (double fork,
//! `setsid`), everything that it started stays below the keeper; and 'no children left' means 'no descendants left'.
//!
//! Standard input is the pipe from photofinish. It carries `stop MILLISECONDS`; its end means that photofinish is
//! gone, even by `kill -9`, and has the same effect, but that after a `stop` SIGKILL follows at once. Standard output
//! is the pipe to photofinish: `started PID` or `failed WHY`, `exited HOW`, `gone`. Standard error is the server's log.
//! Between these events the keeper sleeps.
//!
//! Where the server runs in a container, the command is that of its engine, and the container's processes may be elsewhere in the
//! process tree: then the engine is asked to end them.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use photofinish_model::files::remove;
use serde::{Deserialize, Serialize};

use super::container;
use super::group::Group;
use super::oom;
use super::priority;
use super::processes;
use super::strays;
use super::sys::{self, Reaped, Signal};

/// What a keeper is told of its server beside the command; it travels as JSON. Only the path of a scratch folder, which need not be text, is an
/// argument of its own.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Orders {
    /// The cores that it may use; empty: all.
    pub(super) cpus: Vec<usize>,
    /// The user and the group that it runs as.
    pub(super) user: Option<(u32, u32)>,
    /// Whether it has raised priority.
    pub(super) raised_priority: bool,
    /// What the engine calls its container, which the command runs.
    pub(super) container: Option<String>,
}

/// How long processes have between SIGTERM and SIGKILL when photofinish is gone and cannot say.
pub(super) const ORPHAN_GRACE: Duration = Duration::from_secs(2);

/// How often a stopping keeper looks for processes that were started meanwhile. The end of a process wakes it
/// at once; a scan reads all of `/proc` and takes some milliseconds.
const SCAN_INTERVAL: Duration = Duration::from_millis(50);

/// The body of the hidden command `photofinish __keep`; `args` are those after `__keep`.
pub fn keep(args: impl Iterator<Item = OsString>) -> ExitCode {
    match Keeper::start(args) {
        Ok(keeper) => keeper.run(),
        Err(error) => {
            report(&format!("failed {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Reports to photofinish. When photofinish is gone nobody listens, and that shows on the other pipe.
fn report(line: &str) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{}", line.replace('\n', " "));
    let _ = out.flush();
}

/// How a process ended, in words.
pub(super) fn how(status: ExitStatus) -> String {
    match status.signal() {
        None => format!("exit status {}", status.code().unwrap_or_default()),
        Some(number) => match signal_hook::low_level::signal_name(number) {
            Some(name) => format!("signal {number} ({name})"),
            None => format!("signal {number}"),
        },
    }
}

/// How long the process that runs a container may take to exit after the container is removed.
const ENGINE_EXIT_TIMEOUT: Duration = Duration::from_secs(2);

struct Keeper {
    /// Where the server and all that it starts is, if there could be one.
    group: Option<Group>,
    control: Control,
    signals: OwnedFd,
    server: u32,
    /// The server's folder for temporary files, which goes with it.
    scratch: Option<PathBuf>,
    contained: Option<Contained>,
    stop: Option<Stop>,
}

/// A server in a container.
struct Contained {
    engine: PathBuf,
    /// What the engine calls it.
    name: String,
    /// Whether the command that runs it in the foreground has ended.
    ended: bool,
    /// When it was removed.
    removed: Option<Instant>,
}

/// A stop under way.
struct Stop {
    /// When SIGKILL follows.
    deadline: Instant,
    /// Those that had their SIGTERM, by id and time of start.
    asked: BTreeSet<(u32, u64)>,
}

impl Keeper {
    /// Starts the server: `ORDERS SCRATCH PROGRAM ARGUMENT…`, the folder for temporary files empty if there is none.
    fn start(mut args: impl Iterator<Item = OsString>) -> io::Result<Keeper> {
        let usage = || {
            io::Error::other(
                "__keep is photofinish's own; it takes ORDERS SCRATCH PROGRAM ARGUMENT…",
            )
        };
        let orders = args.next().and_then(|text| text.into_string().ok());
        let orders = orders.and_then(|text| serde_json::from_str(&text).ok());
        let orders: Orders = orders.ok_or_else(usage)?;
        let scratch = args.next().ok_or_else(usage)?;
        let scratch = Some(PathBuf::from(scratch)).filter(|path| path.is_absolute());
        let program = args.next().ok_or_else(usage)?;
        let contained = orders.container.map(|name| Contained {
            engine: PathBuf::from(&program),
            name,
            ended: false,
            removed: None,
        });

        // Before it is sealed, for its own files in `/proc` are root's then.
        oom::prefer_as_victim();
        sys::close_strays_on_exec();
        sys::adopt_orphans()?;
        // A server could else write to the pipe to photofinish, or hold it open.
        sys::seal()?;
        let control = Control::new()?;
        let signals =
            sys::signals_as_file(&[Signal::CHILD, Signal::TERM, Signal::INT, Signal::HUP])?;
        let log = io::stderr().as_fd().try_clone_to_owned()?;
        let mut command = Command::new(program);
        // A group of its own, so that a script's `kill 0` does not reach the keeper.
        command
            .args(args)
            .stdin(Stdio::null())
            .stdout(log)
            .process_group(0);
        // A container has groups of its own.
        let group = match contained {
            None => env::var(strays::MARK_VARIABLE)
                .ok()
                .and_then(|mark| Group::make(&mark)),
            Some(_) => None,
        };
        let join = group.as_ref().and_then(|group| group.join().ok());
        if orders.raised_priority {
            // What it starts has what it has, as another user too.
            priority::raise();
        }
        sys::as_kept(&mut command, &orders.cpus, orders.user, join);
        let server = command.spawn()?.id();
        report(&format!("started {server}"));
        Ok(Keeper {
            group,
            control,
            signals,
            server,
            scratch,
            contained,
            stop: None,
        })
    }

    fn run(mut self) -> ExitCode {
        loop {
            if self.reap() && self.stop.is_some() && self.is_removed() {
                drop(self.group.take());
                self.clear();
                report("gone");
                return ExitCode::SUCCESS;
            }
            let group = self.group.as_ref();
            let timeout = self.stop.as_mut().map(|stop| match &mut self.contained {
                None => stop.press(group),
                Some(contained) => stop.press_container(contained, self.server),
            });
            let fds = [
                (!self.control.ended).then(|| self.control.pipe.as_fd()),
                Some(self.signals.as_fd()),
            ];
            let Ok(ready) = sys::wait_readable(&fds, timeout) else {
                continue;
            };
            if ready[0]
                && let Some(grace) = self.control.read()
            {
                // Whoever has said to stop and is gone before that was done, as by a second Ctrl-C, waits no longer.
                let is_hurried = self.control.ended && self.stop.is_some();
                self.stop_within(if is_hurried { Duration::ZERO } else { grace });
            }
            while let Some(signal) = sys::next_signal(&self.signals) {
                if signal != Signal::CHILD {
                    self.stop_within(ORPHAN_GRACE);
                }
            }
        }
    }

    /// Whether nothing is left of its container, where it has one.
    fn is_removed(&self) -> bool {
        let mut contained = self.contained.iter();
        contained.all(|contained| contained.removed.is_some())
    }

    /// Removes the server's temporary files. photofinish may be gone, by a second Ctrl-C or `kill -9`, or end before it has.
    fn clear(&mut self) {
        let Some(scratch) = &self.scratch else {
            return;
        };
        // If photofinish is there, it reports what could not be removed; else the server's log has it.
        if let Err(left) = remove::remove(scratch)
            && self.control.ended
        {
            eprintln!("photofinish: {left}");
        }
    }

    /// Takes the children that have ended; true when none is left.
    fn reap(&mut self) -> bool {
        loop {
            match sys::reap() {
                Ok(Reaped::Child(pid, status)) if pid == self.server => {
                    if let Some(contained) = &mut self.contained {
                        contained.ended = true;
                    }
                    report(&format!("exited {}", how(status)));
                }
                Ok(Reaped::Child(..)) => {}
                Ok(Reaped::Running) | Err(_) => return false,
                Ok(Reaped::NoChildren) => return true,
            }
        }
    }

    /// Begins to stop, or shortens a stop under way.
    fn stop_within(&mut self, grace: Duration) {
        let deadline = Instant::now() + grace;
        if let Some(group) = &self.group {
            // photofinish may have stopped it for a while, and be gone.
            let _ = group.freeze(false);
        }
        let stop = self.stop.get_or_insert_with(|| Stop {
            deadline,
            asked: BTreeSet::new(),
        });
        stop.deadline = stop.deadline.min(deadline);
    }
}

impl Stop {
    /// Signals every descendant that is there now; returns how long to wait before the next look.
    fn press(&mut self, group: Option<&Group>) -> Duration {
        let late = Instant::now() >= self.deadline;
        if late && let Some(group) = group {
            group.kill();
        }
        let all = processes::processes();
        for process in processes::descendants(&all, std::process::id()) {
            if process.ended() {
                continue;
            }
            if late {
                sys::signal(process.pid, Signal::KILL);
            } else if self.asked.insert((process.pid, process.started)) {
                sys::signal(process.pid, Signal::TERM);
                if process.stopped() {
                    sys::signal(process.pid, Signal::CONT);
                }
            }
        }
        if late {
            SCAN_INTERVAL
        } else {
            SCAN_INTERVAL.min(self.deadline.saturating_duration_since(Instant::now()))
        }
    }
}

impl Stop {
    /// Has the engine pass SIGTERM on to the server, and remove the container when that has ended or its time is over; returns
    /// how long to wait before the next look.
    fn press_container(&mut self, contained: &mut Contained, client: u32) -> Duration {
        let now = Instant::now();
        if let Some(removed) = contained.removed {
            // Whatever the engine still has to tidy up it does by itself.
            let end = removed + ENGINE_EXIT_TIMEOUT;
            if now < end {
                return end - now;
            }
            self.deadline = now;
            return self.press(None);
        }
        if !contained.ended && now < self.deadline {
            if self.asked.insert((client, 0)) {
                sys::signal(client, Signal::TERM);
            }
            return self.deadline - now;
        }
        // A client that is still at work could start what was just removed.
        if !contained.ended {
            sys::signal(client, Signal::KILL);
        }
        match container::remove(&contained.engine, &contained.name) {
            Ok(()) => contained.removed = Some(Instant::now()),
            Err(says) => eprintln!(
                "photofinish: removing the container {}: {says}",
                contained.name
            ),
        }
        SCAN_INTERVAL
    }
}

/// The pipe from photofinish.
struct Control {
    /// Unbuffered, unlike `io::stdin()`: what `poll` sees must be all that there is.
    pipe: File,
    ended: bool,
    text: Vec<u8>,
}

impl Control {
    fn new() -> io::Result<Control> {
        let pipe = File::from(io::stdin().as_fd().try_clone_to_owned()?);
        Ok(Control {
            pipe,
            ended: false,
            text: Vec::new(),
        })
    }

    /// Reads what is there; returns the grace to stop with, if it says to stop.
    fn read(&mut self) -> Option<Duration> {
        let mut bytes = [0; 256];
        match self.pipe.read(&mut bytes) {
            Ok(0) | Err(_) => {
                self.ended = true;
                return Some(ORPHAN_GRACE);
            }
            Ok(n) => self.text.extend_from_slice(&bytes[..n]),
        }
        let line_end = self.text.iter().position(|&b| b == b'\n')?;
        let line: Vec<u8> = self.text.drain(..=line_end).collect();
        let millis = str::from_utf8(&line)
            .ok()?
            .trim()
            .strip_prefix("stop ")?
            .parse()
            .ok()?;
        Some(Duration::from_millis(millis))
    }
}
