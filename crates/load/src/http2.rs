//! HTTP/2 (RFC 9113) as a state machine without I/O.

mod frame;
mod hpack;
mod huffman;
mod incoming;
mod link;
mod request;
mod response;

use photofinish_model::{Expect, Request};

use crate::baseline::Baseline;
use crate::http::InvalidRequest;
use crate::http::body::Checked;
use crate::http::judge::Judge;
use crate::http::shape::Seen;
use crate::outcome::ErrorKind;
use crate::protocol::{Place, Progress, Protocol, Response, Ticket};
use crate::template::Drawn;
use frame::Code;
use link::{End, Link, Step, Streams};
use request::{Draft, Encoded};

pub use request::NOT_SENT;
use response::Head;

/// Why a connection is of no further use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{says}")]
pub struct Broken {
    /// What the server is told.
    pub code: Code,
    /// What the user is.
    pub says: &'static str,
}

/// One thread's HTTP/2.
#[derive(Debug)]
pub struct Http2 {
    request: Encoded,
    /// The request was `HEAD`, so that no response has a body.
    bodiless: bool,
    streams: u32,
    /// The seed of what varies in requests.
    seed: u64,
    place: Place,
    /// The number of the thread's next request, if requests tell it.
    counter: u64,
    judge: Judge,
    known: Known,
}

/// The last head, and what it means: nearly all responses of a run have the same.
#[derive(Debug, Default)]
struct Known {
    block: Vec<u8>,
    means: Head,
}

/// What is remembered of one connection.
#[derive(Debug)]
pub struct State {
    link: Link,
    /// By ticket.
    replies: Vec<Reply>,
    draft: Option<Draft>,
    /// The last request's frames.
    out: Vec<u8>,
}

/// What is known of a response so far.
#[derive(Debug, Default)]
struct Reply {
    head: Head,
    body: Checked,
    /// What varies, where something does.
    seen: Option<Box<Seen>>,
}

impl Http2 {
    /// Sends `request` to a server that it calls `authority`, `streams` of them at once on a connection, and expects
    /// `expect`. What varies in requests follows from `seed` and the connections' numbers.
    ///
    /// # Errors
    /// For a request that cannot be sent.
    pub fn new(
        request: &Request,
        expect: &Expect,
        (scheme, authority): (&str, &str),
        streams: u32,
        seed: u64,
        place: Place,
    ) -> Result<Self, InvalidRequest> {
        Ok(Http2 {
            request: Encoded::new(request, scheme, authority)?,
            bodiless: request.method == "HEAD",
            streams,
            seed,
            place,
            counter: place.thread as u64 + 1,
            judge: Judge::new(expect),
            known: Known::default(),
        })
    }

    /// Compares each response with what responses were like when the server was verified.
    pub fn with_baseline(self, baseline: Option<Baseline>) -> Self {
        Http2 {
            judge: self.judge.with_baseline(baseline),
            ..self
        }
    }

    /// What a response is worth.
    fn response(&mut self, reply: &Reply, end: End) -> Response {
        let failed = match end {
            End::Whole => match reply.head.length {
                Some(length) if length != reply.body.received() && !self.is_empty(reply.head) => {
                    Some((
                        ErrorKind::Malformed,
                        format!(
                            "a response promised {length} bytes and has {}",
                            reply.body.received()
                        ),
                    ))
                }
                _ => None,
            },
            End::Reset(code) => Some((
                ErrorKind::Reset,
                format!("the server ended the stream: {}", code.name()),
            )),
            End::Unseen => Some((
                ErrorKind::Closed,
                "the server went away (GOAWAY) and did not look at the request".to_owned(),
            )),
        };
        match failed {
            None => self
                .judge
                .response(reply.head.status, reply.body, reply.seen.as_deref(), true),
            Some((kind, says)) => {
                self.judge.complain(|| says);
                Response {
                    status: reply.head.status,
                    fault: Some(kind),
                    changed: false,
                    reuse: true,
                }
            }
        }
    }

    /// Whether a response with this head has no body, whatever length it promises.
    fn is_empty(&self, head: Head) -> bool {
        self.bodiless || matches!(head.status, 204 | 304)
    }
}

/// What the frames mean.
struct Meaning<'a> {
    judge: &'a mut Judge,
    known: &'a mut Known,
    replies: &'a mut [Reply],
}

impl Streams for Meaning<'_> {
    #[inline]
    fn head(&mut self, ticket: u32, block: &[u8]) -> Result<bool, Broken> {
        if self.known.block != block {
            self.known.means = Head::parse(block)?;
            self.known.block.clear();
            self.known.block.extend_from_slice(block);
        }
        let head = self.known.means;
        self.replies[ticket as usize].head = head;
        Ok(!head.is_interim())
    }

    fn trailers(&mut self, _: u32, block: &[u8]) -> Result<(), Broken> {
        response::trailer(block, b"").map(|_| ())
    }

    #[inline]
    fn content(&mut self, ticket: u32, piece: &[u8]) {
        let Reply { head, body, seen } = &mut self.replies[ticket as usize];
        self.judge
            .take(head.status, body, seen.as_deref_mut(), piece);
    }
}

impl Protocol for Http2 {
    type State = State;
    const MANY: bool = true;

    fn state(&self, connection: usize) -> State {
        State {
            link: Link::new(self.streams),
            replies: std::iter::repeat_with(|| Reply {
                seen: self.judge.has_rules().then(Box::default),
                ..Reply::default()
            })
            .take(self.streams as usize)
            .collect(),
            draft: self
                .request
                .fixed()
                .is_none()
                .then(|| Draft::new(self.seed, self.place.first + connection)),
            out: Vec::new(),
        }
    }

    fn reopened(&self, state: &mut State) {
        state.link = Link::new(self.streams);
    }

    fn opened(&mut self, state: &mut State, out: &mut Vec<u8>) {
        state.link.open(out);
    }

    fn room(&self, state: &State) -> u32 {
        state.link.room()
    }

    fn streams(&self) -> u32 {
        self.streams
    }

    fn request<'a>(&'a mut self, state: &'a mut State, ticket: Ticket) -> &'a [u8] {
        let State {
            link,
            replies,
            draft,
            out,
        } = state;
        out.clear();
        let mut drawn = Drawn::default();
        match (self.request.fixed(), draft) {
            (Some((block, body)), _) => link.request(ticket.0, block, body, out),
            (None, Some(draft)) => {
                drawn = draft.next(&self.request, self.counter);
                self.counter += self.place.threads as u64;
                link.request(ticket.0, &draft.block, &draft.body, out);
            }
            // Every connection of a request that varies has its draft.
            (None, None) => {}
        }
        let reply = &mut replies[ticket.0 as usize];
        reply.head = Head::default();
        reply.body = Checked::default();
        if let Some(seen) = &mut reply.seen {
            self.judge.asked(seen, drawn);
        }
        out
    }

    fn receive(&mut self, state: &mut State, bytes: &[u8], out: &mut Vec<u8>) -> Progress {
        let mut rest = bytes;
        let mut meaning = Meaning {
            judge: &mut self.judge,
            known: &mut self.known,
            replies: &mut state.replies,
        };
        let step = state.link.receive(&mut rest, &mut meaning, out);
        let used = bytes.len() - rest.len();
        if let Some(allowed) = state.link.allowed()
            && allowed < self.streams
        {
            let wanted = self.streams;
            self.judge.complain(|| {
                format!(
                    "the server takes {allowed} requests at once on a connection (MAX_CONCURRENT_STREAMS), and {wanted} were asked for: ask for {allowed} streams, and more connections"
                )
            });
            return Progress::Broken(ErrorKind::Malformed);
        }
        match step {
            Ok(Step::More) => Progress::More,
            Ok(Step::Leaving) => Progress::Last { used },
            Ok(Step::Ended(ticket, end)) => {
                let reply = &state.replies[ticket as usize];
                let response = self.response(reply, end);
                Progress::Done {
                    used,
                    ticket: Ticket(ticket),
                    response,
                }
            }
            Err(broken) => {
                self.judge.complain(|| broken.says.to_owned());
                Progress::Broken(ErrorKind::Malformed)
            }
        }
    }

    fn drained(&mut self, state: &mut State) {
        state.link.drained();
    }

    fn closed(&mut self, state: &mut State) -> Progress {
        let says = match state.link.allowed() {
            Some(_) => "the connection was closed while responses were awaited",
            None => link::NO_HTTP2,
        };
        self.judge.complain(|| says.to_owned());
        Progress::Broken(ErrorKind::Closed)
    }

    fn give_up(&mut self, state: &mut State, ticket: Ticket, out: &mut Vec<u8>) -> bool {
        state.link.give_up(ticket.0, out)
    }

    fn begin(&mut self) {
        self.judge.begin();
    }

    fn complaint(&mut self) -> Option<String> {
        self.judge.complaint()
    }
}
