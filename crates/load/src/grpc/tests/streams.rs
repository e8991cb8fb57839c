//! Any pieces of any calls beside one another mean what each whole reply means.

use proptest::prelude::*;

use super::*;

/// How a call ends.
#[derive(Clone, Copy, Debug)]
enum Ends {
    Well,
    NotFound,
    /// In the middle of a message.
    Short,
    Unstated,
}

/// A reply: its message is the expected one, in pieces of so many bytes.
#[derive(Clone, Copy, Debug)]
struct Said {
    right: bool,
    piece: usize,
    ends: Ends,
}

fn said() -> impl Strategy<Value = Said> {
    let ends = prop_oneof![
        3 => Just(Ends::Well),
        1 => Just(Ends::NotFound),
        1 => Just(Ends::Short),
        1 => Just(Ends::Unstated),
    ];
    (any::<bool>(), 1usize..12, ends).prop_map(|(right, piece, ends)| Said { right, piece, ends })
}

impl Said {
    fn frames(self, stream: u32) -> Vec<Server> {
        let new = Server::default;
        let message = framed(if self.right { b"hello" } else { b"hullo" });
        let length = match self.ends {
            Ends::Short => message.len() - 1,
            _ => message.len(),
        };
        let mut frames = vec![new().head(stream)];
        frames.extend(
            (message[..length].chunks(self.piece)).map(|piece| new().data(stream, piece, false)),
        );
        frames.push(match self.ends {
            Ends::Well | Ends::Short => new().ok(stream),
            Ends::NotFound => new().fields(stream, &[("grpc-status", "5")], true),
            Ends::Unstated => new().data(stream, b"", true),
        });
        frames
    }

    fn fault(self) -> Option<ErrorKind> {
        match self.ends {
            Ends::Well if self.right => None,
            Ends::Well => Some(ErrorKind::Body),
            Ends::NotFound => Some(ErrorKind::Grpc(GrpcFault::NotFound)),
            Ends::Short => Some(ErrorKind::Grpc(GrpcFault::Framing)),
            Ends::Unstated => Some(ErrorKind::Grpc(GrpcFault::NoStatus)),
        }
    }
}

/// Bytes in pieces that end at `cuts`.
fn pieces(bytes: &[u8], cuts: Vec<usize>) -> Vec<&[u8]> {
    let mut cuts: Vec<usize> = cuts
        .into_iter()
        .map(|cut| cut % (bytes.len() + 1))
        .collect();
    cuts.extend([0, bytes.len()]);
    cuts.sort_unstable();
    cuts.windows(2)
        .map(|pair| &bytes[pair[0]..pair[1]])
        .collect()
}

proptest! {
    #[test]
    fn any_interleaving_of_calls_gives_each_its_own_reply(
        calls in proptest::collection::vec(said(), 1..6),
        order in proptest::collection::vec(any::<usize>(), 60),
        cuts in proptest::collection::vec(0usize..1_000, 0..12),
    ) {
        let call = Grpc {
            expect: Expect { body: Some(b"hello".to_vec()), ..Expect::default() },
            streams: calls.len() as u32,
            ..call()
        };
        let mut left: Vec<_> = (0..).zip(&calls)
            .map(|(ticket, said)| said.frames(2 * ticket + 1).into_iter())
            .collect();
        let mut bytes = Server::new().0;
        let mut order = order.into_iter().cycle();
        while !left.is_empty() {
            let at = order.next().unwrap_or(0) % left.len();
            match left[at].next() {
                Some(frame) => bytes.extend(frame.0),
                None => drop(left.remove(at)),
            }
        }
        let (mut responses, _) = heard(&call, call.streams, &pieces(&bytes, cuts));
        responses.sort_by_key(|(ticket, _)| *ticket);
        let got: Vec<_> = responses.iter().map(|(ticket, response)| (*ticket, response.fault)).collect();
        let expected: Vec<_> = (0..).zip(calls.iter().map(|said| said.fault())).collect();
        prop_assert_eq!(got, expected);
    }

    #[test]
    fn any_split_of_a_stream_of_frames_gives_the_same(
        lengths in proptest::collection::vec(0usize..30, 0..4),
        wrong in 0u8..4,
        cuts in proptest::collection::vec(0usize..400, 0..12),
    ) {
        let call = Grpc { messages: None, ..call() };
        let mut server = Server::new().head(1).head(3);
        for length in &lengths {
            server = server.data(1, &framed(&vec![b'a'; *length]), false);
            server = server.data(3, &framed(&vec![b'b'; *length])[..*length / 2], false);
        }
        server = match wrong {
            0 => server.ok(1),
            1 => server.data(1, b"\x01", false).ok(1),
            2 => server.data(1, b"\0\0\0", true),
            _ => server.fields(1, &[("grpc-status", "7")], true),
        };
        let bytes = server.ok(3).0;
        let whole = heard(&call, 2, &[&bytes]);
        prop_assert_eq!(whole.0.len(), 2);
        prop_assert_eq!(heard(&call, 2, &pieces(&bytes, cuts)), whole);
    }
}
