//! A server below its keeper, as photofinish sees it.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::{Child, ChildStdin};
use std::thread;
use std::time::{Duration, Instant};

use photofinish_model::Address;
use photofinish_model::files::made::Hold;
use photofinish_model::finding::failure::FailureFinding;
use photofinish_profile::{SampleClock, Sampled};

use super::reports::{Report, Reports};
use super::sampling::Sampling;
use crate::container::{self, Running};
use crate::group::{FREEZE_TIMEOUT, Group};
use crate::guard::Guard;
use crate::keeper::{ORPHAN_GRACE, how};
use crate::locked::locked;
use crate::logs;
use crate::processes::Stat;
use crate::sys::{self, Signal};
use crate::usage::Meter;
use crate::{Error, PortHolder, oom, ports, priority, processes, strays};

mod start;

/// How long processes may take to vanish after SIGKILL. The kernel may still write out a large process's memory.
const KILL_TIMEOUT: Duration = Duration::from_secs(15);

/// How long a keeper may take to end that has nothing to do any more.
const KEEPER_EXIT_TIMEOUT: Duration = Duration::from_secs(2);

/// How often a keeper that is to stop its server is looked at.
const FREEZE_POLL_INTERVAL: Duration = Duration::from_millis(200);

/// How often processes are looked at that had a signal to stop or to continue.
const SIGNAL_POLL_INTERVAL: Duration = Duration::from_millis(1);

/// A server below its keeper.
pub(crate) struct LocalProcess {
    /// The command, for messages.
    command: String,
    keeper: Child,
    /// The pipe to the keeper: when it closes, the keeper ends everything.
    control: ChildStdin,
    reports: Reports,
    /// The server's own process, or the command that runs its container.
    pid: u32,
    container: Option<Running>,
    meter: Meter,
    /// In the environment of everything that the server starts.
    mark: String,
    log: logs::Shared,
    /// One safeguard of several, which could not always be started.
    guard: Option<Guard>,
    /// It is on record while it may run.
    _hold: Hold,
    /// How many processes the kernel had killed for want of memory when it was started.
    oom_kills: Option<u64>,
    exited: Option<String>,
    frozen: Option<Frozen>,
    /// Its cores, where it comes before other programs there.
    prioritized: Option<Vec<usize>>,
    sampling: Sampling,
    /// Its keeper ended before its work was done.
    lost: bool,
    /// Nothing is left of it.
    gone: bool,
}

/// How a server was stopped for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frozen {
    /// By its cgroup.
    Group,
    /// Each of its processes by a signal.
    Signals,
}

impl LocalProcess {
    /// Takes in what the keeper has reported until `deadline`, or until all is gone.
    fn listen(&mut self, deadline: Instant) -> Result<(), Error> {
        while !self.gone {
            let next = self.reports.next(deadline);
            let keeper = Path::new("photofinish __keep");
            let next = next.map_err(Error::file("read the reports of", keeper))?;
            match next {
                Some(Report::Exited(how)) => {
                    let how = match &self.container {
                        Some(_) => container::how(how),
                        None => how,
                    };
                    let how = oom::named(how, self.oom_kills);
                    self.exited.get_or_insert(how);
                }
                // Whoever says so may be a server that writes to the keeper's pipe: what is left would be found there.
                Some(Report::Gone) => {
                    self.end_keeper();
                    return self.sweep();
                }
                Some(_) => {}
                None if self.reports.ended() => return self.lose_keeper(),
                None => break,
            }
        }
        Ok(())
    }

    /// The keeper ended before its work was done. The kernel has killed the server itself; this ends what it started.
    fn lose_keeper(&mut self) -> Result<(), Error> {
        let how = oom::named(self.end_keeper(), self.oom_kills);
        self.lost = true;
        self.exited.get_or_insert_with(|| {
            format!("its keeper was ended by {how}, and the server with it")
        });
        self.sweep()
    }

    /// Waits for the keeper, which has nothing to do any more; one that does not end by itself is killed. Says how it ended.
    fn end_keeper(&mut self) -> String {
        let deadline = Instant::now() + KEEPER_EXIT_TIMEOUT;
        let ended = loop {
            match self.keeper.try_wait() {
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(1)),
                Ok(None) => {
                    let _ = self.keeper.kill();
                    break self.keeper.wait();
                }
                Ok(Some(status)) => break Ok(status),
                Err(error) => break Err(error),
            }
        };
        strays::forget(self.keeper.id());
        ended.map_or_else(|e| e.to_string(), how)
    }

    /// Ends what there still is without a keeper.
    fn sweep(&mut self) -> Result<(), Error> {
        let group = Group::find_left(&self.mark);
        if let Some(group) = &group {
            group.kill();
        }
        match (&mut self.container, self.lost) {
            (Some(container), true) => container.remove(),
            (Some(container), false) => container.dismiss(),
            (None, _) => {}
        }
        strays::end(self.keeper.id(), &self.mark, KILL_TIMEOUT)?;
        self.dismiss_guard();
        self.gone = true;
        locked(&self.log).end();
        Ok(())
    }

    /// Listens until the deadline. A keeper that somebody has stopped continues, once; it is killed when that was undone.
    fn listen_to_stopping(&mut self, deadline: Instant) -> Result<(), Error> {
        let mut woken = false;
        while !self.gone && Instant::now() < deadline {
            self.listen(deadline.min(Instant::now() + FREEZE_POLL_INTERVAL))?;
            if self.gone || !self.keeper_is_stopped() {
                continue;
            }
            let signal = if woken { Signal::KILL } else { Signal::CONT };
            sys::signal(self.keeper.id(), signal);
            woken = true;
        }
        Ok(())
    }

    /// Nothing is left that the guard would have to end.
    fn dismiss_guard(&mut self) {
        if let Some(guard) = self.guard.take() {
            guard.dismiss();
        }
    }

    fn group(&self) -> Option<Group> {
        Group::find(&self.mark)
    }

    /// Signals each of its processes until all are as they should be; those that it starts meanwhile too.
    fn signal_all(&self, frozen: bool) -> Result<(), Error> {
        let signal = if frozen { Signal::STOP } else { Signal::CONT };
        let deadline = Instant::now() + FREEZE_TIMEOUT;
        loop {
            let all = processes::processes();
            let own = self.own(&all);
            let mut others = own
                .iter()
                .filter(|p| p.pid != self.keeper.id() && !p.ended())
                .filter(|p| p.stopped() != frozen)
                .peekable();
            match others.peek() {
                None => return Ok(()),
                Some(one) if Instant::now() >= deadline => {
                    let (pid, name) = (one.pid, one.name.clone());
                    return Err(Error::Unstoppable { pid, name });
                }
                Some(_) => others.for_each(|process| sys::signal(process.pid, signal)),
            }
            // They need a core for it, which may be this one.
            thread::sleep(SIGNAL_POLL_INTERVAL);
        }
    }

    /// Its processes and those that it started.
    fn own<'a>(&self, all: &'a [Stat]) -> Vec<&'a Stat> {
        match &self.container {
            // What runs the container serves nobody.
            Some(container) => container.processes(all),
            None => processes::descendants(all, self.keeper.id()),
        }
    }

    /// The same, at this moment.
    fn pids(&self) -> BTreeSet<u32> {
        let all = processes::processes();
        self.own(&all).iter().map(|process| process.pid).collect()
    }

    /// Whether its process is known: that of a container may be on another machine than its engine's command.
    fn is_known(&self) -> bool {
        let mut container = self.container.iter();
        container.all(|container| container.root.is_some())
    }

    fn keeper_is_stopped(&self) -> bool {
        processes::stat(self.keeper.id()).is_some_and(|keeper| keeper.stopped())
    }
}

impl LocalProcess {
    /// The server's own process, if it is known.
    pub(super) fn pid(&self) -> Option<u32> {
        match &self.container {
            Some(container) => container.root,
            None => Some(self.pid),
        }
    }

    pub(crate) fn exited(&mut self) -> Result<Option<String>, Error> {
        if !self.gone && self.exited.is_none() && self.keeper_is_stopped() {
            // It could not say that the server has ended.
            sys::signal(self.keeper.id(), Signal::CONT);
        }
        self.listen(Instant::now())?;
        Ok(self.exited.clone())
    }

    /// What measures its usage, if its process is known.
    pub(super) fn meter(&mut self) -> Option<&mut Meter> {
        self.is_known().then_some(&mut self.meter)
    }

    pub(crate) fn foreign_listener(&mut self, address: &Address) -> Option<PortHolder> {
        let all = processes::processes();
        let keeper = all.iter().find(|p| p.pid == self.keeper.id())?;
        let own: Vec<u32> = self.own(&all).iter().map(|p| p.pid).collect();
        ports::foreign_listener(address, &own, keeper.started, &self.mark)
    }

    pub(crate) fn place_compilers(&mut self, cores: &[usize]) -> Result<bool, Error> {
        if !self.is_known() {
            return Ok(false);
        }
        // On cores that are lent it would leave their owner next to nothing.
        let nice = self
            .prioritized
            .as_ref()
            .map(|own| match own[..] == *cores {
                true => priority::SERVER_NICE,
                false => priority::NORMAL_NICE,
            });
        if let Some(nice) = nice {
            priority::give_session(self.keeper.id(), nice);
        }
        Ok(self.meter.place_compilers(cores, nice))
    }

    pub(crate) fn freeze(&mut self, frozen: bool) -> Result<(), Error> {
        if self.gone || self.exited.is_some() || self.frozen.is_some() == frozen {
            return Ok(());
        }
        if !self.is_known() {
            return match frozen {
                true => Err(Error::NotOurs("stop for a while")),
                false => Ok(()),
            };
        }
        if frozen {
            let by_group = || self.group()?.freeze(true).ok();
            self.frozen = match by_group() {
                Some(()) => Some(Frozen::Group),
                None => {
                    // What a group could not do to the end is undone.
                    let _ = self.group().map(|group| group.freeze(false));
                    self.signal_all(true)?;
                    Some(Frozen::Signals)
                }
            };
            return Ok(());
        }
        match self.frozen.take() {
            Some(Frozen::Group) => {
                let _ = self.group().map(|group| group.freeze(false));
                Ok(())
            }
            _ => self.signal_all(false),
        }
    }

    pub(crate) fn has_bare_java(&self) -> bool {
        // An agent is a file of this machine, which a virtual machine in a container does not find.
        self.container.is_none() && self.sampling.has_bare_java(&self.pids())
    }

    pub(crate) fn load_java_agent(&mut self, library: &Path) -> Result<(), Error> {
        let pids = self.pids();
        self.sampling.load_java_agent(&pids, library)
    }

    pub(crate) fn sample(&mut self, clock: SampleClock, on: bool) -> Result<(), Error> {
        match on {
            true => {
                let begun = self.sampling.begin(clock);
                if clock == SampleClock::Cpu {
                    // After it has begun: whoever is made from now on is known by who made it.
                    let pids = self.pids();
                    self.sampling.know(&pids);
                }
                begun
            }
            false => {
                // The agents first: what they do then is no work of the server's.
                let agents = self.sampling.end_agents();
                self.sampling.end(&self.pids());
                agents
            }
        }
    }

    pub(crate) fn sampled(&mut self, clock: SampleClock) -> Sampled {
        self.sampling.sampled(clock)
    }

    pub(crate) fn stop(&mut self, grace: Duration) -> Result<(), Error> {
        if self.gone {
            return Ok(());
        }
        // One that is stopped for a while could not end by itself.
        let _ = self.freeze(false);
        let grace = match &self.container {
            // Without a handler the kernel passes no signal on to the first process of a container: there is nothing to wait for.
            Some(Running {
                root: Some(root), ..
            }) if !processes::heeds_sigterm(*root) => Duration::ZERO,
            _ => grace,
        };
        // An error here means that the keeper is lost, which shows on the other pipe too.
        let _ = writeln!(self.control, "stop {}", grace.as_millis());
        self.listen_to_stopping(Instant::now() + grace + KILL_TIMEOUT)?;
        if self.gone {
            return Ok(());
        }
        let all = processes::processes();
        let contained = self.container.iter();
        let contained = contained.map(|container| format!("container {}", container.name));
        let left = processes::descendants(&all, self.keeper.id()).into_iter();
        let left = left.map(|p| format!("process {} ({}, state {})", p.pid, p.name, p.state));
        let left: Vec<String> = contained.chain(left).collect();
        Err(FailureFinding::Unkillable {
            processes: left.join(", "),
            seconds: KILL_TIMEOUT.as_secs(),
        }
        .into())
    }
}

impl Drop for LocalProcess {
    fn drop(&mut self) {
        // Where this fails the pipe closes now, and the keeper continues trying.
        let _ = self.stop(ORPHAN_GRACE);
    }
}
