//! Agents on other machines: what SSH, Kubernetes and Slurm have in common.
//!
//! A [`Node`] starts commands on a machine. A launcher brings photofinish's own binary there and starts an agent. What was made for the
//! agents is cleaned up by a shell on this machine that outlives photofinish ([`Cleaner`]).

use std::io;
use std::net::IpAddr;
use std::process::{Child, ChildStdin, Command, Output};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::Error;
use super::agent::Link;
use super::command::{Bounds, Input, RunError, TIME_LIMIT, ends_within, run};
use super::program::{Program, said};

/// How long an interrupt waits at most while a scheduler is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// A machine on which commands can be started.
pub(crate) trait Node {
    /// What messages call it.
    fn machine(&self) -> &str;

    /// Returns a command that runs a script in the machine's POSIX shell. The script has no single quotes.
    fn command(&self, script: &str) -> Command;

    /// What to do if the command's program is not on this machine.
    fn remedy(&self) -> &'static str;
}

/// Starts agents.
#[derive(Clone, Copy)]
pub(crate) struct Launcher<'a> {
    /// The agents' program.
    pub(crate) program: &'a Program<'a>,
    pub(crate) interrupt: &'a AtomicBool,
}

impl Launcher<'_> {
    /// Runs a script on a node to its end; returns what it printed.
    ///
    /// # Errors
    /// If it cannot be run or fails, with its complaint; and for an interrupt.
    pub(crate) fn run(
        &self,
        node: &impl Node,
        script: &str,
        input: Input,
    ) -> Result<Vec<u8>, Error> {
        let mut command = node.command(script);
        let unreachable = |says| Error::unreachable(node.machine(), says);
        let bounds = Bounds::until(self.interrupt);
        printed(
            &mut command,
            input,
            bounds,
            node.remedy(),
            said,
            unreachable,
        )
    }

    /// Brings the program to a node and starts an agent. `before` is what the shell does before it becomes the agent.
    ///
    /// # Errors
    /// If the node cannot be reached or cannot run the program; and for an interrupt.
    pub(crate) fn agent(
        &self,
        node: &impl Node,
        before: &str,
        address: Option<IpAddr>,
    ) -> Result<Link, Error> {
        self.program.bring(
            |script, input| self.run(node, script, input),
            |says| Error::unreachable(node.machine(), says),
        )?;
        let script = format!("{before}exec \"{}\" agent", self.program.kept());
        let mut command = node.command(&script);
        Link::start(node.machine(), address, &mut command, self.interrupt)
    }
}

/// Runs a command to its end; returns what it printed. `remedy` says what to do if its program is not on this machine, `complaint` why one of
/// this name failed.
///
/// # Errors
/// `unreachable` makes an error of what went wrong; [`Error::Interrupted`] for an interrupt.
pub(crate) fn printed(
    command: &mut Command,
    input: Input,
    bounds: Bounds<'_>,
    remedy: &str,
    complaint: impl Fn(&str, &Output) -> String,
    unreachable: impl Fn(String) -> Error,
) -> Result<Vec<u8>, Error> {
    let output = run(command, input, bounds).map_err(|error| match error {
        RunError::Interrupted => Error::Interrupted,
        RunError::Io(error) => unreachable(cannot_run(command, &error, remedy)),
        error => unreachable(format!("{}: {error}", program_of(command))),
    })?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(unreachable(complaint(&program_of(command), &output))),
    }
}

/// An option of a program, if it has a value.
pub(crate) fn option(name: &str, value: Option<&str>) -> Option<String> {
    value.map(|value| format!("--{name}={value}"))
}

/// Why a program of this machine could not be started.
pub(crate) fn cannot_run(command: &Command, error: &io::Error, remedy: &str) -> String {
    let name = program_of(command);
    match error.kind() {
        io::ErrorKind::NotFound => format!("there is no `{name}` on this machine; {remedy}"),
        _ => format!("{name}: {error}"),
    }
}

fn program_of(command: &Command) -> String {
    command.get_program().display().to_string()
}

/// How far something has come that a scheduler starts.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Progress<T> {
    /// It runs.
    Up(T),
    /// It does not run yet, and why.
    Pending(String),
    /// It will not run, and why.
    Failed(String),
}

/// Polls what a scheduler starts until that is up; `poll` returns it, or why it is not up yet. The pause between two polls doubles from the
/// first of `pauses` to the second.
///
/// # Errors
/// Those of `poll`; that of `late` if it is not up in time; and for an interrupt.
pub(crate) fn wait<T, C>(
    patience: Duration,
    [mut pause, longest]: [Duration; 2],
    interrupt: &AtomicBool,
    mut poll: impl FnMut() -> Result<Result<T, C>, Error>,
    late: impl FnOnce(C) -> Error,
) -> Result<T, Error> {
    let begun = Instant::now();
    let is_interrupted = || interrupt.load(Ordering::Relaxed);
    loop {
        if is_interrupted() {
            return Err(Error::Interrupted);
        }
        let coming = match poll()? {
            Ok(up) => return Ok(up),
            Err(coming) => coming,
        };
        if begun.elapsed() >= patience {
            return Err(late(coming));
        }
        let until = Instant::now() + pause;
        while Instant::now() < until && !is_interrupted() {
            thread::sleep(POLL_INTERVAL.min(until.saturating_duration_since(Instant::now())));
        }
        pause = (pause * 2).min(longest);
    }
}

/// A shell on this machine that cleans up when its standard input ends: when this is dropped, or photofinish ends, however that happens.
pub(crate) struct Cleaner {
    child: Child,
    input: Option<ChildStdin>,
}

impl Cleaner {
    /// `child` has a pipe as its standard input.
    pub(crate) fn new(mut child: Child) -> Cleaner {
        let input = child.stdin.take();
        Cleaner { child, input }
    }
}

impl Drop for Cleaner {
    fn drop(&mut self) {
        drop(self.input.take());
        // One that takes longer continues by itself.
        ends_within(&mut self.child, TIME_LIMIT);
    }
}
