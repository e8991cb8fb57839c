//! A keeper is started, and reports that its server was.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::{LocalProcess, STOPPED_LOOK};
use crate::local::reports::{Report, Reports};
use crate::local::sampling::Sampling;
use crate::logs::{Logs, lock};
use crate::sys::{self, Signal};
use crate::usage::Meter;
use crate::{Error, ProcessSpec, strays};

/// How long a keeper may take to report that its server was started.
const START_TIMEOUT: Duration = Duration::from_secs(20);

impl LocalProcess {
    /// Starts a server below a keeper, which is the program at `keeper`.
    ///
    /// # Errors
    /// Where the keeper or the server cannot be started.
    pub(in crate::local) fn start(
        keeper: &Path,
        logs: &Logs,
        spec: &ProcessSpec,
    ) -> Result<LocalProcess, Error> {
        if spec.command.is_empty() {
            return Err(Error::EmptyCommand);
        }
        let command = spec.command.join(" ");
        let unusable = |source| Error::File {
            verb: "write",
            path: spec.log.clone(),
            source,
        };
        let log = logs.open(&spec.log).map_err(unusable)?;
        let for_server = lock(&log).for_server().map_err(unusable)?;
        let cpus: Vec<String> = spec.cpus.iter().map(usize::to_string).collect();
        let mark = new_mark();
        // The server may have another working directory, where a relative path would mean another file.
        let keeper = std::path::absolute(keeper).unwrap_or_else(|_| keeper.to_owned());
        let mut start = Command::new(&keeper);
        let user = spec.user.map(|(user, group)| format!("{user}:{group}"));
        start
            .arg("__keep")
            .arg(cpus.join(","))
            .arg(user.unwrap_or_default())
            .arg(spec.scratch.as_deref().unwrap_or(Path::new("")))
            .args(&spec.command);
        start.envs(&spec.env).env(strays::MARK, &mark);
        if let Some(dir) = &spec.dir {
            fs::metadata(dir).map_err(|source| Error::File {
                verb: "use",
                path: dir.clone(),
                source,
            })?;
            start.current_dir(dir);
        }
        start
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(for_server);
        sys::as_keeper(&mut start);

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
            command,
            keeper: child,
            control,
            reports,
            pid: 0,
            meter,
            mark,
            log,
            exited: None,
            frozen: None,
            sampling: Sampling::of(spec.cpus.clone()),
            gone: false,
        };
        let deadline = Instant::now() + START_TIMEOUT;
        let first = loop {
            let look = deadline.min(Instant::now() + STOPPED_LOOK);
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
                Ok(process)
            }
            Some(Report::Failed(says)) => {
                process.end_keeper();
                process.gone = true;
                Err(Error::Start {
                    command: process.command.clone(),
                    says,
                })
            }
            _ => {
                let says =
                    "it did not say that it started the server; its words are in the server's log";
                Err(failed(io::Error::other(says)))
            }
        }
    }
}

/// A value that no other server's environment has.
fn new_mark() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let since = std::time::SystemTime::UNIX_EPOCH
        .elapsed()
        .unwrap_or_default();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{}-{}-{count}", std::process::id(), since.as_nanos())
}
