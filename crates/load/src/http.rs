//! HTTP/1.1 and 1.0 responses (RFC 9112) as a state machine without I/O.

pub(crate) mod body;
mod book;
mod chunked;
mod head;
pub(crate) mod judge;
mod known;
mod request;
pub(crate) mod shape;
mod state;

use crate::baseline::Baseline;
use crate::outcome::ErrorKind;
use crate::protocol::{Kept, Place, Progress, Protocol, Response, Ticket};
use crate::sequence::Position;
use body::Checked;
use book::Asked;
use chunked::{Chunked, Step as ChunkStep};
use head::{Framing, Head};
use judge::Judge;
use known::Known;
use photofinish_model::finding::complaint::{Complaint, Http1Violation};
use photofinish_model::{Expect, Request};
use request::{Draft, Encoded};
use shape::Seen;
use state::{Part, Varying};
use std::sync::Arc;

pub use crate::error::InvalidRequest;
pub(crate) use book::Book;
pub use head::HEAD_LIMIT;
pub use request::encode;
pub(crate) use request::first;
pub use state::State;

/// One thread's HTTP.
#[derive(Debug)]
pub struct Http {
    book: Arc<Book>,
    /// Where its connections are among many requests.
    position: Position,
    /// The seed of what varies in requests.
    seed: u64,
    place: Place,
    /// The number of the thread's next request, if requests have it.
    counter: u64,
    /// How many requests a connection carries; `None`: as many as the server likes.
    most: Option<u32>,
    judge: Judge,
    /// By the requests' slots.
    known: Vec<Known>,
}

impl Http {
    /// Sends `request` to a server that it calls `authority`, and expects `expect`. What varies in requests follows from `seed` and the connections' numbers.
    pub fn new(
        request: &Request,
        expect: &Expect,
        authority: &str,
        seed: u64,
        place: Place,
    ) -> Result<Self, InvalidRequest> {
        let book = Book::of_one(request, expect, authority)?;
        Ok(Http::sending(&Arc::new(book), seed, place))
    }

    /// The same with the requests of a book, in its order.
    pub fn sending(book: &Arc<Book>, seed: u64, place: Place) -> Self {
        Http {
            book: Arc::clone(book),
            position: book.sequence.shared(seed, place),
            seed,
            place,
            counter: place.first_number(),
            most: None,
            judge: Judge::by(Arc::clone(&book.rules)).at(place),
            known: std::iter::repeat_with(|| Known::one_of(book.slots()))
                .take(book.slots())
                .collect(),
        }
    }

    /// Closes a connection after so many responses; `None`: when the server wishes so.
    pub fn closing_after(self, most: Option<u32>) -> Self {
        Http { most, ..self }
    }

    /// A response, which may be the last one that its connection is to carry.
    #[inline]
    fn counted(&self, state: &mut State, mut response: Response) -> Response {
        if let Some(most) = self.most {
            state.served += 1;
            response.reuse &= state.served < most;
        }
        response
    }

    /// Compares each response with what responses were like when the server was verified.
    pub fn with_baseline(mut self, baseline: Option<Baseline>) -> Self {
        self.judge.compare_with(baseline);
        self
    }

    fn broken(&mut self, kind: ErrorKind, complaint: impl Into<Complaint>) -> Progress {
        self.judge.complain(|| complaint);
        Progress::Broken(kind)
    }

    /// Takes head bytes; the number used and the head when it is whole.
    fn take_head(
        &mut self,
        asked: Asked,
        part: &mut Part,
        bytes: &[u8],
    ) -> Result<Option<(usize, Head)>, Http1Violation> {
        match part {
            Part::Head { held, line } => {
                let before = held.len();
                // Never hold more than the limit, however much comes at once.
                let room = HEAD_LIMIT.saturating_sub(before);
                held.extend_from_slice(&bytes[..bytes.len().min(room)]);
                match head::end(held, line) {
                    Some(end) => {
                        let head = self.understand(asked, &held[..end])?;
                        Ok(Some((end - before, head)))
                    }
                    None => head::begun(held).map(|()| None),
                }
            }
            _ => {
                if let Some(known) = self.known[asked.slot()].head(bytes) {
                    return Ok(Some(known));
                }
                let mut line = 0;
                match head::end(bytes, &mut line) {
                    Some(end) if end > HEAD_LIMIT => Err(Http1Violation::LongHead),
                    Some(end) => Ok(Some((end, self.understand(asked, &bytes[..end])?))),
                    None => {
                        head::begun(bytes)?;
                        *part = Part::Head {
                            held: bytes.to_vec(),
                            line,
                        };
                        Ok(None)
                    }
                }
            }
        }
    }

    fn understand(&mut self, asked: Asked, bytes: &[u8]) -> Result<Head, Http1Violation> {
        let mut head = Head::parse(bytes, asked.kind.bodiless)?;
        head.reuse &= !asked.kind.one_shot;
        self.known[asked.slot()].keep_head(bytes, head);
        Ok(head)
    }

    /// Compares a piece of the body with what is expected.
    fn check(&mut self, state: &mut State, piece: &[u8]) {
        let State {
            asked,
            body,
            head,
            varying,
            ..
        } = state;
        let seen = varying.as_mut().map(|varying| &mut varying.seen);
        self.judge
            .take(asked.kind.rule, head.status, body, seen, piece);
    }

    fn take_body(
        &mut self,
        state: &mut State,
        bytes: &[u8],
    ) -> Result<Option<usize>, Http1Violation> {
        match &mut state.part {
            Part::Fixed { left } => {
                let take = usize::try_from(*left).map_or(bytes.len(), |left| left.min(bytes.len()));
                *left -= take as u64;
                let whole = *left == 0;
                self.check(state, &bytes[..take]);
                Ok(whole.then_some(take))
            }
            Part::Chunked(_) => {
                let mut used = 0;
                while let Part::Chunked(chunked) = &mut state.part {
                    match chunked.step(&bytes[used..]) {
                        ChunkStep::More => return Ok(None),
                        ChunkStep::Data { skip, len } => {
                            let from = used + skip;
                            self.check(state, &bytes[from..from + len]);
                            used = from + len;
                        }
                        ChunkStep::End { used: end } => return Ok(Some(used + end)),
                        ChunkStep::Bad(violation) => return Err(violation),
                    }
                }
                Ok(None)
            }
            Part::UntilClosed => {
                self.check(state, bytes);
                Ok(None)
            }
            Part::Fresh | Part::Head { .. } => Ok(None),
        }
    }

    fn advance(
        &mut self,
        state: &mut State,
        bytes: &[u8],
    ) -> Result<Option<usize>, Http1Violation> {
        let mut used = 0;
        while matches!(state.part, Part::Fresh | Part::Head { .. }) {
            if used == bytes.len() {
                return Ok(None);
            }
            let Some((length, head)) =
                self.take_head(state.asked, &mut state.part, &bytes[used..])?
            else {
                return Ok(None);
            };
            used += length;
            state.head = head;
            state.part = match head.framing {
                // 1xx: the response proper is still to come.
                Framing::Interim => {
                    if let Some(varying) = &mut state.varying {
                        let (head, _) = self.known[state.asked.slot()].last_head();
                        varying.interim += head.len() as u64;
                    }
                    Part::Fresh
                }
                Framing::Fixed(0) => return Ok(Some(used)),
                Framing::Fixed(left) => Part::Fixed { left },
                Framing::Chunked => Part::Chunked(Chunked::default()),
                Framing::UntilClosed => Part::UntilClosed,
            };
        }
        Ok(self
            .take_body(state, &bytes[used..])?
            .map(|body| used + body))
    }

    fn done(&mut self, state: &mut State) -> Response {
        let seen = state.varying.as_ref().map(|varying| &varying.seen);
        let Head { status, reuse, .. } = state.head;
        let rule = state.asked.kind.rule;
        let response = self.judge.response(rule, status, state.body, seen, reuse);
        state.next();
        response
    }
}

/// The only request in flight has its response.
fn done(used: usize, response: Response) -> Progress {
    Progress::Done {
        used,
        ticket: Ticket::default(),
        response,
    }
}

impl Protocol for Http {
    type State = State;

    fn state(&self, connection: usize) -> State {
        let number = self.place.first + connection;
        let sequence = &self.book.sequence;
        let varies = self.judge.remembers() || self.book.varies || sequence.per_connection();
        State {
            asked: self.book.asked(0),
            part: Part::Fresh,
            head: Head::default(),
            body: Checked::default(),
            served: 0,
            varying: varies.then(|| {
                Box::new(Varying {
                    draft: Draft::new(self.seed, number),
                    seen: Seen::default(),
                    interim: 0,
                    position: (sequence.per_connection()).then(|| sequence.own(self.seed, number)),
                })
            }),
        }
    }

    #[inline]
    fn reopened(&self, state: &mut State) {
        state.next();
        state.served = 0;
    }

    #[inline]
    fn request<'a>(&'a mut self, state: &'a mut State, _: Ticket) -> &'a [u8] {
        if self.book.sequence.is_many() {
            let own = state.varying.as_mut().and_then(|own| own.position.as_mut());
            let next = self.book.sequence.next(own.unwrap_or(&mut self.position));
            state.asked = self.book.asked(next);
        }
        let Some(varying) = &mut state.varying else {
            return self.in_flight(state);
        };
        if let Encoded::Varied(request) = self.book.request(state.asked) {
            varying.draft.next(request, self.counter);
            self.counter += self.place.threads as u64;
        }
        let rule = state.asked.kind.rule;
        (self.judge).asked(rule, &mut varying.seen, varying.draft.drawn);
        self.in_flight(state)
    }

    #[inline]
    fn in_flight<'a>(&'a self, state: &'a State) -> &'a [u8] {
        match (self.book.request(state.asked), &state.varying) {
            (Encoded::Fixed(bytes), _) => bytes,
            (Encoded::Varied(_), Some(varying)) => &varying.draft.bytes,
            // Every connection of requests that vary has its draft.
            (Encoded::Varied(_), None) => &[],
        }
    }

    fn receive(&mut self, state: &mut State, bytes: &[u8], _: &mut Vec<u8>) -> Progress {
        // Where bodies vary by rule, equal bytes may be right once and wrong the next time.
        let asked = state.asked;
        let fresh = matches!(state.part, Part::Fresh);
        if fresh {
            self.known[asked.slot()].turn_to(asked.kind);
        }
        let at_start = fresh && !self.judge.has_shape(asked.kind.rule);
        if at_start && let Some(response) = self.known[asked.slot()].response(bytes) {
            let used = bytes.len();
            return done(used, self.counted(state, response));
        }
        match self.advance(state, bytes) {
            Ok(None) => Progress::More,
            Ok(Some(used)) => {
                let response = self.done(state);
                if at_start && used == bytes.len() {
                    self.known[asked.slot()].keep_response(bytes, response);
                }
                done(used, self.counted(state, response))
            }
            Err(violation) => self.broken(ErrorKind::Malformed, violation),
        }
    }

    fn closed(&mut self, state: &mut State) -> Progress {
        match state.part {
            Part::UntilClosed => done(0, self.done(state)),
            Part::Fresh => self.broken(ErrorKind::Closed, Complaint::Closed { begun: false }),
            _ => self.broken(ErrorKind::Closed, Complaint::Closed { begun: true }),
        }
    }

    fn kept(&self, state: &State, received: u64) -> Kept {
        let (head, status) = self.known[state.asked.slot()].last_head();
        let varying = state.varying.as_ref();
        let interim = varying.map_or(0, |varying| varying.interim);
        Kept {
            status,
            head: String::from_utf8_lossy(head.trim_ascii_end()).into_owned(),
            body: varying.map_or(Vec::new(), |varying| varying.seen.kept.clone()),
            wire_bytes: received.saturating_sub(interim),
            expected: self.judge.expected(state.asked.kind.rule),
            complaint: None,
        }
    }

    fn lengths_vary(&mut self) {
        self.judge.lengths_vary();
    }

    fn begin(&mut self) {
        self.judge.begin();
    }

    fn complaint(&mut self) -> Option<Complaint> {
        self.judge.complaint()
    }
}

#[cfg(test)]
mod tests;
