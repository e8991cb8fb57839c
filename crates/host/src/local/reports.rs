//! What a keeper reports, line by line.

use std::io::{self, Read};
use std::os::fd::AsFd;
use std::process::ChildStdout;
use std::time::Instant;

use crate::sys;

/// The pipe from the keeper.
pub(super) struct Reports {
    pipe: ChildStdout,
    text: Vec<u8>,
    ended: bool,
}

/// What a keeper reports.
pub(super) enum Report {
    Started(u32),
    Failed(String),
    Exited(String),
    Gone,
}

impl Reports {
    /// What comes through this pipe.
    pub(super) fn new(pipe: ChildStdout) -> Reports {
        Reports {
            pipe,
            text: Vec::new(),
            ended: false,
        }
    }

    /// Whether the pipe has ended.
    pub(super) fn ended(&self) -> bool {
        self.ended
    }

    /// The next report; `None` when there is none until the deadline, or when the pipe has ended.
    pub(super) fn next(&mut self, deadline: Instant) -> io::Result<Option<Report>> {
        loop {
            if let Some(end) = self.text.iter().position(|&b| b == b'\n') {
                let line: Vec<u8> = self.text.drain(..=end).collect();
                if let Some(report) = Report::parse(String::from_utf8_lossy(&line).trim_end()) {
                    return Ok(Some(report));
                }
                continue;
            }
            if self.ended {
                return Ok(None);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if sys::wait_readable(&[Some(self.pipe.as_fd())], Some(left))?[0] {
                let mut bytes = [0; 1024];
                let read = self.pipe.read(&mut bytes)?;
                self.text.extend_from_slice(&bytes[..read]);
                self.ended = read == 0;
            } else if Instant::now() >= deadline {
                return Ok(None);
            }
        }
    }
}

impl Report {
    fn parse(line: &str) -> Option<Report> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "started" => rest.parse().ok().map(Report::Started),
            "failed" => Some(Report::Failed(rest.to_owned())),
            "exited" => Some(Report::Exited(rest.to_owned())),
            "gone" => Some(Report::Gone),
            _ => None,
        }
    }
}
