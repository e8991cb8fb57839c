//! The agent that shows the frames of Java code: async-profiler, fetched once and loaded into the Java virtual machines that are profiled.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use photofinish_host::{Host, Process};
use photofinish_study::plan::{Plan, Target};

pub use crate::error::NoJava;
use crate::events::{Event, Warning};
use crate::fetch::{Artifact, Fetcher, Packing};
use crate::scene::Scene;
use crate::turns::profiled;

/// Its file in the folder that it is unpacked to.
const LIBRARY: &str = "libasyncProfiler.so";
const VERSION: &str = "4.2";
/// One jar for all processors: each has its folder.
const ARTIFACTS: &[Artifact] = &[
    artifact("x86_64", "linux-x64"),
    artifact("aarch64", "linux-arm64"),
];

const fn artifact(arch: &'static str, folder: &'static str) -> Artifact {
    Artifact {
        coordinates: "tools.profiler:async-profiler:4.2",
        version: VERSION,
        arch,
        sha256: "445b7bdc6a3ed03d45a9d4b61b5a5fc072b3e9952d7f2b63722312f48ea9ee18",
        packing: Packing::Jar(folder),
    }
}

/// The agent's file below `cache`, fetched if it is not there yet. `fetching` is called with its coordinates before it is.
///
/// # Errors
/// Where it cannot be fetched, or there is none for this processor.
pub fn library(
    host: &dyn Host,
    cache: &Path,
    interrupted: &dyn Fn() -> bool,
    fetching: &mut dyn FnMut(&str),
) -> Result<PathBuf, NoJava> {
    let arch = std::env::consts::ARCH;
    let artifact = ARTIFACTS.iter().find(|artifact| artifact.arch == arch);
    let artifact = artifact.ok_or(NoJava::Processor { arch })?;
    let fetcher = Fetcher {
        host,
        cache,
        interrupted,
    };
    Ok(fetcher.fetch(artifact, fetching)?.join(LIBRARY))
}

/// What a run knows of Java.
#[derive(Default)]
pub(crate) struct Java {
    cache: PathBuf,
    /// The agent's file, or why there is none, once that was asked.
    library: OnceCell<Result<PathBuf, Arc<NoJava>>>,
    /// The targets of which it was reported that they have no Java frames.
    without: RefCell<BTreeSet<String>>,
}

impl Java {
    /// Of a run that keeps downloads in `cache`.
    pub(crate) fn new(cache: &Path) -> Java {
        Java {
            cache: cache.to_owned(),
            ..Java::default()
        }
    }
}

impl Scene<'_> {
    /// Fetches the agent before the first round, where it will be needed as far as is known then: while servers wait for load is no
    /// time for that.
    pub(crate) fn expect_java(&self, plan: &Plan) {
        let java = |target: &Target| {
            let program = target.start.command.first().map(Path::new);
            let runs_java = program
                .and_then(Path::file_name)
                .is_some_and(|name| name == "java");
            target.needs.contains_key("jdk") || runs_java
        };
        if profiled::names_java(plan)
            && self.host.files().are_here()
            && plan.targets.iter().any(java)
        {
            // Why there is none is said once it is needed.
            let _ = self.java_library();
        }
    }

    fn java_library(&self) -> Result<PathBuf, Arc<NoJava>> {
        let find = || {
            if !self.host.files().are_here() {
                let machine = self.host.machine().name();
                return Err(Arc::new(NoJava::Elsewhere { machine }));
            }
            let mut fetching = |artifact: &str| {
                let artifact = artifact.to_owned();
                self.report(Event::Fetching { artifact });
            };
            let interrupted = || self.interrupted();
            library(self.host, &self.java.cache, &interrupted, &mut fetching).map_err(Arc::new)
        };
        self.java.library.get_or_init(find).clone()
    }

    /// Has the Java virtual machines of a target's server show their frames; why they do not is reported once for each target.
    pub(crate) fn show_java(&self, target: &str, process: &mut dyn Process) {
        let is_known = self.java.without.borrow().contains(target);
        if is_known || !process.has_bare_java().unwrap_or(false) {
            return;
        }
        let loaded = self.java_library().and_then(|library| {
            let loaded = process.load_java_agent(&library);
            loaded.map_err(|error| Arc::new(NoJava::Host(error)))
        });
        if let Err(why) = loaded {
            self.without_java(target, why);
        }
    }

    /// Reports that there is a Java virtual machine which began too late for an agent, where one was asked for.
    pub(crate) fn look_for_late_java(&self, target: &str, process: &mut dyn Process) {
        if profiled::names_java(self.plan) && process.has_bare_java().unwrap_or(false) {
            self.without_java(target, Arc::new(NoJava::Late));
        }
    }

    /// Reports why there are no Java frames in a target's profile, once for each target.
    pub(crate) fn without_java(&self, target: &str, why: Arc<NoJava>) {
        if self.java.without.borrow_mut().insert(target.to_owned()) {
            let target = target.to_owned();
            self.report(Event::Warning(Warning::NoJava { target, why }));
        }
    }
}
