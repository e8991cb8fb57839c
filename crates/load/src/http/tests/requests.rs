//! What goes out.

use super::*;
use photofinish_model::finding::failure::RequestFault;

fn fixed(request: &Request) -> Vec<u8> {
    match encode(request, HOST).unwrap() {
        Encoded::Fixed(bytes) => bytes.to_vec(),
        varied => panic!("{varied:?}"),
    }
}

#[test]
fn requests_are_encoded() {
    let mut request = request("POST");
    request
        .headers
        .push(("X-A".into(), Template::fixed("b").into()));
    request.body = Template::fixed("hi").into();
    let bytes = fixed(&request);
    assert_eq!(
        bytes,
        b"POST / HTTP/1.1\r\nHost: h\r\nX-A: b\r\nContent-Length: 2\r\n\r\nhi"
    );
    request.headers = vec![
        ("host".into(), Template::fixed("other").into()),
        ("content-length".into(), Template::fixed("2").into()),
    ];
    let bytes = fixed(&request);
    assert_eq!(
        bytes,
        b"POST / HTTP/1.1\r\nhost: other\r\ncontent-length: 2\r\n\r\nhi"
    );
    for (path, header) in [("/a b", "x"), ("/", "x\r\nY: z"), ("", "x")] {
        request.path = Template::fixed(path);
        request.headers = vec![("X".into(), Template::fixed(header).into())];
        assert!(encode(&request, HOST).is_err(), "{path:?} {header:?}");
    }
}

/// The requests that connection `connection` of a thread sends.
fn sent(http: &mut Http, connection: usize, count: usize) -> Vec<String> {
    let mut state = http.state(connection);
    (0..count)
        .map(|_| String::from_utf8(http.request(&mut state, Ticket(0)).to_vec()).unwrap())
        .collect()
}

#[test]
fn a_request_that_varies_is_right_each_time() {
    let mut http = Http::new(&varying(), &Expect::default(), HOST, 7, ALONE).unwrap();
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
            single: false,
        };
        let mut http = Http::new(&varying(), &Expect::default(), HOST, seed, place).unwrap();
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
    let mut http = Http::new(&varying(), &Expect::default(), HOST, 7, ALONE).unwrap();
    let all = sent(&mut http, 0, 4);
    let mut http = Http::new(&varying(), &Expect::default(), HOST, 7, ALONE).unwrap();
    let mut state = http.state(0);
    let mut again = Vec::new();
    for _ in 0..4 {
        again.push(String::from_utf8(http.request(&mut state, Ticket(0)).to_vec()).unwrap());
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
            single: false,
        };
        let request = Request {
            path: template(&[bytes("/"), Piece::Counter]),
            ..request("GET")
        };
        let mut http = Http::new(&request, &Expect::default(), HOST, 7, place).unwrap();
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
    request.path = template(&[bytes("/"), Piece::Random { low: 5, high: 1 }]);
    assert_eq!(
        encode(&request, HOST),
        Err(InvalidRequest(RequestFault::Bounds { low: 5, high: 1 }))
    );
}
