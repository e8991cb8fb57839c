//! photofinish's end of the stream to an agent: questions out, replies in, from any thread.

mod shared;

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use photofinish_load::{Control, Mark};

use super::frame::{self, FrameError};
use super::message::{News, ToAgent, Welcome};
use super::{ALIVE, SILENCE, locked};
use crate::Error;
use crate::command::ends_within;
use crate::request::Ask;
use shared::Shared;

/// How often a wait looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(20);
/// How many messages may wait for whoever asked: the bytes of a connection that nobody reads are no more than 64 MiB.
const MOST_WAITING: usize = 1024;
/// How long a program that carries the bytes has to end by itself.
const ENDS: Duration = Duration::from_secs(10);

/// The stream to an agent, and the program that carries it.
pub struct Link {
    name: String,
    pub(super) welcome: Welcome,
    shared: Arc<Shared>,
}

/// An agent that was met, and the stream on which it is heard.
struct Met<R> {
    welcome: Welcome,
    input: R,
}

/// What came for a question.
pub(super) enum Came {
    Reply(Result<Vec<u8>, String>),
    News(News),
}

impl Link {
    /// Starts the program that carries the bytes to an agent, and meets that; `name` is what the user calls its machine.
    ///
    /// # Errors
    /// Where it cannot be started, says nothing for too long, or is another version or no agent that speaks; and for an interrupt.
    pub fn start(name: &str, command: &mut Command, interrupt: &AtomicBool) -> Result<Link, Error> {
        let unreachable = |says: String| Error::Unreachable {
            machine: name.to_owned(),
            says,
        };
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = (command.stderr(Stdio::piped()).spawn()).map_err(|error| {
            unreachable(format!("{}: {error}", command.get_program().display()))
        })?;
        let (Some(input), Some(output), Some(errors)) =
            (child.stdout.take(), child.stdin.take(), child.stderr.take())
        else {
            return Err(unreachable("its program has no pipes".to_owned()));
        };
        let shared = Arc::new(Shared::new(child));
        let gather = Arc::clone(&shared);
        thread::spawn(move || gather.gather(errors));
        let meeting = Link::meet(name, &shared, input, output, interrupt);
        let Met { welcome, input } = meeting.inspect_err(|_| shared.end_carrier())?;
        let reader = Arc::clone(&shared);
        thread::spawn(move || reader.listen(input));
        // Two threads, for the one that writes may have to wait until it can.
        for step in [Shared::say_alive, Shared::is_alive] {
            let watched = Arc::downgrade(&shared);
            thread::spawn(move || {
                while watched.upgrade().is_some_and(|shared| step(&shared)) {
                    thread::sleep(ALIVE);
                }
            });
        }
        Ok(Link {
            name: name.to_owned(),
            welcome,
            shared,
        })
    }

    /// Meets an agent over two streams.
    fn meet<R: Read + Send + 'static>(
        name: &str,
        shared: &Shared,
        mut input: R,
        mut output: impl Write + Send + 'static,
        interrupt: &AtomicBool,
    ) -> Result<Met<R>, Error> {
        let (met_in, met) = mpsc::channel();
        // It waits for bytes, which may never come.
        thread::spawn(move || {
            let met = (|| {
                frame::greet(&mut output)?;
                frame::meet(&mut input)?;
                frame::take(&mut input)
            })();
            let _ = met_in.send(met.map(|welcome| (Met { welcome, input }, output)));
        });
        let deadline = Instant::now() + SILENCE;
        let why = loop {
            match met.recv_timeout(LOOK) {
                Ok(Ok((met, output))) => {
                    *locked(&shared.output) = Some(Box::new(output));
                    return Ok(met);
                }
                Ok(Err(error)) => {
                    // What its program complained of says more than that it ended; a version that differs says all.
                    if let FrameError::Ended = error {
                        shared.hear_complaints();
                    }
                    break error.to_string();
                }
                Err(RecvTimeoutError::Disconnected) => break "its stream ended".to_owned(),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if interrupt.load(Ordering::Relaxed) {
                return Err(Error::Interrupted);
            }
            if Instant::now() >= deadline {
                break format!("it says nothing for {} s", SILENCE.as_secs());
            }
        };
        Err(Error::Unreachable {
            machine: name.to_owned(),
            says: shared.why(&why),
        })
    }

    /// What the user calls its machine.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Asks for something, which is followed or ended early by `control`; returns its number with the reply, encoded.
    ///
    /// # Errors
    /// Why it cannot be done, and where the agent is gone.
    pub(super) fn ask(&self, ask: Ask, control: &Control) -> Result<(u64, Vec<u8>), Error> {
        let (number, came) = self.begin(ask)?;
        let mut is_cancelled = false;
        let reply = loop {
            match came.recv_timeout(LOOK) {
                Ok(Came::Reply(reply)) => break reply,
                Ok(Came::News(News::Window(window))) => {
                    if let Some(windows) = control.windows() {
                        // Whoever listened has gone: that is no reason to end the run.
                        let _ = windows.send(window);
                    }
                }
                // This machine's clock, some half of a round trip later: samples are taken by it.
                Ok(Came::News(News::Opened)) => control.mark(Mark::Opened(Instant::now())),
                Ok(Came::News(News::Closed)) => control.mark(Mark::Closed(Instant::now())),
                Ok(Came::News(News::Bytes(_))) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(self.lost()),
            }
            if control.stopped() && !is_cancelled {
                is_cancelled = true;
                self.send(&ToAgent::Cancel(number));
            }
        };
        self.forget(number);
        Ok((number, reply.map_err(|says| self.refused(says))?))
    }

    /// Asks for something that sends news for as long as it is there; returns its number, the reply, and what comes of it: first what came
    /// before the reply.
    pub(super) fn subscribe(
        &self,
        ask: Ask,
    ) -> Result<(u64, Vec<u8>, impl Iterator<Item = News> + use<>), Error> {
        let (number, came) = self.begin(ask)?;
        // A server that speaks first may have spoken before the reply.
        let mut early = Vec::new();
        loop {
            match came.recv() {
                Ok(Came::Reply(reply)) => {
                    let reply = reply.map_err(|says| self.refused(says))?;
                    let later = came.into_iter().map_while(|came| match came {
                        Came::News(news) => Some(news),
                        Came::Reply(_) => None,
                    });
                    return Ok((number, reply, early.into_iter().chain(later)));
                }
                Ok(Came::News(news)) => early.push(news),
                Err(_) => return Err(self.lost()),
            }
        }
    }

    fn begin(&self, ask: Ask) -> Result<(u64, Receiver<Came>), Error> {
        let number = self.shared.next.fetch_add(1, Ordering::Relaxed);
        let (sender, came) = mpsc::sync_channel(MOST_WAITING);
        // Looked at under the same lock by whoever notices that the agent is gone.
        let mut waiting = locked(&self.shared.waiting);
        if locked(&self.shared.lost).is_some() {
            drop(waiting);
            return Err(self.lost());
        }
        waiting.insert(number, sender);
        drop(waiting);
        self.shared.send(&ToAgent::Ask(number, ask));
        Ok((number, came))
    }

    /// What comes for a question from now on is nobody's.
    fn forget(&self, number: u64) {
        locked(&self.shared.waiting).remove(&number);
    }

    /// Sends what has no reply.
    pub(super) fn send(&self, message: &ToAgent) {
        self.shared.send(message);
    }

    /// What was made is not needed any more.
    pub(super) fn release(&self, number: u64) {
        self.forget(number);
        self.send(&ToAgent::Drop(number));
    }

    /// Nothing, as long as nobody has noticed that the agent is gone.
    ///
    /// # Errors
    /// Why it is gone.
    pub(super) fn still_there(&self) -> Result<(), Error> {
        // Not in the condition itself, which would hold the lock until it is taken again.
        let lost = locked(&self.shared.lost).is_some();
        if lost { Err(self.lost()) } else { Ok(()) }
    }

    fn lost(&self) -> Error {
        let why = locked(&self.shared.lost).clone();
        Error::Unreachable {
            machine: self.name.clone(),
            says: why.unwrap_or_else(|| "its stream ended".to_owned()),
        }
    }

    fn refused(&self, says: String) -> Error {
        let machine = self.name.clone();
        Error::Elsewhere { machine, says }
    }

    /// The id of the program that carries the bytes.
    pub fn carrier(&self) -> u32 {
        locked(&self.shared.carrier).id()
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // The agent sees the end of its stream, ends everything and then itself.
        drop(locked(&self.shared.output).take());
        if !ends_within(&mut locked(&self.shared.carrier), ENDS) {
            self.shared.end_carrier();
        }
    }
}
