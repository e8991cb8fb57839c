//! The rows of a table.

use super::amount::{amount, latency, time};
use super::heading::{Column, columns, multiplexed, not_judged};
use crate::csv::Splitter;
use crate::figure::{Figure, Scan};

/// One pair of rate and mean with its number of connections. The mean is in milliseconds.
#[derive(Debug)]
pub struct Point {
    pub connections: Figure,
    pub rate: Figure,
    pub mean: Figure,
    /// Requests that a connection may have under way.
    pub depth: f64,
    /// The row names a protocol with many requests at a time on a connection.
    pub multiplexed: bool,
    /// The cell speaks of timeouts.
    pub timeouts: bool,
    /// The cell has a `nan`.
    pub nan: Option<Figure>,
}

/// What a row with columns of their own says besides. Times in milliseconds.
#[derive(Debug)]
pub struct Row {
    pub rate: Figure,
    pub mean: Option<Figure>,
    /// Share of 1, and value; 1 is the maximum.
    pub quantiles: Vec<(f64, Figure)>,
}

/// The points and rows of one table.
#[derive(Debug)]
pub struct Table {
    pub first: usize,
    pub last: usize,
    pub points: Vec<Point>,
    pub rows: Vec<Row>,
    /// Why the heading does not let the law be judged.
    pub not_judged: Option<String>,
    columns: Vec<Column>,
    separator: Separator,
}

/// What stands between cells.
#[derive(Debug)]
pub enum Separator {
    /// Markdown.
    Bars,
    /// CSV.
    Character(char, Splitter),
}

/// Rows kept of one table.
const ROWS: usize = 100_000;

impl Separator {
    /// What parts cells by a character; `None` if it is no ASCII character.
    pub fn of(by: char) -> Option<Self> {
        Some(match by {
            '|' => Self::Bars,
            by => Self::Character(by, Splitter::new(by)?),
        })
    }

    /// The cells of a row.
    pub fn cells(&mut self, row: &str) -> Vec<String> {
        match self {
            Self::Bars => {
                let row = row.trim();
                let row = row.strip_prefix('|').unwrap_or(row);
                let row = row.strip_suffix('|').unwrap_or(row);
                row.split('|').map(|c| c.trim().to_owned()).collect()
            }
            Self::Character(_, splitter) => {
                let cells = splitter.cells(row).unwrap_or_default();
                cells.into_iter().map(|c| c.trim().to_owned()).collect()
            }
        }
    }
}

/// Whether a line only parts a heading from rows: `|---|---|`, `+----+----+`. What is drawn with other lines is a tool's report.
pub fn is_rule(text: &str) -> bool {
    text.contains(['|', '+'])
        && ["--", "=="].iter().any(|line| text.contains(line))
        && text.bytes().all(|b| b"|+-=: ".contains(&b))
}

impl Table {
    /// A table with that heading, if it names connections, a rate and a latency.
    pub fn new(heading: &str, mut separator: Separator, line: usize) -> Option<Self> {
        let cells = separator.cells(heading);
        let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
        Some(Self {
            first: line,
            last: line,
            points: Vec::new(),
            rows: Vec::new(),
            not_judged: not_judged(&cells),
            columns: columns(&cells, line)?,
            separator,
        })
    }

    /// Whether a line may be a row.
    pub fn takes(&self, text: &str) -> bool {
        match &self.separator {
            Separator::Bars => text.contains('|') || is_rule(text),
            Separator::Character(c, _) => text.matches(*c).count() + 1 >= self.columns.len(),
        }
    }

    /// Reads one row.
    pub fn row(&mut self, text: &str, line: usize) {
        self.last = line;
        if self.rows.len() + self.points.len() >= ROWS {
            return;
        }
        // Where cells are parted by semicolons, commas are most often decimal ones.
        let decimal_comma = matches!(self.separator, Separator::Character(';', _));
        let cells = self.separator.cells(text);
        let number = |cell: &str| amount(cell, line, decimal_comma);
        let columns = || self.columns.iter().zip(cells.iter().map(String::as_str));
        let first = |is_it: fn(&Column) -> bool| {
            let mut cells = columns().filter(|(column, _)| is_it(column));
            cells.find_map(|(_, cell)| number(cell))
        };
        let stated = first(|column| matches!(column, Column::Connections));
        let depth = first(|column| matches!(column, Column::Depth));
        let depth = depth
            .and_then(|figure| figure.range)
            .map_or(1.0, |d| d.lo.max(1.0));
        let mut quantiles = Vec::new();
        let (mut rate, mut mean): (Option<Figure>, Option<Figure>) = (None, None);
        // Two rates before a mean: whose it is cannot be told.
        let (mut rates, mut several) = (0, false);
        for (column, cell) in columns() {
            let (connections, pair) = match column {
                Column::Level(level, bare) => (Some(level.clone()), both_of(cell, line, *bare)),
                Column::Pair(bare) => {
                    let both = both_of(cell, line, *bare);
                    if both.is_none() {
                        // A mean rate, such as `avg req/s`.
                        (rate, rates) = (number(cell).map(Figure::rounded), rates + 1);
                    }
                    (stated.clone(), both)
                }
                Column::Rate(times) => {
                    rate = number(cell).map(|rate| rate.rounded().scaled(*times));
                    rates += 1;
                    several |= rates > 1;
                    continue;
                }
                Column::Mean(bare) => {
                    mean = time(cell, line, *bare, decimal_comma);
                    let known = (!several).then(|| rate.clone().zip(mean.clone()));
                    rates = 0;
                    (stated.clone(), known.flatten())
                }
                Column::Quantile(q, bare) => {
                    let value = time(cell, line, *bare, decimal_comma);
                    quantiles.extend(value.filter(given).map(|v| (*q, v)));
                    continue;
                }
                Column::Connections | Column::Depth | Column::Other => continue,
            };
            let pair = pair.filter(|(rate, mean)| given(rate) && given(mean));
            if let (Some(connections), Some((rate, mean))) = (connections.filter(given), pair) {
                let lower = cell.to_lowercase();
                let words = ["timeout", "timed out", "超时"];
                let nan = lower.find("-nan").map(|at| &lower[at..]);
                self.points.push(Point {
                    connections,
                    rate,
                    mean,
                    depth,
                    multiplexed: depth <= 1.0 && cells.iter().any(|cell| multiplexed(cell)),
                    timeouts: words.iter().any(|word| lower.contains(word)),
                    nan: nan.and_then(|nan| Scan::new(nan, line).number()),
                });
            }
        }
        if let (Some(rate), Some(_)) = (rate, stated) {
            self.rows.push(Row {
                rate,
                mean,
                quantiles,
            });
        }
    }
}

/// Whether a figure is one: what is below zero stands for 'not given'.
fn given(figure: &Figure) -> bool {
    figure.range.is_none_or(|range| range.hi >= 0.0)
}

/// `1,989; 665.93 ms (54,494 timeouts)` or `505.43 (15.83, 454.05)`.
fn both_of(cell: &str, line: usize, bare: f64) -> Option<(Figure, Figure)> {
    let mut scan = Scan::new(cell, line);
    let rate = scan.finite()?.rounded();
    let separated = [";", ",", "(", "/"].iter().any(|s| scan.lit(s));
    let mean = separated.then(|| latency(&mut scan, bare))??;
    Some((rate, mean))
}
