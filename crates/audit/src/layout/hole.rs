//! The types of holes in a line: how a figure is written, and how it is rounded.

use crate::figure::{Figure, Range, Scan, unit_bytes, unit_ms};
use crate::quantity::{Unit, unit};

/// How a figure or a text is written.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// `12`, `1,989`, `0.475`.
    Number,
    /// The same, or `nan`.
    MayBeNan,
    /// A bare number in a unit: the factor to the unit of its quantity, and what is shown behind it.
    Scaled(f64, &'static str),
    /// `6.57ms`, `0.0003 secs`, in milliseconds.
    Time,
    /// `1m2.003s` as Go prints it, in milliseconds.
    Go,
    /// The same as k6 prints it, with two decimals.
    K6,
    /// `29.11k`, `1.2M`: thousands.
    Thousands,
    /// `145k`, rounded to whole thousands.
    Rounded,
    /// `23.33MB`: steps of 1024.
    Binary,
    /// `1.2 MB`, `3 kB`: steps of 1000, as k6 prints them.
    Decimal,
    /// `99.5%`.
    Percent,
    /// `99.5%`, or the share of 1 without a sign.
    PercentOrShare,
    /// `0.995`.
    Share,
    /// `00:00:30` or `30.1s`, in milliseconds.
    Clock,
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

/// How a figure is rounded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rounding {
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
    pub fn parse(text: &str) -> Result<Self, String> {
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
            "" | "n" => Self::Number,
            "nan" => Self::MayBeNan,
            "s" => Self::Scaled(1000.0, " s"),
            "ms" => Self::Scaled(1.0, " ms"),
            "us" => Self::Scaled(1e-3, " us"),
            "ns" => Self::Scaled(1e-6, " ns"),
            "bare" => Self::Scaled(1.0, ""),
            "kib" => Self::Scaled(1024.0, " KB"),
            "mib" => Self::Scaled(1_048_576.0, " MB"),
            "time" => Self::Time,
            "go" => Self::Go,
            "k6" => Self::K6,
            "si" => Self::Thousands,
            "thousands" => Self::Rounded,
            "bytes" => Self::Binary,
            "decimal" => Self::Decimal,
            "%" => Self::Percent,
            "%?" => Self::PercentOrShare,
            "share" => Self::Share,
            "clock" => Self::Clock,
            "code" => Self::Code,
            "word" => Self::Word,
            "name" => Self::Name,
            "text" => Self::Rest,
            _ => return Err(format!("there is no type '{text}'")),
        })
    }

    /// Whether it begins with a digit.
    pub fn is_number(&self) -> bool {
        !matches!(
            self,
            Self::Word
                | Self::Name
                | Self::To(_)
                | Self::Rest
                | Self::Pairs(_)
                | Self::Columns(_)
                | Self::Cells(..)
                | Self::MayBeNan
        )
    }

    /// Reads what comes next.
    pub fn read(&self, scan: &mut Scan<'_>) -> Option<Value> {
        match self {
            Self::Code => {
                let rest = scan.rest();
                let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
                let code = &rest[..rest.len() - after.len()];
                scan.skip(code.len());
                (!code.is_empty()).then(|| Value::Text(code.to_owned()))
            }
            Self::Word => {
                let rest = scan.rest();
                let word = rest.split_whitespace().next()?;
                scan.lit(word);
                Some(Value::Text(word.to_owned()))
            }
            Self::Name => {
                let mut name = None;
                loop {
                    let word = scan.rest().split_whitespace().next()?;
                    if name.is_some() && word.bytes().all(|b| b.is_ascii_digit()) {
                        return name.map(Value::Text);
                    }
                    scan.lit(word);
                    name = Some(word.to_owned());
                }
            }
            Self::To(until) => {
                let rest = scan.rest();
                let at = rest.find(until.as_str())?;
                let text = rest[..at].trim_end_matches(['.', ' ']);
                scan.skip(at);
                Some(Value::Text(text.to_owned()))
            }
            Self::Rest => {
                let rest = scan.rest();
                let text = rest.trim_end();
                scan.skip(rest.len());
                Some(Value::Text(text.to_owned()))
            }
            Self::Columns(by) => {
                let rest = scan.take_rest();
                // The number of requests is one heading of two words.
                let rest = rest.replace("# reqs", "requests");
                let cells = split(&rest, by).map(|cell| cell.trim().to_owned());
                Some(Value::Columns(cells.take(CELLS).collect()))
            }
            Self::Cells(by, kind) => {
                let line = scan.line();
                let rest = scan.take_rest();
                let cells = split(rest, by).take(CELLS).map(|cell| {
                    let mut scan = Scan::new(cell, line);
                    let figure = kind.figure(&mut scan);
                    let whole = figure.filter(|_| scan.rest().is_empty());
                    (cell.trim().to_owned(), whole)
                });
                Some(Value::Cells(cells.collect()))
            }
            Self::Pairs(kind) => {
                let line = scan.line();
                let rest = scan.take_rest();
                let pairs = rest.split_whitespace().filter_map(|word| {
                    let (name, value) = word.split_once('=')?;
                    let mut scan = Scan::new(value, line);
                    let figure = kind.figure(&mut scan)?;
                    scan.rest().is_empty().then(|| (name.to_owned(), figure))
                });
                let pairs: Vec<_> = pairs.take(CELLS).collect();
                (!pairs.is_empty()).then_some(Value::Pairs(pairs))
            }
            _ => self.figure(scan).map(Value::Figure),
        }
    }

    /// Reads a figure, in the base of its type.
    pub fn figure(&self, scan: &mut Scan<'_>) -> Option<Figure> {
        Some(match self {
            Self::Number => scan.finite()?,
            Self::MayBeNan => scan.number()?,
            Self::Scaled(factor, shown) => scan.number()?.in_unit(shown, *factor),
            Self::Time => scan.time()?,
            Self::Go => scan.go_duration()?,
            Self::K6 => {
                let text = scan.rest();
                let figure = scan.go_duration()?;
                let text = &text[..text.len() - scan.rest().len()];
                k6(figure, text)
            }
            Self::Thousands => {
                let figure = scan.number()?;
                let unit = scan.letters();
                figure.in_unit(unit, thousands(unit)?)
            }
            Self::Rounded => {
                let figure = scan.finite()?;
                let mut next = scan.clone();
                let unit = next.letters();
                match thousands(unit) {
                    Some(by) if by > 1.0 => {
                        *scan = next;
                        figure.no_finer(0.5).in_unit(unit, by)
                    }
                    _ => figure,
                }
            }
            Self::Binary => {
                let figure = scan.number()?;
                scan.rest();
                let unit = scan.letters();
                let by = unit_bytes(unit).or_else(|| unit_bytes(&unit.replace("iB", "B")))?;
                figure.in_unit(unit, by)
            }
            Self::Decimal => {
                let figure = scan.finite()?;
                scan.rest();
                let unit = scan.letters();
                let by = match unit {
                    "B" => 1.0,
                    "kB" => 1e3,
                    "MB" => 1e6,
                    "GB" => 1e9,
                    "TB" => 1e12,
                    _ => return None,
                };
                // Whole numbers were rounded to a tenth before: 14.45 becomes 14.5, and then 15.
                let is_whole = figure.range.is_some_and(|r| r.lo == r.hi);
                figure
                    .no_finer(if is_whole { 0.55 } else { 0.0 })
                    .in_unit(unit, by)
            }
            Self::Percent => {
                let figure = scan.number()?;
                scan.lit("%").then(|| figure.in_unit("%", 1.0))?
            }
            Self::PercentOrShare => {
                let figure = scan.number()?;
                match scan.lit("%") {
                    true => figure.in_unit("%", 1.0),
                    false => figure.scaled(100.0),
                }
            }
            Self::Share => scan.number()?.scaled(100.0),
            Self::Clock => scan.clock()?.scaled(1000.0),
            _ => return None,
        })
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

/// Two decimals, zeros cut off; from a minute on whole seconds at times.
fn k6(figure: Figure, text: &str) -> Figure {
    let pairs = text.bytes().zip(text.bytes().skip(1));
    let minutes = pairs
        .into_iter()
        .any(|(a, b)| a == b'm' && b.is_ascii_digit());
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let half = if minutes || text.contains('h') {
        1000.0
    } else {
        0.01 * unit_ms(unit.trim()).unwrap_or(1000.0)
    };
    figure.no_finer(half)
}

impl Rounding {
    /// Reads `round`, `cut`, `5g`, `0.05`, `2%` or `+`.
    pub fn parse(text: &str) -> Result<Self, String> {
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

/// A figure of a type in the unit of its quantity, with its rounding.
pub fn settle(figure: Figure, name: &str, roundings: &[Rounding]) -> Figure {
    let figure = match (unit(name), &figure) {
        (Some(Unit::Seconds), _) => figure.scaled(1e-3),
        _ => figure,
    };
    roundings.iter().fold(figure, |figure, r| r.apply(figure))
}
