//! A command that is to come to its end: a build, the setting up of a database.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::{Error, Host, ProcessSpec, SUCCESS};

/// How often a command is polled for its end.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// How long processes that a command leaves behind may take to exit.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);

/// How a command came to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Well, by itself.
    Well,
    /// By itself, such as `exit status 1`.
    Badly(String),
    /// It took longer than it may.
    TooLong,
    /// By the person's wish.
    Interrupted,
}

/// Begins what a command will print to a log with a line that shows the command.
///
/// # Errors
/// If the log cannot be written.
pub fn show(command: &str, log: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let mut log = options.create(true).append(true).mode(0o600).open(log)?;
    writeln!(log, "{command}")
}

/// Runs a command to its end, with everything that it started.
///
/// # Errors
/// If it cannot be started or ended.
pub fn run(
    host: &Host,
    spec: &ProcessSpec,
    timeout: Duration,
    interrupted: &dyn Fn() -> bool,
) -> Result<Ended, Error> {
    let begun = Instant::now();
    let mut process = host.start(spec)?;
    let ended = loop {
        if let Some(how) = process.exited()? {
            break match how == SUCCESS {
                true => Ended::Well,
                false => Ended::Badly(how),
            };
        }
        if interrupted() {
            break Ended::Interrupted;
        }
        if begun.elapsed() > timeout {
            break Ended::TooLong;
        }
        thread::sleep(POLL_INTERVAL);
    };
    // Some builds leave a daemon (Gradle's): it would run beside every measurement.
    process.stop(EXIT_TIMEOUT)?;
    Ok(ended)
}
