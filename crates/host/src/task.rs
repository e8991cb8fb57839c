//! A command that is to come to its end: a build, the setting up of a database.

use std::thread;
use std::time::{Duration, Instant};

use super::{Error, Host, ProcessSpec, request};

/// How often a command is asked whether it has ended.
const LOOK: Duration = Duration::from_millis(20);
/// How long what a command leaves behind has to end.
const GRACE: Duration = Duration::from_secs(2);

/// How a command came to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, such as [`super::SUCCESS`].
    Itself(String),
    /// It took longer than it may.
    TooLong,
    /// By the person's wish.
    Interrupted,
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
        if let Some(how) = process.ask(request::Exited)? {
            break Ended::Itself(how);
        }
        if interrupted() {
            break Ended::Interrupted;
        }
        if begun.elapsed() > timeout {
            break Ended::TooLong;
        }
        thread::sleep(LOOK);
    };
    // Some builds leave a daemon (Gradle's): it would run beside every measurement.
    process.stop(GRACE)?;
    Ok(ended)
}
