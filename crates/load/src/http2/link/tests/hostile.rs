//! What a server may not send, and what it may send though it means nothing.

use proptest::prelude::*;

use super::*;

#[test]
fn what_breaks_the_protocol_is_named() {
    let settled = Server::settled;
    let endless = (0..10).fold(
        settled().frame(kind::HEADERS, 0, 1, &[0x88; 16_000]),
        |server, _| server.frame(kind::CONTINUATION, 0, 1, &[0x88; 16_000]),
    );
    let empty_frames = (0..100).fold(settled().frame(kind::HEADERS, 0, 1, b""), |server, _| {
        server.frame(kind::CONTINUATION, 0, 1, b"")
    });
    let cases: [(&str, Server, Code); 24] = [
        (
            "no settings first",
            Server::default().empty(1),
            Code::PROTOCOL_ERROR,
        ),
        (
            "data first",
            Server::default().data(1, b"x", true),
            Code::PROTOCOL_ERROR,
        ),
        (
            "HTTP/1.1",
            Server(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".to_vec()),
            Code::FRAME_SIZE_ERROR,
        ),
        ("twice", settled().empty(1).empty(1), Code::STREAM_CLOSED),
        (
            "data after the end",
            settled().empty(1).data(1, b"x", true),
            Code::STREAM_CLOSED,
        ),
        (
            "data before the head",
            settled().data(1, b"x", true),
            Code::PROTOCOL_ERROR,
        ),
        ("two heads", settled().head(1).head(1), Code::PROTOCOL_ERROR),
        ("not asked for", settled().empty(3), Code::PROTOCOL_ERROR),
        (
            "of a server's stream",
            settled().empty(2),
            Code::PROTOCOL_ERROR,
        ),
        ("of no stream", settled().empty(0), Code::PROTOCOL_ERROR),
        (
            "data of no stream",
            settled().data(0, b"", false),
            Code::PROTOCOL_ERROR,
        ),
        (
            "a push",
            settled().frame(kind::PUSH_PROMISE, flag::END_HEADERS, 1, b"\0\0\0\x02\x82"),
            Code::PROTOCOL_ERROR,
        ),
        (
            "interrupted",
            settled().frame(kind::HEADERS, 0, 1, OK).data(1, b"", true),
            Code::PROTOCOL_ERROR,
        ),
        (
            "continues nothing",
            settled().frame(kind::CONTINUATION, flag::END_HEADERS, 1, OK),
            Code::PROTOCOL_ERROR,
        ),
        ("an endless block", endless, Code::ENHANCE_YOUR_CALM),
        (
            "a block in empty frames",
            empty_frames,
            Code::ENHANCE_YOUR_CALM,
        ),
        (
            "window + 0",
            settled().number(kind::WINDOW_UPDATE, 0, 0),
            Code::PROTOCOL_ERROR,
        ),
        (
            "window too large",
            settled().number(kind::WINDOW_UPDATE, 0, u32::MAX >> 1),
            Code::FLOW_CONTROL_ERROR,
        ),
        (
            "stream's window",
            settled().number(kind::WINDOW_UPDATE, 1, u32::MAX >> 1),
            Code::FLOW_CONTROL_ERROR,
        ),
        (
            "first window",
            Server::default().settings(&[(setting::INITIAL_WINDOW_SIZE, 1 << 31)]),
            Code::FLOW_CONTROL_ERROR,
        ),
        (
            "frame size",
            Server::default().settings(&[(setting::MAX_FRAME_SIZE, 100)]),
            Code::PROTOCOL_ERROR,
        ),
        (
            "half a setting",
            Server::default().frame(kind::SETTINGS, 0, 0, b"\0\x03"),
            Code::FRAME_SIZE_ERROR,
        ),
        (
            "short ping",
            settled().frame(kind::PING, 0, 0, b"1"),
            Code::FRAME_SIZE_ERROR,
        ),
        (
            "reset of nothing",
            settled().number(kind::RST_STREAM, 9, 0),
            Code::PROTOCOL_ERROR,
        ),
    ];
    for (name, server, code) in cases {
        let mut link = asked(1);
        let mut out = Vec::new();
        let broken = take(&mut link, &server.0, &mut Log::default(), &mut out);
        assert_eq!(broken.expect_err(name).code, code, "{name}");
        let (last, _, _, payload) = frames(&out).pop().expect("the server learns of it");
        assert_eq!(
            (last, payload[4..].to_vec()),
            (kind::GOAWAY, code.0.to_be_bytes().to_vec())
        );
    }
}

#[test]
fn unknown_frames_and_settings_are_passed_over() {
    let server = Server::default()
        .settings(&[(0x99, 7)])
        .frame(0x42, 0xff, 7, b"what")
        .frame(2, 0, 1, b"12345")
        .empty(1);
    assert_eq!(
        heard(1, server).expect("valid").events,
        ["head 0", "whole 0"]
    );
}

proptest! {
    #[test]
    fn any_split_gives_the_same(cuts in proptest::collection::vec(0usize..200, 0..10)) {
        let server = Server::settled()
            .head(3)
            .frame(kind::HEADERS, 0, 1, OK)
            .frame(kind::CONTINUATION, flag::END_HEADERS, 1, b"\x00\x01a\x01b")
            .frame(kind::DATA, flag::PADDED, 3, b"\x02ab\0\0")
            .frame(kind::PING, 0, 0, b"12345678")
            .data(1, b"xyz", true)
            .frame(kind::GOAWAY, 0, 0, &[0, 0, 0, 3, 0, 0, 0, 0])
            .frame(kind::HEADERS, flag::END_HEADERS | flag::END_STREAM | flag::PADDED, 3, b"\x01\x00\x01t\x00\0");
        let whole = heard(3, server.clone()).expect("valid");
        let bytes = server.0;
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let (mut link, mut log, mut out) = (asked(3), Log::default(), Vec::new());
        for pair in cuts.windows(2) {
            take(&mut link, &bytes[pair[0]..pair[1]], &mut log, &mut out).expect("valid");
        }
        prop_assert_eq!(log, whole);
    }

    #[test]
    fn any_frames_are_survived(frames in proptest::collection::vec((0u8..11, any::<u8>(), 0u32..8, proptest::collection::vec(any::<u8>(), 0..40)), 0..12)) {
        let server = frames.iter().fold(Server::settled(), |server, (kind, flags, stream, payload)| {
            server.frame(*kind, *flags, *stream, payload)
        });
        let _ = heard(3, server);
    }
}
