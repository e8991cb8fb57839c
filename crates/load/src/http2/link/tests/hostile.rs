//! What a server may not send, and what it may send though it means nothing.

use photofinish_model::finding::complaint::Http2Violation::{
    Continuation, Data, EndedStream, GoAway, HeadlessContent, InitialWindow, LongBlock, LongFrame,
    MaxFrame, NotSpoken, Ping, Push, ResetUnopened, SettingsLength, TwoHeads, UnopenedStream,
    UpdateByNothing, UpdateLength, WindowBeyondLimit,
};
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
    let long = settled().frame(kind::HEADERS, flag::END_HEADERS, 1, &[0; 16_385]);
    let split = settled().frame(kind::HEADERS, 0, 1, OK);
    let push = settled().frame(kind::PUSH_PROMISE, flag::END_HEADERS, 1, b"\0\0\0\x02\x82");
    let continued = settled().frame(kind::CONTINUATION, flag::END_HEADERS, 1, OK);
    let window = 1 << 31;
    let http1 = Server(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".to_vec());
    let protocol_errors = vec![
        (NotSpoken, Server::default().empty(1)),
        (NotSpoken, Server::default().data(1, b"x", true)),
        (HeadlessContent, settled().data(1, b"x", true)),
        (TwoHeads, settled().head(1).head(1)),
        (UnopenedStream, settled().empty(3)),
        (UnopenedStream, settled().empty(2)),
        (UnopenedStream, settled().empty(0)),
        (UnopenedStream, settled().data(0, b"", false)),
        (Push, push),
        (Data, split.data(1, b"", true)),
        (Continuation, continued),
        (UpdateByNothing, settled().number(kind::WINDOW_UPDATE, 0, 0)),
        (
            MaxFrame,
            settled().settings(&[(setting::MAX_FRAME_SIZE, 100)]),
        ),
        (ResetUnopened, settled().number(kind::RST_STREAM, 9, 0)),
    ];
    let frame_size_errors = vec![
        (NotSpoken, http1),
        (LongFrame, long),
        (
            SettingsLength,
            settled().frame(kind::SETTINGS, 0, 0, b"\0\x03"),
        ),
        (Ping, settled().frame(kind::PING, 0, 0, b"1")),
        (
            UpdateLength,
            settled().frame(kind::WINDOW_UPDATE, 0, 1, b"\0\0\0"),
        ),
        (GoAway, settled().frame(kind::GOAWAY, 0, 0, b"\0\0")),
    ];
    let flow_control_errors = vec![
        (
            WindowBeyondLimit,
            settled().number(kind::WINDOW_UPDATE, 0, window - 1),
        ),
        (
            WindowBeyondLimit,
            settled().number(kind::WINDOW_UPDATE, 1, window - 1),
        ),
        (
            InitialWindow,
            settled().settings(&[(setting::INITIAL_WINDOW_SIZE, window)]),
        ),
    ];
    let closed = vec![
        (EndedStream, settled().empty(1).empty(1)),
        (EndedStream, settled().empty(1).data(1, b"x", true)),
    ];
    let floods = vec![(LongBlock, endless), (LongBlock, empty_frames)];
    for (code, cases) in [
        (Code::PROTOCOL_ERROR, protocol_errors),
        (Code::FRAME_SIZE_ERROR, frame_size_errors),
        (Code::FLOW_CONTROL_ERROR, flow_control_errors),
        (Code::STREAM_CLOSED, closed),
        (Code::ENHANCE_YOUR_CALM, floods),
    ] {
        for (violation, server) in cases {
            let mut link = asked(1);
            let mut out = Vec::new();
            let broken = take(&mut link, &server.0, &mut Log::default(), &mut out);
            assert_eq!(broken, Err(Broken { code, violation }));
            let (last, _, _, payload) = frames(&out).pop().expect("the server learns of it");
            assert_eq!(
                (last, payload[4..].to_vec()),
                (kind::GOAWAY, code.0.to_be_bytes().to_vec())
            );
        }
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
