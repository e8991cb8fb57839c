//! photofinish's end of the stream to an agent: requests out, replies in, from any thread.

mod connection;
mod shared;

use std::any::Any;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use photofinish_load::{Control, Mark};
use photofinish_model::Address;
use socket2::Socket;

use super::frame::{self, FrameError};
use super::message::{News, Refusal, ToAgent, Welcome};
use super::{KEEPALIVE_INTERVAL, SILENCE_TIMEOUT};
use crate::command::ends_within;
use crate::host::{About, AgentLink};
use crate::locked::locked;
use crate::request::Ask;
use crate::{Allocation, Error, Host};
use shared::Shared;

/// How often a waiting request checks whether it is still wanted.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// How many messages may wait for whoever asked: the bytes of a connection that nobody reads are no more than 64 MiB.
const MAX_WAITING_MESSAGES: usize = 1024;
/// How long the program that carries the bytes may take to exit by itself.
const EXIT_TIMEOUT: Duration = Duration::from_secs(10);

/// The stream to an agent, and the program that carries it.
pub struct Link {
    name: String,
    welcome: Welcome,
    /// Where servers are reached.
    address: IpAddr,
    /// What a scheduler says that the machine is, without the cores that may be used there.
    allocation: Option<Allocation>,
    shared: Arc<Shared>,
    /// What the program that carries the bytes needs for as long as it runs.
    held: Option<Arc<dyn Any + Send + Sync>>,
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

impl Link {
    /// Starts the program that carries the bytes to an agent, and meets that; `name` is what the user calls its machine. Servers there are
    /// reached at `address`, or at the one that an SSH connection came to.
    ///
    /// # Errors
    /// If it cannot be started, says nothing for too long, or is another version or no agent that speaks; and for an interrupt.
    pub fn start(
        name: &str,
        address: Option<IpAddr>,
        command: &mut Command,
        interrupt: &AtomicBool,
    ) -> Result<Link, Error> {
        let unreachable = |says: String| Error::unreachable(name, says);
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
                    thread::sleep(KEEPALIVE_INTERVAL);
                }
            });
        }
        let address = address.or(welcome.address);
        Ok(Link {
            name: name.to_owned(),
            welcome,
            address: address.unwrap_or(Ipv4Addr::LOCALHOST.into()),
            allocation: None,
            shared,
            held: None,
        })
    }

    /// The same, which keeps something for as long as it is there.
    pub(crate) fn holding(mut self, held: Arc<dyn Any + Send + Sync>) -> Link {
        self.held = Some(held);
        self
    }

    /// The same, as a part of what a scheduler allocated.
    pub(crate) fn allocated(mut self, allocation: Allocation) -> Link {
        self.allocation = Some(allocation);
        self
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
        let deadline = Instant::now() + SILENCE_TIMEOUT;
        let why = loop {
            match met.recv_timeout(POLL_INTERVAL) {
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
                break format!("it says nothing for {} s", SILENCE_TIMEOUT.as_secs());
            }
        };
        Err(Error::unreachable(name, shared.why(&why)))
    }

    fn begin(&self, ask: Ask) -> Result<(u64, Receiver<Came>), String> {
        let number = self.shared.next.fetch_add(1, Ordering::Relaxed);
        let (sender, came) = mpsc::sync_channel(MAX_WAITING_MESSAGES);
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

    /// Why the agent is gone.
    fn lost(&self) -> String {
        let why = locked(&self.shared.lost).clone();
        why.unwrap_or_else(|| "its stream ended".to_owned())
    }

    fn unreachable(&self, why: String) -> Error {
        Error::unreachable(&self.name, why)
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
        if !ends_within(&mut locked(&self.shared.carrier), EXIT_TIMEOUT) {
            self.shared.end_carrier();
        }
    }
}

impl From<Link> for Host {
    fn from(link: Link) -> Host {
        let about = About {
            name: link.name.clone(),
            photofinish: link.welcome.program.clone(),
            address: link.address,
            is_here: false,
            cache: Some(link.welcome.cache.clone()),
            allocation: link.allocation.clone(),
        };
        Host::of_agent(about, Arc::new(link))
    }
}

impl AgentLink for Link {
    fn still_there(&self) -> Result<(), Error> {
        // Not in the condition itself, which would hold the lock until it is taken again.
        let lost = locked(&self.shared.lost).is_some();
        match lost {
            true => Err(self.unreachable(self.lost())),
            false => Ok(()),
        }
    }

    fn ask(
        &self,
        ask: Ask,
        control: &Control,
        unwanted: &dyn Fn() -> bool,
    ) -> Result<(u64, Vec<u8>), Error> {
        let (number, came) = self.begin(ask).map_err(|why| self.unreachable(why))?;
        let mut cancelled = false;
        let reply = loop {
            match came.recv_timeout(POLL_INTERVAL) {
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
                Err(RecvTimeoutError::Disconnected) => return Err(self.unreachable(self.lost())),
            }
            if !cancelled && (control.stopped() || unwanted()) {
                cancelled = true;
                self.shared.send(&ToAgent::Cancel(number));
            }
        };
        self.shared.forget(number);
        match reply {
            Ok(reply) => Ok((number, reply)),
            Err(Refusal { says, .. }) => Err(Error::elsewhere(&self.name, says)),
        }
    }

    fn release(&self, number: u64) {
        self.shared.release(number);
    }

    fn connect(&self, address: &Address, within: Duration) -> io::Result<Socket> {
        self.connection(address, within)
    }
}
