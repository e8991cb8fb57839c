//! Sizes of messages as they are written: `"1k"` is 1,024 bytes, `"1m"` 1,048,576.

use std::ops::RangeInclusive;

use photofinish_model::request::LARGEST_MESSAGE;

/// What a message may have: 1 byte to 16 MiB.
pub const SIZES: RangeInclusive<u64> = 1..=LARGEST_MESSAGE;

/// What [`parse_size`] accepts.
pub(crate) const SIZES_SAY: &str =
    "1 to 16777216 bytes: a whole number, or with k (1024 bytes) or m (1048576 bytes): \"5k\"";

/// The bytes of a size such as `512`, `5k` or `16m`; `None` for anything else, and outside [`SIZES`].
pub fn parse_size(text: &str) -> Option<u64> {
    let (digits, unit) = match text.as_bytes().last()? {
        b'k' | b'K' => (&text[..text.len() - 1], 1 << 10),
        b'm' | b'M' => (&text[..text.len() - 1], 1 << 20),
        _ => (text, 1),
    };
    digits.bytes().all(|b| b.is_ascii_digit()).then_some(())?;
    let bytes = digits.parse::<u64>().ok()?.checked_mul(unit)?;
    SIZES.contains(&bytes).then_some(bytes)
}

/// A size as short as it can be written exactly, such as `5k`.
pub fn format_size(bytes: u64) -> String {
    let exactly = |unit: u64| (bytes > 0 && bytes.is_multiple_of(unit)).then(|| bytes / unit);
    match (exactly(1 << 20), exactly(1 << 10)) {
        (Some(m), _) => format!("{m}m"),
        (_, Some(k)) => format!("{k}k"),
        _ => bytes.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_written_back() {
        for (text, bytes) in [
            ("1", 1),
            ("1000", 1_000),
            ("1k", 1_024),
            ("100k", 102_400),
            ("16m", 16 << 20),
        ] {
            assert_eq!(parse_size(text), Some(bytes));
            assert_eq!(format_size(bytes), text);
        }
        assert_eq!(parse_size("5K"), Some(5_120));
        assert_eq!(format_size(2048 * 1024), "2m");
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for text in [
            "",
            "k",
            "0",
            "-1",
            "+1",
            "1.5k",
            "17m",
            "1g",
            "99999999999999999999",
            "1 k",
        ] {
            assert_eq!(parse_size(text), None, "{text}");
        }
    }
}
