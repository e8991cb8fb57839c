//! What ends a server if nobody else can any more: photofinish and the server's keeper were killed in the same moment.
//!
//! A shell reads a pipe that nobody writes to. photofinish and the keeper hold its other end, so it ends when both are gone,
//! however that happened, and not before. The shell is in a session of its own, and no child of the keeper's: for that 'no children
//! left' means that nothing is left of the server. Its program is not photofinish, and no word of its command names it, so what kills
//! all photofinishes leaves it alone. If it is killed too, the next start finds [what is left](crate::leftovers).
//!
//! A PID namespace with the keeper as its first process would end with the keeper, and was weighed. But a server's processes would have
//! numbers of their own in it, while they share the files: a pid file would name another process to a command that cleans up,
//! two Java virtual machines would have the same `/tmp/.java_pid2`, and `/proc` and profilers would show other numbers than
//! the server sees.

use std::io;
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::group::Group;
use crate::{strays, sys};

/// Waits for the end of standard input, and then ends all processes of the group `$GROUP`, if there is one, and all whose environment
/// has the line `$MARKED`. It looks again for what was started meanwhile.
const END_SERVER: &str = r#"trap '' HUP INT TERM; read -r _
for time in 1 2 3 4 5; do
  [ -z "$GROUP" ] || echo 1 >"$GROUP/cgroup.kill"
  left=
  for file in /proc/[0-9]*/environ; do
    tr '\0' '\n' <"$file" | grep -qxF "$MARKED" || continue
    pid=${file%/environ}; kill -9 "${pid#/proc/}"; left=yes
  done
  [ -n "$left" ] || break
done
[ -z "$GROUP" ] || rmdir "$GROUP" || { sleep 1; rmdir "$GROUP"; }"#;

/// Waits for the end of standard input, and removes the container `$NAME` by the engine `$ENGINE`. It does so twice: what a command of the
/// engine's had begun when it was killed with its keeper may come to be a moment later.
const REMOVE_CONTAINER: &str = r#"trap '' HUP INT TERM; read -r _; "$ENGINE" rm --force "$NAME"; sleep 2; exec "$ENGINE" rm --force "$NAME""#;

/// The shell that ends a server when both are gone.
#[derive(Debug)]
pub(super) struct Guard {
    shell: Child,
}

impl Guard {
    /// Starts one that ends all processes with this mark; `keeper` is the command that starts the keeper, which will hold the pipe too.
    ///
    /// # Errors
    /// Those of the system.
    pub(super) fn of_server(mark: &str, keeper: &mut Command) -> io::Result<Guard> {
        let mut shell = Command::new("/bin/sh");
        shell
            .args(["-c", END_SERVER])
            .env("GROUP", Group::folder(mark).unwrap_or_default())
            .env("MARKED", format!("{}={mark}", strays::MARK_VARIABLE));
        Guard::start(shell, keeper)
    }

    /// Starts one that removes a container.
    ///
    /// # Errors
    /// Those of the system.
    pub(super) fn of_container(
        engine: &Path,
        name: &str,
        keeper: &mut Command,
    ) -> io::Result<Guard> {
        let mut shell = Command::new("/bin/sh");
        shell
            .args(["-c", REMOVE_CONTAINER])
            // A search path may have relative folders.
            .env("ENGINE", std::path::absolute(engine)?)
            .env("NAME", name);
        Guard::start(shell, keeper)
    }

    fn start(mut shell: Command, keeper: &mut Command) -> io::Result<Guard> {
        shell
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        sys::as_keeper(&mut shell);
        // As a keeper it is no orphan, though it is a child in another session.
        let shell = strays::start_keeper(&mut shell)?;
        if let Some(pipe) = &shell.stdin {
            sys::inherit(keeper, pipe.as_fd().try_clone_to_owned()?);
        }
        Ok(Guard { shell })
    }

    /// The server is gone: there is nothing to end.
    pub(super) fn dismiss(mut self) {
        let _ = self.shell.kill();
        let _ = self.shell.wait();
        strays::forget(self.shell.id());
    }
}
