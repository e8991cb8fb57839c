//! Lengths of time, written as a number and a unit: `5s`, `200ms`, `1m30s`.

use std::time::Duration;

use jiff::SignedDuration;
use jiff::fmt::friendly::{Spacing, SpanParser, SpanPrinter};
use thiserror::Error;

/// Why a text is no length of time.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DurationError {
    /// There is nothing.
    #[error("a length of time is missing; write 5s, 200ms or 1m30s")]
    Empty,
    /// A number without a unit.
    #[error(
        "`{0}` has no unit; write {0}s for seconds, {0}ms for milliseconds or {0}m for minutes"
    )]
    NoUnit(String),
    /// Something else than numbers and units, or they are out of order, or more than can be counted.
    #[error(
        "`{0}` is not a length of time; write 5s, 200ms or 1m30s (units: h, m, s, ms, us, the largest first and each once)"
    )]
    Malformed(String),
}

/// Parses `5s`, `200ms`, `1.5s`, `1m30s`, and what else `jiff` takes for a duration that is not negative.
///
/// # Errors
/// A number without a unit, an unknown unit, units out of order, nothing at all.
pub fn parse_duration(text: &str) -> Result<Duration, DurationError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(DurationError::Empty);
    }
    // jiff's own errors name the byte and the grammar; what somebody forgot to write is the unit, as a rule.
    if text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.')
    {
        return Err(DurationError::NoUnit(text.to_owned()));
    }
    SpanParser::new()
        .parse_duration(text)
        .ok()
        .and_then(|duration| Duration::try_from(duration).ok())
        .ok_or_else(|| DurationError::Malformed(text.to_owned()))
}

/// Writes a length of time so that [`parse_duration`] reads it back, to the microsecond.
pub fn format_duration(duration: Duration) -> String {
    let micros = i64::try_from(duration.as_micros()).unwrap_or(i64::MAX);
    SpanPrinter::new()
        .spacing(Spacing::None)
        .duration_to_string(&SignedDuration::from_micros(micros))
        .replace('µ', "u")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_what_people_write() {
        for (text, micros) in [
            ("5s", 5_000_000),
            ("200ms", 200_000),
            ("1m30s", 90_000_000),
            ("1m 30s", 90_000_000),
            ("1.5s", 1_500_000),
            ("1h", 3_600_000_000),
            ("250us", 250),
            ("0s", 0),
        ] {
            assert_eq!(
                parse_duration(text),
                Ok(Duration::from_micros(micros)),
                "{text}"
            );
        }
    }

    #[test]
    fn says_what_is_wrong() {
        let said = |text| parse_duration(text).unwrap_err().to_string();
        insta::assert_snapshot!(said("5"), @"`5` has no unit; write 5s for seconds, 5ms for milliseconds or 5m for minutes");
        insta::assert_snapshot!(said(""), @"a length of time is missing; write 5s, 200ms or 1m30s");
        insta::assert_snapshot!(said("5 parsecs"), @"`5 parsecs` is not a length of time; write 5s, 200ms or 1m30s (units: h, m, s, ms, us, the largest first and each once)");
        insta::assert_snapshot!(said("-5s"), @"`-5s` is not a length of time; write 5s, 200ms or 1m30s (units: h, m, s, ms, us, the largest first and each once)");
        insta::assert_snapshot!(said("30s1m"), @"`30s1m` is not a length of time; write 5s, 200ms or 1m30s (units: h, m, s, ms, us, the largest first and each once)");
        insta::assert_snapshot!(said("99999999999999999999999h"), @"`99999999999999999999999h` is not a length of time; write 5s, 200ms or 1m30s (units: h, m, s, ms, us, the largest first and each once)");
    }

    proptest! {
        #[test]
        fn never_panics(text in "\\PC*") {
            let _ = parse_duration(&text);
        }

        #[test]
        fn never_panics_on_near_misses(text in "[0-9.hmsuµ ]{0,12}") {
            let _ = parse_duration(&text);
        }

        #[test]
        fn round_trips(micros in 0_u64..100_000_000_000) {
            let duration = Duration::from_micros(micros);
            prop_assert_eq!(parse_duration(&format_duration(duration)), Ok(duration));
        }
    }
}
