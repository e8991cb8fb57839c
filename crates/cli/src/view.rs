//! A view of what goes on, drawn over itself on standard error: for terminals only, elsewhere there are lines.

use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use photofinish_model::text::masked;

use crate::{out, screen};

/// How often it is drawn, changed or not: clocks go on.
const TICK: Duration = Duration::from_millis(200);

/// What is shown: lines, the most important first.
pub trait Draw: Send + 'static {
    /// The lines for a terminal of so many columns; what is longer is cut.
    fn lines(&self, columns: usize) -> Vec<Piece>;
}

/// A line of a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its text, without control characters.
    pub text: String,
    /// How it is drawn, where there are colours.
    pub style: Style,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// As it is.
    Plain,
    /// Bold.
    Strong,
    /// Dimmed.
    Muted,
    /// Cyan.
    Bar,
}

impl Style {
    /// A line of this style.
    pub fn line(self, text: impl Into<String>) -> Piece {
        Piece {
            text: text.into(),
            style: self,
        }
    }

    fn code(self) -> Option<&'static str> {
        match self {
            Style::Plain => None,
            Style::Strong => Some("1"),
            Style::Muted => Some("2"),
            Style::Bar => Some("36"),
        }
    }
}

/// A bar's heights, from the lowest; without Unicode's blocks there is no chart.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A bar for each rate, against the highest of them.
pub fn chart(rates: &[f64]) -> String {
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

/// A view that is on the screen.
pub struct View<D> {
    bar: ProgressBar,
    shown: Arc<Mutex<D>>,
}

impl<D: Draw> View<D> {
    /// Begins to draw; `None` where nothing can be drawn over.
    pub fn start(shown: D) -> Option<View<D>> {
        if !screen::redraws() || !threads_are_to_be_had() {
            return None;
        }
        let shown = Arc::new(Mutex::new(shown));
        let colour = screen::view_colour();
        let of = Arc::clone(&shown);
        // Drawn at every tick by the terminal's size as it then is: it may have changed.
        let draw = move |_: &ProgressState, text: &mut dyn Write| {
            // Text in memory takes everything.
            let _ = text.write_str(&drawn(&*lock(&of), screen::view_size(), colour));
        };
        let style = ProgressStyle::with_template("{view}")
            .ok()?
            .with_key("view", draw);
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        bar.set_style(style);
        bar.enable_steady_tick(TICK);
        Some(View { bar, shown })
    }

    /// Changes what is shown.
    pub fn change(&self, change: impl FnOnce(&mut D)) {
        change(&mut lock(&self.shown));
        self.bar.tick();
    }

    /// Prints a line that stays, above the view.
    pub fn line(&self, text: &str) {
        self.bar.suspend(|| out::note(text));
    }

    /// Takes the view away.
    pub fn end(self) {
        self.bar.finish_and_clear();
    }
}

/// Where progress is shown.
pub enum Display<D> {
    /// In a view of a terminal.
    View(View<D>),
    /// In lines, elsewhere.
    Lines,
    /// In few lines, each with the name of one of several runs that go on at once.
    Named(String),
    /// Nowhere, except what is wrong.
    Quiet,
}

impl<D: Draw> Display<D> {
    /// Begins to show progress on standard error, so that standard output holds the result alone.
    pub fn start(quiet: bool, shown: impl FnOnce() -> D) -> Display<D> {
        match quiet {
            true => Display::Quiet,
            false => View::start(shown()).map_or(Display::Lines, Display::View),
        }
    }

    /// Changes the view, if there is one.
    pub fn view(&self, change: impl FnOnce(&mut D)) {
        if let Display::View(view) = self {
            view.change(change);
        }
    }

    /// Prints a line that only lines show.
    pub fn lines(&self, text: &str) {
        if let Display::Lines = self {
            out::note(text);
        }
    }

    /// Prints a line that stays, unless nothing is to be shown.
    pub fn line(&self, text: &str) {
        match self {
            Display::Quiet => {}
            Display::View(_) | Display::Lines | Display::Named(_) => self.wrong(text),
        }
    }

    /// Prints a line about something that is not as it should be.
    pub fn wrong(&self, text: &str) {
        match self {
            Display::View(view) => view.line(text),
            Display::Named(name) => out::note(&format!("{name}: {text}")),
            Display::Lines | Display::Quiet => out::note(text),
        }
    }

    /// Takes the view away.
    pub fn end(self) {
        if let Display::View(view) = self {
            view.end();
        }
    }
}

/// Whether another thread can be started: what draws at every tick is one, and would panic without.
fn threads_are_to_be_had() -> bool {
    let thread = std::thread::Builder::new().spawn(|| ());
    thread.is_ok_and(|thread| thread.join().is_ok())
}

/// A thread that panicked while it changed a view has left one that can be drawn.
fn lock<D>(shown: &Mutex<D>) -> MutexGuard<'_, D> {
    shown.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The lines as they fit on a terminal of so many columns and lines.
fn drawn(view: &impl Draw, (columns, lines): (usize, usize), colour: bool) -> String {
    // The last column and line stay free: a cursor there may wrap or scroll.
    let (columns, lines) = (
        columns.saturating_sub(1).max(1),
        lines.saturating_sub(1).max(1),
    );
    let pieces = view.lines(columns);
    let drawn = pieces.iter().take(lines).map(|piece| {
        let text = cut(&piece.text, columns);
        match piece.style.code().filter(|_| colour) {
            Some(code) => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            None => text,
        }
    });
    drawn.collect::<Vec<String>>().join("\n")
}

/// A line of at most so many columns.
fn cut(text: &str, columns: usize) -> String {
    let text = masked(text).replace(['\n', '\t'], "?");
    if textwrap::core::display_width(&text) <= columns {
        return text;
    }
    let mut kept = String::new();
    for c in text.chars() {
        if textwrap::core::display_width(&kept) + 2 > columns {
            break;
        }
        kept.push(c);
    }
    // A character of two columns may have been one too many.
    while textwrap::core::display_width(&kept) + 1 > columns {
        kept.pop();
    }
    kept + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Lines(Vec<Piece>);

    impl Draw for Lines {
        fn lines(&self, _: usize) -> Vec<Piece> {
            self.0.clone()
        }
    }

    #[test]
    fn bars_are_as_high_as_rates() {
        assert_eq!(chart(&[8.0, 4.0, 1.0, 0.0]), "█▄▁▁");
        assert_eq!(chart(&[0.0, 0.0]), "▁▁");
    }

    #[test]
    fn lines_fit_on_the_terminal() {
        let lines = Lines(vec![
            Style::Strong.line("a very long line of words"),
            Style::Plain.line("比较服务器的速度"),
            Style::Plain.line("ne\u{ad}er\rseen\u{1b}[2J"),
        ]);
        assert_eq!(
            drawn(&lines, (12, 24), false),
            "a very lon…\n比较服务器…\nne¿er?seen…"
        );
        assert_eq!(drawn(&lines, (12, 3), false).lines().count(), 2);
        assert_eq!(
            drawn(&lines, (80, 2), true),
            "\u{1b}[1ma very long line of words\u{1b}[0m"
        );
        for columns in 0..30 {
            for line in drawn(&lines, (columns, 24), false).lines() {
                assert!(
                    textwrap::core::display_width(line) <= columns.max(2),
                    "{columns}: {line}"
                );
            }
        }
    }
}
