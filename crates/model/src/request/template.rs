//! Requests that vary: bytes with places that are filled in anew for each request, and what of it a response must repeat.
//!
//! They are written `{random:LOW..HIGH}` and `{counter}`; in what a response must contain `{random}` or `{first-random}`,
//! and `{counter}`. Whatever else stands in braces is left as it is, so that JSON needs no escapes.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::secret::mask;

/// Bytes with places to fill in. Without such places it is the same each time.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Template(pub Vec<Part>);

/// A part of a [`Template`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// These.
    Bytes(#[serde(with = "crate::bytes")] Vec<u8>),
    /// A whole number in decimal digits, each from `low` to `high` (both included) equally likely. Each place has
    /// a number of its own. The numbers of a connection follow from the run's seed and the connection's place alone.
    Random {
        /// The smallest.
        low: u64,
        /// The largest.
        high: u64,
    },
    /// The request's number in the run, the same in all its places. Thread `k` of `T` (from 0) counts
    /// k + 1, k + 1 + T, k + 1 + 2T, …: no number comes twice, the first is 1, and a thread leaves none of its own out.
    Counter,
}

/// A part of what a response must contain.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Recall {
    /// These bytes.
    Bytes(#[serde(with = "crate::bytes")] Vec<u8>),
    /// The first random number of the request.
    Random,
    /// The request's number.
    Counter,
}

impl Template {
    /// These bytes each time, whatever they look like.
    pub fn fixed(bytes: impl Into<Vec<u8>>) -> Template {
        let bytes = bytes.into();
        match bytes.is_empty() {
            true => Template::default(),
            false => Template(vec![Part::Bytes(bytes)]),
        }
    }

    /// A text with its places. One that is not well formed is left as it is.
    pub fn parse(text: impl AsRef<[u8]>) -> Template {
        Template(parts(text.as_ref(), Part::Bytes, |inside| match inside {
            "counter" => Some(Part::Counter),
            _ => {
                let (low, high) = inside.strip_prefix("random:")?.split_once("..")?;
                let (low, high) = (number(low)?, number(high)?);
                (low <= high).then_some(Part::Random { low, high })
            }
        }))
    }

    /// As it is written, with its places: what was parsed.
    pub fn text(&self) -> String {
        let part = |part: &Part| match part {
            Part::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            Part::Random { low, high } => format!("{{random:{low}..{high}}}"),
            Part::Counter => "{counter}".to_owned(),
        };
        self.0.iter().map(part).collect()
    }

    /// As it is shown: as it is written, without the secrets in it.
    pub fn shown(&self) -> String {
        mask(&self.text()).into_owned()
    }

    /// Whether nothing is filled in.
    pub fn is_fixed(&self) -> bool {
        self.0.iter().all(|part| matches!(part, Part::Bytes(_)))
    }

    /// What is the same each time.
    pub fn literal(&self) -> Vec<u8> {
        let bytes = |part: &Part| match part {
            Part::Bytes(bytes) => bytes.clone(),
            Part::Random { .. } | Part::Counter => Vec::new(),
        };
        self.0.iter().flat_map(bytes).collect()
    }

    /// Whether it has no part at all, or only empty ones.
    pub fn is_empty(&self) -> bool {
        self.0
            .iter()
            .all(|part| matches!(part, Part::Bytes(bytes) if bytes.is_empty()))
    }
}

/// As it is written; what is not UTF-8 is shown by U+FFFD.
/// Without the secrets in it.
impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Template({:?})", self.shown())
    }
}

impl Recall {
    /// A text with its places. One that is not well formed is left as it is.
    pub fn parse(text: impl AsRef<[u8]>) -> Vec<Recall> {
        parts(text.as_ref(), Recall::Bytes, |inside| match inside {
            "random" | "first-random" => Some(Recall::Random),
            "counter" => Some(Recall::Counter),
            _ => None,
        })
    }
}

/// The parts of a text: what `place` makes of the insides of braces, and the bytes between.
fn parts<P>(text: &[u8], bytes: fn(Vec<u8>) -> P, place: impl Fn(&str) -> Option<P>) -> Vec<P> {
    let mut parts = Vec::new();
    let mut begun = 0;
    let mut at = 0;
    while at < text.len() {
        let found = match text[at] {
            b'{' => inside(&text[at..])
                .and_then(|inside| Some((place(inside)?, inside.len() + "{}".len()))),
            _ => None,
        };
        let Some((part, length)) = found else {
            at += 1;
            continue;
        };
        if begun < at {
            parts.push(bytes(text[begun..at].to_vec()));
        }
        parts.push(part);
        at += length;
        begun = at;
    }
    if begun < text.len() {
        parts.push(bytes(text[begun..].to_vec()));
    }
    parts
}

/// The longest place: `{random:` and two numbers of 20 digits each.
const LONGEST: usize = 64;

/// What stands between the brace that a text begins with and the next closing one.
fn inside(text: &[u8]) -> Option<&str> {
    let text = &text[1..text.len().min(LONGEST)];
    let end = text.iter().position(|byte| *byte == b'}')?;
    str::from_utf8(&text[..end]).ok()
}

/// Digits only: no sign, no space.
fn number(text: &str) -> Option<u64> {
    text.bytes().all(|b| b.is_ascii_digit()).then_some(())?;
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bytes(text: &str) -> Part {
        Part::Bytes(text.into())
    }

    #[test]
    fn places_are_found_and_json_is_left_alone() {
        let text = "{\"a\":{random:1..5},\"b\":{counter}} {x} {random:5..1} {random:-1..2}{random}";
        let template = Template::parse(text);
        assert_eq!(
            template.0,
            [
                bytes("{\"a\":"),
                Part::Random { low: 1, high: 5 },
                bytes(",\"b\":"),
                Part::Counter,
                bytes("} {x} {random:5..1} {random:-1..2}{random}"),
            ]
        );
        assert_eq!(template.text(), text);
        assert_eq!(Template::parse(""), Template::default());
        assert_eq!(
            Recall::parse("{random}{x}{first-random}{counter}{random:1..5}"),
            [
                Recall::Random,
                Recall::Bytes(b"{x}".to_vec()),
                Recall::Random,
                Recall::Counter,
                Recall::Bytes(b"{random:1..5}".to_vec()),
            ]
        );
    }

    #[test]
    fn the_largest_numbers_fit() {
        let text = format!("{{random:{}..{}}}", u64::MAX, u64::MAX);
        assert!(!Template::parse(&text).is_fixed());
        // Two to the 64th is one too many.
        assert!(Template::parse("{random:0..18446744073709551616}").is_fixed());
    }

    proptest! {
        #[test]
        fn nothing_is_lost(text in "([{}a-c.:]|\\{random:[0-9]{1,3}\\.\\.[0-9]{1,3}\\}|\\{counter\\}){0,20}|\\PC*") {
            let shown = Template::parse(&text).text();
            // Leading zeros of numbers are not kept.
            prop_assert_eq!(Template::parse(&shown), Template::parse(&text));
            if !text.contains("{random") {
                prop_assert_eq!(shown, text);
            }
        }
    }
}
