//! Values as JSON, each written straight into an answer.

use std::io::Write;

/// Appends text, or `null`; the database gives UTF-8.
///
/// # Errors
/// It is not UTF-8.
pub fn text(out: &mut Vec<u8>, value: Option<&[u8]>) -> Result<(), String> {
    let Some(value) = value else {
        out.extend_from_slice(b"null");
        return Ok(());
    };
    let value = std::str::from_utf8(value).map_err(|error| format!("a text: {error}"))?;
    serde_json::to_writer(out, value).map_err(|error| error.to_string())
}

/// Appends a whole number.
pub fn integer(out: &mut Vec<u8>, value: i64) {
    // Writing to memory cannot fail.
    let _ = write!(out, "{value}");
}

/// Appends a moment to the second, as `"2024-01-01 00:00:01"`.
pub fn moment(out: &mut Vec<u8>, date: (u16, u8, u8), time: (u8, u8, u8)) {
    let ((year, month, day), (hour, minute, second)) = (date, time);
    let _ = write!(
        out,
        "\"{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}\""
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_json() {
        let mut out = Vec::new();
        text(&mut out, Some("a \"b\" \\ \n ü".as_bytes())).expect("UTF-8");
        text(&mut out, None).expect("null");
        integer(&mut out, -7);
        moment(&mut out, (2024, 1, 2), (3, 4, 5));
        let expected = r#""a \"b\" \\ \n ü"null-7"2024-01-02 03:04:05""#;
        assert_eq!(String::from_utf8_lossy(&out), expected);
        assert!(text(&mut out, Some(&[0xff])).is_err());
    }
}
