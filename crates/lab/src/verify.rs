//! Whether a server does the job: one request of each workload, its response compared with the one
//! that was stated.

use std::time::Duration;

use photofinish_judge::checks::difference;
use photofinish_load::echo::Messages;
use photofinish_load::http::{InvalidRequest, Once};
use photofinish_model::finding::asked::Asked;
use photofinish_model::finding::complaint::BodyMismatch;
use photofinish_model::finding::failure::{NoResponse, Wrong};
use photofinish_model::{Exchange, Expect, Listed, Request, Requests, Verified, Version};
use photofinish_study::plan::Workload;
use sha2::{Digest, Sha256};

use crate::hex::hex;
use crate::response::{self, Ask, Response, Route, grpc, websocket};

/// How much of a body is shown.
pub(crate) const SHOWN: usize = 40;

/// How many requests of a list are sent when a server is verified: the first ones, so that what begins with a creation is verified in order.
const LISTED: usize = 32;

/// Asks once and compares with what was stated; gives up soon after `unwanted` says so. What varies in the question
/// follows from the seed.
///
/// # Errors
/// With what was expected and what came.
pub(crate) fn verify(
    route: Route,
    workload: &Workload,
    seed: u64,
    unwanted: &dyn Fn() -> bool,
) -> Result<Response, Wrong> {
    let request = Box::new(workload.exchange.asked());
    match &workload.exchange {
        Exchange::TcpEcho { size } => {
            let message = Messages::new(*size as usize, 1, seed);
            echo(route, message.first(), workload.timeout, request, unwanted)
        }
        Exchange::WebSocket(wanted) => {
            let once = photofinish_load::websocket::Once::new(wanted, seed);
            let opening = match Once::new(&wanted.opening, &route.authority(), seed) {
                Ok(opening) => opening,
                Err(InvalidRequest(why)) => return Err(Wrong::Request { request, why }),
            };
            let got = websocket::ask(route, &opening.bytes, &once, workload.timeout, unwanted)
                .map_err(|met| Wrong::Silent {
                    request: request.clone(),
                    met,
                })?;
            same(&once.reply, got, request)
        }
        Exchange::Grpc(call) => {
            let once = match grpc::once(route, call, seed) {
                Ok(once) => once,
                Err(InvalidRequest(why)) => return Err(Wrong::Request { request, why }),
            };
            match grpc::ask(route, call, &once, workload.timeout, unwanted) {
                Ok(got) => stated(got, &call.expect, request, |body| {
                    once.complaint(call, body)
                }),
                Err(met) => Err(Wrong::Silent { request, met }),
            }
        }
        Exchange::Http {
            request: sent,
            expect,
            version,
        } => one(
            route,
            (sent, expect, *version),
            workload.timeout,
            seed,
            request,
            unwanted,
        ),
        Exchange::Requests(requests) => listed(route, requests, workload.timeout, seed, unwanted),
    }
}

/// What is asked for over HTTP.
pub(crate) fn asked(request: &Request, version: Version) -> Asked {
    Asked::Http {
        method: request.method.clone(),
        path: request.path.to_string(),
        streams: version.streams(),
        over_http2: Vec::new(),
    }
}

/// A request, what must come back for it, and in which version of HTTP.
type Sent<'s> = (&'s Request, &'s Expect, Version);

/// Sends a request and compares its response with what was stated.
///
/// # Errors
/// With what was expected and what came.
pub(crate) fn one(
    route: Route,
    (sent, expect, version): Sent<'_>,
    timeout: Duration,
    seed: u64,
    request: Box<Asked>,
    unwanted: &dyn Fn() -> bool,
) -> Result<Response, Wrong> {
    let once = match Once::new(sent, &route.authority(), seed) {
        Ok(once) => once,
        Err(InvalidRequest(why)) => return Err(Wrong::Request { request, why }),
    };
    let ask = Ask {
        method: &sent.method,
        bytes: &once.bytes,
    };
    match response::ask(version, route, &ask, timeout, unwanted) {
        Ok(got) => judged(got, &once, expect, request),
        Err(met) => Err(Wrong::Silent { request, met }),
    }
}

/// Sends the first requests of a list, each with its own expectation. What is recorded of them is one response: the status of the
/// first, and the bodies of all whose bodies are not stated to vary.
fn listed(
    route: Route,
    requests: &Requests,
    timeout: Duration,
    seed: u64,
    unwanted: &dyn Fn() -> bool,
) -> Result<Response, Wrong> {
    let mut all: Option<Response> = None;
    for Listed {
        request, expect, ..
    } in requests.list.iter().take(LISTED)
    {
        let said = Box::new(asked(request, requests.version));
        let sent = (request, expect, requests.version);
        let mut got = one(route, sent, timeout, seed, said, unwanted)?;
        if expect.is_of_shape() {
            got.body.clear();
        }
        match &mut all {
            None => all = Some(got),
            Some(all) => {
                all.body.append(&mut got.body);
                all.wire_bytes += got.wire_bytes;
            }
        }
    }
    // A list has a request, or nothing could be sent.
    all.ok_or_else(|| Wrong::Silent {
        request: Box::new(Asked::get("/")),
        met: NoResponse::send("there is no request in the list"),
    })
}

/// A response, if its status and body are those that were stated.
fn judged(
    got: Response,
    once: &Once,
    expect: &Expect,
    request: Box<Asked>,
) -> Result<Response, Wrong> {
    let expected = expect.status;
    if !expected.map_or((200..400).contains(&got.status), |status| {
        got.status == status
    }) {
        let shown = got.body.len().min(SHOWN);
        return Err(Wrong::Status {
            request,
            expected,
            got: got.status,
            body: got.body[..shown].escape_ascii().to_string(),
            more: shown < got.body.len(),
        });
    }
    stated(got, expect, request, |body| once.complaint(expect, body))
}

/// A response, if its body is the one that was stated, and has the shape that was.
fn stated(
    got: Response,
    expect: &Expect,
    request: Box<Asked>,
    complaint: impl Fn(&[u8]) -> Option<BodyMismatch>,
) -> Result<Response, Wrong> {
    let got = match &expect.body {
        Some(expected) => same(expected, got, request.clone())?,
        None => got,
    };
    match complaint(&got.body) {
        Some(mismatch) => {
            let why = mismatch.into();
            Err(Wrong::Shape { request, why })
        }
        None => Ok(got),
    }
}

/// A response, if its body is the one that was stated.
fn same(expected: &[u8], got: Response, request: Box<Asked>) -> Result<Response, Wrong> {
    match difference(expected, &got.body) {
        None => Ok(got),
        Some(difference) => Err(Wrong::Body {
            request,
            expected_bytes: expected.len() as u64,
            got_bytes: got.body.len() as u64,
            difference,
        }),
    }
}

/// Sends a message and compares what comes back.
fn echo(
    route: Route,
    message: &[u8],
    timeout: Duration,
    request: Box<Asked>,
    unwanted: &dyn Fn() -> bool,
) -> Result<Response, Wrong> {
    let body = match response::send_and_take(route, message, timeout, unwanted) {
        Ok(body) => body,
        Err(met) => return Err(Wrong::Silent { request, met }),
    };
    if let Some(why) = photofinish_load::echo::difference(message, 0, &body) {
        return Err(Wrong::Shape { request, why });
    }
    Ok(Response {
        status: 0,
        head: String::new(),
        wire_bytes: body.len() as u64,
        body,
    })
}

/// A response, for the record.
pub(crate) fn record(workload: &Workload, response: &Response) -> Verified {
    Verified {
        workload: workload.name.clone(),
        status: response.status,
        head: response.head.clone(),
        body_bytes: response.body.len() as u64,
        body_sha256: sha256(&response.body),
        wire_bytes: response.wire_bytes,
    }
}

fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

#[cfg(test)]
pub(crate) mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::os::unix::net::UnixListener;
    use std::thread::{self, JoinHandle};

    use photofinish_model::{Address, Recall, Template};
    use photofinish_voice::{Language, Say};

    use super::*;
    use crate::fake;

    /// What is recorded of such a response.
    pub(crate) fn verified(status: u16, body: &[u8]) -> Verified {
        let response = Response {
            status,
            head: String::new(),
            body: body.to_vec(),
            wire_bytes: 0,
        };
        record(&fake::workload("w", &[1]), &response)
    }

    #[test]
    fn the_first_difference_is_shown_with_its_offset() {
        let says = |expected: &[u8], got: &[u8]| {
            let response = Response {
                status: 200,
                head: String::new(),
                body: got.to_vec(),
                wire_bytes: 0,
            };
            let mut workload = fake::workload("w", &[1]);
            let (request, expect) = fake::http(&mut workload);
            expect.body = Some(expected.to_vec());
            let once = Once::new(request, "host", 1).expect("a request");
            let wrong = judged(response, &once, expect, Box::new(Asked::get("/"))).err();
            wrong.map(|wrong| wrong.say(Language::En))
        };
        assert_eq!(
            says(b"Hello, World!", b"Hello, world").as_deref(),
            Some(
                "GET /: wrong body: expected 13 bytes, got 12; they differ first at offset 7: expected \"World!\", got \"world\""
            )
        );
        let longer = says(b"abc", b"abcdef").expect("they differ");
        assert!(
            longer.ends_with("offset 3: expected nothing, got \"def\""),
            "{longer}"
        );
        assert_eq!(says(b"abc", b"abc"), None);
        let long = says(&[b'x'; 100], b"\n\xff").expect("they differ");
        assert!(long.contains("\"…, got \"\\n\\xff\""), "{long}");
    }

    /// A server that reads so many bytes from one connection and writes what `response` makes of them.
    fn served(length: usize, response: fn(Vec<u8>) -> Vec<u8>) -> (Address, JoinHandle<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("bind");
        let address = listener.local_addr().expect("address").into();
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("accept");
            let mut bytes = vec![0; length];
            stream.read_exact(&mut bytes).expect("a request");
            stream.write_all(&response(bytes)).expect("write");
        });
        (address, server)
    }

    fn ask(
        workload: &Workload,
        length: usize,
        response: fn(Vec<u8>) -> Vec<u8>,
    ) -> Result<Response, Wrong> {
        let (to, server) = served(length, response);
        let route = Route {
            from: &photofinish_host::Here,
            to: &to,
            called: None,
            tls: None,
        };
        let got = verify(route, workload, 7, &|| false);
        server.join().expect("server");
        got
    }

    #[test]
    fn a_server_on_a_unix_socket_is_called_localhost_as_by_the_load() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("server");
        let listener = UnixListener::bind(&path).expect("bind");
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("accept");
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                stream.read_exact(&mut byte).expect("a request");
                head.push(byte[0]);
            }
            let body = fake::BODY;
            let response = format!(
                "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            );
            stream.write_all(response.as_bytes()).expect("write");
            String::from_utf8(head).expect("text")
        });
        let route = Route {
            from: &photofinish_host::Here,
            to: &Address::Unix(path),
            called: None,
            tls: None,
        };
        let got = verify(route, &fake::workload("w", &[1]), 7, &|| false);
        let head = server.join().expect("server");
        assert!(head.contains("\r\nHost: localhost\r\n"), "{head}");
        assert!(got.is_ok(), "{got:?}");
    }

    #[test]
    fn an_echo_is_compared_byte_for_byte() {
        let mut workload = fake::workload("w", &[1]);
        workload.exchange = Exchange::TcpEcho { size: 100 };
        let good = ask(&workload, 100, |bytes| bytes).expect("an echo");
        assert_eq!((good.status, good.wire_bytes), (0, 100));
        let wrong = ask(&workload, 100, |mut bytes| {
            bytes[42] ^= 1;
            bytes
        });
        match wrong {
            Err(wrong @ Wrong::Shape { .. }) => {
                let says = wrong.say(Language::En);
                assert!(
                    says.starts_with("TCP echo of 100 bytes: the echo differs at byte 42 of 100"),
                    "{says}"
                );
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_body_that_varies_is_held_to_its_shape() {
        let mut workload = fake::workload("w", &[1]);
        let (request, expect) = fake::http(&mut workload);
        request.path = Template::parse("/{random:100..999}");
        *expect = Expect {
            status: Some(200),
            contains: Recall::parse("<{random}>"),
            rows: Some(2),
            ..Expect::default()
        };
        let length = "GET /100 HTTP/1.1\r\nHost: 127.0.0.1:40000\r\n\r\n".len();
        fn response(request: Vec<u8>, rows: &str) -> Vec<u8> {
            let id = String::from_utf8_lossy(&request[5..8]).into_owned();
            let body = format!("{rows}<{id}>");
            format!(
                "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            )
            .into_bytes()
        }
        assert!(ask(&workload, length, |request| response(request, "[1,2]")).is_ok());
        match ask(&workload, length, |request| response(request, "[1]")) {
            Err(wrong @ Wrong::Shape { .. }) => {
                let says = wrong.say(Language::En);
                assert!(
                    says.starts_with("GET /{random:100..999}: expected 2 rows, got 1"),
                    "{says}"
                );
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn hashes_are_sha256() {
        // FIPS 180-2, appendix B.1.
        assert_eq!(
            verified(200, b"abc").body_sha256,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
