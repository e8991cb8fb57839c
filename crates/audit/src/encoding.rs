//! The text of a file's bytes.

use std::io::Read;

use flate2::read::MultiGzDecoder;

/// So many bytes at the begin tell whether it is UTF-16.
const LOOKED_AT: usize = 1024;

/// So many bytes may come of a compressed file: what is larger has no end, as a rule.
const UNPACKED: u64 = 2 << 30;

/// The text in `bytes`: unpacked if it was compressed with gzip; UTF-16 where a byte order mark says so (as the `>` of Windows PowerShell writes it), or where most of its
/// characters begin or end with a zero byte; else UTF-8. What is neither is replaced, since only figures matter.
pub fn text(bytes: Vec<u8>) -> String {
    let bytes = match bytes.starts_with(&[0x1f, 0x8b]) {
        true => unpacked(&bytes),
        false => bytes,
    };
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
    match &bytes[..] {
        [0xff, 0xfe, rest @ ..] => units(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => units(rest, u16::from_be_bytes),
        _ if zeros_are_most(1) => units(&bytes, u16::from_le_bytes),
        _ if zeros_are_most(0) => units(&bytes, u16::from_be_bytes),
        // A large text is not copied.
        _ => String::from_utf8(bytes)
            .unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()),
    }
}

/// What was compressed, as far as it can be read.
fn unpacked(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    // A file that was cut off is read up to there.
    let _ = MultiGzDecoder::new(bytes)
        .take(UNPACKED)
        .read_to_end(&mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn the_byte_order_mark_or_zeros_tell_the_encoding() {
        let text = |bytes: &[u8]| text(bytes.to_vec());
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

    #[test]
    fn compressed_files_are_read() {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        writer.write_all(b"Requests/sec: 1").expect("bytes");
        let packed = writer.finish().expect("bytes");
        assert_eq!(text(packed.clone()), "Requests/sec: 1");
        // Cut off, or no gzip at all.
        assert!("Requests/sec: 1".starts_with(&text(packed[..packed.len() - 9].to_vec())));
        assert_eq!(text(vec![0x1f, 0x8b, 1]), "");
    }
}
