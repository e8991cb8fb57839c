//! What the threads of a link share: the stream, and who waits for what comes over it.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::mem;
use std::process::Child;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;
use std::thread;
use std::time::{Duration, Instant};

use photofinish_model::notice;

use super::Came;
use crate::agent::frame::{self, FrameError};
use crate::agent::message::{FromAgent, ToAgent};
use crate::agent::{NOTICE_PREFIX, SILENCE_TIMEOUT};
use crate::locked::locked;
use crate::request::Ask;

/// Number of last bytes that are kept of the standard error of the program that carries the bytes.
const MAX_COMPLAINT_BYTES: usize = 4096;

/// Prints a line, if it is a notice.
fn print_notice(line: &[u8], machine: &str) {
    let line = String::from_utf8_lossy(line);
    if let Some(text) = line.strip_prefix(NOTICE_PREFIX) {
        notice::print(&format!("{machine}: {text}"));
    }
}

/// How long the last output of an exited program is waited for.
const LAST_OUTPUT_TIMEOUT: Duration = Duration::from_secs(2);

/// What the threads of a link share.
pub(super) struct Shared {
    /// `None`: closed.
    pub(super) output: Mutex<Option<Box<dyn Write + Send>>>,
    pub(super) next: AtomicU64,
    /// Where replies go, by their request's number; emptied when the agent is gone.
    pub(super) waiting: Mutex<HashMap<u64, SyncSender<Came>>>,
    pub(super) heard: Mutex<Instant>,
    /// Why it is gone.
    pub(super) lost: Mutex<Option<String>>,
    /// The program that carries the bytes.
    pub(super) carrier: Mutex<Child>,
    /// What it complained of.
    complaint: Mutex<Vec<u8>>,
    /// Whether it will complain no more.
    complained: AtomicBool,
}

impl Shared {
    pub(super) fn new(carrier: Child) -> Shared {
        Shared {
            output: Mutex::new(None),
            next: AtomicU64::new(0),
            waiting: Mutex::default(),
            heard: Mutex::new(Instant::now()),
            lost: Mutex::default(),
            carrier: Mutex::new(carrier),
            complaint: Mutex::default(),
            complained: AtomicBool::new(false),
        }
    }

    pub(super) fn send(&self, message: &ToAgent<Ask>) {
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

    /// What comes for a request from now on is nobody's.
    pub(super) fn forget(&self, number: u64) {
        locked(&self.waiting).remove(&number);
    }

    /// What was made for a request is not needed any more.
    pub(super) fn release(&self, number: u64) {
        self.forget(number);
        self.send(&ToAgent::Drop(number));
    }

    /// Takes what comes until nothing more does.
    pub(super) fn listen(&self, mut input: impl Read) {
        let error = loop {
            let message = match frame::take(&mut input) {
                Ok(message) => message,
                Err(error) => break error,
            };
            *locked(&self.heard) = Instant::now();
            let (number, came) = match message {
                FromAgent::Alive => continue,
                FromAgent::Reply(number, reply) => (number, Came::Reply(reply)),
                FromAgent::News(number, news) => (number, Came::News(news)),
            };
            let mut waiting = locked(&self.waiting);
            if let Some(sender) = waiting.get(&number)
                && sender.try_send(came).is_err()
            {
                // Who does not wait any more needs no reply; and who takes nothing gets no more.
                waiting.remove(&number);
            }
        };
        if let FrameError::Ended = &error {
            self.hear_complaints();
        }
        self.lose(&self.why(&error.to_string()));
    }

    /// Says that this side is there; whether that is still of use. Waits where nobody reads.
    pub(super) fn say_alive(&self) -> bool {
        self.send(&ToAgent::Alive);
        !self.is_over()
    }

    /// Whether the other side is there, for all that is known. Writes nothing, and so never waits.
    pub(super) fn is_alive(&self) -> bool {
        if self.is_over() {
            return false;
        }
        let silent = locked(&self.heard).elapsed();
        if silent > SILENCE_TIMEOUT {
            self.lose(&format!(
                "nothing was heard of it for {} s",
                SILENCE_TIMEOUT.as_secs()
            ));
            // Whoever waits until it reads waits no more.
            self.end_carrier();
        }
        true
    }

    fn is_over(&self) -> bool {
        // What is being written to is not over.
        let closed = self.output.try_lock().is_ok_and(|output| output.is_none());
        closed || locked(&self.lost).is_some()
    }

    /// Ends the program that carries the bytes.
    pub(super) fn end_carrier(&self) {
        let mut carrier = locked(&self.carrier);
        let _ = carrier.kill();
        let _ = carrier.wait();
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
                    _ if line.len() < MAX_COMPLAINT_BYTES => line.push(byte),
                    _ => {}
                }
            }
            let mut complaint = locked(&self.complaint);
            complaint.extend_from_slice(&bytes[..read]);
            let surplus = complaint.len().saturating_sub(MAX_COMPLAINT_BYTES);
            complaint.drain(..surplus);
        }
        self.complained.store(true, Ordering::Relaxed);
    }

    /// Waits for the last words of the program that carries the bytes, which has ended. Something that it has started may keep its stream open.
    pub(super) fn hear_complaints(&self) {
        let deadline = Instant::now() + LAST_OUTPUT_TIMEOUT;
        while !self.complained.load(Ordering::Relaxed) && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Why it ended: what the carrier complained of, if it did.
    pub(super) fn why(&self, otherwise: &str) -> String {
        let complaint = locked(&self.complaint);
        let text = String::from_utf8_lossy(&complaint);
        let lines = text.lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with(NOTICE_PREFIX));
        let lines: Vec<&str> = lines.collect();
        match lines.as_slice() {
            [] => otherwise.to_owned(),
            lines => lines[lines.len().saturating_sub(3)..].join("; "),
        }
    }
}
