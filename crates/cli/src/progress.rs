//! What `run` and `compare` show while they work, on standard error: a line for each thing that
//! is finished, and on a terminal a bar with what goes on now and the time left.

use std::io::{IsTerminal, stderr};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use photofinish_lab::{Event, Progress};
use photofinish_model::Line;
use photofinish_model::units::{plural, thousands};

use crate::{out, words};

/// Shows the events of a run.
pub struct Show {
    /// `None` where standard error is not a terminal.
    bar: Option<ProgressBar>,
    /// What goes on now, without the current second's figures.
    now: String,
    /// The workload that is warmed up.
    warming: String,
}

impl Show {
    /// A display on standard error.
    pub fn new() -> Self {
        let bar = stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template(
                "{bar:30.cyan/blue} {pos}/{len} measurements, {prefix}\n{wide_msg}",
            ) {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        Show {
            bar,
            now: String::new(),
            warming: String::new(),
        }
    }

    /// Shows one event.
    pub fn event(&mut self, event: Event) {
        match event {
            Event::Building { target } => self.doing(format!("building {target}"), true),
            Event::Built { target, cached } => {
                if !cached {
                    self.line(&format!("built {target}"));
                }
            }
            Event::Unusable { target, reason } => {
                self.line(&format!("cannot run {target}: {reason}"))
            }
            Event::Begins {
                trials,
                seed,
                progress,
            } => {
                self.line(&format!(
                    "{}, {} to go, about {}; seed {seed}",
                    plural(trials as usize, "trial", "trials"),
                    plural(
                        progress.total - progress.done,
                        "measurement",
                        "measurements"
                    ),
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
                self.doing(
                    format!("round {round} of {rounds}: starting {target}"),
                    true,
                );
            }
            Event::Ready { target, after } => {
                self.doing(
                    format!("{target}: ready after {}", words::span(after)),
                    false,
                );
            }
            Event::Verified { target } => {
                self.doing(format!("{target}: answers as expected"), false)
            }
            Event::Differs { says } => self.line(&format!("not the same job: {says}")),
            Event::Warming {
                target,
                workload,
                load,
                bound,
            } => {
                self.doing(
                    format!(
                        "  {target}: warming up on {workload}, {}, for {} at most",
                        load.label(),
                        words::span(bound)
                    ),
                    true,
                );
                self.warming = workload;
            }
            Event::Warmed {
                target,
                took,
                settled,
            } => {
                let how = if settled { "settled" } else { "not settled" };
                self.line(&format!(
                    "  {target}: warmed up on {} for {}, {how}",
                    self.warming,
                    words::span(took)
                ));
            }
            Event::Measuring {
                target,
                workload,
                load,
                progress,
                ..
            } => {
                self.advance(progress);
                self.doing(format!("{target}: {workload}, {}", load.label()), false);
            }
            Event::Step { number, step } => {
                let offered = photofinish_report::rate(step.offered_rps);
                let told = step.why.as_deref().unwrap_or("holds");
                // What goes on stays the search, not its step.
                if let Some(bar) = &self.bar {
                    bar.set_message(format!("{}: step {number}, {offered}: {told}", self.now));
                }
            }
            Event::Window(window) => self.second(window.answers, window.duration.as_secs_f64()),
            Event::Looked { round, open, of } => self.line(&match open {
                0 => format!("decided after {round} rounds"),
                _ => format!("after round {round}: {open} of {of} verdicts still open"),
            }),
            Event::Measured { line, progress } => {
                let text = measured(&line);
                match self.bar {
                    // The bar tells the rest.
                    Some(_) => self.line(&format!("  {text}")),
                    None => self.line(&format!(
                        "  {text}  ({} of {}, {} left)",
                        progress.done,
                        progress.total,
                        words::span(progress.left)
                    )),
                }
                self.advance(progress);
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
                    self.line(&format!(
                        "{target} failed in round {round}, {} missing: {reason}",
                        plural(missing, "measurement", "measurements")
                    ));
                }
                self.advance(progress);
            }
            Event::Service { service, says } => {
                self.doing(format!("service {service}: {says}"), true)
            }
            Event::Warning(says) => self.line(&format!("note: {says}")),
        }
    }

    /// Takes the bar away.
    pub fn end(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }

    /// A line that stays.
    fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| out::note(text)),
            None => out::note(text),
        }
    }

    /// What goes on now; where there is no bar to show it, only what is worth a line.
    fn doing(&mut self, text: String, line: bool) {
        match &self.bar {
            Some(bar) => bar.set_message(text.clone()),
            None if line => out::note(&text),
            None => {}
        }
        self.now = text;
    }

    fn second(&self, answers: u64, seconds: f64) {
        let Some(bar) = &self.bar else { return };
        let rate = words::rate(answers, seconds);
        bar.set_message(format!("{}: {rate}", self.now));
    }

    fn advance(&self, progress: Progress) {
        if let Some(bar) = &self.bar {
            bar.set_length(progress.total as u64);
            bar.set_position(progress.done as u64);
            bar.set_prefix(format!("{} left", words::span(progress.left)));
        }
    }
}

/// A finished measurement in one line.
fn measured(line: &Line) -> String {
    let what = format!("{}: {}, {}", line.target, line.workload, line.load.label());
    let figures = match (&line.measurement, &line.failure) {
        (Some(m), _) => {
            let p99 = m.latency_us.map_or_else(
                || "no answer".to_owned(),
                |l| format!("p99 {}", words::micros(l.p99)),
            );
            let errors: u64 = m.errors.values().sum();
            let errors = if errors > 0 {
                format!(", {errors} errors")
            } else {
                String::new()
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
