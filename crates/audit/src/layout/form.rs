//! A line with typed holes, such as `Requests/sec: <rate>` or `<q>% <v:time>`.
//!
//! Blanks match any blanks, or none. `{…}` may be missing. `…` stands for anything up to what follows it. `....` stands for
//! any dots and blanks. A hole is `<name:type/rounding/rounding>`; `<_:word>` is passed over.

use super::hole::{Hole, Value};
use crate::figure::Scan;

/// A line with typed holes.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(try_from = "String")]
pub struct Form {
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone)]
enum Piece {
    Literal(String),
    Hole(Hole),
    Anything,
    Dots,
    Maybe(Vec<Piece>),
}

/// What was in a hole.
#[derive(Debug, Clone)]
pub struct Captured<'f> {
    /// The name of the hole.
    pub name: &'f str,
    /// What it holds, in the unit of its quantity.
    pub value: Value,
}

/// The text that was in the hole of a name.
pub fn text_of<'c>(captured: &'c [Captured<'_>], name: &str) -> Option<&'c str> {
    captured.iter().find_map(|c| match &c.value {
        Value::Text(text) if c.name == name => Some(text.as_str()),
        _ => None,
    })
}

impl Form {
    /// Reads a form.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut rest = text;
        let pieces = pieces(&mut rest, false).map_err(|wrong| format!("line '{text}': {wrong}"))?;
        Ok(Self { pieces })
    }

    /// The names of its holes.
    pub fn names(&self) -> Vec<&str> {
        fn of<'a>(pieces: &'a [Piece], names: &mut Vec<&'a str>) {
            for piece in pieces {
                match piece {
                    Piece::Hole(hole) => names.push(&hole.name),
                    Piece::Maybe(inner) => of(inner, names),
                    _ => {}
                }
            }
        }
        let mut names = Vec::new();
        of(&self.pieces, &mut names);
        names
    }

    /// Whether a line may begin with a byte.
    pub fn may_begin(&self, byte: u8) -> bool {
        match self.pieces.first() {
            Some(Piece::Literal(text)) => text.as_bytes()[0] == byte,
            Some(Piece::Hole(hole)) if hole.kind.is_number() => {
                byte.is_ascii_digit() || b"+-niNI".contains(&byte)
            }
            _ => true,
        }
    }

    /// What the holes of a line hold; `None` if it is another line.
    pub fn read(&self, text: &str, line: usize) -> Option<Vec<Captured<'_>>> {
        let mut scan = Scan::new(text, line);
        let mut found = Vec::new();
        let whole = read(&self.pieces, &mut scan, &mut found)?;
        (whole || scan.rest().is_empty()).then_some(found)
    }
}

impl TryFrom<String> for Form {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text)
    }
}

/// Reads the pieces one after the other; whether the last one takes the rest of the line.
fn read<'f>(
    pieces: &'f [Piece],
    scan: &mut Scan<'_>,
    found: &mut Vec<Captured<'f>>,
) -> Option<bool> {
    let mut pieces = pieces.iter().peekable();
    while let Some(piece) = pieces.next() {
        match piece {
            Piece::Literal(text) => scan.lit(text).then_some(())?,
            Piece::Dots => {
                let rest = scan.rest();
                let after = rest.trim_start_matches(['.', ' ']);
                scan.skip(rest.len() - after.len());
            }
            Piece::Anything => match pieces.peek() {
                None => return Some(true),
                Some(Piece::Literal(text)) => {
                    pieces.next();
                    scan.find(text).then_some(())?;
                }
                Some(_) => {
                    // A figure somewhere behind: from the first digit on.
                    let rest = scan.rest();
                    let at = rest.find(|c: char| c.is_ascii_digit())?;
                    scan.skip(at);
                }
            },
            Piece::Maybe(inner) => {
                let (before, count) = (scan.clone(), found.len());
                match read(inner, scan, found) {
                    Some(true) => return Some(true),
                    Some(false) => {}
                    None => {
                        *scan = before;
                        found.truncate(count);
                    }
                }
            }
            Piece::Hole(hole) => {
                let value = hole.read(scan)?;
                if hole.name != "_" {
                    found.push(Captured {
                        name: &hole.name,
                        value,
                    });
                }
            }
        }
    }
    Some(false)
}

fn pieces(rest: &mut &str, within: bool) -> Result<Vec<Piece>, String> {
    let mut all = Vec::new();
    loop {
        *rest = rest.trim_start();
        if rest.is_empty() {
            return match within {
                true => Err("'}' is missing".into()),
                false if all.is_empty() => Err("it is empty".into()),
                false => Ok(all),
            };
        }
        if let Some(after) = rest.strip_prefix('}').filter(|_| within) {
            *rest = after;
            return Ok(all);
        }
        if let Some(after) = rest.strip_prefix('{').filter(|_| !within) {
            *rest = after;
            all.push(Piece::Maybe(pieces(rest, true)?));
        } else if let Some(after) = rest.strip_prefix('…') {
            *rest = after;
            all.push(Piece::Anything);
        } else if let Some(after) = rest.strip_prefix("....") {
            *rest = after;
            all.push(Piece::Dots);
        } else if let Some((inside, after)) = hole_text(rest) {
            *rest = after;
            all.push(Piece::Hole(inside.to_owned().try_into()?));
        } else {
            let is_end = |(at, c): (usize, char)| {
                let here = &rest[at..];
                at > 0
                    && (c.is_whitespace()
                        || c == '…'
                        || within && c == '}'
                        || !within && c == '{'
                        || here.starts_with("....")
                        || hole_text(here).is_some())
            };
            let end = rest
                .char_indices()
                .find(|at| is_end(*at))
                .map_or(rest.len(), |(at, _)| at);
            all.push(Piece::Literal(rest[..end].to_owned()));
            *rest = &rest[end..];
        }
    }
}

/// The inside of the hole that a text begins with. `< 5` and `<summary` are none.
fn hole_text(text: &str) -> Option<(&str, &str)> {
    let (inside, rest) = text.strip_prefix('<')?.split_once('>')?;
    let name = inside.split([':', '/']).next()?;
    let fits = |c: char| c.is_ascii_alphanumeric() || "_.@-".contains(c);
    (!name.is_empty() && name.chars().all(fits)).then_some((inside, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(form: &str, text: &str) -> Option<Vec<(String, String)>> {
        let form = Form::parse(form).expect("a form");
        let captured = form.read(text, 1)?;
        let shown = |value: &Value| match value {
            Value::Figure(figure) => figure.text.clone(),
            Value::Text(text) => text.clone(),
            other => format!("{other:?}"),
        };
        Some(
            captured
                .iter()
                .map(|c| (c.name.to_owned(), shown(&c.value)))
                .collect(),
        )
    }

    #[test]
    fn lines_are_read_through_their_holes() {
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(
            found("Latency <mean:time> <sd:time>", "Latency   10.82ms   1.2us"),
            Some(vec![pair("mean", "10.82ms"), pair("sd", "1.2us")])
        );
        assert_eq!(
            found("Requests/sec: <rate>", "Requests/sec: 12 or so"),
            None
        );
        assert_eq!(
            found("Requests/sec: <rate>…", "Requests/sec: 12 or so"),
            Some(vec![pair("rate", "12")])
        );
        assert_eq!(found("a {b <rate>} c", "a c").map(|all| all.len()), Some(0));
        assert_eq!(
            found(
                "http.requests: .... <requests>",
                "http.requests: ......... 392"
            ),
            Some(vec![pair("requests", "392")])
        );
        assert_eq!(
            found(
                "[<status:to(])>] <status.count> responses",
                "[200] 15 responses"
            ),
            Some(vec![pair("status", "200"), pair("status.count", "15")])
        );
        assert_eq!(
            found(
                "… with <threads> thread(s)…",
                "Starting at 8 qps with 4 thread(s) [gomax 2]"
            ),
            Some(vec![pair("threads", "4")])
        );
    }

    #[test]
    fn a_mistake_is_named() {
        for form in ["", "<nonsense>", "<rate:tim>", "<rate:n/x>", "{a"] {
            assert!(Form::parse(form).is_err(), "{form}");
        }
        assert!(Form::parse("a < b <summary").is_ok());
    }
}
