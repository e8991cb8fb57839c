//! Draws a comparison: in a terminal, as an HTML page, Markdown, CSV and JSON.
//!
//! Nothing is computed here. What is shown is chosen and ordered once, in `sections`, as a
//! document of a few kinds of blocks; `terminal`, `markdown` and `html` each know how a block looks.

#![forbid(unsafe_code)]

pub mod audit;
mod capacity;
mod days;
mod distribution;
mod document;
mod ending;
pub mod export;
pub mod exports;
mod figure;
mod gates;
mod half_width;
mod history;
mod html;
mod junit;
mod labels;
mod load_summary;
mod markdown;
mod pooled;
mod rows;
mod sections;
mod terminal;
mod text;
mod words;

use std::path::Path;

use hdrhistogram::Histogram;
use photofinish_judge::comparison::Comparison;
use photofinish_judge::days::Days;
use photofinish_judge::half_width::HalfWidthPlan;
use photofinish_judge::history::History;
use photofinish_judge::pooled::{PairRuns, Pooled};
use photofinish_judge::threshold::Gate;
use photofinish_model::Measurement;
use photofinish_model::capacity::Capacity;
use photofinish_model::store::Results;
use photofinish_voice::Language;
use serde::Serialize;

use crate::document::Block;
use crate::ending::Ending;

pub use rows::Row;
pub use terminal::Screen;
pub use text::ascii;

/// A report that could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The rows could not be put into CSV.
    #[error("write CSV: {0}")]
    Csv(String),
    /// The results could not be put into JUnit's XML.
    #[error("write JUnit XML: {0}")]
    Junit(String),
    /// The page could not be made.
    #[error("make the HTML page: {0}")]
    Html(String),
}

/// The report for a terminal; see [`colour_allowed`] and [`unicode_allowed`].
pub fn terminal(comparison: &Comparison, screen: Screen) -> String {
    terminal::render(&sections::report(comparison, None), screen)
}

/// The report as Markdown that GitHub and the like show as it is meant: the answer and its table, and all else folded below.
pub fn markdown(comparison: &Comparison) -> String {
    let document = document::folded(sections::report(comparison, None));
    markdown::render(&document, Language::En)
}

/// What changed between two runs, for a terminal.
pub fn days(days: &Days, screen: Screen) -> String {
    terminal::render(&days::document(days), screen)
}

/// The same as Markdown.
pub fn days_markdown(days: &Days) -> String {
    markdown::render(&days::document(days), Language::En)
}

/// The rounds of several pairs of machines, for a terminal.
pub fn pooled(pooled: &Pooled, screen: Screen) -> String {
    terminal::render(&pooled::document(pooled), screen)
}

/// The same as one HTML file.
///
/// # Errors
/// As [`html`].
pub fn pooled_html(pooled: &Pooled) -> Result<String, Error> {
    (html::FORMAT.pooled)(pooled, None)
}

/// The same as Markdown.
pub fn pooled_markdown(pooled: &Pooled) -> String {
    markdown::render(&pooled::document(pooled), Language::En)
}

/// The rounds of several pairs of machines and what came of `--fail-if` conditions as JUnit XML.
///
/// # Errors
/// As [`junit`].
pub fn pooled_junit(pairs: &PairRuns, gates: &[Gate]) -> Result<String, Error> {
    junit::pooled(pairs, gates)
}

/// A study's runs over time, for a terminal.
pub fn history(history: &History, screen: Screen) -> String {
    terminal::render(&history::document(history), screen)
}

/// The same as Markdown.
pub fn history_markdown(history: &History) -> String {
    markdown::render(&history::document(history), Language::En)
}

/// The forecast of the rounds that half-widths take, for a terminal.
pub fn half_width(plan: &HalfWidthPlan, screen: Screen) -> String {
    terminal::render(&half_width::document(plan), screen)
}

/// What came of `--fail-if` conditions, as Markdown; empty where there are none.
pub fn gates_markdown(gates: &[Gate]) -> String {
    match gates {
        [] => String::new(),
        _ => markdown::render(&gates::document(gates), Language::En),
    }
}

/// The comparison and what came of `--fail-if` conditions as JUnit XML.
///
/// # Errors
/// If it cannot be put into XML, which would be a fault in this program.
pub fn junit(comparison: &Comparison, gates: &[Gate]) -> Result<String, Error> {
    junit::render(comparison, gates)
}

/// What changed between two runs and what came of `--fail-if` conditions as JUnit XML.
///
/// # Errors
/// As [`junit`].
pub fn days_junit(days: &Days, gates: &[Gate]) -> Result<String, Error> {
    junit::days(days, gates)
}

/// Every figure of every measurement: one row a line of `measurements.jsonl`.
///
/// # Errors
/// If the rows cannot be put into CSV, which would be a fault in this program.
pub fn csv(results: &Results) -> Result<String, Error> {
    exports::csv::render(results)
}

/// The report as one HTML file that loads nothing from anywhere, in both languages; it begins with `language`, or without one in the
/// browser's.
///
/// # Errors
/// If the data cannot be put into JSON or the page, which would be a fault in this program.
pub fn html(
    results: &Results,
    comparison: &Comparison,
    language: Option<Language>,
) -> Result<String, Error> {
    html::render(results, comparison, language)
}

/// Returns a record as JSON.
pub fn json(record: &impl Serialize) -> String {
    // Records are structs, strings and finite numbers: they always have a JSON form.
    exports::json::pretty(record)
}

/// Rows in columns that align, each line after `indent` columns.
pub fn rows(rows: &[Row], indent: usize, screen: Screen) -> String {
    rows::render(rows, indent, &screen.at_least())
}

/// How much a command prints of its result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// The first line.
    Verdict,
    /// The verdict, its figures, and what they rest on, in at most twelve lines.
    #[default]
    Ending,
    /// The same, then the checks and a table of each level.
    Tables,
}

/// What `run` and `compare` print in the end; `page` is where the HTML report lies.
pub fn race(comparison: &Comparison, page: &Path, detail: Detail, screen: Screen) -> String {
    let mut ending = sections::ending(comparison);
    ending.whole("report", page.display().to_string());
    draw(detail, &ending, &sections::details(comparison), screen)
}

/// What `load` prints of one run; `latency_ns` is the histogram of its response times.
pub fn load(
    measurement: &Measurement,
    latency_ns: &Histogram<u64>,
    detail: Detail,
    screen: Screen,
) -> String {
    let tables = load_summary::document(measurement);
    let ending = load_summary::ending(measurement);
    let mut text = draw(detail, &ending, &tables, screen);
    // Times of lost requests alone are no response times.
    if detail != Detail::Verdict && measurement.latency_us.is_some() {
        let title = load_summary::histogram_title(measurement).en;
        let bars = distribution::render(latency_ns, screen.width, screen.unicode);
        text.push_str(&format!("\n{title}\n{bars}"));
    }
    text
}

/// What `capacity` prints: the result and the rates that were tried.
pub fn capacity(capacity: &Capacity, detail: Detail, screen: Screen) -> String {
    let tables = capacity::document(capacity);
    let ending = capacity::ending(capacity);
    draw(detail, &ending, &tables, screen)
}

fn draw(detail: Detail, ending: &Ending, tables: &[Block], screen: Screen) -> String {
    let screen = screen.at_least();
    match detail {
        Detail::Verdict => ending::verdict(ending, &screen),
        Detail::Ending => ending::render(ending, &screen),
        Detail::Tables => {
            ending::render(ending, &screen) + "\n" + &terminal::render(tables, screen)
        }
    }
}

/// Whether to colour: only on a terminal, and not where `NO_COLOR` (<https://no-color.org>) is set
/// to anything, nor on a terminal that is `dumb`.
pub fn colour_allowed(is_terminal: bool) -> bool {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    is_terminal && set("NO_COLOR").is_none() && !dumb()
}

/// Whether the terminal can do nothing but print lines (`TERM=dumb`): no colours, and nothing drawn over.
pub fn dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// Whether Unicode's block characters can be drawn: not on a terminal that is `dumb` or the Linux console, whose font has few of
/// them, nor where the locale names another encoding.
pub fn unicode_allowed() -> bool {
    let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set);
    !dumb()
        && set("TERM").is_none_or(|term| term != "linux")
        && locale.is_none_or(|name| is_utf8(&name))
}

/// Whether a locale's encoding is UTF-8. Where containers set none, terminals speak UTF-8 all the same.
fn is_utf8(locale: &str) -> bool {
    let name = locale.to_ascii_lowercase();
    name.contains("utf-8") || name.contains("utf8")
}
