//! Slices of load on connections that stay, with an eye on the server and on the user.

use photofinish_host::{Error, Session, beside};
use photofinish_load::{Config, Control, Outcome, Slice};
use photofinish_model::finding::failure::When;

use crate::error::{Halt, failed};
use crate::server::Server;

impl<'s> Server<'s> {
    /// Opens the connections of a level.
    ///
    /// # Errors
    /// Fails if none can be opened or the server has ended; halts for an interrupt.
    pub(crate) fn session(&mut self, config: &Config) -> Result<Box<dyn Session + 's>, Halt> {
        let generator = self.run.generator;
        let control = Control::default();
        self.heeding(&control, || generator.open(config, &control))
    }

    /// Lets load flow for a slice.
    ///
    /// # Errors
    /// As [`Server::observe`].
    pub(crate) fn slice(
        &mut self,
        session: &mut dyn Session,
        slice: &Slice,
    ) -> Result<Outcome, Halt> {
        let control = Control::default();
        let outcome = self.heeding(&control, || session.slice(slice, &control))?;
        self.left_over |= outcome.sent > outcome.good;
        Ok(outcome)
    }

    /// Does what needs the server, and ends it early where the server has ended or the user wishes so.
    fn heeding<T: Send>(
        &mut self,
        control: &Control,
        work: impl FnOnce() -> Result<T, Error> + Send,
    ) -> Result<T, Halt> {
        self.run.go_on()?;
        let mut halt = None;
        let done = beside(work, &mut || self.heed(&mut halt, control));
        if let Some(halt) = halt {
            return Err(halt);
        }
        // What a server that is gone does not take is no trouble of the generator's.
        self.require_alive(When::Loaded)?;
        Ok(done.map_err(failed)?)
    }
}
