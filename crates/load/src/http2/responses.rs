//! Responses of HTTP itself.

use photofinish_model::finding::complaint::{Http2Complaint, Http2Violation};

use super::Broken;
use super::frame::Code;
use super::meaning::{Known, Meaning};
use super::response::{self, Head};
use crate::http::body::Checked;
use crate::http::judge::Judge;
use crate::http::shape::Seen;
use crate::outcome::ErrorKind;
use crate::protocol::{Kept, Response};
use crate::template::Drawn;

/// One thread's rules for them.
#[derive(Debug)]
pub struct Responses {
    judge: Judge,
    known: Known<Head>,
}

/// What is known of a response so far.
#[derive(Debug, Default)]
pub struct Reply {
    /// By which it is judged.
    rule: u32,
    head: Head,
    body: Checked,
    /// Why it is malformed, if it is.
    wrong: Option<Http2Violation>,
    /// What varies, where something does.
    seen: Option<Box<Seen>>,
}

impl Reply {
    /// A block of fields breaks the rules of HTTP: that is an error of its stream alone (RFC 9113, section 8.1.1), unless the fields could not be read.
    fn malformed(&mut self, broken: Broken) -> Result<(), Broken> {
        if broken.code != Code::PROTOCOL_ERROR {
            return Err(broken);
        }
        self.wrong.get_or_insert(broken.violation);
        Ok(())
    }
}

impl Responses {
    /// What they are judged by.
    pub fn new(judge: Judge) -> Responses {
        Responses {
            judge,
            known: Known::default(),
        }
    }
}

impl Meaning for Responses {
    type Reply = Reply;

    fn reply(&self) -> Reply {
        Reply {
            seen: self.judge.remembers().then(Box::default),
            ..Reply::default()
        }
    }

    #[inline]
    fn asked(&self, reply: &mut Reply, rule: u32, drawn: Drawn) {
        reply.rule = rule;
        reply.head = Head::default();
        reply.body = Checked::default();
        reply.wrong = None;
        if let Some(seen) = &mut reply.seen {
            self.judge.asked(rule, seen, drawn);
        }
    }

    #[inline]
    fn head(&mut self, reply: &mut Reply, block: &[u8]) -> Result<bool, Broken> {
        match (self.known).of(block, |block| Head::parse(block, |_, _| {})) {
            Ok(head) => reply.head = *head,
            Err(broken) => {
                reply.malformed(broken)?;
                return Ok(true);
            }
        }
        Ok(!reply.head.is_interim())
    }

    fn trailers(&mut self, reply: &mut Reply, block: &[u8]) -> Result<(), Broken> {
        response::trailers(block, |_, _| {}).or_else(|broken| reply.malformed(broken))
    }

    #[inline]
    fn content(&mut self, reply: &mut Reply, piece: &[u8]) {
        let Reply {
            rule,
            head,
            body,
            seen,
            ..
        } = reply;
        self.judge
            .take(*rule, head.status, body, seen.as_deref_mut(), piece);
    }

    fn whole(&mut self, reply: &Reply) -> Response {
        let Reply {
            rule,
            head,
            body,
            wrong,
            seen,
        } = reply;
        if let Some(violation) = *wrong {
            self.judge.complain(|| violation);
            return Response::failed(head.status, ErrorKind::Malformed);
        }
        let is_empty = self.judge.is_bodiless(*rule) || matches!(head.status, 204 | 304);
        match head.length {
            _ if is_empty && body.received() > 0 => {
                let (status, got) = (head.status, body.received());
                (self.judge).complain(|| Http2Complaint::Content { status, got });
                Response::failed(status, ErrorKind::Malformed)
            }
            Some(length) if length != body.received() && !is_empty => {
                let received = body.received();
                self.judge.complain(|| Http2Complaint::Length {
                    promised: length,
                    got: received,
                });
                Response::failed(head.status, ErrorKind::Malformed)
            }
            _ => self
                .judge
                .response(*rule, head.status, *body, seen.as_deref(), true),
        }
    }

    fn status(&self, reply: &Reply) -> u16 {
        reply.head.status
    }

    fn kept(&self, reply: &Reply) -> Kept {
        Kept {
            status: reply.head.status,
            head: response::text(self.known.block(), b""),
            body: (reply.seen.as_ref()).map_or(Vec::new(), |seen| seen.kept.clone()),
            wire_bytes: reply.body.received(),
            expected: self.judge.expected(reply.rule),
            complaint: None,
        }
    }

    fn judge(&mut self) -> &mut Judge {
        &mut self.judge
    }
}
