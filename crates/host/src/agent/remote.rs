//! Another machine as the lab sees it: a host and a generator whose work an agent does.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::net::{IpAddr, Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use photofinish_load::{Config, Control, Outcome, Slice};
use photofinish_model::version::VersionReq;
use tempfile::TempDir;

use super::link::{Came, Failed, Link};
use super::message::{Answer, Ask, Json, News, ProcessAsk, Put, ToAgent};
use crate::{
    CoreTimes, Cpu, Error, Facts, Files, Folder, Generator, Host, Lock, Machine, MachineSample,
    Meter, NoLoad, PortHolder, Process, ProcessSpec, Session, Tools, Usage,
};

/// How many bytes of a file travel in one message.
const PIECE: usize = 1 << 20;

/// Another machine.
#[derive(Clone)]
pub struct Remote {
    link: Arc<Link>,
    address: IpAddr,
    /// What the program that carries the bytes needs for as long as it runs; after the link.
    _held: Option<Arc<TempDir>>,
}

/// Takes the answer of the kind that a question has.
macro_rules! expect {
    ($remote:expr, $ask:expr, $kind:ident) => {
        match $remote.ask($ask) {
            Ok(Answer::$kind(answer)) => Ok(answer),
            Ok(_) => Err($remote.odd()),
            Err(error) => Err(error),
        }
    };
}

impl Remote {
    /// Starts the program that carries the bytes to an agent; servers there are reached at `address`, or at the one that an SSH
    /// connection came to.
    ///
    /// # Errors
    /// Where no agent can be had.
    pub fn start(
        name: &str,
        address: Option<IpAddr>,
        command: &mut Command,
    ) -> Result<Remote, Error> {
        let link = Link::start(name, command)?;
        let address = address.or(link.welcome.address);
        Ok(Remote {
            link: Arc::new(link),
            address: address.unwrap_or(Ipv4Addr::LOCALHOST.into()),
            _held: None,
        })
    }

    /// The same, which keeps a folder for as long as it is there.
    pub(crate) fn holding(self, folder: Arc<TempDir>) -> Remote {
        Remote {
            _held: Some(folder),
            ..self
        }
    }

    /// The stream to the agent.
    pub fn link(&self) -> &Link {
        &self.link
    }

    /// Where builds are kept there.
    pub fn cache(&self) -> &Path {
        &self.link.welcome.cache
    }

    /// The wall clock there, since the epoch.
    ///
    /// # Errors
    /// Where the agent is gone.
    pub fn clock(&self) -> Result<Duration, Error> {
        expect!(self, Ask::Clock, Time)?.ok_or_else(|| self.odd())
    }

    /// So many bytes from there.
    ///
    /// # Errors
    /// Where the agent is gone.
    pub fn fill(&self, bytes: u32) -> Result<usize, Error> {
        Ok(expect!(self, Ask::Fill(bytes), Bytes)?.len())
    }

    fn ask(&self, ask: Ask) -> Result<Answer, Error> {
        self.link.ask(ask).map_err(|failed| self.error(failed))
    }

    fn make(&self, ask: Ask) -> Result<(Made, Answer), Error> {
        let (number, answer) = self.link.make(ask).map_err(|failed| self.error(failed))?;
        Ok((self.made(number), answer))
    }

    fn made(&self, number: u64) -> Made {
        let link = Arc::clone(&self.link);
        Made { link, number }
    }

    fn error(&self, failed: Failed) -> Error {
        failed.on(self.link.name())
    }

    fn no_load(&self, failed: Failed) -> NoLoad {
        NoLoad::Elsewhere(Box::new(self.error(failed)))
    }

    /// An answer of another kind than was asked for.
    fn odd(&self) -> Error {
        Error::Unreachable {
            machine: self.link.name().to_owned(),
            says: "it answered another question".to_owned(),
        }
    }

    fn put_file(&self, from: &Path, to: &Path) -> Result<(), Error> {
        let failed = |source| Error::File {
            verb: "read",
            path: from.to_owned(),
            source,
        };
        let meta = from.symlink_metadata().map_err(failed)?;
        let put = |put| self.ask(Ask::Put(to.to_owned(), put)).map(drop);
        if meta.is_symlink() {
            return put(Put::Link(from.read_link().map_err(failed)?));
        }
        let mut file = File::open(from).map_err(failed)?;
        let mut first = true;
        loop {
            let mut piece = Vec::new();
            let read = (&mut file).take(PIECE as u64).read_to_end(&mut piece);
            let read = read.map_err(failed)?;
            if first {
                put(Put::File(meta.permissions().mode() & 0o7777, piece))?;
            } else if read > 0 {
                put(Put::More(piece))?;
            }
            first = false;
            if read < PIECE {
                return Ok(());
            }
        }
    }
}

/// Something that an agent made; dropping it says that it is not needed any more.
struct Made {
    link: Arc<Link>,
    number: u64,
}

impl Drop for Made {
    fn drop(&mut self) {
        self.link.release(self.number);
    }
}

impl Machine for Remote {
    fn name(&self) -> String {
        self.link.name().to_owned()
    }

    fn cores(&self) -> usize {
        let cores = expect!(self, Ask::Cores, Count);
        // Whoever is gone says so when more is asked of it.
        cores.map_or(1, |cores| cores as usize)
    }

    fn cpus(&self) -> Result<Vec<Cpu>, Error> {
        expect!(self, Ask::Cpus, Cpus)
    }

    fn facts(&self) -> Result<Facts, Error> {
        expect!(self, Ask::Facts, Facts)
    }

    fn allow_open_files(&self, needed: u64) -> Result<(), u64> {
        let most = expect!(self, Ask::OpenFiles(needed), OpenFiles);
        most.ok().flatten().map_or(Ok(()), Err)
    }

    fn own_cpu(&self) -> Option<Duration> {
        let time = expect!(self, Ask::OwnCpu, Time);
        time.ok().flatten()
    }

    fn hiccups(&self, cpu: Option<usize>) -> Box<dyn Meter> {
        let made = self.make(Ask::Hiccups(cpu)).ok().map(|(made, _)| made);
        Box::new(RemoteMeter {
            remote: self.clone(),
            made,
        })
    }

    /// What comes and goes there goes through a pair of sockets of this machine, so that it can be used as any other
    /// connection.
    fn connect(&self, address: SocketAddr, within: Duration) -> io::Result<TcpStream> {
        let ask = Ask::Connect(address, within);
        let (number, came) = (self.link.subscribe(ask)).map_err(|failed| failed.as_io())?;
        let made = Arc::new(self.made(number));
        let (ours, theirs) = pair()?;
        let mut from = theirs.try_clone()?;
        let out = Arc::clone(&made);
        thread::spawn(move || {
            let mut bytes = vec![0; 64 * 1024];
            loop {
                let read = from.read(&mut bytes).unwrap_or(0);
                out.link
                    .send(&ToAgent::Bytes(number, bytes[..read].to_vec()));
                if read == 0 {
                    return;
                }
            }
        });
        thread::spawn(move || {
            let _made = made;
            let mut to = theirs;
            while let Ok(Came::News(News::Bytes(bytes))) = came.recv() {
                if bytes.is_empty() || to.write_all(&bytes).is_err() {
                    break;
                }
            }
            let _ = to.shutdown(Shutdown::Both);
        });
        Ok(ours)
    }
}

/// Two ends of a connection within this machine.
fn pair() -> io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let ours = TcpStream::connect(listener.local_addr()?)?;
    loop {
        let (theirs, address) = listener.accept()?;
        // Anybody may have connected meanwhile.
        if address == ours.local_addr()? {
            theirs.set_nodelay(true)?;
            return Ok((ours, theirs));
        }
    }
}

struct RemoteMeter {
    remote: Remote,
    /// `None`: there could be none.
    made: Option<Made>,
}

impl RemoteMeter {
    fn late(&self, ask: fn(u64) -> Ask) -> Option<Histogram<u64>> {
        let number = self.made.as_ref()?.number;
        let late = expect!(self.remote, ask(number), Late);
        late.ok().flatten()?.read()
    }
}

impl Meter for RemoteMeter {
    fn lap(&self) -> Option<Histogram<u64>> {
        self.late(Ask::Lap)
    }

    fn end(self: Box<Self>) -> Option<Histogram<u64>> {
        self.late(Ask::End)
    }
}

impl Host for Remote {
    fn machine(&self) -> &dyn Machine {
        self
    }

    fn files(&self) -> &dyn Files {
        self
    }

    fn photofinish(&self) -> &Path {
        &self.link.welcome.program
    }

    fn address(&self) -> IpAddr {
        self.address
    }

    fn free_port(&self) -> Result<u16, Error> {
        let port: u64 = expect!(self, Ask::FreePort, Count)?;
        u16::try_from(port).map_err(|_| self.odd())
    }

    fn port_holder(&self, port: u16) -> Option<PortHolder> {
        let holder = expect!(self, Ask::PortHolder(port), Holder);
        holder.ok().flatten()
    }

    fn start(&self, spec: &ProcessSpec) -> Result<Box<dyn Process>, Error> {
        let (made, answer) = self.make(Ask::Start(spec.clone()))?;
        let Answer::Pid(pid) = answer else {
            return Err(self.odd());
        };
        // What others have printed to the same log stays.
        let before = fs::metadata(&spec.log).map_or(0, |meta| meta.len());
        Ok(Box::new(RemoteProcess {
            remote: self.clone(),
            made,
            pid,
            log: spec.log.clone(),
            before,
            stopped: false,
        }))
    }

    fn machine_sample(&self) -> Option<MachineSample> {
        let sample = expect!(self, Ask::MachineSample, Sample);
        sample.ok().flatten()
    }

    fn core_times(&self) -> Option<CoreTimes> {
        let times = expect!(self, Ask::CoreTimes, CoreTimes);
        times.ok().flatten()
    }

    fn memory_available(&self) -> Option<u64> {
        let memory = expect!(self, Ask::MemoryAvailable, Memory);
        memory.ok().flatten()
    }

    fn tools(&self, needs: &BTreeMap<String, VersionReq>) -> Result<Tools, Error> {
        expect!(self, Ask::Tools(needs.clone()), Tools)
    }
}

impl Files for Remote {
    fn are_here(&self) -> bool {
        false
    }

    fn lock(&self, path: &Path, interrupted: &dyn Fn() -> bool) -> Result<Lock, Error> {
        let ask = Ask::Lock(path.to_owned());
        match self.link.make_while(ask, interrupted) {
            Ok((number, _)) => Ok(Lock::new(self.made(number))),
            Err(_) if interrupted() => Err(Error::Interrupted),
            Err(failed) => Err(self.error(failed)),
        }
    }

    fn has(&self, path: &Path) -> Result<bool, Error> {
        expect!(self, Ask::Has(path.to_owned()), Has)
    }

    fn put(&self, from: &Path, files: &[PathBuf], to: &Path) -> Result<(), Error> {
        self.ask(Ask::Clear(to.to_owned()))?;
        (files.iter()).try_for_each(|file| self.put_file(&from.join(file), &to.join(file)))
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), Error> {
        let put = Put::File(0o644, bytes.to_vec());
        self.ask(Ask::Put(path.to_owned(), put)).map(drop)
    }

    fn temp(&self) -> Result<Folder, Error> {
        match self.make(Ask::Temp)? {
            (made, Answer::Path(path)) => Ok(Folder::new(path, made)),
            _ => Err(self.odd()),
        }
    }
}

/// A process that an agent started.
struct RemoteProcess {
    remote: Remote,
    made: Made,
    pid: u32,
    /// On this machine.
    log: PathBuf,
    /// How long that was before.
    before: u64,
    stopped: bool,
}

impl RemoteProcess {
    fn ask(&self, ask: ProcessAsk) -> Result<Answer, Error> {
        self.remote.ask(Ask::Process(self.made.number, ask))
    }

    fn odd(&self) -> Error {
        self.remote.odd()
    }
}

impl Process for RemoteProcess {
    fn pid(&self) -> u32 {
        self.pid
    }

    fn exited(&mut self) -> Result<Option<String>, Error> {
        expect!(self, ProcessAsk::Exited, Exited)
    }

    fn usage(&mut self) -> Result<Usage, Error> {
        expect!(self, ProcessAsk::Usage, Usage)
    }

    fn glance(&mut self) -> Result<Usage, Error> {
        expect!(self, ProcessAsk::Glance, Usage)
    }

    fn foreign_listener(&mut self, port: u16) -> Option<PortHolder> {
        let holder = expect!(self, ProcessAsk::ForeignListener(port), Holder);
        holder.ok().flatten()
    }

    fn cpu(&mut self) -> Option<Duration> {
        let time = expect!(self, ProcessAsk::Cpu, Time);
        time.ok().flatten()
    }

    fn freeze(&mut self, frozen: bool) -> Result<(), Error> {
        self.ask(ProcessAsk::Freeze(frozen)).map(drop)
    }

    fn fetch_log(&mut self) -> Result<(), Error> {
        let bytes: Vec<u8> = expect!(self, ProcessAsk::Log, Bytes)?;
        let write = || -> io::Result<()> {
            let mut options = OpenOptions::new();
            let mut file = (options.write(true).create(true).truncate(false)).open(&self.log)?;
            // All of it each time: a long log loses its middle.
            file.set_len(self.before)?;
            file.seek(SeekFrom::Start(self.before))?;
            file.write_all(&bytes)
        };
        write().map_err(|source| Error::File {
            verb: "write",
            path: self.log.clone(),
            source,
        })
    }

    fn stop(&mut self, grace: Duration) -> Result<(), Error> {
        if self.stopped {
            return Ok(());
        }
        let result = self.ask(ProcessAsk::Stop(grace)).map(drop);
        self.stopped = result.is_ok();
        let fetched = self.fetch_log();
        result.and(fetched)
    }
}

impl Drop for RemoteProcess {
    fn drop(&mut self) {
        // Where this fails the agent is gone, and ends it by itself.
        let _ = self.stop(crate::keeper::ORPHAN_GRACE);
    }
}

impl Generator for Remote {
    fn machine(&self) -> &dyn Machine {
        self
    }

    fn run(&self, config: &Config, control: &Control) -> Result<Outcome, NoLoad> {
        self.flow(Ask::Run(Json::of(config)), control)
    }

    fn open<'g>(
        &'g self,
        config: &Config,
        control: &Control,
    ) -> Result<Box<dyn Session + 'g>, NoLoad> {
        let opened = self.link.load(Ask::Open(Json::of(config)), control);
        let (number, _) = opened.map_err(|failed| self.no_load(failed))?;
        Ok(Box::new(RemoteSession {
            remote: self,
            made: self.made(number),
        }))
    }
}

impl Remote {
    fn flow(&self, ask: Ask, control: &Control) -> Result<Outcome, NoLoad> {
        let answer = self.link.load(ask, control);
        match answer.map_err(|failed| self.no_load(failed))? {
            (_, Answer::Outcome(outcome)) => Ok(*outcome),
            _ => Err(NoLoad::Elsewhere(Box::new(self.odd()))),
        }
    }
}

/// Connections from another machine.
struct RemoteSession<'r> {
    remote: &'r Remote,
    made: Made,
}

impl Session for RemoteSession<'_> {
    fn slice(&mut self, slice: &Slice, control: &Control) -> Result<Outcome, NoLoad> {
        let ask = Ask::Slice(self.made.number, slice.clone());
        self.remote.flow(ask, control)
    }
}

/// How far the clock of another machine is ahead of this one's, and the shortest of many round trips, in which it was read: half of
/// that is how wrong it may be.
///
/// # Errors
/// Where the agent is gone.
pub fn clock_offset(remote: &Remote, trips: u32) -> Result<(f64, Duration), Error> {
    let epoch = std::time::SystemTime::UNIX_EPOCH;
    let mut best: Option<(f64, Duration)> = None;
    for _ in 0..trips.max(1) {
        let (begun, wall) = (Instant::now(), epoch.elapsed().unwrap_or_default());
        let theirs = remote.clock()?;
        let took = begun.elapsed();
        let offset = theirs.as_secs_f64() - (wall + took / 2).as_secs_f64();
        if best.is_none_or(|(_, shortest)| took < shortest) {
            best = Some((offset, took));
        }
    }
    Ok(best.unwrap_or((0.0, Duration::ZERO)))
}
