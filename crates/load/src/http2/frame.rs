//! HTTP/2 frames (RFC 9113, sections 4 and 6): their heads, and those that a client sends.

/// What a client says first.
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// A frame's head, in bytes.
pub const HEAD: usize = 9;
/// The longest payload that is accepted until something else was said, and that every peer accepts, in bytes.
pub const LEAST_MAX_FRAME: usize = 16_384;
/// The window that every stream and the connection begin with, in bytes.
pub const FIRST_WINDOW: i64 = 65_535;
/// The largest window.
pub const LARGEST_WINDOW: i64 = (1 << 31) - 1;

/// A frame's type.
pub mod kind {
    pub const DATA: u8 = 0;
    pub const HEADERS: u8 = 1;
    pub const RST_STREAM: u8 = 3;
    pub const SETTINGS: u8 = 4;
    pub const PUSH_PROMISE: u8 = 5;
    pub const PING: u8 = 6;
    pub const GOAWAY: u8 = 7;
    pub const WINDOW_UPDATE: u8 = 8;
    pub const CONTINUATION: u8 = 9;
}

/// A frame's flags. `ACK` and `END_STREAM` are the same bit of different types.
pub mod flag {
    pub const ACK: u8 = 0x1;
    pub const END_STREAM: u8 = 0x1;
    pub const END_HEADERS: u8 = 0x4;
    pub const PADDED: u8 = 0x8;
    pub const PRIORITY: u8 = 0x20;
}

/// A parameter of SETTINGS.
pub mod setting {
    pub const HEADER_TABLE_SIZE: u16 = 1;
    pub const ENABLE_PUSH: u16 = 2;
    pub const MAX_CONCURRENT_STREAMS: u16 = 3;
    pub const INITIAL_WINDOW_SIZE: u16 = 4;
    pub const MAX_FRAME_SIZE: u16 = 5;
    pub const MAX_HEADER_LIST_SIZE: u16 = 6;
}

/// Why a stream or a connection was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code(pub u32);

impl Code {
    pub const NO_ERROR: Code = Code(0);
    pub const PROTOCOL_ERROR: Code = Code(1);
    pub const FLOW_CONTROL_ERROR: Code = Code(3);
    pub const STREAM_CLOSED: Code = Code(5);
    pub const FRAME_SIZE_ERROR: Code = Code(6);
    pub const REFUSED_STREAM: Code = Code(7);
    pub const CANCEL: Code = Code(8);
    pub const COMPRESSION_ERROR: Code = Code(9);
    pub const ENHANCE_YOUR_CALM: Code = Code(11);
}

/// The head of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The payload, in bytes.
    pub length: usize,
    pub kind: u8,
    pub flags: u8,
    /// The stream; 0 = the connection.
    pub stream: u32,
}

impl Head {
    /// Reads a head.
    #[inline]
    pub fn parse(bytes: [u8; HEAD]) -> Head {
        let [a, b, c, kind, flags, s0, s1, s2, s3] = bytes;
        Head {
            length: u32::from_be_bytes([0, a, b, c]) as usize,
            kind,
            flags,
            // One bit is reserved, and is not looked at.
            stream: u32::from_be_bytes([s0, s1, s2, s3]) & (u32::MAX >> 1),
        }
    }

    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Adds the head to what goes out.
    #[inline]
    pub fn write(&self, into: &mut Vec<u8>) {
        let [_, a, b, c] = (self.length as u32).to_be_bytes();
        let [s0, s1, s2, s3] = self.stream.to_be_bytes();
        into.extend_from_slice(&[a, b, c, self.kind, self.flags, s0, s1, s2, s3]);
    }
}

/// Adds a frame.
pub fn write(kind: u8, flags: u8, stream: u32, payload: &[u8], into: &mut Vec<u8>) {
    Head {
        length: payload.len(),
        kind,
        flags,
        stream,
    }
    .write(into);
    into.extend_from_slice(payload);
}

/// Adds SETTINGS.
pub fn settings(pairs: &[(u16, u32)], into: &mut Vec<u8>) {
    Head {
        length: 6 * pairs.len(),
        kind: kind::SETTINGS,
        flags: 0,
        stream: 0,
    }
    .write(into);
    for (name, value) in pairs {
        into.extend_from_slice(&name.to_be_bytes());
        into.extend_from_slice(&value.to_be_bytes());
    }
}

/// Adds a WINDOW_UPDATE, RST_STREAM or another frame that is one number.
pub fn number(kind: u8, stream: u32, number: u32, into: &mut Vec<u8>) {
    write(kind, 0, stream, &number.to_be_bytes(), into);
}

/// The first four bytes as a number.
pub fn first_u32(payload: &[u8]) -> Option<u32> {
    payload
        .first_chunk()
        .map(|bytes| u32::from_be_bytes(*bytes))
}

/// A payload without its padding (RFC 9113, section 6.1); `None`: more padding than payload.
pub fn unpadded(flags: u8, payload: &[u8]) -> Option<&[u8]> {
    if flags & flag::PADDED == 0 {
        return Some(payload);
    }
    let (padding, rest) = payload.split_first()?;
    rest.get(..rest.len().checked_sub(usize::from(*padding))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_as_it_was_written() {
        let head = Head {
            length: 0x01_02_03,
            kind: kind::HEADERS,
            flags: flag::END_HEADERS | flag::END_STREAM,
            stream: 0x7fff_ffff,
        };
        let mut bytes = Vec::new();
        head.write(&mut bytes);
        assert_eq!(bytes, b"\x01\x02\x03\x01\x05\x7f\xff\xff\xff");
        bytes[5] |= 0x80;
        assert_eq!(Head::parse(bytes.try_into().expect("nine bytes")), head);
    }

    #[test]
    fn padding_is_taken_off_and_never_more_than_is_there() {
        let cases: [(&[u8], Option<&[u8]>); 5] = [
            (b"\x02abcd", Some(b"ab")),
            (b"\x00", Some(b"")),
            (b"\x04abcd", Some(b"")),
            (b"\x05abcd", None),
            (b"", None),
        ];
        for (payload, expected) in cases {
            assert_eq!(unpadded(flag::PADDED, payload), expected, "{payload:?}");
            assert_eq!(unpadded(0, payload), Some(payload));
        }
    }

    #[test]
    fn settings_are_pairs_of_six_bytes() {
        let mut bytes = Vec::new();
        settings(
            &[
                (setting::ENABLE_PUSH, 0),
                (setting::INITIAL_WINDOW_SIZE, 0x0102_0304),
            ],
            &mut bytes,
        );
        assert_eq!(
            bytes,
            b"\0\0\x0c\x04\0\0\0\0\0\0\x02\0\0\0\0\0\x04\x01\x02\x03\x04"
        );
    }
}
