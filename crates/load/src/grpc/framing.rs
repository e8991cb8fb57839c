//! Messages in content that comes in any pieces: each has five bytes before it, whether it is compressed and how long it is.
//! Nothing of them is held but those five.

use super::fault::GrpcFault;

/// The bytes before a message.
pub const PREFIX: usize = 5;

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

    /// What is wrong with content that ends here; and in a sentence.
    pub fn fault(&self) -> Option<(GrpcFault, String)> {
        let [_, a, b, c, d] = self.prefix;
        let length = u32::from_be_bytes([a, b, c, d]);
        let (have, left) = (self.have, self.left);
        Some(match self.wrong {
            Some(Wrong::Compressed) => (
                GrpcFault::Compressed,
                "a message is compressed, though no compression was offered: turn it off in the server".to_owned(),
            ),
            Some(Wrong::Flag(flag)) => (
                GrpcFault::Framing,
                format!("a message begins with the byte {flag:#04x}, and 0 or 1 must stand there: is this gRPC?"),
            ),
            Some(Wrong::Length(length)) => (
                GrpcFault::Framing,
                format!("a message promises {length} bytes, and at most {LONGEST} are taken"),
            ),
            None if have == 0 => return None,
            None if usize::from(have) < PREFIX => (
                GrpcFault::Framing,
                format!("the reply ends after {have} of the {PREFIX} bytes before a message"),
            ),
            None => (
                GrpcFault::Framing,
                format!("a message promised {length} bytes and has {}", length - left),
            ),
        })
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
        let cases: [(&[u8], GrpcFault, &str); 6] = [
            (b"\0\0\0", GrpcFault::Framing, "after 3 of the 5 bytes"),
            (
                b"\0\0\0\0\x05abc",
                GrpcFault::Framing,
                "promised 5 bytes and has 3",
            ),
            (
                b"\0\0\0\0\x05",
                GrpcFault::Framing,
                "promised 5 bytes and has 0",
            ),
            (b"\x01\0\0\0\x01a", GrpcFault::Compressed, "is compressed"),
            (b"<html>", GrpcFault::Framing, "begins with the byte 0x3c"),
            (
                b"\0\xff\xff\xff\xff",
                GrpcFault::Framing,
                "promises 4294967295 bytes",
            ),
        ];
        for (bytes, kind, says) in cases {
            let (fault, sentence) = taken(&[bytes]).0.fault().expect("a mistake");
            assert_eq!(fault, kind, "{sentence}");
            assert!(sentence.contains(says), "{sentence}");
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
