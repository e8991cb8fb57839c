//! What removes a container where nobody else can any more: photofinish and its keeper were killed in the same moment.
//!
//! A shell reads a pipe that nobody writes to. photofinish and the keeper hold its other end, so it ends when both are gone,
//! however that happened, and not before. The shell is in a session of its own, and no child of the keeper's: for that 'no children
//! left' means that nothing is left of the server.

use std::io;
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::{strays, sys};

/// Waits for the end of standard input, and removes the container `$2` by the engine `$1`. It does so twice: what a command of the
/// engine's had begun when it was killed with its keeper may come to be a moment later.
const SCRIPT: &str = "trap '' HUP INT TERM; read -r _; \"$1\" rm --force \"$2\"; sleep 2; exec \"$1\" rm --force \"$2\"";

/// The shell that removes a container when both are gone.
#[derive(Debug)]
pub(super) struct Guard {
    shell: Child,
}

impl Guard {
    /// Starts it; `keeper` is the command that starts the keeper, which will hold the pipe too.
    ///
    /// # Errors
    /// Those of the system.
    pub(super) fn start(engine: &Path, name: &str, keeper: &mut Command) -> io::Result<Guard> {
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", SCRIPT, "photofinish-guard"])
            // A search path may have relative folders.
            .arg(std::path::absolute(engine)?)
            .arg(name)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        sys::as_keeper(&mut command);
        // As a keeper it is no orphan, though it is a child in another session.
        let shell = strays::start_keeper(&mut command)?;
        if let Some(pipe) = &shell.stdin {
            sys::inherit(keeper, pipe.as_fd().try_clone_to_owned()?);
        }
        Ok(Guard { shell })
    }

    /// The container is gone: there is nothing to remove.
    pub(super) fn dismiss(mut self) {
        let _ = self.shell.kill();
        let _ = self.shell.wait();
        strays::forget(self.shell.id());
    }
}
