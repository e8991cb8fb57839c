//! A protocol with many requests in flight: the response to `q NUMBER` is `a NUMBER`, in any order. Before the first, the response to `hello` is
//! `welcome`; `ping` asks for `pong` at any time; after `bye` no further request is taken.

use photofinish_model::finding::complaint::Complaint;

use crate::outcome::ErrorKind;
use crate::protocol::{Progress, Protocol, Response, Ticket};

#[derive(Debug)]
pub struct Lines {
    streams: u32,
    /// Whether a request can be given up by itself.
    goes_on: bool,
    next: u64,
}

#[derive(Debug)]
pub struct State {
    welcome: bool,
    /// The numbers in flight, by ticket.
    numbers: Vec<Option<u64>>,
    /// The beginning of a line.
    line: Vec<u8>,
    draft: Vec<u8>,
}

impl Lines {
    pub fn new(streams: u32, goes_on: bool) -> Self {
        Lines {
            streams,
            goes_on,
            next: 0,
        }
    }
}

impl Protocol for Lines {
    type State = State;

    const MANY: bool = true;

    fn state(&self, _: usize) -> State {
        State {
            welcome: false,
            numbers: vec![None; self.streams as usize],
            line: Vec::new(),
            draft: Vec::new(),
        }
    }

    fn reopened(&self, state: &mut State) {
        *state = self.state(0);
    }

    fn streams(&self) -> u32 {
        self.streams
    }

    fn opened(&mut self, _: &mut State, out: &mut Vec<u8>) {
        out.extend_from_slice(b"hello\n");
    }

    fn room(&self, state: &State) -> u32 {
        if state.welcome { self.streams } else { 0 }
    }

    fn request<'a>(&'a mut self, state: &'a mut State, ticket: Ticket) -> &'a [u8] {
        let slot = &mut state.numbers[ticket.0 as usize];
        assert_eq!(*slot, None, "a ticket is used twice");
        *slot = Some(self.next);
        state.draft = format!("q {}\n", self.next).into_bytes();
        self.next += 1;
        &state.draft
    }

    fn receive(&mut self, state: &mut State, bytes: &[u8], out: &mut Vec<u8>) -> Progress {
        for (at, byte) in bytes.iter().enumerate() {
            if *byte != b'\n' {
                state.line.push(*byte);
                continue;
            }
            let line = std::mem::take(&mut state.line);
            match line.as_slice() {
                b"welcome" => state.welcome = true,
                b"ping" => out.extend_from_slice(b"pong\n"),
                b"bye" => return Progress::Last { used: at + 1 },
                _ => {
                    let number = str::from_utf8(&line)
                        .ok()
                        .and_then(|line| line.strip_prefix("a "));
                    let Some(number) = number.and_then(|number| number.parse().ok()) else {
                        return Progress::Broken(ErrorKind::Malformed);
                    };
                    let ticket = state.numbers.iter().position(|slot| *slot == Some(number));
                    // Else it was given up.
                    if let Some(ticket) = ticket {
                        state.numbers[ticket] = None;
                        return Progress::Done {
                            used: at + 1,
                            ticket: Ticket(ticket as u32),
                            response: Response {
                                status: 0,
                                fault: None,
                                changed: false,
                                reuse: true,
                            },
                        };
                    }
                }
            }
        }
        Progress::More
    }

    fn closed(&mut self, _: &mut State) -> Progress {
        Progress::Broken(ErrorKind::Closed)
    }

    fn give_up(&mut self, state: &mut State, ticket: Ticket, _: &mut Vec<u8>) -> bool {
        state.numbers[ticket.0 as usize] = None;
        self.goes_on
    }

    fn begin(&mut self) {}

    fn complaint(&mut self) -> Option<Complaint> {
        None
    }
}
