//! Echoes in any pieces: as many messages as came back whole are whole, each ends where it ends, and the first byte that
//! differs (or the end of the connection) is noticed, whatever the pieces.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use photofinish_fuzz_support::{ALONE, Event, cut, feed};
use photofinish_load::ErrorKind;
use photofinish_load::echo::{Echo, Messages};
use photofinish_load::protocol::{Progress, Protocol, Response, Ticket};

#[path = "../support.rs"]
mod photofinish_fuzz_support;

#[derive(Arbitrary, Debug)]
struct Peer {
    size: u16,
    connection: u8,
    seed: u64,
    turns: Vec<Turn>,
}

/// What the peer does with one message.
#[derive(Arbitrary, Debug)]
struct Turn {
    /// Where it is cut.
    cuts: Vec<u8>,
    does: Does,
}

#[derive(Arbitrary, Debug)]
enum Does {
    Echo,
    /// Changes the byte at this place (or none, if the value is the one that was there).
    Change(u16, u8),
    /// Sends these after the whole message.
    Add(Vec<u8>),
    /// Sends so many bytes less, and closes.
    Close(u16),
    /// Sends this.
    Other(Vec<u8>),
}

fuzz_target!(|peer: Peer| {
    // Small ones: most of the time would go into drawing the text.
    let size = usize::from(peer.size % 1024) + 1;
    let connection = usize::from(peer.connection);
    let messages = Messages::new(size, connection + 1, peer.seed);
    let mut echo = Echo::new(&messages, ALONE);
    let mut state = echo.state(connection);
    for turn in peer.turns {
        let message = echo.request(&mut state, Ticket(0)).to_vec();
        assert_eq!(message.len(), size);
        let mut sent = message.clone();
        match turn.does {
            Does::Echo => {}
            Does::Change(at, to) => sent[usize::from(at) % size] = to,
            Does::Add(more) => sent.extend(more),
            Does::Close(less) => sent.truncate(size - 1 - usize::from(less) % size),
            Does::Other(bytes) => sent = bytes,
        }
        let (events, taken) = feed(&mut echo, &mut state, &cut(&sent, &turn.cuts), 1);
        let differs = sent.iter().zip(&message).any(|(got, wanted)| got != wanted);
        if differs {
            assert_eq!(events, [Event::Broken(ErrorKind::Body)]);
        } else if sent.len() < size {
            assert_eq!((events, taken), (Vec::new(), sent.len()));
            assert_eq!(echo.closed(&mut state), Progress::Broken(ErrorKind::Closed));
        } else {
            // No byte beyond its end: the loop takes what follows for what it is, a response to nothing.
            let response = Response {
                status: 0,
                fault: None,
                changed: false,
                reuse: true,
            };
            assert_eq!(events, [Event::Response(size, response)]);
        }
        if differs || sent.len() != size {
            // Another connection takes its place, and begins at the beginning of a message.
            echo.reopened(&mut state);
        }
    }
});
