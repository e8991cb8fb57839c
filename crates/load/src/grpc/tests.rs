use photofinish_model::{Expect, Part, Payload, Piece, Recall};

use super::*;
use crate::http2::write_field;
use crate::protocol::{Progress, Protocol as _, Ticket};

mod streams;

const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

fn call() -> Grpc {
    Grpc {
        path: "/echo.Echo/Unary".to_owned(),
        headers: Vec::new(),
        message: Payload::fixed("hi").into(),
        messages: Some(1),
        expect: Expect::default(),
        streams: 2,
    }
}

/// A server's frames.
#[derive(Clone, Default)]
struct Server(Vec<u8>);

impl Server {
    fn new() -> Server {
        Server::default().frame(4, 0, 0, &[])
    }

    fn frame(mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Server {
        self.0
            .extend_from_slice(&(payload.len() as u32).to_be_bytes()[1..]);
        self.0.extend_from_slice(&[kind, flags]);
        self.0.extend_from_slice(&stream.to_be_bytes());
        self.0.extend_from_slice(payload);
        self
    }

    fn fields(self, stream: u32, fields: &[(&str, &str)], ends: bool) -> Server {
        let mut block = Vec::new();
        for (name, value) in fields {
            write_field(name.as_bytes(), value.as_bytes(), &mut block);
        }
        self.frame(
            HEADERS,
            END_HEADERS | if ends { END_STREAM } else { 0 },
            stream,
            &block,
        )
    }

    fn head(self, stream: u32) -> Server {
        self.fields(stream, &HEAD, false)
    }

    fn data(self, stream: u32, content: &[u8], ends: bool) -> Server {
        self.frame(0, u8::from(ends), stream, content)
    }

    fn ok(self, stream: u32) -> Server {
        self.fields(stream, &[("grpc-status", "0")], true)
    }
}

const HEAD: [(&str, &str); 2] = [(":status", "200"), ("content-type", "application/grpc")];

fn framed(message: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0];
    bytes.extend_from_slice(&(message.len() as u32).to_be_bytes());
    bytes.extend_from_slice(message);
    bytes
}

/// What a speaker of calls makes of a server's pieces, after so many calls; and the first sentence about it.
fn heard(call: &Grpc, calls: u32, pieces: &[&[u8]]) -> (Vec<(u32, Response)>, Option<String>) {
    let mut speaker = Speaker::of(call, ("http", "h"), 1, Place::default(), None).expect("a call");
    let mut state = speaker.state(0);
    let (mut out, mut responses) = (Vec::new(), Vec::new());
    speaker.opened(&mut state, &mut out);
    for ticket in 0..calls {
        speaker.request(&mut state, Ticket(ticket));
    }
    for piece in pieces {
        let mut rest = *piece;
        loop {
            match speaker.receive(&mut state, rest, &mut out) {
                Progress::More => break,
                Progress::Unseen { used, .. } | Progress::Last { used } => rest = &rest[used..],
                Progress::Done {
                    used,
                    ticket,
                    response,
                } => {
                    rest = &rest[used..];
                    responses.push((ticket.0, response));
                }
                Progress::Broken(_) => return (responses, said(&mut speaker)),
            }
        }
    }
    (responses, said(&mut speaker))
}

fn said(speaker: &mut Speaker) -> Option<String> {
    let complaint = speaker.complaint()?;
    Some(complaint.to_string())
}

fn fault(call: &Grpc, server: &Server) -> (Option<ErrorKind>, String) {
    let (responses, says) = heard(call, 1, &[&server.0]);
    assert_eq!(responses.len(), 1, "{says:?}");
    (responses[0].1.fault, says.unwrap_or_default())
}

#[test]
fn a_call_is_a_post_with_a_framed_message() {
    let call = Grpc {
        headers: vec![("X-Token".to_owned(), Template::fixed("t").into())],
        ..call()
    };
    let encoded = encoded(&call, "http", "h:1").expect("a call");
    let (block, body) = encoded.fixed().expect("nothing varies");
    let fields = http2::text(block, b"");
    let fields: Vec<&str> = fields.split("\r\n").skip(1).collect();
    assert_eq!(
        fields,
        [
            ":method: POST",
            ":scheme: http",
            ":authority: h:1",
            ":path: /echo.Echo/Unary",
            "te: trailers",
            "content-type: application/grpc",
            "x-token: t"
        ]
    );
    assert_eq!(**body, *b"\0\0\0\0\x02hi");
}

#[test]
fn a_good_reply_ends_with_status_0() {
    let good = Server::new().head(1).data(1, &framed(b"hi"), false).ok(1);
    assert_eq!(fault(&call(), &good), (None, String::new()));
    let expecting = |body: &[u8]| Grpc {
        expect: Expect {
            body: Some(body.to_vec()),
            ..Expect::default()
        },
        ..call()
    };
    assert_eq!(fault(&expecting(b"hi"), &good), (None, String::new()));
    let (kind, says) = fault(&expecting(b"ho"), &good);
    assert_eq!(kind, Some(ErrorKind::Body));
    assert_eq!(says, "body differs at byte 1: expected \"o\", got \"i\"");
    // A stream of any number, none among them.
    let stream = Grpc {
        messages: None,
        ..call()
    };
    let three = framed(b"a").repeat(3);
    assert_eq!(
        fault(&stream, &Server::new().head(1).data(1, &three, false).ok(1)).0,
        None
    );
    assert_eq!(fault(&stream, &Server::new().head(1).ok(1)).0, None);
}

#[test]
fn each_way_to_fail_has_a_name_and_a_sentence() {
    let new = Server::new;
    let message = framed(b"hi");
    let only = |status: &'static str, message: &'static str| {
        let fields = [
            HEAD[0],
            HEAD[1],
            ("grpc-status", status),
            ("grpc-message", message),
        ];
        new().fields(1, &fields, true)
    };
    let named = |fault| ErrorKind::Grpc(fault);
    let fails = |server: &Server, kind: ErrorKind, says: &str| {
        let (got, sentence) = fault(&call(), server);
        assert_eq!(got, Some(kind), "{sentence}");
        assert!(sentence.contains(says), "{sentence}: {says}");
    };
    let head = new().head(1);
    let replied = head.clone().data(1, &message, false);
    let cut = head.clone().data(1, &message[..6], false);
    let framing = named(GrpcFault::Framing);
    fails(&cut.clone().ok(1), framing, "announced 2 bytes and has 1");
    let messages = named(GrpcFault::Messages);
    let two = head.clone().data(1, &message.repeat(2), false).ok(1);
    fails(&two, messages, "has 2 messages, expected 1");
    fails(&head.clone().ok(1), messages, "has 0 messages, expected 1");
    fails(&only("0", ""), messages, "has 0 messages");
    let no_status = named(GrpcFault::NoStatus);
    let without = head.data(1, &message, true);
    fails(&without, no_status, "without a grpc-status");
    let other = replied.clone().fields(1, &[("x", "y")], true);
    fails(&other, no_status, "without a grpc-status");
    let text = replied.clone().fields(1, &[("grpc-status", "fine")], true);
    fails(&text, no_status, "\"fine\", which is not a number");
    // A status before the content does not count.
    let first = [HEAD[0], HEAD[1], ("grpc-status", "0")];
    let early = new().fields(1, &first, false).data(1, &message, true);
    fails(&early, no_status, "without a grpc-status");
    let says = "grpc-status 14 UNAVAILABLE: try again; is the server up";
    let unavailable = named(GrpcFault::Unavailable);
    fails(&only("14", "try%20again"), unavailable, says);
    let says = "grpc-status 12 UNIMPLEMENTED; does the server have this";
    fails(&only("12", ""), named(GrpcFault::Unimplemented), says);
    let not_found = replied.fields(1, &[("grpc-status", "5")], true);
    let says = "grpc-status 5 NOT_FOUND";
    fails(&not_found, named(GrpcFault::NotFound), says);
    let html = [HEAD[0], ("content-type", "text/html")];
    let page = new().fields(1, &html, false).data(1, b"<html>", true);
    let says = "is not application/grpc";
    fails(&page, named(GrpcFault::NotSpoken), says);
    let missing = new().fields(1, &[(":status", "404")], true);
    fails(&missing, ErrorKind::Status, "HTTP status 404");
    let reset = cut.frame(RST_STREAM, 0, 1, &2u32.to_be_bytes());
    fails(&reset, ErrorKind::Reset, "INTERNAL_ERROR");
}

#[test]
fn one_call_s_failure_is_its_own() {
    let server = Server::new()
        .head(1)
        .head(3)
        .data(3, &framed(b"hi"), false)
        .fields(1, &[("grpc-status", "13")], true)
        .ok(3);
    let (responses, _) = heard(&call(), 2, &[&server.0]);
    let faults: Vec<_> = responses
        .iter()
        .map(|(ticket, response)| (*ticket, response.fault))
        .collect();
    let internal = ErrorKind::Grpc(GrpcFault::Internal);
    assert_eq!(faults, [(0, Some(internal)), (1, None)]);
}

#[test]
fn what_varies_must_come_back() {
    let string = Payload(vec![
        Piece::Part(Part::Bytes(b"n=".to_vec())),
        Piece::Part(Part::Counter),
    ]);
    let call = Grpc {
        message: Payload(vec![
            Piece::Part(Part::Bytes(vec![0x0a])),
            Piece::Measured(string),
        ])
        .into(),
        expect: Expect {
            contains: Recall::parse("n={counter}"),
            ..Expect::default()
        },
        ..call()
    };
    assert_eq!(validate(&call), Ok(()));
    let reply = |text: &[u8]| Server::new().head(1).data(1, &framed(text), false).ok(1);
    assert_eq!(fault(&call, &reply(b"\x0a\x03n=1")).0, None);
    assert_eq!(
        fault(&call, &reply(b"\x0a\x03n=2")).0,
        Some(ErrorKind::Body)
    );
}
