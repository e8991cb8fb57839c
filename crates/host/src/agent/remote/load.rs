//! Load that another machine sends.

use photofinish_load::{Ahead, Config, Control, Outcome, Slice};

use super::{Made, Remote};
use crate::agent::message::Json;
use crate::agent::serve::request::{self, Request};
use crate::{Generator, Machine, NoLoad, Session, clocks};

impl Generator for Remote {
    fn machine(&self) -> &dyn Machine {
        self
    }

    fn ahead(&self) -> Result<Ahead, NoLoad> {
        clocks::look(|| self.clock()).map_err(|error| NoLoad::Elsewhere(Box::new(error)))
    }

    fn run(&self, config: &Config, control: &Control) -> Result<Outcome, NoLoad> {
        let config = Json::of(config);
        self.flow(request::Run { config }, control)
    }

    fn open<'g>(
        &'g self,
        config: &Config,
        control: &Control,
    ) -> Result<Box<dyn Session + 'g>, NoLoad> {
        let config = Json::of(config);
        let opened = self.link.load(request::Open { config }, control);
        let (number, ()) = opened.map_err(|failed| self.no_load(failed))?;
        Ok(Box::new(RemoteSession {
            remote: self,
            made: self.made(number),
        }))
    }
}

impl Remote {
    fn flow(
        &self,
        request: impl Request<Reply = Outcome>,
        control: &Control,
    ) -> Result<Outcome, NoLoad> {
        let flowed = self.link.load(request, control);
        let (_, outcome) = flowed.map_err(|failed| self.no_load(failed))?;
        Ok(outcome)
    }
}

/// Connections from another machine.
struct RemoteSession<'r> {
    remote: &'r Remote,
    made: Made,
}

impl Session for RemoteSession<'_> {
    fn slice(&mut self, slice: &Slice, control: &Control) -> Result<Outcome, NoLoad> {
        let slice = request::Slice {
            session: self.made.number,
            slice: slice.clone(),
        };
        self.remote.flow(slice, control)
    }
}
