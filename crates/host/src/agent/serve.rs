//! The agent: does on its machine what it is asked to, and ends all of it when nobody asks any more.

mod news;
mod reply;
mod wall;

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{IpAddr, Shutdown};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

use photofinish_load::{Control, Session};
use socket2::Socket;

use super::frame::{self, FrameError};
use super::message::{Ask, FromAgent, Refusal, Reply, ToAgent, Welcome};
use super::{ALIVE, SILENCE, locked};
use crate::{Error, Folder, LocalHost, Lock, Meter, Process};
use wall::Wall;

/// Serves whoever speaks through `input` and listens to `output`, until that one is gone; then everything that was started ends.
///
/// `program` is photofinish itself; builds are kept below `cache`.
///
/// # Errors
/// Where another version asks, or what comes makes no sense.
pub fn serve(
    mut input: impl Read,
    mut output: impl Write + Send + 'static,
    program: &Path,
    cache: &Path,
) -> Result<(), FrameError> {
    frame::greet(&mut output)?;
    frame::meet(&mut input)?;
    let welcome = Welcome {
        program: program.to_owned(),
        cache: cache.to_owned(),
        address: reached_at(),
    };
    frame::send(&mut output, &welcome)?;
    let agent = Arc::new(Agent {
        host: LocalHost::new(program.to_owned()),
        wall: Wall::of_this_machine(),
        output: Mutex::new(Box::new(output)),
        heard: Mutex::new(Instant::now()),
        over: AtomicBool::new(false),
        logs: AtomicU64::new(0),
        temp: Mutex::default(),
        controls: Mutex::default(),
        things: Mutex::default(),
    });
    let watch = Arc::clone(&agent);
    thread::spawn(move || watch.watch());
    let result = agent.listen(&mut input);
    agent.end();
    match result {
        FrameError::Ended => Ok(()),
        error => Err(error),
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
    /// When the asker was heard last.
    heard: Mutex<Instant>,
    over: AtomicBool,
    /// How many logs were begun.
    logs: AtomicU64,
    /// Where they are.
    temp: Mutex<Option<Folder>>,
    /// The loads that flow and the waits for locks, by their question's number.
    controls: Mutex<HashMap<u64, Arc<Control>>>,
    /// What was made, by its question's number.
    things: Mutex<HashMap<u64, Arc<Thing>>>,
}

/// What an agent made and keeps until it is asked to drop it.
enum Thing {
    Process(Mutex<Started>),
    Session(Mutex<Session>),
    Meter(Mutex<Option<Box<dyn Meter>>>),
    Connection(Socket),
    /// Held only.
    Held(#[allow(dead_code)] Held),
}

/// A process and its log.
struct Started {
    process: Box<dyn Process>,
    log: PathBuf,
}

enum Held {
    Lock(#[allow(dead_code)] Mutex<Lock>),
    Folder(#[allow(dead_code)] Mutex<Folder>),
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
    /// Takes what comes until nothing more does; returns why.
    fn listen(self: &Arc<Self>, input: &mut impl Read) -> FrameError {
        loop {
            let message = match frame::take(input) {
                Ok(message) => message,
                Err(error) => return error,
            };
            *locked(&self.heard) = Instant::now();
            match message {
                ToAgent::Alive => {}
                // At once and in this thread: it is what tells clocks apart.
                ToAgent::Ask(number, Ask::Clock) => {
                    self.reply(number, Ok(Reply::Time(self.wall.now())));
                }
                ToAgent::Ask(number, ask) => {
                    let agent = Arc::clone(self);
                    if let Ask::Run(_) | Ask::Open(_) | Ask::Slice(..) | Ask::Lock(_) = ask {
                        // Before the thread: it may be cancelled by the next message.
                        locked(&self.controls).insert(number, Arc::default());
                    }
                    let spawned = thread::Builder::new().spawn(move || {
                        let reply = agent.work(number, ask);
                        locked(&agent.controls).remove(&number);
                        agent.reply(number, reply);
                    });
                    if let Err(error) = spawned {
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

    /// Says that it is there, and ends everything when the asker has been silent for too long.
    fn watch(&self) {
        while !self.over.load(Ordering::Relaxed) {
            thread::sleep(ALIVE);
            self.send(&FromAgent::Alive);
            if locked(&self.heard).elapsed() > SILENCE {
                eprintln!(
                    "photofinish agent: nobody was heard for {} s; ending everything that was started",
                    SILENCE.as_secs()
                );
                self.end();
                // The thread that listens waits for a stream that may never end.
                std::process::exit(3);
            }
        }
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
        let _ = frame::send(&mut *locked(&self.output), message);
    }

    fn reply(&self, number: u64, reply: Result<Reply, Refusal>) {
        self.send(&FromAgent::Reply(number, reply));
    }

    fn thing(&self, number: u64) -> Result<Arc<Thing>, Refusal> {
        let things = locked(&self.things);
        things.get(&number).cloned().ok_or_else(|| gone(number))
    }

    fn keep(&self, number: u64, thing: Thing) {
        locked(&self.things).insert(number, Arc::new(thing));
    }
}
