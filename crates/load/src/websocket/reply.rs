//! What comes back: whether replies are as they have to be, and the server's close.

use photofinish_model::finding::complaint::WebSocketComplaint;

use super::frame::{self, opcode};
use super::message::Say;
use super::{Sent, State, WebSocket};
use crate::echo;
use crate::outcome::{CloseCode, ErrorKind, close_code};
use crate::protocol::{Progress, Response};

impl WebSocket {
    /// What the reply to a ticket's message has to be.
    pub(super) fn expected<'a>(&'a self, state: &'a State, ticket: u32) -> &'a [u8] {
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
            None if received + content.len() > length => Some(
                WebSocketComplaint::LongReply {
                    expected: length as u64,
                }
                .into(),
            ),
            None => echo::difference(expected, received, content).or_else(|| {
                let got = received + content.len();
                (ends && got < length).then(|| {
                    WebSocketComplaint::ShortReply {
                        got: got as u64,
                        expected: length as u64,
                    }
                    .into()
                })
            }),
        };
        state.received += content.len();
        if let Some(kept) = &mut state.kept {
            kept.1.extend_from_slice(content);
        }
        if let Some(complaint) = wrong {
            state.fault = Some(ErrorKind::Body);
            self.first.complain(|| complaint);
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
        let code = CloseCode::of(payload);
        frame::write(
            opcode::CLOSE,
            self.key,
            payload.get(..2).unwrap_or_default(),
            out,
        );
        // Going away while nothing is asked of it is a server's right.
        if state.waiting.is_empty() && code.is_usual() {
            return Progress::Last { used };
        }
        self.first.complain(|| close_code::complaint(payload));
        Progress::Broken(ErrorKind::WebSocket(code))
    }
}
