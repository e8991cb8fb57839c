//! Running a command to the end for its words.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::sys;

/// No command that only prints its version takes longer, a JVM on a busy machine included.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The most bytes of its words that are kept; nobody reads more to find a version.
const MOST: usize = 1 << 20;

/// What a command prints to standard output and then to standard error, with its success not asked for; `None` where
/// it cannot be run or does not end.
pub fn words(program: &Path, args: &[&str], env: &BTreeMap<String, String>) -> Option<String> {
    let mut command = Command::new(program);
    command
        .args(args)
        .envs(env)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().ok()?;
    let pipes = (child.stdout.take()?, child.stderr.take()?);
    let words = read_both(pipes.0, pipes.1, Instant::now() + TIMEOUT);
    // One that goes on has nothing more to say.
    let _ = child.kill();
    let _ = child.wait();
    words
        .ok()
        .map(|words| String::from_utf8_lossy(&words).into_owned())
}

/// Reads two pipes to their ends, the one's words before the other's.
fn read_both(
    mut out: impl Read + AsFd,
    mut err: impl Read + AsFd,
    deadline: Instant,
) -> io::Result<Vec<u8>> {
    let (mut words, mut errors) = (Vec::new(), Vec::new());
    let (mut out_ended, mut err_ended) = (false, false);
    while !(out_ended && err_ended) && words.len() + errors.len() < MOST {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let fds = [
            (!out_ended).then(|| out.as_fd()),
            (!err_ended).then(|| err.as_fd()),
        ];
        let ready = sys::wait_readable(&fds, Some(left))?;
        if ready[0] {
            out_ended = read_some(&mut out, &mut words)?;
        }
        if ready[1] {
            err_ended = read_some(&mut err, &mut errors)?;
        }
    }
    words.extend(errors);
    Ok(words)
}

/// Reads what is there; true at the end.
fn read_some(pipe: &mut impl Read, into: &mut Vec<u8>) -> io::Result<bool> {
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
        assert!(told("exec yes version 1").is_some_and(|words| words.len() < 2 * MOST));
        assert_eq!(
            told("echo 1; exec sleep 600 >&- 2>&-").as_deref(),
            Some("1\n")
        );
        assert!(begun.elapsed() < TIMEOUT);
    }

    #[test]
    fn programs_are_found_in_order() {
        let path = std::env::var_os("PATH").expect("it is set");
        let sh = which("sh", &path).expect("there is one");
        assert!(is_program(&sh));
        assert_eq!(which("no-such-program-anywhere", &path), None);
    }
}
