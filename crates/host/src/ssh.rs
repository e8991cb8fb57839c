//! Agents that the user's own OpenSSH reaches: `ssh`, with its configuration.
//!
//! One connection carries everything that goes to a machine (`ControlMaster`). No password is asked for (`BatchMode`): in the middle of a
//! run nobody would type it. photofinish's own binary is copied once, to a cache on the other machine, and known by its hash.

use std::env;
use std::net::IpAddr;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use photofinish_model::files::temp::TempFolder;

use super::at_once::at_once;
use super::launcher::{Launcher, Node};
use super::program::Program;
use super::{Error, Host};

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

/// A machine that SSH reaches.
struct SshNode<'a> {
    to: &'a Wanted,
    /// For the socket of the connection that all commands share. Gone with it.
    control: Arc<TempFolder>,
}

/// Starts an agent on each machine, in their order. `program` is this program, which is copied where it is not there yet.
///
/// # Errors
/// If a machine cannot be reached, or cannot run this program; with what `ssh` said.
pub fn agents(
    wanted: &[Wanted],
    program: &Path,
    interrupt: &AtomicBool,
) -> Result<Vec<Host>, Error> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let launcher = Launcher {
        program: &Program::read(program)?,
        interrupt,
    };
    let name = |one: &&Wanted| one.name.clone();
    let mut agents = Vec::new();
    for some in wanted.chunks(AT_A_TIME) {
        agents.extend(at_once(some, name, |one| agent(one, launcher))?);
    }
    Ok(agents)
}

fn agent(wanted: &Wanted, launcher: Launcher<'_>) -> Result<Host, Error> {
    let control = TempFolder::below(&env::temp_dir(), "pf-ssh-").map_err(Error::Temp)?;
    let node = SshNode {
        to: wanted,
        control: Arc::new(control),
    };
    let remote = launcher.agent(&node, "", wanted.address)?;
    Ok(remote.holding(node.control).into())
}

impl Node for SshNode<'_> {
    fn machine(&self) -> &str {
        &self.to.name
    }

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

    fn remedy(&self) -> &'static str {
        "install OpenSSH's client"
    }
}
