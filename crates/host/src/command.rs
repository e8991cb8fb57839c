//! Running a command to its end: with a bound on what it prints, a time limit, and an end when the person interrupts.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::sys;

/// No command that only prints something takes longer, a JVM's version on a busy machine included; nor does a machine that responds.
pub const TIME_LIMIT: Duration = Duration::from_secs(20);

/// Most bytes that a command may print.
pub const MAX_OUTPUT_BYTES: usize = 1 << 20;

/// How often a wait looks whether the person has interrupted.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// What a command is given on its standard input.
pub enum Input {
    /// Nothing.
    Nothing,
    /// These bytes.
    Bytes(Vec<u8>),
    /// What this file has. The time limit counts from when all of it is taken, or when no part of it was for as long.
    File(File),
}

/// How a command is bounded.
#[derive(Clone, Copy)]
pub struct Bounds<'a> {
    /// The most bytes that it may print.
    pub most: usize,
    /// How long it may take; `None` = as long as it likes.
    pub within: Option<Duration>,
    /// It is ended when this is set.
    pub interrupt: Option<&'a AtomicBool>,
}

impl Bounds<'_> {
    /// [`MAX_OUTPUT_BYTES`] bytes within [`TIME_LIMIT`].
    pub fn until(interrupt: &AtomicBool) -> Bounds<'_> {
        Bounds {
            most: MAX_OUTPUT_BYTES,
            within: Some(TIME_LIMIT),
            interrupt: Some(interrupt),
        }
    }

    fn are_interrupted(&self) -> bool {
        let set = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        self.interrupt.is_some_and(set)
    }
}

/// Why a command did not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// It cannot be started, or its pipes cannot be used.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It took too long.
    #[error("it did not end within {} s", .0.as_secs())]
    TimeLimit(Duration),
    /// It printed too much.
    #[error("it printed more than {0} bytes")]
    TooMuch(usize),
    /// The person interrupted.
    #[error("interrupted")]
    Interrupted,
}

/// Runs a command to its end. One that an interrupt ends is in a process group of its own: the terminal's Ctrl-C is for photofinish. If it is
/// cut short, the whole group is killed.
///
/// # Errors
/// If it cannot be started, prints too much, takes too long, or the person interrupts.
pub fn run(command: &mut Command, input: Input, bounds: Bounds<'_>) -> Result<Output, RunError> {
    if bounds.interrupt.is_some() {
        command.process_group(0);
    }
    command.stdin(match &input {
        Input::Nothing => Stdio::null(),
        Input::Bytes(_) | Input::File(_) => Stdio::piped(),
    });
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let fed = child.stdin.take().map(|stdin| feed(stdin, input));
    let ran = read_both(&mut child, bounds, fed.as_deref())
        .and_then(|printed| Ok((printed, ended(&mut child, bounds)?)));
    match ran {
        Ok(((stdout, stderr), status)) => Ok(Output {
            status,
            stdout,
            stderr,
        }),
        Err((error, _)) => {
            kill(&mut child);
            Err(error)
        }
    }
}

/// What a command prints to standard output and then to standard error, up to [`MAX_OUTPUT_BYTES`] bytes, with its success not asked for; `None` if
/// it cannot be run or does not end.
pub fn words(program: &Path, args: &[&str], env: &BTreeMap<String, String>) -> Option<String> {
    let mut command = Command::new(program);
    command
        .args(args)
        .envs(env)
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().ok()?;
    let bounds = Bounds {
        most: MAX_OUTPUT_BYTES,
        within: Some(TIME_LIMIT),
        interrupt: None,
    };
    let (out, err) = match read_both(&mut child, bounds, None) {
        Ok(printed) => {
            // One that continues has nothing more to say. What it has left to run on is its own.
            let _ = child.kill();
            let _ = child.wait();
            printed
        }
        Err((error, printed)) => {
            kill(&mut child);
            match error {
                RunError::TooMuch(_) => printed,
                _ => return None,
            }
        }
    };
    Some(String::from_utf8_lossy(&[out, err].concat()).into_owned())
}

/// Waits for the end of a child for so long; whether it has ended.
pub(crate) fn ends_within(child: &mut Child, most: Duration) -> bool {
    let deadline = Instant::now() + most;
    while matches!(child.try_wait(), Ok(None)) {
        if Instant::now() >= deadline {
            return false;
        }
        thread::sleep(Duration::from_millis(1));
    }
    true
}

/// Ends a command and everything of its group.
fn kill(child: &mut Child) {
    sys::kill_group(child.id());
    let _ = child.kill();
    let _ = child.wait();
}

/// When a command last took some of its input, shared with the thread that gives it.
type Fed = std::sync::Mutex<Instant>;

/// Gives a command its input in a thread, which ends with the command.
fn feed(mut to: ChildStdin, input: Input) -> Arc<Fed> {
    let fed = Arc::new(Fed::new(Instant::now()));
    let progress = Arc::clone(&fed);
    thread::spawn(move || {
        let mut from: Box<dyn Read> = match input {
            Input::Nothing => return,
            Input::Bytes(bytes) => Box::new(io::Cursor::new(bytes)),
            Input::File(file) => Box::new(file),
        };
        let mut piece = vec![0; 64 * 1024];
        // A command that does not take it all says why, or ends.
        while let Ok(read @ 1..) = from.read(&mut piece) {
            if to.write_all(&piece[..read]).is_err() {
                return;
            }
            *progress.lock().unwrap_or_else(|e| e.into_inner()) = Instant::now();
        }
    });
    fed
}

/// Bytes of standard output and of standard error.
pub(crate) type Printed = (Vec<u8>, Vec<u8>);

/// Reads what a command prints until it closes both of its pipes.
///
/// # Errors
/// As [`run`], but the command continues.
pub(crate) fn printed(child: &mut Child, bounds: Bounds<'_>) -> Result<Printed, RunError> {
    read_both(child, bounds, None).map_err(|(error, _)| error)
}

/// Reads both pipes of a command to their ends. With an error comes what was read.
fn read_both(
    child: &mut Child,
    bounds: Bounds<'_>,
    fed: Option<&Fed>,
) -> Result<Printed, (RunError, Printed)> {
    let (mut out, mut err) = (child.stdout.take(), child.stderr.take());
    let (mut words, mut errors) = (Vec::new(), Vec::new());
    let begun = Instant::now();
    let result = loop {
        if out.is_none() && err.is_none() {
            break Ok(());
        }
        if words.len() + errors.len() > bounds.most {
            break Err(RunError::TooMuch(bounds.most));
        }
        if bounds.are_interrupted() {
            break Err(RunError::Interrupted);
        }
        let since = fed.map_or(begun, |fed| *fed.lock().unwrap_or_else(|e| e.into_inner()));
        let left = bounds
            .within
            .map(|within| within.saturating_sub(since.elapsed()));
        if let (Some(within), Some(Duration::ZERO)) = (bounds.within, left) {
            break Err(RunError::TimeLimit(within));
        }
        let pause = match (bounds.interrupt, left) {
            (None, left) => left,
            (Some(_), left) => Some(left.map_or(POLL_INTERVAL, |left| left.min(POLL_INTERVAL))),
        };
        let fds = [out.as_ref().map(AsFd::as_fd), err.as_ref().map(AsFd::as_fd)];
        let ready = match sys::wait_readable(&fds, pause) {
            Ok(ready) => ready,
            Err(error) => break Err(error.into()),
        };
        let read = (|| {
            if ready[0] && read_some(&mut out, &mut words)? {
                out = None;
            }
            if ready[1] && read_some(&mut err, &mut errors)? {
                err = None;
            }
            Ok(())
        })();
        if let Err(error) = read {
            break Err(RunError::Io(error));
        }
    };
    match result {
        Ok(()) => Ok((words, errors)),
        Err(error) => Err((error, (words, errors))),
    }
}

/// Waits for the end of a command whose pipes have ended.
fn ended(child: &mut Child, bounds: Bounds<'_>) -> Result<ExitStatus, (RunError, Printed)> {
    let begun = Instant::now();
    let failed = |error| (error, Printed::default());
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) => {}
            Err(error) => return Err(failed(error.into())),
        }
        if bounds.are_interrupted() {
            return Err(failed(RunError::Interrupted));
        }
        if let Some(within) = bounds.within.filter(|within| begun.elapsed() > *within) {
            return Err(failed(RunError::TimeLimit(within)));
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// Reads what is there; true at the end.
fn read_some(pipe: &mut Option<impl Read>, into: &mut Vec<u8>) -> io::Result<bool> {
    let Some(pipe) = pipe else { return Ok(true) };
    let mut bytes = [0; 4096];
    let read = pipe.read(&mut bytes)?;
    into.extend_from_slice(&bytes[..read]);
    Ok(read == 0)
}

/// The first program of a name in a search path.
pub fn which(name: &str, path: &OsStr) -> Option<PathBuf> {
    std::env::split_paths(path)
        .map(|folder| folder.join(name))
        .find(|file| is_program(file))
}

/// Whether a file is there that somebody may execute.
pub fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata()
        .is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_both_pipes() {
        let env = BTreeMap::from([("WORD".to_owned(), "three".to_owned())]);
        let reported = words(
            Path::new("sh"),
            &["-c", "echo two >&2; echo one; echo $WORD; exit 4"],
            &env,
        );
        assert_eq!(reported.as_deref(), Some("one\nthree\ntwo\n"));
        assert_eq!(words(Path::new("/nowhere/at-all"), &[], &env), None);
    }

    #[test]
    fn a_command_that_never_ends_is_ended() {
        let begun = Instant::now();
        let told = |script| words(Path::new("sh"), &["-c", script], &BTreeMap::new());
        assert!(told("exec yes version 1").is_some_and(|words| words.len() < 2 * MAX_OUTPUT_BYTES));
        assert_eq!(
            told("echo 1; exec sleep 600 >&- 2>&-").as_deref(),
            Some("1\n")
        );
        assert!(begun.elapsed() < TIME_LIMIT);
    }

    #[test]
    fn a_command_has_bounds() {
        let flag = AtomicBool::new(false);
        let sh = |script: &str, input, bounds| {
            run(Command::new("sh").args(["-c", script]), input, bounds)
        };
        let bounds = Bounds::until(&flag);
        let output = sh(
            "cat; echo no >&2; exit 3",
            Input::Bytes(b"yes".to_vec()),
            bounds,
        );
        let output = output.expect("it ends");
        assert_eq!(
            (&*output.stdout, &*output.stderr),
            (&b"yes"[..], &b"no\n"[..])
        );
        assert_eq!(output.status.code(), Some(3));
        // One that does not take its input is not waited for by whoever gives it.
        let refused = sh("exit 4", Input::Bytes(vec![0; 1 << 20]), bounds);
        assert_eq!(refused.expect("it ends").status.code(), Some(4));
        for endless in ["exec cat /dev/zero", "exec cat /dev/zero >&2"] {
            let error = sh(endless, Input::Nothing, bounds).expect_err("it is endless");
            assert_eq!(error.to_string(), "it printed more than 1048576 bytes");
        }
        let short = Bounds {
            within: Some(Duration::from_millis(100)),
            ..bounds
        };
        // Its child too is ended, which has its pipes.
        for silent in ["sleep 1000 & wait", "exec sleep 1000 >&- 2>&-"] {
            let error = sh(silent, Input::Nothing, short).expect_err("it is silent");
            assert!(matches!(error, RunError::TimeLimit(_)), "{error}");
        }
        flag.store(true, Ordering::Relaxed);
        let error = sh("exec sleep 1000", Input::Nothing, bounds).expect_err("interrupted");
        assert!(matches!(error, RunError::Interrupted), "{error}");
    }

    #[test]
    fn programs_are_found_in_order() {
        let path = std::env::var_os("PATH").expect("it is set");
        let sh = which("sh", &path).expect("there is one");
        assert!(is_program(&sh));
        assert_eq!(which("no-such-program-anywhere", &path), None);
    }
}
