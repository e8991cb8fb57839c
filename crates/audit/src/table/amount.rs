//! Numbers as people write them into tables: `12,345`, `12 345`, `12'345`, `120k`, `1.2 M`, `12 万`.
//!
//! What could be read in two ways is not read at all: in `1.234,56` the comma is a decimal one, and `12,345` between semicolons may
//! be either.

use super::heading::{HEADINGS, unit};
use crate::figure::{Figure, Scan, unit_ms};

/// The number that a cell begins with; `decimal_comma`: commas may be decimal ones here.
pub fn amount(cell: &str, line: usize, decimal_comma: bool) -> Option<Figure> {
    let plain = plain(cell);
    let mut scan = Scan::new(&plain, line);
    let figure = scan.finite()?;
    if decimal_comma && figure.text.contains(',') {
        return None;
    }
    let rest = scan.rest();
    // A part of a number is none: `1.234.567`, `1.234,56`, `1234,5`.
    let mut next = rest.chars();
    if matches!(next.next(), Some('.' | ',')) && next.next().is_some_and(|c| c.is_ascii_digit()) {
        return None;
    }
    let unit = scan.word();
    if HEADINGS.byte_units.fit(&unit.to_lowercase()) {
        return None;
    }
    let times = match unit {
        "k" | "K" | "千" => 1e3,
        "M" | "m" | "mio" | "Mio" => 1e6,
        "万" => 1e4,
        _ => 1.0,
    };
    Some(match times > 1.0 {
        true => figure.rounded().in_unit(unit, times),
        false => figure,
    })
}

/// A latency in milliseconds, with its own unit or that of the heading, in which `bare` milliseconds are one.
pub fn time(cell: &str, line: usize, bare: f64, decimal_comma: bool) -> Option<Figure> {
    // What cannot be read as a number for certain is no time either.
    amount(cell, line, decimal_comma)?;
    latency(&mut Scan::new(&plain(cell), line), bare)
}

/// A latency that comes next.
pub fn latency(scan: &mut Scan<'_>, bare: f64) -> Option<Figure> {
    let figure = scan.finite()?.rounded();
    scan.rest();
    let word = scan.word();
    if word.is_empty() {
        return (bare > 0.0).then(|| figure.in_unit("", bare));
    }
    let by = unit_ms(word).or_else(|| unit(word))?;
    Some(figure.in_unit(&format!(" {word}"), by))
}

/// A cell without emphasis and marks of approximation, and without what parts thousands other than commas.
pub fn plain(cell: &str) -> String {
    const MARKS: [char; 6] = ['*', '`', '~', '≈', '≥', '='];
    const PARTS: [char; 6] = [' ', '\u{a0}', '\u{202f}', '\'', '’', '_'];
    let cell =
        cell.trim_start_matches(|c: char| MARKS.contains(&c) || c == '_' || c.is_whitespace());
    let chars: Vec<char> = cell.chars().collect();
    let digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
    let mut plain = String::with_capacity(cell.len());
    // Only the number that the cell begins with.
    let mut within = true;
    for (at, &c) in chars.iter().enumerate() {
        let parts = within
            && PARTS.contains(&c)
            && at > 0
            && digit(at - 1)
            && (1..=3).all(|by| digit(at + by))
            && !digit(at + 4);
        within = within && (c.is_ascii_digit() || parts);
        if !parts {
            plain.push(c);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_are_meant_or_not_at_all() {
        let read = |cell: &str, comma| {
            let range = amount(cell, 1, comma).and_then(|figure| figure.range);
            range.map(|range| range.mid())
        };
        for (cell, value) in [
            ("12,345", 12_345.0),
            ("12 345", 12_345.0),
            ("1 234 567 req/s", 1_234_567.0),
            ("12'345", 12_345.0),
            ("12_345", 12_345.0),
            ("12\u{202f}345", 12_345.0),
            ("**1,989**", 1_989.0),
            ("~120k", 120_000.0),
            ("1.25M", 1_250_000.0),
            ("12.5万", 125_000.0),
            ("1453 req/s", 1_453.0),
            ("8 100000", 8.0),
            ("100 ms", 100.0),
        ] {
            let got = read(cell, false).unwrap_or_default();
            assert!((got - value).abs() < 0.5, "{cell}: {got}");
        }
        for cell in [
            "1.234,56",
            "1.234.567",
            "1234,5",
            "7.5 MB/s",
            "1.2GiB",
            "n/a",
            "-",
            "",
        ] {
            assert_eq!(read(cell, false), None, "{cell}");
        }
        assert_eq!(read("12,345", true), None);
        assert_eq!(read("12345", true), Some(12_345.0));
    }
}
