//! Whatever sends load, and where it runs.

use std::io;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use photofinish_load::{Ahead, Config, Control, Outcome, Slice};
use photofinish_model::finding::failure::FailureFinding;

use super::{Error, Here, Machine, throttle};

/// How long it takes at most until whoever waits for load looks around.
const LOOK: Duration = Duration::from_millis(20);

/// Why no load could be sent.
#[derive(Debug, thiserror::Error)]
pub enum NoLoad {
    /// The generator says why.
    #[error(transparent)]
    Refused(#[from] photofinish_load::Error),
    /// It runs on another machine, and there is something wrong with that.
    #[error(transparent)]
    Elsewhere(Box<Error>),
    /// There is no thread for it.
    #[error("no thread for the load generator: {0}; allow more processes (`ulimit -u`)")]
    NoThread(io::Error),
    /// A load that cannot be dealt out.
    #[error(
        "{connections} connections for {generators} load generators: each takes one at least; use more connections, or fewer [[generator]]s"
    )]
    FewConnections {
        /// Those that there are.
        connections: u32,
        /// The generators.
        generators: usize,
    },
    /// The same, by its requests.
    #[error(
        "{requests} requests for {generators} load generators: each sends one at least; send more requests, or use fewer [[generator]]s"
    )]
    FewRequests {
        /// Those that there are.
        requests: u64,
        /// The generators.
        generators: usize,
    },
    /// They could not be brought to begin at the same instant.
    #[error(
        "the load generators did not begin together in {tries} tries: one of them began late each time; what delays it, or the link to it?"
    )]
    Apart {
        /// How often it was tried.
        tries: u32,
    },
    /// Its thread panicked.
    #[error("the generator broke down")]
    BrokeDown,
}

/// As it is recorded in place of what could not be measured.
impl From<NoLoad> for FailureFinding {
    fn from(error: NoLoad) -> FailureFinding {
        FailureFinding::Load {
            says: error.to_string(),
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
pub struct Own;

impl Generator for Own {
    fn machine(&self) -> &dyn Machine {
        &Here
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
                .map_err(NoLoad::NoThread)?;
            while !load.is_finished() {
                watch();
            }
            load.join().map_err(|_| NoLoad::BrokeDown)?
        })
    }
}

/// Does what sends load on a thread of its own, and calls `look` on this one a few times a second until it ends.
///
/// # Errors
/// Its own; and where its thread panics.
pub fn beside<T: Send>(
    work: impl FnOnce() -> Result<T, NoLoad> + Send,
    look: &mut dyn FnMut(),
) -> Result<T, NoLoad> {
    let (held, ended) = mpsc::channel::<()>();
    let done = thread::scope(|scope| {
        let work = scope.spawn(move || {
            // The channel closes when this ends, however it does.
            let _held = held;
            work()
        });
        while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
            look();
        }
        work.join()
    });
    done.map_err(|_| NoLoad::BrokeDown)?
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
