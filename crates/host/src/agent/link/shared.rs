//! What the threads of a link share: the stream, and who waits for what comes over it.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::mem;
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::Instant;

use photofinish_model::notice;

use super::Came;
use crate::agent::frame::{self, FrameError};
use crate::agent::message::{FromAgent, ToAgent};
use crate::agent::{NOTICE, SILENCE, locked};

/// How much of what the program that carries the bytes complained of is kept, in bytes.
const COMPLAINT: usize = 4096;

/// Prints a line, if it is a notice.
fn print_notice(line: &[u8], machine: &str) {
    let line = String::from_utf8_lossy(line);
    if let Some(text) = line.strip_prefix(NOTICE) {
        notice::print(&format!("{machine}: {text}"));
    }
}

/// What the threads of a link share.
pub(super) struct Shared {
    /// `None`: closed.
    pub(super) output: Mutex<Option<Box<dyn Write + Send>>>,
    pub(super) next: AtomicU64,
    /// Where replies go, by their question's number; emptied when the agent is gone.
    pub(super) waiting: Mutex<HashMap<u64, Sender<Came>>>,
    pub(super) heard: Mutex<Instant>,
    /// Why it is gone.
    pub(super) lost: Mutex<Option<String>>,
    /// What the carrier complained of.
    pub(super) complaint: Mutex<Vec<u8>>,
}

impl Shared {
    pub(super) fn new() -> Shared {
        Shared {
            output: Mutex::new(None),
            next: AtomicU64::new(0),
            waiting: Mutex::default(),
            heard: Mutex::new(Instant::now()),
            lost: Mutex::default(),
            complaint: Mutex::default(),
        }
    }

    pub(super) fn send(&self, message: &ToAgent) {
        let mut output = locked(&self.output);
        let Some(to) = &mut *output else { return };
        if let Err(error) = frame::send(to, message) {
            match error {
                // The other thread hears why.
                FrameError::Ended | FrameError::Io(_) => {}
                error => {
                    drop(output);
                    self.lose(&error.to_string());
                }
            }
        }
    }

    /// Takes what comes until nothing more does.
    pub(super) fn listen(&self, mut input: impl Read, complaints: Option<thread::JoinHandle<()>>) {
        let error = loop {
            let message = match frame::take(&mut input) {
                Ok(message) => message,
                Err(error) => break error,
            };
            *locked(&self.heard) = Instant::now();
            let (number, came) = match message {
                FromAgent::Alive => continue,
                FromAgent::Reply(number, reply) => (number, Came::Reply(Box::new(reply))),
                FromAgent::News(number, news) => (number, Came::News(news)),
            };
            if let Some(sender) = locked(&self.waiting).get(&number) {
                // Who does not wait any more needs no reply.
                let _ = sender.send(came);
            }
        };
        if let (FrameError::Ended, Some(complaints)) = (&error, complaints) {
            let _ = complaints.join();
        }
        self.lose(&self.why(&error.to_string()));
    }

    /// Says that this side is there, and notices when the other one is not.
    pub(super) fn is_alive(&self) -> bool {
        if locked(&self.lost).is_some() || locked(&self.output).is_none() {
            return false;
        }
        self.send(&ToAgent::Alive);
        let silent = locked(&self.heard).elapsed();
        if silent > SILENCE {
            self.lose(&format!(
                "nothing was heard of it for {} s",
                SILENCE.as_secs()
            ));
        }
        true
    }

    /// Lets everybody who waits know that no reply will come.
    fn lose(&self, why: &str) {
        let mut waiting = locked(&self.waiting);
        locked(&self.lost).get_or_insert_with(|| why.to_owned());
        waiting.clear();
    }

    /// Keeps the end of what the carrier complains of, and prints the agent's notices.
    pub(super) fn gather(&self, mut errors: impl Read, machine: &str) {
        let mut bytes = [0; 1024];
        let mut line = Vec::new();
        while let Ok(read) = errors.read(&mut bytes)
            && read > 0
        {
            for &byte in &bytes[..read] {
                match byte {
                    b'\n' => print_notice(&mem::take(&mut line), machine),
                    _ if line.len() < COMPLAINT => line.push(byte),
                    _ => {}
                }
            }
            let mut complaint = locked(&self.complaint);
            complaint.extend_from_slice(&bytes[..read]);
            let surplus = complaint.len().saturating_sub(COMPLAINT);
            complaint.drain(..surplus);
        }
    }

    /// Why it ended: what the carrier complained of, if it did.
    pub(super) fn why(&self, otherwise: &str) -> String {
        let complaint = locked(&self.complaint);
        let text = String::from_utf8_lossy(&complaint);
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let lines: Vec<&str> = lines.collect();
        match lines.as_slice() {
            [] => otherwise.to_owned(),
            lines => lines[lines.len().saturating_sub(3)..].join("; "),
        }
    }
}
