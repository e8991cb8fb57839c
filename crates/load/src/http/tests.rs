//! The responses' state machine and the requests, without a socket.

mod framing;
mod judging;
mod requests;
mod splits;

use super::*;
use photofinish_model::{Part as Piece, Recall, Template};

const ALONE: Place = Place {
    thread: 0,
    threads: 1,
    first: 0,
    single: false,
};

const HOST: &str = "h";

/// What a sequence of pieces comes to: the response or the error, and how many bytes were used in all.
fn feed<'a>(
    http: &mut Http,
    pieces: impl IntoIterator<Item = &'a [u8]>,
    close: bool,
) -> (Progress, usize) {
    let mut state = http.state(0);
    let mut before = 0;
    for piece in pieces {
        match http.receive(&mut state, piece, &mut Vec::new()) {
            Progress::More => before += piece.len(),
            Progress::Done { used, response, .. } => {
                return (done(0, response), before + used);
            }
            broken => return (broken, 0),
        }
    }
    let end = if close {
        http.closed(&mut state)
    } else {
        Progress::More
    };
    (end, before)
}

fn request(method: &str) -> Request {
    Request {
        method: method.into(),
        path: Template::fixed("/"),
        headers: Vec::new(),
        body: Template::default().into(),
    }
}

fn http(method: &str, expect: Expect) -> Http {
    Http::new(&request(method), &expect, HOST, 7, ALONE).unwrap()
}

fn good(status: u16, reuse: bool) -> Progress {
    let response = Response {
        status,
        fault: None,
        changed: false,
        reuse,
    };
    done(0, response)
}

fn template(parts: &[Piece]) -> Template {
    Template(parts.to_vec())
}

fn bytes(text: &str) -> Piece {
    Piece::Bytes(text.into())
}

/// A request that varies everywhere.
fn varying() -> Request {
    let random = |low, high| Piece::Random { low, high };
    Request {
        method: "POST".into(),
        path: template(&[bytes("/a?id="), random(1, 5_000)]),
        headers: vec![("X-N".into(), template(&[Piece::Counter]).into())],
        body: template(&[
            bytes("{\"n\":"),
            Piece::Counter,
            bytes(",\"r\":"),
            random(0, 1_000_000),
            bytes("}"),
        ])
        .into(),
    }
}
