//! A target's server: started in its lane, waited for, and asked whether it still lives.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use photofinish_study::fill;
use photofinish_study::plan::{Ready, Target, Workload};

use crate::answer::{self, Answer, Ask};
use crate::error::Halt;
use crate::prepare::Prepared;
use crate::scene::Scene;
use crate::verify::{self, Wrong};
use photofinish_host as host;
use photofinish_host::{Process, ProcessSpec};

/// Where servers listen as far as the lab is concerned.
const SERVER: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
/// How often a server that is not ready is asked again.
const POLL: Duration = Duration::from_millis(5);
/// How long one question may take; a server that warms up over its first answer is asked again.
const QUESTION: Duration = Duration::from_secs(1);
/// How many of a server's last lines are shown.
const LAST_LINES: usize = 12;

/// A server that was started. Dropping it ends it and everything that it started.
pub(crate) struct Server {
    /// The target's label.
    pub(crate) target: String,
    /// Whether it may still be at work on requests that nobody waits for any more.
    pub(crate) left_over: bool,
    pub(crate) process: Box<dyn Process>,
    pub(crate) address: SocketAddr,
    pub(crate) log: PathBuf,
    started: Instant,
}

/// The port on which a target is to be served in this trial.
pub(crate) fn port(scene: &Scene, target: &Target) -> Result<u16, Halt> {
    let Some(port) = target.start.port else {
        return Ok(scene.host.free_port()?);
    };
    match scene.host.port_holder(port) {
        None => Ok(port),
        Some(holder) => Err(Halt::Failed(format!(
            "port {port}, which {} needs, is taken by {holder}; end that, or give the target another port",
            target.label
        ))),
    }
}

/// What is to be started: the target's command with everything filled in. `temp` is the trial's folder for temporary files.
pub(crate) fn spec(
    scene: &Scene,
    target: &Target,
    prepared: &Prepared,
    round: u32,
    port: u16,
    temp: &Path,
) -> ProcessSpec {
    let path = |path: &Option<PathBuf>| path.as_ref().map(|p| p.display().to_string());
    let value = |name: &str| match name {
        "port" => Some(port.to_string()),
        "dir" => path(&prepared.dir),
        "java" => path(&prepared.tools.java),
        "java_home" => path(&prepared.tools.java_home),
        "photofinish" => Some(scene.photofinish.display().to_string()),
        "cpus" => Some(cores(scene).to_string()),
        "temp" => Some(temp.display().to_string()),
        _ => None,
    };
    let command = (target.start.command.iter())
        .flat_map(|argument| match argument.as_str() {
            "{jvm_flags}" => target
                .start
                .jvm_flags
                .iter()
                .map(|flag| fill(flag, value))
                .collect(),
            argument => vec![fill(argument, value)],
        })
        .collect();
    let mut env: BTreeMap<String, String> = prepared.tools.env.clone();
    // A server that is killed leaves its temporary files behind, and some that end by themselves do.
    env.insert("TMPDIR".to_owned(), temp.display().to_string());
    // What the target's own file says counts: it may pass on what it is given under other names.
    env.extend(scene.services.env(&target.label));
    env.extend(
        target
            .start
            .env
            .iter()
            .map(|(name, text)| (name.clone(), fill(text, value))),
    );
    ProcessSpec {
        command,
        env,
        dir: prepared.dir.clone(),
        cpus: scene.lanes.server.clone(),
        log: scene
            .logs
            .join(format!("{}-round-{round}.log", file_name(&target.label))),
        user: None,
    }
}

/// How many cores the server has.
fn cores(scene: &Scene) -> usize {
    match scene.lanes.server.len() {
        0 => thread::available_parallelism().map_or(1, usize::from),
        cores => cores,
    }
}

/// A label as part of a file's name.
pub(crate) fn file_name(label: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || "@._-".contains(c);
    label
        .chars()
        .map(|c| if fits(c) { c } else { '_' })
        .collect()
}

impl Server {
    /// Starts what `spec` says.
    pub(crate) fn start(
        scene: &Scene,
        target: &Target,
        spec: &ProcessSpec,
        port: u16,
    ) -> Result<Server, Halt> {
        let started = Instant::now();
        match scene.host.start(spec) {
            Ok(process) => Ok(Server {
                target: target.label.clone(),
                left_over: false,
                process,
                address: SocketAddr::new(SERVER, port),
                log: spec.log.clone(),
                started,
            }),
            Err(error) => Err(Halt::Failed(format!("failed to {error}"))),
        }
    }

    /// Waits until the server is ready; tells how long that took from its start.
    pub(crate) fn wait_ready(&mut self, scene: &Scene, ready: &Ready) -> Result<Duration, Halt> {
        loop {
            scene.go_on()?;
            let why = match self.question(scene, ready) {
                Ok(()) => return Ok(self.started.elapsed()),
                Err(why) => why,
            };
            self.require_alive("before it was ready")?;
            if self.started.elapsed() >= ready.timeout {
                let says = format!("was not ready within {:?}: {why}", ready.timeout);
                return Err(Halt::Failed(self.told(&says)));
            }
            thread::sleep(POLL);
        }
    }

    fn question(&self, scene: &Scene, ready: &Ready) -> Result<(), String> {
        let Some(path) = &ready.path else {
            return match TcpStream::connect_timeout(&self.address, QUESTION) {
                Ok(_) => Ok(()),
                Err(e) => Err(format!("connect to {}: {e}", self.address)),
            };
        };
        let bytes = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address);
        let ask = Ask {
            method: "GET",
            bytes: bytes.as_bytes(),
        };
        match answer::ask(self.address, &ask, QUESTION, &|| scene.interrupted()) {
            Ok(answer) if answer.status < 500 => Ok(()),
            Ok(answer) => Err(format!(
                "GET http://{}{path}: status {}",
                self.address, answer.status
            )),
            Err(why) => Err(format!("GET http://{}{path}: {why}", self.address)),
        }
    }

    /// Fails where the server has ended; `when` completes 'it ended …'.
    pub(crate) fn require_alive(&mut self, when: &str) -> Result<(), Halt> {
        match self.process.exited() {
            Ok(None) => Ok(()),
            Ok(Some(how)) => {
                // Nobody ends well who should still serve: most likely it went into the background.
                let hint = match how == host::SUCCESS {
                    true => ", though its command must stay in the foreground while it serves",
                    false => "",
                };
                let says = format!("ended {when} ({how}){hint}");
                Err(Halt::Failed(self.told(&says)))
            }
            Err(error) => Err(Halt::Failed(
                self.told(&format!("was lost {when}: failed to {error}")),
            )),
        }
    }

    /// Asks for one workload and compares the answer with the one that was stated.
    pub(crate) fn verify(&mut self, scene: &Scene, workload: &Workload) -> Result<Answer, Halt> {
        let wrong =
            match verify::verify(self.address, workload, scene.seed, &|| scene.interrupted()) {
                Ok(answer) => return Ok(answer),
                Err(wrong) => wrong,
            };
        scene.go_on()?;
        self.require_alive("when it was verified")?;
        Err(Halt::Failed(match wrong {
            Wrong::Answer(why) => why,
            Wrong::Silent(why) => self.told(&format!("did not answer: {why}")),
        }))
    }

    /// A sentence about the server, with its last lines.
    pub(crate) fn told(&self, says: &str) -> String {
        let lines = host::last_lines(&self.log, LAST_LINES);
        let log = self.log.display();
        match lines.is_empty() {
            true => format!("the server {says}; it printed nothing"),
            false => format!(
                "the server {says}; its last lines ({log}):\n    | {}",
                lines.join("\n    | ")
            ),
        }
    }
}
