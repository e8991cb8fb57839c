//! What sends load, and the machine on which it runs.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use photofinish_load::{Ahead, Config, Control, Outcome, Slice};

use super::request::{self, Json};
use super::{Host, Kind, Made};
use crate::{Error, clocks};

/// How long it takes at most until a thread that waits for load notices another event.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Sends load: a [`Host`], or a test that only says what it would have measured.
pub trait Generator: Send + Sync {
    /// Where it runs.
    fn machine(&self) -> &Host;

    /// How far its machine's clock is ahead of this one's, by one look.
    ///
    /// # Errors
    /// If it cannot be read.
    fn ahead(&self) -> Result<Ahead, Error> {
        Ok(Ahead::default())
    }

    /// Those that it is made of, where they are several.
    fn several(&self) -> &[Box<dyn Generator>] {
        &[]
    }

    /// Runs until the end that `config` states or `control` asks for.
    ///
    /// # Errors
    /// If no load can be sent; requests that fail are counted in the outcome.
    fn run(&self, config: &Config, control: &Control) -> Result<Outcome, Error>;

    /// Opens connections that stay from slice to slice.
    ///
    /// # Errors
    /// If no load can be sent.
    fn open<'g>(
        &'g self,
        config: &Config,
        control: &Control,
    ) -> Result<Box<dyn Session + 'g>, Error>;
}

/// Connections to one server.
pub trait Session: Send {
    /// Lets load flow until the end that the slice states or `control` asks for.
    ///
    /// # Errors
    /// If no load can be sent; requests that fail are counted in the outcome.
    fn slice(&mut self, slice: &Slice, control: &Control) -> Result<Outcome, Error>;
}

/// photofinish's own load generator, on the machine.
impl Generator for Host {
    fn machine(&self) -> &Host {
        self
    }

    fn ahead(&self) -> Result<Ahead, Error> {
        match self.kind {
            Kind::Local(_) => Ok(Ahead::default()),
            _ => clocks::compare(|| self.clock()),
        }
    }

    fn several(&self) -> &[Box<dyn Generator>] {
        match &self.kind {
            Kind::Several(several) => several.generators(),
            _ => &[],
        }
    }

    fn run(&self, config: &Config, control: &Control) -> Result<Outcome, Error> {
        if let Kind::Several(several) = &self.kind {
            return several.run(config, control);
        }
        let config = Json::from(config.clone());
        Ok(self.begin(request::Run { config }, control, &|| false)?.1)
    }

    fn open<'g>(
        &'g self,
        config: &Config,
        control: &Control,
    ) -> Result<Box<dyn Session + 'g>, Error> {
        if let Kind::Several(several) = &self.kind {
            return several.open(config, control);
        }
        let config = Json::from(config.clone());
        let (made, ()) = self.make(request::Open { config }, control, &|| false)?;
        Ok(Box::new(Connections(made)))
    }
}

/// Connections of a machine to a server.
struct Connections(Made);

impl Session for Connections {
    fn slice(&mut self, slice: &Slice, control: &Control) -> Result<Outcome, Error> {
        let Made { host, number } = &self.0;
        let slice = request::Slice {
            session: *number,
            slice: slice.clone(),
        };
        Ok(host.begin(slice, control, &|| false)?.1)
    }
}

/// The generators that one is made of; itself if it is one.
pub fn each(generator: &dyn Generator) -> Vec<&dyn Generator> {
    match generator.several() {
        [] => vec![generator],
        several => several.iter().map(|one| &**one).collect(),
    }
}

/// Does what sends load on a thread of its own, and calls `watch` on this one again and again until it ends; `watch` waits by itself.
///
/// # Errors
/// Its own; and if there can be no thread, or it panics.
pub fn watched<T: Send>(
    work: impl FnOnce() -> Result<T, Error> + Send,
    watch: &mut dyn FnMut(),
) -> Result<T, Error> {
    thread::scope(|scope| {
        let work = thread::Builder::new().spawn_scoped(scope, work);
        let work = work.map_err(Error::no_thread)?;
        while !work.is_finished() {
            watch();
        }
        work.join().map_err(|_| Error::broke_down())?
    })
}

/// The same, and calls `look` a few times a second.
///
/// # Errors
/// As [`watched`].
pub fn beside<T: Send>(
    work: impl FnOnce() -> Result<T, Error> + Send,
    look: &mut dyn FnMut(),
) -> Result<T, Error> {
    let (held, ended) = mpsc::channel::<()>();
    let work = move || {
        // The channel closes when this ends, however it does.
        let _held = held;
        work()
    };
    watched(work, &mut || match ended.recv_timeout(POLL_INTERVAL) {
        Err(RecvTimeoutError::Timeout) => look(),
        _ => thread::yield_now(),
    })
}

/// The generator's threads where nobody states them: of so many cores half where the server needs the
/// others, else all; never more than there are connections.
pub fn threads(cores: usize, server_here: bool, connections: u32) -> usize {
    let cores = if server_here {
        (cores / 2).max(1)
    } else {
        cores
    };
    cores.min(connections.max(1) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_leave_the_server_its_half() {
        assert_eq!(threads(6, true, 1_000_000), 3);
        assert_eq!(threads(1, true, 1_000_000), 1);
        assert_eq!(threads(6, false, 1_000_000), 6);
        assert_eq!(threads(6, false, 1), 1);
        assert_eq!(threads(6, true, 0), 1);
    }
}
