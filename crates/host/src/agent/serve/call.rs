//! A request under way: what it works with, and what it keeps.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hdrhistogram::Histogram;
use photofinish_load::{Control, Outcome, Slice};
use photofinish_model::{Address, files};

use super::wall::Wall;
use super::{Agent, Started, Thing, gone};
use crate::agent::frame;
use crate::agent::locked;
use crate::agent::message::{Refusal, Times};
use crate::{Error, Files, Host, LocalHost, Machine, Meter, Process, ProcessSpec, ThisMachine};

/// A request under way. What it makes gets its number.
pub(in crate::agent) struct Call<'a> {
    pub(super) agent: &'a Arc<Agent>,
    pub(super) number: u64,
}

impl Call<'_> {
    pub(super) fn host(&self) -> &LocalHost {
        &self.agent.host
    }

    pub(super) fn wall(&self) -> Wall {
        self.agent.wall
    }

    /// What may end this call early.
    pub(super) fn control(&self) -> Arc<Control> {
        let controls = locked(&self.agent.controls);
        controls.get(&self.number).cloned().unwrap_or_default()
    }

    pub(super) fn keep(&self, thing: Thing) {
        locked(&self.agent.things).insert(self.number, Arc::new(thing));
    }

    pub(super) fn keep_meter(&self, meter: Box<dyn Meter>) {
        self.keep(Thing::Meter(Mutex::new(Some(meter))));
    }

    pub(super) fn meter(
        &self,
        number: u64,
        read: impl FnOnce(&mut Option<Box<dyn Meter>>) -> Option<Histogram<u64>>,
    ) -> Result<Option<Times>, Refusal> {
        match &*self.agent.thing(number)? {
            Thing::Meter(meter) => Ok(read(&mut locked(meter)).as_ref().and_then(Times::of)),
            _ => Err(gone(number)),
        }
    }

    /// Starts a server that prints to a log of the agent's own.
    pub(super) fn start(&self, spec: ProcessSpec) -> Result<Option<u32>, Refusal> {
        let log = self.new_log()?;
        let process = self.host().start(&ProcessSpec {
            log: log.clone(),
            ..spec
        })?;
        let pid = process.pid();
        self.keep(Thing::Process(Mutex::new(Started { process, log })));
        Ok(pid)
    }

    /// A file for what a server prints.
    fn new_log(&self) -> Result<PathBuf, Refusal> {
        let mut temp = locked(&self.agent.temp);
        let folder = match &mut *temp {
            Some(folder) => folder,
            none => none.insert(ThisMachine.temp()?),
        };
        let number = self.agent.logs.fetch_add(1, Ordering::Relaxed);
        Ok(folder.path().join(format!("{number}.log")))
    }

    fn started<T>(
        &self,
        number: u64,
        work: impl FnOnce(&mut Started) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        match &*self.agent.thing(number)? {
            Thing::Process(started) => work(&mut locked(started)),
            _ => Err(gone(number)),
        }
    }

    pub(super) fn process<T>(
        &self,
        number: u64,
        work: impl FnOnce(&mut dyn Process) -> Result<T, Error>,
    ) -> Result<T, Refusal> {
        self.started(number, |started| Ok(work(&mut *started.process)?))
    }

    pub(super) fn log(&self, number: u64) -> Result<Vec<u8>, Refusal> {
        self.started(number, |Started { log, .. }| {
            let read = files::read(log, frame::LONGEST as u64 / 2);
            read.map_err(Refusal::by_system("read", log))
        })
    }

    pub(super) fn connect(&self, address: &Address, within: Duration) -> Result<(), Refusal> {
        let stream = ThisMachine
            .connect(address, within)
            .map_err(|error| Refusal {
                says: error.to_string(),
                number: error.raw_os_error(),
            })?;
        self.keep(Thing::Connection(stream));
        self.pass_on()
    }

    pub(super) fn slice(&self, number: u64, slice: Slice) -> Result<Outcome, Refusal> {
        match &*self.agent.thing(number)? {
            Thing::Session(session) => {
                let mut session = locked(session);
                let slice = self.wall().by_kernel(slice);
                self.followed(|control| session.slice(&slice, control))
            }
            _ => Err(gone(number)),
        }
    }
}
