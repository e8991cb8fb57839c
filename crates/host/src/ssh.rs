//! Agents that the user's own OpenSSH reaches: `ssh`, with its configuration.
//!
//! One connection carries everything that goes to a machine (`ControlMaster`). No password is asked for (`BatchMode`): in the middle of a
//! run nobody would type it. photofinish's own binary is copied once, to a cache on the other machine, and known by its hash.

use std::io;
use std::net::IpAddr;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tempfile::TempDir;

use super::Error;
use super::agent::Remote;
use super::at_once::at_once;
use super::command::{Bounds, Input, RunError, run};
use super::program::{Program, said};

/// A machine that is to be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// `user@host`, or a name of the user's configuration.
    pub name: String,
    /// Further arguments to `ssh`, before the name.
    pub options: Vec<String>,
    /// Where its servers are reached; else it is where SSH reached it.
    pub address: Option<IpAddr>,
}

/// To how many machines connections are made at a time. An SSH server ends some of more than ten that have not yet authenticated
/// (`MaxStartups`), and all may lead through one (`ProxyJump`).
const AT_A_TIME: usize = 8;

/// A way to a machine over SSH.
struct Way<'a> {
    to: &'a Wanted,
    /// For the socket of the connection that all commands share. Gone with it.
    control: Arc<TempDir>,
}

/// Starts an agent on each machine, in their order. `program` is this program, which is copied where it is not there yet.
///
/// # Errors
/// Where a machine cannot be reached, or cannot run this program; with what `ssh` said.
pub fn agents(
    wanted: &[Wanted],
    program: &Path,
    interrupt: &AtomicBool,
) -> Result<Vec<Remote>, Error> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let program = Program::read(program)?;
    let name = |one: &&Wanted| one.name.clone();
    let mut agents = Vec::new();
    for some in wanted.chunks(AT_A_TIME) {
        agents.extend(at_once(some, name, |one| agent(one, &program, interrupt))?);
    }
    Ok(agents)
}

fn agent(wanted: &Wanted, program: &Program<'_>, interrupt: &AtomicBool) -> Result<Remote, Error> {
    let control = tempfile::Builder::new().prefix("pf-ssh-").tempdir();
    let way = Way {
        to: wanted,
        control: Arc::new(control.map_err(Error::Temp)?),
    };
    program.bring(
        |script, input| way.run(script, input, interrupt),
        |says| way.unreachable(says),
    )?;
    let mut command = way.command(&format!("exec \"{}\" agent", program.cached()));
    let remote = Remote::start(&wanted.name, wanted.address, &mut command, interrupt)?;
    Ok(remote.holding(way.control))
}

impl Way<'_> {
    /// A command of the other machine's POSIX shell, which has no single quotes in it.
    fn command(&self, script: &str) -> Command {
        let mut command = Command::new("ssh");
        let path = self.control.path().join("%C");
        for option in [
            "BatchMode=yes",
            "ControlMaster=auto",
            &format!("ControlPath={}", path.display()),
            "ControlPersist=10",
            "ConnectTimeout=10",
            "ServerAliveInterval=5",
            "ServerAliveCountMax=4",
        ] {
            command.args(["-o", option]);
        }
        command.args(&self.to.options);
        command.args(["-T", "--", &self.to.name, &format!("sh -c '{script}'")]);
        // The terminal's Ctrl-C is for photofinish, which ends what runs there in order.
        command.process_group(0);
        command
    }

    fn run(&self, script: &str, input: Input, interrupt: &AtomicBool) -> Result<Output, Error> {
        let output = run(&mut self.command(script), input, Bounds::until(interrupt));
        let output = output.map_err(|error| match error {
            RunError::Interrupted => Error::Interrupted,
            RunError::Io(error) if error.kind() == io::ErrorKind::NotFound => {
                self.unreachable("there is no `ssh` on this machine; install OpenSSH's client")
            }
            error => self.unreachable(&format!("ssh: {error}")),
        })?;
        match output.status.success() {
            true => Ok(output),
            false => Err(self.unreachable(&said("ssh", &output))),
        }
    }

    fn unreachable(&self, says: &str) -> Error {
        Error::Unreachable {
            machine: self.to.name.clone(),
            says: says.to_owned(),
        }
    }
}
