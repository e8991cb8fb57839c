//! What is done for each question, and replied.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use photofinish_load::{Control, Session};
use photofinish_model::files;

use super::{Agent, Held, Started, Thing, gone, refusal};
use crate::agent::frame;
use crate::agent::locked;
use crate::agent::message::{Ask, Json, ProcessAsk, Put, Refusal, Reply, Times};
use crate::{Files, Here, Host, Machine, Meter};

impl Agent {
    fn keep_meter(&self, number: u64, meter: Box<dyn Meter>) -> Reply {
        self.keep(number, Thing::Meter(Mutex::new(Some(meter))));
        Reply::Done
    }

    /// Does what is asked.
    pub(super) fn work(self: &Arc<Self>, number: u64, ask: Ask) -> Result<Reply, Refusal> {
        Ok(match ask {
            Ask::Cores => Reply::Count(Here.cores() as u64),
            Ask::Cpus => Reply::Cpus(Here.cpus()?),
            Ask::Facts => Reply::Facts(Here.facts()?),
            Ask::OpenFiles(needed) => Reply::OpenFiles(Here.allow_open_files(needed).err()),
            Ask::OwnCpu => Reply::Time(Here.own_cpu()),
            Ask::Clock => Reply::Time(self.wall.now()),
            Ask::Fill(bytes) => Reply::Bytes(vec![0; (bytes as usize).min(frame::LONGEST / 2)]),
            Ask::Hiccups(cpu) => self.keep_meter(number, Here.hiccups(cpu)),
            Ask::Reference(cpu) => self.keep_meter(number, Here.reference(cpu)),
            Ask::Wakes(cpu) => self.keep_meter(number, Here.wakes(cpu)),
            Ask::Lap(meter) => {
                let late = self.meter(meter, |meter| meter.as_ref().and_then(|m| m.lap()))?;
                Reply::Late(late.as_ref().and_then(Times::of))
            }
            Ask::End(meter) => {
                let late = self.meter(meter, |meter| meter.take().and_then(|m| m.end()))?;
                locked(&self.things).remove(&meter);
                Reply::Late(late.as_ref().and_then(Times::of))
            }
            Ask::Connect(address, within) => {
                let stream = Here.connect(&address, within).map_err(|error| Refusal {
                    says: error.to_string(),
                    number: error.raw_os_error(),
                })?;
                self.keep(number, Thing::Connection(stream));
                self.pass_on(number)?;
                Reply::Done
            }
            Ask::Interface(way) => Reply::Interface(Here.interface(way)),
            Ask::FreePort => Reply::Count(self.host.free_port()?.into()),
            Ask::Holder(address) => Reply::Holder(self.host.holder(&address)),
            Ask::MachineSample => Reply::Sample(self.host.machine_sample()),
            Ask::CoreTimes => Reply::CoreTimes(self.host.core_times()),
            Ask::MemoryAvailable => Reply::Memory(self.host.memory_available()),
            Ask::Tools(needs) => Reply::Tools(self.host.tools(&needs)?),
            Ask::Image(engine, name) => Reply::Image(self.host.image(&engine, &name)?),
            Ask::Programs(names, folders) => Reply::Programs(self.host.programs(&names, &folders)?),
            Ask::Account(names) => Reply::Account(self.host.account(&names)?),
            Ask::Start(mut spec) => {
                spec.log = self.new_log()?;
                let process = self.host.start(&spec)?;
                let pid = process.pid();
                let log = spec.log;
                self.keep(number, Thing::Process(Mutex::new(Started { process, log })));
                Reply::Pid(pid)
            }
            Ask::Process(process, ask) => match &*self.thing(process)? {
                Thing::Process(started) => about(&mut locked(started), ask)?,
                _ => return Err(gone(process)),
            },
            Ask::Lock(path) => {
                let control = self.control(number);
                let lock = Here.lock(&path, &|| control.stopped())?;
                self.keep(number, Thing::Held(Held::Lock(Mutex::new(lock))));
                Reply::Done
            }
            Ask::Has(path) => Reply::Has(Here.has(&path)?),
            Ask::Clear(path) => {
                Here.put(Path::new("/"), &[], &path)?;
                Reply::Done
            }
            Ask::Put(path, put) => {
                write(&path, put).map_err(system("write", &path))?;
                Reply::Done
            }
            Ask::Give(path, to) => {
                Here.give(&path, to)?;
                Reply::Done
            }
            Ask::Temp => {
                let folder = Here.temp()?;
                let path = folder.path().to_owned();
                self.keep(number, Thing::Held(Held::Folder(Mutex::new(folder))));
                Reply::Path(path)
            }
            Ask::Run(config) => {
                let config = read(&config)?;
                self.followed(number, |control| photofinish_load::run(&config, control))?
            }
            Ask::Open(config) => {
                let config = read(&config)?;
                let session = Session::open(&config, &self.control(number)).map_err(refusal)?;
                self.keep(number, Thing::Session(Mutex::new(session)));
                Reply::Done
            }
            Ask::Slice(session, slice) => match &*self.thing(session)? {
                Thing::Session(session) => {
                    let mut session = locked(session);
                    let slice = self.wall.by_kernel(slice);
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

fn read<T: serde::Serialize + for<'d> serde::Deserialize<'d>>(
    json: &Json<T>,
) -> Result<T, Refusal> {
    json.read()
        .map_err(|error| refusal(format!("read what is to be sent: {error}")))
}

/// What is asked about a process.
fn about(started: &mut Started, ask: ProcessAsk) -> Result<Reply, Refusal> {
    let process = &mut started.process;
    Ok(match ask {
        ProcessAsk::Exited => Reply::Exited(process.exited()?),
        ProcessAsk::Usage => Reply::Usage(process.usage()?),
        ProcessAsk::Glance => Reply::Usage(process.glance()?),
        ProcessAsk::ForeignListener(address) => Reply::Holder(process.foreign_listener(&address)),
        ProcessAsk::Cpu => Reply::Time(process.cpu()),
        ProcessAsk::PlaceCompilers(cores) => Reply::Has(process.place_compilers(&cores)?),
        ProcessAsk::Freeze(frozen) => {
            process.freeze(frozen)?;
            Reply::Done
        }
        ProcessAsk::HasBareJava => Reply::Has(process.has_bare_java()?),
        ProcessAsk::JavaAgent(library) => {
            process.load_java_agent(&library)?;
            Reply::Done
        }
        ProcessAsk::Sample(clock, on) => {
            process.sample(clock, on)?;
            Reply::Done
        }
        ProcessAsk::Sampled(clock) => Reply::Sampled(process.sampled(clock)?),
        ProcessAsk::Log => {
            let log = &started.log;
            let read = files::read(log, frame::LONGEST as u64 / 2);
            Reply::Bytes(read.map_err(system("read", log))?)
        }
        ProcessAsk::Stop(grace) => {
            process.stop(grace)?;
            Reply::Done
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

fn system(what: &str, path: &Path) -> impl Fn(io::Error) -> Refusal {
    let what = format!("{what} {}", path.display());
    move |error| Refusal {
        says: format!("{what}: {error}"),
        number: error.raw_os_error(),
    }
}
