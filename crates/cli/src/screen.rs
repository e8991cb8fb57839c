//! What the terminal can do.

use std::io::{IsTerminal, stderr, stdout};

use photofinish_report::Screen;

/// The width of lines where there is no terminal.
const USUAL: usize = 100;
/// Narrower than this nothing is drawn: the terminal may wrap.
const NARROWEST: usize = 60;

/// The width in columns of the terminal that results are printed on; 100 where there is none.
pub fn width() -> usize {
    terminal_size::terminal_size_of(stdout())
        .map_or(USUAL, |(columns, _)| usize::from(columns.0).max(NARROWEST))
}

/// What results are printed on.
pub fn screen() -> Screen {
    Screen {
        width: width(),
        colour: colour(),
        unicode: photofinish_report::unicode_allowed(),
    }
}

/// Whether to print results in colour.
pub fn colour() -> bool {
    photofinish_report::colour_allowed(stdout().is_terminal())
}

/// Whether a view can be drawn on standard error, over itself again and again.
pub fn redraws() -> bool {
    stderr().is_terminal() && !photofinish_report::dumb()
}

/// Whether to draw such a view in colour.
pub fn view_colour() -> bool {
    photofinish_report::colour_allowed(stderr().is_terminal())
}

/// The columns and lines of the terminal that the view is drawn on, as they are now.
pub fn view_size() -> (usize, usize) {
    terminal_size::terminal_size_of(stderr()).map_or((USUAL, 24), |(columns, lines)| {
        (usize::from(columns.0), usize::from(lines.0))
    })
}
