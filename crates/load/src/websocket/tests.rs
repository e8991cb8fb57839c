use photofinish_model::{Request, Template};
use proptest::prelude::*;

use super::*;

fn wanted(message: Message, streams: u32) -> Wanted {
    Wanted {
        opening: Request::get("/chat"),
        message,
        reply: None,
        streams,
    }
}

/// One thread's WebSocket with an open connection.
fn open(wanted: &Wanted) -> (WebSocket, State) {
    let socket = WebSocket::new(wanted, "h:1", 3, 5).expect("valid");
    let mut socket = socket.at(Place {
        threads: 1,
        ..Place::default()
    });
    let mut state = socket.state(0);
    let mut out = Vec::new();
    socket.opened(&mut state, &mut out);
    assert_eq!(socket.room(&state), 0);
    let request = String::from_utf8(out).expect("text");
    let key = request
        .split("Key: ")
        .nth(1)
        .and_then(|rest| rest.lines().next());
    let accept = tungstenite::handshake::derive_accept_key(key.expect("a key").as_bytes());
    let response = format!(
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: WebSocket\r\nConnection: upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
    );
    let progress = socket.receive(&mut state, response.as_bytes(), &mut Vec::new());
    assert_eq!(progress, Progress::More);
    assert_eq!(socket.room(&state), wanted.streams);
    (socket, state)
}

/// A frame as a server sends it.
fn frame(opcode: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    frame::write(opcode, [0; 4], payload, &mut bytes);
    let head = bytes.len() - payload.len();
    bytes.drain(head - 4..head);
    bytes[1] &= 0x7f;
    bytes
}

/// What a server sees of a frame: its type and its payload.
fn unmasked(bytes: &[u8]) -> (u8, Vec<u8>) {
    let mut client = tungstenite::WebSocket::from_raw_socket(
        std::io::Cursor::new(bytes.to_vec()),
        tungstenite::protocol::Role::Server,
        None,
    );
    match client.read().expect("a message") {
        tungstenite::Message::Text(text) => (opcode::TEXT, text.as_bytes().to_vec()),
        tungstenite::Message::Binary(bytes) => (opcode::BINARY, bytes.to_vec()),
        other => panic!("{other:?}"),
    }
}

fn faults(
    socket: &mut WebSocket,
    state: &mut State,
    bytes: &[u8],
) -> Vec<(u32, Option<ErrorKind>)> {
    let (mut rest, mut all) = (bytes, Vec::new());
    loop {
        match socket.receive(state, rest, &mut Vec::new()) {
            Progress::Done {
                used,
                ticket,
                response,
            } => {
                all.push((ticket.0, response.fault));
                rest = &rest[used..];
            }
            other => {
                assert_eq!(other, Progress::More);
                return all;
            }
        }
    }
}

#[test]
fn messages_go_out_masked_and_each_has_its_reply_in_order() {
    let (mut socket, mut state) = open(&wanted(Message::Random { size: 64 }, 3));
    let messages: Vec<Vec<u8>> = [2, 0, 1]
        .map(|ticket| unmasked(socket.request(&mut state, Ticket(ticket))))
        .map(|(kind, message)| {
            assert_eq!((kind, message.len()), (opcode::BINARY, 64));
            message
        })
        .to_vec();
    assert_ne!(messages[0], messages[1]);
    let echoes: Vec<u8> = messages
        .iter()
        .flat_map(|message| frame(opcode::BINARY, message))
        .collect();
    assert_eq!(
        faults(&mut socket, &mut state, &echoes),
        [(2, None), (0, None), (1, None)]
    );
}

#[test]
fn a_text_is_filled_in_and_its_echo_is_compared_with_what_was_sent() {
    let text = Message::Text(Template::parse("n={counter} r={random:10..99}").into());
    let (mut socket, mut state) = open(&wanted(text, 2));
    let (kind, first) = unmasked(socket.request(&mut state, Ticket(0)));
    let (_, second) = unmasked(socket.request(&mut state, Ticket(1)));
    assert_eq!(kind, opcode::TEXT);
    assert!(first.starts_with(b"n=1 r=") && second.starts_with(b"n=2 r="));
    let swapped = [frame(opcode::TEXT, &second), frame(opcode::TEXT, &second)].concat();
    assert_eq!(
        faults(&mut socket, &mut state, &swapped),
        [(0, Some(ErrorKind::Body)), (1, None)]
    );
    match socket.complaint() {
        Some(Complaint::Echo { at: 2, .. }) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_reply_that_is_stated_takes_the_place_of_the_echo() {
    let stated = Wanted {
        reply: Some(b"pong".to_vec()),
        ..wanted(Message::Text(Template::fixed("ping").into()), 4)
    };
    let (mut socket, mut state) = open(&stated);
    for ticket in 0..4 {
        let (_, message) = unmasked(socket.request(&mut state, Ticket(ticket)));
        assert_eq!(message, b"ping");
    }
    let replies: Vec<u8> = [&b"pong"[..], b"pon", b"pongs", b"pong"]
        .iter()
        .flat_map(|reply| frame(opcode::TEXT, reply))
        .collect();
    let wrong = Some(ErrorKind::Body);
    assert_eq!(
        faults(&mut socket, &mut state, &replies),
        [(0, None), (1, wrong), (2, wrong), (3, None)]
    );
}

#[test]
fn pings_get_pongs_and_a_flood_ends_the_connection() {
    let (mut socket, mut state) = open(&wanted(Message::Random { size: 1 }, 1));
    let mut out = Vec::new();
    let ping = frame(opcode::PING, b"are you there");
    assert_eq!(socket.receive(&mut state, &ping, &mut out), Progress::More);
    assert_eq!(out[0], 0x80 | opcode::PONG);
    assert_eq!(out.len(), 6 + b"are you there".len());
    let flood = ping.repeat(10_000);
    out.clear();
    assert_eq!(
        socket.receive(&mut state, &flood, &mut out),
        Progress::Broken(ErrorKind::Malformed)
    );
    assert!(out.len() < Replies::MOST + 100);
}

#[test]
fn a_close_is_named_by_its_code() {
    let closes = |payload: &[u8], asked: bool| {
        let (mut socket, mut state) = open(&wanted(Message::Random { size: 1 }, 1));
        if asked {
            socket.request(&mut state, Ticket(0));
        }
        let mut out = Vec::new();
        let close = frame(opcode::CLOSE, payload);
        let progress = socket.receive(&mut state, &close, &mut out);
        assert_eq!(out[0], 0x80 | opcode::CLOSE);
        (progress, socket.complaint())
    };
    let codes = [
        (None, CloseCode::Absent, true),
        (Some(1000_u16), CloseCode::Normal, true),
        (Some(1001), CloseCode::GoingAway, true),
        (Some(1002), CloseCode::ProtocolError, false),
        (Some(1009), CloseCode::TooLong, false),
        (Some(1011), CloseCode::Internal, false),
    ];
    for (code, kind, usual) in codes {
        let payload = code.map_or(Vec::new(), |code| code.to_be_bytes().to_vec());
        let named = Progress::Broken(ErrorKind::WebSocket(kind));
        let used = 2 + payload.len();
        // A server may go while nothing is asked of it.
        let idle = if usual {
            Progress::Last { used }
        } else {
            named
        };
        assert_eq!(closes(&payload, false).0, idle, "{code:?}");
        assert_eq!(closes(&payload, true).0, named, "{code:?}");
    }
    assert_eq!(closes(b"\x03\xe8", false).1, None);
    let closed = |code, reason: &str| {
        let reason = reason.to_owned();
        Some(WebSocketComplaint::Closed { code, reason }.into())
    };
    for (payload, complaint) in [
        (&b"\x03\xf3broken"[..], closed(Some(1011), "broken")),
        (b"", closed(None, "")),
    ] {
        assert_eq!(closes(payload, true).1, complaint);
    }
}

#[test]
fn a_message_that_is_always_the_same_comes_back_as_it_is() {
    let (mut socket, mut state) = open(&wanted(Message::Text(Template::fixed("hello").into()), 3));
    for ticket in 0..3 {
        let (kind, message) = unmasked(socket.request(&mut state, Ticket(ticket)));
        assert_eq!((kind, &*message), (opcode::TEXT, &b"hello"[..]));
    }
    let replies = [&b"hello"[..], b"hellO", b"hello"].map(|text| frame(opcode::TEXT, text));
    assert_eq!(
        faults(&mut socket, &mut state, &replies.concat()),
        [(0, None), (1, Some(ErrorKind::Body)), (2, None)]
    );
}

#[test]
fn a_message_that_was_not_asked_for_is_an_error() {
    let (mut socket, mut state) = open(&wanted(Message::Random { size: 1 }, 1));
    let progress = socket.receive(&mut state, &frame(opcode::TEXT, b"hi"), &mut Vec::new());
    assert_eq!(progress, Progress::Broken(ErrorKind::Unasked));
}

#[test]
fn a_server_without_websocket_is_said() {
    let mut socket =
        WebSocket::new(&wanted(Message::Random { size: 1 }, 1), "h:1", 1, 5).expect("valid");
    let mut state = socket.state(0);
    let response = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
    let progress = socket.receive(&mut state, response, &mut Vec::new());
    assert_eq!(progress, Progress::Broken(ErrorKind::Status));
    let refused = WebSocketComplaint::Refused { status: 404 };
    assert_eq!(socket.complaint(), Some(refused.into()));
}

proptest! {
    #[test]
    fn any_split_of_a_valid_stream_comes_to_the_same(cuts in proptest::collection::vec(0_usize..400, 0..12)) {
        let (mut socket, mut state) = open(&wanted(Message::Random { size: 100 }, 3));
        let mut bytes = Vec::new();
        for ticket in 0..3 {
            let (_, message) = unmasked(socket.request(&mut state, Ticket(ticket)));
            bytes.extend(frame(opcode::PING, b"p"));
            // In two frames, with a ping between them.
            let mut first = frame(opcode::BINARY, &message[..40]);
            first[0] &= 0x7f;
            bytes.extend(first);
            bytes.extend(frame(opcode::PING, b""));
            bytes.extend(frame(opcode::CONTINUATION, &message[40..]));
        }
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % bytes.len()).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let mut all = Vec::new();
        for pair in cuts.windows(2) {
            all.extend(faults(&mut socket, &mut state, &bytes[pair[0]..pair[1]]));
        }
        prop_assert_eq!(all, [(0, None), (1, None), (2, None)]);
    }
}
