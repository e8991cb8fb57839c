//! Streams beside one another: whatever the order of their frames, each has what is its own.

use proptest::prelude::*;

use super::*;

/// How a server ends a stream.
#[derive(Clone, Copy, Debug)]
enum Ending {
    /// With an empty frame of content.
    Content,
    Trailers,
    Reset,
}

/// What a server says on one stream.
#[derive(Clone, Debug)]
struct Said {
    interim: bool,
    /// The head comes in two frames.
    split: bool,
    pieces: Vec<Vec<u8>>,
    padded: bool,
    ending: Ending,
}

fn said() -> impl Strategy<Value = Said> {
    let piece = proptest::collection::vec(any::<u8>(), 0..20);
    let ending = prop_oneof![
        Just(Ending::Content),
        Just(Ending::Trailers),
        Just(Ending::Reset)
    ];
    let flags = any::<(bool, bool, bool)>();
    (flags, proptest::collection::vec(piece, 0..4), ending).prop_map(
        |((interim, split, padded), pieces, ending)| Said {
            interim,
            split,
            pieces,
            padded,
            ending,
        },
    )
}

impl Said {
    /// What no frame of another stream may come between, piece by piece, and what each is to be heard as.
    fn parts(&self, ticket: u32) -> Vec<(Server, Vec<String>)> {
        let stream = 2 * ticket + 1;
        let new = Server::default;
        let head = || vec![format!("head {ticket}")];
        let mut parts = Vec::new();
        if self.interim {
            let early = new().frame(kind::HEADERS, flag::END_HEADERS, stream, b"\x08\x03103");
            parts.push((early, head()));
        }
        parts.push(match self.split {
            true => {
                let first = new().frame(kind::HEADERS, 0, stream, OK);
                let rest = b"\x00\x01a\x01b";
                let whole = first.frame(kind::CONTINUATION, flag::END_HEADERS, stream, rest);
                (whole, head())
            }
            false => (new().head(stream), head()),
        });
        for piece in &self.pieces {
            let frame = match self.padded {
                true => {
                    let payload = [&[3][..], piece, &[0; 3]].concat();
                    new().frame(kind::DATA, flag::PADDED, stream, &payload)
                }
                false => new().data(stream, piece, false),
            };
            parts.push((frame, Vec::new()));
        }
        let whole = format!("whole {ticket}");
        parts.push(match self.ending {
            Ending::Content => (new().data(stream, b"", true), vec![whole]),
            Ending::Trailers => {
                let flags = flag::END_HEADERS | flag::END_STREAM;
                let frame = new().frame(kind::HEADERS, flags, stream, b"\x00\x01t\x00");
                (frame, vec![format!("trailers {ticket}"), whole])
            }
            Ending::Reset => {
                let frame = new().number(kind::RST_STREAM, stream, Code::CANCEL.0);
                (
                    frame,
                    vec![format!("{:?} {ticket}", End::Reset(Code::CANCEL))],
                )
            }
        });
        parts
    }
}

proptest! {
    #[test]
    fn any_interleaving_and_any_split_give_each_stream_its_own(
        streams in proptest::collection::vec(said(), 1..6),
        order in proptest::collection::vec(any::<usize>(), 40),
        cuts in proptest::collection::vec(0usize..1_000, 0..12),
    ) {
        let mut left: Vec<_> = (0..).zip(&streams)
            .map(|(ticket, said)| said.parts(ticket).into_iter())
            .collect();
        let (mut server, mut events) = (Server::settled(), Vec::new());
        let mut order = order.into_iter().cycle();
        let mut pings = 0;
        while !left.is_empty() {
            let at = order.next().unwrap_or(0) % (left.len() + usize::from(pings < 10));
            match left.get_mut(at).map(Iterator::next) {
                Some(Some((part, heard))) => {
                    server.0.extend(part.0);
                    events.extend(heard);
                }
                Some(None) => drop(left.remove(at)),
                // Something of the connection's own.
                None => {
                    server = server.frame(kind::PING, 0, 0, b"12345678");
                    pings += 1;
                }
            }
        }
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut % server.0.len()).collect();
        cuts.extend([0, server.0.len()]);
        cuts.sort_unstable();
        let mut link = asked(streams.len() as u32);
        let (mut log, mut out) = (Log::default(), Vec::new());
        for pair in cuts.windows(2) {
            take(&mut link, &server.0[pair[0]..pair[1]], &mut log, &mut out).expect("valid");
        }
        prop_assert_eq!(&log.events, &events);
        for (ticket, said) in streams.iter().enumerate() {
            let content = log.content.get(ticket).cloned().unwrap_or_default();
            prop_assert_eq!(content, said.pieces.concat());
        }
        prop_assert_eq!(link.room(), streams.len() as u32);
    }
}
