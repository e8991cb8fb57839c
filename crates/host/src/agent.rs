//! The agent: does what a machine is asked for, and keeps what it makes.
//!
//! This process has one for its own machine. `photofinish agent` has one on another machine: [`serve`] hands it what arrives over a stream of
//! bytes, and [`Remote`] is how the lab sees it. Who carries the bytes is nothing to either.
//!
//! When the stream ends, that agent ends everything. Where a stream stays open though nobody is there any more, as after a cut link, both
//! sides notice by the other's silence.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use photofinish_load::Session;
use socket2::Socket;
use tempfile::TempDir;

mod frame;
mod link;
mod message;
mod remote;
mod serve;
mod wall;

pub use frame::{FrameError, PROTOCOL};
pub use link::Link;
pub use remote::Remote;
pub use serve::serve;

pub(crate) use frame::LONGEST as LONGEST_MESSAGE;

use super::already::{Found, Racing};
use super::host::Call;
use super::keeper::ORPHAN_GRACE;
use super::local::LocalProcess;
use super::logs::Logs;
use super::meter::Noting;
use super::request::temporary_folder;
use super::{Error, sys, usage};
use wall::Wall;

/// How often each side says that it is still there.
const ALIVE: Duration = Duration::from_secs(2);
/// After so long a silence the other side is gone. A link that is cut for 10 s is none.
const SILENCE: Duration = Duration::from_secs(20);

/// What a thread that panicked has left is good enough for the others.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does what its machine is asked for.
pub struct Agent {
    program: PathBuf,
    pub(crate) wall: Wall,
    pub(crate) logs: Logs,
    pub(crate) racing: Racing,
    things: Table<Thing>,
    /// The folder of the logs of which nobody says where they are to be, and how many were begun.
    own_logs: Mutex<(Option<TempDir>, u64)>,
}

/// What was made, by the number of the call that made it.
pub(crate) struct Table<T> {
    next: AtomicU64,
    things: Mutex<HashMap<u64, Arc<T>>>,
}

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table {
            next: AtomicU64::new(0),
            things: Mutex::default(),
        }
    }
}

impl<T> Table<T> {
    pub(crate) fn next_number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn keep(&self, call: &Call<'_>, thing: T) {
        locked(&self.things).insert(call.number, Arc::new(thing));
    }

    pub(crate) fn get(&self, number: u64) -> Result<Arc<T>, Error> {
        let thing = locked(&self.things).get(&number).cloned();
        thing.ok_or(Error::Gone(number))
    }

    pub(crate) fn take(&self, number: u64) -> Option<Arc<T>> {
        locked(&self.things).remove(&number)
    }
}

/// What an agent makes and keeps until it is not needed any more.
pub(crate) enum Thing {
    Server(Mutex<(Server, PathBuf)>),
    Session(Mutex<Session>),
    Meter(Noting),
    Connection(Socket),
    /// Kept only.
    Held(#[allow(dead_code)] Mutex<Box<dyn Send>>),
}

/// A server.
pub enum Server {
    /// One that was started.
    Started(Box<LocalProcess>),
    /// One that ran already.
    Found(Found),
}

impl Thing {
    /// A server, and where its output goes.
    pub(crate) fn server(server: Server, log: PathBuf) -> Thing {
        Thing::Server(Mutex::new((server, log)))
    }

    pub(crate) fn session(session: Session) -> Thing {
        Thing::Session(Mutex::new(session))
    }

    pub(crate) fn held(thing: impl Send + 'static) -> Thing {
        Thing::Held(Mutex::new(Box::new(thing)))
    }
}

impl Server {
    /// What measures its usage.
    pub(crate) fn usage_meter(&mut self) -> Result<&mut usage::Meter, Error> {
        let meter = match self {
            Server::Started(process) => process.usage_meter(),
            Server::Found(found) => found.usage_meter(),
        };
        meter.ok_or(Error::NotOurs("look at"))
    }
}

impl Agent {
    /// `program` is the photofinish binary.
    pub(crate) fn new(program: PathBuf) -> Agent {
        let _ = sys::adopt_orphans();
        Agent {
            program,
            wall: Wall::default(),
            logs: Logs::default(),
            racing: Racing::default(),
            things: Table::default(),
            own_logs: Mutex::default(),
        }
    }

    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    pub(crate) fn next_number(&self) -> u64 {
        self.things.next_number()
    }

    pub(crate) fn keep(&self, call: &Call<'_>, thing: Thing) {
        self.things.keep(call, thing);
    }

    /// What has this number is not needed any more.
    pub(crate) fn release(&self, number: u64) {
        drop(self.things.take(number));
    }

    /// Does something with a server, of which the log is given too.
    pub(crate) fn server<T>(
        &self,
        number: u64,
        work: impl FnOnce(&mut Server, &Path) -> Result<T, Error>,
    ) -> Result<T, Error> {
        match &*self.things.get(number)? {
            Thing::Server(server) => {
                let (server, log) = &mut *locked(server);
                work(server, log)
            }
            _ => Err(Error::Gone(number)),
        }
    }

    pub(crate) fn session<T>(
        &self,
        number: u64,
        work: impl FnOnce(&mut Session) -> T,
    ) -> Result<T, Error> {
        match &*self.things.get(number)? {
            Thing::Session(session) => Ok(work(&mut locked(session))),
            _ => Err(Error::Gone(number)),
        }
    }

    pub(crate) fn meter<T>(
        &self,
        number: u64,
        work: impl FnOnce(&Noting) -> T,
    ) -> Result<T, Error> {
        match &*self.things.get(number)? {
            Thing::Meter(meter) => Ok(work(meter)),
            _ => Err(Error::Gone(number)),
        }
    }

    /// A file for what a server prints.
    pub(crate) fn new_log(&self) -> Result<PathBuf, Error> {
        let (folder, begun) = &mut *locked(&self.own_logs);
        let folder = match folder {
            Some(folder) => folder,
            none => none.insert(temporary_folder()?),
        };
        *begun += 1;
        Ok(folder.path().join(format!("{begun}.log")))
    }

    /// Ends everything that was made.
    fn end(&self) {
        let things: Vec<Arc<Thing>> = locked(&self.things.things).drain().map(|(_, t)| t).collect();
        // All at once: each may take its grace.
        std::thread::scope(|scope| {
            for thing in &things {
                scope.spawn(move || {
                    if let Thing::Server(server) = &**thing
                        && let (Server::Started(process), _) = &mut *locked(server)
                    {
                        let _ = process.stop(ORPHAN_GRACE);
                    }
                });
            }
        });
        drop(things);
        locked(&self.own_logs).0.take();
    }
}
