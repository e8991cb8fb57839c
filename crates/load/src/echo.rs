//! TCP echo: a message goes out, and the same bytes must come back.
//!
//! All messages are stretches of one random text that is shared by all connections, so that a long message is held
//! once and not for each connection. Each connection has eight places in the text where its messages begin, in turn, and
//! no place is another connection's: a response that belongs to another connection, or to the message before, differs.

use std::sync::Arc;

use photofinish_model::finding::complaint::Complaint;

use crate::complaint::First;
use crate::error::ConfigError;
use crate::outcome::ErrorKind;
use crate::protocol::{Kept, Place, Progress, Protocol, Response, Ticket};
use photofinish_model::request::LARGEST_MESSAGE;
use photofinish_stats::Random;

/// How many different messages a connection sends in turn.
const TURNS: usize = 8;

/// How much is shown around a difference, in bytes.
const EXCERPT: usize = 8;

/// The text that all messages of a run are taken from.
#[derive(Clone, Debug)]
pub struct Messages {
    text: Arc<[u8]>,
    size: usize,
}

/// Whether messages may have so many bytes.
pub(crate) fn validate(size: u64) -> Result<(), ConfigError> {
    match (1..=LARGEST_MESSAGE).contains(&size) {
        true => Ok(()),
        false => Err(ConfigError::MessageSize),
    }
}

impl Messages {
    /// Messages of `size` bytes for so many connections; the seed decides their bytes.
    pub fn new(size: usize, connections: usize, seed: u64) -> Self {
        // A stream that neither due times nor requests use.
        let mut random = Random::stream(seed, 1 << 41);
        let length = size + connections * TURNS;
        let text = std::iter::repeat_with(|| random.next().to_le_bytes())
            .flatten()
            .take(length);
        Messages {
            text: text.collect(),
            size,
        }
    }

    /// Of a connection's messages the one with this number.
    pub(crate) fn of(&self, connection: usize, number: usize) -> &[u8] {
        let from = connection * TURNS + number % TURNS;
        &self.text[from..from + self.size]
    }
}

/// Where and how an echo differs from its message; `None` where it does not, as far as it goes. `offset` is where
/// `got` stands in the whole response.
pub fn difference(message: &[u8], offset: usize, got: &[u8]) -> Option<Complaint> {
    let expected = message.get(offset..).unwrap_or_default();
    let expected = &expected[..expected.len().min(got.len())];
    let got = &got[..expected.len()];
    // One comparison of memory for the good case.
    if expected == got {
        return None;
    }
    let at = expected.iter().zip(got).take_while(|(a, b)| a == b).count();
    let shown = |bytes: &[u8]| {
        let bytes: Vec<String> = bytes[at..]
            .iter()
            .take(EXCERPT)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        bytes.join(" ")
    };
    Some(Complaint::Echo {
        at: (offset + at) as u64,
        bytes: message.len() as u64,
        expected: shown(expected),
        got: shown(got),
    })
}

/// One thread's echo.
#[derive(Debug)]
pub struct Echo {
    messages: Messages,
    place: Place,
    first: First,
}

/// Where a connection is.
#[derive(Debug)]
pub struct State {
    /// The connection's number in the run.
    number: usize,
    /// Which of its messages is in flight.
    turn: usize,
    received: usize,
}

impl Echo {
    /// The thread at `place`.
    pub fn new(messages: &Messages, place: Place) -> Self {
        Echo {
            messages: messages.clone(),
            place,
            first: First::default(),
        }
    }
}

impl Protocol for Echo {
    type State = State;

    fn state(&self, connection: usize) -> State {
        State {
            number: self.place.first + connection,
            // The next one is the first.
            turn: TURNS - 1,
            received: 0,
        }
    }

    fn reopened(&self, state: &mut State) {
        state.received = 0;
    }

    fn request<'a>(&'a mut self, state: &'a mut State, _: Ticket) -> &'a [u8] {
        state.turn = (state.turn + 1) % TURNS;
        self.in_flight(state)
    }

    fn in_flight<'a>(&'a self, state: &'a State) -> &'a [u8] {
        self.messages.of(state.number, state.turn)
    }

    fn receive(&mut self, state: &mut State, bytes: &[u8], _: &mut Vec<u8>) -> Progress {
        let used = bytes.len().min(self.messages.size - state.received);
        let message = self.in_flight(state);
        if let Some(differs) = difference(message, state.received, &bytes[..used]) {
            self.first.complain(|| differs);
            return Progress::Broken(ErrorKind::Body);
        }
        state.received += used;
        if state.received < self.messages.size {
            return Progress::More;
        }
        state.received = 0;
        let response = Response {
            status: 0,
            fault: None,
            changed: false,
            reuse: true,
        };
        Progress::Done {
            used,
            ticket: Ticket::default(),
            response,
        }
    }

    fn closed(&mut self, state: &mut State) -> Progress {
        self.first.complain(|| Complaint::EchoCut {
            received: state.received as u64,
            bytes: self.messages.size as u64,
        });
        Progress::Broken(ErrorKind::Closed)
    }

    fn kept(&self, state: &State, _: u64) -> Kept {
        let message = self.in_flight(state).to_vec();
        Kept {
            wire_bytes: message.len() as u64,
            body: message.clone(),
            expected: Some(message),
            ..Kept::default()
        }
    }

    fn begin(&mut self) {
        self.first.begin();
    }

    fn complaint(&mut self) -> Option<Complaint> {
        self.first.take()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn echo(size: usize, connections: usize) -> Echo {
        let place = Place {
            thread: 0,
            threads: 1,
            first: 0,
            single: false,
        };
        Echo::new(&Messages::new(size, connections, 5), place)
    }

    #[test]
    fn no_message_is_another_connections_nor_the_one_before() {
        let mut echo = echo(16, 1_000);
        let mut seen = BTreeSet::new();
        for connection in 0..1_000 {
            let mut state = echo.state(connection);
            for _ in 0..TURNS {
                assert!(seen.insert(echo.request(&mut state, Ticket(0)).to_vec()));
            }
        }
    }

    #[test]
    fn the_seed_decides_the_bytes() {
        assert_eq!(
            Messages::new(100, 3, 1).of(0, 0),
            Messages::new(100, 3, 1).of(0, 0)
        );
        assert_ne!(
            Messages::new(100, 3, 1).of(0, 0),
            Messages::new(100, 3, 2).of(0, 0)
        );
    }

    #[test]
    fn an_echo_in_any_pieces_is_whole() {
        for (size, piece) in [(1, 1), (1_000, 1), (1_000, 7), (1_000, 4_096)] {
            let mut echo = echo(size, 2);
            let mut state = echo.state(1);
            let message = echo.request(&mut state, Ticket(0)).to_vec();
            let mut pieces = message.chunks(piece).peekable();
            while let Some(piece) = pieces.next() {
                match echo.receive(&mut state, piece, &mut Vec::new()) {
                    Progress::Done { used, response, .. } => {
                        assert_eq!((used, response.fault), (piece.len(), None));
                        assert!(pieces.peek().is_none());
                    }
                    other => {
                        assert_eq!(other, Progress::More);
                        assert!(pieces.peek().is_some());
                    }
                }
            }
        }
    }

    #[test]
    fn the_first_difference_is_reported_with_its_place() {
        let mut echo = echo(1_000, 1);
        let mut state = echo.state(0);
        let mut message = echo.request(&mut state, Ticket(0)).to_vec();
        message[700] ^= 1;
        assert_eq!(
            echo.receive(&mut state, &message[..600], &mut Vec::new()),
            Progress::More
        );
        assert_eq!(
            echo.receive(&mut state, &message[600..], &mut Vec::new()),
            Progress::Broken(ErrorKind::Body)
        );
        match echo.complaint() {
            Some(Complaint::Echo {
                at: 700,
                bytes: 1_000,
                ..
            }) => {}
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_comes_after_the_echo_is_not_taken() {
        let mut echo = echo(4, 1);
        let mut state = echo.state(0);
        let mut message = echo.request(&mut state, Ticket(0)).to_vec();
        message.push(0);
        match echo.receive(&mut state, &message, &mut Vec::new()) {
            Progress::Done { used: 4, .. } => {}
            other => panic!("{other:?}"),
        }
    }
}
