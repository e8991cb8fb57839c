//! What goes out: requests in frames, as far as the server's windows allow (RFC 9113, section 5.2).

use std::sync::Arc;

use photofinish_model::finding::complaint::Http2Violation;

use super::{LAST_STREAM, Link, Rest, Slot, Step, flow_control, one_number, protocol};
use crate::http2::Broken;
use crate::http2::frame::{self, Head, LARGEST_WINDOW, flag, kind};

/// A window is opened again when so much of it is used.
pub(super) const REOPEN: u32 = 1 << 30;

/// What the bodies of a connection have waiting for the socket at most, before more of them is put into frames: enough for few system
/// calls, and little enough to stay in a core's cache.
pub(super) const AHEAD: usize = 64 * 1024;
/// What one request's body may send before the others get their turn.
const TURN: usize = 16 * 1024;

/// A request's body.
#[derive(Clone, Copy, Debug)]
pub enum Body<'a> {
    /// That of all requests that are the same.
    Shared(&'a Arc<[u8]>),
    /// Its own.
    Own(&'a [u8]),
}

impl Body<'_> {
    fn is_empty(self) -> bool {
        match self {
            Body::Shared(body) => body.is_empty(),
            Body::Own(body) => body.is_empty(),
        }
    }

    /// To be kept until it is sent.
    fn kept(self) -> Arc<[u8]> {
        match self {
            Body::Shared(body) => Arc::clone(body),
            Body::Own(body) => body.into(),
        }
    }
}

impl Link {
    /// Adds a request's block of header fields to what goes out. Its body follows by [`fill`](Self::fill), as far as the server's windows
    /// allow.
    pub fn request(&mut self, ticket: u32, block: &[u8], body: Body<'_>, out: &mut Vec<u8>) {
        let stream = self.next;
        // The last of them is never used: it closes the connection to further requests.
        self.next = stream.saturating_add(2).min(LAST_STREAM);
        self.leaving |= self.next == LAST_STREAM;
        let place = self.place(stream);
        self.tickets[place] = ticket;
        let slot = &mut self.slots[ticket as usize];
        slot.stream = stream;
        slot.begun = false;
        slot.window = self.peer.window;
        slot.taken = 0;
        write_block(stream, block, body.is_empty(), self.peer.max_frame, out);
        if !body.is_empty() {
            let body = body.kept();
            slot.rest = Some(Rest { body, sent: 0 });
            self.queue(ticket);
        }
    }

    /// Adds to what goes out what the windows allow of the bodies, each in its turn, while less than [`AHEAD`] waits to be sent.
    #[inline]
    pub fn fill(&mut self, waiting: usize, out: &mut Vec<u8>) {
        if !self.turns.is_empty() {
            self.send_bodies(out.len() + AHEAD.saturating_sub(waiting), out);
        }
    }

    /// Sends of the bodies until `out` is so long, or the windows allow no more.
    fn send_bodies(&mut self, until: usize, out: &mut Vec<u8>) {
        while out.len() < until
            && self.window > 0
            && let Some(ticket) = self.turns.pop_front()
        {
            let slot = &mut self.slots[ticket as usize];
            slot.queued = false;
            let most = TURN.min(until - out.len()).min(self.peer.max_frame);
            if slot.send(most, &mut self.window, out) {
                self.queue(ticket);
            }
        }
    }

    /// A request waits for its turn, where it has something to send and may.
    fn queue(&mut self, ticket: u32) {
        let slot = &mut self.slots[ticket as usize];
        if slot.rest.is_some() && slot.window > 0 && !slot.queued {
            slot.queued = true;
            self.turns.push_back(ticket);
        }
    }

    /// The same for all of them.
    pub(super) fn queue_all(&mut self) {
        (0..self.slots.len() as u32).for_each(|ticket| self.queue(ticket));
    }

    pub(super) fn window_update(&mut self, head: Head, payload: &[u8]) -> Result<Step, Broken> {
        let more = i64::from(one_number(payload, Http2Violation::UpdateLength)? & (u32::MAX >> 1));
        if more == 0 {
            return Err(protocol(Http2Violation::UpdateByNothing));
        }
        let ticket = self.slot_of(head.stream);
        let window = match (head.stream, ticket) {
            (0, _) => &mut self.window,
            (_, Some(ticket)) => &mut self.slots[ticket as usize].window,
            (stream, None) if stream < self.next => return Ok(Step::More),
            (_, None) => {
                return Err(protocol(Http2Violation::UpdateUnopened));
            }
        };
        *window += more;
        if *window > LARGEST_WINDOW {
            return Err(flow_control(Http2Violation::WindowBeyondLimit));
        }
        if let Some(ticket) = ticket {
            self.queue(ticket);
        }
        Ok(Step::More)
    }
}

impl Slot {
    /// Sends at most so much of the body as a frame; whether more of it is to be sent.
    fn send(&mut self, most: usize, connection: &mut i64, out: &mut Vec<u8>) -> bool {
        // It may have ended while it waited for its turn, and its ticket may have another request.
        let Some(rest) = &mut self.rest else {
            return false;
        };
        let window = usize::try_from(self.window.min(*connection)).unwrap_or(0);
        let length = (rest.body.len() - rest.sent).min(window).min(most);
        if length == 0 {
            return false;
        }
        let content = &rest.body[rest.sent..rest.sent + length];
        rest.sent += length;
        let ends = rest.sent == rest.body.len();
        let flags = if ends { flag::END_STREAM } else { 0 };
        frame::write(kind::DATA, flags, self.stream, content, out);
        self.window -= length as i64;
        *connection -= length as i64;
        if ends {
            self.rest = None;
        }
        !ends
    }
}

/// Opens a window again where much of it is used.
#[inline]
pub fn reopen(stream: u32, taken: &mut u32, counts: usize, out: &mut Vec<u8>) {
    *taken += counts as u32;
    if *taken >= REOPEN {
        frame::number(kind::WINDOW_UPDATE, stream, *taken, out);
        *taken = 0;
    }
}

/// A block of header fields, in as many frames as it needs.
fn write_block(stream: u32, block: &[u8], ends: bool, max_frame: usize, out: &mut Vec<u8>) {
    let mut kind = kind::HEADERS;
    let mut flags = if ends { flag::END_STREAM } else { 0 };
    let mut rest = block;
    loop {
        let (fragment, after) = rest.split_at(rest.len().min(max_frame));
        rest = after;
        if rest.is_empty() {
            flags |= flag::END_HEADERS;
        }
        frame::write(kind, flags, stream, fragment, out);
        if rest.is_empty() {
            return;
        }
        (kind, flags) = (kind::CONTINUATION, 0);
    }
}
