//! The one interface to whatever sends load.

use std::num::NonZeroUsize;
use std::thread;

use photofinish_load::Outcome;
use photofinish_load::{Config, Control};

use crate::error::NoLoad;

/// Sends load: photofinish's own generator, or a test's that only says what it would have measured.
pub(crate) trait Generator: Sync {
    /// Runs until the end that `config` states or `control` asks for.
    ///
    /// # Errors
    /// Where no load can be sent; requests that fail are counted in the outcome.
    fn run(&self, config: &Config, control: &Control) -> Result<Outcome, photofinish_load::Error>;
}

/// photofinish's own load generator, in this process.
#[derive(Debug)]
pub(crate) struct Own;

impl Generator for Own {
    fn run(&self, config: &Config, control: &Control) -> Result<Outcome, photofinish_load::Error> {
        photofinish_load::run(config, control)
    }
}

impl dyn Generator + '_ {
    /// Runs a load on a thread of its own, and calls `watch` on this one again and again until it ends; `watch` waits by
    /// itself.
    ///
    /// # Errors
    /// As [`Generator::run`]; and where the generator's thread panics.
    pub(crate) fn run_watched(
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
            Ok(load.join().map_err(|_| NoLoad::BrokeDown)??)
        })
    }
}

/// The generator's threads where nobody states them: half of the cores where the server needs the
/// others, else all; never more than there are connections.
pub(crate) fn threads(server_here: bool, connections: u32) -> usize {
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
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
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        assert_eq!(threads(true, 1_000_000), (cores / 2).max(1));
        assert_eq!(threads(false, 1_000_000), cores);
        assert_eq!(threads(false, 1), 1);
        assert_eq!(threads(true, 0), 1);
    }
}
