//! What comes back: whether replies are as they have to be, and the server's close.

use super::frame::{self, opcode};
use super::message::Say;
use super::{Sent, State, WebSocket};
use crate::echo;
use crate::outcome::ErrorKind;
use crate::protocol::{Progress, Response};

impl WebSocket {
    /// What the reply to a ticket's message has to be.
    fn expected<'a>(&'a self, state: &'a State, ticket: u32) -> &'a [u8] {
        if let Some(reply) = &self.reply {
            return reply;
        }
        // Of a message that is always the same nothing is remembered.
        match (&self.say, state.sent.get(ticket as usize)) {
            (Say::Fixed { message, .. }, _) => message,
            (_, Some(Sent::Filled(message))) => message,
            (Say::Random(messages), Some(Sent::Turn(turn))) => messages.of(state.number, *turn),
            // Nothing was sent by this ticket.
            (_, _) => &[],
        }
    }

    /// Some of the reply to the first message that waits.
    pub(super) fn reply(
        &mut self,
        state: &mut State,
        ticket: u32,
        content: &[u8],
        ends: bool,
    ) -> Option<Response> {
        let expected = self.expected(state, ticket);
        let (length, received) = (expected.len(), state.received);
        let wrong = match state.fault {
            Some(_) => None,
            None if received + content.len() > length => Some(format!(
                "the reply is longer than the {length} bytes that were expected"
            )),
            None => echo::difference(expected, received, content).or_else(|| {
                (ends && received + content.len() < length).then(|| {
                    let got = received + content.len();
                    format!("the reply has {got} bytes, and {length} were expected")
                })
            }),
        };
        state.received += content.len();
        if let Some(says) = wrong {
            state.fault = Some(ErrorKind::Body);
            self.complain(|| says);
        }
        if !ends {
            return None;
        }
        state.received = 0;
        Some(Response {
            status: 0,
            fault: state.fault.take(),
            changed: false,
            reuse: true,
        })
    }

    /// The server's close.
    pub(super) fn closes(
        &mut self,
        state: &State,
        used: usize,
        payload: &[u8],
        out: &mut Vec<u8>,
    ) -> Progress {
        let code = payload.first_chunk().map(|code| u16::from_be_bytes(*code));
        frame::write(
            opcode::CLOSE,
            self.key,
            payload.get(..2).unwrap_or_default(),
            out,
        );
        // Going away while nothing is asked of it is a server's right.
        if state.waiting.is_empty() && matches!(code, None | Some(1000 | 1001)) {
            return Progress::Last { used };
        }
        self.complain(|| close_in_words(code, payload.get(2..).unwrap_or_default()));
        Progress::Broken(ErrorKind::Closed)
    }
}

/// A close in a sentence.
fn close_in_words(code: Option<u16>, reason: &[u8]) -> String {
    let mut says = "the server closed the WebSocket".to_owned();
    if let Some(code) = code {
        let meaning = match code {
            1000 => "normal",
            1001 => "it goes away",
            1002 => "protocol error",
            1003 => "it does not take such messages",
            1007 => "a message that is not what its type says",
            1008 => "against its policy",
            1009 => "the message is too long for it",
            1011 => "an error of its own",
            1012 => "it restarts",
            1013 => "try again later",
            _ => "",
        };
        says += &format!(": code {code}");
        if !meaning.is_empty() {
            says += &format!(" ({meaning})");
        }
    }
    if !reason.is_empty() {
        says += &format!(", \"{}\"", String::from_utf8_lossy(reason));
    }
    says
}
