//! The text of a file's bytes.

/// So many bytes at the begin tell whether it is UTF-16.
const LOOKED_AT: usize = 1024;

/// The text in `bytes`: UTF-16 where a byte order mark says so (as the `>` of Windows PowerShell writes it), or where most of its
/// characters begin or end with a zero byte; else UTF-8. What is neither is replaced, since only figures matter.
pub fn text(bytes: &[u8]) -> String {
    let units = |bytes: &[u8], from: fn([u8; 2]) -> u16| {
        let pairs = bytes.chunks_exact(2);
        let units: Vec<u16> = pairs.map(|pair| from([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    // A file that was cut in two has lost its mark; what a tool prints is ASCII for the most part.
    let begin = &bytes[..bytes.len().min(LOOKED_AT)];
    let zeros_are_most = |first: usize| {
        let [own, others] = [first, 1 - first].map(|first| begin.iter().skip(first).step_by(2));
        own.clone().filter(|byte| **byte == 0).count() * 2 > own.len()
            && others.clone().all(|byte| *byte != 0)
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => units(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => units(rest, u16::from_be_bytes),
        _ if zeros_are_most(1) => units(bytes, u16::from_le_bytes),
        _ if zeros_are_most(0) => units(bytes, u16::from_be_bytes),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn the_byte_order_mark_or_zeros_tell_the_encoding() {
        let said = "Requests/sec: 1 µs – 请求";
        let units: Vec<u16> = said.encode_utf16().collect();
        let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        assert_eq!(text(&[&[0xff, 0xfe], &little[..]].concat()), said);
        assert_eq!(text(&[&[0xfe, 0xff], &big[..]].concat()), said);
        assert_eq!(text(&little), said);
        assert_eq!(text(&big), said);
        assert_eq!(text(said.as_bytes()), said);
        assert_eq!(text(&[0xff, 0xfe]), "");
        assert_eq!(text(b""), "");
        assert_eq!(text(b"a\xff"), "a\u{fffd}");
        // Zeros in both places are no text in UTF-16.
        assert_eq!(text(b"a\0\0\0"), "a\0\0\0");
    }
}
