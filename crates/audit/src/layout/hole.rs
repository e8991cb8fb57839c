//! The types of holes in a line: how a figure is written, and how it is rounded.

use serde::Deserialize;

use crate::figure::{Figure, Range, Scan, unit_bytes, unit_ms};
use crate::quantity::{TEXTS, Unit, unit};

/// Where a figure goes, and how it is written: `name:type/rounding/rounding`.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub struct Hole {
    /// The quantity or the part of one; in documents `*` stands for the key, `statistic` for what the key names.
    pub name: String,
    /// How it is written.
    pub kind: Kind,
    roundings: Vec<Rounding>,
}

/// Names of holes that are no quantities: a row's name, parts of quantiles, statuses and errors, and cells.
const PARTS: [&str; 13] = [
    "_",
    "@row",
    "q",
    "share",
    "v",
    "status",
    "statuses",
    "lost",
    "columns",
    "cells",
    "rates",
    "pairs",
    "statistic",
];
/// Those of a bucket of a histogram, and of a row of a spectrum.
const ROWS: [(&str, &[&str]); 2] = [
    ("bucket", &["from", "to", "count"]),
    ("spectrum", &["value", "share", "count", "inverse"]),
];

impl TryFrom<String> for Hole {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let end = text.find([':', '/']).unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        let rest = rest.strip_prefix(':').unwrap_or(rest);
        // A slash within brackets is what a text ends with.
        let close = rest.find(')').map_or(0, |at| at + 1);
        let cut = rest[close..].find('/').map_or(rest.len(), |at| close + at);
        let roundings = rest[cut..].split('/').filter(|r| !r.is_empty());
        let of_row = name.split_once('.');
        let is_in = |(row, parts): &(&str, &[&str])| {
            of_row.is_some_and(|(of, part)| of == *row && parts.contains(&part))
        };
        let is_part = PARTS.contains(&name) || ROWS.iter().any(is_in);
        let is_part = is_part || TEXTS.contains(&name) || name.contains('*');
        if !is_part && unit(name).is_none() {
            return Err(format!("'{text}': there is no quantity '{name}'"));
        }
        Ok(Self {
            kind: Kind::parse(&rest[..cut])?,
            roundings: roundings.map(Rounding::parse).collect::<Result<_, _>>()?,
            name: name.to_owned(),
        })
    }
}

impl Hole {
    /// A figure of that type in the unit of a quantity, with its rounding.
    pub fn settle(&self, figure: Figure, name: &str) -> Figure {
        let figure = match unit(name) {
            Some(Unit::Seconds) => figure.scaled(1e-3),
            _ => figure,
        };
        let roundings = self.roundings.iter();
        roundings.fold(figure, |figure, rounding| rounding.apply(figure))
    }

    /// The figure of a quantity that a text begins with.
    pub fn figure(&self, name: &str, text: &str, line: usize) -> Option<Figure> {
        let figure = self.kind.figure(&mut Scan::new(text, line))?;
        Some(self.settle(figure, name))
    }

    /// Reads what comes next.
    pub fn read(&self, scan: &mut Scan<'_>) -> Option<Value> {
        let line = scan.line();
        let settled = |figure| self.settle(figure, "mean");
        Some(match &self.kind {
            Kind::Code => {
                let rest = scan.rest();
                let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
                let code = &rest[..rest.len() - after.len()];
                scan.skip(code.len());
                Value::Text(Some(code).filter(|code| !code.is_empty())?.to_owned())
            }
            Kind::Word => {
                let word = scan.rest().split_whitespace().next()?;
                scan.lit(word);
                Value::Text(word.to_owned())
            }
            Kind::Name => {
                let mut name: Option<&str> = None;
                loop {
                    let word = scan.rest().split_whitespace().next()?;
                    let is_number = word.bytes().all(|b| b.is_ascii_digit());
                    if let Some(name) = name.filter(|_| is_number) {
                        return Some(Value::Text(name.to_owned()));
                    }
                    scan.lit(word);
                    name = Some(word);
                }
            }
            Kind::To(until) => {
                let rest = scan.rest();
                let at = rest.find(until.as_str())?;
                scan.skip(at);
                Value::Text(rest[..at].trim_end_matches(['.', ' ']).to_owned())
            }
            Kind::Rest => Value::Text(scan.take_rest().trim_end().to_owned()),
            Kind::Columns(by) => {
                // The number of requests is one heading of two words.
                let rest = scan.take_rest().replace("# reqs", "requests");
                let cells = split(&rest, by).map(|cell| cell.trim().to_owned());
                Value::Columns(cells.take(CELLS).collect())
            }
            Kind::Cells(by, kind) => {
                let cells = split(scan.take_rest(), by).take(CELLS).map(|cell| {
                    let figure = kind.whole(cell, line).map(settled);
                    (cell.trim().to_owned(), figure)
                });
                Value::Cells(cells.collect())
            }
            Kind::Pairs(kind) => {
                let pairs = scan.take_rest().split_whitespace().filter_map(|word| {
                    let (name, value) = word.split_once('=')?;
                    Some((name.to_owned(), settled(kind.whole(value, line)?)))
                });
                let pairs: Vec<_> = pairs.take(CELLS).collect();
                Value::Pairs(Some(pairs).filter(|pairs| !pairs.is_empty())?)
            }
            kind => Value::Figure(self.settle(kind.figure(scan)?, &self.name)),
        })
    }
}

/// How a figure or a text is written.
#[derive(Debug, Clone)]
pub enum Kind {
    /// A figure, in the base of its type.
    Figure(fn(&mut Scan<'_>) -> Option<Figure>),
    /// A bare number in a unit: the factor to the unit of its quantity, and what is shown behind it.
    Scaled(f64, &'static str),
    /// Digits, as a name: `200`.
    Code,
    /// Letters up to a blank.
    Word,
    /// The last word before a whole number.
    Name,
    /// Anything up to a text.
    To(String),
    /// The rest of the line.
    Rest,
    /// `avg=1ms p(90)=2ms`.
    Pairs(Box<Kind>),
    /// Headings of the cells of lines below.
    Columns(String),
    /// Cells below such headings.
    Cells(String, Box<Kind>),
}

/// What a hole holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A figure.
    Figure(Figure),
    /// A text.
    Text(String),
    /// Headings.
    Columns(Vec<String>),
    /// Cells, with `None` for what is no figure.
    Cells(Vec<(String, Option<Figure>)>),
    /// Figures by name.
    Pairs(Vec<(String, Figure)>),
}

impl Kind {
    /// Reads a type, such as `ms` or `to(:)`.
    fn parse(text: &str) -> Result<Self, String> {
        let inner = |prefix: &str| {
            let (inside, rest) = text.strip_prefix(prefix)?.split_once(')')?;
            Some((inside.to_owned(), rest))
        };
        if let Some((until, "")) = inner("to(") {
            return Ok(Self::To(until));
        }
        if let Some((by, "")) = inner("columns(") {
            return Ok(Self::Columns(by));
        }
        if let Some((by, kind)) = inner("cells(") {
            return Ok(Self::Cells(by, Box::new(Self::parse(kind)?)));
        }
        if let Some((of, "")) = inner("pairs(") {
            return Ok(Self::Pairs(Box::new(Self::parse(&of)?)));
        }
        Ok(match text {
            // `12`, `1,989`, `0.475`.
            "" | "n" => Self::Figure(|scan| scan.finite()),
            // The same, or `nan`.
            "nan" => Self::Figure(|scan| scan.number()),
            "s" => Self::Scaled(1000.0, " s"),
            "ms" => Self::Scaled(1.0, " ms"),
            "us" => Self::Scaled(1e-3, " us"),
            "ns" => Self::Scaled(1e-6, " ns"),
            "bare" => Self::Scaled(1.0, ""),
            "kib" => Self::Scaled(1024.0, " KB"),
            "mib" => Self::Scaled(1_048_576.0, " MB"),
            // `6.57ms`, `0.0003 secs`, in milliseconds.
            "time" => Self::Figure(|scan| scan.time()),
            // `1m2.003s` as Go prints it, in milliseconds.
            "go" => Self::Figure(|scan| scan.go_duration()),
            "k6" => Self::Figure(k6),
            // `29.11k`, `1.2M`: thousands.
            "si" => Self::Figure(|scan| {
                let figure = scan.number()?;
                let unit = scan.letters();
                Some(figure.in_unit(unit, thousands(unit)?))
            }),
            "thousands" => Self::Figure(rounded),
            // `23.33MB`: steps of 1024.
            "bytes" => Self::Figure(|scan| {
                let figure = scan.number()?;
                scan.rest();
                let unit = scan.letters();
                let by = unit_bytes(unit).or_else(|| unit_bytes(&unit.replace("iB", "B")))?;
                Some(figure.in_unit(unit, by))
            }),
            "decimal" => Self::Figure(decimal),
            // `99.5%`.
            "%" => Self::Figure(|scan| {
                let figure = scan.number()?;
                scan.lit("%").then(|| figure.in_unit("%", 1.0))
            }),
            // `99.5%`, or the share of 1 without a sign.
            "%?" => Self::Figure(|scan| {
                let figure = scan.number()?;
                Some(match scan.lit("%") {
                    true => figure.in_unit("%", 1.0),
                    false => figure.scaled(100.0),
                })
            }),
            // `0.995`.
            "share" => Self::Figure(|scan| Some(scan.number()?.scaled(100.0))),
            // `00:00:30` or `30.1s`, in milliseconds.
            "clock" => Self::Figure(|scan| Some(scan.clock()?.scaled(1000.0))),
            "code" => Self::Code,
            "word" => Self::Word,
            "name" => Self::Name,
            "text" => Self::Rest,
            _ => return Err(format!("there is no type '{text}'")),
        })
    }

    /// Whether it begins with a digit, a sign, or `nan`.
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Figure(_) | Self::Scaled(..) | Self::Code)
    }

    /// Reads a figure, in the base of its type.
    fn figure(&self, scan: &mut Scan<'_>) -> Option<Figure> {
        match self {
            Self::Figure(read) => read(scan),
            Self::Scaled(factor, shown) => Some(scan.number()?.in_unit(shown, *factor)),
            _ => None,
        }
    }

    /// A figure that is all of a text.
    fn whole(&self, text: &str, line: usize) -> Option<Figure> {
        let mut scan = Scan::new(text, line);
        let figure = self.figure(&mut scan);
        figure.filter(|_| scan.rest().is_empty())
    }
}

/// Cells of a line that are read.
const CELLS: usize = 200;

fn split<'a>(text: &'a str, by: &str) -> Box<dyn Iterator<Item = &'a str> + 'a> {
    match by.chars().next().filter(|by| !by.is_whitespace()) {
        Some(by) => Box::new(text.trim_matches(by).split(by)),
        None => Box::new(text.split_whitespace()),
    }
}

fn thousands(unit: &str) -> Option<f64> {
    Some(match unit {
        "" => 1.0,
        "k" | "K" => 1e3,
        "M" => 1e6,
        "G" | "B" => 1e9,
        _ => return None,
    })
}

/// `145k`, rounded to whole thousands.
fn rounded(scan: &mut Scan<'_>) -> Option<Figure> {
    let figure = scan.finite()?;
    let mut next = scan.clone();
    let unit = next.letters();
    Some(match thousands(unit) {
        Some(by) if by > 1.0 => {
            *scan = next;
            figure.no_finer(0.5).in_unit(unit, by)
        }
        _ => figure,
    })
}

/// `1.2 MB`, `3 kB`: steps of 1000, as k6 prints them. Whole numbers were rounded to a tenth before: 14.45 becomes 14.5, and then 15.
fn decimal(scan: &mut Scan<'_>) -> Option<Figure> {
    let figure = scan.finite()?;
    scan.rest();
    let unit = scan.letters();
    let power = ["B", "kB", "MB", "GB", "TB"];
    let power = power.iter().position(|known| *known == unit)?;
    let is_whole = figure.range.is_some_and(|r| r.lo == r.hi);
    let figure = figure.no_finer(if is_whole { 0.55 } else { 0.0 });
    Some(figure.in_unit(unit, 1000f64.powi(power as i32)))
}

/// `1m2.003s` as k6 prints it, in milliseconds: two decimals, zeros cut off; from a minute on whole seconds at times.
fn k6(scan: &mut Scan<'_>) -> Option<Figure> {
    let figure = scan.go_duration()?;
    let text = figure.text.as_bytes();
    let minutes = text
        .windows(2)
        .any(|pair| pair[0] == b'm' && pair[1].is_ascii_digit());
    let unit = (figure.text).trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let half = match minutes || text.contains(&b'h') {
        true => 1000.0,
        false => 0.01 * unit_ms(unit).unwrap_or(1000.0),
    };
    Some(figure.no_finer(half))
}

/// How a figure is rounded.
#[derive(Debug, Clone, Copy)]
enum Rounding {
    /// A whole number was rounded to the unit.
    Unit,
    /// A whole number was cut off.
    Cut,
    /// So many significant digits, zeros cut off.
    Significant(i32),
    /// Known to no better than so much either way.
    NoFiner(f64),
    /// Known to no better than this share of its size.
    Share(f64),
    /// Never below zero.
    Positive,
    /// To two digits, and to whole ones below 100, before it was looked up.
    TwoDigits,
}

impl Rounding {
    /// Reads `round`, `cut`, `5g`, `0.05`, `2%` or `+`.
    fn parse(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.parse::<f64>().ok().filter(|n| n.is_finite());
        let found = match text {
            "round" => Some(Self::Unit),
            "cut" => Some(Self::Cut),
            "+" => Some(Self::Positive),
            "two-digits" => Some(Self::TwoDigits),
            _ => match (text.strip_suffix('g'), text.strip_suffix('%')) {
                (Some(digits), _) => digits.parse().ok().map(Self::Significant),
                (_, Some(percent)) => number(percent).map(|p| Self::Share(p / 100.0)),
                _ => number(text).map(Self::NoFiner),
            },
        };
        found.ok_or_else(|| format!("there is no rounding '{text}'"))
    }

    fn apply(self, figure: Figure) -> Figure {
        let size = figure.range.map_or(0.0, |r| r.mid().abs());
        match self {
            Self::Unit => figure.rounded(),
            Self::Cut => figure.truncated(),
            Self::Significant(digits) => figure.significant(digits),
            Self::NoFiner(half) => figure.no_finer(half),
            Self::Share(share) => figure.no_finer(share * size),
            Self::TwoDigits => figure.no_finer((0.05 * size).max(0.5) + 0.5),
            Self::Positive => Figure {
                range: figure
                    .range
                    .map(|r| Range::new(r.lo.max(0.0), r.hi.max(0.0))),
                ..figure
            },
        }
    }
}
