//! Lengths of time, written as a number and a unit: `5s`, `200ms`, `1m30s`.

use std::time::Duration;

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
    /// Something else than numbers and units.
    #[error("`{0}` is not a length of time; write 5s, 200ms or 1m30s (units: us, ms, s, m, h)")]
    Malformed(String),
    /// A unit twice, or a small one before a large one.
    #[error(
        "`{0}` names its units out of order; the largest comes first and each comes once, as in 1m30s"
    )]
    Order(String),
    /// More than can be counted.
    #[error("`{0}` is too long a time")]
    TooLong(String),
}

/// The units with their length in seconds, the largest first.
const UNITS: [(&str, f64); 6] = [
    ("h", 3600.0),
    ("m", 60.0),
    ("s", 1.0),
    ("ms", 1e-3),
    ("us", 1e-6),
    ("µs", 1e-6),
];

/// Parses `5s`, `200ms`, `1.5s`, `1m30s`; units are `h`, `m`, `s`, `ms` and `us`.
///
/// # Errors
/// A number without a unit, an unknown unit, units out of order, nothing at all.
pub fn parse_duration(text: &str) -> Result<Duration, DurationError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(DurationError::Empty);
    }
    let malformed = || DurationError::Malformed(text.to_owned());
    let mut rest = text;
    let mut total = Duration::ZERO;
    let mut next_unit = 0;
    while !rest.is_empty() {
        let digits = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(rest.len());
        let (number, after) = rest.split_at(digits);
        let letters = after
            .find(|c: char| c.is_ascii_digit() || c == '.')
            .unwrap_or(after.len());
        let (unit, after) = after.split_at(letters);
        let value: f64 = number.parse().map_err(|_| malformed())?;
        if unit.is_empty() {
            return Err(DurationError::NoUnit(number.to_owned()));
        }
        let index = UNITS
            .iter()
            .position(|(name, _)| *name == unit.trim())
            .ok_or_else(malformed)?;
        if index < next_unit {
            return Err(DurationError::Order(text.to_owned()));
        }
        next_unit = index + 1;
        let too_long = || DurationError::TooLong(text.to_owned());
        let part = Duration::try_from_secs_f64(value * UNITS[index].1).map_err(|_| too_long())?;
        total = total.checked_add(part).ok_or_else(too_long)?;
        rest = after.trim_start();
    }
    Ok(total)
}

/// Writes a length of time so that [`parse_duration`] reads it back, to the microsecond.
pub fn format_duration(duration: Duration) -> String {
    let micros = duration.as_micros();
    let parts = [
        (micros / 3_600_000_000, "h"),
        (micros / 60_000_000 % 60, "m"),
        (micros / 1_000_000 % 60, "s"),
        (micros / 1_000 % 1_000, "ms"),
        (micros % 1_000, "us"),
    ];
    let text: String = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, unit)| format!("{count}{unit}"))
        .collect();
    if text.is_empty() {
        "0s".to_owned()
    } else {
        text
    }
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
        insta::assert_snapshot!(said("5 parsecs"), @"`5 parsecs` is not a length of time; write 5s, 200ms or 1m30s (units: us, ms, s, m, h)");
        insta::assert_snapshot!(said("-5s"), @"`-5s` is not a length of time; write 5s, 200ms or 1m30s (units: us, ms, s, m, h)");
        insta::assert_snapshot!(said("30s1m"), @"`30s1m` names its units out of order; the largest comes first and each comes once, as in 1m30s");
        insta::assert_snapshot!(said("99999999999999999999999h"), @"`99999999999999999999999h` is too long a time");
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
