//! Frames about the connection as a whole: SETTINGS, PING, RST_STREAM, GOAWAY (RFC 9113, section 6).

use photofinish_model::finding::complaint::Http2Violation;

use super::{End, Link, Slot, Step, flow_control, frame_size, one_number, protocol};
use crate::http2::Broken;
use crate::http2::frame::{self, Code, Head, LARGEST_WINDOW, LEAST_MAX_FRAME, flag, kind, setting};

impl Link {
    pub(super) fn settings(
        &mut self,
        head: Head,
        payload: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<Step, Broken> {
        if head.stream != 0 {
            return Err(protocol(Http2Violation::SettingsStream));
        }
        if head.has(flag::ACK) {
            return match payload {
                [] if self.settled => Ok(Step::More),
                [] => Err(protocol(Http2Violation::NoSettings)),
                _ => Err(frame_size(Http2Violation::SettingsAcknowledgement)),
            };
        }
        let (pairs, []) = payload.as_chunks::<6>() else {
            return Err(frame_size(Http2Violation::SettingsLength));
        };
        for [n0, n1, v0, v1, v2, v3] in pairs {
            let name = u16::from_be_bytes([*n0, *n1]);
            self.setting(name, u32::from_be_bytes([*v0, *v1, *v2, *v3]))?;
        }
        self.settled = true;
        self.acknowledge(kind::SETTINGS, &[], out)?;
        self.queue_all();
        Ok(Step::More)
    }

    fn setting(&mut self, name: u16, value: u32) -> Result<(), Broken> {
        match name {
            setting::MAX_CONCURRENT_STREAMS => self.peer.max_streams = value,
            setting::INITIAL_WINDOW_SIZE => {
                let window = i64::from(value);
                if window > LARGEST_WINDOW {
                    return Err(flow_control(Http2Violation::InitialWindow));
                }
                let change = window - self.peer.window;
                self.peer.window = window;
                for slot in self.slots.iter_mut().filter(|slot| slot.stream != 0) {
                    slot.window += change;
                    if slot.window > LARGEST_WINDOW {
                        return Err(flow_control(Http2Violation::StreamWindow));
                    }
                }
            }
            setting::MAX_FRAME_SIZE => {
                let size = value as usize;
                if !(LEAST_MAX_FRAME..1 << 24).contains(&size) {
                    return Err(protocol(Http2Violation::MaxFrame));
                }
                self.peer.max_frame = size;
            }
            setting::ENABLE_PUSH if value != 0 => {
                return Err(protocol(Http2Violation::PushToServer));
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn go_away(&mut self, head: Head, payload: &[u8]) -> Result<Step, Broken> {
        let (Some(last), 0) = (frame::first_u32(payload), head.stream) else {
            return Err(frame_size(Http2Violation::GoAway));
        };
        let last = last & (u32::MAX >> 1);
        let seen = |slot: &Slot| slot.stream == 0 || slot.stream <= last;
        for ticket in 0..self.slots.len() {
            if !seen(&self.slots[ticket]) {
                self.free(ticket as u32);
                self.unseen.push(ticket as u32);
            }
        }
        self.leaving = true;
        let code = payload.get(4..).and_then(frame::first_u32);
        self.goodbye = code.filter(|code| *code != 0).map(Code);
        Ok(Step::Leaving)
    }

    pub(super) fn reset(&mut self, head: Head, payload: &[u8]) -> Result<Step, Broken> {
        let code = one_number(payload, Http2Violation::ResetLength)?;
        if head.stream == 0 || head.stream >= self.next || head.stream.is_multiple_of(2) {
            return Err(protocol(Http2Violation::ResetUnopened));
        }
        let Some(ticket) = self.slot_of(head.stream) else {
            // It crossed the end of the stream on its way.
            self.forget(head.stream, true);
            return Ok(Step::More);
        };
        self.free(ticket);
        Ok(Step::Ended(ticket, End::Reset(Code(code))))
    }

    pub(super) fn ping(
        &mut self,
        head: Head,
        payload: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<Step, Broken> {
        if payload.len() != 8 || head.stream != 0 {
            return Err(frame_size(Http2Violation::Ping));
        }
        if head.has(flag::ACK) {
            return Ok(Step::More);
        }
        self.acknowledge(kind::PING, payload, out)
    }

    /// Replies to what asks for it.
    fn acknowledge(&mut self, kind: u8, payload: &[u8], out: &mut Vec<u8>) -> Result<Step, Broken> {
        frame::write(kind, flag::ACK, 0, payload, out);
        match self.replies.add(frame::HEAD + payload.len()) {
            true => Ok(Step::More),
            false => Err(Broken {
                code: Code::ENHANCE_YOUR_CALM,
                violation: Http2Violation::Replies,
            }),
        }
    }
}
