//! Agents that the user's own OpenSSH reaches: `ssh`, with its configuration.
//!
//! One connection carries everything that goes to a machine (`ControlMaster`). No password is asked for (`BatchMode`): in the middle of a
//! run nobody would type it. photofinish's own binary is copied once, to a cache on the other machine, and known by its hash.

use std::io;
use std::net::IpAddr;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use tempfile::TempDir;

use super::Error;
use super::agent::Remote;
use super::program::{Program, said};

/// What leads to a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    /// `user@host`, or a name of the user's configuration.
    pub name: String,
    /// Further arguments to `ssh`, before the name.
    pub options: Vec<String>,
}

/// A way to a machine over SSH.
struct Way<'a> {
    to: &'a Destination,
    /// For the socket of the connection that all commands share. Gone with it.
    control: Arc<TempDir>,
}

/// Starts an agent on a machine, whose servers are reached at `address`, or else where SSH reached it. `program` is this program,
/// which is copied where it is not there yet.
///
/// # Errors
/// Where the machine cannot be reached, or cannot run this program; with what `ssh` said.
pub fn agent(to: &Destination, address: Option<IpAddr>, program: &Path) -> Result<Remote, Error> {
    let control = tempfile::Builder::new().prefix("pf-ssh-").tempdir();
    let way = Way {
        to,
        control: Arc::new(control.map_err(Error::Temp)?),
    };
    let program = Program::read(program)?;
    program.bring(
        |script, input| way.run(script, input),
        |says| way.unreachable(says),
    )?;
    let mut command = way.command(&format!("exec \"{}\" agent", program.cached()));
    Ok(Remote::start(&to.name, address, &mut command)?.holding(way.control))
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

    fn run(&self, script: &str, input: Stdio) -> Result<Output, Error> {
        let output = self.command(script).stdin(input).output();
        let output = output.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                self.unreachable("there is no `ssh` on this machine; install OpenSSH's client")
            }
            _ => self.unreachable(&error.to_string()),
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
