//! What `run` and `compare` show while they work, on standard error: on a terminal a view of what goes on now, the time left and the
//! ratios so far; elsewhere a line for each thing that matters.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use photofinish_lab::{Event, Progress, ServicePhase, Solo, Warning};
use photofinish_model::Line;
use photofinish_model::units::{plural, thousands};
use photofinish_report::Detail;
use photofinish_voice::{Language, Say};

use crate::so_far::{SoFar, so_far};
use crate::view::{Draw, Piece, Style, View};
use crate::{out, words};

/// The longest bar in columns.
const BAR: usize = 40;
/// So many ratios are shown at most.
const RATIOS: usize = 8;

/// Shows the events of a run.
pub struct Show {
    how: How,
    /// Whether every step of a warm-up has a line.
    verbose: bool,
    dir: PathBuf,
    round: u32,
    warming: String,
}

enum How {
    View(View<Now>),
    Lines,
    /// What went wrong alone.
    Quiet,
}

/// What the view shows.
struct Now {
    study: String,
    round: Option<(u32, u32)>,
    phase: &'static str,
    /// What the phase is about.
    what: String,
    /// The current second's figures.
    figures: String,
    progress: Option<(Progress, Instant)>,
    so_far: Option<SoFar>,
    /// How many verdicts are open, where rounds are added until none is.
    undecided: String,
    unicode: bool,
}

impl Show {
    /// A display on standard error of a run whose results lie in `dir`.
    pub fn new(study: &str, dir: &Path, detail: Detail) -> Self {
        let now = || Now {
            study: study.to_owned(),
            round: None,
            phase: "preparing",
            what: String::new(),
            figures: String::new(),
            progress: None,
            so_far: None,
            undecided: String::new(),
            unicode: photofinish_report::unicode_allowed(),
        };
        let how = match detail {
            Detail::Verdict => How::Quiet,
            _ => View::start(now()).map_or(How::Lines, How::View),
        };
        Show {
            how,
            verbose: detail == Detail::Tables,
            dir: dir.to_owned(),
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
            Event::Unusable { target, reason } => {
                self.wrong(&format!("cannot run {target}: {reason}"));
            }
            Event::Service { service, phase } => {
                let phase = service_phase(&phase);
                self.doing("preparing", format!("service {service}: {phase}"));
            }
            Event::Begins {
                trials,
                seed,
                progress,
            } => {
                let measurements = progress.total - progress.done;
                self.line(&format!(
                    "{} with {}, about {}; seed {seed}",
                    plural(trials as usize, "trial", "trials"),
                    plural(measurements, "measurement", "measurements"),
                    words::span(progress.left)
                ));
                self.advance(progress);
            }
            Event::Starting {
                target,
                round,
                rounds,
                progress,
                ..
            } => {
                self.advance(progress);
                self.round(round, rounds);
                match &self.how {
                    How::Lines => {
                        out::note(&format!("round {round} of {rounds}: starting {target}"))
                    }
                    _ => self.doing("starting", target),
                }
            }
            Event::Ready { target, after } => {
                self.view(|now| now.what = format!("{target}: ready after {}", words::span(after)));
            }
            Event::Verified { target } => {
                self.view(|now| now.what = format!("{target}: responds as expected"));
            }
            Event::Differs(finding) => {
                let says = finding.say(Language::En);
                self.wrong(&format!("not the same job: {says}"));
            }
            Event::Warming {
                target,
                workload,
                load,
                bound,
            } => {
                let bound = words::span(bound);
                let what = format!("{target}: {workload}, {}, at most {bound}", load.label());
                match &self.how {
                    How::Lines => out::note(&format!(
                        "  {target}: warming up on {workload}, {}, at most {bound}",
                        load.label()
                    )),
                    _ => self.doing("warming up", what),
                }
                self.warming = workload;
            }
            Event::Warmed {
                target,
                took,
                settled,
            } => {
                if self.verbose {
                    let how = if settled { "settled" } else { "not settled" };
                    let took = words::span(took);
                    let workload = &self.warming;
                    self.line(&format!(
                        "  {target}: warmed up on {workload} for {took}, {how}"
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
                self.view(|now| now.begin("measuring in turns", what));
            }
            Event::Turn { number, of } => {
                self.view(|now| now.figures = format!("turn {number} of {of}"));
            }
            Event::Step { number, step } => {
                let offered = photofinish_report::rate(step.offered_rps);
                let outcome = step.why.as_deref().unwrap_or("met");
                self.view(|now| now.figures = format!("step {number}, {offered}: {outcome}"));
            }
            Event::Window(window) => {
                let rate = words::rate(window.answers, window.duration_s);
                self.view(|now| now.figures = rate);
            }
            Event::Looked { round, open: 0, .. } => {
                self.line(&format!("decided after {round} rounds"));
            }
            Event::Looked { round, open, of } => {
                let undecided = format!("{open} of {of} verdicts undecided");
                match &self.how {
                    How::Lines => out::note(&format!("after round {round}: {undecided}")),
                    _ => self.view(|now| now.undecided = undecided),
                }
            }
            Event::Measured { line, progress } => {
                self.advance(progress);
                // The view shows how far the run is, and in the end how fast everything was.
                if matches!(self.how, How::Lines) {
                    out::note(&format!(
                        "  {}  ({} of {}, {} left)",
                        measured(&line),
                        progress.done,
                        progress.total,
                        words::span(progress.left)
                    ));
                }
            }
            Event::Failed {
                target,
                round,
                missing,
                reason,
                known,
                progress,
            } => {
                if !known {
                    self.wrong(&format!(
                        "{target} failed in round {round}, {} missing: {reason}",
                        plural(missing, "measurement", "measurements")
                    ));
                }
                self.advance(progress);
            }
            Event::Warning(warning) => self.wrong(&format!("note: {}", warned(&warning))),
        }
    }

    /// Takes the view away.
    pub fn end(self) {
        if let How::View(view) = self.how {
            view.end();
        }
    }

    /// A line that stays.
    fn line(&self, text: &str) {
        match &self.how {
            How::View(view) => view.line(text),
            How::Lines => out::note(text),
            How::Quiet => {}
        }
    }

    /// A line about something that is not as it should be.
    fn wrong(&self, text: &str) {
        match &self.how {
            How::View(view) => view.line(text),
            How::Lines | How::Quiet => out::note(text),
        }
    }

    /// What begins now; a line of its own where there is no view.
    fn doing(&self, phase: &'static str, what: String) {
        match &self.how {
            How::Lines => out::note(&format!("{phase} {what}")),
            _ => self.view(|now| now.begin(phase, what)),
        }
    }

    fn view(&self, change: impl FnOnce(&mut Now)) {
        if let How::View(view) = &self.how {
            view.change(change);
        }
    }

    fn advance(&self, progress: Progress) {
        self.view(|now| now.progress = Some((progress, Instant::now())));
    }

    /// A trial of a round begins; with the first of a round the one before is whole, and there are ratios of it.
    fn round(&mut self, round: u32, rounds: u32) {
        let new = round > self.round;
        self.round = round;
        if let How::View(view) = &self.how {
            let ratios = if new { so_far(&self.dir) } else { None };
            view.change(|now| {
                now.round = Some((round, rounds));
                now.so_far = ratios.or(now.so_far.take());
            });
        }
    }
}

impl Now {
    fn begin(&mut self, phase: &'static str, what: String) {
        self.phase = phase;
        self.what = what;
        self.figures.clear();
    }

    /// The bar, how far the run is, and the time left by the clock.
    fn how_far(&self, columns: usize) -> Option<Piece> {
        let (progress, since) = self.progress?;
        let left = progress.left.saturating_sub(since.elapsed());
        let text = format!(
            "{} of {} measurements, {} left",
            progress.done,
            progress.total,
            count_down(left)
        );
        let room = columns.saturating_sub(text.len() + 1).min(BAR);
        let full = (progress.done * room)
            .checked_div(progress.total)
            .unwrap_or(0)
            .min(room);
        let [done, ahead] = if self.unicode {
            ["━", "┄"]
        } else {
            ["#", "-"]
        };
        let bar = format!("{}{}", done.repeat(full), ahead.repeat(room - full));
        Some(Style::Bar.line(format!("{bar} {text}").trim_start().to_owned()))
    }
}

/// The time left, in whole seconds: tenths would flicker.
fn count_down(left: Duration) -> String {
    match left.as_secs_f64().round() as u64 {
        seconds @ 0..10 => format!("{seconds}s"),
        seconds => words::span(Duration::from_secs(seconds)),
    }
}

impl Draw for Now {
    fn lines(&self, columns: usize) -> Vec<Piece> {
        let round = self.round.map_or_else(String::new, |(round, rounds)| {
            format!(", round {round} of {rounds}")
        });
        let mut lines = vec![Style::Strong.line(format!("{}{round}: {}", self.study, self.phase))];
        let figures = match self.figures.as_str() {
            "" => String::new(),
            figures => format!("  {figures}"),
        };
        lines.push(Style::Plain.line(format!("{}{figures}", self.what)));
        lines.extend(self.how_far(columns));
        if let Some(so_far) = &self.so_far {
            let wide = so_far
                .rows
                .iter()
                .take(RATIOS)
                .map(|(place, _)| place.chars().count())
                .max();
            let wide = wide.unwrap_or(0);
            let undecided = match self.undecided.as_str() {
                "" => String::new(),
                undecided => format!("; {undecided}"),
            };
            let title = format!("throughput so far, {}{undecided}", so_far.title);
            lines.push(Style::Muted.line(title));
            let rows = so_far.rows.iter().take(RATIOS);
            lines.extend(
                rows.map(|(place, ratio)| Style::Plain.line(format!("  {place:<wide$}  {ratio}"))),
            );
            let more = so_far.rows.len().saturating_sub(RATIOS);
            if more > 0 {
                lines.push(Style::Muted.line(format!("  and {more} more")));
            }
        }
        lines
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
        Warning::Lanes(shared) => shared.to_string(),
        Warning::Solo(why) => format!(
            "{}: each target is measured on its own, one after the other, which noise disturbs more than turns",
            solo(why)
        ),
        Warning::Service(error) => format!("failed to {error}"),
    }
}

/// Why the servers of a round are not up together.
fn solo(why: &Solo) -> String {
    let mib = |bytes: u64| thousands(bytes.div_ceil(1 << 20) as f64);
    match why {
        Solo::Memory { needed, available } => format!(
            "the servers together may need {} MiB of memory, and {} MiB are free",
            mib(*needed),
            mib(*available)
        ),
        Solo::Port {
            port,
            targets: [a, b],
        } => format!("{a} and {b} both need port {port}; have them listen on {{port}}"),
        Solo::OpenFiles { needed, limit } => format!(
            "the connections to all servers together need {} open files, and {} are allowed",
            thousands(*needed as f64),
            thousands(*limit as f64)
        ),
    }
}

/// A finished measurement in one line.
fn measured(line: &Line) -> String {
    let what = format!("{}: {}, {}", line.target, line.workload, line.load.label());
    let figures = match (&line.measurement, &line.failure) {
        (Some(m), _) => {
            let p99 = m.latency_us.map_or_else(
                || "no response".to_owned(),
                |l| format!("p99 {}", words::micros(l.p99)),
            );
            let errors: u64 = m.errors.values().sum();
            let errors = match errors {
                0 => String::new(),
                errors => format!(", {}", plural(errors as usize, "error", "errors")),
            };
            match &m.capacity {
                Some(found) => photofinish_report::sustained(found),
                None => format!("{}/s, {p99}{errors}", thousands(m.throughput_rps.round())),
            }
        }
        (None, Some(why)) => format!("failed: {why}"),
        (None, None) => "failed".to_owned(),
    };
    format!("{what}: {figures}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Now {
        let progress = Progress {
            done: 12,
            total: 48,
            left: Duration::from_secs(80),
        };
        let rows = (1..=10).map(|level| (format!("{level} connections"), "1.5".to_owned()));
        Now {
            study: "quickstart".to_owned(),
            round: Some((2, 4)),
            phase: "measuring",
            what: "a: plaintext, 16 connections".to_owned(),
            figures: "576,414/s".to_owned(),
            progress: Some((progress, Instant::now())),
            so_far: Some(SoFar {
                title: "a / b".to_owned(),
                rows: rows.collect(),
            }),
            undecided: String::new(),
            unicode: true,
        }
    }

    #[test]
    fn the_view_says_where_the_run_is_and_who_is_ahead() {
        let lines: Vec<String> = now().lines(80).into_iter().map(|line| line.text).collect();
        assert_eq!(lines[0], "quickstart, round 2 of 4: measuring");
        assert_eq!(lines[1], "a: plaintext, 16 connections  576,414/s");
        // A quarter of 40 columns.
        assert_eq!(
            lines[2],
            format!(
                "{}{} 12 of 48 measurements, 1m 20s left",
                "━".repeat(10),
                "┄".repeat(30)
            )
        );
        assert_eq!(lines[3], "throughput so far, a / b");
        assert_eq!(lines[4], "  1 connections  1.5");
        assert_eq!(lines.last().map(String::as_str), Some("  and 2 more"));
        let undecided = Now {
            undecided: "2 of 4 verdicts undecided".to_owned(),
            ..now()
        };
        assert_eq!(
            undecided.lines(80)[3].text,
            "throughput so far, a / b; 2 of 4 verdicts undecided"
        );
    }

    #[test]
    fn it_is_drawn_on_narrow_terminals_and_without_unicode() {
        let mut now = now();
        now.unicode = false;
        for columns in [10, 40, 60] {
            let bar = now.how_far(columns).expect("progress").text;
            assert!(bar.is_ascii() && bar.contains("12 of 48"), "{bar}");
            assert!(columns < 40 || bar.len() <= columns, "{bar}");
        }
        now.progress = None;
        now.so_far = None;
        assert_eq!(now.lines(60).len(), 2);
    }
}
