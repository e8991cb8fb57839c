//! What the columns of a table hold, by its heading.

mod words;

use crate::figure::{Figure, Scan};
use crate::quantity::{self, statistic};

pub use words::HEADINGS;

/// What a column holds.
#[derive(Debug, Clone)]
pub enum Column {
    /// The number of connections of its row.
    Connections,
    /// Requests that a connection of its row may have under way.
    Depth,
    /// Rate and mean at the number of connections in the heading.
    Level(Figure, f64),
    /// Rate and mean, with the factor that makes a bare mean milliseconds (0: needs a unit).
    Pair(f64),
    /// Requests per second, with the factor that its heading names (`k req/s`).
    Rate(f64),
    /// The mean, with the same factor.
    Mean(f64),
    /// A percentile as a share of 1, with the same factor; 1 is the maximum.
    Quantile(f64, f64),
    /// Anything else.
    Other,
}

/// The roles of the columns, if the heading names connections and a rate, and a mean or percentiles.
pub fn columns(cells: &[&str], line: usize) -> Option<Vec<Column>> {
    let cells: Vec<String> = cells.iter().map(|cell| normal(cell)).collect();
    let together = cells.iter().any(|c| rate(c) && mean(c));
    // Threads may be those of the server, unless nothing else says how many clients there were.
    let stated = cells.iter().any(|c| connections(c));
    let connections = |c: &str| connections(c) || !stated && threads(c);
    let mut columns: Vec<Column> = cells
        .iter()
        .map(|cell| {
            let unit = bare_unit(cell);
            match Scan::new(cell, line).finite() {
                _ if HEADINGS.computed.fit(cell) => Column::Other,
                Some(level) if together => Column::Level(level, unit),
                _ if rate(cell) && mean(cell) => Column::Pair(unit),
                _ if HEADINGS.depth.fit(cell) => Column::Depth,
                _ if connections(cell) => Column::Connections,
                _ if rate(cell) => Column::Rate(thousands(cell)),
                // What is counted in each second is no time.
                _ if cell.contains("/s") || cell.contains("per second") => Column::Other,
                _ if mean(cell) && !HEADINGS.other_time.fit(cell) => {
                    Column::Mean(unit + seconds(cell))
                }
                _ => quantile(cell)
                    .filter(|_| !HEADINGS.other_time.fit(cell))
                    .map_or(Column::Other, |q| Column::Quantile(q, unit + seconds(cell))),
            }
        })
        .collect();
    one_mean_a_rate(&mut columns);
    // Headings with levels name the connections in one of their cells only.
    let named = cells.iter().any(|c| connections(c));
    let has = |wanted: fn(&Column) -> bool| columns.iter().any(wanted);
    let latency = has(|c| matches!(c, Column::Mean(_) | Column::Quantile(..)))
        || cells
            .iter()
            .any(|c| HEADINGS.latency.fit(c) || bare_unit(c) > 0.0);
    (named && (together || has(|c| matches!(c, Column::Rate(_) | Column::Pair(_))) && latency))
        .then_some(columns)
}

/// Of several means beside one rate it cannot be told which is that of the requests: ab prints one for each connection and one across all.
fn one_mean_a_rate(columns: &mut [Column]) {
    let is_mean = |column: &Column| matches!(column, Column::Mean(_));
    let rates = |column: &Column| matches!(column, Column::Rate(_) | Column::Pair(_));
    for of_one in columns.split_mut(rates) {
        if of_one.iter().filter(|column| is_mean(column)).count() > 1 {
            let means = of_one.iter_mut().filter(|column| is_mean(column));
            means.for_each(|column| *column = Column::Other);
        }
    }
}

/// A heading as words are looked for in it: `P99_9_ms` is `p99.9 ms`.
pub fn normal(heading: &str) -> String {
    let lower = heading.trim().trim_matches('"').to_lowercase();
    let chars: Vec<char> = lower.chars().collect();
    let digit = |at: Option<usize>| {
        at.and_then(|at| chars.get(at))
            .is_some_and(char::is_ascii_digit)
    };
    let plain = chars.iter().enumerate().map(|(at, &c)| match c {
        '_' if digit(at.checked_sub(1)) && digit(Some(at + 1)) => '.',
        '_' => ' ',
        c => c,
    });
    plain.collect()
}

/// Whether a line may be a heading: it is not long, and names connections and a rate.
pub fn may_be(text: &str) -> bool {
    const LONGEST: usize = 2000;
    let shown = text.len() < LONGEST;
    shown && {
        let lower = text.to_lowercase();
        let cells = || lower.split([',', ';', '\t']);
        // What excludes a column says nothing of the others.
        (connections(&lower) || cells().any(|cell| threads(cell.trim_matches('"'))))
            && cells().any(|cell| rate(&normal(cell)))
    }
}

/// Why the law cannot be judged by these columns: what the heading says, and what that means.
pub fn not_judged(cells: &[&str]) -> Option<String> {
    let cells: Vec<String> = cells.iter().map(|cell| normal(cell)).collect();
    let all = cells.join("|");
    // A column of depths says how many requests each row has at a time.
    let stated = cells.iter().any(|cell| HEADINGS.depth.fit(cell));
    let waits = (HEADINGS.schedule.found(&all)).filter(|word| !stated || *word != "pipelin");
    let of_clients = || cells.iter().filter(|cell| connections(cell));
    let others = || of_clients().find_map(|cell| HEADINGS.others_connections.found(cell));
    let any_threads = || match of_clients().next() {
        Some(_) => None,
        None => cells
            .iter()
            .find_map(|cell| HEADINGS.any_threads.found(cell)),
    };
    let reasons = [
        (
            waits,
            "connections may wait between requests or have several at a time",
        ),
        (
            others(),
            "its connections may be others than those of the whole load",
        ),
        (any_threads(), "they may be those of the server"),
        (HEADINGS.tokens.found(&all), "its rate may count tokens"),
        (
            all.contains("batch").then_some("batch"),
            "the rate may count the parts of a request",
        ),
    ];
    let (word, so) = reasons
        .into_iter()
        .find_map(|(word, so)| Some((word?, so)))?;
    Some(format!("the heading says '{word}', so that {so}"))
}

fn threads(text: &str) -> bool {
    HEADINGS.threads.fit(text) || HEADINGS.any_threads.fit(text)
}

/// Connections of the clients.
pub fn connections(text: &str) -> bool {
    HEADINGS.connections.fit(text)
}

/// Requests a second.
pub fn rate(text: &str) -> bool {
    HEADINGS.rate.fit(text)
}

/// The factor of a heading such as `k req/s` or `RPS (thousands)`.
pub fn thousands(text: &str) -> f64 {
    let mut words = text.split(|c: char| !c.is_alphanumeric() && !"×*".contains(c));
    words
        .find_map(|word| HEADINGS.factors.get(word))
        .copied()
        .unwrap_or(1.0)
}

/// Whether a text names a protocol that has many requests at a time on a connection.
pub fn multiplexed(text: &str) -> bool {
    HEADINGS.multiplexed.fit(&text.to_lowercase())
}

/// Where the first word that names a mean stands, and the first that names another statistic.
fn statistics(text: &str) -> (Option<usize>, Option<usize>) {
    let other = HEADINGS.statistic.position(text);
    let percentile = percentile(text).map(|(at, _)| at);
    (
        HEADINGS.mean.position(text),
        other.into_iter().chain(percentile).min(),
    )
}

/// Whether a column holds a mean: only if it says so, and nothing else where it stands alone.
pub fn mean(text: &str) -> bool {
    match statistics(text) {
        (Some(mean), Some(other)) => rate(text) && mean < other,
        (Some(_), None) => true,
        _ => false,
    }
}

/// Position and percentage of `p99`, `p99.9`, `99%`, `99th`.
fn percentile(text: &str) -> Option<(usize, f64)> {
    let bytes = text.as_bytes();
    (0..bytes.len()).find_map(|at| {
        if !bytes[at].is_ascii_digit()
            || at > 0 && (bytes[at - 1].is_ascii_digit() || bytes[at - 1] == b'.')
        {
            return None;
        }
        let len = text[at..]
            .bytes()
            .take_while(|b| b.is_ascii_digit() || *b == b'.')
            .count();
        let number = text[at..at + len].trim_end_matches('.');
        let after = &text[at + len..];
        let is_share = ["%", "th", " th"].iter().any(|s| after.starts_with(s));
        // `p999` is the 99.9th.
        let name = match at > 0 && bytes[at - 1] == b'p' {
            true => statistic(&format!("p{number}"))?,
            false if is_share => format!("q{number}"),
            false => return None,
        };
        let percent = quantity::quantile(&name)?;
        (percent < 100.0).then_some((at, percent))
    })
}

/// The share of 1 that a column's percentile stands for; 1 for a maximum.
pub fn quantile(text: &str) -> Option<f64> {
    if HEADINGS.mean.fit(text) {
        return None;
    }
    if let Some((_, percent)) = percentile(text) {
        return Some(percent / 100.0);
    }
    if HEADINGS.median.fit(text) {
        return Some(0.5);
    }
    let time = HEADINGS.latency.fit(text) || bare_unit(text) > 0.0;
    (time && HEADINGS.maximum.fit(text)).then_some(1.0)
}

/// Milliseconds in the unit that a heading names for its bare numbers; 0 if it names none.
pub fn bare_unit(cell: &str) -> f64 {
    let mut words = cell.split(|c: char| !c.is_alphabetic());
    words.find_map(unit).unwrap_or(0.0)
}

/// Milliseconds in the unit of a heading such as `p95 (s)`, `latency (seconds)` or `mean s`; 0 where it is not seconds.
pub fn seconds(cell: &str) -> f64 {
    // `max req/s` and `per second` are no times.
    if cell.contains('/') || cell.contains("per ") || bare_unit(cell) > 0.0 {
        return 0.0;
    }
    let last = cell
        .split(|c: char| !c.is_alphabetic())
        .rfind(|word| !word.is_empty());
    match last {
        Some(word) if HEADINGS.seconds.fit(word) => 1e3,
        _ => 0.0,
    }
}

/// Milliseconds in a unit.
pub fn unit(word: &str) -> Option<f64> {
    HEADINGS.units.get(word).copied()
}
