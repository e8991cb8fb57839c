//! What `photofinish load` shows while it runs: a live view on a terminal, elsewhere lines.

use std::time::{Duration, Instant};

use photofinish_model::Window;

use crate::view::{Display, Draw, Piece, Style, chart};
use crate::words;

/// How many seconds the chart of rates shows.
const SHOWN: usize = 60;

/// Shows windows as they end.
pub struct LoadProgress {
    errors: u64,
    display: Display<LoadView>,
}

/// What the view shows.
struct LoadView {
    begun: Instant,
    /// How long the run takes, where that is known.
    length: Option<Duration>,
    unicode: bool,
    rates: Vec<f64>,
    line: String,
}

impl LoadProgress {
    /// `length` is how long the run will take, where that is known.
    pub fn new(length: Option<Duration>, quiet: bool) -> Self {
        let seconds = || LoadView {
            begun: Instant::now(),
            length,
            unicode: photofinish_report::unicode_allowed(),
            rates: Vec::new(),
            line: "waiting for the first second's responses".to_owned(),
        };
        LoadProgress {
            errors: 0,
            display: Display::start(quiet, seconds),
        }
    }

    /// One more second.
    pub fn window(&mut self, window: &Window) {
        self.errors += window.errors;
        let line = line(window, self.errors);
        if has_line(window.start_s + window.duration_s) {
            self.display.lines(&line);
        }
        self.display.view(|seconds| {
            seconds.rates.push(rate(window));
            seconds.line = line;
        });
    }

    /// Takes the view away.
    pub fn end(self) {
        self.display.end();
    }
}

impl Draw for LoadView {
    fn lines(&self, columns: usize) -> Vec<Piece> {
        let mut lines = vec![Style::Strong.line(&*self.line)];
        if self.unicode && !self.rates.is_empty() {
            let from = self.rates.len().saturating_sub(SHOWN.min(columns));
            lines.push(Style::Bar.line(chart(&self.rates[from..])));
        }
        let elapsed = self.begun.elapsed();
        let time = match self.length {
            Some(length) => format!("{} left", words::span(length.saturating_sub(elapsed))),
            None => format!("{} so far", words::span(elapsed)),
        };
        lines.push(Style::Muted.line(format!("{time}; Ctrl-C ends it early")));
        lines
    }
}

/// Whether the second that ended then has a line of its own: each of the first ten, then every tenth; a run of an hour does not
/// fill a log.
fn has_line(elapsed_s: f64) -> bool {
    let second = elapsed_s.round() as u64;
    second <= 10 || second.is_multiple_of(10)
}

/// Good responses per second.
fn rate(window: &Window) -> f64 {
    match window.duration_s > 0.0 {
        true => window.responses as f64 / window.duration_s,
        false => 0.0,
    }
}

/// A window in one line, of fewer than 80 columns.
fn line(window: &Window, errors: u64) -> String {
    let elapsed = window.start_s + window.duration_s;
    let time = |us: Option<f64>| us.map_or_else(|| "–".to_owned(), words::micros);
    format!(
        "{elapsed:6.1} s {:>11}  p50 {:>7}  p99 {:>7}  max {:>7}  errors {errors}",
        words::rate(window.responses, window.duration_s),
        time(window.p50_us),
        time(window.p99_us),
        time(window.max_us),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_runs_have_a_line_every_ten_seconds() {
        let lines = (1..=100).filter(|second| has_line(f64::from(*second) + 0.01));
        let expected: Vec<i32> = (1..=10).chain((2..=10).map(|ten| ten * 10)).collect();
        assert_eq!(lines.collect::<Vec<i32>>(), expected);
    }

    #[test]
    fn the_view_has_the_second_the_chart_and_the_time() {
        let window = Window {
            start_s: 1.0,
            duration_s: 0.5,
            responses: 500,
            errors: 2,
            p50_us: Some(1000.0),
            p99_us: None,
            max_us: Some(2500.0),
        };
        let seconds = |length, unicode| LoadView {
            begun: Instant::now(),
            length,
            unicode,
            rates: vec![500.0, rate(&window)],
            line: line(&window, 3),
        };
        let text = |seconds: &LoadView| -> Vec<String> {
            seconds
                .lines(80)
                .into_iter()
                .map(|line| line.text)
                .collect()
        };
        let hour = Some(Duration::from_secs(3600));
        let lines = text(&seconds(hour, true));
        assert_eq!(
            lines[0],
            "   1.5 s     1,000/s  p50 1.00 ms  p99       –  max 2.50 ms  errors 3"
        );
        assert_eq!(lines[1], "▄█");
        assert_eq!(lines[2], "1h left; Ctrl-C ends it early");
        assert_eq!(text(&seconds(None, false)).len(), 2);
    }
}
