//! This machine as a host: what it does for a request, and what it made for one and keeps.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use hdrhistogram::Histogram;
use photofinish_load::{Config, Control, Outcome, Session, Slice};
use photofinish_model::Address;
use photofinish_model::files::{self, temp::TempFolder};
use procfs::{Current, Meminfo};
use socket2::{Socket, Type};

use super::found::RunningServers;
use super::hiccup::{self, FINE_SLEEP};
use super::keeper::ORPHAN_GRACE;
use super::locked::locked;
use super::logs::Logs;
use super::meter::{MeterKind, MeterThread};
use super::{Error, ProcessSpec, bounds, reference, sys, throttle};
use process::LocalProcess;
use server::Server;
use wall::Wall;

mod folders;
mod process;
mod reports;
mod sampling;
mod server;
mod wall;

pub use folders::Piece;
pub(crate) use folders::{clear, give, lock, temp};

/// This machine as a host.
#[derive(Default)]
pub struct LocalHost {
    program: PathBuf,
    pub(crate) running_servers: RunningServers,
    pub(crate) wall: Wall,
    logs: Logs,
    /// Where the logs lie of servers whose spec has none.
    own_logs: Mutex<Option<TempFolder>>,
    numbers: AtomicU64,
    /// What was made, by its request's number.
    things: Mutex<HashMap<u64, Arc<Thing>>>,
}

/// What was made for a request, until it is dropped.
pub(crate) enum Thing {
    Process(Box<Mutex<Started>>),
    Session(Mutex<Session>),
    Meter(Mutex<Option<MeterThread>>),
    Connection(Socket),
    /// Held only.
    Held(#[allow(dead_code)] Mutex<Box<dyn Send>>),
}

/// A server and its log.
pub(crate) struct Started {
    server: Server,
    log: PathBuf,
}

impl Thing {
    pub(crate) fn held(thing: impl Send + 'static) -> Thing {
        Thing::Held(Mutex::new(Box::new(thing)))
    }

    pub(crate) fn meter(meter: MeterThread) -> Thing {
        Thing::Meter(Mutex::new(Some(meter)))
    }

    /// Whether it may take its time to end.
    pub(crate) fn ends_slowly(&self) -> bool {
        matches!(self, Thing::Process(_) | Thing::Session(_))
    }
}

impl LocalHost {
    /// `program` is the photofinish binary, whose hidden command `__keep` is [`super::keep`].
    ///
    /// From now on this process adopts what keepers leave that are killed. If the kernel cannot do that, most of it is found otherwise.
    pub fn new(program: PathBuf) -> LocalHost {
        let _ = sys::adopt_orphans();
        LocalHost {
            program,
            ..LocalHost::default()
        }
    }

    /// The same for an agent, which reports its machine's wall clock.
    pub(crate) fn of_agent(program: PathBuf) -> LocalHost {
        LocalHost {
            wall: Wall::of_this_machine(),
            ..LocalHost::new(program)
        }
    }

    /// A number for a request.
    pub fn new_number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn keep(&self, number: u64, thing: Thing) {
        locked(&self.things).insert(number, Arc::new(thing));
    }

    /// What was made by this number, which nobody finds any more.
    pub(crate) fn take(&self, number: u64) -> Option<Arc<Thing>> {
        locked(&self.things).remove(&number)
    }

    /// Drops what was made by this number.
    pub fn release(&self, number: u64) {
        drop(self.take(number));
    }

    /// What was made by this number.
    pub(crate) fn thing(&self, number: u64) -> Result<Arc<Thing>, Error> {
        let things = locked(&self.things);
        things.get(&number).cloned().ok_or(Error::Gone(number))
    }

    /// Ends everything that was made.
    pub(crate) fn end_all(&self) {
        let things: Vec<Arc<Thing>> = locked(&self.things).drain().map(|(_, t)| t).collect();
        // All at once: each may take its grace.
        thread::scope(|scope| {
            for thing in &things {
                scope.spawn(move || {
                    if let Thing::Process(started) = &**thing
                        && let Some(own) = locked(started).server.started()
                    {
                        let _ = own.stop(ORPHAN_GRACE);
                    }
                });
            }
        });
        drop(things);
        locked(&self.own_logs).take();
    }

    pub(crate) fn start(&self, number: u64, mut spec: ProcessSpec) -> Result<Option<u32>, Error> {
        if spec.log == Path::new("") {
            spec.log = self.new_log(number)?;
        }
        let process = LocalProcess::start(&self.program, &self.logs, &spec)?;
        let pid = process.pid();
        if spec.container.is_some() {
            // It may be below no process of photofinish's.
            self.running_servers.add(pid);
        }
        let server = Server::Started(Box::new(process));
        let log = spec.log;
        self.keep(
            number,
            Thing::Process(Box::new(Mutex::new(Started { server, log }))),
        );
        Ok(pid)
    }

    /// A file for what the server of this number prints.
    fn new_log(&self, number: u64) -> Result<PathBuf, Error> {
        let mut folder = locked(&self.own_logs);
        let folder = match &mut *folder {
            Some(folder) => folder,
            none => none.insert(temp()?),
        };
        Ok(folder.path().join(format!("{number}.log")))
    }

    pub(crate) fn find(&self, number: u64, address: Option<&Address>) -> Option<u32> {
        let found = address.map(|address| self.running_servers.find(address));
        let server = Server::Found(Box::new(found.unwrap_or_default()));
        let (pid, log) = (server.pid(), PathBuf::new());
        self.keep(
            number,
            Thing::Process(Box::new(Mutex::new(Started { server, log }))),
        );
        pid
    }

    fn started<T>(
        &self,
        number: u64,
        work: impl FnOnce(&mut Started) -> Result<T, Error>,
    ) -> Result<T, Error> {
        match &*self.thing(number)? {
            Thing::Process(started) => work(&mut locked(started)),
            _ => Err(Error::Gone(number)),
        }
    }

    /// Does something about the server of this number.
    pub(crate) fn server<T>(
        &self,
        number: u64,
        work: impl FnOnce(&mut Server) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.started(number, |started| work(&mut started.server))
    }

    /// What the server of this number has printed; of a long log not the middle.
    pub(crate) fn log(&self, number: u64, most: usize) -> Result<Vec<u8>, Error> {
        self.started(number, |Started { log, .. }| {
            files::read(log, most as u64).map_err(Error::file("read", log))
        })
    }

    pub(crate) fn meter(
        &self,
        number: u64,
        read: impl FnOnce(&mut Option<MeterThread>) -> Option<Histogram<u64>>,
    ) -> Result<Option<Histogram<u64>>, Error> {
        match &*self.thing(number)? {
            Thing::Meter(meter) => Ok(read(&mut locked(meter))),
            _ => Err(Error::Gone(number)),
        }
    }

    pub(crate) fn run(&self, config: Config, control: &Control) -> Result<Outcome, Error> {
        let outcome = photofinish_load::run(&affordable(config), control)?;
        Ok(self.wall.by_wall(outcome))
    }

    pub(crate) fn open(&self, number: u64, config: Config, control: &Control) -> Result<(), Error> {
        let session = Session::open(&affordable(config), control)?;
        self.keep(number, Thing::Session(Mutex::new(session)));
        Ok(())
    }

    pub(crate) fn slice(
        &self,
        number: u64,
        slice: Slice,
        control: &Control,
    ) -> Result<Outcome, Error> {
        match &*self.thing(number)? {
            Thing::Session(session) => {
                let slice = self.wall.by_kernel(slice);
                let outcome = locked(session).slice(&slice, control)?;
                Ok(self.wall.by_wall(outcome))
            }
            _ => Err(Error::Gone(number)),
        }
    }
}

/// If the container's CPU time has a bound, threads that do not sleep would use it up, and the kernel would stop them.
fn affordable(config: Config) -> Config {
    Config {
        eager: config.eager && throttle::throttled().is_none(),
        ..config
    }
}

/// How many cores may be used.
pub(crate) fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Starts a meter, on this core if one is given.
pub(crate) fn start_meter(kind: MeterKind, cpu: Option<usize>) -> MeterThread {
    match kind {
        MeterKind::Hiccups => hiccup::hiccups(cpu, FINE_SLEEP),
        MeterKind::Reference => reference::reference(cpu),
        MeterKind::Wakes => hiccup::wakes(cpu),
    }
}

pub(crate) fn memory_available() -> Option<u64> {
    let free = Meminfo::current().ok()?.mem_available?;
    let bound = bounds::memory().map(|bound| bound.available);
    Some(bound.unwrap_or(free).min(free))
}

/// Connects to a server.
pub(crate) fn connect(address: &Address, within: Duration) -> io::Result<Socket> {
    let to = address.to_system()?;
    let socket = Socket::new(to.domain(), Type::STREAM, None)?;
    socket.connect_timeout(&to, within)?;
    Ok(socket)
}
