//! Frames (RFC 6455, section 5): made with their masks, and read out of a stream of bytes that comes in any pieces.

use photofinish_model::finding::complaint::FrameViolation;

/// What a frame is.
pub mod opcode {
    pub const CONTINUATION: u8 = 0;
    pub const TEXT: u8 = 1;
    pub const BINARY: u8 = 2;
    pub const CLOSE: u8 = 8;
    pub const PING: u8 = 9;
    pub const PONG: u8 = 10;
}

/// The most bytes of a control frame's payload.
const CONTROL: usize = 125;

const FIN: u8 = 0x80;
const MASKED: u8 = 0x80;

/// A key that payloads are masked with. One for all frames of a thread is enough here: the rule that no sender of messages may
/// foresee it keeps scripts in a browser from talking to proxies.
pub type Key = [u8; 4];

/// Adds a whole message, or a control frame, as a client sends it.
pub fn write(opcode: u8, key: Key, payload: &[u8], into: &mut Vec<u8>) {
    into.push(FIN | opcode);
    match payload.len() {
        length @ 0..=125 => into.push(MASKED | length as u8),
        length @ 126..=0xffff => {
            into.push(MASKED | 126);
            into.extend_from_slice(&(length as u16).to_be_bytes());
        }
        length => {
            into.push(MASKED | 127);
            into.extend_from_slice(&(length as u64).to_be_bytes());
        }
    }
    into.extend_from_slice(&key);
    let (words, rest) = payload.as_chunks::<4>();
    let masked = words
        .iter()
        .flat_map(|word| (u32::from_ne_bytes(*word) ^ u32::from_ne_bytes(key)).to_ne_bytes());
    into.reserve(payload.len());
    into.extend(masked);
    into.extend(rest.iter().zip(key).map(|(byte, key)| byte ^ key));
}

/// What came.
#[derive(Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Some of a message.
    Message {
        content: &'a [u8],
        /// The message has come to its end.
        ends: bool,
    },
    Ping(&'a [u8]),
    Pong,
    /// Its payload: a code and a reason, or nothing.
    Close(&'a [u8]),
}

/// A stream of a server's frames.
#[derive(Debug, Default)]
pub struct Incoming {
    /// The head, and a control frame's payload, as far as they are here.
    held: Held,
    /// The message's frame whose content comes now.
    frame: Option<Frame>,
    /// A message was begun, and other frames of it are to come.
    begun: bool,
}

#[derive(Debug)]
struct Frame {
    left: u64,
    last: bool,
}

#[derive(Debug)]
struct Held {
    /// A head has at most 10 bytes here: a server masks nothing.
    bytes: [u8; 2 + CONTROL],
    length: usize,
}

impl Default for Held {
    fn default() -> Held {
        Held {
            bytes: [0; 2 + CONTROL],
            length: 0,
        }
    }
}

impl Held {
    /// Takes bytes until so many are held.
    fn fill(&mut self, to: usize, bytes: &mut &[u8]) -> bool {
        let take = to.saturating_sub(self.length).min(bytes.len());
        let (taken, rest) = bytes.split_at(take);
        self.bytes[self.length..self.length + take].copy_from_slice(taken);
        self.length += take;
        *bytes = rest;
        self.length >= to
    }
}

impl Incoming {
    /// The next piece; takes from `bytes` what was used. `None`: all is used, and more is needed.
    ///
    /// # Errors
    /// With what is wrong.
    pub fn next<'s, 'b: 's>(
        &'s mut self,
        bytes: &mut &'b [u8],
    ) -> Result<Option<Piece<'s>>, FrameViolation> {
        if self.frame.is_none() {
            if !self.held.fill(2, bytes) {
                return Ok(None);
            }
            let [first, second, ..] = self.held.bytes;
            self.check(first, second)?;
            if first & 0x08 != 0 {
                return Ok(self.control(first & 0x0f, usize::from(second), bytes));
            }
            let wide = match second {
                127 => 8,
                126 => 2,
                _ => 0,
            };
            if !self.held.fill(2 + wide, bytes) {
                return Ok(None);
            }
            let length = match &self.held.bytes[2..2 + wide] {
                [] => u64::from(second),
                number => number
                    .iter()
                    .fold(0, |sum, byte| (sum << 8) | u64::from(*byte)),
            };
            self.held.length = 0;
            if length >> 63 != 0 {
                return Err(FrameViolation::Length);
            }
            let last = first & FIN != 0;
            self.begun = !last;
            self.frame = Some(Frame { left: length, last });
            if length > 0 && bytes.is_empty() {
                return Ok(None);
            }
        }
        Ok(self.content(bytes))
    }

    /// Some of the content of the frame that comes now.
    fn content<'b>(&mut self, bytes: &mut &'b [u8]) -> Option<Piece<'b>> {
        let frame = self.frame.as_mut()?;
        if frame.left > 0 && bytes.is_empty() {
            return None;
        }
        let take = usize::try_from(frame.left).map_or(bytes.len(), |left| left.min(bytes.len()));
        let (content, rest) = bytes.split_at(take);
        *bytes = rest;
        frame.left -= take as u64;
        let over = frame.left == 0;
        let ends = over && frame.last;
        if over {
            self.frame = None;
        }
        Some(Piece::Message { content, ends })
    }

    fn control(&mut self, kind: u8, length: usize, bytes: &mut &[u8]) -> Option<Piece<'_>> {
        if !self.held.fill(2 + length, bytes) {
            return None;
        }
        self.held.length = 0;
        let payload = &self.held.bytes[2..2 + length];
        Some(match kind {
            opcode::PING => Piece::Ping(payload),
            opcode::PONG => Piece::Pong,
            _ => Piece::Close(payload),
        })
    }

    /// The first two bytes of a frame.
    fn check(&self, first: u8, second: u8) -> Result<(), FrameViolation> {
        let last = first & FIN != 0;
        match first & 0x0f {
            _ if first & 0x70 != 0 => Err(FrameViolation::Extension),
            _ if second & MASKED != 0 => Err(FrameViolation::Masked),
            opcode::TEXT | opcode::BINARY if self.begun => Err(FrameViolation::Overlap),
            opcode::CONTINUATION if !self.begun => Err(FrameViolation::Continuation),
            opcode::CONTINUATION | opcode::TEXT | opcode::BINARY => Ok(()),
            opcode::CLOSE | opcode::PING | opcode::PONG => {
                match last && usize::from(second) <= CONTROL {
                    true => Ok(()),
                    false => Err(FrameViolation::Control),
                }
            }
            _ => Err(FrameViolation::Opcode),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const KEY: Key = [1, 2, 3, 4];

    /// A frame as a server sends it.
    fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(first & 0x0f, [0; 4], payload, &mut bytes);
        let head = bytes.len() - payload.len();
        bytes.drain(head - 4..head);
        bytes[0] = first;
        bytes[1] &= 0x7f;
        bytes
    }

    /// Messages, pings and closes out of bytes that come in pieces of such a length.
    fn read(bytes: &[u8], piece: usize) -> Result<Vec<String>, FrameViolation> {
        let (mut incoming, mut message, mut all) = (Incoming::default(), Vec::new(), Vec::new());
        for mut rest in bytes.chunks(piece) {
            while let Some(piece) = incoming.next(&mut rest)? {
                match piece {
                    Piece::Message { content, ends } => {
                        message.extend_from_slice(content);
                        if ends {
                            all.push(format!(
                                "message of {}: {:?}",
                                message.len(),
                                message.first()
                            ));
                            message.clear();
                        }
                    }
                    Piece::Ping(payload) => all.push(format!("ping {}", payload.escape_ascii())),
                    Piece::Pong => all.push("pong".to_owned()),
                    Piece::Close(payload) => all.push(format!("close {}", payload.escape_ascii())),
                }
            }
            assert!(rest.is_empty());
        }
        Ok(all)
    }

    #[test]
    fn a_message_is_masked_as_in_the_rfc() {
        // RFC 6455, section 5.7: a masked "Hello".
        let mut bytes = Vec::new();
        write(opcode::TEXT, [0x37, 0xfa, 0x21, 0x3d], b"Hello", &mut bytes);
        let expected = [
            0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58,
        ];
        assert_eq!(bytes, expected);
        for (length, head) in [(125, 6), (126, 8), (65_535, 8), (65_536, 14)] {
            let payload: Vec<u8> = (0..length).map(|i| i as u8).collect();
            bytes.clear();
            write(opcode::BINARY, KEY, &payload, &mut bytes);
            assert_eq!(bytes.len(), length + head);
            let unmasked = bytes[head..].iter().zip(KEY.iter().cycle());
            assert!(unmasked.map(|(byte, key)| byte ^ key).eq(payload));
        }
    }

    #[test]
    fn frames_come_out_whatever_the_pieces() {
        let bytes = [
            frame(0x82, &[7; 3]),
            frame(0x01, b"He"),
            frame(0x89, b"there?"),
            frame(0x00, b"l"),
            frame(0x80, b"lo"),
            frame(0x82, &[9; 70_000]),
            frame(0x81, b""),
            frame(0x8a, b""),
            frame(0x82, &[5; 300]),
            frame(0x88, b"\x03\xe8bye"),
        ]
        .concat();
        let expected = [
            "message of 3: Some(7)",
            "ping there?",
            "message of 5: Some(72)",
            "message of 70000: Some(9)",
            "message of 0: None",
            "pong",
            "message of 300: Some(5)",
            "close \\x03\\xe8bye",
        ];
        for piece in [1, 2, 3, 7, 1_000, 1 << 20] {
            assert_eq!(read(&bytes, piece).expect("valid"), expected, "{piece}");
        }
    }

    #[test]
    fn what_breaks_the_protocol_is_named() {
        let masked = [0x81, 0x80 | 1, 0, 0, 0, 0, b'x'];
        let long = [0x82, 127, 0xff, 0, 0, 0, 0, 0, 0, 0];
        let cases: [(&[u8], FrameViolation); 9] = [
            (&masked, FrameViolation::Masked),
            (&frame(0xc1, b"x"), FrameViolation::Extension),
            (&frame(0x80, b"x"), FrameViolation::Continuation),
            (
                &[frame(0x01, b"x"), frame(0x81, b"y")].concat(),
                FrameViolation::Overlap,
            ),
            (&frame(0x09, b"x"), FrameViolation::Control),
            (&frame(0x89, &[0; 126]), FrameViolation::Control),
            (&frame(0x83, b"x"), FrameViolation::Opcode),
            (&frame(0x8b, b"x"), FrameViolation::Opcode),
            (&long, FrameViolation::Length),
        ];
        for (bytes, violation) in cases {
            assert_eq!(read(bytes, bytes.len()), Err(violation));
            assert_eq!(read(bytes, 1), Err(violation));
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 1..300), piece in 1_usize..50) {
            let whole = read(&bytes, bytes.len());
            prop_assert_eq!(read(&bytes, piece), whole);
        }
    }
}
