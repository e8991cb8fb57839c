//! A server of this machine, whoever started it.

use super::process::LocalProcess;
use crate::Error;
use crate::found::FoundServer;
use crate::usage::Meter;

/// A server of this machine.
pub(crate) enum Server {
    /// photofinish started it.
    Started(Box<LocalProcess>),
    /// It runs already: it is only sampled.
    Found(Box<FoundServer>),
}

impl Server {
    /// Its process, if that is known.
    pub(super) fn pid(&self) -> Option<u32> {
        match self {
            Server::Started(own) => own.pid(),
            Server::Found(found) => found.pid(),
        }
    }

    /// How it ended; `None` while it runs.
    pub(crate) fn exited(&mut self) -> Result<Option<String>, Error> {
        match self {
            Server::Started(own) => own.exited(),
            Server::Found(found) => Ok(found.exited()),
        }
    }

    /// What measures its usage; [`Error::NotOurs`] if its process is not known.
    pub(crate) fn meter(&mut self) -> Result<&mut Meter, Error> {
        let meter = match self {
            Server::Started(own) => own.meter(),
            Server::Found(found) => found.meter(),
        };
        meter.ok_or(Error::NotOurs("look at"))
    }

    /// It, if photofinish started it.
    pub(crate) fn started(&mut self) -> Option<&mut LocalProcess> {
        match self {
            Server::Started(own) => Some(own),
            Server::Found(_) => None,
        }
    }

    /// Does something to it that nobody may do to a server that photofinish did not start, or undoes it if it does not begin.
    pub(crate) fn change(
        &mut self,
        verb: &'static str,
        begins: bool,
        work: impl FnOnce(&mut LocalProcess) -> Result<(), Error>,
    ) -> Result<(), Error> {
        match self {
            Server::Started(own) => work(own),
            Server::Found(_) if begins => Err(Error::NotOurs(verb)),
            Server::Found(_) => Ok(()),
        }
    }
}
