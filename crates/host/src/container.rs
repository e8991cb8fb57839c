//! Servers in containers: podman or docker runs them, each in the foreground below its keeper as any other server.
//!
//! podman has no daemon: its container is the child of its monitor, which the keeper adopts. Docker's containers are elsewhere in the
//! process tree. Either way the engine says which process is the container's first; from there on a server is
//! looked at as any other, so its figures are those of a server without a container: no cgroup counts context switches or page
//! faults of each process. The engine removes a container when the server is to end: its processes end with it, whoever their
//! parent is.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use photofinish_model::Secret;
use photofinish_model::finding::failure::FailureFinding;
use photofinish_model::version::VersionReq;
use serde::{Deserialize, Serialize};

use super::command::{which, words};
use super::guard::Guard;
use super::{Error, ProcessSpec, oom, processes, strays, sys};

/// What runs containers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Engine {
    /// `podman` or `docker`.
    pub program: PathBuf,
    /// Whether it may give containers cores of their own; podman needs root or a delegated controller for that.
    pub cpusets: bool,
}

/// What a server in a container runs from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Container {
    /// What runs it.
    pub engine: Engine,
    /// The image.
    pub image: Image,
}

/// An image that is on a machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// Its digest: of its configuration, and so of all that it holds.
    pub id: String,
    /// The name under which a registry has it by the digest of its manifest; `None`: no registry has it, as far as is known.
    pub pulled: Option<String>,
}

impl Image {
    /// What names it for good, for the record.
    pub fn identity(&self) -> String {
        match &self.pulled {
            Some(name) => format!("{name} ({})", self.id),
            None => self.id.clone(),
        }
    }
}

/// The programs that run containers, in the order of preference, what they print of themselves, and how each begins to work.
const ENGINES: [(&str, &str, &str); 2] = [
    (
        "podman",
        "{{.Version.Version}} {{.Host.CgroupControllers}}",
        "see what `podman info` complains of",
    ),
    (
        "docker",
        "{{.ServerVersion}} {{if .CPUSet}}cpuset{{end}}",
        "start its daemon, and see that this user may use it (`docker info`)",
    ),
];

/// Message of an engine about a container that does not exist.
const NO_CONTAINER: &str = "no such container";

/// Prefix of the names of containers.
const NAME_PREFIX: &str = "photofinish-";

impl Engine {
    /// The first that works of those in a search path; with its version and path.
    pub(super) fn find(
        tool: &str,
        wanted: &VersionReq,
        path: &std::ffi::OsStr,
    ) -> Result<(Engine, &'static str, String), Error> {
        let missing = |found: String, remedy: String| {
            Error::from(FailureFinding::Tool {
                tool: tool.to_owned(),
                wanted: wanted.text.clone(),
                found,
                remedy,
            })
        };
        let (mut complaints, mut remedies) = (Vec::new(), Vec::new());
        for (name, format, remedy) in ENGINES {
            let Some(program) = which(name, path) else {
                continue;
            };
            let says = words(&program, &["info", "--format", format], &BTreeMap::new());
            let says = says.unwrap_or_default();
            let version = says.split_ascii_whitespace().next().unwrap_or_default();
            if version.starts_with(|c: char| c.is_ascii_digit()) {
                let found = format!("{version} ({})", program.display());
                let cpusets = says.contains("cpuset");
                return Ok((Engine { program, cpusets }, name, found));
            }
            let line = says.lines().map(str::trim).rfind(|line| !line.is_empty());
            let line = line.unwrap_or("nothing");
            complaints.push(format!("{} says: {line}", program.display()));
            remedies.push(remedy);
        }
        if complaints.is_empty() {
            return Err(missing(
                "neither is in PATH".to_owned(),
                "install podman (a package of that name)".to_owned(),
            ));
        }
        Err(missing(complaints.join("; "), remedies.join("; ")))
    }

    /// The image of a name or id, where it is on this machine.
    pub(super) fn image(&self, name: &str) -> Option<Image> {
        self.remove_left();
        let format = "{{.Id}} {{join .RepoDigests \" \"}}";
        let says = self.words(&["image", "inspect", "--format", format, name])?;
        let mut parts = says.split_ascii_whitespace();
        let id = parts.next()?;
        // podman leaves the algorithm out.
        let hex = id.strip_prefix("sha256:").unwrap_or(id);
        let is_id = hex.len() == 64 && hex.chars().all(|c| c.is_ascii_hexdigit());
        let known = parts.find(|name| !name.starts_with("localhost/") && name.contains("@sha256:"));
        is_id.then(|| Image {
            id: format!("sha256:{hex}"),
            pulled: known.map(str::to_owned),
        })
    }

    fn words(&self, args: &[&str]) -> Option<String> {
        words(&self.program, args, &BTreeMap::new())
    }

    /// Removes the containers of this machine's photofinishes that were killed together with their keepers and [guards](Guard).
    fn remove_left(&self) {
        let filter = format!("name={NAME_PREFIX}");
        let args = ["ps", "--all", "--format", "{{.Names}}", "--filter", &filter];
        let says = self.words(&args).unwrap_or_default();
        for name in says.lines().filter(|name| is_left(name.trim())) {
            let _ = remove(&self.program, name.trim());
        }
    }
}

impl Container {
    /// The command that runs it in the foreground.
    pub(super) fn command(&self, name: &str, spec: &ProcessSpec, mark: &str) -> Vec<String> {
        let mut command = vec![self.engine.program.display().to_string()];
        let mut add = |words: &[&str]| command.extend(words.iter().map(|&word| word.to_owned()));
        // Nothing lies between the load and the server: a port that is published costs a copy or a translation of each packet,
        // and without root a process that forwards all of them.
        add(&["run", "--rm", "--name", name, "--network", "host"]);
        // Its words go the way of any server's. What an image says of health checks would run beside the measurements.
        add(&["--log-driver", "none", "--no-healthcheck"]);
        // When it is to end, its grace is over.
        add(&["--pull", "never", "--stop-timeout", "0"]);
        // As many threads and files as a server without a container.
        add(&["--pids-limit", "-1"]);
        let (files, most_files) = sys::open_files();
        let processes = sys::processes_allowed();
        add(&["--ulimit", &format!("nofile={files}:{most_files}")]);
        add(&["--ulimit", &format!("nproc={processes}:{processes}")]);
        add(&["--oom-score-adj", &oom::server_score().to_string()]);
        if !spec.cpus.is_empty() && self.engine.cpusets {
            let cpus: Vec<String> = spec.cpus.iter().map(usize::to_string).collect();
            add(&["--cpuset-cpus", &cpus.join(",")]);
        }
        add(&["--env", &format!("{}={mark}", strays::MARK_VARIABLE)]);
        for (name, value) in &spec.env {
            // Without a value the engine passes its own on, which no list of processes shows.
            match is_engines(name) {
                true => add(&["--env", &format!("{name}={}", value.expose())]),
                false => add(&["--env", name]),
            }
        }
        add(&[&self.image.id]);
        command.extend(spec.command.iter().cloned());
        command
    }
}

/// The part of a container's environment that its engine passes on from its own.
pub(super) fn inherited(spec: &ProcessSpec) -> BTreeMap<&String, &Secret<String>> {
    let env = spec.env.iter();
    env.filter(|(name, _)| !is_engines(name)).collect()
}

/// Whether a variable has a meaning to the engine itself, which needs photofinish's own value of it. None of them is a secret.
fn is_engines(name: &str) -> bool {
    const NAMES: [&str; 10] = [
        "HOME", "LANG", "LOGNAME", "PATH", "PWD", "SHELL", "TERM", "TMPDIR", "TZ", "USER",
    ];
    const FAMILIES: [&str; 10] = [
        "BUILDAH_",
        "CONTAINER",
        "DBUS_",
        "DOCKER_",
        "GO",
        "LC_",
        "LD_",
        "PODMAN_",
        "STORAGE_",
        "XDG_",
    ];
    NAMES.contains(&name) || FAMILIES.iter().any(|family| name.starts_with(family))
}

/// A container that was started.
#[derive(Debug)]
pub(super) struct Running {
    engine: PathBuf,
    /// What the engine calls it.
    pub(super) name: String,
    /// Its first process, where this machine runs it.
    pub(super) root: Option<u32>,
    /// One safeguard of several, which could not always be started.
    guard: Option<Guard>,
}

impl Running {
    pub(super) fn new(container: &Container, name: String) -> Running {
        Running {
            engine: container.engine.program.clone(),
            name,
            root: None,
            guard: None,
        }
    }

    /// Has it removed should photofinish and the keeper that this command starts be killed together.
    pub(super) fn guard(&mut self, keeper: &mut Command) {
        self.guard = Guard::of_container(&self.engine, &self.name, keeper).ok();
    }

    /// It was removed: there is nothing to guard.
    pub(super) fn dismiss(&mut self) {
        if let Some(guard) = self.guard.take() {
            guard.dismiss();
        }
    }

    /// Looks for its first process; whether the engine has started one. It is `root` only if it is seen to be the container's: the
    /// engine may be on another machine, or in a virtual one, where the number is another process's.
    pub(super) fn refresh(&mut self, keeper: u32) -> bool {
        let format = "{{.State.Pid}} {{.Id}}";
        let args = ["container", "inspect", "--format", format, &self.name];
        let says = words(&self.engine, &args, &BTreeMap::new()).unwrap_or_default();
        let mut parts = says.split_ascii_whitespace();
        let pid = parts.next().and_then(|pid| pid.parse().ok());
        let (Some(pid), Some(id)) = (pid.filter(|&pid: &u32| pid > 0), parts.next()) else {
            return false;
        };
        let groups = fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
        let all = processes::processes();
        let below = || {
            let below = processes::descendants(&all, keeper);
            below.iter().any(|process| process.pid == pid)
        };
        if groups.contains(id) || below() {
            self.root = Some(pid);
        }
        true
    }

    /// Its processes.
    pub(super) fn processes<'a>(&self, all: &'a [processes::Stat]) -> Vec<&'a processes::Stat> {
        let Some(root) = self.root else {
            return Vec::new();
        };
        let first = all.iter().filter(|process| process.pid == root);
        first.chain(processes::descendants(all, root)).collect()
    }

    /// Removes it, where its keeper does not any more.
    pub(super) fn remove(&mut self) {
        if remove(&self.engine, &self.name).is_ok() {
            self.dismiss();
        }
    }
}

/// How a container ended, by how the command that ran it did: the engines have numbers for what kept it from running at all.
pub(super) fn how(how: String) -> String {
    let meaning = match how.as_str() {
        "exit status 125" => "the container could not be started",
        "exit status 126" => "the container's command cannot be executed",
        "exit status 127" => "the image has no such command",
        _ => return how,
    };
    format!("{how}: {meaning}")
}

/// Ends all processes of a container and removes it.
///
/// # Errors
/// What the engine says, where the container may still be there.
pub(super) fn remove(engine: &Path, name: &str) -> Result<(), String> {
    let says = words(engine, &["rm", "--force", name], &BTreeMap::new());
    let says = says.ok_or_else(|| format!("{} does not end", engine.display()))?;
    // podman says nothing of one that is not there.
    let is_unknown = says.trim().is_empty() || says.to_lowercase().contains(NO_CONTAINER);
    match is_unknown || says.lines().any(|line| line == name) {
        true => Ok(()),
        false => Err(says.trim().to_owned()),
    }
}

/// A name that no other container has, and that says who started it: which process, of which numbering of processes.
pub(super) fn new_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let own = std::process::id();
    let started = processes::stat(own).map_or(0, |own| own.started);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{NAME_PREFIX}{}-{own}-{started}-{count}", numbering())
}

/// Which numbering of processes (PID namespace) this one's number is of: another's photofinish may use the same engine.
fn numbering() -> String {
    let link = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    let link = link.to_string_lossy();
    link.chars().filter(char::is_ascii_digit).collect()
}

/// Whether a name is that of a container whose photofinish is gone.
fn is_left(name: &str) -> bool {
    let Some(parts) = name.strip_prefix(NAME_PREFIX) else {
        return false;
    };
    let parts: Vec<&str> = parts.split('-').collect();
    let [space, pid, started, _] = parts[..] else {
        return false;
    };
    let (Ok(pid), Ok(started)) = (pid.parse::<u32>(), started.parse::<u64>()) else {
        return false;
    };
    space == numbering() && processes::stat(pid).is_none_or(|now| now.started != started)
}

#[cfg(test)]
mod tests;
