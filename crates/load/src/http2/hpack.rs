//! Header compression (RFC 7541) without a table that grows.
//!
//! The client asks for a table of size 0, before its first request; whoever responds to that has to say each field in full or
//! by its number in the static table. So a block of fields means the same at any time, and nothing is remembered from
//! one to the next: no state a connection, and no bomb that unpacks to more than it is.

use photofinish_model::finding::complaint::Http2Violation;

use super::huffman;

/// The static table (RFC 7541, appendix A).
#[rustfmt::skip]
const STATIC: [(&str, &str); 61] = [
    (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"), (":path", "/index.html"),
    (":scheme", "http"), (":scheme", "https"), (":status", "200"), (":status", "204"), (":status", "206"),
    (":status", "304"), (":status", "400"), (":status", "404"), (":status", "500"), ("accept-charset", ""),
    ("accept-encoding", "gzip, deflate"), ("accept-language", ""), ("accept-ranges", ""), ("accept", ""),
    ("access-control-allow-origin", ""), ("age", ""), ("allow", ""), ("authorization", ""), ("cache-control", ""),
    ("content-disposition", ""), ("content-encoding", ""), ("content-language", ""), ("content-length", ""),
    ("content-location", ""), ("content-range", ""), ("content-type", ""), ("cookie", ""), ("date", ""), ("etag", ""),
    ("expect", ""), ("expires", ""), ("from", ""), ("host", ""), ("if-match", ""), ("if-modified-since", ""),
    ("if-none-match", ""), ("if-range", ""), ("if-unmodified-since", ""), ("last-modified", ""), ("link", ""),
    ("location", ""), ("max-forwards", ""), ("proxy-authenticate", ""), ("proxy-authorization", ""), ("range", ""),
    ("referer", ""), ("refresh", ""), ("retry-after", ""), ("server", ""), ("set-cookie", ""),
    ("strict-transport-security", ""), ("transfer-encoding", ""), ("user-agent", ""), ("vary", ""), ("via", ""),
    ("www-authenticate", ""),
];

/// A block that breaks the rules of compression; the connection is of no further use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bad {
    /// A field that goes on after the block's end.
    Cut,
    /// A number that no field could need.
    Number,
    /// An entry of a table that has none there.
    Index,
    /// A table that was not allowed.
    Size,
    /// A change of the table's size after the first field.
    Late,
    /// A text that its code does not give.
    Text,
}

impl Bad {
    /// What is wrong.
    pub fn violation(self) -> Http2Violation {
        match self {
            Bad::Cut => Http2Violation::CutField,
            Bad::Number => Http2Violation::FieldNumber,
            Bad::Index => Http2Violation::FieldIndex,
            Bad::Size => Http2Violation::FieldTable,
            Bad::Late => Http2Violation::FieldTableChange,
            Bad::Text => Http2Violation::FieldText,
        }
    }
}

/// A field's name or value as it stands in the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text<'a> {
    /// As it is.
    Plain(&'a [u8]),
    /// In HPACK's Huffman code.
    Coded(&'a [u8]),
}

impl<'a> Text<'a> {
    /// The text itself; `room` is used where it has to be decoded, for `most` bytes at most.
    ///
    /// # Errors
    /// [`Bad::Text`], also where it is longer when it is decoded.
    pub fn read<'b>(self, most: usize, room: &'b mut Vec<u8>) -> Result<&'b [u8], Bad>
    where
        'a: 'b,
    {
        match self.begins(most, room)? {
            (text, true) => Ok(text),
            (_, false) => Err(Bad::Text),
        }
    }

    /// The same, of a longer one its first `most` bytes; and whether it is whole.
    ///
    /// # Errors
    /// [`Bad::Text`].
    pub fn begins<'b>(self, most: usize, room: &'b mut Vec<u8>) -> Result<(&'b [u8], bool), Bad>
    where
        'a: 'b,
    {
        match self {
            Text::Plain(text) => Ok((text, true)),
            Text::Coded(coded) => {
                room.clear();
                let whole = huffman::decode(coded, most, room).ok_or(Bad::Text)?;
                Ok((room, whole))
            }
        }
    }
}

/// A header field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field<'a> {
    pub name: Text<'a>,
    pub value: Text<'a>,
}

/// The fields of a block, in order.
#[derive(Clone, Debug)]
pub struct Fields<'a> {
    rest: &'a [u8],
    begun: bool,
}

/// The fields of a whole block.
pub fn fields(block: &[u8]) -> Fields<'_> {
    Fields {
        rest: block,
        begun: false,
    }
}

impl<'a> Fields<'a> {
    fn take(&mut self) -> Result<Field<'a>, Bad> {
        loop {
            let first = *self.rest.first().ok_or(Bad::Cut)?;
            // RFC 7541, section 6.
            if first & 0x80 != 0 {
                self.begun = true;
                let (name, value) = entry(self.number(7)?)?;
                return Ok(Field { name, value });
            }
            if first & 0xe0 == 0x20 {
                let size = self.number(5)?;
                if self.begun {
                    return Err(Bad::Late);
                }
                if size > 0 {
                    return Err(Bad::Size);
                }
                if self.rest.is_empty() {
                    return Err(Bad::Cut);
                }
                continue;
            }
            self.begun = true;
            // To be entered into the table, which holds nothing; or not; or never.
            let bits = if first & 0x40 != 0 { 6 } else { 4 };
            let name = match self.number(bits)? {
                0 => self.text()?,
                index => entry(index)?.0,
            };
            let value = self.text()?;
            return Ok(Field { name, value });
        }
    }

    /// RFC 7541, section 5.1.
    fn number(&mut self, bits: u32) -> Result<u64, Bad> {
        let most = (1u64 << bits) - 1;
        let (first, mut rest) = self.rest.split_first().ok_or(Bad::Cut)?;
        let mut number = u64::from(*first) & most;
        if number == most {
            let mut shift = 0;
            loop {
                let (byte, after) = rest.split_first().ok_or(Bad::Cut)?;
                rest = after;
                if shift > 28 {
                    return Err(Bad::Number);
                }
                number += u64::from(byte & 0x7f) << shift;
                shift += 7;
                if byte & 0x80 == 0 {
                    break;
                }
            }
        }
        self.rest = rest;
        Ok(number)
    }

    /// RFC 7541, section 5.2.
    fn text(&mut self) -> Result<Text<'a>, Bad> {
        let coded = self.rest.first().ok_or(Bad::Cut)? & 0x80 != 0;
        let length = usize::try_from(self.number(7)?).map_err(|_| Bad::Number)?;
        let (text, rest) = self.rest.split_at_checked(length).ok_or(Bad::Cut)?;
        self.rest = rest;
        Ok(if coded {
            Text::Coded(text)
        } else {
            Text::Plain(text)
        })
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Field<'a>, Bad>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.take();
        if field.is_err() {
            self.rest = &[];
        }
        Some(field)
    }
}

fn entry(index: u64) -> Result<(Text<'static>, Text<'static>), Bad> {
    let at = usize::try_from(index).ok().and_then(|i| i.checked_sub(1));
    let entry = at.and_then(|at| STATIC.get(at)).ok_or(Bad::Index)?;
    Ok((
        Text::Plain(entry.0.as_bytes()),
        Text::Plain(entry.1.as_bytes()),
    ))
}

/// Adds a field to a block: by its number where the static table has it, else in full, and never to be entered into
/// the server's table, so that each request means the same wherever it stands. The name is lower case.
pub fn write_field(name: &[u8], value: &[u8], into: &mut Vec<u8>) {
    let place = |entry: &&(&str, &str)| entry.0.as_bytes() == name;
    let whole = STATIC
        .iter()
        .position(|entry| place(&entry) && entry.1.as_bytes() == value);
    if let Some(at) = whole {
        write_number(at as u64 + 1, 7, 0x80, into);
        return;
    }
    write_name(name, into);
    write_text(value, into);
}

/// Adds the name of a field whose value follows by [`write_length`] and its bytes.
pub fn write_name(name: &[u8], into: &mut Vec<u8>) {
    match STATIC.iter().position(|entry| entry.0.as_bytes() == name) {
        Some(at) => write_number(at as u64 + 1, 4, 0, into),
        None => {
            into.push(0);
            write_text(name, into);
        }
    }
}

fn write_text(text: &[u8], into: &mut Vec<u8>) {
    write_length(text.len(), into);
    into.extend_from_slice(text);
}

/// Adds the length of a text that follows as it is.
pub fn write_length(length: usize, into: &mut Vec<u8>) {
    write_number(length as u64, 7, 0, into);
}

fn write_number(number: u64, bits: u32, first: u8, into: &mut Vec<u8>) {
    let most = (1u64 << bits) - 1;
    if number < most {
        into.push(first | number as u8);
        return;
    }
    into.push(first | most as u8);
    let mut rest = number - most;
    while rest >= 0x80 {
        into.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    into.push(rest as u8);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(block: &[u8]) -> Result<Vec<(String, String)>, Bad> {
        let text = |text: Text| {
            let mut room = Vec::new();
            text.read(1_000, &mut room)
                .map(|text| String::from_utf8_lossy(text).into_owned())
        };
        fields(block)
            .map(|field| field.and_then(|field| Ok((text(field.name)?, text(field.value)?))))
            .collect()
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        pairs.iter().map(own).collect()
    }

    #[test]
    fn the_examples_of_the_standard_are_read() {
        // RFC 7541, C.2.1 to C.2.4, C.3.1, C.4.1, and the first response of C.6.
        type Pairs = &'static [(&'static str, &'static str)];
        let cases: [(&[u8], Pairs); 7] = [
            (
                b"\x40\x0acustom-key\x0dcustom-header",
                &[("custom-key", "custom-header")],
            ),
            (b"\x04\x0c/sample/path", &[(":path", "/sample/path")]),
            (b"\x10\x08password\x06secret", &[("password", "secret")]),
            (b"\x82", &[(":method", "GET")]),
            (
                b"\x82\x86\x84\x41\x0fwww.example.com",
                &[
                    (":method", "GET"),
                    (":scheme", "http"),
                    (":path", "/"),
                    (":authority", "www.example.com"),
                ],
            ),
            (
                b"\x82\x86\x84\x41\x8c\xf1\xe3\xc2\xe5\xf2\x3a\x6b\xa0\xab\x90\xf4\xff",
                &[
                    (":method", "GET"),
                    (":scheme", "http"),
                    (":path", "/"),
                    (":authority", "www.example.com"),
                ],
            ),
            (
                b"\x20\x48\x82\x64\x02\x58\x85\xae\xc3\x77\x1a\x4b",
                &[(":status", "302"), ("cache-control", "private")],
            ),
        ];
        for (block, expected) in cases {
            assert_eq!(read(block), Ok(pairs(expected)), "{block:02x?}");
        }
    }

    #[test]
    fn what_breaks_the_rules_is_named() {
        let cases: [(&[u8], Bad); 11] = [
            (b"\x80", Bad::Index),
            (b"\xbe", Bad::Index),
            (b"\x7e\x01a", Bad::Index),
            (b"\x3f\xe1\x1f\x88", Bad::Size),
            (b"\x88\x20\x88", Bad::Late),
            (b"\x20", Bad::Cut),
            (b"\x04\x05abc", Bad::Cut),
            (b"\x40", Bad::Cut),
            (b"\xff", Bad::Cut),
            (b"\xff\xff\xff\xff\xff\xff\xff", Bad::Number),
            (b"\x00\x01a\x82\xff\xff", Bad::Text),
        ];
        for (block, bad) in cases {
            assert_eq!(read(block), Err(bad), "{block:02x?}");
        }
    }

    #[test]
    fn a_field_is_written_as_short_as_the_static_table_allows() {
        let mut block = Vec::new();
        write_field(b":method", b"GET", &mut block);
        write_field(b":path", b"/a", &mut block);
        write_field(b"x-b", b"c", &mut block);
        assert_eq!(block, b"\x82\x04\x02/a\x00\x03x-b\x01c");
        let long = "v".repeat(300);
        write_field(b"user-agent", long.as_bytes(), &mut block);
        let fields = read(&block).expect("a block");
        assert_eq!(fields[3], ("user-agent".to_owned(), long));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(pairs in proptest::collection::vec(("[a-z:-]{1,200}", "[ -~]{0,300}"), 0..8)) {
            let mut block = Vec::new();
            for (name, value) in &pairs {
                write_field(name.as_bytes(), value.as_bytes(), &mut block);
            }
            prop_assert_eq!(read(&block), Ok(pairs));
        }

        #[test]
        fn any_bytes_are_survived(block in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&block);
        }
    }
}
