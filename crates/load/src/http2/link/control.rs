//! Frames about the connection as a whole: SETTINGS, PING, RST_STREAM, GOAWAY (RFC 9113, section 6).

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
            return Err(protocol("SETTINGS are of a stream"));
        }
        if head.has(flag::ACK) {
            return match payload {
                [] if self.settled => Ok(Step::More),
                [] => Err(protocol("the server does not begin with SETTINGS")),
                _ => Err(frame_size("an acknowledgement of SETTINGS has a payload")),
            };
        }
        let (pairs, []) = payload.as_chunks::<6>() else {
            return Err(frame_size("SETTINGS are no whole number of settings"));
        };
        for [n0, n1, v0, v1, v2, v3] in pairs {
            let name = u16::from_be_bytes([*n0, *n1]);
            self.setting(name, u32::from_be_bytes([*v0, *v1, *v2, *v3]))?;
        }
        self.settled = true;
        self.acknowledge(kind::SETTINGS, &[], out)?;
        self.send_rest(out);
        Ok(Step::More)
    }

    fn setting(&mut self, name: u16, value: u32) -> Result<(), Broken> {
        match name {
            setting::MAX_CONCURRENT_STREAMS => self.peer.max_streams = value,
            setting::INITIAL_WINDOW_SIZE => {
                let window = i64::from(value);
                if window > LARGEST_WINDOW {
                    return Err(flow_control(
                        "the server's window for a stream is above 2³¹ − 1 bytes",
                    ));
                }
                let change = window - self.peer.window;
                self.peer.window = window;
                for slot in self.slots.iter_mut().filter(|slot| slot.stream != 0) {
                    slot.window += change;
                    if slot.window > LARGEST_WINDOW {
                        return Err(flow_control("a stream's window is above 2³¹ − 1 bytes"));
                    }
                }
            }
            setting::MAX_FRAME_SIZE => {
                let size = value as usize;
                if !(LEAST_MAX_FRAME..1 << 24).contains(&size) {
                    return Err(protocol(
                        "the server's longest frame is not from 16,384 to 16,777,215 bytes",
                    ));
                }
                self.peer.max_frame = size;
            }
            setting::ENABLE_PUSH if value != 0 => {
                return Err(protocol("the server asks to be pushed to"));
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn go_away(&mut self, head: Head, payload: &[u8]) -> Result<Step, Broken> {
        let (Some(last), 0) = (frame::first_u32(payload), head.stream) else {
            return Err(frame_size("GOAWAY is too short, or of a stream"));
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
        Ok(Step::Leaving)
    }

    pub(super) fn reset(&mut self, head: Head, payload: &[u8]) -> Result<Step, Broken> {
        let code = one_number(payload, "RST_STREAM")?;
        if head.stream == 0 || head.stream >= self.next || head.stream.is_multiple_of(2) {
            return Err(protocol(
                "RST_STREAM is of a stream that no request has opened",
            ));
        }
        let at = self
            .slots
            .iter()
            .position(|slot| slot.stream == head.stream);
        let Some(ticket) = at else {
            // It crossed the end of the stream on its way.
            self.forget(head.stream, true);
            return Ok(Step::More);
        };
        self.free(ticket as u32);
        Ok(Step::Ended(ticket as u32, End::Reset(Code(code))))
    }

    pub(super) fn ping(
        &mut self,
        head: Head,
        payload: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<Step, Broken> {
        if payload.len() != 8 || head.stream != 0 {
            return Err(frame_size("PING is not eight bytes long, or of a stream"));
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
                says: "the server asks for more replies than it reads (PING or SETTINGS without end)",
            }),
        }
    }
}
