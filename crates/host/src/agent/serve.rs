//! The agent: does on its machine what it is asked to, and ends all of it when nobody asks any more.

mod news;

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{IpAddr, Shutdown};
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use photofinish_load::Control;

use super::frame::{self, FrameError};
use super::message::{FromAgent, Refusal, ToAgent, Welcome};
use super::{KEEPALIVE_INTERVAL, SILENCE_TIMEOUT};
use crate::LocalHost;
use crate::local::Thing;
use crate::locked::locked;
use crate::request::{Ask, Call};

/// How long this program waits until its last message is read.
const LAST_OUTPUT_TIMEOUT: Duration = Duration::from_secs(1);
/// Most requests without a reply: many times as many as a race makes at a time.
const MAX_UNANSWERED: usize = 256;

/// Serves whoever speaks through `input` and listens to `output`, until that one is gone; then everything that was started ends.
///
/// `program` is photofinish itself; builds are kept below `cache`.
///
/// # Errors
/// If another version asks, or what comes makes no sense.
pub fn serve(
    mut input: impl Read,
    output: impl Write + Send + 'static,
    program: &Path,
    cache: &Path,
) -> Result<(), FrameError> {
    let agent = Arc::new(Agent {
        host: LocalHost::of_agent(program.to_owned()),
        output: Mutex::new(Box::new(output)),
        waiting_since: Mutex::new(Some(Instant::now())),
        writing_since: Mutex::default(),
        over: AtomicBool::new(false),
        unanswered: AtomicUsize::new(0),
        controls: Mutex::default(),
    });
    let welcome = Welcome {
        program: program.to_owned(),
        cache: cache.to_owned(),
        address: reached_at(),
    };
    let watch = Arc::clone(&agent);
    thread::spawn(move || watch.watch());
    let result = agent.meet(&mut input, &welcome).map(|()| {
        let alive = Arc::clone(&agent);
        thread::spawn(move || alive.say_alive());
        agent.listen(&mut input)
    });
    agent.end();
    match result {
        Ok(FrameError::Ended) => Ok(()),
        Ok(error) | Err(error) => Err(error),
    }
}

/// The address of this machine that a connection by SSH came to.
fn reached_at() -> Option<IpAddr> {
    let connection = std::env::var("SSH_CONNECTION").ok()?;
    connection.split(' ').nth(2)?.parse().ok()
}

/// An agent, shared by the threads that work.
struct Agent {
    host: LocalHost,
    output: Mutex<Box<dyn Write + Send>>,
    /// Since when the asker has to be heard; `None` while something that it said is dealt with.
    waiting_since: Mutex<Option<Instant>>,
    /// Since when the asker has to read what is written; `None` while nothing is.
    writing_since: Mutex<Option<Instant>>,
    over: AtomicBool,
    /// How many requests have no reply yet.
    unanswered: AtomicUsize,
    /// The loads that flow and the waits for locks, by their request's number.
    controls: Mutex<HashMap<u64, Arc<Control>>>,
}

impl Agent {
    /// Says who this is, and hears who the asker is.
    fn meet(&self, input: &mut impl Read, welcome: &Welcome) -> Result<(), FrameError> {
        self.write(|output| frame::greet(output))?;
        frame::meet(input)?;
        self.write(|output| frame::send(output, welcome))
    }

    /// Takes what comes until nothing more does; returns why.
    fn listen(self: &Arc<Self>, input: &mut impl Read) -> FrameError {
        loop {
            *locked(&self.waiting_since) = Some(Instant::now());
            let message = match frame::take(input) {
                Ok(message) => message,
                Err(error) => return error,
            };
            *locked(&self.waiting_since) = None;
            match message {
                ToAgent::Alive => {}
                // At once and in this thread: it is what tells clocks apart.
                ToAgent::Ask(number, ask @ Ask::Clock(_)) => self.work(number, ask),
                // A thread does what is asked: so many at most.
                ToAgent::Ask(..) if self.unanswered.load(Ordering::Relaxed) >= MAX_UNANSWERED => {
                    return FrameError::TooMany(MAX_UNANSWERED);
                }
                ToAgent::Ask(number, ask) => {
                    let agent = Arc::clone(self);
                    self.unanswered.fetch_add(1, Ordering::Relaxed);
                    if let Ask::Run(_) | Ask::Open(_) | Ask::Slice(_) | Ask::Lock(_) = ask {
                        // Before the thread: it may be cancelled by the next message.
                        locked(&self.controls).insert(number, Arc::default());
                    }
                    let spawned = thread::Builder::new().spawn(move || {
                        agent.work(number, ask);
                        agent.unanswered.fetch_sub(1, Ordering::Relaxed);
                    });
                    if let Err(error) = spawned {
                        self.unanswered.fetch_sub(1, Ordering::Relaxed);
                        locked(&self.controls).remove(&number);
                        let says = format!("start a thread: {error}");
                        self.reply(number, Err(Refusal { says, number: None }));
                    }
                }
                ToAgent::Cancel(number) => {
                    if let Some(control) = locked(&self.controls).get(&number) {
                        control.stop();
                    }
                }
                ToAgent::Bytes(number, bytes) => {
                    if let Ok(thing) = self.host.thing(number)
                        && let Thing::Connection(stream) = &*thing
                    {
                        // Whoever does not take them shows that on the way back.
                        let _ = match bytes.is_empty() {
                            true => stream.shutdown(Shutdown::Write),
                            false => { stream }.write_all(&bytes),
                        };
                    }
                }
                ToAgent::Drop(number) => {
                    let thing = self.host.take(number);
                    // A folder must be gone before this program may be.
                    if thing.as_ref().is_some_and(|thing| thing.ends_slowly()) {
                        thread::spawn(move || drop(thing));
                    }
                }
            }
        }
    }

    /// Does what is asked, and replies.
    fn work(self: &Arc<Self>, number: u64, ask: Ask) {
        let is_connection = matches!(ask, Ask::Connect(_));
        let reply = match ask {
            Ask::Run(_) | Ask::Slice(_) => self.follow(number, ask),
            ask => {
                let control = locked(&self.controls).get(&number).cloned();
                self.perform(number, ask, &control.unwrap_or_default())
            }
        };
        if is_connection && reply.is_ok() {
            self.pass_on(number);
        }
        locked(&self.controls).remove(&number);
        self.reply(number, reply);
    }

    fn perform(&self, number: u64, ask: Ask, control: &Control) -> Result<Vec<u8>, Refusal> {
        let call = Call {
            local: &self.host,
            number,
            control,
            unwanted: &|| control.stopped(),
        };
        // After a panic the asker would wait for a reply for ever.
        let performed = panic::catch_unwind(AssertUnwindSafe(|| ask.perform(&call)));
        match performed {
            Ok(reply) => Ok(reply?),
            Err(_) => Err(Refusal {
                says: "answer: a thread of photofinish's own ended".to_owned(),
                number: None,
            }),
        }
    }

    /// Says again and again that it is there. Waits where nobody reads.
    fn say_alive(&self) {
        while !self.over.load(Ordering::Relaxed) {
            thread::sleep(KEEPALIVE_INTERVAL);
            if self
                .write(|output| frame::send(output, &FromAgent::Alive))
                .is_err()
            {
                // The thread that listens may be busy with what the asker said last.
                self.give_up("nobody reads what is written");
            }
        }
    }

    /// Ends everything when the asker has been silent, or has read nothing, for too long. Writes nothing, and so never waits.
    fn watch(&self) {
        let too_long = |since: &Mutex<Option<Instant>>| {
            let since = *locked(since);
            since.is_some_and(|since| since.elapsed() > SILENCE_TIMEOUT)
        };
        while !self.over.load(Ordering::Relaxed) {
            thread::sleep(KEEPALIVE_INTERVAL);
            for (since, what) in [
                (&self.waiting_since, "nobody was heard"),
                (&self.writing_since, "nobody read what was written"),
            ] {
                if too_long(since) {
                    self.give_up(&format!("{what} for {} s", SILENCE_TIMEOUT.as_secs()));
                }
            }
        }
    }

    /// Ends everything, and this program. The thread that listens waits for a stream that may never end.
    fn give_up(&self, why: &str) {
        if self.over.swap(true, Ordering::Relaxed) {
            return;
        }
        // Whoever would read it may be gone too, and this must not wait for that.
        let says = format!("photofinish agent: {why}; ending everything that was started");
        let said = thread::spawn(move || eprintln!("{says}"));
        self.end();
        let deadline = Instant::now() + LAST_OUTPUT_TIMEOUT;
        while !said.is_finished() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(1));
        }
        std::process::exit(3);
    }

    /// Ends loads, processes and all else.
    fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
        locked(&self.controls)
            .values()
            .for_each(|control| control.stop());
        self.host.end_all();
    }

    fn send(&self, message: &FromAgent) {
        // Whoever is gone shows that on the other stream.
        let _ = self.write(|output| frame::send(output, message));
    }

    fn write<T>(&self, write: impl FnOnce(&mut dyn Write) -> T) -> T {
        let mut output = locked(&self.output);
        *locked(&self.writing_since) = Some(Instant::now());
        let written = write(&mut *output);
        *locked(&self.writing_since) = None;
        written
    }

    fn reply(&self, number: u64, reply: Result<Vec<u8>, Refusal>) {
        self.send(&FromAgent::Reply(number, reply));
    }
}
