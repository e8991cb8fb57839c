//! What a response's header fields say that matters here.

use photofinish_model::finding::complaint::Http2Violation;

use super::Broken;
use super::frame::Code;
use super::hpack::{self, Field, Text};
use super::link::BLOCK_LIMIT;

/// The longest value that is read, in bytes: a status or a length.
const SHORT: usize = 32;

/// The head of a response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head {
    pub status: u16,
    /// The length that is promised.
    pub length: Option<u64>,
}

impl Head {
    /// Whether it is only a beginning: 1xx.
    pub fn is_interim(&self) -> bool {
        self.status < 200
    }

    /// Reads a block of header fields; `other` gets those that say nothing here.
    ///
    /// # Errors
    /// Where it is no head of a response (RFC 9113, section 8.3.2).
    pub fn parse(block: &[u8], mut other: impl FnMut(&[u8], Text<'_>)) -> Result<Head, Broken> {
        let (mut head, mut room) = (Head::default(), Vec::new());
        let mut regular = false;
        for field in hpack::fields(block) {
            let field = field.map_err(compression)?;
            let name = checked(field, &mut room)?;
            match name {
                b":status" => {
                    if regular || head.status != 0 {
                        return Err(malformed(Http2Violation::MisplacedStatus));
                    }
                    head.status = status(field.value)?;
                }
                [b':', ..] => {
                    return Err(malformed(Http2Violation::PseudoField));
                }
                b"content-length" => {
                    let length =
                        number(field.value).ok_or(malformed(Http2Violation::ContentLength))?;
                    if head.length.is_some_and(|other| other != length) {
                        return Err(malformed(Http2Violation::ContentLengths));
                    }
                    head.length = Some(length);
                }
                _ => other(name, field.value),
            }
            regular |= !name.starts_with(b":");
        }
        match head.status {
            0 => Err(malformed(Http2Violation::NoStatus)),
            _ => Ok(head),
        }
    }
}

/// Reads the fields after the content, each of which `field` gets.
///
/// # Errors
/// Where they are none.
pub fn trailers(block: &[u8], mut field: impl FnMut(&[u8], Text<'_>)) -> Result<(), Broken> {
    let mut room = Vec::new();
    for found in hpack::fields(block) {
        let found = found.map_err(compression)?;
        let name = checked(found, &mut room)?;
        if name.starts_with(b":") {
            return Err(malformed(Http2Violation::TrailerField));
        }
        field(name, found.value);
    }
    Ok(())
}

/// Returns the fields of a head and of the block after its content as HTTP/1 would write them, without the empty line at the end.
pub fn text(head: &[u8], trailers: &[u8]) -> String {
    let text = |text: Text<'_>| {
        let mut room = Vec::new();
        let bytes = text.read(BLOCK_LIMIT, &mut room).unwrap_or_default();
        String::from_utf8_lossy(bytes).into_owned()
    };
    let fields = hpack::fields(head).chain(hpack::fields(trailers));
    let fields = fields
        .flatten()
        .map(|field| (text(field.name), text(field.value)));
    fields.fold("HTTP/2".to_owned(), |lines, (name, value)| match &*name {
        ":status" => format!("{lines} {value}"),
        _ => format!("{lines}\r\n{name}: {value}"),
    })
}

/// Checks the values in Huffman code.
///
/// # Errors
/// If one is no text in that code, or has characters that no value may have.
pub fn check_coded_values(block: &[u8]) -> Result<(), Broken> {
    let mut room = Vec::new();
    for field in hpack::fields(block) {
        let value = field.map_err(compression)?.value;
        let text = value.read(usize::MAX, &mut room).map_err(compression)?;
        if matches!(value, Text::Coded(_)) && !is_value(text) {
            return Err(malformed(Http2Violation::FieldValue));
        }
    }
    Ok(())
}

/// The name of a field that a response may have. A value in Huffman code is not decoded for this; see [`check_coded_values`].
fn checked<'a>(field: Field<'a>, room: &'a mut Vec<u8>) -> Result<&'a [u8], Broken> {
    let name = name(field.name, room)?;
    // RFC 9113, section 8.2.2.
    if matches!(
        name,
        b"connection" | b"keep-alive" | b"proxy-connection" | b"transfer-encoding" | b"upgrade"
    ) {
        return Err(malformed(Http2Violation::ConnectionField));
    }
    match field.value {
        Text::Plain(value) if !is_value(value) => Err(malformed(Http2Violation::FieldValue)),
        _ => Ok(name),
    }
}

/// RFC 9113, section 8.2.1: no line break and no zero byte, and no space at an end.
fn is_value(value: &[u8]) -> bool {
    let is_space = |byte: Option<&u8>| matches!(byte, Some(b' ' | b'\t'));
    // All bytes are looked at, so that several are at once.
    let breaks = (value.iter()).fold(false, |found, byte| {
        found | matches!(byte, 0 | b'\r' | b'\n')
    });
    !breaks && !is_space(value.first()) && !is_space(value.last())
}

/// A field's name; of a long one its beginning, which is the name of none that is looked at.
///
/// One in Huffman code that is no text could be any of them: it is refused (RFC 9113, section 4.3). Values that say nothing here are
/// not decoded, and may be what they like.
fn name<'a>(name: Text<'a>, room: &'a mut Vec<u8>) -> Result<&'a [u8], Broken> {
    let (name, _) = name.begins(SHORT, room).map_err(compression)?;
    // RFC 9113, section 8.2.1: no capital letters, and a colon at the beginning alone.
    let is_wrong = |(at, byte): (usize, &u8)| match byte {
        b':' => at > 0,
        byte => byte.is_ascii_uppercase() || !byte.is_ascii_graphic(),
    };
    match name.is_empty() || name.iter().enumerate().any(is_wrong) {
        true => Err(malformed(Http2Violation::FieldName)),
        false => Ok(name),
    }
}

fn status(value: Text<'_>) -> Result<u16, Broken> {
    const BAD: Broken = malformed(Http2Violation::Status);
    let mut room = Vec::new();
    let digits = value.read(SHORT, &mut room).map_err(|_| BAD)?;
    // RFC 9113, section 8.6.
    if digits == b"101" {
        return Err(malformed(Http2Violation::Switching));
    }
    let status = (digits.len() == 3).then(|| number(value)).flatten();
    status
        .filter(|status| (100..=999).contains(status))
        .map(|status| status as u16)
        .ok_or(BAD)
}

/// A number in decimal digits.
pub fn number(value: Text<'_>) -> Option<u64> {
    let mut room = Vec::new();
    let digits = value.read(SHORT, &mut room).ok()?;
    let only = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    only.then(|| str::from_utf8(digits).ok()?.parse().ok())
        .flatten()
}

const fn malformed(violation: Http2Violation) -> Broken {
    Broken {
        code: Code::PROTOCOL_ERROR,
        violation,
    }
}

fn compression(bad: hpack::Bad) -> Broken {
    Broken {
        code: Code::COMPRESSION_ERROR,
        violation: bad.violation(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_its_status_and_its_length() {
        let cases: [(&[u8], u16, Option<u64>); 5] = [
            (b"\x88", 200, None),
            (b"\x20\x8d\x0f\x0d\x02\x34\x32", 404, Some(42)),
            // 302 in Huffman code, and a field that is not looked at.
            (b"\x48\x82\x64\x02\x00\x01a\x01b", 302, None),
            (b"\x08\x03103", 103, None),
            // The same length twice.
            (b"\x88\x0f\x0d\x01\x37\x0f\x0d\x01\x37", 200, Some(7)),
        ];
        for (block, status, length) in cases {
            assert_eq!(
                Head::parse(block, |_, _| {}),
                Ok(Head { status, length }),
                "{block:02x?}"
            );
        }
    }

    /// A response with a field whose name is of forty zeros in Huffman code (00000 each), and then of this.
    fn long_name(then: &[u8]) -> Vec<u8> {
        let name = [&[0; 25][..], then].concat();
        let length = 0x80 | name.len() as u8;
        [&b"\x88\x00"[..], &[length], &name, b"\x01b"].concat()
    }

    #[test]
    fn a_long_name_is_one_that_says_nothing_here() {
        let mut names = Vec::new();
        let head = Head::parse(&long_name(b""), |name, _| names.push(name.to_vec()));
        assert_eq!(head.map(|head| head.status), Ok(200));
        assert_eq!(names, [b"0".repeat(SHORT)]);
    }

    #[test]
    fn what_is_no_head_is_named() {
        let long_name = long_name(b"\xff");
        let cases: [(&[u8], Code); 20] = [
            (b"", Code::PROTOCOL_ERROR),
            (b"\x00\x01a\x01b", Code::PROTOCOL_ERROR),
            (b"\x00\x01a\x01b\x88", Code::PROTOCOL_ERROR),
            (b"\x88\x88", Code::PROTOCOL_ERROR),
            (b"\x88\x82", Code::PROTOCOL_ERROR),
            (b"\x08\x02\x32\x30", Code::PROTOCOL_ERROR),
            (b"\x08\x03\x30\x39\x39", Code::PROTOCOL_ERROR),
            (
                b"\x88\x0f\x0d\x01\x37\x0f\x0d\x01\x38",
                Code::PROTOCOL_ERROR,
            ),
            // Status 101, an empty name, and values with a line break, a zero byte, a space before and a tab after.
            (b"\x08\x03101", Code::PROTOCOL_ERROR),
            (b"\x88\x00\x00\x01b", Code::PROTOCOL_ERROR),
            (b"\x88\x00\x01a\x03b\r\n", Code::PROTOCOL_ERROR),
            (b"\x88\x00\x01a\x03b\0c", Code::PROTOCOL_ERROR),
            (b"\x88\x00\x01a\x02 b", Code::PROTOCOL_ERROR),
            (b"\x88\x00\x01a\x02b\t", Code::PROTOCOL_ERROR),
            // What speaks of the connection.
            (b"\x88\x00\x0aconnection\x05close", Code::PROTOCOL_ERROR),
            (b"\x88\x00\x0akeep-alive\x01b", Code::PROTOCOL_ERROR),
            // `transfer-encoding` of the static table.
            (b"\x88\x0f\x2a\x07chunked", Code::PROTOCOL_ERROR),
            (b"\xbe", Code::COMPRESSION_ERROR),
            // A name of padding alone, and one that is no text only behind what is read of it.
            (b"\x88\x00\x81\xff\x01b", Code::COMPRESSION_ERROR),
            (&long_name, Code::COMPRESSION_ERROR),
        ];
        for (block, code) in cases {
            assert_eq!(
                Head::parse(block, |_, _| {}).map_err(|bad| bad.code),
                Err(code),
                "{block:02x?}"
            );
        }
    }

    #[test]
    fn values_in_huffman_code_are_checked_too() {
        // `a`, a line break (30 bits), a zero byte (13 bits), and a padding of zeros: RFC 7541, appendix B.
        let cases: [(&[u8], Option<Code>); 4] = [
            (b"\x88\x00\x01a\x81\x1f", None),
            (
                b"\x88\x00\x01a\x84\xff\xff\xff\xf3",
                Some(Code::PROTOCOL_ERROR),
            ),
            (b"\x88\x00\x01a\x82\xff\xc7", Some(Code::PROTOCOL_ERROR)),
            (b"\x88\x00\x01a\x81\x18", Some(Code::COMPRESSION_ERROR)),
        ];
        for (block, code) in cases {
            let found = check_coded_values(block).err().map(|bad| bad.code);
            assert_eq!(found, code, "{block:02x?}");
            // They are decoded for this alone.
            assert!(Head::parse(block, |_, _| {}).is_ok());
        }
    }

    #[test]
    fn fields_after_the_content_are_handed_on() {
        let block = b"\x00\x0bgrpc-status\x02\x31\x34\x00\x0cgrpc-message\x01x";
        let mut found = Vec::new();
        let read = trailers(block, |name, value| {
            found.push((name.to_vec(), number(value)))
        });
        assert_eq!(read, Ok(()));
        assert_eq!(
            found,
            [
                (b"grpc-status".to_vec(), Some(14)),
                (b"grpc-message".to_vec(), None)
            ]
        );
        assert!(trailers(b"\x88", |_, _| {}).is_err());
        assert!(trailers(b"\x00\x07upgrade\x01b", |_, _| {}).is_err());
        assert!(trailers(b"\x00\x01a\x01\n", |_, _| {}).is_err());
    }
}
