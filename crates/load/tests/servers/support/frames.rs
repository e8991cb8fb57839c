//! A server's side of HTTP/2, frame by frame (RFC 9113, section 4.1).

use std::io::{self, Read, Write};

pub const DATA: u8 = 0;
pub const HEADERS: u8 = 1;
pub const PRIORITY: u8 = 2;
pub const RST_STREAM: u8 = 3;
pub const SETTINGS: u8 = 4;
pub const PUSH_PROMISE: u8 = 5;
pub const PING: u8 = 6;
pub const GOAWAY: u8 = 7;
pub const WINDOW_UPDATE: u8 = 8;
pub const CONTINUATION: u8 = 9;

pub const ACK: u8 = 1;
pub const END_STREAM: u8 = 1;
pub const END_HEADERS: u8 = 4;

/// `:status: 200` of the static table (RFC 7541, appendix A).
pub const STATUS_200: u8 = 0x88;

/// Returns the bytes of a frame.
pub fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// A frame from a client.
pub struct Frame {
    pub kind: u8,
    pub flags: u8,
    pub stream: u32,
    pub payload: Vec<u8>,
}

impl Frame {
    fn read(from: &mut impl Read) -> io::Result<Frame> {
        let mut head = [0; 9];
        from.read_exact(&mut head)?;
        let [a, b, c, kind, flags, s0, s1, s2, s3] = head;
        let mut payload = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
        from.read_exact(&mut payload)?;
        Ok(Frame {
            kind,
            flags,
            stream: u32::from_be_bytes([s0, s1, s2, s3]),
            payload,
        })
    }

    /// Whether a request ends with this frame.
    pub fn ends_request(&self) -> bool {
        matches!(self.kind, HEADERS | DATA) && self.flags & END_STREAM != 0
    }
}

/// Serves a connection until the client leaves or `answer` fails. Sends these settings first, and
/// acknowledges the client's. `answer` gets every frame after the preface.
pub fn serve<S: Read + Write>(
    mut stream: S,
    settings: &[u8],
    mut answer: impl FnMut(&mut S, Frame) -> io::Result<()>,
) -> io::Result<()> {
    let mut preface = [0; 24];
    stream.read_exact(&mut preface)?;
    stream.write_all(&frame(SETTINGS, 0, 0, settings))?;
    loop {
        let next = Frame::read(&mut stream)?;
        if next.kind == SETTINGS && next.flags & ACK == 0 {
            stream.write_all(&frame(SETTINGS, ACK, 0, b""))?;
        }
        answer(&mut stream, next)?;
    }
}
