//! `photofinish report`.

use std::fs;
use std::io::{IsTerminal, stdout};
use std::path::Path;

use photofinish_report::results::comparison::Comparison;
use photofinish_report::results::store::Results;

use crate::args::ReportArgs;
use crate::exit::Failure;
use crate::out;

pub fn report(args: &ReportArgs) -> Result<(), Failure> {
    let results = Results::read(&args.results).map_err(Failure::request)?;
    let comparison = Comparison::from(&results);
    if let Some(file) = &args.markdown {
        write(file, &photofinish_report::markdown(&comparison))?;
    }
    if let Some(file) = &args.json {
        write(file, &photofinish_report::json(&comparison))?;
    }
    if let Some(file) = &args.csv {
        write(
            file,
            &photofinish_report::csv(&results).map_err(Failure::run)?,
        )?;
    }
    if args.markdown.is_none() && args.json.is_none() && args.csv.is_none() {
        draw(&comparison)?;
    }
    Ok(())
}

/// Draws the results in `dir` on the terminal.
pub fn print(dir: &Path) -> Result<(), Failure> {
    let results = Results::read(dir).map_err(Failure::run)?;
    draw(&Comparison::from(&results))
}

fn draw(comparison: &Comparison) -> Result<(), Failure> {
    out::result(&photofinish_report::terminal(comparison, width(), colour()))
}

/// The terminal's width in columns; 100 where there is none.
pub fn width() -> usize {
    terminal_size::terminal_size_of(stdout())
        .map_or(100, |(columns, _)| usize::from(columns.0).max(60))
}

/// Whether to print in colour: on a terminal, unless NO_COLOR is set (no-color.org).
pub fn colour() -> bool {
    stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    if file.as_os_str() == "-" {
        return out::result(text);
    }
    fs::write(file, text).map_err(|e| Failure::run(format!("cannot write {}: {e}", file.display())))
}
