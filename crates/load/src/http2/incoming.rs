//! Frames out of a stream of bytes that comes in any pieces. The content of DATA is handed on as it comes and never held.

use photofinish_model::finding::complaint::Http2Violation;

use super::Broken;
use super::frame::{self, Code, Head, kind};

/// What came.
#[derive(Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// A frame and its payload.
    Frame(Head, &'a [u8]),
    /// Some content of a DATA frame.
    Data {
        stream: u32,
        content: &'a [u8],
        /// The frame has come to its end, and with it what its stream carries.
        ends: bool,
        /// What flow control counts: the whole payload, padding too, with the frame's first piece; else 0.
        counts: usize,
    },
}

/// The beginning of a frame whose rest is still to come.
#[derive(Debug, Default)]
pub struct Incoming {
    /// Head and payload, as far as they are here.
    held: Vec<u8>,
    /// What is held was handed out.
    handed: bool,
    data: Option<Data>,
}

/// A DATA frame whose content is being handed on.
#[derive(Debug)]
struct Data {
    stream: u32,
    ends: bool,
    /// Its first byte is the padding's length, and is still to come.
    padded: bool,
    left: usize,
    padding: usize,
    counts: usize,
}

impl Incoming {
    /// The next piece; takes from `bytes` what was used. `None`: all is used, and more is needed.
    ///
    /// # Errors
    /// For a frame longer than was allowed, and one with more padding than payload.
    pub fn next<'s, 'b: 's>(
        &'s mut self,
        bytes: &mut &'b [u8],
    ) -> Result<Option<Piece<'s>>, Broken> {
        if self.handed {
            self.handed = false;
            self.held.clear();
        }
        if self.data.is_some() {
            return self.more_data(bytes);
        }
        let Some(head) = self.head(bytes) else {
            return Ok(None);
        };
        if head.length > frame::LEAST_MAX_FRAME {
            return Err(Broken {
                code: Code::FRAME_SIZE_ERROR,
                violation: Http2Violation::LongFrame,
            });
        }
        if head.kind == kind::DATA {
            if self.held.is_empty() {
                *bytes = &bytes[frame::HEAD..];
            }
            self.held.clear();
            self.data = Some(Data {
                stream: head.stream,
                ends: head.has(frame::flag::END_STREAM),
                padded: head.has(frame::flag::PADDED),
                left: head.length,
                padding: 0,
                counts: head.length,
            });
            return self.more_data(bytes);
        }
        let whole = frame::HEAD + head.length;
        if self.held.is_empty()
            && let Some((all, rest)) = bytes.split_at_checked(whole)
        {
            *bytes = rest;
            return Ok(Some(Piece::Frame(head, &all[frame::HEAD..])));
        }
        self.hold(whole, bytes);
        if self.held.len() < whole {
            return Ok(None);
        }
        self.handed = true;
        Ok(Some(Piece::Frame(head, &self.held[frame::HEAD..])))
    }

    /// The head of the frame that begins here, if it is here; it is not taken from `bytes` where nothing was held.
    fn head(&mut self, bytes: &mut &[u8]) -> Option<Head> {
        if self.held.is_empty()
            && let Some(head) = bytes.first_chunk()
        {
            return Some(Head::parse(*head));
        }
        self.hold(frame::HEAD, bytes);
        self.held.first_chunk().map(|head| Head::parse(*head))
    }

    /// Holds bytes until there are `whole`.
    fn hold(&mut self, whole: usize, bytes: &mut &[u8]) {
        let missing = whole.saturating_sub(self.held.len());
        let (more, rest) = bytes.split_at(missing.min(bytes.len()));
        self.held.extend_from_slice(more);
        *bytes = rest;
    }

    fn more_data<'a>(&mut self, bytes: &mut &'a [u8]) -> Result<Option<Piece<'a>>, Broken> {
        let Some(data) = &mut self.data else {
            return Ok(None);
        };
        if data.padded {
            const TOO_MUCH: Broken = Broken {
                code: Code::PROTOCOL_ERROR,
                violation: Http2Violation::Padding,
            };
            if data.left == 0 {
                return Err(TOO_MUCH);
            }
            let Some((padding, rest)) = bytes.split_first() else {
                return Ok(None);
            };
            *bytes = rest;
            data.padded = false;
            data.padding = usize::from(*padding);
            data.left = (data.left - 1).checked_sub(data.padding).ok_or(TOO_MUCH)?;
        }
        let (content, rest) = bytes.split_at(data.left.min(bytes.len()));
        data.left -= content.len();
        *bytes = rest;
        let mut over = false;
        if data.left == 0 {
            let padding = data.padding.min(bytes.len());
            *bytes = &bytes[padding..];
            data.padding -= padding;
            over = data.padding == 0;
        }
        if content.is_empty() && !over {
            return Ok(None);
        }
        let piece = Piece::Data {
            stream: data.stream,
            content,
            ends: over && data.ends,
            counts: std::mem::take(&mut data.counts),
        };
        if over {
            self.data = None;
        }
        Ok(Some(piece))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::http2::frame::flag;

    /// Frames, content, what flow control counts, and whether the stream has ended.
    type Read = (Vec<(Head, Vec<u8>)>, Vec<u8>, usize, bool);

    /// What came of the bytes in these pieces: frames, and the content of each stream.
    fn read(pieces: &[&[u8]]) -> Result<Read, Broken> {
        let mut incoming = Incoming::default();
        let (mut frames, mut content, mut counted, mut ended) = (Vec::new(), Vec::new(), 0, false);
        for piece in pieces {
            let mut rest = *piece;
            while let Some(piece) = incoming.next(&mut rest)? {
                match piece {
                    Piece::Frame(head, payload) => frames.push((head, payload.to_vec())),
                    Piece::Data {
                        content: more,
                        ends,
                        counts,
                        ..
                    } => {
                        content.extend_from_slice(more);
                        counted += counts;
                        ended |= ends;
                    }
                }
            }
            assert_eq!(rest, b"");
        }
        Ok((frames, content, counted, ended))
    }

    fn stream() -> Vec<u8> {
        let mut bytes = Vec::new();
        frame::settings(&[(3, 100)], &mut bytes);
        frame::write(kind::DATA, flag::PADDED, 1, b"\x03abc\0\0\0", &mut bytes);
        frame::write(kind::PING, 0, 0, b"12345678", &mut bytes);
        frame::write(kind::DATA, 0, 1, b"", &mut bytes);
        frame::write(kind::DATA, flag::PADDED, 1, b"\x00defg", &mut bytes);
        frame::write(
            kind::DATA,
            flag::PADDED | flag::END_STREAM,
            1,
            b"\x02\0\0",
            &mut bytes,
        );
        bytes
    }

    proptest! {
        #[test]
        fn any_split_gives_the_same(cuts in proptest::collection::vec(0usize..90, 0..12)) {
            let bytes = stream();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            let (frames, content, counted, ended) = read(&pieces).expect("a valid stream");
            let kinds: Vec<(u8, usize)> = frames.iter().map(|(head, payload)| (head.kind, payload.len())).collect();
            prop_assert_eq!(kinds, [(kind::SETTINGS, 6), (kind::PING, 8)]);
            prop_assert_eq!(content, b"abcdefg");
            prop_assert_eq!((counted, ended), (7 + 5 + 3, true));
        }

        #[test]
        fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..200), at in 0usize..200) {
            let (a, b) = bytes.split_at(at.min(bytes.len()));
            let _ = read(&[a, b]);
        }
    }

    #[test]
    fn what_is_too_long_is_refused_before_it_is_held() {
        let bytes = b"\x00\x40\x01\x01\x00\x00\x00\x00\x01";
        assert_eq!(read(&[bytes]).unwrap_err().code, Code::FRAME_SIZE_ERROR);
        for payload in [&b""[..], b"\x01", b"\x03ab"] {
            let mut bytes = Vec::new();
            frame::write(kind::DATA, flag::PADDED, 1, payload, &mut bytes);
            assert_eq!(
                read(&[&bytes]).unwrap_err().code,
                Code::PROTOCOL_ERROR,
                "{payload:?}"
            );
        }
    }
}
