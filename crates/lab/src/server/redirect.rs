//! Where redirects lead, if they are to be followed: that is what is loaded.

use photofinish_load::once::{Response, Wait};
use photofinish_model::finding::complaint::Complaint;
use photofinish_model::finding::failure::{Unfollowed, Wrong};
use photofinish_model::secret::{mask, shown_body};
use photofinish_model::{Address, Exchange, Take, Template};
use url::{Host, Position, Url};

use crate::server::login::taken;
use crate::server::route::Route;
use crate::server::verify::Question;

/// The most redirects that are followed, as in browsers' Fetch standard.
const MOST: u32 = 20;

/// Follows redirects from a request's path, on the same server, and returns the path that they end at. `None`: there is no redirect,
/// its status is the one that was asked for, or redirects are not followed.
///
/// # Errors
/// If no response comes, a redirect leads to another server or nowhere, or there are too many.
pub(crate) fn destination(
    route: Route,
    exchange: &Exchange,
    wait: Wait,
    seed: u64,
) -> Result<Option<String>, Wrong> {
    let mut exchange = exchange.clone();
    let mut path = match &exchange {
        Exchange::Http {
            request, expect, ..
        } if expect.follow_redirects => request.path.text(),
        _ => return Ok(None),
    };
    let mut led_to = None;
    for _ in 0..=MOST {
        let request = Box::new(exchange.asked());
        let question = Question {
            route,
            exchange: &exchange,
            wait,
            seed,
            request: request.clone(),
            quote: shown_body,
        };
        let got = question.ask()?;
        if !is_redirect(&got) {
            return Ok(led_to);
        }
        path = next(route, &path, &got).map_err(|why| Wrong::Redirect { request, why })?;
        exchange.set_path(Template::fixed(path.as_bytes()));
        led_to = Some(path.clone());
    }
    Err(Wrong::Redirect {
        request: Box::new(exchange.asked()),
        why: Unfollowed::TooMany { most: MOST },
    })
}

/// Whether a response leads elsewhere, and nobody asked for its status.
fn is_redirect(got: &Response) -> bool {
    let unwanted = matches!(got.complaint, Some(Complaint::Status { .. }));
    unwanted && matches!(got.status, 301 | 302 | 303 | 307 | 308)
}

/// The path that a redirect from `path` leads to.
fn next(route: Route, path: &str, got: &Response) -> Result<String, Unfollowed> {
    let location = Take::Header("location".to_owned());
    let nowhere = || Unfollowed::Nowhere { status: got.status };
    let location = taken(got, &location).ok_or_else(nowhere)?;
    let scheme = match route.tls {
        Some(_) => "https",
        None => "http",
    };
    let here = format!("{scheme}://{}{path}", route.authority());
    let here = Url::parse(&here).map_err(|_| nowhere())?;
    let there = here.join(&location).map_err(|_| nowhere())?;
    if !is_same_server(&here, &there, route.to) {
        // Neither a query nor a fragment is shown: a token may be in either.
        let to = mask(&there[..Position::AfterPath]).into_owned();
        return Err(Unfollowed::Elsewhere { to });
    }
    Ok(there[Position::BeforePath..Position::AfterQuery].to_owned())
}

/// Whether a URL is of the server that was asked: by the name that it was asked by, or by its address. `localhost` is each loopback
/// address.
fn is_same_server(here: &Url, there: &Url, address: &Address) -> bool {
    let same_port = here.port_or_known_default() == there.port_or_known_default();
    let at_address = match (there.host(), address) {
        (Some(host), Address::Tcp(at)) => match host {
            Host::Ipv4(ip) => at.ip() == ip,
            Host::Ipv6(ip) => at.ip() == ip,
            Host::Domain(name) => name == "localhost" && at.ip().is_loopback(),
        },
        _ => false,
    };
    here.scheme() == there.scheme() && same_port && (here.host() == there.host() || at_address)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::thread;
    use std::time::Duration;

    use photofinish_host::Host as Machine;
    use photofinish_model::{Expect, Request, Version};

    use super::*;

    /// A server that responds to each path with what `of` says: a status and a Location.
    pub(crate) fn server(of: fn(&str) -> (u16, String)) -> Address {
        let listener = TcpListener::bind("127.0.0.1:0").expect("bind");
        let address = listener.local_addr().expect("an address");
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.expect("a connection");
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    let mut byte = [0];
                    stream.read_exact(&mut byte).expect("a request");
                    head.push(byte[0]);
                }
                let head = String::from_utf8(head).expect("text");
                let path = head.split(' ').nth(1).expect("a path");
                let (status, location) = of(path);
                let location = match &*location {
                    "" => String::new(),
                    to => format!("Location: {to}\r\n"),
                };
                let response =
                    format!("HTTP/1.1 {status} X\r\n{location}Content-Length: 0\r\n\r\n");
                stream.write_all(response.as_bytes()).expect("a reader");
            }
        });
        address.into()
    }

    fn followed(to: &Address, path: &str, expect: Expect) -> Result<Option<String>, String> {
        let route = Route {
            from: Machine::this_machine(),
            to,
            called: Some("shop.test"),
            tls: None,
        };
        let exchange = Exchange::Http {
            request: Request::get(path),
            expect,
            version: Version::Http1,
        };
        let wait = Wait {
            timeout: Duration::from_secs(5),
            unwanted: &|| false,
        };
        destination(route, &exchange, wait, 1).map_err(|wrong| wrong.to_string())
    }

    fn follow() -> Expect {
        Expect {
            follow_redirects: true,
            ..Expect::default()
        }
    }

    #[test]
    fn redirects_on_the_same_server_are_followed_to_their_end() {
        let to = server(|path| match path {
            "/a/old" => (301, "new?x={1}#part".to_owned()),
            "/a/new?x={1}" => (307, "http://shop.test/b".to_owned()),
            "/b" => (303, "/c%20d".to_owned()),
            _ => (200, String::new()),
        });
        let path = |from| followed(&to, from, follow());
        assert_eq!(path("/a/old"), Ok(Some("/c%20d".to_owned())));
        assert_eq!(path("/b"), Ok(Some("/c%20d".to_owned())));
        // A page that is there is where it is.
        assert_eq!(path("/here"), Ok(None));
        // A redirect that is asked for, and one that nobody wants followed.
        let moved = Expect {
            status: Some(301),
            ..follow()
        };
        assert_eq!(followed(&to, "/a/old", moved), Ok(None));
        assert_eq!(followed(&to, "/a/old", Expect::default()), Ok(None));
    }

    #[test]
    fn a_redirect_that_cannot_be_followed_is_named() {
        let to = server(|path| match path {
            "/far" => (302, "https://other.example/x".to_owned()),
            "/secure" => (308, "https://shop.test/secure".to_owned()),
            "/none" => (302, String::new()),
            "/loop" => (302, "/loop".to_owned()),
            _ => (200, String::new()),
        });
        for (path, says) in [
            (
                "/far",
                "GET /far: it redirects to https://other.example/x, which is another server",
            ),
            (
                "/secure",
                "GET /secure: it redirects to https://shop.test/secure, which is another server",
            ),
            ("/none", "GET /none: status 302 has no Location"),
            ("/loop", "GET /loop: more than 20 redirects"),
        ] {
            let got = followed(&to, path, follow()).expect_err(path);
            assert!(got.starts_with(says), "{got}");
        }
    }

    #[test]
    fn a_server_s_own_names_are_its_name_and_its_address() {
        let same = |here: &str, there: &str| {
            let url = |text: &str| Url::parse(text).expect("a URL");
            let address = "127.0.0.1:81".parse::<std::net::SocketAddr>();
            is_same_server(&url(here), &url(there), &address.expect("one").into())
        };
        assert!(same("http://shop.test:81/", "http://shop.test:81/x"));
        assert!(same("http://shop.test:81/", "http://127.0.0.1:81/x"));
        assert!(same("http://127.0.0.1:81/", "http://localhost:81/x"));
        assert!(!same("http://127.0.0.1:81/", "http://localhost:82/x"));
        assert!(!same("http://127.0.0.1:81/", "https://127.0.0.1:81/"));
        assert!(!same("http://127.0.0.1:81/", "http://127.0.0.2:81/"));
    }
}
