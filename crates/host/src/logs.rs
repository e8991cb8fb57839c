//! Servers' logs, kept from filling the disk: of one that grows beyond bounds its beginning and its end are kept.
//!
//! A server writes to its log itself. A pipe to somebody who bounds it would cost a copy of every line, on the cores that are
//! measured, and would block a server whose reader has ended. So the file is cut while it is written: servers have it
//! open to append, and continue at its new end.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::Duration;

use super::locked::locked;

/// Number of bytes that are kept of a log's beginning, and of its end: more lines than a person reads.
const KEPT_BYTES: u64 = 1024 * 1024;
/// Length, in bytes, from which a log is cut. The more is cut at a time, the longer a server that writes just
/// then waits.
const MAX_BYTES: u64 = 8 * 1024 * 1024;
/// How often lengths are read, which takes some microseconds.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// A log that is being written.
#[derive(Debug)]
pub(super) struct Log {
    file: File,
    /// Where its beginning ends, in bytes, once it was cut.
    head: Option<u64>,
    /// How many bytes were left out.
    left_out: u64,
    /// The length of the note that says so.
    note: u64,
}

impl Log {
    /// Opens a log to append to.
    ///
    /// # Errors
    /// Those of the system.
    fn open(path: &Path) -> io::Result<Log> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true).mode(0o600);
        Ok(Log {
            file: options.open(path)?,
            head: None,
            left_out: 0,
            note: 0,
        })
    }

    /// Cuts the log where it is too long. What is written in the moment of the cut may be lost, or come before what was
    /// written earlier.
    fn bound(&mut self, most: u64, kept: u64) -> io::Result<()> {
        let meta = self.file.metadata()?;
        let length = meta.len();
        // A device or a pipe in its place has no length.
        if !meta.is_file() || length <= most {
            return Ok(());
        }
        let head = match self.head {
            Some(head) => head,
            None => self.whole_lines(kept)?,
        };
        let mut tail = vec![0; usize::try_from(kept).map_err(io::Error::other)?];
        self.file.read_exact_at(&mut tail, length - kept)?;
        // From the start of a line, where there is one.
        let start = tail.iter().position(|&b| b == b'\n').map_or(0, |at| at + 1);
        let tail = &tail[start..];
        let dropped = length - tail.len() as u64 - head;
        self.left_out += dropped.saturating_sub(self.note);
        let note = format!(
            "--- photofinish left out {} bytes of this log here ---\n",
            self.left_out
        );
        self.file.set_len(head)?;
        self.file.write_all(note.as_bytes())?;
        self.file.write_all(tail)?;
        self.head = Some(head);
        self.note = note.len() as u64;
        Ok(())
    }

    /// How many of the first bytes are whole lines; all of them where there is no line's end.
    fn whole_lines(&self, first: u64) -> io::Result<u64> {
        let mut head = vec![0; usize::try_from(first).map_err(io::Error::other)?];
        self.file.read_exact_at(&mut head, 0)?;
        let end = head.iter().rposition(|&b| b == b'\n');
        Ok(end.map_or(first, |at| at as u64 + 1))
    }

    /// For what the server writes to.
    ///
    /// # Errors
    /// Those of the system.
    pub(super) fn for_server(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Cuts a log to whose end nothing is added any more, if it was ever too long.
    pub(super) fn end(&mut self) {
        let most = if self.head.is_some() {
            2 * KEPT_BYTES
        } else {
            MAX_BYTES
        };
        // It is only disk space.
        let _ = self.bound(most + self.note, KEPT_BYTES);
    }
}

/// A log, shared with the thread that looks after it.
pub(super) type Shared = Arc<Mutex<Log>>;

/// The logs of a host's servers.
#[derive(Debug, Default)]
pub(super) struct Logs(Arc<Mutex<Watched>>);

#[derive(Debug, Default)]
struct Watched {
    logs: Vec<Weak<Mutex<Log>>>,
    /// Whether there is a thread that looks.
    looks: bool,
}

impl Logs {
    /// Opens a log, and bounds it until it is dropped.
    ///
    /// # Errors
    /// If it cannot be opened, or there can be no thread.
    pub(super) fn open(&self, path: &Path) -> io::Result<Shared> {
        let log = Arc::new(Mutex::new(Log::open(path)?));
        let mut watched = locked(&self.0);
        if !watched.looks {
            let watch = Arc::clone(&self.0);
            thread::Builder::new()
                .name("logs".to_owned())
                .spawn(move || while check(&watch) {})?;
            watched.looks = true;
        }
        watched.logs.push(Arc::downgrade(&log));
        Ok(log)
    }
}

/// Sleeps, and bounds every log; false when there is none any more.
fn check(watched: &Mutex<Watched>) -> bool {
    thread::sleep(POLL_INTERVAL);
    let logs: Vec<Shared> = {
        let mut watched = locked(watched);
        watched.logs.retain(|log| log.strong_count() > 0);
        watched.looks = !watched.logs.is_empty();
        watched.logs.iter().filter_map(Weak::upgrade).collect()
    };
    for log in &logs {
        // Where it fails it is tried again; nothing else depends on it.
        let _ = locked(log).bound(MAX_BYTES, KEPT_BYTES);
    }
    locked(watched).looks
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_beginning_and_the_end_are_kept() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("log");
        let mut log = Log::open(&path).expect("a log");
        let mut server = log.for_server().expect("a file");
        let line = |n: u32| format!("line {n:04}\n"); // 10 bytes
        for n in 0..50 {
            server.write_all(line(n).as_bytes()).expect("written");
        }
        log.bound(500, 95).expect("a cut");
        assert_eq!(
            fs::read_to_string(&path).expect("text").len(),
            500,
            "no more than may be"
        );
        for n in 50..60 {
            server.write_all(line(n).as_bytes()).expect("written");
        }
        log.bound(500, 95).expect("a cut");
        let text = fs::read_to_string(&path).expect("text");
        let (head, rest) = text.split_once("---").expect("a note");
        let lines = |from, to| (from..to).map(line).collect::<String>();
        assert_eq!(head, lines(0, 9));
        let note = " photofinish left out 420 bytes of this log here ---\n";
        assert_eq!(rest, format!("{note}{}", lines(51, 60)));

        // What comes later comes at the end, and is counted with what was left out before.
        for n in 60..100 {
            server.write_all(line(n).as_bytes()).expect("written");
        }
        log.bound(500, 95).expect("a cut");
        let text = fs::read_to_string(&path).expect("text");
        let note = "--- photofinish left out 820 bytes of this log here ---\n";
        assert_eq!(text, format!("{}{note}{}", lines(0, 9), lines(91, 100)));
        assert_eq!(100 * 10, 820 + 2 * 90);
    }

    #[test]
    fn a_line_without_an_end_is_cut_where_it_must_be() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("log");
        let mut log = Log::open(&path).expect("a log");
        let mut server = log.for_server().expect("a file");
        server.write_all(&[b'x'; 1_000]).expect("written");
        log.bound(500, 100).expect("a cut");
        let text = fs::read_to_string(&path).expect("text");
        let x = "x".repeat(100);
        let note = "--- photofinish left out 800 bytes of this log here ---\n";
        assert_eq!(text, format!("{x}{note}{x}"));
    }

    #[test]
    fn the_thread_ends_with_the_last_log() {
        let dir = tempfile::tempdir().expect("a folder");
        let logs = Logs::default();
        let log = logs.open(&dir.path().join("log")).expect("a log");
        assert!(locked(&logs.0).looks);
        drop(log);
        let deadline = std::time::Instant::now() + Duration::from_secs(60);
        while locked(&logs.0).looks {
            assert!(std::time::Instant::now() < deadline);
            thread::yield_now();
        }
        let again = logs.open(&dir.path().join("log"));
        assert!(again.is_ok() && locked(&logs.0).looks);
    }
}
