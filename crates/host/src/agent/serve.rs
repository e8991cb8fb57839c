//! An agent's end of the stream: hands over what is asked for, passes on what comes of it, and ends all of it when nobody asks any more.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{IpAddr, Shutdown};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use photofinish_load::{Control, Mark};
use socket2::Socket;

use super::frame::{self, FrameError};
use super::message::{FromAgent, News, ToAgent, Welcome};
use super::wall::Wall;
use super::{ALIVE, Agent, SILENCE, Thing, locked};
use crate::host::Call;
use crate::request::Ask;

/// How long this program waits until its last words are taken.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// How many questions may have no reply: many times what a race asks at once.
const MOST_UNANSWERED: usize = 256;
/// How many bytes of a connection travel in one message.
const PIECE: usize = 64 * 1024;

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
    let served = Arc::new(Served {
        agent: Agent {
            wall: Wall::of_this_machine(),
            ..Agent::new(program.to_owned())
        },
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
    let watch = Arc::clone(&served);
    thread::spawn(move || watch.watch());
    let result = served.meet(&mut input, &welcome).map(|()| {
        let alive = Arc::clone(&served);
        thread::spawn(move || alive.say_alive());
        served.listen(&mut input)
    });
    served.end();
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

/// An agent and its stream, shared by the threads that work.
struct Served {
    agent: Agent,
    output: Mutex<Box<dyn Write + Send>>,
    /// Since when the asker has to be heard; `None` while something that it said is dealt with.
    waiting_since: Mutex<Option<Instant>>,
    /// Since when the asker has to read what is written; `None` while nothing is.
    writing_since: Mutex<Option<Instant>>,
    over: AtomicBool,
    /// How many questions have no reply yet.
    unanswered: AtomicUsize,
    /// What ends the requests early that are under way, by their numbers.
    controls: Mutex<HashMap<u64, Arc<Control>>>,
}

impl Served {
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
                ToAgent::Ask(number, ask @ Ask::Clock(_)) => {
                    self.work(number, ask, &Control::default());
                }
                ToAgent::Ask(number, ask) => {
                    // A thread does what is asked: so many at most.
                    if self.unanswered.load(Ordering::Relaxed) >= MOST_UNANSWERED {
                        return FrameError::TooMany(MOST_UNANSWERED);
                    }
                    self.begin(number, ask);
                }
                ToAgent::Cancel(number) => {
                    if let Some(control) = locked(&self.controls).get(&number) {
                        control.stop();
                    }
                }
                ToAgent::Bytes(number, bytes) => {
                    if let Ok(thing) = self.agent.things.get(number)
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
                    let thing = self.agent.things.take(number);
                    if let Some(Thing::Connection(stream)) = thing.as_deref() {
                        // The thread that reads it holds it too.
                        let _ = stream.shutdown(Shutdown::Both);
                    }
                    // A server and a session may take their time; a folder must be gone before this program may be.
                    if let Some(Thing::Server(_) | Thing::Session(_)) = thing.as_deref() {
                        thread::spawn(move || drop(thing));
                    }
                }
            }
        }
    }

    /// Begins to do what is asked, in a thread of its own.
    fn begin(self: &Arc<Self>, number: u64, ask: Ask) {
        let (windows_in, windows) = mpsc::channel();
        let (marks_in, marks) = mpsc::channel();
        let is_followed = ask.is_followed();
        let control = Arc::new(match is_followed {
            true => Control::with_windows(windows_in).with_marks(marks_in),
            false => Control::default(),
        });
        // Before the thread: it may be cancelled by the next message.
        locked(&self.controls).insert(number, Arc::clone(&control));
        self.unanswered.fetch_add(1, Ordering::Relaxed);
        let served = Arc::clone(self);
        let work = move || {
            thread::scope(|scope| {
                if is_followed {
                    // Marks at once: they say when to look at the server.
                    scope.spawn(|| {
                        for mark in marks {
                            let news = match mark {
                                Mark::Opened(_) => News::Opened,
                                Mark::Closed(_) => News::Closed,
                            };
                            served.send(&FromAgent::News(number, news));
                        }
                    });
                    scope.spawn(|| {
                        for window in windows {
                            served.send(&FromAgent::News(number, News::Window(window)));
                        }
                    });
                }
                let reply = served.reply_to(number, ask, &control);
                // The channels close with their last holder, and their threads end.
                locked(&served.controls).remove(&number);
                drop(control);
                reply
            })
        };
        let served = Arc::clone(self);
        let spawned = thread::Builder::new().spawn(move || {
            let reply = work();
            served.send(&FromAgent::Reply(number, reply));
            served.unanswered.fetch_sub(1, Ordering::Relaxed);
        });
        if let Err(error) = spawned {
            self.unanswered.fetch_sub(1, Ordering::Relaxed);
            let says = format!("start a thread: {error}");
            self.send(&FromAgent::Reply(number, Err(says)));
        }
    }

    /// Does what is asked, and replies.
    fn work(self: &Arc<Self>, number: u64, ask: Ask, control: &Control) {
        let reply = self.reply_to(number, ask, control);
        self.send(&FromAgent::Reply(number, reply));
    }

    fn reply_to(
        self: &Arc<Self>,
        number: u64,
        ask: Ask,
        control: &Control,
    ) -> Result<Vec<u8>, String> {
        let reply = ask.perform(&self.agent, &Call { number, control });
        if let Ok(thing) = self.agent.things.get(number)
            && let Thing::Connection(stream) = &*thing
            && let Ok(stream) = stream.try_clone()
        {
            let served = Arc::clone(self);
            thread::spawn(move || served.pass_on(number, &stream));
        }
        reply.map_err(|error| error.to_string())
    }

    /// Passes on what comes over a connection.
    fn pass_on(&self, number: u64, mut stream: &Socket) {
        let mut bytes = vec![0; PIECE];
        loop {
            // Whatever is wrong with it, no more will come.
            let read = stream.read(&mut bytes).unwrap_or(0);
            let news = News::Bytes(bytes[..read].to_vec());
            self.send(&FromAgent::News(number, news));
            if read == 0 {
                return;
            }
        }
    }

    /// Says again and again that it is there. Waits where nobody reads.
    fn say_alive(&self) {
        while !self.over.load(Ordering::Relaxed) {
            thread::sleep(ALIVE);
            if self.write(|output| frame::send(output, &FromAgent::Alive)).is_err() {
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

    /// Ends loads, servers and all else.
    fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
        locked(&self.controls)
            .values()
            .for_each(|control| control.stop());
        self.agent.end();
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
}
