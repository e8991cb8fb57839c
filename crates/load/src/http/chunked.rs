//! The chunked coding (RFC 9112, section 7.1), with extensions and trailers, in constant memory.

use photofinish_model::finding::complaint::Http1Violation;

/// The longest chunk-size line, extensions included, in bytes.
const LINE_LIMIT: u32 = 4096;
/// The longest trailer section, in bytes.
const TRAILER_LIMIT: u32 = 64 * 1024;

/// Where a chunked body is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Chunked {
    at: At,
    /// The chunk's size, or what is left of it.
    left: u64,
    /// Bytes of the line (of the trailer section) so far.
    seen: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum At {
    #[default]
    FirstDigit,
    Digits,
    Extension,
    SizeNewline,
    Data,
    DataReturn,
    DataNewline,
    TrailerStart,
    Trailer,
    TrailerNewline,
    LastNewline,
}

/// What the next bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// All bytes are taken.
    More,
    /// Data: `len` bytes after the first `skip`.
    Data { skip: usize, len: usize },
    /// The body ends after so many bytes.
    End { used: usize },
    /// Not the chunked coding.
    Bad(Http1Violation),
}

impl Chunked {
    /// Takes bytes up to the end of the next piece of data or of the body.
    pub fn step(&mut self, bytes: &[u8]) -> Step {
        for (i, &byte) in bytes.iter().enumerate() {
            self.seen += 1;
            self.at = match (self.at, byte) {
                (At::FirstDigit | At::Digits, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => {
                    let digit = (byte as char).to_digit(16).unwrap_or(0);
                    match self.left.checked_mul(16) {
                        Some(size) => self.left = size | u64::from(digit),
                        None => return Step::Bad(Http1Violation::LargeChunkSize),
                    }
                    At::Digits
                }
                (At::FirstDigit, _) => return Step::Bad(Http1Violation::NoChunkSize),
                (At::Digits | At::Extension, b'\r') => At::SizeNewline,
                (At::Digits, b';' | b' ' | b'\t') => At::Extension,
                (At::Digits, _) => return Step::Bad(Http1Violation::ChunkSize),
                (At::Extension, b'\n') => {
                    return Step::Bad(Http1Violation::ChunkLineEnd);
                }
                (At::Extension, _) => At::Extension,
                (At::SizeNewline, b'\n') => {
                    self.seen = 0;
                    if self.left == 0 {
                        At::TrailerStart
                    } else {
                        At::Data
                    }
                }
                (At::SizeNewline, _) => {
                    return Step::Bad(Http1Violation::ChunkLineEnd);
                }
                (At::Data, _) => {
                    let rest = bytes.len() - i;
                    let len = usize::try_from(self.left).map_or(rest, |left| left.min(rest));
                    self.left -= len as u64;
                    self.seen = 0;
                    if self.left == 0 {
                        self.at = At::DataReturn;
                    }
                    return Step::Data { skip: i, len };
                }
                (At::DataReturn, b'\r') => At::DataNewline,
                (At::DataNewline, b'\n') => {
                    self.seen = 0;
                    At::FirstDigit
                }
                (At::DataReturn | At::DataNewline, _) => {
                    return Step::Bad(Http1Violation::LongChunk);
                }
                (At::TrailerStart, b'\r') => At::LastNewline,
                (At::TrailerStart | At::Trailer, b'\n') => {
                    return Step::Bad(Http1Violation::TrailerEnd);
                }
                (At::Trailer, b'\r') => At::TrailerNewline,
                (At::TrailerStart | At::Trailer, _) => At::Trailer,
                (At::TrailerNewline, b'\n') => At::TrailerStart,
                (At::LastNewline, b'\n') => return Step::End { used: i + 1 },
                (At::TrailerNewline | At::LastNewline, _) => {
                    return Step::Bad(Http1Violation::TrailerEnd);
                }
            };
            let trailer = matches!(
                self.at,
                At::TrailerStart | At::Trailer | At::TrailerNewline | At::LastNewline
            );
            if self.seen > if trailer { TRAILER_LIMIT } else { LINE_LIMIT } {
                return Step::Bad(Http1Violation::LongChunkLine);
            }
        }
        Step::More
    }
}
