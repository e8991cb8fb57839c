//! What `run` and `compare` show while they work, on standard error: on a terminal a view of what goes on now, the time left and the
//! ratios so far; elsewhere a line for each thing that matters.

mod measured;
mod now;
mod servers;

use std::path::{Path, PathBuf};
use std::time::Instant;

use photofinish_judge::comparison as judge;
use photofinish_lab::{Event, Progress, Sequential, ServicePhase, Warning};
use photofinish_model::message::Message;
use photofinish_model::secret::mask_query;
use photofinish_model::units::{per_second, plural, thousands};
use photofinish_report::Detail;
use photofinish_study::plan::Listen;

use crate::interim::interim_ratios;
use crate::view::Display;
use crate::{steps, words};
use measured::measured;
use now::RunView;
use servers::Servers;

/// Shows the events of a run.
pub struct RunProgress {
    display: Display<RunView>,
    /// Whether every step of a warm-up has a line.
    verbose: bool,
    dir: PathBuf,
    round: u32,
    warming: String,
}

impl RunProgress {
    /// A display on standard error of a run whose results lie in `dir`.
    pub fn new(study: &str, dir: &Path, detail: Detail) -> Self {
        let now = || RunView {
            study: study.to_owned(),
            round: None,
            phase: "preparing",
            what: String::new(),
            figures: String::new(),
            progress: None,
            interim: None,
            undecided: String::new(),
            servers: Servers::default(),
            unicode: photofinish_report::unicode_allowed(),
        };
        RunProgress {
            display: Display::start(detail == Detail::Verdict, now),
            verbose: detail == Detail::Tables,
            dir: dir.to_owned(),
            round: 0,
            warming: String::new(),
        }
    }

    /// Lines on standard error about one of several pairs of machines that run rounds at once.
    pub fn of_pair(name: &str, detail: Detail) -> Self {
        RunProgress {
            display: match detail {
                Detail::Verdict => Display::Quiet,
                _ => Display::Named(name.to_owned()),
            },
            verbose: false,
            dir: PathBuf::new(),
            round: 0,
            warming: String::new(),
        }
    }

    /// Shows one event.
    pub fn event(&mut self, event: Event) {
        match event {
            Event::Building { target } => self.doing("building", target),
            Event::Built { target, cached } => {
                if !cached {
                    self.line(&format!("built {target}"));
                }
            }
            Event::Unusable { target, why } => {
                let why = why.to_string();
                self.wrong(&format!("cannot run {target}: {why}"));
            }
            Event::Service { service, phase } => {
                let phase = service_phase(&phase);
                self.doing("preparing", format!("service {service}: {phase}"));
            }
            Event::Fetching { artifact } => self.doing("fetching", artifact),
            Event::Begins {
                trials,
                seed,
                until_decided,
                progress,
            } => {
                let measurements = progress.total - progress.done;
                let trials = plural(trials as usize, "trial", "trials");
                let measurements = plural(measurements, "measurement", "measurements");
                let left = words::span(progress.left);
                self.line(&match until_decided {
                    false => format!("{trials} with {measurements}, about {left}; seed {seed}"),
                    true => format!("until it is decided, at most {trials}, {left}; seed {seed}"),
                });
                self.advance(progress);
            }
            Event::Starting {
                target,
                already,
                round,
                rounds,
                progress,
                ..
            } => {
                self.advance(progress);
                self.round(round, rounds);
                let doing = match already {
                    true => "connecting to",
                    false => "starting",
                };
                let line = format!("round {round} of {rounds}: {doing} {target}");
                self.begin(&line, doing, target);
            }
            Event::Ready { target, after } => {
                self.view(|now| now.what = format!("{target}: ready after {}", words::span(after)));
            }
            Event::Verified { target } => {
                self.view(|now| now.what = format!("{target}: responds as expected"));
            }
            Event::Redirected { target, path } => {
                let path = mask_query(&path);
                self.line(&format!("{target} redirects to {path}, which is loaded"));
            }
            Event::Differs(finding) => {
                self.wrong(&format!("not the same job: {finding}"));
            }
            Event::Warming {
                target,
                workload,
                load,
                bound,
            } => {
                let bound = words::span(bound);
                let what = format!("{target}: {workload}, {}, at most {bound}", load.label());
                let line = format!(
                    "  {target}: warming up on {workload}, {}, at most {bound}",
                    load.label()
                );
                self.begin(&line, "warming up", what);
                self.warming = workload;
            }
            Event::Warmed {
                target,
                took,
                settled,
            } => {
                if self.verbose {
                    let how = match settled {
                        Some(true) => ", steady",
                        Some(false) => ", not steady",
                        None => "",
                    };
                    let took = words::span(took);
                    let workload = &self.warming;
                    self.line(&format!(
                        "  {target}: warmed up on {workload} for {took}{how}"
                    ));
                }
            }
            Event::Measuring {
                target,
                workload,
                load,
                progress,
                ..
            } => {
                self.advance(progress);
                let what = format!("{target}: {workload}, {}", load.label());
                self.view(|now| now.begin("measuring", what));
            }
            Event::Turns {
                targets,
                workload,
                load,
                progress,
                ..
            } => {
                self.advance(progress);
                let what = format!("{}: {workload}, {}", targets.join(", "), load.label());
                self.view(|now| {
                    now.begin("measuring in turns", what);
                    now.servers = Servers::default();
                });
            }
            Event::Turn { slices, .. } => {
                self.view(|now| now.servers.turn(slices));
            }
            Event::Step { number, step } => {
                let offered = per_second(step.offered_rps);
                let outcome = steps::outcome(&step);
                self.view(|now| now.figures = format!("step {number}, {offered}: {outcome}"));
            }
            Event::Window(window) => {
                let rate = words::rate(window.responses, window.duration_s);
                self.view(|now| now.figures = rate);
            }
            Event::InterimAnalysis { round, open: 0, .. } => {
                self.line(&format!("decided after {round} rounds"));
            }
            Event::InterimAnalysis {
                round,
                open,
                of,
                undecided,
            } => {
                let undecided = still_open(open, of, undecided);
                let line = format!("after round {round}: {undecided}");
                self.display.lines(&line);
                self.view(|now| now.undecided = undecided);
            }
            Event::TimeDoesNotHold { left } => {
                self.line(&format!(
                    "rounds take longer than planned: those that a verdict needs take about {} more",
                    words::span(left)
                ));
            }
            Event::NoTime { round } => {
                let after = plural(round as usize, "round", "rounds");
                let help = match round {
                    1 => ": for a verdict allow more time, or measure for less (--duration)",
                    _ => "",
                };
                self.line(&format!("no time for a further round after {after}{help}"));
            }
            Event::Measured { line, progress } => {
                self.advance(progress);
                // The view shows how far the run is, and in the end how fast everything was.
                self.display.lines(&format!(
                    "  {}  ({} of {}, {} left)",
                    measured(&line),
                    progress.done,
                    progress.total,
                    words::span(progress.left)
                ));
            }
            Event::Failed {
                target,
                round,
                missing,
                why,
                known,
                progress,
            } => {
                if !known {
                    self.wrong(&format!(
                        "{target} failed in round {round}, {} missing: {}",
                        plural(missing, "measurement", "measurements"),
                        why
                    ));
                }
                self.advance(progress);
            }
            Event::Warning(warning) => self.wrong(&format!("note: {}", warned(&warning))),
        }
    }

    /// Takes the view away.
    pub fn end(self) {
        self.display.end();
    }

    fn line(&self, text: &str) {
        self.display.line(text);
    }

    fn wrong(&self, text: &str) {
        self.display.wrong(text);
    }

    /// What begins now; a line of its own where there is no view.
    fn doing(&self, phase: &'static str, what: String) {
        self.begin(&format!("{phase} {what}"), phase, what);
    }

    /// What begins now, in this line where there is no view.
    fn begin(&self, line: &str, phase: &'static str, what: String) {
        self.display.lines(line);
        self.view(|now| now.begin(phase, what));
    }

    fn view(&self, change: impl FnOnce(&mut RunView)) {
        self.display.view(change);
    }

    fn advance(&self, progress: Progress) {
        self.view(|now| now.progress = Some((progress, Instant::now())));
    }

    /// A trial of a round begins; with the first of a round the one before is whole, and there are ratios of it.
    fn round(&mut self, round: u32, rounds: u32) {
        let new = round > self.round;
        self.round = round;
        if let (Display::Named(_), true) = (&self.display, new) {
            self.line(&format!("round {round} here"));
        }
        let ratios = match &self.display {
            Display::View(_) if new => interim_ratios(&self.dir),
            _ => None,
        };
        self.view(|now| {
            now.round = Some((round, rounds));
            now.interim = ratios.or(now.interim.take());
        });
    }
}

/// Returns what the rounds leave open of so many verdicts.
fn still_open(open: usize, of: usize, undecided: Option<Message>) -> String {
    match undecided {
        Some(says) if of == 1 => says.en,
        _ => format!("{open} of {of} undecided"),
    }
}

/// Returns what so many rounds of several pairs of machines show.
pub fn interim_analysis(
    rounds: u32,
    progress: judge::Progress,
    undecided: Option<Message>,
) -> String {
    let rounds = plural(rounds as usize, "round", "rounds");
    match progress.open {
        0 => format!("decided after {rounds} on all pairs of machines"),
        open => {
            let open = still_open(open, progress.of, undecided);
            format!("after {rounds} on all pairs of machines: {open}")
        }
    }
}

/// How far a service is.
fn service_phase(phase: &ServicePhase) -> String {
    match phase {
        ServicePhase::Fetching { artifact } => format!("fetching {artifact}"),
        ServicePhase::Starting {
            title,
            version,
            origin,
        } => format!("starting {title} {version} ({origin})"),
        ServicePhase::Up => "up and filled".to_owned(),
    }
}

fn warned(warning: &Warning) -> String {
    match warning {
        Warning::CpuSets(shared) => shared.to_string(),
        Warning::Sequential(why) => format!(
            "{}: each target is measured on its own, one after the other, which noise disturbs more than turns",
            sequential(why)
        ),
        Warning::Unprofiled(why) => {
            format!("failed to {why}; the report will not say what CPU time was spent on")
        }
        Warning::NoJava { target, why, waits } => {
            let waits = match waits {
                true => ", and the report will not say what its threads wait for",
                false => "",
            };
            format!("{target}: failed to {why}; its profiles have no names of Java code{waits}")
        }
        Warning::NoWaits { target } => format!(
            "{target}: it is no Java server; the report will not say what its threads wait for (--why wall)"
        ),
        Warning::NoCpu { target } => format!(
            "{target}: its CPU time is not known: a process of its server ignores SIGCHLD (or sets SA_NOCLDWAIT), so the kernel forgets what its ended children used"
        ),
        Warning::Cleanup { target, why } => format!("{target}: {}", why),
        Warning::Service(error) => format!("failed to {error}"),
    }
}

/// Why the servers of a round are not up together.
pub fn sequential(why: &Sequential) -> String {
    let mib = |bytes: u64| thousands(bytes.div_ceil(1 << 20) as f64);
    match why {
        Sequential::Asked => "as asked".to_owned(),
        Sequential::Smoke => "a smoke run".to_owned(),
        Sequential::OneTarget => "there is no other target".to_owned(),
        Sequential::Searches => "each search for a capacity takes minutes".to_owned(),
        Sequential::Memory { needed, available } => format!(
            "the servers together may need {} MiB of memory, and {} MiB are free",
            mib(*needed),
            mib(*available)
        ),
        Sequential::Listen {
            at,
            targets: [a, b],
        } => {
            let (at, instead) = match at {
                Listen::Port(port) => (format!("port {port}"), "{port}"),
                Listen::SocketAt(path) => (format!("the socket {}", path.display()), "{socket}"),
                Listen::FreePort | Listen::Socket | Listen::Already(_) => {
                    ("the same place".to_owned(), "{port}")
                }
            };
            format!("{a} and {b} both need {at}; have them listen on {instead}")
        }
        Sequential::OpenFiles { needed, limit } => format!(
            "the connections to all servers together need {} open files, and {} are allowed",
            thousands(*needed as f64),
            thousands(*limit as f64)
        ),
    }
}
