//! What goes out: requests in frames, as far as the server's windows allow (RFC 9113, section 5.2).

use photofinish_model::finding::complaint::Http2Violation;

use super::{LAST_STREAM, Link, Slot, Step, flow_control, one_number, protocol};
use crate::http2::Broken;
use crate::http2::frame::{self, Head, LARGEST_WINDOW, flag, kind};

/// A window is opened again when so much of it is used.
pub(super) const REOPEN: u32 = 1 << 30;

impl Link {
    /// Adds a request to what goes out: its block of header fields, and of its body what the windows allow; the rest follows
    /// when the server opens them.
    pub fn request(&mut self, ticket: u32, block: &[u8], body: &[u8], out: &mut Vec<u8>) {
        let stream = self.next;
        // The last of them is never used: it closes the connection to further requests.
        self.next = stream.saturating_add(2).min(LAST_STREAM);
        self.leaving |= self.next == LAST_STREAM;
        let slot = &mut self.slots[ticket as usize];
        slot.stream = stream;
        slot.begun = false;
        slot.window = self.peer.window;
        slot.taken = 0;
        slot.rest.clear();
        write_block(stream, block, body.is_empty(), self.peer.max_frame, out);
        if body.is_empty() {
            return;
        }
        let sent = send_body(slot, &mut self.window, self.peer.max_frame, body, out);
        slot.rest.extend_from_slice(&body[sent..]);
    }

    pub(super) fn window_update(
        &mut self,
        head: Head,
        payload: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<Step, Broken> {
        let more = i64::from(one_number(payload, Http2Violation::UpdateLength)? & (u32::MAX >> 1));
        if more == 0 {
            return Err(protocol(Http2Violation::UpdateByNothing));
        }
        let window = match head.stream {
            0 => &mut self.window,
            stream => match self.slots.iter_mut().find(|slot| slot.stream == stream) {
                Some(slot) => &mut slot.window,
                None if stream < self.next => return Ok(Step::More),
                None => {
                    return Err(protocol(Http2Violation::UpdateUnopened));
                }
            },
        };
        *window += more;
        if *window > LARGEST_WINDOW {
            return Err(flow_control(Http2Violation::WindowBeyondLimit));
        }
        self.send_rest(out);
        Ok(Step::More)
    }

    /// Sends of the bodies what the windows now allow.
    pub(super) fn send_rest(&mut self, out: &mut Vec<u8>) {
        for slot in self.slots.iter_mut().filter(|slot| !slot.rest.is_empty()) {
            let rest = std::mem::take(&mut slot.rest);
            let sent = send_body(slot, &mut self.window, self.peer.max_frame, &rest, out);
            slot.rest = rest;
            slot.rest.drain(..sent);
        }
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

/// Sends of a body what the windows allow; how much that was.
fn send_body(
    slot: &mut Slot,
    connection: &mut i64,
    max_frame: usize,
    body: &[u8],
    out: &mut Vec<u8>,
) -> usize {
    let mut sent = 0;
    while sent < body.len() {
        let window = usize::try_from(slot.window.min(*connection)).unwrap_or(0);
        let length = (body.len() - sent).min(window).min(max_frame);
        if length == 0 {
            break;
        }
        let ends = sent + length == body.len();
        let flags = if ends { flag::END_STREAM } else { 0 };
        frame::write(
            kind::DATA,
            flags,
            slot.stream,
            &body[sent..sent + length],
            out,
        );
        slot.window -= length as i64;
        *connection -= length as i64;
        sent += length;
    }
    sent
}
