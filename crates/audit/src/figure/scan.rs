//! Reads words and numbers from the front of a line.

use super::{Figure, Range, unit_ms};

/// Milliseconds.
const MINUTE: f64 = 60_000.0;

/// Reads words and numbers from the front of a line.
#[derive(Debug, Clone)]
pub struct Scan<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Scan<'a> {
    /// Starts at the front of `text`, which is line `line`.
    pub fn new(text: &'a str, line: usize) -> Self {
        Self { rest: text, line }
    }

    /// What has not been read yet, without leading blanks.
    pub fn rest(&mut self) -> &'a str {
        self.rest = self.rest.trim_start();
        self.rest
    }

    /// The number of the line.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Moves on by so many bytes, which end between characters.
    pub fn skip(&mut self, bytes: usize) {
        self.rest = &self.rest[bytes..];
    }

    /// What has not been read yet; nothing is left.
    pub fn take_rest(&mut self) -> &'a str {
        let rest = self.rest();
        self.rest = "";
        rest
    }

    /// Reads `literal` if it comes next; blanks before it do not matter.
    pub fn lit(&mut self, literal: &str) -> bool {
        match self.rest().strip_prefix(literal) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Moves behind the next `literal`, wherever it is in the line.
    pub fn find(&mut self, literal: &str) -> bool {
        match self.rest.find(literal) {
            Some(at) => {
                self.rest = &self.rest[at + literal.len()..];
                true
            }
            None => false,
        }
    }

    /// The letters of any script that come next (a unit).
    pub fn word(&self) -> &'a str {
        let end = self.rest.find(|c: char| !c.is_alphabetic());
        &self.rest[..end.unwrap_or(self.rest.len())]
    }

    /// Reads the letters that come next (a unit).
    pub fn letters(&mut self) -> &'a str {
        let end = self
            .rest
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    /// Reads a number: `12`, `1,989`, `0.475`, `-nan`. A whole number counts as exact.
    pub fn number(&mut self) -> Option<Figure> {
        let text = self.rest();
        let (end, range) = lex(text)?;
        self.rest = &text[end..];
        Some(Figure {
            text: text[..end].to_owned(),
            line: self.line,
            range,
        })
    }

    /// Reads a duration as Go prints it (`1m2.003s`, `88.95µs`), in milliseconds. Go cuts trailing zeros off; tools round to a
    /// thousandth of the largest unit at the most, so that it is known to no better than half of that. Vegeta rounds to the next
    /// smaller unit: minutes to whole seconds, hours to whole minutes.
    pub fn go_duration(&mut self) -> Option<Figure> {
        let start = self.rest();
        let (mut lo, mut hi, mut largest) = (0.0, 0.0, 0.0);
        loop {
            let mut next = self.clone();
            let goes_on = largest <= 0.0 || next.rest.starts_with(|c: char| c.is_ascii_digit());
            let Some(part) = next.finite().filter(|_| goes_on) else {
                break;
            };
            let unit = next.word();
            let Some(ms) = unit_ms(unit) else { break };
            next.skip(unit.len());
            let r = part.range?.scaled(ms);
            (lo, hi) = (lo + r.lo, hi + r.hi);
            largest = if largest > 0.0 { largest } else { ms };
            *self = next;
        }
        if largest <= 0.0 {
            return None;
        }
        let text = start[..start.len() - self.rest.len()].to_owned();
        let figure = Figure {
            text,
            line: self.line,
            range: Some(Range::new(lo, hi)),
        };
        let steps = match largest >= MINUTE && !figure.text.contains('.') {
            true => 60.0,
            false => 1000.0,
        };
        Some(figure.no_finer(largest / (2.0 * steps)))
    }

    /// Reads a number and a unit of time, in milliseconds: `0.0003 secs`, `6.57ms`, `NaN ns`. A number that is none may do without.
    pub fn time(&mut self) -> Option<Figure> {
        let figure = self.number()?;
        self.rest();
        let unit = self.word();
        let ms = match unit_ms(unit) {
            Some(ms) => ms,
            None if figure.range.is_none() => return Some(figure),
            None => return None,
        };
        self.skip(unit.len());
        Some(figure.in_unit(unit, ms))
    }

    /// Reads `00:00:30` (rounded to whole seconds) or the older `30.1s`, in seconds.
    pub fn clock(&mut self) -> Option<Figure> {
        let first = self.finite()?;
        if !self.lit(":") {
            let unit = self.letters();
            return (unit == "s").then(|| first.in_unit("s", 1.0).rounded());
        }
        let minutes = self.finite()?;
        if !self.lit(":") {
            return None;
        }
        let seconds = self.finite()?;
        let whole = first.range?.lo * 3600.0 + minutes.range?.lo * 60.0 + seconds.range?.lo;
        Some(Figure {
            text: format!("{whole}"),
            line: first.line,
            range: Some(Range::new((whole - 0.5).max(0.0), whole + 0.5)),
        })
    }

    /// Reads a number that must not be NaN.
    pub fn finite(&mut self) -> Option<Figure> {
        self.number().filter(|f| f.range.is_some())
    }
}

/// Length and interval of the number at the front of `text`.
fn lex(text: &str) -> Option<(usize, Option<Range>)> {
    let sign = text.starts_with(['-', '+']) as usize;
    let body = &text[sign..];
    let lower = body
        .get(..3)
        .map(str::to_ascii_lowercase)
        .unwrap_or_default();
    if lower == "nan" || lower == "inf" {
        return Some((sign + 3, None));
    }
    let bytes = body.as_bytes();
    let run = |from: usize| {
        bytes[from..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count()
    };
    let mut end = run(0);
    if end == 0 {
        return None;
    }
    // Of `0,104` the comma is no separator of thousands: it is a decimal one, or parts two numbers. It is not read.
    if bytes[..end] == *b"0" && bytes.get(end) == Some(&b',') && run(end + 1) > 0 {
        return None;
    }
    // Thousands separators only where exactly three digits follow each, so that `1, 2` stays two numbers.
    while end <= 15 && bytes.get(end) == Some(&b',') && run(end + 1) == 3 {
        end += 4;
    }
    let mut places = 0;
    if bytes.get(end) == Some(&b'.') {
        places = run(end + 1);
        end += if places > 0 { 1 + places } else { 0 };
    }
    let exponent = exponent(&body[end..]);
    let power = exponent.map_or(0, |(_, power)| power);
    let digits = end;
    end += exponent.map_or(0, |(len, _)| len);
    let value: f64 = body[..digits].replace(',', "").parse().ok()?;
    let value = if text.starts_with('-') { -value } else { value };
    let half = if places == 0 && power <= 0 {
        0.0
    } else {
        0.5 * 10f64.powi(-(places.min(300) as i32))
    };
    let scale = 10f64.powi(power);
    let (lo, hi) = ((value - half) * scale, (value + half) * scale);
    (lo.is_finite() && hi.is_finite()).then(|| (sign + end, Some(Range::new(lo, hi))))
}

/// Length and power of the `e-05` at the front of `text`.
fn exponent(text: &str) -> Option<(usize, i32)> {
    let body = text.strip_prefix(['e', 'E'])?;
    let sign = body.starts_with(['-', '+']) as usize;
    let digits = body[sign..].bytes().take_while(u8::is_ascii_digit).count();
    let power: i32 = body.get(..sign + digits)?.parse().ok()?;
    (digits > 0 && power.abs() <= 300).then_some((1 + sign + digits, power))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{digits, time};

    fn range(text: &str) -> Range {
        Scan::new(text, 1)
            .number()
            .and_then(|f| f.range)
            .expect("a number")
    }

    #[test]
    fn printed_digits_become_an_interval() {
        let r = range("0.475");
        assert!((r.lo - 0.4745).abs() < 1e-12 && (r.hi - 0.4755).abs() < 1e-12);
        assert_eq!(range("1,989"), Range::exact(1989.0));
        assert_eq!(range("410,000|"), Range::exact(410_000.0));
        assert_eq!(range("1,2"), Range::exact(1.0));
        assert_eq!(Scan::new("-nan%", 1).number().map(|f| f.range), Some(None));
        assert!(Scan::new("abc", 1).number().is_none());
        assert!(Scan::new("0,104", 1).number().is_none());
        assert!(Scan::new("0,5 ms", 1).number().is_none());
        assert_eq!(range("0, 5"), Range::exact(0.0));
    }

    #[test]
    fn exponents_move_the_rounding_too() {
        let r = range("5.16e-05");
        assert!((r.lo - 5.155e-5).abs() < 1e-12 && (r.hi - 5.165e-5).abs() < 1e-12);
        let r = range("1.5458e+05");
        assert!((r.lo - 154_575.0).abs() < 1e-6 && (r.hi - 154_585.0).abs() < 1e-6);
        assert_eq!(range("3e"), Range::exact(3.0));
        assert!(
            Scan::new("1e400", 1)
                .number()
                .is_some_and(|f| f.text == "1")
        );
    }

    #[test]
    fn durations_of_go_are_sums() {
        let read = |text: &str| Scan::new(text, 1).go_duration();
        let r = read("1m2.04s,").and_then(|f| f.range).expect("a duration");
        // Rounded to 60 ms: half of that either way.
        assert!((r.lo - 62_010.0).abs() < 1e-6 && (r.hi - 62_070.0).abs() < 1e-6);
        let r = read("88.95µs").and_then(|f| f.range).expect("a duration");
        assert!((r.lo - 0.088_945).abs() < 1e-9 && (r.hi - 0.088_955).abs() < 1e-9);
        let r = read("5ms").and_then(|f| f.range).expect("a duration");
        assert!((r.lo - 4.9995).abs() < 1e-9 && (r.hi - 5.0005).abs() < 1e-9);
        assert_eq!(
            read("0s").and_then(|f| f.range),
            Some(Range::new(-0.5, 0.5))
        );
        assert!(read("5 apples").is_none() && read("s").is_none());
    }

    #[test]
    fn a_person_reads_short_numbers() {
        assert_eq!(digits(2.513_826), "2.5138");
        assert_eq!(digits(210_393.61), "210394");
        assert_eq!(time(2513.8), "2.51 s");
        assert_eq!(time(0.475), "475 us");
    }
}
