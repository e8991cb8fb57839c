//! What is done for each target once, before the first trial: its tools are found and it is built.
//!
//! All of it comes before all trials, so that no build heats the machine between two of them, and
//! so that what cannot work is said at once and not after an hour.

use std::path::{Path, PathBuf};

use photofinish_study::plan::Target;

use crate::build;
use crate::error::{Error, Halt};
use crate::events::Event;
use crate::scene::Scene;
use crate::server::file_name;
use photofinish_host as host;
use photofinish_host::{Tools, sys};

/// A target that can be started.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prepared {
    pub(crate) tools: Tools,
    /// Where it was built, or its own folder; `None` for a bare command.
    pub(crate) dir: Option<PathBuf>,
}

/// A target that can be started, or why not.
pub(crate) type Outcome = Result<Prepared, String>;

/// Finds a target's tools.
pub(crate) fn tools(host: &dyn host::Host, target: &Target) -> Result<Tools, String> {
    host.tools(&target.needs)
        .map_err(|error| format!("failed to {error}"))
}

/// Builds a target whose tools were found.
///
/// # Errors
/// Only for an interruption; what is wrong with the target is its outcome.
pub(crate) fn build(
    scene: &Scene,
    target: &Target,
    tools: Tools,
    cache: &Path,
    events: &mut dyn FnMut(Event),
) -> Result<Outcome, Halt> {
    scene.go_on()?;
    if target.build.is_none() {
        let dir = target.dir.clone();
        return Ok(Ok(Prepared { tools, dir }));
    }
    let label = || target.label.clone();
    events(Event::Building { target: label() });
    let log = scene
        .logs
        .join(format!("{}-build.log", file_name(&target.label)));
    let interrupted = || scene.interrupted();
    match build::build(scene.host, target, &tools, cache, &log, &interrupted) {
        Ok(built) => {
            events(Event::Built {
                target: label(),
                cached: built.cached,
            });
            let dir = Some(built.dir);
            Ok(Ok(Prepared { tools, dir }))
        }
        Err(_) if scene.interrupted() => Err(Halt::Interrupted),
        Err(error) => Ok(Err(format!("failed to {error}"))),
    }
}

/// Raises this process's limit of open files to what the largest level needs, on both sides: the
/// generator has a socket a connection, and the server, which inherits the limit, another.
///
/// # Errors
/// If the system does not allow that many.
pub(crate) fn open_files(connections: u32) -> Result<(), Error> {
    /// Files beside the sockets: logs, results, epoll instances, a JVM's jars.
    const BESIDE: u64 = 256;
    let needed = u64::from(connections) + BESIDE;
    sys::allow_open_files(needed).map_err(|limit| Error::OpenFiles { needed, limit })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_connections_are_refused_with_the_remedy() {
        assert!(open_files(1).is_ok());
        if let Err(error) = open_files(u32::MAX) {
            let says = error.to_string();
            assert!(says.contains("ulimit -n 4294967551"), "{says}");
        }
    }
}
