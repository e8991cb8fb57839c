//! What `photofinish capacity` shows while it searches: a view on a terminal, a line a step elsewhere.

use std::time::Instant;

use photofinish_model::capacity::Step;
use photofinish_model::units::per_second;
use photofinish_voice::capacity;

use crate::view::{Display, Draw, Piece, Style};
use crate::words;

/// So many of the last steps are in the view.
const SHOWN: usize = 6;

/// Shows steps as they end.
pub struct SearchProgress {
    number: u32,
    display: Display<Search>,
}

/// What the view shows.
struct Search {
    begun: Instant,
    objective: String,
    lines: Vec<String>,
    /// The highest rate that met the objective, and the lowest that did not.
    met: Option<f64>,
    failed: Option<f64>,
}

impl SearchProgress {
    /// Of a search for this objective.
    pub fn new(objective: &str, quiet: bool) -> Self {
        let search = || Search {
            begun: Instant::now(),
            objective: objective.to_owned(),
            lines: Vec::new(),
            met: None,
            failed: None,
        };
        SearchProgress {
            number: 0,
            display: Display::start(quiet, search),
        }
    }

    /// A step ended.
    pub fn step(&mut self, step: &Step) {
        self.number += 1;
        let line = line(self.number, step);
        self.display.lines(&line);
        self.display.view(|search| search.add(step, line));
    }

    /// Takes the view away.
    pub fn end(self) {
        self.display.end();
    }
}

impl Search {
    fn add(&mut self, step: &Step, line: String) {
        self.lines.push(line);
        let rate = step.offered_rps;
        if step.holds {
            self.met = Some(self.met.map_or(rate, |met| met.max(rate)));
            // A rate that failed and was tried again.
            self.failed = self.failed.filter(|failed| *failed > rate);
        } else {
            self.failed = Some(self.failed.map_or(rate, |failed| failed.min(rate)));
        }
    }

    fn range(&self) -> String {
        match (self.met, self.failed) {
            (None, None) => "measuring the first step".to_owned(),
            (Some(met), None) => format!("met at {} so far", per_second(met)),
            (None, Some(failed)) => format!("missed at {}, not yet met", per_second(failed)),
            (Some(met), Some(failed)) => {
                format!(
                    "met at {}, missed at {}",
                    per_second(met),
                    per_second(failed)
                )
            }
        }
    }
}

impl Draw for Search {
    fn lines(&self, _: usize) -> Vec<Piece> {
        let mut lines = vec![Style::Strong.line(format!("{}: {}", self.objective, self.range()))];
        let from = self.lines.len().saturating_sub(SHOWN);
        lines.extend(
            self.lines[from..]
                .iter()
                .map(|line| Style::Plain.line(line.as_str())),
        );
        let time = words::span(self.begun.elapsed());
        lines.push(Style::Muted.line(format!(
            "step {}, {time} so far; Ctrl-C ends it early",
            self.lines.len() + 1
        )));
        lines
    }
}

/// What came of a step, in a few words.
pub fn outcome(step: &Step) -> String {
    let why = step.why.as_ref();
    why.map_or_else(|| "met".to_owned(), |why| capacity::broken(why).en)
}

/// A step in one line.
fn line(number: u32, step: &Step) -> String {
    let time = |us: Option<f64>| us.map_or_else(|| "–".to_owned(), words::micros);
    let verdict = outcome(step);
    format!(
        "step {number:2}  {:>11} offered  {:>11} achieved  p50 {:>9}  p99 {:>9}  {verdict}",
        per_second(step.offered_rps),
        per_second(step.achieved_rps),
        time(step.p50_us),
        time(step.p99_us),
    )
}

#[cfg(test)]
mod tests {
    use photofinish_model::finding::capacity::Broken;

    use super::*;

    fn step(offered_rps: f64, holds: bool) -> Step {
        Step {
            offered_rps,
            achieved_rps: offered_rps,
            requests: 1,
            errors: 0,
            p50_us: Some(1_500.0),
            p99_us: None,
            generator_cpu: 0.5,
            hiccup_us: None,
            holds,
            why: (!holds).then(|| Broken::Time {
                figure: "p99".to_owned(),
                us: 20_000.0,
            }),
        }
    }

    #[test]
    fn the_view_has_the_range_and_the_last_steps() {
        let mut search = Search {
            begun: Instant::now(),
            objective: "p99 < 10ms".to_owned(),
            lines: Vec::new(),
            met: None,
            failed: None,
        };
        assert_eq!(search.range(), "measuring the first step");
        for (number, (rate, holds)) in (1..).zip([
            (1e3, true),
            (2e3, true),
            (4e3, false),
            (3e3, true),
            (3.5e3, false),
            (3.2e3, true),
            (3.3e3, true),
        ]) {
            let step = step(rate, holds);
            search.add(&step, line(number, &step));
        }
        let lines: Vec<String> = search.lines(80).into_iter().map(|line| line.text).collect();
        assert_eq!(lines[0], "p99 < 10ms: met at 3,300/s, missed at 3,500/s");
        assert_eq!(lines.len(), 1 + SHOWN + 1);
        assert_eq!(
            lines[1],
            "step  2      2,000/s offered      2,000/s achieved  p50   1.50 ms  p99         –  met"
        );
        assert!(lines[2].ends_with("p99 20.0 ms"));
    }
}
