//! Which responses are good, and what is said of those that are not.

use super::*;

fn said(http: &mut Http) -> Option<String> {
    let complaint = http.complaint()?;
    Some(complaint.to_string())
}

fn complaint(expect: Expect, response: &[u8]) -> (Option<ErrorKind>, Option<String>) {
    let mut http = http("GET", expect);
    let fault = match feed(&mut http, response.chunks(3), true).0 {
        Progress::Done { response, .. } => response.fault,
        Progress::Broken(kind) => Some(kind),
        Progress::More | Progress::Unseen { .. } | Progress::Last { .. } => None,
    };
    (fault, said(&mut http))
}

#[test]
fn the_first_difference_is_reported() {
    let expect = |body: &str| Expect {
        body: Some(body.into()),
        ..Expect::default()
    };
    let response = b"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nHello, you!";
    assert_eq!(complaint(expect("Hello, you!"), response), (None, None));
    let (fault, says) = complaint(expect("Hello, World!"), response);
    assert_eq!(fault, Some(ErrorKind::Body));
    assert!(
        says.as_deref()
            .unwrap()
            .starts_with("body differs at byte 7: expected \"World!\", got \"y"),
        "{says:?}"
    );
    let (fault, says) = complaint(expect("Hello, you! Sir"), response);
    assert_eq!(fault, Some(ErrorKind::Body));
    assert_eq!(
        says.as_deref(),
        Some("body of 11 bytes, expected 15: \" Sir\" is missing")
    );
    let (fault, says) = complaint(expect("Hello,"), response);
    assert_eq!(fault, Some(ErrorKind::Body));
    assert!(
        says.as_deref()
            .unwrap()
            .starts_with("body longer than the expected 6 bytes"),
        "{says:?}"
    );
}

#[test]
fn a_wrong_status_is_reported_before_a_wrong_body() {
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
        let response = Response {
            status: 404,
            fault: Some(ErrorKind::Status),
            changed: false,
            reuse: false,
        };
        assert_eq!(
            feed(&mut http, [other], false),
            (done(0, response), other.len())
        );
    }
}

#[test]
fn a_known_response_is_known_only_by_all_its_bytes() {
    let expect = Expect {
        body: Some(b"x".to_vec()),
        ..Expect::default()
    };
    let mut http = http("GET", expect);
    let right: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx";
    let wrong: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\ny";
    let response = Response {
        status: 200,
        fault: Some(ErrorKind::Body),
        changed: false,
        reuse: true,
    };
    let bad = (done(0, response), wrong.len());
    // First as a response that is wrong, which must not be kept as a good one.
    assert_eq!(feed(&mut http, [wrong], false), bad);
    let interim: &[u8] = b"HTTP/1.1 103 Early Hints\r\n\r\n";
    for _ in 0..3 {
        let length = right.len();
        assert_eq!(feed(&mut http, [right], false), (good(200, true), length));
        assert_eq!(feed(&mut http, [wrong], false), bad);
        // What follows belongs to another response.
        let two = [right, right].concat();
        assert_eq!(
            feed(&mut http, [&two[..]], false),
            (good(200, true), length)
        );
        assert_eq!(
            feed(&mut http, [interim, right], false),
            (good(200, true), interim.len() + length)
        );
        assert_eq!(
            feed(&mut http, [&right[..length - 1]], true).0,
            Progress::Broken(ErrorKind::Closed)
        );
    }
}

#[test]
fn a_response_must_repeat_what_was_asked_for() {
    let expect = Expect {
        contains: vec![
            Recall::Bytes(b"<".to_vec()),
            Recall::Random,
            Recall::Bytes(b">".to_vec()),
        ],
        rows: Some(2),
        ..Expect::default()
    };
    let mut http = Http::new(&varying(), &expect, HOST, 7, ALONE).unwrap();
    let mut state = http.state(0);
    let mut response = |wrong: bool, rows: &str| {
        let request = String::from_utf8(http.request(&mut state, Ticket(0)).to_vec()).unwrap();
        let id = request.split(['=', ' ']).nth(2).unwrap().to_owned();
        let id = if wrong { "0" } else { &id };
        let body = format!("{rows} <{id}>");
        let bytes = format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut fault = None;
        for piece in bytes.as_bytes().chunks(3) {
            if let Progress::Done { response, .. } =
                http.receive(&mut state, piece, &mut Vec::new())
            {
                fault = Some(response.fault);
            }
        }
        (fault.unwrap(), said(&mut http))
    };
    assert_eq!(response(false, "[1,2]"), (None, None));
    let (fault, says) = response(true, "[1,2]");
    assert_eq!(fault, Some(ErrorKind::Body));
    assert!(
        says.as_deref()
            .unwrap()
            .starts_with("expected a body that contains \"<"),
        "{says:?}"
    );
    assert_eq!(response(false, "[1]").0, Some(ErrorKind::Body));
    assert_eq!(response(false, "[1,2]").0, None);
}

/// What a response to `GET` comes to beside a baseline, and what is said of it.
fn beside(baseline: &Baseline, response: &[u8], piece: usize) -> (Response, Option<String>) {
    let mut http = http("GET", Expect::default()).with_baseline(Some(baseline.clone()));
    match feed(&mut http, response.chunks(piece), true).0 {
        Progress::Done { response, .. } => (response, said(&mut http)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_response_that_is_not_as_it_was_is_changed_and_with_another_status_an_error() {
    let short = Baseline::of(200, b"hello");
    let long = Baseline::of(200, &[b'x'; 20_000]);
    let reply = |status: u16, body: &[u8]| {
        let length = body.len();
        let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {length}\r\n\r\n");
        [head.as_bytes(), body].concat()
    };
    let chunked =
        b"HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n";
    let others = b"HTTP/1.1 200 X\r\nDate: now\r\nX: y\r\nContent-Length: 5\r\n\r\nhello";
    let cases = [
        (&short, reply(200, b"hello"), false),
        (&short, chunked.to_vec(), false),
        (&short, others.to_vec(), false),
        (&short, b"HTTP/1.0 200 X\r\n\r\nhello".to_vec(), false),
        (&short, reply(200, b"hallo"), true),
        (&short, reply(200, b"hell"), true),
        (&short, reply(200, b"hello!"), true),
        (&short, reply(200, b""), true),
        (&short, reply(201, b"hello"), true),
        (&short, b"HTTP/1.1 204 X\r\n\r\n".to_vec(), true),
        (&long, reply(200, &[b'x'; 20_000]), false),
        // Of so long a body the length is compared.
        (&long, reply(200, &[b'y'; 20_000]), false),
        (&long, reply(200, &[b'x'; 19_999]), true),
    ];
    for (baseline, response, changed) in cases {
        for piece in [1, 7, 1 << 20] {
            let (got, says) = beside(baseline, &response, piece);
            let fault = (got.status != 200).then_some(ErrorKind::Status);
            assert_eq!((got.fault, got.changed), (fault, changed), "{response:?}");
            assert_eq!(says.is_some(), changed);
        }
    }
    let (_, says) = beside(&short, &reply(201, b"hello!"), 1 << 20);
    assert_eq!(
        says.as_deref(),
        Some("status 201 and a body of 6 bytes; when the server was verified: status 200, 5 bytes")
    );
    // An error is reported as that alone.
    let (got, _) = beside(&short, &reply(500, b"oh"), 1 << 20);
    assert_eq!((got.fault, got.changed), (Some(ErrorKind::Status), false));
}

#[test]
fn equal_bytes_that_changed_are_changed_each_time() {
    let mut http = http("GET", Expect::default()).with_baseline(Some(Baseline::of(200, b"ab")));
    let mut state = http.state(0);
    let mut changed = |body: &str| {
        let response = format!("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{body}");
        match http.receive(&mut state, response.as_bytes(), &mut Vec::new()) {
            Progress::Done { response, .. } => response.changed,
            other => panic!("{other:?}"),
        }
    };
    let got = ["ab", "ab", "xx", "xx", "ab", "ax"].map(&mut changed);
    assert_eq!(got, [false, false, true, true, false, true]);
}

#[test]
fn a_rule_is_there_once() {
    let mut rules = judge::Rules::default();
    let other = Expect {
        status: Some(201),
        ..Expect::default()
    };
    let numbers = [
        rules.number(&Expect::default(), false),
        rules.number(&other, false),
        rules.number(&Expect::default(), false),
        rules.number(&Expect::default(), true),
    ];
    assert_eq!(numbers, [0, 1, 0, 2]);
    assert_eq!(rules.all().len(), 3);
}
