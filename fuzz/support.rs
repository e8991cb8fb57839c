//! One connection's responses, fed piece by piece: shared by the targets.
// Not every target uses all of it.
#![allow(dead_code)]

use std::fmt::Debug;

use arbitrary::Arbitrary;
use photofinish_load::ErrorKind;
use photofinish_load::http::Http;
use photofinish_load::protocol::{Place, Progress, Protocol, Response, Ticket};
use photofinish_model::{Expect, Request, Template};

/// The only thread of a run.
pub const ALONE: Place = Place {
    thread: 0,
    threads: 1,
    first: 0,
};

/// What was asked and what is expected.
#[derive(Arbitrary, Debug)]
pub struct Setting {
    /// `HEAD`: no response has a body.
    pub head: bool,
    /// The request says `Connection: close`.
    pub close: bool,
    /// A status must come back.
    pub status: Option<u16>,
    /// A body must come back.
    pub body: Option<Vec<u8>>,
    /// The server closes after the last byte.
    pub closes: bool,
}

/// What came of the bytes, and where in the stream.
#[derive(Debug, PartialEq, Eq)]
pub enum Event {
    /// A response that ends at this byte.
    Response(usize, Response),
    /// No response. Where the parser noticed depends on the pieces; that it did, and as what, does not.
    Broken(ErrorKind),
}

/// The bytes in pieces: cut after each of `cuts` bytes, and the rest.
pub fn cut<'a>(bytes: &'a [u8], cuts: &[u8]) -> Vec<&'a [u8]> {
    let mut rest = bytes;
    let mut pieces: Vec<&[u8]> = cuts
        .iter()
        .map(|cut| {
            let (piece, after) = rest.split_at(usize::from(*cut).min(rest.len()));
            rest = after;
            piece
        })
        .collect();
    pieces.push(rest);
    pieces
}

/// What is heard is the same whether the bytes come whole, in pieces, or one by one.
pub fn in_any_pieces<T: Debug + PartialEq>(
    bytes: &[u8],
    cuts: &[u8],
    heard: impl Fn(&[&[u8]]) -> T,
) {
    let whole = heard(&[bytes]);
    assert_eq!(heard(&cut(bytes, cuts)), whole);
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(heard(&single), whole);
}

/// The responses of a protocol with many in flight by their tickets, and how it ended if it broke; `sends` looks at what
/// the protocol has sent of its own since the last look, and may take it.
pub fn feed_many<P: Protocol>(
    protocol: &mut P,
    state: &mut P::State,
    pieces: &[&[u8]],
    mut sends: impl FnMut(&mut Vec<u8>),
) -> (Vec<(u32, Response)>, Option<ErrorKind>) {
    let (mut out, mut responses) = (Vec::new(), Vec::new());
    for piece in pieces {
        let mut rest = *piece;
        loop {
            match protocol.receive(state, rest, &mut out) {
                Progress::More => break,
                Progress::Done {
                    used,
                    ticket,
                    response,
                } => {
                    rest = &rest[used..];
                    responses.push((ticket.0, response));
                }
                Progress::Unseen { used, .. } | Progress::Last { used } => rest = &rest[used..],
                Progress::Broken(kind) => return (responses, Some(kind)),
            }
            sends(&mut out);
        }
    }
    (responses, None)
}

/// What a speaker of HTTP/2 with so many requests sent makes of a server's pieces, and whether it broke: where it noticed
/// what hangs on the pieces, so that the kind may.
pub fn over_http2<P: Protocol>(
    mut speaker: P,
    streams: u32,
    pieces: &[&[u8]],
) -> (Vec<(u32, Response)>, bool) {
    /// A server's first words: SETTINGS without a setting.
    const SETTINGS: &[u8] = b"\0\0\0\x04\0\0\0\0\0";
    let (mut state, mut out) = (speaker.state(0), Vec::new());
    speaker.opened(&mut state, &mut out);
    let begun = speaker.receive(&mut state, SETTINGS, &mut out);
    assert_eq!(begun, Progress::More);
    for ticket in 0..streams {
        speaker.request(&mut state, Ticket(ticket));
    }
    let (responses, broken) = feed_many(&mut speaker, &mut state, pieces, Vec::clear);
    (responses, broken.is_some())
}

/// The events of a stream of HTTP. Responses follow one another as they do when requests are pipelined.
pub fn conversation(setting: &Setting, pieces: &[&[u8]]) -> Vec<Event> {
    let close = setting
        .close
        .then(|| ("Connection".to_owned(), Template::fixed("close")));
    let request = Request {
        method: if setting.head { "HEAD" } else { "GET" }.to_owned(),
        headers: close.into_iter().collect(),
        ..Request::get("/")
    };
    let expect = Expect {
        status: setting.status,
        body: setting.body.clone(),
        ..Expect::default()
    };
    let mut http = Http::new(&request, &expect, "h", 0, ALONE).expect("the request is valid");
    let mut state = http.state(0);
    let (mut events, taken) = feed(&mut http, &mut state, pieces, usize::MAX);
    let goes_on = events.last().is_none_or(Event::goes_on);
    if setting.closes && goes_on {
        match http.closed(&mut state) {
            Progress::Done { response, .. } => events.push(Event::Response(taken, response)),
            Progress::Broken(kind) => events.push(Event::Broken(kind)),
            Progress::More | Progress::Unseen { .. } | Progress::Last { .. } => {
                panic!("a closed connection cannot go on")
            }
        }
    }
    events
}

impl Event {
    fn goes_on(&self) -> bool {
        matches!(self, Event::Response(_, response) if response.reuse)
    }
}

/// The events of the pieces, `responses` of them at most, and how many bytes were taken. It ends where the connection is of
/// no further use.
pub fn feed<P: Protocol>(
    protocol: &mut P,
    state: &mut P::State,
    pieces: &[&[u8]],
    answers: usize,
) -> (Vec<Event>, usize) {
    let mut events = Vec::new();
    let mut taken = 0;
    for piece in pieces {
        let mut rest = *piece;
        while !rest.is_empty() {
            match protocol.receive(state, rest, &mut Vec::new()) {
                Progress::More => {
                    taken += rest.len();
                    rest = &[];
                }
                Progress::Done { used, response, .. } => {
                    assert!(
                        0 < used && used <= rest.len(),
                        "{used} of {} bytes used",
                        rest.len()
                    );
                    taken += used;
                    rest = &rest[used..];
                    events.push(Event::Response(taken, response));
                    // The loop sends nothing more on such a connection, so that nothing more is read from it.
                    if !response.reuse || events.len() == answers {
                        return (events, taken);
                    }
                }
                Progress::Unseen { .. } | Progress::Last { .. } => {
                    panic!("these take one request after the other")
                }
                Progress::Broken(kind) => {
                    events.push(Event::Broken(kind));
                    return (events, taken);
                }
            }
        }
    }
    (events, taken)
}
