//! Messages in content that comes in any pieces: each has five bytes before it, whether it is compressed and how long it is.
//! Nothing of them is held but those five.

use photofinish_model::finding::complaint::GrpcComplaint;

use crate::outcome::GrpcFault;
use crate::payload::PREFIX;

/// The longest message that is taken, in bytes.
pub const LONGEST: u32 = 64 << 20;

/// The messages of a reply so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Framing {
    prefix: [u8; PREFIX],
    /// How much of it is here.
    have: u8,
    /// What is still to come of the message.
    left: u32,
    /// Whole messages.
    messages: u64,
    wrong: Option<Wrong>,
}

/// What no message begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrong {
    Compressed,
    Flag(u8),
    Length(u32),
}

impl Framing {
    /// Takes a piece; `content` gets what of it is messages. After a mistake nothing is taken any more.
    #[inline]
    pub fn take(&mut self, mut piece: &[u8], mut content: impl FnMut(&[u8])) {
        while !piece.is_empty() && self.wrong.is_none() {
            if self.left > 0 {
                let most = usize::try_from(self.left).unwrap_or(usize::MAX);
                let (message, rest) = piece.split_at(piece.len().min(most));
                // Never more than was left.
                self.left -= message.len() as u32;
                piece = rest;
                content(message);
            } else {
                let have = usize::from(self.have);
                let (more, rest) = piece.split_at(piece.len().min(PREFIX - have));
                self.prefix[have..have + more.len()].copy_from_slice(more);
                self.have += more.len() as u8;
                piece = rest;
                if usize::from(self.have) < PREFIX {
                    return;
                }
                self.begin();
            }
            if self.left == 0 && usize::from(self.have) == PREFIX && self.wrong.is_none() {
                self.messages += 1;
                self.have = 0;
            }
        }
    }

    /// The prefix is whole.
    fn begin(&mut self) {
        let [flag, a, b, c, d] = self.prefix;
        let length = u32::from_be_bytes([a, b, c, d]);
        self.wrong = match (flag, length) {
            (1, _) => Some(Wrong::Compressed),
            (2.., _) => Some(Wrong::Flag(flag)),
            (0, _) if length > LONGEST => Some(Wrong::Length(length)),
            _ => None,
        };
        self.left = length;
    }

    /// Whole messages so far.
    pub fn messages(&self) -> u64 {
        self.messages
    }

    /// What is wrong with content that ends here.
    pub fn fault(&self) -> Option<(GrpcFault, GrpcComplaint)> {
        let [_, a, b, c, d] = self.prefix;
        let length = u32::from_be_bytes([a, b, c, d]);
        let (have, left) = (self.have, self.left);
        let complaint = match self.wrong {
            Some(Wrong::Compressed) => {
                return Some((GrpcFault::Compressed, GrpcComplaint::Compressed {}));
            }
            Some(Wrong::Flag(flag)) => GrpcComplaint::Flag { flag },
            Some(Wrong::Length(promised)) => GrpcComplaint::Long {
                promised,
                most: LONGEST,
            },
            None if have == 0 => return None,
            None if usize::from(have) < PREFIX => GrpcComplaint::CutPrefix {
                got: have,
                expected: PREFIX as u8,
            },
            None => GrpcComplaint::CutMessage {
                promised: length,
                got: length - left,
            },
        };
        Some((GrpcFault::Framing, complaint))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn taken(pieces: &[&[u8]]) -> (Framing, Vec<u8>) {
        let (mut framing, mut content) = (Framing::default(), Vec::new());
        for piece in pieces {
            framing.take(piece, |message| content.extend_from_slice(message));
        }
        (framing, content)
    }

    fn framed(messages: &[&[u8]]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for message in messages {
            bytes.push(0);
            bytes.extend_from_slice(&(message.len() as u32).to_be_bytes());
            bytes.extend_from_slice(message);
        }
        bytes
    }

    #[test]
    fn messages_are_counted_and_handed_on() {
        let (framing, content) = taken(&[&framed(&[b"hello", b"", b"!"])]);
        assert_eq!((framing.messages(), framing.fault()), (3, None));
        assert_eq!(content, b"hello!");
        assert_eq!(taken(&[]).0.messages(), 0);
    }

    #[test]
    fn what_is_no_message_is_named() {
        let cut = |got| GrpcComplaint::CutMessage { promised: 5, got };
        let cases: [(&[u8], GrpcFault, GrpcComplaint); 6] = [
            (
                b"\0\0\0",
                GrpcFault::Framing,
                GrpcComplaint::CutPrefix {
                    got: 3,
                    expected: 5,
                },
            ),
            (b"\0\0\0\0\x05abc", GrpcFault::Framing, cut(3)),
            (b"\0\0\0\0\x05", GrpcFault::Framing, cut(0)),
            (
                b"\x01\0\0\0\x01a",
                GrpcFault::Compressed,
                GrpcComplaint::Compressed {},
            ),
            (
                b"<html>",
                GrpcFault::Framing,
                GrpcComplaint::Flag { flag: b'<' },
            ),
            (
                b"\0\xff\xff\xff\xff",
                GrpcFault::Framing,
                GrpcComplaint::Long {
                    promised: u32::MAX,
                    most: LONGEST,
                },
            ),
        ];
        for (bytes, kind, complaint) in cases {
            assert_eq!(taken(&[bytes]).0.fault(), Some((kind, complaint)));
        }
    }

    proptest! {
        #[test]
        fn any_split_gives_the_same(
            messages in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..40), 0..5),
            cuts in proptest::collection::vec(0usize..200, 0..12),
            tail in proptest::collection::vec(0u8..4, 0..8),
        ) {
            let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
            let mut bytes = framed(&messages);
            let whole = taken(&[&bytes]);
            prop_assert_eq!(whole.0.messages(), messages.len() as u64);
            prop_assert_eq!(&whole.1, &messages.concat());
            // With a tail that may be anything too.
            bytes.extend(tail);
            let whole = taken(&[&bytes]);
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut % (bytes.len() + 1)).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            prop_assert_eq!(taken(&pieces), whole);
        }
    }
}
