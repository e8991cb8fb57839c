//! Blocks of header fields, which may come in several frames.

use photofinish_model::finding::complaint::Http2Violation;

use super::{Link, Step, Streams, frame_size, protocol};
use crate::http2::Broken;
use crate::http2::frame::{self, Code, Head, flag};

/// The longest block, as in HTTP/1.1.
pub(in crate::http2) const BLOCK_LIMIT: usize = crate::http::HEAD_LIMIT;
/// In how many frames it may come.
const BLOCK_FRAMES: u32 = 64;

/// A block of header fields that goes on in another frame.
#[derive(Debug)]
pub(super) struct Block {
    stream: u32,
    ends: bool,
    bytes: Vec<u8>,
    frames: u32,
}

impl Link {
    pub(super) fn headers(
        &mut self,
        head: Head,
        payload: &[u8],
        streams: &mut impl Streams,
        out: &mut Vec<u8>,
    ) -> Result<Step, Broken> {
        let mut fragment =
            frame::unpadded(head.flags, payload).ok_or(protocol(Http2Violation::Padding))?;
        if head.has(flag::PRIORITY) {
            fragment = fragment
                .get(5..)
                .ok_or(frame_size(Http2Violation::Priority))?;
        }
        let ends = head.has(flag::END_STREAM);
        if head.has(flag::END_HEADERS) {
            return self.block(head.stream, ends, fragment, streams, out);
        }
        self.block = Some(Block {
            stream: head.stream,
            ends,
            bytes: fragment.to_vec(),
            frames: 1,
        });
        Ok(Step::More)
    }

    pub(super) fn continuation(
        &mut self,
        head: Head,
        payload: &[u8],
        streams: &mut impl Streams,
        out: &mut Vec<u8>,
    ) -> Result<Step, Broken> {
        let Some(mut block) = self.block.take() else {
            return Err(protocol(Http2Violation::Continuation));
        };
        if head.stream != block.stream {
            return Err(protocol(Http2Violation::ContinuationStream));
        }
        block.frames += 1;
        if block.bytes.len() + payload.len() > BLOCK_LIMIT || block.frames > BLOCK_FRAMES {
            return Err(Broken {
                code: Code::ENHANCE_YOUR_CALM,
                violation: Http2Violation::LongBlock,
            });
        }
        block.bytes.extend_from_slice(payload);
        if head.has(flag::END_HEADERS) {
            return self.block(block.stream, block.ends, &block.bytes, streams, out);
        }
        self.block = Some(block);
        Ok(Step::More)
    }

    /// A whole block of header fields.
    fn block(
        &mut self,
        stream: u32,
        ends: bool,
        block: &[u8],
        streams: &mut impl Streams,
        out: &mut Vec<u8>,
    ) -> Result<Step, Broken> {
        let Some(ticket) = self.ticket(stream)? else {
            self.forget(stream, ends);
            return Ok(Step::More);
        };
        let slot = &mut self.slots[ticket as usize];
        if slot.begun {
            if !ends {
                return Err(protocol(Http2Violation::TwoHeads));
            }
            streams.trailers(ticket, block)?;
        } else {
            slot.begun = streams.head(ticket, block)?;
            if !slot.begun && ends {
                return Err(protocol(Http2Violation::InterimEnd));
            }
        }
        Ok(match ends {
            true => self.whole(ticket, out),
            false => Step::More,
        })
    }
}
