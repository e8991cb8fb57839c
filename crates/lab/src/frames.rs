//! Java servers that are profiled show their frames: when the agent is fetched and loaded, and what is reported where it is not.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use photofinish_host::Process;
use photofinish_study::plan::{Plan, Target};

use crate::error::NoJava;
use crate::events::{Event, Warning};
use crate::prepare::java::library;
use crate::run_context::RunContext;
use crate::turns::profiled;

impl RunContext<'_> {
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
        if profiled::names_java(plan) && self.host.is_here() && plan.targets.iter().any(java) {
            // Why there is none is said once it is needed.
            let _ = self.java_library();
        }
    }

    fn java_library(&self) -> Result<PathBuf, Arc<NoJava>> {
        let find = || {
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
    pub(crate) fn show_java(&self, target: &str, process: &mut Process) {
        let is_known = self.java.without.borrow().contains(target);
        if is_known || !process.has_bare_java().unwrap_or(false) {
            return;
        }
        let loaded = self.java_library().and_then(|library| {
            let loaded = process.load_java_agent(library);
            loaded.map_err(|error| Arc::new(NoJava::Host(error)))
        });
        if let Err(why) = loaded {
            self.without_java(target, why);
        }
    }

    /// Reports that there is a Java virtual machine which began too late for an agent, where one was asked for.
    pub(crate) fn look_for_late_java(&self, target: &str, process: &mut Process) {
        if profiled::names_java(self.plan) && process.has_bare_java().unwrap_or(false) {
            self.without_java(target, Arc::new(NoJava::Late));
        }
    }

    /// Reports that there is no Java virtual machine to look at what its threads wait for, once for each target, unless it is known why
    /// nobody looks.
    pub(crate) fn without_waits(&self, target: &str) {
        if self.java.without.borrow_mut().insert(target.to_owned()) {
            let target = target.to_owned();
            self.report(Event::Warning(Warning::NoWaits { target }));
        }
    }

    /// Reports why there are no Java frames in a target's profile, once for each target.
    pub(crate) fn without_java(&self, target: &str, why: Arc<NoJava>) {
        if self.java.without.borrow_mut().insert(target.to_owned()) {
            let target = target.to_owned();
            let waits = self.plan.settings.why.is_some();
            self.report(Event::Warning(Warning::NoJava { target, why, waits }));
        }
    }
}
