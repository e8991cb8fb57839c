//! Places in requests that are filled in anew for each request: `{random:LOW..HIGH}` and `{counter}`; and in what an
//! answer must contain: `{random}` or `{first-random}`, and `{counter}`.
//!
//! Whatever else stands in braces is left as it is, so that JSON needs no escapes.

use crate::checks::Wrong;

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// As it stands.
    Bytes(&'a [u8]),
    /// `{random:LOW..HIGH}`: a whole number, both bounds included.
    Random {
        /// The smallest.
        low: u64,
        /// The largest.
        high: u64,
    },
    /// `{random}` or `{first-random}`: the request's first random number, in the order path, headers, body.
    Recalled,
    /// `{counter}`: the request's number.
    Counter,
}

/// The parts of a text. A place that is not well formed is left as it is; `check_request` finds those.
pub fn parts(text: &[u8]) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut begun = 0;
    let mut at = 0;
    while at < text.len() {
        let found = match text[at] {
            b'{' => place(&text[at..]),
            _ => None,
        };
        let Some((part, length)) = found else {
            at += 1;
            continue;
        };
        if begun < at {
            parts.push(Part::Bytes(&text[begun..at]));
        }
        parts.push(part);
        at += length;
        begun = at;
    }
    if begun < text.len() {
        parts.push(Part::Bytes(&text[begun..]));
    }
    parts
}

/// The place that a text begins with, and its length.
fn place(text: &[u8]) -> Option<(Part<'_>, usize)> {
    let length = text.iter().position(|b| *b == b'}')? + 1;
    let inside = str::from_utf8(&text[1..length - 1]).ok()?;
    let part = match inside {
        "counter" => Part::Counter,
        "random" | "first-random" => Part::Recalled,
        _ => {
            let (low, high) = inside.strip_prefix("random:")?.split_once("..")?;
            let (low, high) = (number(low)?, number(high)?);
            (low <= high).then_some(Part::Random { low, high })?
        }
    };
    Some((part, length))
}

/// Digits only: no sign, no space.
fn number(text: &str) -> Option<u64> {
    text.bytes().all(|b| b.is_ascii_digit()).then_some(())?;
    text.parse().ok()
}

/// Whether what looks like a place in a request is one.
pub(crate) fn check_request(text: &str) -> Result<(), Wrong> {
    let allowed =
        "{random:1..100} for a whole number, both bounds included, the smaller first; {counter}";
    check(text, allowed, |part| *part != Part::Recalled)
}

/// The same for what an answer must contain.
pub(crate) fn check_recall(text: &str) -> Result<(), Wrong> {
    let allowed = "{random} for the request's random number, {first-random} for the first of several, {counter} for \
                   its number";
    check(text, allowed, |part| !matches!(part, Part::Random { .. }))
}

fn check(text: &str, allowed: &'static str, fits: impl Fn(&Part) -> bool) -> Result<(), Wrong> {
    for name in ["{random", "{first-random", "{counter"] {
        for (at, _) in text.match_indices(name) {
            let rest = &text.as_bytes()[at..];
            if !place(rest).is_some_and(|(part, _)| fits(&part)) {
                let end = text[at..].find('}').map_or(text.len(), |end| at + end + 1);
                let shown: String = text[at..end].chars().take(40).collect();
                return Err((
                    format!("`{shown}` is no place that can be filled in here"),
                    allowed,
                ));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn places_are_found_and_json_is_left_alone() {
        let text =
            b"{\"a\":{random:1..5},\"b\":{counter}} {x} {random:5..1} {random:-1..2}{random}";
        assert_eq!(
            parts(text),
            [
                Part::Bytes(b"{\"a\":"),
                Part::Random { low: 1, high: 5 },
                Part::Bytes(b",\"b\":"),
                Part::Counter,
                Part::Bytes(b"} {x} {random:5..1} {random:-1..2}"),
                Part::Recalled,
            ]
        );
        assert_eq!(parts(b""), []);
    }

    #[test]
    fn what_looks_like_a_place_must_be_one() {
        for good in ["{random:1..1}", "{\"a\":{counter}}", "{rand}", "{}"] {
            assert_eq!(check_request(good), Ok(()), "{good}");
        }
        for bad in [
            "{random}",
            "{first-random}",
            "{random:5..1}",
            "{random:1-5}",
            "{random:1..x}",
            "{counter:1}",
            "{counter",
            "{random:0..18446744073709551616}",
        ] {
            assert!(check_request(bad).is_err(), "{bad}");
        }
        assert_eq!(check_recall("\"id\":{random},{counter}"), Ok(()));
        assert_eq!(check_recall("{first-random}"), Ok(()));
        assert!(check_recall("{first-random:1}").is_err());
        assert!(check_recall("{random:1..5}").is_err());
    }

    proptest! {
        #[test]
        fn nothing_is_lost(text in "[{}a-c.:]{0,20}|\\PC*") {
            let length: usize = parts(text.as_bytes()).iter().map(|part| match part {
                Part::Bytes(bytes) => bytes.len(),
                _ => 0,
            }).sum();
            prop_assert!(length <= text.len());
            let _ = check_request(&text);
            if !text.contains("random") && !text.contains("{counter") {
                prop_assert_eq!(length, text.len());
            }
        }
    }
}
