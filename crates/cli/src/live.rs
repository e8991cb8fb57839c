//! What `photofinish load` shows while it runs: a live view on a terminal, plain lines elsewhere.

use std::io::{self, IsTerminal, Stderr};

use photofinish_report::results::model::Window;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Style, Stylize};
use ratatui::text::{Line, Text};
use ratatui::widgets::{Gauge, Paragraph, Sparkline};
use ratatui::{Terminal, TerminalOptions, Viewport};

use crate::{out, words};

/// Lines of the live view.
const HEIGHT: u16 = 6;

/// Shows windows as they end.
pub struct Live {
    terminal: Option<Terminal<CrosstermBackend<Stderr>>>,
    /// How many seconds there will be, where that is known.
    seconds: Option<f64>,
    rates: Vec<u64>,
    errors: u64,
    elapsed: f64,
}

impl Live {
    /// A view on standard error, so that standard output holds the result alone.
    pub fn new(seconds: Option<f64>) -> Self {
        let terminal = io::stderr().is_terminal().then(|| {
            let options = TerminalOptions {
                viewport: Viewport::Inline(HEIGHT),
            };
            Terminal::with_options(CrosstermBackend::new(io::stderr()), options).ok()
        });
        Live {
            terminal: terminal.flatten(),
            seconds,
            rates: Vec::new(),
            errors: 0,
            elapsed: 0.0,
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
        self.rates.push(rate.round() as u64);
        self.errors += window.errors;
        self.elapsed = window.start_s + seconds;
        let line = line(self.elapsed, window, self.errors);
        match self.terminal.as_mut() {
            None => out::note(&line),
            Some(terminal) => {
                // The view is an extra: where it cannot be drawn, the run goes on without it.
                let _ = draw(terminal, line, &self.rates, self.elapsed, self.seconds);
            }
        }
    }

    /// Takes the view away.
    pub fn end(mut self) {
        if let Some(terminal) = self.terminal.as_mut() {
            let _ = terminal.clear();
        }
    }
}

/// A window in one line.
fn line(elapsed: f64, window: &Window, errors: u64) -> String {
    let time = |us: Option<f64>| us.map_or_else(|| "–".to_owned(), words::micros);
    format!(
        "{elapsed:6.1} s  {:>13}  p50 {:>9}  p99 {:>9}  max {:>9}  errors {errors}",
        words::rate(window.answers, window.duration_s),
        time(window.p50_us),
        time(window.p99_us),
        time(window.max_us),
    )
}

fn draw(
    terminal: &mut Terminal<CrosstermBackend<Stderr>>,
    line: String,
    rates: &[u64],
    elapsed: f64,
    seconds: Option<f64>,
) -> io::Result<()> {
    terminal.draw(|frame| {
        let [top, chart, bottom] = Layout::vertical([
            Constraint::Length(1),
            Constraint::Min(1),
            Constraint::Length(1),
        ])
        .areas(frame.area());
        frame.render_widget(Paragraph::new(Text::from(Line::from(line).bold())), top);
        let shown = &rates[rates.len().saturating_sub(usize::from(chart.width))..];
        frame.render_widget(
            Sparkline::default().data(shown).style(Style::new().cyan()),
            chart,
        );
        if let Some(seconds) = seconds.filter(|s| *s > 0.0) {
            let left = (seconds - elapsed).max(0.0);
            let gauge = Gauge::default()
                .ratio((elapsed / seconds).clamp(0.0, 1.0))
                .label(format!(
                    "{left:.0} s left; Ctrl-C ends the run and prints what was measured"
                ));
            frame.render_widget(gauge, bottom);
        }
    })?;
    Ok(())
}
