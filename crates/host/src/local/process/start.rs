//! A keeper is started, and reports that its server was.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use photofinish_model::files::made;
use photofinish_model::finding::failure::FailureFinding;
use photofinish_model::secret::mask_words;

use super::{FREEZE_POLL_INTERVAL, LocalProcess};
use crate::container::{self, Running};
use crate::error::list;
use crate::guard::Guard;
use crate::keeper::Orders;
use crate::local::reports::{Report, Reports};
use crate::local::sampling::Sampling;
use crate::locked::locked;
use crate::logs::Logs;
use crate::sys::{self, Signal};
use crate::usage::Meter;
use crate::{Error, ProcessSpec, oom, strays};

/// How often a container that is being started is looked for; each look is a command of its engine.
const CONTAINER_POLL_INTERVAL: Duration = Duration::from_millis(20);

/// How long a keeper may take to report that its server was started.
const START_TIMEOUT: Duration = Duration::from_secs(20);

impl LocalProcess {
    /// Starts a server below a keeper, which is the program at `keeper`.
    ///
    /// # Errors
    /// If the keeper or the server cannot be started.
    pub(in crate::local) fn start(
        keeper: &Path,
        logs: &Logs,
        spec: &ProcessSpec,
    ) -> Result<LocalProcess, Error> {
        if spec.command.is_empty() && spec.container.is_none() {
            return Err(Error::EmptyCommand);
        }
        let mark = new_mark();
        let mut running = (spec.container.as_ref())
            .map(|container| Running::new(container, container::new_name()));
        let (command, env) = match (&spec.container, &running) {
            (Some(container), Some(running)) => (
                container.command(&running.name, spec, &mark),
                container::inherited(spec),
            ),
            _ => (spec.command.clone(), spec.env.iter().collect()),
        };
        let shown = mask_words(&spec.command).join(" ");
        let shown = match &spec.container {
            Some(container) => format!("{} {shown}", container.image.id),
            None => shown,
        };
        let unusable = Error::file("write", &spec.log);
        let log = logs.open(&spec.log).map_err(&unusable)?;
        let for_server = locked(&log).for_server().map_err(&unusable)?;
        // The server may have another working directory, where a relative path would mean another file.
        let keeper = std::path::absolute(keeper).unwrap_or_else(|_| keeper.to_owned());
        let mut start = Command::new(&keeper);
        let orders = Orders {
            cpus: spec.cpus.clone(),
            user: spec.user,
            raised_priority: spec.raised_priority,
            container: running.as_ref().map(|running| running.name.clone()),
        };
        start
            .arg("__keep")
            .arg(serde_json::to_string(&orders).unwrap_or_default())
            .arg(spec.scratch.as_deref().unwrap_or(Path::new("")))
            .args(&command);
        let env = env.into_iter().map(|(name, value)| (name, value.expose()));
        start.envs(env).env(strays::MARK_VARIABLE, &mark);
        if let Some(dir) = &spec.dir {
            fs::metadata(dir).map_err(Error::file("use", dir))?;
            start.current_dir(dir);
        }
        start
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(for_server);
        sys::as_keeper(&mut start);
        let hold = made::processes();
        if let Some(record) = hold.record() {
            // It is no leftover for as long as its keeper is there.
            sys::inherit(&mut start, record);
        }
        let guard = match &mut running {
            Some(running) => {
                running.guard(&mut start);
                None
            }
            None => Guard::of_server(&mark, &mut start).ok(),
        };
        let oom_kills = oom::kills();

        let failed = |source| Error::Keeper {
            path: keeper.clone(),
            source,
        };
        let mut child = strays::start_keeper(&mut start).map_err(failed)?;
        let (Some(control), Some(reports)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed(io::Error::other("it has no pipes")));
        };
        let meter = Meter::new(child.id());
        let reports = Reports::new(reports);
        let mut process = LocalProcess {
            command: shown,
            keeper: child,
            control,
            reports,
            pid: 0,
            container: running,
            meter,
            mark,
            log,
            guard,
            _hold: hold,
            oom_kills,
            exited: None,
            frozen: None,
            lost: false,
            prioritized: spec.raised_priority.then(|| spec.cpus.clone()),
            sampling: Sampling::of(spec.cpus.clone()),
            gone: false,
        };
        let deadline = Instant::now() + START_TIMEOUT;
        let first = loop {
            let look = deadline.min(Instant::now() + FREEZE_POLL_INTERVAL);
            match process.reports.next(look).map_err(failed)? {
                None if !process.reports.ended() && look < deadline => {
                    // Its server may have stopped it before it could say that there is one.
                    if process.keeper_is_stopped() {
                        sys::signal(process.keeper.id(), Signal::CONT);
                    }
                }
                // A keeper does not begin so: a server that may open its pipe does.
                Some(Report::Exited(_) | Report::Gone) => {}
                first => break first,
            }
        };
        match first {
            Some(Report::Started(pid)) => {
                process.pid = pid;
                process.find_container(deadline, &spec.cpus)?;
                Ok(process)
            }
            Some(Report::Failed(says)) => {
                process.end_keeper();
                process.container.iter_mut().for_each(Running::dismiss);
                process.dismiss_guard();
                process.gone = true;
                Err(FailureFinding::Start {
                    command: process.command.clone(),
                    says,
                }
                .into())
            }
            _ => {
                let says =
                    "it did not say that it started the server; its words are in the server's log";
                Err(failed(io::Error::other(says)))
            }
        }
    }
}

impl LocalProcess {
    /// Waits until its container runs, where it runs in one, and looks for its process there. One that has ended before is for the
    /// caller to find.
    ///
    /// # Errors
    /// If it does not run, or may use other cores than it was given.
    fn find_container(&mut self, deadline: Instant, cpus: &[usize]) -> Result<(), Error> {
        let failed = |command: &str, says: String| {
            let command = command.to_owned();
            Error::from(FailureFinding::Start { command, says })
        };
        loop {
            self.listen(Instant::now())?;
            let Some(container) = &mut self.container else {
                return Ok(());
            };
            if self.exited.is_some() || container.refresh(self.keeper.id()) {
                break;
            }
            if Instant::now() >= deadline {
                let seconds = START_TIMEOUT.as_secs();
                let says = format!("its container does not run after {seconds} s");
                return Err(failed(&self.command, says));
            }
            thread::sleep(CONTAINER_POLL_INTERVAL);
        }
        let Some(root) = self.container.as_ref().and_then(|running| running.root) else {
            return Ok(());
        };
        self.meter = Meter::of(root);
        let others = sys::affinity_of(root).filter(|own| own.iter().any(|cpu| !cpus.contains(cpu)));
        match others.filter(|_| !cpus.is_empty()) {
            None => Ok(()),
            Some(others) => Err(failed(
                &self.command,
                format!(
                    "its container may use the cores {}, not only those that it was given, {}; let this user's containers have \
                     cpusets (delegate the controller cpuset to it, or run photofinish as root), or pin nothing (--lanes none)",
                    list(&others),
                    list(cpus),
                ),
            )),
        }
    }
}

/// A value that no other server's environment has.
fn new_mark() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{}-{count}", made::name())
}
