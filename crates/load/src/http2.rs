//! HTTP/2 (RFC 9113) as a state machine without I/O.

mod book;
mod frame;
mod hpack;
mod huffman;
mod incoming;
mod link;
mod meaning;
mod request;
mod response;
mod responses;

use std::sync::Arc;

use photofinish_model::finding::complaint::{Complaint, Http2Complaint, Http2Violation};
use photofinish_model::{Expect, Request, Requests};

use crate::baseline::Baseline;
use crate::error::InvalidRequest;
use crate::http::judge::{Judge, Rule};
use crate::outcome::ErrorKind;
use crate::protocol::{Kept, Place, Progress, Protocol, Response, Ticket};
use crate::sequence::Position;
use crate::template::Drawn;
use frame::Code;
use link::{Body, End, Link, Step, Streams};
use request::Draft;

pub(crate) use book::Book;
pub(crate) use hpack::Text;
#[cfg(test)]
pub(crate) use hpack::write_field;
pub(crate) use meaning::{Known, Meaning};
pub(crate) use request::Encoded;
pub(crate) use response::{Head, number, text, trailers};
use responses::Responses;

/// Why a connection is of no further use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken {
    /// What the server gets.
    pub code: Code,
    /// What the user is.
    pub violation: Http2Violation,
}

/// One thread's HTTP/2, and what its responses mean.
#[derive(Debug)]
pub struct Http2<M = Responses> {
    book: Arc<Book>,
    /// Where its connections are among many requests.
    position: Position,
    streams: u32,
    /// The seed of what varies in requests.
    seed: u64,
    place: Place,
    /// The number of the thread's next request, if requests have it.
    counter: u64,
    meaning: M,
}

/// What is remembered of one connection.
#[derive(Debug)]
pub struct State<R> {
    link: Link,
    /// By ticket.
    replies: Vec<R>,
    draft: Option<Draft>,
    /// Where it is among many requests, if it goes through them by itself.
    position: Option<Position>,
    /// The last request's frames.
    out: Vec<u8>,
}

impl Http2 {
    /// Makes a thread's side. It sends `request` to a server that it calls `authority`, `streams` at once on a connection,
    /// and expects `expect`. Random parts of requests follow from `seed` and the connections' numbers.
    ///
    /// # Errors
    /// For a request that cannot be sent.
    pub fn of_one(
        request: &Request,
        expect: &Expect,
        (scheme, authority): (&str, &str),
        streams: u32,
        seed: u64,
    ) -> Result<impl Fn(Place) -> Self + Clone + Send + 'static + use<>, InvalidRequest> {
        let book = Book::of_one(Encoded::new(request, scheme, authority)?);
        let rules = Arc::new([Rule::new(expect, request.method == "HEAD")]);
        Ok(Http2::maker(book, rules, streams, seed))
    }

    /// Makes a thread's side that sends the requests of a list.
    ///
    /// # Errors
    /// For a request that cannot be sent.
    pub fn listed(
        requests: &Requests,
        (scheme, authority): (&str, &str),
        seed: u64,
    ) -> Result<impl Fn(Place) -> Self + Clone + Send + 'static + use<>, InvalidRequest> {
        let (book, rules) = Book::of(requests, scheme, authority)?;
        let streams = requests.version.streams().unwrap_or(1);
        Ok(Http2::maker(book, rules, streams, seed))
    }

    fn maker(
        book: Book,
        rules: Arc<[Rule]>,
        streams: u32,
        seed: u64,
    ) -> impl Fn(Place) -> Self + Clone + Send + 'static + use<> {
        let book = Arc::new(book);
        move |place| {
            let responses = Responses::new(Judge::by(Arc::clone(&rules)).at(place));
            Http2::speaking(Arc::clone(&book), responses, streams, seed, place)
        }
    }
}

impl<M: Meaning> Http2<M> {
    /// Sends requests whose responses mean that.
    pub fn speaking(book: Arc<Book>, meaning: M, streams: u32, seed: u64, place: Place) -> Self {
        Http2 {
            position: book.sequence.shared(seed, place),
            book,
            streams,
            seed,
            place,
            counter: place.first_number(),
            meaning,
        }
    }

    /// Compares each response with what responses were like when the server was verified.
    pub fn with_baseline(mut self, baseline: Option<Baseline>) -> Self {
        self.meaning.judge().compare_with(baseline);
        self
    }

    /// What a response is worth.
    fn response(&mut self, reply: &M::Reply, end: End) -> Response {
        let (kind, complaint) = match end {
            End::Whole => return self.meaning.whole(reply),
            End::Reset(code) => (ErrorKind::Reset, Http2Complaint::Reset { error: code.0 }),
        };
        self.meaning.judge().complain(|| complaint);
        Response::failed(self.meaning.status(reply), kind)
    }
}

/// What the frames mean.
struct InFlight<'a, M: Meaning> {
    meaning: &'a mut M,
    replies: &'a mut [M::Reply],
}

impl<M: Meaning> Streams for InFlight<'_, M> {
    #[inline]
    fn head(&mut self, ticket: u32, block: &[u8]) -> Result<bool, Broken> {
        self.meaning.head(&mut self.replies[ticket as usize], block)
    }

    #[inline]
    fn trailers(&mut self, ticket: u32, block: &[u8]) -> Result<(), Broken> {
        (self.meaning).trailers(&mut self.replies[ticket as usize], block)
    }

    #[inline]
    fn content(&mut self, ticket: u32, piece: &[u8]) {
        (self.meaning).content(&mut self.replies[ticket as usize], piece);
    }
}

impl<M: Meaning> Protocol for Http2<M> {
    type State = State<M::Reply>;
    const MANY: bool = true;

    fn state(&self, connection: usize) -> Self::State {
        let (sequence, number) = (&self.book.sequence, self.place.first + connection);
        State {
            link: Link::new(self.streams),
            replies: std::iter::repeat_with(|| self.meaning.reply())
                .take(self.streams as usize)
                .collect(),
            draft: self.book.varies.then(|| Draft::new(self.seed, number)),
            position: (sequence.per_connection()).then(|| sequence.own(self.seed, number)),
            out: Vec::new(),
        }
    }

    fn reopened(&self, state: &mut Self::State) {
        state.link = Link::new(self.streams);
    }

    fn opened(&mut self, state: &mut Self::State, out: &mut Vec<u8>) {
        state.link.open(out);
    }

    fn room(&self, state: &Self::State) -> u32 {
        state.link.room()
    }

    fn streams(&self) -> u32 {
        self.streams
    }

    fn request<'a>(&'a mut self, state: &'a mut Self::State, ticket: Ticket) -> &'a [u8] {
        let State {
            link,
            replies,
            draft,
            position,
            out,
        } = state;
        out.clear();
        let next = match self.book.sequence.is_many() {
            true => (self.book.sequence).next(position.as_mut().unwrap_or(&mut self.position)),
            false => 0,
        };
        let (request, rule) = self.book.page(next);
        let mut drawn = Drawn::default();
        match (request.fixed(), draft) {
            (Some((block, body)), _) => link.request(ticket.0, block, Body::Shared(body), out),
            (None, Some(draft)) => {
                drawn = draft.next(request, self.counter);
                self.counter += self.place.threads as u64;
                link.request(ticket.0, &draft.block, Body::Own(&draft.body), out);
            }
            // Every connection of requests that vary has its draft.
            (None, None) => {}
        }
        (self.meaning).asked(&mut replies[ticket.0 as usize], *rule, drawn);
        out
    }

    fn receive(&mut self, state: &mut Self::State, bytes: &[u8], out: &mut Vec<u8>) -> Progress {
        let mut rest = bytes;
        let mut in_flight = InFlight {
            meaning: &mut self.meaning,
            replies: &mut state.replies,
        };
        let step = state.link.receive(&mut rest, &mut in_flight, out);
        let used = bytes.len() - rest.len();
        // Later it may lower and raise the number as it likes (RFC 9113, section 6.5.2), and 0 lasts for a short time only.
        if let Some(allowed) = state.link.allowed().filter(|allowed| *allowed > 0)
            && allowed < self.streams
            && state.link.is_unused()
        {
            let wanted = self.streams;
            (self.meaning.judge()).complain(|| Http2Complaint::Streams { allowed, wanted });
            return Progress::Broken(ErrorKind::Malformed);
        }
        match step {
            Ok(Step::More) => Progress::More,
            Ok(Step::Leaving) => Progress::Last { used },
            Ok(Step::Unseen(ticket)) => Progress::Unseen {
                used,
                ticket: Ticket(ticket),
            },
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
                self.meaning.judge().complain(|| broken.violation);
                Progress::Broken(ErrorKind::Malformed)
            }
        }
    }

    #[inline]
    fn fill(&mut self, state: &mut Self::State, waiting: usize, out: &mut Vec<u8>) {
        state.link.fill(waiting, out);
    }

    fn drained(&mut self, state: &mut Self::State) {
        state.link.drained();
    }

    fn closed(&mut self, state: &mut Self::State) -> Progress {
        self.meaning
            .judge()
            .complain(|| match (state.link.allowed(), state.link.goodbye()) {
                (Some(_), Some(Code(error))) => Complaint::from(Http2Complaint::GoneAway { error }),
                (Some(_), None) => Http2Complaint::Closed {}.into(),
                (None, _) => Http2Violation::NotSpoken.into(),
            });
        Progress::Broken(ErrorKind::Closed)
    }

    fn unready(&mut self, state: &Self::State, within_s: f64) -> Complaint {
        let wanted = self.streams;
        match state.link.allowed() {
            Some(allowed) => Http2Complaint::Streams { allowed, wanted }.into(),
            None => Http2Complaint::Silent { within_s }.into(),
        }
    }

    fn give_up(&mut self, state: &mut Self::State, ticket: Ticket, out: &mut Vec<u8>) -> bool {
        state.link.give_up(ticket.0, out)
    }

    fn kept(&self, state: &Self::State, _: u64) -> Kept {
        (state.replies.first()).map_or_else(Kept::default, |reply| self.meaning.kept(reply))
    }

    fn lengths_vary(&mut self) {
        self.meaning.judge().lengths_vary();
    }

    fn begin(&mut self) {
        self.meaning.judge().begin();
    }

    fn complaint(&mut self) -> Option<Complaint> {
        self.meaning.judge().complaint()
    }
}
