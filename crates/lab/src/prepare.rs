//! What is done for each target once, before the first round: its tools are found and it is built.
//!
//! All of it comes before all rounds, so that no build heats the machine between two of them, and
//! so that what cannot work is said at once and not after an hour.

use std::path::{Path, PathBuf};

use photofinish_host::{Container, Host, Tools};
use photofinish_study::plan::Target;

use crate::error::{Error, Failure, Halt, OTHER_FILES, failed};
use crate::events::Event;
use crate::run_context::RunContext;

pub mod build;
pub mod cache;
pub(crate) mod fetch;
mod image;
pub(crate) mod inputs;
pub mod java;
pub(crate) mod marker;
pub mod revisions;

/// A target that can be started.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prepared {
    pub(crate) tools: Tools,
    /// Where it was built, or its own folder; `None` for a bare command.
    pub(crate) dir: Option<PathBuf>,
    /// What it runs from, where it runs in a container.
    pub(crate) container: Option<Container>,
}

/// A target that can be started, or why not.
pub(crate) type Outcome = Result<Prepared, Failure>;

/// Builds a target whose tools were found, and sees that its image is there.
///
/// # Errors
/// What is wrong with the target; halts for an interrupt.
pub(crate) fn prepare(
    run: &RunContext,
    target: &Target,
    tools: Tools,
    cache: &Path,
) -> Result<Prepared, Halt> {
    run.go_on()?;
    let mut prepared = Prepared {
        dir: folder(run, target, &tools, cache)?,
        tools,
        container: None,
    };
    prepared.container = image::container(run, target, &prepared, cache)?;
    Ok(prepared)
}

/// The folder of a target, built or brought to the servers' machine.
fn folder(
    run: &RunContext,
    target: &Target,
    tools: &Tools,
    cache: &Path,
) -> Result<Option<PathBuf>, Halt> {
    let interrupted = || run.interrupted();
    if target.build.is_none() {
        return Ok(build::bring(run.host, target, cache, &interrupted).map_err(failed)?);
    }
    let label = || target.label.clone();
    run.report(Event::Building { target: label() });
    let log = run.log(&target.label, "build");
    match build::build(run.host, target, tools, cache, &log, &interrupted) {
        Ok(built) => {
            run.report(Event::Built {
                target: label(),
                cached: built.cached,
            });
            Ok(Some(built.dir))
        }
        Err(_) if run.interrupted() => Err(Halt::Interrupted),
        Err(error) => Err(failed(error).into()),
    }
}

/// Raises the limit of open files to what the largest level needs, on both sides: the
/// generator has a socket a connection, and the server, which inherits the limit, another.
///
/// # Errors
/// If the system does not allow that many.
pub(crate) fn open_files(machines: [&Host; 2], connections: u32) -> Result<(), Error> {
    let needed = u64::from(connections) + OTHER_FILES;
    machines.into_iter().try_for_each(|machine| {
        (machine.allow_open_files(needed)).map_err(|limit| Error::OpenFiles { needed, limit })
    })
}

#[cfg(test)]
mod tests {
    use photofinish_host::Host;

    use super::*;

    #[test]
    fn too_many_connections_are_refused_with_the_remedy() {
        let none = Error::OpenFiles {
            needed: 257,
            limit: 64,
        };
        assert_eq!(
            none.to_string(),
            "open 257 files at once: the limit is 64; raise it with `ulimit -n 257`"
        );
        let machines: [&Host; 2] = [Host::this_machine(), Host::this_machine()];
        assert!(open_files(machines, 1).is_ok());
        if let Err(error) = open_files(machines, u32::MAX) {
            let says = error.to_string();
            assert!(says.contains("ulimit -n 4294967551"), "{says}");
            assert!(says.ends_with("or use fewer connections"), "{says}");
        }
    }
}
