//! gRPC over HTTP/2, as its description says ("gRPC over HTTP2", PROTOCOL-HTTP2.md): a request is one message, a response as
//! many as its method sends, and the trailers say how the call ended.

mod framing;
mod status;

use std::sync::Arc;

use photofinish_model::finding::complaint::GrpcComplaint;
use photofinish_model::{Grpc, Request, Secret, Template};

use crate::baseline::Baseline;
use crate::error::{ConfigError, InvalidRequest};
use crate::http::body::Checked;
use crate::http::judge::Judge;
use crate::http::shape::Seen;
use crate::http2::{self, Book, Broken, Encoded, Http2, Known, Meaning};
use crate::outcome::ErrorKind;
use crate::payload;
use crate::protocol::{Kept, Place, Response};
use crate::template::Drawn;
use framing::Framing;
use status::{Head, Status};

pub use crate::outcome::GrpcFault;
pub use crate::payload::PREFIX;
pub use framing::LONGEST;

/// Fields that every call has.
const EVERY_CALL: [(&str, &str); 2] = [("te", "trailers"), ("content-type", "application/grpc")];

/// By which replies are judged: all calls are the same but for what varies in them.
const RULE: u32 = 0;

/// Whether calls can be sent.
///
/// # Errors
/// With what cannot.
pub fn validate(call: &Grpc) -> Result<(), ConfigError> {
    if !(1..=photofinish_model::MOST_STREAMS).contains(&call.streams) {
        let streams = call.streams;
        return Err(ConfigError::Streams { streams });
    }
    if let Some(place) = payload::wrong(call.message.expose()) {
        return Err(place.into());
    }
    Ok(())
}

/// A call as a request of HTTP/2.
///
/// # Errors
/// For a call that cannot be sent.
fn encoded(call: &Grpc, scheme: &str, authority: &str) -> Result<Encoded, InvalidRequest> {
    let head = Request {
        method: "POST".to_owned(),
        path: Template::fixed(call.path.as_bytes()),
        headers: call.headers.clone(),
        body: Secret::default(),
    };
    Encoded::framed(
        &head,
        &EVERY_CALL,
        call.message.expose(),
        (scheme, authority),
    )
}

/// One thread's calls.
#[derive(Debug)]
pub struct Calls {
    judge: Judge,
    /// How many messages a reply has; `None`: any number.
    messages: Option<u64>,
    heads: Known<Head>,
    trailers: Known<Status>,
}

/// What is known of a reply so far.
#[derive(Debug, Default)]
pub struct Reply {
    /// Of HTTP.
    status: u16,
    /// The head says that it is gRPC.
    speaks: bool,
    framing: Framing,
    /// What its messages hold.
    body: Checked,
    /// What varies, where something does.
    seen: Option<Box<Seen>>,
    /// How the call ended, as far as that was said.
    ended: Status,
}

impl Calls {
    /// What is wrong with a whole reply, but for what its messages hold.
    fn fault(&self, reply: &Reply) -> Option<(ErrorKind, GrpcComplaint)> {
        let status = reply.status;
        if status != 200 {
            return Some((ErrorKind::Status, GrpcComplaint::HttpStatus { status }));
        }
        let wrong = self.ended_badly(reply).or_else(|| reply.framing.fault());
        let (fault, complaint) = wrong.or_else(|| self.miscounted(reply))?;
        Some((ErrorKind::Grpc(fault), complaint))
    }

    fn miscounted(&self, reply: &Reply) -> Option<(GrpcFault, GrpcComplaint)> {
        let got = reply.framing.messages();
        let expected = self.messages.filter(|expected| *expected != got)?;
        Some((
            GrpcFault::Messages,
            GrpcComplaint::Messages { got, expected },
        ))
    }

    fn ended_badly(&self, reply: &Reply) -> Option<(GrpcFault, GrpcComplaint)> {
        match &reply.ended {
            Status::Ok => None,
            Status::Missing if !reply.speaks => {
                Some((GrpcFault::NotSpoken, GrpcComplaint::NotSpoken {}))
            }
            Status::Missing => Some((GrpcFault::NoStatus, GrpcComplaint::NoStatus {})),
            Status::NoNumber(text) => {
                let text = text.clone();
                Some((GrpcFault::NoStatus, GrpcComplaint::StatusNumber { text }))
            }
            Status::Failed { status, message } => {
                let (status, message) = (*status, message.clone());
                let complaint = GrpcComplaint::Failed { status, message };
                Some((GrpcFault::of_status(status), complaint))
            }
        }
    }
}

impl Meaning for Calls {
    type Reply = Reply;

    fn reply(&self) -> Reply {
        Reply {
            seen: self.judge.remembers().then(Box::default),
            ..Reply::default()
        }
    }

    fn asked(&self, reply: &mut Reply, rule: u32, drawn: Drawn) {
        *reply = Reply {
            seen: reply.seen.take(),
            ..Reply::default()
        };
        if let Some(seen) = &mut reply.seen {
            self.judge.asked(rule, seen, drawn);
        }
    }

    fn head(&mut self, reply: &mut Reply, block: &[u8]) -> Result<bool, Broken> {
        let head = self.heads.of(block, Head::parse)?;
        reply.status = head.status;
        reply.speaks = head.speaks;
        // Where there is nothing but a head, it has what else would come after the content.
        reply.ended.clone_from(&head.ended);
        Ok(head.status >= 200)
    }

    fn trailers(&mut self, reply: &mut Reply, block: &[u8]) -> Result<(), Broken> {
        let status = self.trailers.of(block, Status::parse)?;
        reply.ended.clone_from(status);
        Ok(())
    }

    fn content(&mut self, reply: &mut Reply, piece: &[u8]) {
        let Reply {
            status,
            framing,
            body,
            seen,
            ended,
            ..
        } = reply;
        // A status before the content is none.
        if *ended != Status::Missing {
            *ended = Status::Missing;
        }
        framing.take(piece, |content| {
            (self.judge).take(RULE, *status, body, seen.as_deref_mut(), content);
        });
    }

    fn whole(&mut self, reply: &Reply) -> Response {
        match self.fault(reply) {
            None => {
                let seen = reply.seen.as_deref();
                (self.judge).response(RULE, reply.status, reply.body, seen, true)
            }
            Some((kind, complaint)) => {
                self.judge.complain(|| complaint);
                Response::failed(reply.status, kind)
            }
        }
    }

    fn status(&self, reply: &Reply) -> u16 {
        reply.status
    }

    fn kept(&self, reply: &Reply) -> Kept {
        let prefixes = reply.framing.messages() * PREFIX as u64;
        Kept {
            status: reply.status,
            head: http2::text(self.heads.block(), self.trailers.block()),
            body: (reply.seen.as_ref()).map_or(Vec::new(), |seen| seen.kept.clone()),
            wire_bytes: reply.body.received() + prefixes,
            expected: self.judge.expected(RULE),
            complaint: None,
        }
    }

    fn judge(&mut self) -> &mut Judge {
        &mut self.judge
    }
}

/// What speaks gRPC on a thread.
pub type Speaker = Http2<Calls>;

impl Speaker {
    /// Makes calls to a server that it calls `authority`, and knows what replies were like when the server was verified; what
    /// varies in the calls follows from `seed` and the connections' numbers.
    ///
    /// # Errors
    /// For a call that cannot be sent.
    pub fn of(
        call: &Grpc,
        (scheme, authority): (&str, &str),
        seed: u64,
        place: Place,
        baseline: Option<Baseline>,
    ) -> Result<Speaker, InvalidRequest> {
        let calls = Calls {
            judge: Judge::new(&call.expect).at(place),
            messages: call.messages,
            heads: Known::default(),
            trailers: Known::default(),
        };
        let encoded = encoded(call, scheme, authority)?;
        let book = Arc::new(Book::of_one(encoded));
        let speaker = Http2::speaking(book, calls, call.streams, seed, place);
        Ok(speaker.with_baseline(baseline))
    }
}

#[cfg(test)]
mod tests;
