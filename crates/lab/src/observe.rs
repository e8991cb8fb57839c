//! A load run with an eye on everything around it: the server's use of the machine over exactly
//! the window, whether the server still lives, and whether the user wants to stop.
//!
//! The load runs on threads of its own; this thread sleeps, wakes for the generator's marks, and
//! looks around a few times a second.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use photofinish_load::Outcome;
use photofinish_load::{Config, Control, Mark};
use photofinish_model::Window;
use photofinish_model::finding::failure::When;
use photofinish_model::{MachineUse, ServerUse};

use crate::error::{Halt, failed};
use crate::interference::evidence::{Border, Evidence, core_to_core};
use crate::run_context::RunContext;
use crate::server::Server;
use crate::{convert, usage};
use photofinish_host::{MachineSample, Meter, MeterKind, Process, Usage, watched};

mod slices;

/// How long it takes at most until an interrupt or the end of a server is noticed.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// How often memory and threads are sampled.
const SAMPLE_INTERVAL: Duration = Duration::from_millis(500);
/// How long a server that is interrupted has to end by itself.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);
/// Largest delay of a sample, as a share of the window, with which it belongs to the same interval.
const MAX_LATE_SHARE: f64 = 0.02;

/// What was seen of a load run.
pub(crate) struct Observed {
    pub(crate) outcome: Outcome,
    pub(crate) server: Option<ServerUse>,
    /// The same of the target's services.
    pub(crate) service: Option<ServerUse>,
    pub(crate) machine: Option<MachineUse>,
    /// How late a thread that only sleeps woke up on the generator's core, in nanoseconds.
    pub(crate) hiccups: Option<Histogram<u64>>,
}

impl Observed {
    /// Nothing but the load's own outcome.
    pub(crate) fn only(outcome: Outcome) -> Observed {
        Observed {
            outcome,
            server: None,
            service: None,
            machine: None,
            hiccups: None,
        }
    }
}

/// What a caller wants after a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    GoOn,
    /// Enough is known: end the load.
    Enough,
}

/// What a server had used when it was last looked at, which is up to half a second ago.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pulse {
    /// CPU time.
    pub(crate) cpu: Duration,
    /// That of its just-in-time compilers.
    pub(crate) compiling: Duration,
    /// That of other processes on the cores of both sides since the run's window opened, up to this moment; `None` if it is not known.
    pub(crate) other_processes: Option<Duration>,
    /// How long a fixed piece of arithmetic took on the server's core since the last window; `None` if nobody looked.
    pub(crate) reference: Option<Duration>,
}

impl Pulse {
    /// What a server has used by now; nothing if that is not known. Looks at every thread.
    pub(crate) fn of(server: &mut Server) -> Pulse {
        server.process.usage().map(Pulse::from).unwrap_or_default()
    }
}

impl From<Usage> for Pulse {
    fn from(usage: Usage) -> Pulse {
        Pulse {
            cpu: usage.cpu_user + usage.cpu_system,
            compiling: usage.cpu_compiling,
            other_processes: None,
            reference: None,
        }
    }
}

impl Server<'_> {
    /// Runs a load against the server and watches. `on_window` gets each window as it ends; what its pulse has of `speed`, how fast the
    /// server's core is, takes half a hundredth of that.
    ///
    /// # Errors
    /// Fails if the server ends meanwhile, or the load cannot be sent; halts for an interrupt.
    pub(crate) fn observe(
        &mut self,
        config: &Config,
        speed: bool,
        on_window: &mut dyn FnMut(&Window, Pulse) -> Next,
    ) -> Result<Observed, Halt> {
        self.run.go_on()?;
        let (windows_in, windows) = mpsc::channel();
        let (marks_in, marks) = mpsc::channel();
        let control = Control::with_windows(windows_in).with_marks(marks_in);
        let mut watch = Watch::new(self.run, &self.target.label, speed);
        let mut halt = None;
        // Before and after, for it takes both cores.
        let before = core_to_core(self.run.host, &self.run.pairs);
        let generator = self.run.generator;
        let outcome = watched(|| generator.run(config, &control), &mut || {
            watch.wait(&marks, &mut self.process);
            for window in windows.try_iter() {
                if on_window(&window, watch.pulse(&mut self.process)) == Next::Enough {
                    control.stop();
                }
            }
            self.heed(&mut halt, &control);
        });
        if let Some(halt) = halt {
            return Err(halt);
        }
        // What a server that is gone does not take is no trouble of the generator's.
        self.require_alive(When::Loaded)?;
        let outcome = outcome.map_err(failed)?;
        self.left_over |= outcome.sent > outcome.good;
        watch.rest(&marks, &mut self.process);
        for window in windows.try_iter() {
            on_window(&window, watch.pulse(&mut self.process));
        }
        let mut seen = watch.seen(outcome);
        if let Some(machine) = &mut seen.machine {
            let after = core_to_core(self.run.host, &self.run.pairs);
            machine.core_to_core_ns = before.zip(after).map(<[f64; 2]>::from);
        }
        Ok(seen)
    }

    /// Ends a load run early where something wants that; it is noted in `halt` once.
    fn heed(&mut self, halt: &mut Option<Halt>, control: &Control) {
        if halt.is_some() {
            return;
        }
        *halt = self.halt();
        if halt.is_some() {
            control.stop();
            // Whatever is in flight would be waited for; a server that is gone ends that.
            let _ = self.process.stop(EXIT_TIMEOUT);
        }
    }

    /// What ends a load run early.
    fn halt(&mut self) -> Option<Halt> {
        let alive = |server: &mut Self| Ok(server.require_alive(When::Loaded)?);
        self.run.go_on().and_then(|()| alive(self)).err()
    }
}

/// One end of the window: when it was, and what had been used by then.
struct End {
    at: Instant,
    server: Option<Sample>,
    service: Option<Sample>,
    machine: Option<MachineSample>,
}

/// What had been used, and how much later than it was asked for that was known.
struct Sample {
    usage: Usage,
    late: Duration,
}

/// The samples of one load run.
struct Watch<'a> {
    run: &'a RunContext<'a>,
    /// The label of the target whose services are looked at.
    target: &'a str,
    opened: Option<End>,
    closed: Option<End>,
    highest: usage::Highest,
    highest_service: usage::Highest,
    hiccups: Option<Meter>,
    late: Option<Histogram<u64>>,
    glanced: Instant,
    pulse: Pulse,
    /// Whether it is looked at how fast the server's core is.
    speed: bool,
    /// Since the window opened.
    around: Option<(Evidence<'a>, Border)>,
}

impl<'a> Watch<'a> {
    fn new(run: &'a RunContext<'a>, target: &'a str, speed: bool) -> Self {
        Watch {
            run,
            target,
            opened: None,
            closed: None,
            highest: usage::Highest::default(),
            highest_service: usage::Highest::default(),
            hiccups: None,
            late: None,
            glanced: Instant::now(),
            pulse: Pulse::default(),
            speed,
            around: None,
        }
    }

    /// What the server had used when it was last looked at, other processes until now, and how fast the core was since the last time.
    fn pulse(&self, process: &mut Process) -> Pulse {
        let Some((evidence, opened)) = &self.around else {
            return self.pulse;
        };
        let services = self.run.services.cpu(|_| true);
        let around = evidence.since(opened, process.cpu(), services);
        let nanoseconds = around.reference[0].map(|ns| ns.round() as u64);
        Pulse {
            other_processes: around.others,
            reference: nanoseconds.map(Duration::from_nanos),
            ..self.pulse
        }
    }

    /// Sleeps until a mark, or for one look.
    fn wait(&mut self, marks: &Receiver<Mark>, process: &mut Process) {
        match marks.recv_timeout(POLL_INTERVAL) {
            Ok(mark) => self.mark(mark, process),
            Err(RecvTimeoutError::Timeout) => {}
            // Nothing more will come: the generator has its hands free, and is about to end.
            Err(RecvTimeoutError::Disconnected) => thread::sleep(POLL_INTERVAL),
        }
        if self.opened.is_some()
            && self.closed.is_none()
            && self.glanced.elapsed() >= SAMPLE_INTERVAL
        {
            self.glanced = Instant::now();
            if let Ok(usage) = process.glance() {
                self.highest.add(&usage);
                self.pulse = usage.into();
            }
            if let Some(usage) = self.run.services.usage(self.target) {
                self.highest_service.add(&usage);
            }
        }
    }

    /// Takes the marks that came while the generator ended.
    fn rest(&mut self, marks: &Receiver<Mark>, process: &mut Process) {
        for mark in marks.try_iter() {
            self.mark(mark, process);
        }
    }

    fn mark(&mut self, mark: Mark, process: &mut Process) {
        let (Mark::Opened(at) | Mark::Closed(at)) = mark;
        let sample = |usage: Usage, highest: &mut usage::Highest| {
            highest.add(&usage);
            let late = at.elapsed();
            Sample { usage, late }
        };
        // In this order: each look takes time, and the server's is the one that matters most.
        let server = process.usage().ok();
        let server = server.map(|usage| sample(usage, &mut self.highest));
        let machine = self.run.host.machine_sample();
        let service = self.run.services.usage(self.target);
        let service = service.map(|usage| sample(usage, &mut self.highest_service));
        let end = End {
            at,
            server,
            service,
            machine,
        };
        match mark {
            Mark::Opened(_) => {
                self.opened = Some(end);
                let cpu = self.run.cpu_sets.generator.first().copied();
                self.hiccups = Some(self.run.generator.machine().meter(MeterKind::Hiccups, cpu));
                let evidence = Evidence::without_hiccups(self.run);
                let evidence = match self.speed {
                    true => evidence.with_server_speed(),
                    false => evidence,
                };
                let services = self.run.services.cpu(|_| true);
                let border = evidence.border(process.cpu(), services);
                self.around = Some((evidence, border));
            }
            Mark::Closed(_) => {
                self.closed = Some(end);
                self.late = self.hiccups.take().and_then(|hiccups| hiccups.end());
            }
        }
    }

    /// What the samples report, beside the outcome.
    fn seen(self, outcome: Outcome) -> Observed {
        let (Some(opened), Some(closed)) = (&self.opened, &self.closed) else {
            return Observed::only(outcome);
        };
        let machine = (opened.machine.as_ref().zip(closed.machine.as_ref()))
            .and_then(|(earlier, later)| later.since(earlier))
            .map(|machine| MachineUse {
                hiccup_us: self.late.as_ref().and_then(convert::lag),
                ..machine
            });
        let interval = closed.at.saturating_duration_since(opened.at);
        let used = |of: fn(&End) -> Option<&Sample>, highest| {
            let (earlier, later) = of(opened).zip(of(closed))?;
            let responses = convert::responses_in_window(&outcome);
            let timely = earlier.late.max(later.late) <= interval.mul_f64(MAX_LATE_SHARE);
            timely.then(|| {
                let span = (earlier.usage, later.usage);
                usage::server_use(&[span], interval, responses, highest)
            })
        };
        Observed {
            server: used(|end| end.server.as_ref(), &self.highest),
            service: used(|end| end.service.as_ref(), &self.highest_service),
            machine,
            hiccups: self.late,
            outcome,
        }
    }
}
