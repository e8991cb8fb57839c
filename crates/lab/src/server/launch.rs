//! A server is started: where it is to listen, its command with everything filled in, and its environment.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Instant;

use photofinish_host::{Folder, ProcessSpec};
use photofinish_model::finding::failure::{Around, FailureFinding, PortHolder};
use photofinish_model::{Address, InvalidSocketPath};
use photofinish_study::fill;
use photofinish_study::plan::{Listen, Target};

use super::Server;
use super::around::Command;
use crate::error::{Failure, Halt, failed};
use crate::prepare::Prepared;
use crate::run_context::RunContext;

/// A server that is about to be started: its command with everything filled in, and the address at which it listens.
pub(crate) struct Launch<'s> {
    run: &'s RunContext<'s>,
    target: &'s Target,
    pub(crate) address: Address,
    pub(crate) spec: ProcessSpec,
    prepare: Option<Command<'s>>,
    cleanup: Option<Command<'s>>,
    temp: Folder,
}

impl<'s> Launch<'s> {
    /// Finds where it is to listen, and fills in the target's command.
    ///
    /// # Errors
    /// If the port or socket that the target insists on is taken, or no folder for its temporary files can be made.
    pub(crate) fn new(
        run: &'s RunContext<'s>,
        target: &'s Target,
        prepared: &Prepared,
        round: u32,
    ) -> Result<Launch<'s>, Halt> {
        let temp = run.host.temp().map_err(failed)?;
        let address = listens(run, target, &temp)?;
        let port = match address {
            Address::Tcp(address) => address.port(),
            Address::Unix(_) => free_port(run)?,
        };
        let values = Values {
            run,
            prepared,
            address: &address,
            port,
            temp: temp.path().display().to_string(),
        };
        // What the target's own file says counts: it may pass on what it is given under other names.
        let mut own = run.services.env(&target.label);
        let stated = target.start.env.iter();
        own.extend(stated.map(|(name, text)| (name.clone(), text.map(|text| values.fill(text)))));
        let mut env = BTreeMap::new();
        // What names files of this machine means nothing in a container, whose own files go with it.
        if prepared.container.is_none() {
            env = prepared.tools.process_env();
            // A server that is killed leaves its temporary files behind, and some that end by themselves do.
            env.insert("TMPDIR".to_owned(), values.temp.clone().into());
        }
        env.extend(own.clone());
        let spec = ProcessSpec {
            command: values.command(target),
            env,
            dir: match prepared.container {
                None => prepared.dir.clone(),
                Some(_) => None,
            },
            cpus: run.cpu_sets.server.clone(),
            raised_priority: run.raised_priority,
            log: run.log(&target.label, &format!("round-{round}")),
            user: None,
            scratch: Some(temp.path().to_owned()),
            container: prepared.container.clone(),
        };
        // Outside of a container, on no cores of its own, and with the usual folder for temporary files: the server's goes with it.
        let around = |around, command: &[String]| {
            let spec = ProcessSpec {
                command: command.iter().map(|text| values.fill(text)).collect(),
                env: prepared
                    .tools
                    .process_env()
                    .into_iter()
                    .chain(own.clone())
                    .collect(),
                dir: prepared.dir.clone(),
                log: spec.log.clone(),
                ..ProcessSpec::default()
            };
            (!spec.command.is_empty()).then_some(Command {
                run,
                target: &target.label,
                around,
                spec,
            })
        };
        let prepare = around(Around::Prepare, &target.start.prepare);
        let cleanup = around(Around::Cleanup, &target.stop.cleanup);
        Ok(Launch {
            run,
            target,
            address,
            spec,
            prepare,
            cleanup,
            temp,
        })
    }

    /// Starts it, once it is prepared for, or finds the one that runs already. Where that fails, what was prepared is cleaned up.
    ///
    /// # Errors
    /// If what prepares for it fails, or there is no such program, or it cannot be executed.
    pub(crate) fn start(self) -> Result<Server<'s>, Halt> {
        let host = self.run.host;
        let prepared = self.prepare.as_ref().map_or(Ok(()), Command::run);
        let started = Instant::now();
        let process = prepared.and_then(|()| match self.target.already() {
            Some(endpoint) => Ok(host.find(&endpoint.address).map_err(failed)?),
            None => Ok(host.start(&self.spec).map_err(failed)?),
        });
        let process = match process {
            Ok(process) => process,
            Err(halt) => return Err(Command::after(self.cleanup.as_ref(), halt)),
        };
        Ok(Server {
            run: self.run,
            target: self.target,
            left_over: false,
            logins: BTreeMap::new(),
            paths: BTreeMap::new(),
            baselines: BTreeMap::new(),
            process,
            frozen: false,
            called: self.target.called(&self.address),
            address: self.address,
            log: self.spec.log,
            started,
            cleanup: self.cleanup,
            _temp: self.temp,
        })
    }
}

/// Where a target is to be served.
fn listens(run: &RunContext, target: &Target, temp: &Folder) -> Result<Address, Halt> {
    let port = |port| Address::from(SocketAddr::new(run.host.address(), port));
    let address = match &target.start.listen {
        Listen::FreePort => return Ok(port(free_port(run)?)),
        Listen::Socket => {
            let path = temp.path().join("socket");
            let unusable = |error: InvalidSocketPath| {
                failed(FailureFinding::Machine {
                    says: error.to_string(),
                })
            };
            return Ok(Address::unix(path).map_err(unusable)?);
        }
        Listen::Already(endpoint) => return Ok(endpoint.address.clone()),
        Listen::Port(fixed) => port(*fixed),
        Listen::SocketAt(path) => Address::Unix(path.clone()),
    };
    match run.host.holder(address.clone()) {
        None => Ok(address),
        Some(holder) => Err(taken(target, &address, holder).into()),
    }
}

fn free_port(run: &RunContext) -> Result<u16, Halt> {
    (run.host.free_port()).map_err(|error| Halt::Broken(error.into()))
}

/// Somebody else listens where a target is to be served.
pub(super) fn taken(target: &Target, address: &Address, holder: PortHolder) -> Failure {
    let target = target.label.clone();
    failed(match address {
        Address::Tcp(address) => FailureFinding::Port {
            port: address.port(),
            target,
            holder,
        },
        Address::Unix(path) => FailureFinding::Socket {
            path: path.display().to_string(),
            target,
            holder,
        },
    })
}

/// What the names in braces stand for.
struct Values<'v> {
    run: &'v RunContext<'v>,
    prepared: &'v Prepared,
    address: &'v Address,
    /// Where it listens; a free one beside a Unix socket, for a server that needs one too.
    port: u16,
    temp: String,
}

impl Values<'_> {
    fn fill(&self, text: &str) -> String {
        let path = |path: &Option<PathBuf>| path.as_ref().map(|p| p.display().to_string());
        fill(text, |name| match name {
            "port" => Some(self.port.to_string()),
            "socket" => match self.address {
                Address::Unix(path) => Some(path.display().to_string()),
                Address::Tcp(_) => None,
            },
            "host" => Some(self.run.host.address().to_string()),
            "dir" => path(&self.prepared.dir),
            "java" => path(&self.prepared.tools.java),
            "java_home" => path(&self.prepared.tools.java_home),
            "photofinish" => Some(self.run.host.photofinish().display().to_string()),
            "cpus" => Some(self.cores().to_string()),
            "temp" => Some(self.temp.clone()),
            _ => None,
        })
    }

    /// How many cores the server has.
    fn cores(&self) -> usize {
        match self.run.cpu_sets.server.len() {
            0 => self.run.host.cores(),
            cores => cores,
        }
    }

    fn command(&self, target: &Target) -> Vec<String> {
        let start = &target.start;
        let arguments = start.command.iter().flat_map(|argument| match &**argument {
            "{jvm_flags}" => start.jvm_flags.iter().map(|flag| self.fill(flag)).collect(),
            argument => vec![self.fill(argument)],
        });
        arguments.collect()
    }
}
