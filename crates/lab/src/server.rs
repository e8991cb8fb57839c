//! A target's server: started in its lane, waited for, verified, and asked whether it still lives.

use std::collections::BTreeMap;
use std::mem;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use photofinish_host::{Folder, Process, ProcessSpec, SUCCESS, last_lines};
use photofinish_judge::checks::Compared;
use photofinish_load::Baseline;
use photofinish_model::Replies;
use photofinish_model::finding::failure::{
    FailureFinding, Fate, NotReady, PortHolder, Printed, When, Wrong,
};
use photofinish_study::fill;
use photofinish_study::plan::{Target, Workload};

use crate::error::{Failure, Halt, failed};
use crate::prepare::Prepared;
use crate::response::{self, Ask, Response, Route};
use crate::scene::Scene;
use crate::verify;

/// How many more times a server is asked when it is verified, to see whether its responses are all the same.
const ASKED_AGAIN: usize = 2;
/// How many of a log's last lines stand behind what is said of a program.
const LINES: usize = 12;
/// How often a server that is not ready is asked again.
const POLL: Duration = Duration::from_millis(5);
/// How long one question may take; a server that warms up over its first response is asked again.
const QUESTION: Duration = Duration::from_secs(1);

/// A server that is about to be started: its command with everything filled in, and its port.
pub(crate) struct Launch<'s> {
    scene: &'s Scene<'s>,
    target: &'s Target,
    pub(crate) port: u16,
    pub(crate) spec: ProcessSpec,
    temp: Folder,
}

impl<'s> Launch<'s> {
    /// Finds a port and fills in the target's command.
    ///
    /// # Errors
    /// Where the port that the target insists on is taken, or no folder for its temporary files can be made.
    pub(crate) fn new(
        scene: &'s Scene<'s>,
        target: &'s Target,
        prepared: &Prepared,
        round: u32,
    ) -> Result<Launch<'s>, Halt> {
        let port = port(scene, target)?;
        let temp = scene.host.files().temp().map_err(failed)?;
        let values = Values {
            scene,
            prepared,
            port,
            temp: temp.path().display().to_string(),
        };
        let mut env: BTreeMap<String, String> = prepared.tools.env.clone();
        // A server that is killed leaves its temporary files behind, and some that end by themselves do.
        env.insert("TMPDIR".to_owned(), values.temp.clone());
        // What the target's own file says counts: it may pass on what it is given under other names.
        env.extend(scene.services.env(&target.label));
        let own = target.start.env.iter();
        env.extend(own.map(|(name, text)| (name.clone(), values.fill(text))));
        let spec = ProcessSpec {
            command: values.command(target),
            env,
            dir: prepared.dir.clone(),
            cpus: scene.lanes.server.clone(),
            log: scene.log(&target.label, &format!("round-{round}")),
            user: None,
        };
        Ok(Launch {
            scene,
            target,
            port,
            spec,
            temp,
        })
    }

    /// Starts it.
    ///
    /// # Errors
    /// Where there is no such program, or it cannot be executed.
    pub(crate) fn start(self) -> Result<Server<'s>, Failure> {
        let started = Instant::now();
        let process = (self.scene.host.start(&self.spec)).map_err(failed)?;
        Ok(Server {
            scene: self.scene,
            target: self.target,
            left_over: false,
            baselines: BTreeMap::new(),
            process,
            frozen: false,
            address: SocketAddr::new(self.scene.host.address(), self.port),
            log: self.spec.log,
            started,
            _temp: self.temp,
        })
    }
}

/// The port on which a target is to be served.
fn port(scene: &Scene, target: &Target) -> Result<u16, Halt> {
    let Some(port) = target.start.port else {
        return (scene.host.free_port()).map_err(|error| Halt::Broken(error.into()));
    };
    match scene.host.port_holder(port) {
        None => Ok(port),
        Some(holder) => Err(taken(target, port, holder).into()),
    }
}

/// The port that a target needs is taken.
fn taken(target: &Target, port: u16, holder: PortHolder) -> Failure {
    failed(FailureFinding::Port {
        port,
        target: target.label.clone(),
        holder,
    })
}

/// What the names in braces stand for.
struct Values<'v> {
    scene: &'v Scene<'v>,
    prepared: &'v Prepared,
    port: u16,
    temp: String,
}

impl Values<'_> {
    fn fill(&self, text: &str) -> String {
        let path = |path: &Option<PathBuf>| path.as_ref().map(|p| p.display().to_string());
        fill(text, |name| match name {
            "port" => Some(self.port.to_string()),
            "host" => Some(self.scene.host.address().to_string()),
            "dir" => path(&self.prepared.dir),
            "java" => path(&self.prepared.tools.java),
            "java_home" => path(&self.prepared.tools.java_home),
            "photofinish" => Some(self.scene.host.photofinish().display().to_string()),
            "cpus" => Some(self.cores().to_string()),
            "temp" => Some(self.temp.clone()),
            _ => None,
        })
    }

    /// How many cores the server has.
    fn cores(&self) -> usize {
        match self.scene.lanes.server.len() {
            0 => self.scene.host.machine().cores(),
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

/// A server that was started. Dropping it ends it and everything that it started.
pub(crate) struct Server<'s> {
    pub(crate) scene: &'s Scene<'s>,
    pub(crate) target: &'s Target,
    /// Whether it may still be at work on requests that nobody waits for any more.
    pub(crate) left_over: bool,
    /// What responses were like when it was verified, by workload; none where they differed from one another.
    baselines: BTreeMap<String, Baseline>,
    pub(crate) process: Box<dyn Process>,
    /// Whether it is stopped for a while.
    frozen: bool,
    pub(crate) address: SocketAddr,
    log: PathBuf,
    started: Instant,
    /// After the process: a field is dropped after those before it.
    _temp: Folder,
}

impl Server<'_> {
    /// Waits until the server is ready; reports how long that took from its start.
    ///
    /// # Errors
    /// Where it takes longer than the target's bound, or ends; halts where the user wishes so.
    pub(crate) fn wait_ready(&mut self) -> Result<Duration, Halt> {
        let within = self.target.ready.timeout;
        loop {
            self.scene.go_on()?;
            let why = match self.question() {
                Ok(()) => {
                    let after = self.started.elapsed();
                    self.require_own_port()?;
                    return Ok(after);
                }
                Err(why) => why,
            };
            self.require_alive(When::BeforeReady)?;
            if self.started.elapsed() >= within {
                let within_s = within.as_secs_f64();
                return Err(self.fallen(Fate::NotReady { within_s, why }).into());
            }
            thread::sleep(POLL);
        }
    }

    /// Fails where somebody else answers on the server's port: that one would be measured.
    fn require_own_port(&mut self) -> Result<(), Failure> {
        let port = self.address.port();
        match self.process.foreign_listener(port) {
            None => Ok(()),
            Some(holder) => Err(taken(self.target, port, holder)),
        }
    }

    /// Questions take the way that load takes.
    fn route(&self) -> Route<'_> {
        Route {
            from: self.scene.generator.machine(),
            to: self.address,
            tls: self.target.tls.as_ref(),
        }
    }

    fn question(&self) -> Result<(), NotReady> {
        let route = self.route();
        let address = route.to;
        let Some(path) = &self.target.ready.path else {
            return match route.from.connect(address, QUESTION) {
                Ok(_) => Ok(()),
                Err(error) => Err(NotReady::Connect {
                    address: address.to_string(),
                    says: error.to_string(),
                }),
            };
        };
        let bytes = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n");
        let ask = Ask {
            method: "GET",
            bytes: bytes.as_bytes(),
        };
        let scheme = match route.tls {
            Some(_) => "https",
            None => "http",
        };
        let url = format!("{scheme}://{address}{path}");
        match response::ask(route, &ask, QUESTION, &|| self.scene.interrupted()) {
            Ok(response) if response.status < 500 => Ok(()),
            Ok(Response { status, .. }) => Err(NotReady::Status { url, status }),
            Err(met) => Err(NotReady::NoResponse { url, met }),
        }
    }

    /// Fails where the server has ended.
    pub(crate) fn require_alive(&mut self, when: When) -> Result<(), Failure> {
        match self.process.exited() {
            Ok(None) => Ok(()),
            Ok(Some(how)) => {
                // Nobody ends well who should still serve.
                let well = how == SUCCESS;
                Err(self.fallen(Fate::Ended { when, how, well }))
            }
            Err(error) => {
                let says = error.to_string();
                Err(self.fallen(Fate::Lost { when, says }))
            }
        }
    }

    /// Asks for one workload and compares the response with the one that was stated.
    ///
    /// # Errors
    /// Where they differ or none comes; halts where the user wishes so.
    pub(crate) fn verify(&mut self, workload: &Workload) -> Result<Response, Halt> {
        let unwanted = || self.scene.interrupted();
        let wrong = match verify::verify(self.route(), workload, self.scene.seed, &unwanted) {
            Ok(response) => return Ok(response),
            Err(wrong) => wrong,
        };
        self.scene.go_on()?;
        self.require_alive(When::Verified)?;
        Err(Halt::Failed(match wrong {
            Wrong::Silent { .. } | Wrong::Request { .. } => self.fallen(Fate::Silent { wrong }),
            wrong => failed(FailureFinding::Response { wrong }),
        }))
    }

    /// Learns what its responses to a workload are like, of which the first is here, so that one that changes later is noticed.
    /// Where nothing is known of them beforehand, it is asked some more times: what differs now differs by design.
    ///
    /// # Errors
    /// As [`Server::verify`].
    pub(crate) fn learn(&mut self, workload: &Workload, first: &Response) -> Result<(), Halt> {
        if workload.exchange.replies() != Replies::ToSee {
            return Ok(());
        }
        for _ in 0..ASKED_AGAIN {
            let again = self.verify(workload)?;
            if (again.status, &again.body) != (first.status, &first.body) {
                return Ok(());
            }
        }
        let baseline = Baseline::of(first.status, &first.body);
        self.baselines.insert(workload.name.clone(), baseline);
        Ok(())
    }

    /// What its responses to a workload were like when it was verified; `None` where they are not compared with that.
    pub(crate) fn baseline(&self, workload: &Workload) -> Option<&Baseline> {
        self.baselines.get(&workload.name)
    }

    /// What its responses to a workload are compared with.
    pub(crate) fn compared(&self, workload: &Workload) -> Compared {
        match (workload.exchange.replies(), self.baseline(workload)) {
            (Replies::Stated, _) => Compared::Stated,
            (_, Some(_)) => Compared::Verified,
            (_, None) => Compared::Varying,
        }
    }

    /// Stops it for a while, or lets it go on.
    ///
    /// # Errors
    /// Where some of its processes go on all the same.
    pub(crate) fn freeze(&mut self, frozen: bool) -> Result<(), Failure> {
        if mem::replace(&mut self.frozen, frozen) == frozen {
            return Ok(());
        }
        self.process.freeze(frozen).map_err(failed)
    }

    /// What became of the server, with its last lines.
    fn fallen(&mut self, fate: Fate) -> Failure {
        // Where that fails, what was fetched before is shown.
        let _ = self.process.fetch_log();
        let printed = printed(&self.log);
        failed(FailureFinding::Server { fate, printed })
    }
}

/// The last lines of a log.
pub(crate) fn printed(log: &Path) -> Printed {
    Printed {
        log: log.display().to_string(),
        lines: last_lines(log, LINES),
    }
}
