//! Load that another machine sends.

use photofinish_load::{Ahead, Config, Control, Outcome, Slice};

use super::{Made, Remote};
use crate::agent::message::{Ask, Json, Reply};
use crate::{Generator, Machine, NoLoad, Session, clocks};

impl Generator for Remote {
    fn machine(&self) -> &dyn Machine {
        self
    }

    fn ahead(&self) -> Result<Ahead, NoLoad> {
        clocks::look(|| self.clock()).map_err(|error| NoLoad::Elsewhere(Box::new(error)))
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
        let reply = self.link.load(ask, control);
        match reply.map_err(|failed| self.no_load(failed))? {
            (_, Reply::Outcome(outcome)) => Ok(*outcome),
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
