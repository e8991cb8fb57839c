use proptest::prelude::*;

use super::*;
use crate::template::{Part, Recall, Template};

const ALONE: Place = Place {
    thread: 0,
    threads: 1,
    first: 0,
};

fn fixed(request: &Request) -> Vec<u8> {
    match encode(request).unwrap() {
        Encoded::Fixed(bytes) => bytes.to_vec(),
        varied => panic!("{varied:?}"),
    }
}

/// What a sequence of pieces comes to: the answer or the error, and how many bytes were used in all.
fn feed<'a>(
    http: &mut Http,
    pieces: impl IntoIterator<Item = &'a [u8]>,
    close: bool,
) -> (Progress, usize) {
    let mut state = http.state(0);
    let mut before = 0;
    for piece in pieces {
        match http.receive(&mut state, piece) {
            Progress::More => before += piece.len(),
            Progress::Done { used, answer } => {
                return (Progress::Done { used: 0, answer }, before + used);
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
        path: "/".into(),
        host: "h".into(),
        headers: Vec::new(),
        body: Template::default(),
    }
}

fn http(method: &str, expect: Expect) -> Http {
    Http::new(&request(method), &expect, 7, ALONE).unwrap()
}

fn good(status: u16, reuse: bool) -> Progress {
    let answer = Answer {
        status,
        fault: None,
        reuse,
    };
    Progress::Done { used: 0, answer }
}

/// An answer, whether the peer closes after it, and what it is.
fn table() -> Vec<(&'static str, &'static [u8], bool, Progress)> {
    let malformed = Progress::Broken(ErrorKind::Malformed);
    let closed = Progress::Broken(ErrorKind::Closed);
    vec![
        ("length", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", false, good(200, true)),
        ("equal lengths", b"HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\nContent-Length: 2\r\n\r\nhi", false, good(200, true)),
        ("bare line feeds", b"HTTP/1.1 200 OK\nContent-Length: 2\n\nhi", false, good(200, true)),
        ("no reason", b"HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", false, good(200, true)),
        ("chunks", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=\"y\"\r\n0123456789\r\n0\r\n\r\n", false, good(200, true)),
        ("trailers", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n1\r\na\r\n00\r\nA: b\r\nC: d\r\n\r\n", false, good(200, true)),
        ("interim", b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", false, good(200, true)),
        ("no content", b"HTTP/1.1 204 No Content\r\nContent-Length: 7\r\n\r\n", false, good(204, true)),
        ("not modified", b"HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n", false, good(304, true)),
        ("until closed", b"HTTP/1.1 200 OK\r\n\r\nwhatever", true, good(200, false)),
        ("until closed, coded", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\nContent-Length: 3\r\n\r\nwhatever", true, good(200, false)),
        ("close", b"HTTP/1.1 200 OK\r\nConnection: foo, Close\r\nContent-Length: 1\r\n\r\nx", false, good(200, false)),
        ("old", b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", false, good(200, false)),
        ("old, kept", b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx", false, good(200, true)),
        ("switching", b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", false, Progress::Done { used: 0, answer: Answer { status: 101, fault: Some(ErrorKind::Status), reuse: false } }),
        ("waiting", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", false, Progress::More),
        ("nothing", b"", true, closed),
        ("short", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", true, closed),
        ("short head", b"HTTP/1.1 200 OK\r\nContent-Le", true, closed),
        ("short chunks", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", true, closed),
        ("garbage", b"\x16\x03\x01\x00\x00\r\n\r\n", false, malformed),
        ("empty lines", b"\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", false, malformed),
        ("two lengths", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", false, malformed),
        ("no length", b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", false, malformed),
        ("huge length", b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n", false, malformed),
        ("low status", b"HTTP/1.1 099 X\r\nContent-Length: 0\r\n\r\n", false, malformed),
        ("no size", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\nabc", false, malformed),
        ("long chunk", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n", false, malformed),
        ("huge chunk", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n11112222333344445\r\n", false, malformed),
    ]
}

#[test]
fn framings() {
    for (name, bytes, close, expected) in table() {
        let (got, _) = feed(&mut http("GET", Expect::default()), [bytes], close);
        assert_eq!(got, expected, "{name}");
    }
}

#[test]
fn byte_by_byte() {
    for (name, bytes, close, expected) in table() {
        let (got, _) = feed(&mut http("GET", Expect::default()), bytes.chunks(1), close);
        assert_eq!(got, expected, "{name}");
    }
}

#[test]
fn an_answer_to_head_has_no_body() {
    let bytes = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
    let (got, used) = feed(&mut http("HEAD", Expect::default()), [&bytes[..]], false);
    assert_eq!((got, used), (good(200, true), bytes.len()));
}

#[test]
fn a_head_is_bounded_however_it_arrives() {
    let line = b"X-Header: 0123456789\r\n";
    for size in [1, 7, 22, 100_000] {
        let endless: Vec<u8> = b"HTTP/1.1 200 OK\r\n"
            .iter()
            .chain(line.iter().cycle().take(100_000))
            .copied()
            .collect();
        let mut http = http("GET", Expect::default());
        let mut state = http.state(0);
        let mut taken = 0;
        let end = endless.chunks(size).find_map(|piece| {
            taken += piece.len();
            match http.receive(&mut state, piece) {
                Progress::More => None,
                end => Some(end),
            }
        });
        assert_eq!(
            end,
            Some(Progress::Broken(ErrorKind::Malformed)),
            "pieces of {size}"
        );
        assert!(
            taken <= HEAD_LIMIT + size,
            "pieces of {size}: {taken} bytes"
        );
    }
}

#[test]
fn chunk_lines_and_trailers_are_bounded() {
    for (start, more) in [("1;", "x"), ("0\r\n", "A: b\r\n"), ("0\r\n", "x")] {
        let mut http = http("GET", Expect::default());
        let mut state = http.state(0);
        let head = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{start}");
        assert_eq!(http.receive(&mut state, head.as_bytes()), Progress::More);
        let flood = more.repeat(70_000);
        assert_eq!(
            http.receive(&mut state, flood.as_bytes()),
            Progress::Broken(ErrorKind::Malformed)
        );
    }
}

fn complaint(expect: Expect, answer: &[u8]) -> (Option<ErrorKind>, Option<String>) {
    let mut http = http("GET", expect);
    let fault = match feed(&mut http, answer.chunks(3), true).0 {
        Progress::Done { answer, .. } => answer.fault,
        Progress::Broken(kind) => Some(kind),
        Progress::More => None,
    };
    (fault, http.complaint())
}

#[test]
fn the_first_difference_is_told() {
    let expect = |body: &str| Expect {
        body: Some(body.into()),
        ..Expect::default()
    };
    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nHello, you!";
    assert_eq!(complaint(expect("Hello, you!"), answer), (None, None));
    let (fault, says) = complaint(expect("Hello, World!"), answer);
    assert_eq!(fault, Some(ErrorKind::Body));
    assert!(
        says.as_deref()
            .unwrap()
            .starts_with("body differs at byte 7: expected \"World!\", got \"y"),
        "{says:?}"
    );
    let (fault, says) = complaint(expect("Hello, you! Sir"), answer);
    assert_eq!(fault, Some(ErrorKind::Body));
    assert_eq!(
        says.as_deref(),
        Some("body of 11 bytes, expected 15: \" Sir\" is missing")
    );
    let (fault, says) = complaint(expect("Hello,"), answer);
    assert_eq!(fault, Some(ErrorKind::Body));
    assert!(
        says.as_deref()
            .unwrap()
            .starts_with("body longer than the expected 6 bytes"),
        "{says:?}"
    );
}

#[test]
fn a_wrong_status_is_told_before_a_wrong_body() {
    let expect = Expect {
        status: Some(200),
        body: Some(b"x".to_vec()),
        ..Expect::default()
    };
    let (fault, says) = complaint(
        expect,
        b"HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy",
    );
    assert_eq!(fault, Some(ErrorKind::Status));
    assert_eq!(says.as_deref(), Some("status 503, expected 200"));
}

#[test]
fn a_known_head_means_the_same_again() {
    let mut http = http("GET", Expect::default());
    let one: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx";
    let other: &[u8] = b"HTTP/1.1 404 No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
    for _ in 0..2 {
        assert_eq!(feed(&mut http, [one], false), (good(200, true), one.len()));
        assert_eq!(feed(&mut http, [one], false), (good(200, true), one.len()));
        assert_eq!(
            feed(&mut http, one.chunks(5), false),
            (good(200, true), one.len())
        );
        let answer = Answer {
            status: 404,
            fault: Some(ErrorKind::Status),
            reuse: false,
        };
        assert_eq!(
            feed(&mut http, [other], false),
            (Progress::Done { used: 0, answer }, other.len())
        );
    }
}

#[test]
fn requests_are_encoded() {
    let mut request = request("POST");
    request.headers.push(("X-A".into(), "b".into()));
    request.body = "hi".into();
    let bytes = fixed(&request);
    assert_eq!(
        bytes,
        b"POST / HTTP/1.1\r\nHost: h\r\nX-A: b\r\nContent-Length: 2\r\n\r\nhi"
    );
    request.headers = vec![
        ("host".into(), "other".into()),
        ("content-length".into(), "1".into()),
    ];
    let bytes = fixed(&request);
    assert_eq!(
        bytes,
        b"POST / HTTP/1.1\r\nhost: other\r\ncontent-length: 1\r\n\r\nhi"
    );
    for (path, header) in [("/a b", "x"), ("/", "x\r\nY: z"), ("", "x")] {
        request.path = path.into();
        request.headers = vec![("X".into(), header.into())];
        assert!(encode(&request).is_err(), "{path:?} {header:?}");
    }
}

fn template(parts: &[Part]) -> Template {
    Template(parts.to_vec())
}

fn bytes(text: &str) -> Part {
    Part::Bytes(text.into())
}

/// A request that varies everywhere.
fn varying() -> Request {
    let random = |low, high| Part::Random { low, high };
    Request {
        method: "POST".into(),
        path: template(&[bytes("/a?id="), random(1, 5_000)]),
        host: "h".into(),
        headers: vec![("X-N".into(), template(&[Part::Counter]))],
        body: template(&[
            bytes("{\"n\":"),
            Part::Counter,
            bytes(",\"r\":"),
            random(0, 1_000_000),
            bytes("}"),
        ]),
    }
}

/// The requests that connection `connection` of a thread sends.
fn sent(http: &mut Http, connection: usize, count: usize) -> Vec<String> {
    let mut state = http.state(connection);
    (0..count)
        .map(|_| String::from_utf8(http.request(&mut state).to_vec()).unwrap())
        .collect()
}

#[test]
fn a_request_that_varies_is_right_each_time() {
    let mut http = Http::new(&varying(), &Expect::default(), 7, ALONE).unwrap();
    let all = sent(&mut http, 0, 200);
    for (n, request) in (1..).zip(&all) {
        let (head, body) = request.split_once("\r\n\r\n").unwrap();
        let id = head.split(['=', ' ']).nth(2).unwrap();
        assert!((1..=5_000).contains(&id.parse::<u64>().unwrap()), "{head}");
        let expected = format!(
            "POST /a?id={id} HTTP/1.1\r\nHost: h\r\nX-N: {n}\r\nContent-Length: {}",
            body.len()
        );
        assert_eq!(head, expected);
        let rest = body.strip_prefix(&format!("{{\"n\":{n},\"r\":")).unwrap();
        let number: u64 = rest.strip_suffix('}').unwrap().parse().unwrap();
        assert!(number <= 1_000_000);
    }
    let lengths: std::collections::BTreeSet<usize> = all.iter().map(String::len).collect();
    assert!(lengths.len() > 3, "numbers of all lengths: {lengths:?}");
}

#[test]
fn what_varies_follows_from_seed_and_connection() {
    let of = |seed, first, connection| {
        let place = Place {
            thread: 0,
            threads: 2,
            first,
        };
        let mut http = Http::new(&varying(), &Expect::default(), seed, place).unwrap();
        sent(&mut http, connection, 5)
    };
    assert_eq!(of(1, 0, 3), of(1, 0, 3));
    // The connection's number in the run counts, not the one in its thread.
    assert_eq!(of(1, 0, 3), of(1, 2, 1));
    assert_ne!(of(1, 0, 3), of(2, 0, 3));
    assert_ne!(of(1, 0, 3), of(1, 0, 4));
}

#[test]
fn a_new_connection_goes_on_where_the_lost_one_was() {
    let mut http = Http::new(&varying(), &Expect::default(), 7, ALONE).unwrap();
    let all = sent(&mut http, 0, 4);
    let mut http = Http::new(&varying(), &Expect::default(), 7, ALONE).unwrap();
    let mut state = http.state(0);
    let mut again = Vec::new();
    for _ in 0..4 {
        again.push(String::from_utf8(http.request(&mut state).to_vec()).unwrap());
        http.reopened(&mut state);
    }
    assert_eq!(all, again);
}

#[test]
fn threads_share_the_numbers_without_gaps() {
    let mut numbers: Vec<u64> = Vec::new();
    for thread in 0..3 {
        let place = Place {
            thread,
            threads: 3,
            first: thread,
        };
        let request = Request {
            path: template(&[bytes("/"), Part::Counter]),
            ..request("GET")
        };
        let mut http = Http::new(&request, &Expect::default(), 7, place).unwrap();
        let own = sent(&mut http, 0, 4);
        numbers.extend(
            own.iter()
                .map(|r| r[5..].split(' ').next().unwrap().parse::<u64>().unwrap()),
        );
    }
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=12).collect::<Vec<_>>());
}

#[test]
fn bounds_the_wrong_way_round_are_refused() {
    let mut request = request("GET");
    request.path = template(&[bytes("/"), Part::Random { low: 5, high: 1 }]);
    assert_eq!(
        encode(&request),
        Err(InvalidRequest::Bounds { low: 5, high: 1 })
    );
}

#[test]
fn an_answer_must_repeat_what_was_asked_for() {
    let expect = Expect {
        contains: vec![
            Recall::Bytes(b"<".to_vec()),
            Recall::Random,
            Recall::Bytes(b">".to_vec()),
        ],
        rows: Some(2),
        ..Expect::default()
    };
    let mut http = Http::new(&varying(), &expect, 7, ALONE).unwrap();
    let mut state = http.state(0);
    let mut answer = |wrong: bool, rows: &str| {
        let request = String::from_utf8(http.request(&mut state).to_vec()).unwrap();
        let id = request.split(['=', ' ']).nth(2).unwrap().to_owned();
        let id = if wrong { "0" } else { &id };
        let body = format!("{rows} <{id}>");
        let bytes = format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut fault = None;
        for piece in bytes.as_bytes().chunks(3) {
            if let Progress::Done { answer, .. } = http.receive(&mut state, piece) {
                fault = Some(answer.fault);
            }
        }
        (fault.unwrap(), http.complaint())
    };
    assert_eq!(answer(false, "[1,2]"), (None, None));
    let (fault, says) = answer(true, "[1,2]");
    assert_eq!(fault, Some(ErrorKind::Body));
    assert!(
        says.as_deref()
            .unwrap()
            .starts_with("expected a body that contains \"<"),
        "{says:?}"
    );
    assert_eq!(answer(false, "[1]").0, Some(ErrorKind::Body));
    assert_eq!(answer(false, "[1,2]").0, None);
}

#[test]
fn asking_once_is_judged_by_the_same_rules() {
    let expect = Expect {
        contains: vec![Recall::Counter],
        ..Expect::default()
    };
    let once = Once::new(&varying(), 7).unwrap();
    assert!(once.bytes.windows(7).any(|part| part == b"X-N: 0\r"));
    assert_eq!(once.complaint(&expect, b"a 0 b"), None);
    assert!(once.complaint(&expect, b"a 1 b").is_some());
    assert_eq!(once.complaint(&Expect::default(), b""), None);
}

/// A valid answer, and what follows it on the connection.
fn answers() -> impl Strategy<Value = (Vec<u8>, usize)> {
    let body = proptest::collection::vec(any::<u8>(), 0..200);
    let chunks = proptest::collection::vec(proptest::collection::vec(any::<u8>(), 1..40), 0..6);
    let framed = prop_oneof![
        body.prop_map(|body| {
            let head = format!(
                "HTTP/1.1 200 OK\r\nServer: x\r\nContent-Length: {}\r\n\r\n",
                body.len()
            );
            [head.into_bytes(), body].concat()
        }),
        (chunks, any::<bool>()).prop_map(|(chunks, trailer)| {
            let mut bytes = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
            for chunk in chunks {
                bytes.extend(
                    format!("{:x};e=1\r\n", chunk.len())
                        .bytes()
                        .chain(chunk)
                        .chain(*b"\r\n"),
                );
            }
            bytes.extend_from_slice(if trailer {
                b"0\r\nX: y\r\n\r\n"
            } else {
                b"0\r\n\r\n"
            });
            bytes
        }),
    ];
    (
        framed,
        any::<bool>(),
        proptest::collection::vec(any::<u8>(), 0..20),
    )
        .prop_map(|(answer, interim, after)| {
            let before: &[u8] = if interim {
                b"HTTP/1.1 100 Continue\r\n\r\n"
            } else {
                b""
            };
            let length = before.len() + answer.len();
            ([before, &answer, &after].concat(), length)
        })
}

proptest! {
    #[test]
    fn any_split_means_the_same((bytes, length) in answers(), cuts in proptest::collection::vec(0usize..400, 0..12)) {
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut % (bytes.len() + 1)).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let pieces = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]);
        let got = feed(&mut http("GET", Expect::default()), pieces, false);
        prop_assert_eq!(got, (good(200, true), length));
    }

    #[test]
    fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..300), size in 1usize..50, start in 0usize..3) {
        let start: &[u8] = [&b""[..], b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"][start];
        let bytes = [start, &bytes].concat();
        let whole = feed(&mut http("GET", Expect::default()), [&bytes[..]], true);
        let split = feed(&mut http("GET", Expect::default()), bytes.chunks(size), true);
        prop_assert_eq!(whole, split);
    }
}
