//! One connection's answers, fed piece by piece.

use arbitrary::Arbitrary;
use photofinish_load::http::Http;
use photofinish_load::protocol::{Answer, Progress, Protocol};
use photofinish_load::{ErrorKind, Expect, Request};

/// What was asked and what is expected.
#[derive(Arbitrary, Debug)]
pub struct Setting {
    /// `HEAD`: no answer has a body.
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
    /// An answer that ends at this byte.
    Answer(usize, Answer),
    /// No answer. Where the parser noticed depends on the pieces; that it did, and as what, does not.
    Broken(ErrorKind),
}

/// The events of a stream. Answers follow one another as they do when requests are pipelined.
pub fn conversation(setting: &Setting, pieces: &[&[u8]]) -> Vec<Event> {
    let close = setting
        .close
        .then(|| ("Connection".to_owned(), "close".to_owned()));
    let request = Request {
        method: if setting.head { "HEAD" } else { "GET" }.to_owned(),
        path: "/".to_owned(),
        host: "h".to_owned(),
        headers: close.into_iter().collect(),
        body: Vec::new(),
    };
    let expect = Expect {
        status: setting.status,
        body: setting.body.clone(),
    };
    let mut http = Http::new(&request, &expect).expect("the request is valid");
    let mut state = http.state();
    let mut events = Vec::new();
    let mut taken = 0;
    for piece in pieces {
        let mut rest = *piece;
        while !rest.is_empty() {
            match http.receive(&mut state, rest) {
                Progress::More => {
                    taken += rest.len();
                    rest = &[];
                }
                Progress::Done { used, answer } => {
                    assert!(
                        0 < used && used <= rest.len(),
                        "{used} of {} bytes used",
                        rest.len()
                    );
                    taken += used;
                    rest = &rest[used..];
                    events.push(Event::Answer(taken, answer));
                    // The loop sends nothing more on such a connection, so that nothing more is read from it.
                    if !answer.reuse {
                        return events;
                    }
                }
                Progress::Broken(kind) => {
                    events.push(Event::Broken(kind));
                    return events;
                }
            }
        }
    }
    if setting.closes {
        match http.closed(&mut state) {
            Progress::Done { answer, .. } => events.push(Event::Answer(taken, answer)),
            Progress::Broken(kind) => events.push(Event::Broken(kind)),
            Progress::More => panic!("a closed connection cannot go on"),
        }
    }
    events
}
