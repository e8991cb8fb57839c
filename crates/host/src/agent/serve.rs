//! The agent: does on its machine what it is asked to, and ends all of it when nobody asks any more.

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::net::{IpAddr, Shutdown, TcpStream};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Instant, SystemTime};

use photofinish_load::{Control, Mark, Session};

use super::frame::{self, FrameError};
use super::message::{
    Answer, Ask, FromAgent, Json, News, ProcessAsk, Put, Refusal, Times, ToAgent, Welcome,
};
use super::{ALIVE, SILENCE};
use crate::{Error, Files, Folder, Here, Host, LocalHost, Lock, Machine, Meter, Process};

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

/// An agent, shared by the threads that answer.
struct Agent {
    host: LocalHost,
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

/// What an agent made and keeps until it is told otherwise.
enum Thing {
    Process(Mutex<Started>),
    Session(Mutex<Session>),
    Meter(Mutex<Option<Box<dyn Meter>>>),
    Connection(TcpStream),
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

/// Why something cannot be answered.
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

fn system(what: &str, path: &Path) -> impl Fn(io::Error) -> Refusal {
    let what = format!("{what} {}", path.display());
    move |error| Refusal {
        says: format!("{what}: {error}"),
        number: error.raw_os_error(),
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
                ToAgent::Ask(number, Ask::Clock) => self.answer(number, Ok(clock())),
                ToAgent::Ask(number, ask) => {
                    let agent = Arc::clone(self);
                    if let Ask::Run(_) | Ask::Open(_) | Ask::Slice(..) | Ask::Lock(_) = ask {
                        // Before the thread: it may be cancelled by the next message.
                        locked(&self.controls).insert(number, Arc::default());
                    }
                    let spawned = thread::Builder::new().spawn(move || {
                        let answer = agent.work(number, ask);
                        locked(&agent.controls).remove(&number);
                        agent.answer(number, answer);
                    });
                    if let Err(error) = spawned {
                        self.answer(number, Err(refusal(format!("start a thread: {error}"))));
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

    fn answer(&self, number: u64, answer: Result<Answer, Refusal>) {
        self.send(&FromAgent::Answer(number, answer));
    }

    fn thing(&self, number: u64) -> Result<Arc<Thing>, Refusal> {
        let things = locked(&self.things);
        things.get(&number).cloned().ok_or_else(|| gone(number))
    }

    fn keep(&self, number: u64, thing: Thing) {
        locked(&self.things).insert(number, Arc::new(thing));
    }

    /// Answers a question.
    fn work(self: &Arc<Self>, number: u64, ask: Ask) -> Result<Answer, Refusal> {
        Ok(match ask {
            Ask::Cores => Answer::Count(Here.cores() as u64),
            Ask::Cpus => Answer::Cpus(Here.cpus()?),
            Ask::Facts => Answer::Facts(Here.facts()?),
            Ask::OpenFiles(needed) => Answer::OpenFiles(Here.allow_open_files(needed).err()),
            Ask::OwnCpu => Answer::Time(Here.own_cpu()),
            Ask::Clock => clock(),
            Ask::Fill(bytes) => Answer::Bytes(vec![0; (bytes as usize).min(frame::LONGEST / 2)]),
            Ask::Hiccups(cpu) => {
                self.keep(number, Thing::Meter(Mutex::new(Some(Here.hiccups(cpu)))));
                Answer::Done
            }
            Ask::Lap(meter) => {
                let late = self.meter(meter, |meter| meter.as_ref().and_then(|m| m.lap()))?;
                Answer::Late(late.as_ref().and_then(Times::of))
            }
            Ask::End(meter) => {
                let late = self.meter(meter, |meter| meter.take().and_then(|m| m.end()))?;
                locked(&self.things).remove(&meter);
                Answer::Late(late.as_ref().and_then(Times::of))
            }
            Ask::Connect(address, within) => {
                let stream = Here.connect(address, within).map_err(|error| Refusal {
                    says: error.to_string(),
                    number: error.raw_os_error(),
                })?;
                self.keep(number, Thing::Connection(stream));
                self.pass_on(number)?;
                Answer::Done
            }
            Ask::FreePort => Answer::Count(self.host.free_port()?.into()),
            Ask::PortHolder(port) => Answer::Holder(self.host.port_holder(port)),
            Ask::MachineSample => Answer::Sample(self.host.machine_sample()),
            Ask::CoreTimes => Answer::CoreTimes(self.host.core_times()),
            Ask::MemoryAvailable => Answer::Memory(self.host.memory_available()),
            Ask::Tools(needs) => Answer::Tools(self.host.tools(&needs)?),
            Ask::Start(mut spec) => {
                spec.log = self.new_log()?;
                let process = self.host.start(&spec)?;
                let pid = process.pid();
                let log = spec.log;
                self.keep(number, Thing::Process(Mutex::new(Started { process, log })));
                Answer::Pid(pid)
            }
            Ask::Process(process, ask) => match &*self.thing(process)? {
                Thing::Process(started) => about(&mut locked(started), ask)?,
                _ => return Err(gone(process)),
            },
            Ask::Lock(path) => {
                let control = self.control(number);
                let lock = Here.lock(&path, &|| control.stopped())?;
                self.keep(number, Thing::Held(Held::Lock(Mutex::new(lock))));
                Answer::Done
            }
            Ask::Has(path) => Answer::Has(Here.has(&path)?),
            Ask::Clear(path) => {
                Here.put(Path::new("/"), &[], &path)?;
                Answer::Done
            }
            Ask::Put(path, put) => {
                write(&path, put).map_err(system("write", &path))?;
                Answer::Done
            }
            Ask::Temp => {
                let folder = Here.temp()?;
                let path = folder.path().to_owned();
                self.keep(number, Thing::Held(Held::Folder(Mutex::new(folder))));
                Answer::Path(path)
            }
            Ask::Run(config) => {
                let config = read(&config)?;
                self.followed(number, |control| photofinish_load::run(&config, control))?
            }
            Ask::Open(config) => {
                let config = read(&config)?;
                let session = Session::open(&config, &self.control(number)).map_err(refusal)?;
                self.keep(number, Thing::Session(Mutex::new(session)));
                Answer::Done
            }
            Ask::Slice(session, slice) => match &*self.thing(session)? {
                Thing::Session(session) => {
                    let mut session = locked(session);
                    self.followed(number, |control| session.slice(&slice, control))?
                }
                _ => return Err(gone(session)),
            },
        })
    }

    fn control(&self, number: u64) -> Arc<Control> {
        let controls = locked(&self.controls);
        controls.get(&number).cloned().unwrap_or_default()
    }

    fn meter<T>(
        &self,
        number: u64,
        of: impl FnOnce(&mut Option<Box<dyn Meter>>) -> T,
    ) -> Result<T, Refusal> {
        match &*self.thing(number)? {
            Thing::Meter(meter) => Ok(of(&mut locked(meter))),
            _ => Err(gone(number)),
        }
    }

    /// Lets load flow, and passes on its windows and marks as they come.
    fn followed(
        self: &Arc<Self>,
        number: u64,
        load: impl FnOnce(&Control) -> Result<photofinish_load::Outcome, photofinish_load::Error>,
    ) -> Result<Answer, Refusal> {
        let (windows_in, windows) = mpsc::channel();
        let (marks_in, marks) = mpsc::channel();
        let control = Arc::new(Control::with_windows(windows_in).with_marks(marks_in));
        if let Some(before) = locked(&self.controls).insert(number, Arc::clone(&control))
            && before.stopped()
        {
            control.stop();
        }
        let outcome = thread::scope(|scope| {
            // Marks at once: they say when to look at the server.
            scope.spawn(|| {
                for mark in marks {
                    let news = match mark {
                        Mark::Opened(_) => News::Opened,
                        Mark::Closed(_) => News::Closed,
                    };
                    self.send(&FromAgent::News(number, news));
                }
            });
            scope.spawn(|| {
                for window in windows {
                    self.send(&FromAgent::News(number, News::Window(window)));
                }
            });
            let outcome = load(&control);
            // The channels close with their last holder, and their threads end.
            locked(&self.controls).remove(&number);
            drop(control);
            outcome
        });
        Ok(Answer::Outcome(Box::new(outcome.map_err(refusal)?)))
    }

    /// Passes on what comes over a connection.
    fn pass_on(self: &Arc<Self>, number: u64) -> Result<(), Refusal> {
        let agent = Arc::clone(self);
        let thing = self.thing(number)?;
        thread::spawn(move || {
            let Thing::Connection(stream) = &*thing else {
                return;
            };
            let mut bytes = vec![0; PIECE];
            loop {
                // Whatever is wrong with it, no more will come.
                let read = { stream }.read(&mut bytes).unwrap_or(0);
                let news = News::Bytes(bytes[..read].to_vec());
                agent.send(&FromAgent::News(number, news));
                if read == 0 {
                    return;
                }
            }
        });
        Ok(())
    }

    /// A file for what a process prints.
    fn new_log(&self) -> Result<PathBuf, Refusal> {
        let mut temp = locked(&self.temp);
        let folder = match &mut *temp {
            Some(folder) => folder,
            none => none.insert(Here.temp()?),
        };
        let number = self.logs.fetch_add(1, Ordering::Relaxed);
        Ok(folder.path().join(format!("{number}.log")))
    }
}

fn gone(number: u64) -> Refusal {
    refusal(format!("find what has the number {number}: it is gone"))
}

fn clock() -> Answer {
    Answer::Time(SystemTime::UNIX_EPOCH.elapsed().ok())
}

fn read<T: serde::Serialize + for<'d> serde::Deserialize<'d>>(
    json: &Json<T>,
) -> Result<T, Refusal> {
    json.read()
        .map_err(|error| refusal(format!("read what is to be sent: {error}")))
}

/// What is asked about a process.
fn about(started: &mut Started, ask: ProcessAsk) -> Result<Answer, Refusal> {
    let process = &mut started.process;
    Ok(match ask {
        ProcessAsk::Exited => Answer::Exited(process.exited()?),
        ProcessAsk::Usage => Answer::Usage(process.usage()?),
        ProcessAsk::Glance => Answer::Usage(process.glance()?),
        ProcessAsk::ForeignListener(port) => Answer::Holder(process.foreign_listener(port)),
        ProcessAsk::Cpu => Answer::Time(process.cpu()),
        ProcessAsk::Freeze(frozen) => {
            process.freeze(frozen)?;
            Answer::Done
        }
        ProcessAsk::Log => {
            let log = &started.log;
            Answer::Bytes(fs::read(log).map_err(system("read", log))?)
        }
        ProcessAsk::Stop(grace) => {
            process.stop(grace)?;
            Answer::Done
        }
    })
}

/// Writes what was put.
fn write(path: &Path, put: Put) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    match put {
        Put::Link(to) => symlink(to, path),
        Put::More(bytes) => OpenOptions::new()
            .append(true)
            .open(path)?
            .write_all(&bytes),
        Put::File(mode, bytes) => {
            let mut options = OpenOptions::new();
            let mut file = options
                .write(true)
                .create(true)
                .truncate(true)
                .mode(mode)
                .open(path)?;
            file.write_all(&bytes)?;
            file.set_permissions(fs::Permissions::from_mode(mode))
        }
    }
}
