mod hostile;
mod interleaved;

use super::sending::REOPEN;
use super::*;
use crate::http2::frame::{Head, flag};
use crate::http2::hpack;

/// What happened, in order.
#[derive(Debug, Default, PartialEq, Eq)]
struct Log {
    events: Vec<String>,
    /// All content of each ticket.
    content: Vec<Vec<u8>>,
}

impl Streams for Log {
    fn head(&mut self, ticket: u32, block: &[u8]) -> Result<bool, Broken> {
        let mut interim = false;
        for field in hpack::fields(block) {
            let field = field.map_err(|_| protocol(Http2Violation::FieldText))?;
            interim |= field.value == hpack::Text::Plain(b"103");
        }
        self.events.push(format!("head {ticket}"));
        Ok(!interim)
    }

    fn trailers(&mut self, ticket: u32, _: &[u8]) -> Result<(), Broken> {
        self.events.push(format!("trailers {ticket}"));
        Ok(())
    }

    fn content(&mut self, ticket: u32, piece: &[u8]) {
        let at = ticket as usize;
        self.content
            .resize((at + 1).max(self.content.len()), Vec::new());
        self.content[at].extend_from_slice(piece);
    }
}

const OK: &[u8] = b"\x88";

/// A server's frames.
#[derive(Clone, Default)]
struct Server(Vec<u8>);

impl Server {
    /// One that has said its settings.
    fn settled() -> Server {
        Server::default().settings(&[])
    }

    fn settings(mut self, pairs: &[(u16, u32)]) -> Server {
        frame::settings(pairs, &mut self.0);
        self
    }

    fn frame(mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Server {
        frame::write(kind, flags, stream, payload, &mut self.0);
        self
    }

    fn number(self, kind: u8, stream: u32, number: u32) -> Server {
        self.frame(kind, 0, stream, &number.to_be_bytes())
    }

    fn head(self, stream: u32) -> Server {
        self.frame(kind::HEADERS, flag::END_HEADERS, stream, OK)
    }

    fn empty(self, stream: u32) -> Server {
        self.frame(
            kind::HEADERS,
            flag::END_HEADERS | flag::END_STREAM,
            stream,
            OK,
        )
    }

    fn data(self, stream: u32, content: &[u8], ends: bool) -> Server {
        self.frame(kind::DATA, u8::from(ends), stream, content)
    }
}

/// Sends a request, and of its body what may be sent.
fn ask(link: &mut Link, ticket: u32, block: &[u8], body: &[u8], out: &mut Vec<u8>) {
    link.request(ticket, block, Body::Own(body), out);
    link.fill(0, out);
}

/// Lets a connection take bytes; what happened, and how it ended.
fn take(link: &mut Link, bytes: &[u8], log: &mut Log, out: &mut Vec<u8>) -> Result<(), Broken> {
    let mut rest = bytes;
    loop {
        match link.receive(&mut rest, log, out)? {
            Step::More => {
                link.fill(0, out);
                return Ok(());
            }
            Step::Leaving => log.events.push("leaving".to_owned()),
            Step::Unseen(ticket) => log.events.push(format!("unseen {ticket}")),
            Step::Ended(ticket, End::Whole) => log.events.push(format!("whole {ticket}")),
            Step::Ended(ticket, end) => log.events.push(format!("{end:?} {ticket}")),
        }
    }
}

/// A connection on which so many requests without a body are in flight.
fn asked(requests: u32) -> Link {
    let mut link = Link::new(requests.max(1));
    let mut out = Vec::new();
    link.open(&mut out);
    for ticket in 0..requests {
        ask(&mut link, ticket, b"\x82", b"", &mut out);
    }
    link
}

/// What came of the bytes for so many requests in flight.
fn heard(requests: u32, server: Server) -> Result<Log, Broken> {
    let mut log = Log::default();
    take(&mut asked(requests), &server.0, &mut log, &mut Vec::new()).map(|()| log)
}

/// The frames that went out.
fn frames(mut out: &[u8]) -> Vec<(u8, u8, u32, Vec<u8>)> {
    let mut frames = Vec::new();
    while let Some(head) = out.first_chunk::<{ frame::HEAD }>() {
        let head = Head::parse(*head);
        let (payload, rest) = out[frame::HEAD..].split_at(head.length);
        frames.push((head.kind, head.flags, head.stream, payload.to_vec()));
        out = rest;
    }
    assert_eq!(out, b"");
    frames
}

#[test]
fn the_first_words_are_those_of_the_standard() {
    let mut out = Vec::new();
    Link::new(1).open(&mut out);
    let rest = out.strip_prefix(frame::PREFACE).expect("the preface");
    let kinds: Vec<u8> = frames(rest).iter().map(|frame| frame.0).collect();
    assert_eq!(kinds, [kind::SETTINGS, kind::WINDOW_UPDATE]);
}

#[test]
fn responses_come_in_any_order_and_interleaved() {
    let server = Server::settled()
        .head(5)
        .head(1)
        .data(5, b"five", false)
        .data(1, b"one", true)
        .empty(3)
        .data(5, b"", true);
    let log = heard(3, server).expect("valid");
    assert_eq!(
        log.events,
        [
            "head 2", "head 0", "whole 0", "head 1", "whole 1", "whole 2"
        ]
    );
    assert_eq!(log.content, [&b"one"[..], b"", b"five"]);
}

#[test]
fn informational_heads_and_trailers_are_not_the_response() {
    let early = b"\x08\x03103";
    let server = Server::settled()
        .frame(kind::HEADERS, flag::END_HEADERS, 1, early)
        .head(1)
        .data(1, b"x", false)
        .frame(kind::HEADERS, flag::END_STREAM, 1, b"\x00\x01a")
        .frame(kind::CONTINUATION, flag::END_HEADERS, 1, b"\x01b");
    let log = heard(1, server).expect("valid");
    assert_eq!(log.events, ["head 0", "head 0", "trailers 0", "whole 0"]);
}

#[test]
fn a_ticket_is_used_again_on_a_new_stream() {
    let mut link = asked(1);
    let (mut log, mut out) = (Log::default(), Vec::new());
    take(&mut link, &Server::settled().empty(1).0, &mut log, &mut out).expect("valid");
    assert_eq!(link.room(), 1);
    out.clear();
    ask(&mut link, 0, b"\x82", b"", &mut out);
    let ends = flag::END_HEADERS | flag::END_STREAM;
    assert_eq!(frames(&out), [(kind::HEADERS, ends, 3, b"\x82".to_vec())]);
    take(&mut link, &Server::default().empty(3).0, &mut log, &mut out).expect("valid");
    assert_eq!(log.events, ["head 0", "whole 0", "head 0", "whole 0"]);
}

#[test]
fn no_request_before_the_settings_and_never_more_than_the_server_takes() {
    let mut link = Link::new(10);
    assert_eq!((link.room(), link.allowed()), (0, None));
    let (mut log, mut out) = (Log::default(), Vec::new());
    let bytes = Server::default()
        .settings(&[(setting::MAX_CONCURRENT_STREAMS, 4)])
        .0;
    take(&mut link, &bytes, &mut log, &mut out).expect("valid");
    assert_eq!((link.room(), link.allowed()), (4, Some(4)));
    assert_eq!(frames(&out), [(kind::SETTINGS, flag::ACK, 0, vec![])]);
}

#[test]
fn a_body_flows_as_the_windows_allow() {
    let mut link = Link::new(2);
    let (mut log, mut out) = (Log::default(), Vec::new());
    let pairs = [(setting::INITIAL_WINDOW_SIZE, 30_000)];
    take(
        &mut link,
        &Server::default().settings(&pairs).0,
        &mut log,
        &mut out,
    )
    .expect("valid");
    out.clear();
    let body: Vec<u8> = (0..50_000u32).map(|i| i as u8).collect();
    ask(&mut link, 0, b"\x83", &body, &mut out);
    let sizes = |out: &[u8]| -> Vec<(u8, u32, usize)> {
        frames(out).iter().map(|f| (f.1, f.2, f.3.len())).collect()
    };
    assert_eq!(
        sizes(&out),
        [(flag::END_HEADERS, 1, 1), (0, 1, 16_384), (0, 1, 13_616)]
    );
    let mut sent: Vec<u8> = frames(&out)[1..].iter().flat_map(|f| f.3.clone()).collect();
    // The connection's own window has 35,535 bytes left, and a window that is opened for one stream is not another's.
    out.clear();
    ask(&mut link, 1, b"\x83", &body, &mut out);
    assert_eq!(sizes(&out)[1..], [(0, 3, 16_384), (0, 3, 13_616)]);
    out.clear();
    let opened = Server::default()
        .number(kind::WINDOW_UPDATE, 1, 1_000_000)
        .number(kind::WINDOW_UPDATE, 0, 1_000_000);
    take(&mut link, &opened.0, &mut log, &mut out).expect("valid");
    assert_eq!(sizes(&out), [(0, 1, 16_384), (flag::END_STREAM, 1, 3_616)]);
    sent.extend(frames(&out).iter().flat_map(|f| f.3.clone()));
    assert_eq!(sent, body);
    // A window that shrinks below what was sent allows nothing until it is open again.
    out.clear();
    let smaller = Server::default().settings(&[(setting::INITIAL_WINDOW_SIZE, 10)]);
    take(&mut link, &smaller.0, &mut log, &mut out).expect("valid");
    assert_eq!(frames(&out).len(), 1);
    out.clear();
    let larger = Server::default().settings(&[(setting::INITIAL_WINDOW_SIZE, 60_000)]);
    take(&mut link, &larger.0, &mut log, &mut out).expect("valid");
    assert_eq!(
        sizes(&out)[1..],
        [(0, 3, 16_384), (flag::END_STREAM, 3, 3_616)]
    );
}

#[test]
fn a_block_longer_than_a_frame_is_sent_in_several() {
    let mut link = asked(1);
    let mut out = Vec::new();
    link.free(0);
    ask(&mut link, 0, &vec![0x82; 40_000], b"", &mut out);
    let kinds: Vec<(u8, u8, usize)> = frames(&out).iter().map(|f| (f.0, f.1, f.3.len())).collect();
    assert_eq!(
        kinds,
        [
            (kind::HEADERS, flag::END_STREAM, 16_384),
            (kind::CONTINUATION, 0, 16_384),
            (kind::CONTINUATION, flag::END_HEADERS, 7_232)
        ]
    );
}

#[test]
fn a_server_that_goes_away_finishes_what_it_has_seen() {
    let server = Server::settled()
        .empty(1)
        .frame(kind::GOAWAY, 0, 0, b"\x00\x00\x00\x03\x00\x00\x00\x00")
        .empty(3);
    let mut link = asked(4);
    let mut log = Log::default();
    take(&mut link, &server.0, &mut log, &mut Vec::new()).expect("valid");
    assert_eq!(
        log.events,
        [
            "head 0", "whole 0", "leaving", "unseen 3", "unseen 2", "head 1", "whole 1"
        ]
    );
    assert_eq!(link.room(), 0);
}

#[test]
fn a_reset_ends_its_own_request_alone() {
    let server = Server::settled()
        .number(kind::RST_STREAM, 1, Code::REFUSED_STREAM.0)
        .number(kind::RST_STREAM, 1, Code::NO_ERROR.0)
        .empty(3);
    let log = heard(2, server).expect("valid");
    let reset = "Reset(Code(7)) 0";
    assert_eq!(log.events, [reset, "head 1", "whole 1"]);
}

#[test]
fn what_still_comes_for_a_request_that_was_given_up_is_not_looked_at() {
    let mut link = asked(2);
    let (mut log, mut out) = (Log::default(), Vec::new());
    take(&mut link, &Server::settled().head(1).0, &mut log, &mut out).expect("valid");
    out.clear();
    assert!(link.give_up(0, &mut out));
    let cancel = Code::CANCEL.0.to_be_bytes().to_vec();
    assert_eq!(frames(&out), [(kind::RST_STREAM, 0, 1, cancel)]);
    ask(&mut link, 0, b"\x82", b"", &mut out);
    let late = Server::default().data(1, b"late", true).empty(5);
    take(&mut link, &late.0, &mut log, &mut out).expect("valid");
    assert_eq!(log.events, ["head 0", "head 0", "whole 0"]);
    assert_eq!(log.content, Vec::<Vec<u8>>::new());
    // It has ended now, and may not go on.
    let again = Server::default().data(1, b"again", true);
    let broken = take(&mut link, &again.0, &mut log, &mut out).expect_err("ended");
    assert_eq!(broken.code, Code::STREAM_CLOSED);
}

#[test]
fn windows_are_opened_again_when_much_of_them_is_used() {
    let mut link = asked(1);
    let (mut log, mut out) = (Log::default(), Vec::new());
    take(&mut link, &Server::settled().head(1).0, &mut log, &mut out).expect("valid");
    out.clear();
    link.taken = REOPEN - 10;
    link.slots[0].taken = REOPEN - 4;
    let bytes = Server::default()
        .data(1, b"12345", false)
        .data(1, b"12345", false)
        .0;
    take(&mut link, &bytes, &mut log, &mut out).expect("valid");
    let update = |stream, by: u32| (kind::WINDOW_UPDATE, 0, stream, by.to_be_bytes().to_vec());
    assert_eq!(frames(&out), [update(1, REOPEN + 1), update(0, REOPEN)]);
}

#[test]
fn pings_are_echoed_and_a_flood_ends_the_connection() {
    let mut link = asked(1);
    let (mut log, mut out) = (Log::default(), Vec::new());
    take(&mut link, &Server::settled().0, &mut log, &mut out).expect("valid");
    out.clear();
    let ping = Server::default().frame(kind::PING, 0, 0, b"12345678").0;
    take(&mut link, &ping, &mut log, &mut out).expect("valid");
    assert_eq!(
        frames(&out),
        [(kind::PING, flag::ACK, 0, b"12345678".to_vec())]
    );
    let flood = ping.repeat(10_000);
    let broken = take(&mut link, &flood, &mut log, &mut out).expect_err("a flood");
    assert_eq!(broken.code, Code::ENHANCE_YOUR_CALM);
    assert!(out.len() < Replies::MOST + 100, "{}", out.len());
    let flood = Server::default().settings(&[]).0.repeat(10_000);
    let (mut link, mut out) = (asked(1), Vec::new());
    let broken = take(&mut link, &flood, &mut log, &mut out).expect_err("a flood");
    assert_eq!(broken.code, Code::ENHANCE_YOUR_CALM);
}

/// A connection whose server allows any body at once.
fn wide(streams: u32) -> Link {
    let mut link = Link::new(streams);
    let open = Server::default()
        .settings(&[(setting::INITIAL_WINDOW_SIZE, 1 << 30)])
        .number(kind::WINDOW_UPDATE, 0, 1 << 30);
    take(&mut link, &open.0, &mut Log::default(), &mut Vec::new()).expect("valid");
    link
}

#[test]
fn bodies_are_sent_in_turns() {
    let mut link = wide(3);
    let body = vec![b'a'; 40_000];
    let mut out = Vec::new();
    for ticket in 0..3 {
        link.request(ticket, b"\x83", Body::Own(&body), &mut out);
    }
    out.clear();
    let mut streams = Vec::new();
    let mut longest = 0;
    while {
        link.fill(0, &mut out);
        !out.is_empty()
    } {
        longest = longest.max(out.len());
        streams.extend(frames(&out).iter().map(|frame| (frame.2, frame.3.len())));
        out.clear();
    }
    let turn = |stream| (stream, 16_384);
    let last = |stream| (stream, 40_000 - 2 * 16_384);
    let all = [
        turn(1),
        turn(3),
        turn(5),
        turn(1),
        turn(3),
        turn(5),
        last(1),
        last(3),
        last(5),
    ];
    // What is put into frames at once is bounded, so that a turn may be cut short.
    let mut merged: Vec<(u32, usize)> = Vec::new();
    for (stream, length) in streams {
        match merged.last_mut() {
            Some(before) if before.0 == stream => before.1 += length,
            _ => merged.push((stream, length)),
        }
    }
    let of = |all: &[(u32, usize)], stream| -> usize {
        all.iter()
            .filter(|one| one.0 == stream)
            .map(|one| one.1)
            .sum()
    };
    assert!(
        [1, 3, 5]
            .iter()
            .all(|stream| of(&merged, *stream) == of(&all, *stream))
    );
    assert_eq!(merged[..3], all[..3]);
    assert!(longest <= sending::AHEAD + 3 * frame::HEAD, "{longest}");
}

#[test]
fn requests_that_are_the_same_share_one_body() {
    let mut link = wide(100);
    let body: Arc<[u8]> = vec![b'a'; 8_000_000].into();
    let mut out = Vec::new();
    for ticket in 0..100 {
        link.request(ticket, b"\x83", Body::Shared(&body), &mut out);
    }
    assert_eq!(Arc::strong_count(&body), 101);
    link.fill(0, &mut out);
    assert!(out.len() < 100_000, "{}", out.len());
    // A socket that is full is given nothing more.
    let before = out.len();
    link.fill(before, &mut out);
    assert!(out.len() < before + 2 * frame::HEAD, "{}", out.len());
}

#[test]
fn a_stream_that_outlives_many_others_keeps_its_ticket() {
    let mut link = asked(2);
    let (mut log, mut out) = (Log::default(), Vec::new());
    take(&mut link, &Server::settled().0, &mut log, &mut out).expect("valid");
    for at in 0..20 {
        let stream = 3 + 2 * at;
        take(
            &mut link,
            &Server::default().empty(stream).0,
            &mut log,
            &mut out,
        )
        .expect("valid");
        ask(&mut link, 1, b"\x82", b"", &mut out);
    }
    log.events.clear();
    take(&mut link, &Server::default().empty(1).0, &mut log, &mut out).expect("valid");
    assert_eq!(log.events, ["head 0", "whole 0"]);
}
