//! Whatever sends load, and where it runs.

use std::io;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use photofinish_load::{Ahead, Config, Control, Outcome, Slice};
use photofinish_model::finding::failure::{FailureFinding, LoadPart, LoadTrouble};

use super::{Error, Machine, ThisMachine, throttle};

/// How long it takes at most until whoever waits for load looks around.
const LOOK: Duration = Duration::from_millis(20);

/// Why no load could be sent.
#[derive(Debug, thiserror::Error)]
pub enum NoLoad {
    /// There is something wrong with the load or its generator; what it says is the catalogue's English.
    #[error("{}", .0.to_string())]
    Trouble(Box<LoadTrouble>),
    /// The generator runs on another machine, and there is something wrong with that.
    #[error(transparent)]
    Elsewhere(Box<Error>),
}

impl NoLoad {
    /// There is no thread for it.
    pub(crate) fn no_thread(source: io::Error) -> NoLoad {
        LoadTrouble::System {
            what: LoadPart::Thread,
            says: source.to_string(),
        }
        .into()
    }

    /// Its thread panicked.
    pub(crate) fn broke_down() -> NoLoad {
        LoadTrouble::Broken {}.into()
    }
}

impl From<LoadTrouble> for NoLoad {
    fn from(trouble: LoadTrouble) -> NoLoad {
        NoLoad::Trouble(Box::new(trouble))
    }
}

impl From<photofinish_load::Error> for NoLoad {
    fn from(error: photofinish_load::Error) -> NoLoad {
        LoadTrouble::from(&error).into()
    }
}

/// As it is recorded in place of what could not be measured.
impl From<NoLoad> for FailureFinding {
    fn from(error: NoLoad) -> FailureFinding {
        match error {
            NoLoad::Trouble(why) => FailureFinding::Load { why: *why },
            NoLoad::Elsewhere(error) => (*error).into(),
        }
    }
}

/// Sends load: photofinish's own generator, or a test's that only says what it would have measured.
pub trait Generator: Send + Sync {
    /// Where it runs.
    fn machine(&self) -> &dyn Machine;

    /// How far its machine's clock is ahead of this one's, by one look.
    ///
    /// # Errors
    /// Where it cannot be read.
    fn ahead(&self) -> Result<Ahead, NoLoad> {
        Ok(Ahead::default())
    }

    /// Those that it is made of, where they are several.
    fn several(&self) -> &[Box<dyn Generator>] {
        &[]
    }

    /// Runs until the end that `config` states or `control` asks for.
    ///
    /// # Errors
    /// Where no load can be sent; requests that fail are counted in the outcome.
    fn run(&self, config: &Config, control: &Control) -> Result<Outcome, NoLoad>;

    /// Opens connections that stay from slice to slice, where the generator can; else each slice is a run.
    ///
    /// # Errors
    /// Where no load can be sent.
    fn open<'g>(&'g self, config: &Config, _: &Control) -> Result<Box<dyn Session + 'g>, NoLoad> {
        Ok(Box::new(Runs {
            generator: self,
            config: config.clone(),
        }))
    }
}

/// Connections to one server.
pub trait Session: Send {
    /// Lets load flow until the end that the slice states or `control` asks for.
    ///
    /// # Errors
    /// Where no load can be sent; requests that fail are counted in the outcome.
    fn slice(&mut self, slice: &Slice, control: &Control) -> Result<Outcome, NoLoad>;
}

/// A run for each slice.
struct Runs<'g, G: ?Sized> {
    generator: &'g G,
    config: Config,
}

impl<G: Generator + ?Sized> Session for Runs<'_, G> {
    fn slice(&mut self, slice: &Slice, control: &Control) -> Result<Outcome, NoLoad> {
        let slice = slice.clone();
        let config = Config {
            stages: slice.stages,
            until: slice.until,
            lead_in: slice.lead_in,
            window: slice.window,
            seed: slice.seed,
            ..self.config.clone()
        };
        self.generator.run(&config, control)
    }
}

impl Session for photofinish_load::Session {
    fn slice(&mut self, slice: &Slice, control: &Control) -> Result<Outcome, NoLoad> {
        Ok(self.slice(slice, control)?)
    }
}

/// photofinish's own load generator, in this process.
#[derive(Debug)]
pub struct LocalGenerator;

impl Generator for LocalGenerator {
    fn machine(&self) -> &dyn Machine {
        &ThisMachine
    }

    fn run(&self, config: &Config, control: &Control) -> Result<Outcome, NoLoad> {
        Ok(photofinish_load::run(&affordable(config), control)?)
    }

    fn open<'g>(
        &'g self,
        config: &Config,
        control: &Control,
    ) -> Result<Box<dyn Session + 'g>, NoLoad> {
        let session = photofinish_load::Session::open(&affordable(config), control)?;
        Ok(Box::new(session))
    }
}

/// Where the container's CPU time has a bound, threads that do not sleep would use it up, and the kernel would stop them.
fn affordable(config: &Config) -> Config {
    Config {
        eager: config.eager && throttle::throttled().is_none(),
        ..config.clone()
    }
}

impl dyn Generator + '_ {
    /// Runs a load on a thread of its own, and calls `watch` on this one again and again until it ends; `watch` waits by
    /// itself.
    ///
    /// # Errors
    /// As [`Generator::run`]; and where the generator's thread panics.
    pub fn run_watched(
        &self,
        config: &Config,
        control: &Control,
        watch: &mut dyn FnMut(),
    ) -> Result<Outcome, NoLoad> {
        thread::scope(|scope| {
            let load = thread::Builder::new()
                .spawn_scoped(scope, || self.run(config, control))
                .map_err(NoLoad::no_thread)?;
            while !load.is_finished() {
                watch();
            }
            load.join().map_err(|_| NoLoad::broke_down())?
        })
    }
}

/// Does what sends load on a thread of its own, and calls `look` on this one a few times a second until it ends.
///
/// # Errors
/// Its own; and where there can be no thread, or it panics.
pub fn beside<T: Send>(
    work: impl FnOnce() -> Result<T, NoLoad> + Send,
    look: &mut dyn FnMut(),
) -> Result<T, NoLoad> {
    let (held, ended) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let work = move || {
            // The channel closes when this ends, however it does.
            let _held = held;
            work()
        };
        let work = thread::Builder::new()
            .spawn_scoped(scope, work)
            .map_err(NoLoad::no_thread)?;
        while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
            look();
        }
        work.join().map_err(|_| NoLoad::broke_down())?
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
