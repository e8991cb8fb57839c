//! The agent: does on its machine what it is asked to, and ends all of it when nobody asks any more.

mod call;
mod news;
pub(super) mod request;
mod wall;

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{IpAddr, Shutdown};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use photofinish_load::{Control, Session};
use socket2::Socket;

use super::frame::{self, FrameError};
use super::message::{FromAgent, Refusal, ToAgent, Welcome};
use super::{ALIVE, SILENCE, locked};
use crate::{Error, Folder, LocalHost, Meter, Process};
use call::Call;
use request::Ask;
use wall::Wall;

/// How long this program waits until its last words are taken.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// How many requests may have no reply: many times what a race asks at once.
const MOST_UNANSWERED: usize = 256;

/// Serves whoever speaks through `input` and listens to `output`, until that one is gone; then everything that was started ends.
///
/// `program` is photofinish itself; builds are kept below `cache`.
///
/// # Errors
/// Where another version asks, or what comes makes no sense.
pub fn serve(
    mut input: impl Read,
    output: impl Write + Send + 'static,
    program: &Path,
    cache: &Path,
) -> Result<(), FrameError> {
    let agent = Arc::new(Agent {
        host: LocalHost::new(program.to_owned()),
        wall: Wall::of_this_machine(),
        output: Mutex::new(Box::new(output)),
        waiting_since: Mutex::new(Some(Instant::now())),
        writing_since: Mutex::default(),
        over: AtomicBool::new(false),
        unanswered: AtomicUsize::new(0),
        logs: AtomicU64::new(0),
        temp: Mutex::default(),
        controls: Mutex::default(),
        things: Mutex::default(),
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
    wall: Wall,
    output: Mutex<Box<dyn Write + Send>>,
    /// Since when the asker has to be heard; `None` while something that it said is dealt with.
    waiting_since: Mutex<Option<Instant>>,
    /// Since when the asker has to read what is written; `None` while nothing is.
    writing_since: Mutex<Option<Instant>>,
    over: AtomicBool,
    /// How many requests have no reply yet.
    unanswered: AtomicUsize,
    /// How many logs were begun.
    logs: AtomicU64,
    /// Where they are.
    temp: Mutex<Option<Folder>>,
    /// The loads that flow and the waits for locks, by their request's number.
    controls: Mutex<HashMap<u64, Arc<Control>>>,
    /// What was made, by its request's number.
    things: Mutex<HashMap<u64, Arc<Thing>>>,
}

/// What an agent made and keeps until it is asked to drop it.
enum Thing {
    Process(Mutex<Started>),
    Session(Mutex<Session>),
    Meter(Mutex<Option<Box<dyn Meter>>>),
    Connection(Socket),
    /// Held only.
    Held(#[allow(dead_code)] Mutex<Box<dyn Send>>),
}

impl Thing {
    fn held(thing: impl Send + 'static) -> Thing {
        Thing::Held(Mutex::new(Box::new(thing)))
    }
}

/// A process and its log.
struct Started {
    process: Box<dyn Process>,
    log: PathBuf,
}

/// Why something cannot be done.
fn refusal(says: impl std::fmt::Display) -> Refusal {
    Refusal {
        says: says.to_string(),
        number: None,
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        refusal(error)
    }
}

fn gone(number: u64) -> Refusal {
    refusal(format!("find what has the number {number}: it is gone"))
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
                ToAgent::Ask(..) if self.unanswered.load(Ordering::Relaxed) >= MOST_UNANSWERED => {
                    return FrameError::TooMany(MOST_UNANSWERED);
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
                        self.reply(number, Err(refusal(format!("start a thread: {error}"))));
                    }
                }
                ToAgent::Cancel(number) => {
                    if let Some(control) = locked(&self.controls).get(&number) {
                        control.stop();
                    }
                }
                ToAgent::Bytes(number, bytes) => {
                    if let Ok(thing) = self.thing(number)
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
                    let thing = locked(&self.things).remove(&number);
                    // A process and a session may take their time; a folder must be gone before this program may be.
                    if let Some(Thing::Process(_) | Thing::Session(_)) = thing.as_deref() {
                        thread::spawn(move || drop(thing));
                    }
                }
            }
        }
    }

    /// Does what is asked, and replies.
    fn work(self: &Arc<Self>, number: u64, ask: Ask) {
        let reply = ask.perform(&Call {
            agent: self,
            number,
        });
        locked(&self.controls).remove(&number);
        self.reply(number, reply);
    }

    /// Says again and again that it is there. Waits where nobody reads.
    fn say_alive(&self) {
        while !self.over.load(Ordering::Relaxed) {
            thread::sleep(ALIVE);
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
            since.is_some_and(|since| since.elapsed() > SILENCE)
        };
        while !self.over.load(Ordering::Relaxed) {
            thread::sleep(ALIVE);
            for (since, what) in [
                (&self.waiting_since, "nobody was heard"),
                (&self.writing_since, "nobody read what was written"),
            ] {
                if too_long(since) {
                    self.give_up(&format!("{what} for {} s", SILENCE.as_secs()));
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
        let deadline = Instant::now() + LAST_WORDS;
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
        let things: Vec<Arc<Thing>> = locked(&self.things).drain().map(|(_, t)| t).collect();
        // All at once: each may take its grace.
        thread::scope(|scope| {
            for thing in &things {
                scope.spawn(move || {
                    if let Thing::Process(started) = &**thing {
                        let _ = locked(started).process.stop(crate::keeper::ORPHAN_GRACE);
                    }
                });
            }
        });
        drop(things);
        locked(&self.temp).take();
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

    fn thing(&self, number: u64) -> Result<Arc<Thing>, Refusal> {
        let things = locked(&self.things);
        things.get(&number).cloned().ok_or_else(|| gone(number))
    }
}
