//! A target's server: started on its cores, waited for, verified, and asked whether it still lives.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::mem;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use photofinish_host::ports::is_here;
use photofinish_host::{Folder, Process, SUCCESS, last_lines};
use photofinish_judge::checks::Compared;
use photofinish_load::Baseline;
use photofinish_load::once::{Response, Wait};
use photofinish_model::finding::failure::{FailureFinding, Fate, Printed, When, Wrong};
use photofinish_model::{Address, Replies, Template};
use photofinish_study::plan::{Target, Workload};

use crate::error::{Failure, Halt, failed};
use crate::run_context::RunContext;
use around::Command;
use login::login;
use redirect::destination;
use route::Route;

mod around;
mod launch;
pub(crate) mod login;
mod ready;
pub(crate) mod redirect;
pub(crate) mod route;
pub(crate) mod verify;

pub(crate) use launch::Launch;

/// Number of further requests of a verification, which show whether all responses are equal.
const EXTRA_REQUESTS: usize = 2;
/// Number of last lines of a log in a message about a program.
const LOG_LINES: usize = 12;
/// Pause between two attempts to reach a server that is not ready.
const POLL_INTERVAL: Duration = Duration::from_millis(5);
/// How long a server may take to exit once nobody can connect to it.
const EXIT_TIMEOUT: Duration = Duration::from_secs(1);
/// A server that was started. Dropping it ends it and everything that it started.
pub(crate) struct Server<'s> {
    pub(crate) run: &'s RunContext<'s>,
    pub(crate) target: &'s Target,
    /// Whether it may still be at work on requests that nobody waits for any more.
    pub(crate) left_over: bool,
    /// What its login gave, by workload.
    logins: BTreeMap<String, BTreeMap<String, String>>,
    /// Where redirects led, by workload; `None`: there was none, or none is followed.
    paths: BTreeMap<String, Option<String>>,
    /// What responses were like when it was verified, by workload; none where they differed from one another.
    baselines: BTreeMap<String, Baseline>,
    pub(crate) process: Process,
    /// Whether it is stopped for a while.
    frozen: bool,
    pub(crate) address: Address,
    /// What requests call it; `None`: by its address.
    called: Option<String>,
    log: PathBuf,
    started: Instant,
    /// What is run after it has ended.
    cleanup: Option<Command<'s>>,
    /// After the process: a field is dropped after those before it.
    _temp: Folder,
}

impl Server<'_> {
    /// Stops it and everything that it started, and cleans up.
    ///
    /// # Errors
    /// If something is left that not even SIGKILL ends, and where cleaning up fails.
    pub(crate) fn stop(mut self) -> Result<(), Halt> {
        let stopped = self.process.stop(self.target.stop.grace);
        stopped.map_err(|error| Halt::Broken(error.into()))?;
        self.cleanup.as_ref().map_or(Ok(()), Command::run)
    }

    /// Ends it and everything that it started where its trial is halted, and cleans up.
    pub(crate) fn end(self, halt: Halt) -> Halt {
        let Server {
            process, cleanup, ..
        } = self;
        drop(process);
        Command::after(cleanup.as_ref(), halt)
    }

    /// What requests call it: the value of HTTP's `Host`.
    pub(crate) fn authority(&self) -> String {
        self.route().authority()
    }

    /// Whether it may need cores of the load generator's machine.
    pub(crate) fn shares_machine(&self) -> bool {
        (self.target.already()).is_none_or(|endpoint| is_here(&endpoint.address))
    }

    /// Questions take the way that load takes.
    fn route(&self) -> Route<'_> {
        Route {
            from: self.run.generator.machine(),
            to: &self.address,
            called: self.called.as_deref(),
            tls: self.target.tls.as_ref(),
        }
    }

    /// Fails if the server has ended, or ends within a moment: one that ends closes its sockets first, and may have much to do
    /// in between.
    fn require_lasting(&mut self, when: When) -> Result<(), Halt> {
        let since = Instant::now();
        loop {
            self.require_alive(when)?;
            if since.elapsed() >= EXIT_TIMEOUT {
                return Ok(());
            }
            thread::sleep(POLL_INTERVAL);
            self.run.go_on()?;
        }
    }

    /// Fails if the server has ended.
    pub(crate) fn require_alive(&mut self, when: When) -> Result<(), Failure> {
        match self.process.exited() {
            Ok(None) => Ok(()),
            Ok(Some(how)) => {
                // Nobody ends well who should still serve.
                let well = how == SUCCESS;
                Err(self.fallen(Fate::Ended { when, how, well }))
            }
            Err(error) => {
                let why = failed(error);
                Err(self.fallen(Fate::Lost { when, why }))
            }
        }
    }

    /// Asks for one workload and compares the response with the one that was stated.
    ///
    /// # Errors
    /// If they differ or none comes; halts for an interrupt.
    pub(crate) fn verify(&mut self, workload: &Workload) -> Result<Response, Halt> {
        let run = self.run;
        let unwanted = || run.interrupted();
        let entered = self.enter(workload);
        let entered = entered.and_then(|()| self.follow(workload));
        let verified = entered.and_then(|()| {
            let workload = self.takes(workload);
            verify::verify(self.route(), &workload, run.seed, &unwanted)
        });
        let wrong = match verified {
            Ok(response) => return Ok(response),
            Err(wrong) => wrong,
        };
        self.run.go_on()?;
        match &wrong {
            Wrong::Silent { met, .. } if met.is_cut_off() => {
                self.require_lasting(When::Verified)?;
            }
            _ => self.require_alive(When::Verified)?,
        }
        Err(Halt::Failed(match wrong {
            Wrong::Silent { .. } | Wrong::Request { .. } => self.fallen(Fate::Silent { wrong }),
            wrong => failed(FailureFinding::Response { wrong }),
        }))
    }

    /// Logs in, once, where a workload wants that.
    fn enter(&mut self, workload: &Workload) -> Result<(), Wrong> {
        let Some(wanted) = &workload.login else {
            return Ok(());
        };
        if self.logins.contains_key(&workload.name) {
            return Ok(());
        }
        let run = self.run;
        let unwanted = || run.interrupted();
        let (timeout, seed) = (workload.timeout, run.seed);
        let exchange = &workload.exchange;
        let got = login(self.route(), wanted, exchange, timeout, seed, &unwanted)?;
        self.logins.insert(workload.name.clone(), got);
        Ok(())
    }

    /// Follows redirects, once, if a workload wants that.
    fn follow(&mut self, workload: &Workload) -> Result<(), Wrong> {
        if self.paths.contains_key(&workload.name) {
            return Ok(());
        }
        let run = self.run;
        let wait = Wait {
            timeout: workload.timeout,
            unwanted: &|| run.interrupted(),
        };
        let own = self.takes(workload);
        let path = destination(self.route(), &own.exchange, wait, run.seed)?;
        self.paths.insert(workload.name.clone(), path);
        Ok(())
    }

    /// The path at which redirects ended; `None` if none was followed.
    pub(crate) fn led_to(&self, workload: &Workload) -> Option<&str> {
        self.paths.get(&workload.name)?.as_deref()
    }

    /// A workload as this server takes it: at the path of its own URL or where redirects lead, and with what its login gave.
    pub(crate) fn takes<'w>(&self, workload: &'w Workload) -> Cow<'w, Workload> {
        let mut own = self.target.takes(workload);
        if let Some(values) = self.logins.get(&workload.name) {
            own.to_mut().exchange = own.exchange.with_login(values);
        }
        if let Some(path) = self.led_to(workload) {
            let exchange = &mut own.to_mut().exchange;
            exchange.set_path(Template::fixed(path.as_bytes()));
        }
        own
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
        for _ in 0..EXTRA_REQUESTS {
            let again = self.verify(workload)?;
            if (again.status, &again.body) != (first.status, &first.body) {
                return Ok(());
            }
        }
        let baseline = Baseline::of(first.status, &first.body);
        self.baselines.insert(workload.name.clone(), baseline);
        Ok(())
    }

    /// What its responses to a workload were like when it was verified; `None` if they are not compared with that.
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

    /// Stops it for a while, or lets it continue.
    ///
    /// # Errors
    /// If some of its processes continue all the same.
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
        let printed = match self.target.already() {
            None => printed(&self.log),
            // It prints where its owner wants it to.
            Some(_) => Printed {
                log: String::new(),
                lines: Vec::new(),
            },
        };
        failed(FailureFinding::Server { fate, printed })
    }
}

/// The last lines of a log.
pub(crate) fn printed(log: &Path) -> Printed {
    Printed {
        log: log.display().to_string(),
        lines: last_lines(log, LOG_LINES),
    }
}
