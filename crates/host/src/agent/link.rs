//! photofinish's end of the stream to an agent: requests out, replies in, from any thread.

mod shared;

use std::io::{self, Read, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use photofinish_load::{Control, Mark};

use super::frame::{self, FrameError};
use super::message::{News, Refusal, ToAgent, Welcome};
use super::serve::request::{Ask, Request};
use super::{ALIVE, SILENCE, locked};
use crate::Error;
use crate::command::ends_within;
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

/// What came for a request.
pub(super) enum Came {
    Reply(Result<Vec<u8>, Refusal>),
    News(News),
}

/// Why there is no reply.
pub(super) enum Failed {
    /// The agent says why.
    Refused(Refusal),
    /// It is gone.
    Lost(String),
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
        let (gather, machine) = (Arc::clone(&shared), name.to_owned());
        thread::spawn(move || gather.gather(errors, &machine));
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

    /// Asks, and waits for the reply.
    pub(super) fn ask<R: Request>(&self, request: R) -> Result<R::Reply, Failed> {
        Ok(self.make(request)?.1)
    }

    /// Asks for something to be made, and waits until it is; returns its number with the reply.
    pub(super) fn make<R: Request>(&self, request: R) -> Result<(u64, R::Reply), Failed> {
        self.make_unless(request, &|| false)
    }

    /// Asks for something to be made, and waits until it is, or `unwanted` cancels the request.
    pub(super) fn make_unless<R: Request>(
        &self,
        request: R,
        unwanted: &dyn Fn() -> bool,
    ) -> Result<(u64, R::Reply), Failed> {
        let (number, came) = self.begin(request.into())?;
        let reply = self.wait(number, &came, unwanted)?;
        Ok((number, read::<R>(reply)?))
    }

    /// Asks for something that sends news for as long as it is there; returns its number, and what comes of it: first what came
    /// before the reply.
    pub(super) fn subscribe<R: Request>(
        &self,
        request: R,
    ) -> Result<(u64, impl Iterator<Item = News> + use<R>), Failed> {
        let (number, came) = self.begin(request.into())?;
        // A server that speaks first may have spoken before the reply.
        let mut early = Vec::new();
        loop {
            match came.recv() {
                Ok(Came::Reply(reply)) => {
                    read::<R>(reply)?;
                    let later = came.into_iter().map_while(|came| match came {
                        Came::News(news) => Some(news),
                        Came::Reply(_) => None,
                    });
                    return Ok((number, early.into_iter().chain(later)));
                }
                Ok(Came::News(news)) => early.push(news),
                Err(_) => return Err(self.lost()),
            }
        }
    }

    /// Lets load flow, and reports to `control` its windows and marks.
    pub(super) fn load<R: Request>(
        &self,
        request: R,
        control: &Control,
    ) -> Result<(u64, R::Reply), Failed> {
        let (number, came) = self.begin(request.into())?;
        let mut stopped = false;
        loop {
            match came.recv_timeout(LOOK) {
                Ok(Came::Reply(reply)) => return Ok((number, read::<R>(reply)?)),
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
            if control.stopped() && !stopped {
                stopped = true;
                self.send(&ToAgent::Cancel(number));
            }
        }
    }

    fn begin(&self, ask: Ask) -> Result<(u64, Receiver<Came>), Failed> {
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

    fn wait(
        &self,
        number: u64,
        came: &Receiver<Came>,
        unwanted: &dyn Fn() -> bool,
    ) -> Result<Result<Vec<u8>, Refusal>, Failed> {
        let mut cancelled = false;
        let reply = loop {
            match came.recv_timeout(LOOK) {
                Ok(Came::Reply(reply)) => break reply,
                Ok(Came::News(_)) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(self.lost()),
            }
            if !cancelled && unwanted() {
                cancelled = true;
                self.send(&ToAgent::Cancel(number));
            }
        };
        self.forget(number);
        Ok(reply)
    }

    /// What comes for a request from now on is nobody's.
    fn forget(&self, number: u64) {
        locked(&self.shared.waiting).remove(&number);
    }

    /// Sends what has no reply.
    pub(super) fn send(&self, message: &ToAgent<Ask>) {
        self.shared.send(message);
    }

    /// What was made is not needed any more.
    pub(super) fn release(&self, number: u64) {
        self.forget(number);
        self.send(&ToAgent::Drop(number));
    }

    /// Whether the agent is gone, and why.
    pub(super) fn still_there(&self) -> Result<(), Failed> {
        // Not in the condition itself, which would hold the lock until it is taken again.
        let lost = locked(&self.shared.lost).is_some();
        if lost { Err(self.lost()) } else { Ok(()) }
    }

    fn lost(&self) -> Failed {
        let why = locked(&self.shared.lost).clone();
        Failed::Lost(why.unwrap_or_else(|| "its stream ended".to_owned()))
    }

    /// The id of the program that carries the bytes.
    pub fn carrier(&self) -> u32 {
        locked(&self.shared.carrier).id()
    }
}

/// Reads the reply to a request.
fn read<R: Request>(reply: Result<Vec<u8>, Refusal>) -> Result<R::Reply, Failed> {
    let bytes = reply.map_err(Failed::Refused)?;
    let odd = |_| Failed::Lost("its reply is to another request".to_owned());
    postcard::from_bytes(&bytes).map_err(odd)
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

impl Failed {
    /// As the lab reports it.
    pub(super) fn on(self, machine: &str) -> Error {
        let machine = machine.to_owned();
        match self {
            Failed::Refused(Refusal { says, .. }) => Error::Elsewhere { machine, says },
            Failed::Lost(says) => Error::Unreachable { machine, says },
        }
    }

    /// As the system reports it.
    pub(super) fn as_io(&self) -> io::Error {
        match self {
            Failed::Refused(Refusal {
                number: Some(number),
                ..
            }) => io::Error::from_raw_os_error(*number),
            Failed::Refused(Refusal { says, .. }) | Failed::Lost(says) => {
                io::Error::other(says.clone())
            }
        }
    }
}
