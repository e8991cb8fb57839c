//! The view of what goes on now: the phase, how far the run is, the time left and the ratios so far.

use std::time::{Duration, Instant};

use photofinish_lab::Progress;

use super::servers::Servers;
use crate::interim::InterimRatios;
use crate::view::{Draw, Piece, Style};
use crate::words;

/// The longest bar in columns.
const BAR: usize = 40;

/// The longest axis in columns.
const AXIS: usize = 40;

/// So many ratios are shown at most.
const RATIOS: usize = 8;

/// What the view shows.
pub(super) struct RunView {
    pub(super) study: String,
    pub(super) round: Option<(u32, u32)>,
    pub(super) phase: &'static str,
    /// What the phase is about.
    pub(super) what: String,
    /// The current second's figures.
    pub(super) figures: String,
    pub(super) progress: Option<(Progress, Instant)>,
    pub(super) interim: Option<InterimRatios>,
    /// How many verdicts are open, where rounds are added until none is.
    pub(super) undecided: String,
    /// The servers that are measured in turns.
    pub(super) servers: Servers,
    pub(super) unicode: bool,
}

impl RunView {
    pub(super) fn begin(&mut self, phase: &'static str, what: String) {
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

impl Draw for RunView {
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
        lines.extend(self.servers.rows(self.unicode));
        lines.extend(self.how_far(columns));
        if let Some(interim) = &self.interim {
            let wide = interim
                .rows
                .iter()
                .take(RATIOS)
                .map(|row| row.place.chars().count())
                .max();
            let wide = wide.unwrap_or(0);
            let undecided = match self.undecided.as_str() {
                "" => String::new(),
                undecided => format!("; {undecided}"),
            };
            let title = format!("throughput so far, {}{undecided}", interim.title);
            lines.push(Style::Muted.line(title));
            let rows = interim.rows.iter().take(RATIOS);
            let texts: Vec<String> = rows
                .clone()
                .map(|row| format!("  {:<wide$}  {}", row.place, row.ratio))
                .collect();
            let longest = texts.iter().map(|text| text.chars().count()).max();
            let longest = longest.unwrap_or(0);
            let room = columns.saturating_sub(longest + 2).min(AXIS);
            let axes = interim.axes(room, self.unicode);
            lines.extend(texts.iter().zip(axes).map(|(text, axis)| {
                let text = format!("{text:<longest$}  {axis}");
                Style::Plain.line(text.trim_end())
            }));
            let more = interim.rows.len().saturating_sub(RATIOS);
            if more > 0 {
                lines.push(Style::Muted.line(format!("  and {more} more")));
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interim::InterimRatio;

    fn now() -> RunView {
        let progress = Progress {
            done: 12,
            total: 48,
            left: Duration::from_secs(80),
        };
        let rows = (1..=10).map(|level| InterimRatio {
            place: format!("{level} connections"),
            ratio: "1.5".to_owned(),
            ends: None,
        });
        RunView {
            study: "quickstart".to_owned(),
            round: Some((2, 4)),
            phase: "measuring",
            what: "a: plaintext, 16 connections".to_owned(),
            figures: "576,414/s".to_owned(),
            progress: Some((progress, Instant::now())),
            interim: Some(InterimRatios {
                title: "a / b".to_owned(),
                rows: rows.collect(),
            }),
            undecided: String::new(),
            servers: Servers::default(),
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
        let undecided = RunView {
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
        now.interim = None;
        assert_eq!(now.lines(60).len(), 2);
    }
}
