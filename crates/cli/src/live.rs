//! What `photofinish load` shows while it runs: a live view on a terminal, plain lines elsewhere.

use std::io::{IsTerminal, stderr};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use photofinish_model::Window;

use crate::{out, words};

/// How many seconds the chart of rates shows.
const SHOWN: usize = 60;

/// A bar's heights, from the lowest.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Shows windows as they end.
pub struct Live {
    /// `None` where standard error is not a terminal.
    bar: Option<ProgressBar>,
    rates: Vec<f64>,
    errors: u64,
}

impl Live {
    /// A view on standard error, so that standard output holds the result alone; `length` is how
    /// long the run will take, where that is known.
    pub fn new(length: Option<Duration>) -> Self {
        let bar = stderr().is_terminal().then(|| {
            let millis = length.map(|length| length.as_millis() as u64);
            let bar = ProgressBar::with_draw_target(millis, ProgressDrawTarget::stderr());
            let template = match length {
                Some(_) => "{msg}\n{bar:30.cyan/blue} {eta} left; Ctrl-C ends it early",
                None => "{msg}\n{spinner} Ctrl-C ends it early",
            };
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style.with_key(
                    "eta",
                    move |state: &indicatif::ProgressState, w: &mut dyn std::fmt::Write| {
                        let left = length.unwrap_or_default().saturating_sub(state.elapsed());
                        let _ = w.write_str(&words::span(left));
                    },
                ));
            }
            bar.set_message("waiting for the first second's answers");
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        Live {
            bar,
            rates: Vec::new(),
            errors: 0,
        }
    }

    /// One more second.
    pub fn window(&mut self, window: &Window) {
        let seconds = window.duration_s;
        let rate = if seconds > 0.0 {
            window.answers as f64 / seconds
        } else {
            0.0
        };
        self.rates.push(rate);
        self.errors += window.errors;
        let elapsed = window.start_s + seconds;
        let line = line(elapsed, window, self.errors);
        match &self.bar {
            None => out::note(&line),
            Some(bar) => {
                let from = self.rates.len().saturating_sub(SHOWN);
                bar.set_message(format!("{line}\n{}", chart(&self.rates[from..])));
                bar.set_position((elapsed * 1e3) as u64);
            }
        }
    }

    /// Takes the view away.
    pub fn end(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A window in one line, of fewer than 80 columns.
fn line(elapsed: f64, window: &Window, errors: u64) -> String {
    let time = |us: Option<f64>| us.map_or_else(|| "–".to_owned(), words::micros);
    format!(
        "{elapsed:6.1} s {:>11}  p50 {:>7}  p99 {:>7}  max {:>7}  errors {errors}",
        words::rate(window.answers, window.duration_s),
        time(window.p50_us),
        time(window.p99_us),
        time(window.max_us),
    )
}

/// A bar a second, against the highest of them.
fn chart(rates: &[f64]) -> String {
    let highest = rates.iter().copied().fold(0.0, f64::max);
    let bar = |rate: &f64| {
        if highest <= 0.0 {
            return BARS[0];
        }
        let step = (rate / highest * BARS.len() as f64).ceil() as usize;
        BARS[step.clamp(1, BARS.len()) - 1]
    };
    rates.iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_high_as_rates() {
        assert_eq!(chart(&[8.0, 4.0, 1.0, 0.0]), "█▄▁▁");
        assert_eq!(chart(&[0.0, 0.0]), "▁▁");
    }
}
