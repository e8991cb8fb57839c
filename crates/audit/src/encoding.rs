//! The text of a file's bytes.

/// The text in `bytes`: UTF-16 where a byte order mark says so (as the `>` of Windows PowerShell writes it), else UTF-8. What is
/// neither is replaced, since only figures matter.
pub fn text(bytes: &[u8]) -> String {
    let units = |from: fn([u8; 2]) -> u16| {
        let pairs = bytes[2..].chunks_exact(2);
        let units: Vec<u16> = pairs.map(|pair| from([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    match bytes {
        [0xff, 0xfe, ..] => units(u16::from_le_bytes),
        [0xfe, 0xff, ..] => units(u16::from_be_bytes),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn the_byte_order_mark_names_the_encoding() {
        let said = "Requests/sec: 1 µs";
        let units: Vec<u16> = said.encode_utf16().collect();
        let little = units.iter().flat_map(|unit| unit.to_le_bytes());
        let big = units.iter().flat_map(|unit| unit.to_be_bytes());
        assert_eq!(
            text(&[0xff, 0xfe].into_iter().chain(little).collect::<Vec<_>>()),
            said
        );
        assert_eq!(
            text(&[0xfe, 0xff].into_iter().chain(big).collect::<Vec<_>>()),
            said
        );
        assert_eq!(text(said.as_bytes()), said);
        assert_eq!(text(&[0xff, 0xfe]), "");
        assert_eq!(text(b"a\xff"), "a\u{fffd}");
    }
}
