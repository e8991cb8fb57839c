//! How a connection is opened: a request over HTTP/1.1, and the response that makes it a WebSocket (RFC 6455, section 4).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use photofinish_model::finding::complaint::WebSocketComplaint;
use photofinish_model::{Request, Template};
use sha1::{Digest, Sha1};

use crate::error::InvalidRequest;
use crate::http::{self, HEAD_LIMIT};

/// What is added to a key before it is hashed (section 1.3).
const GUID: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// The status of a response that opens a WebSocket.
pub const STATUS: u16 = 101;

/// The most headers of a response.
const HEADERS: usize = 100;

/// What is sent, and what must come back.
#[derive(Clone, Debug)]
pub struct Opening {
    pub request: Vec<u8>,
    accept: String,
    /// The subprotocols that the request offers.
    offered: Vec<String>,
}

/// What came back so far.
#[derive(Debug, PartialEq)]
pub enum Reply {
    /// Not all of it.
    More,
    /// A WebSocket, after so many bytes.
    Open(usize),
    /// Something else; its status.
    Refused(u16, WebSocketComplaint),
}

/// The header that offers subprotocols, and chooses one of them (section 4.1).
const SUBPROTOCOL: &str = "Sec-WebSocket-Protocol";

/// The headers that every opening has.
const OWN: [&str; 4] = [
    "upgrade",
    "connection",
    "sec-websocket-key",
    "sec-websocket-version",
];

impl Opening {
    /// Of this request; the key is drawn from `nonce`.
    ///
    /// # Errors
    /// For a request that cannot be sent.
    pub fn new(
        request: &Request,
        authority: &str,
        nonce: [u8; 16],
    ) -> Result<Opening, InvalidRequest> {
        let key = STANDARD.encode(nonce);
        let mut request = request.clone();
        let given = std::mem::take(&mut request.headers).into_iter();
        request.headers = [
            ("Upgrade", "websocket"),
            ("Connection", "Upgrade"),
            ("Sec-WebSocket-Key", &key),
            ("Sec-WebSocket-Version", "13"),
        ]
        .map(|(name, value)| (name.to_owned(), Template::fixed(value).into()))
        .into_iter()
        .chain(given.filter(|(name, _)| !OWN.contains(&&*name.to_ascii_lowercase())))
        .collect();
        let bytes = http::first(&request, authority, 0)?;
        let hash = Sha1::new_with_prefix(key.as_bytes())
            .chain_update(GUID)
            .finalize();
        Ok(Opening {
            accept: STANDARD.encode(hash),
            offered: offered(&bytes),
            request: bytes,
        })
    }

    /// What the bytes since the request are.
    pub fn reply(&self, bytes: &[u8]) -> Reply {
        let mut headers = [httparse::EMPTY_HEADER; HEADERS];
        let mut response = httparse::Response::new(&mut headers);
        let used = match response.parse(bytes) {
            Ok(httparse::Status::Complete(used)) => used,
            Ok(httparse::Status::Partial) if bytes.len() < HEAD_LIMIT => return Reply::More,
            Ok(httparse::Status::Partial) => {
                return Reply::Refused(0, WebSocketComplaint::LongHead {});
            }
            Err(error) => {
                let says = error.to_string();
                return Reply::Refused(0, WebSocketComplaint::NotHttp { says });
            }
        };
        let status = response.code.unwrap_or(0);
        let refused = |complaint| Reply::Refused(status, complaint);
        if status != STATUS {
            return refused(WebSocketComplaint::Refused { status });
        }
        let named = |name: &str| {
            let mut headers = response.headers.iter();
            headers
                .find(|header| header.name.eq_ignore_ascii_case(name))
                .map(|header| String::from_utf8_lossy(header.value).trim().to_owned())
        };
        let upgrade = named("Upgrade").unwrap_or_default();
        if !upgrade.eq_ignore_ascii_case("websocket") {
            return refused(WebSocketComplaint::NoUpgrade {});
        }
        if named("Sec-WebSocket-Accept").as_deref() != Some(&self.accept) {
            return refused(WebSocketComplaint::Accept {});
        }
        if let Some(says) = named("Sec-WebSocket-Extensions") {
            return refused(WebSocketComplaint::Extension { says });
        }
        if let Some(says) = named(SUBPROTOCOL).filter(|chosen| !self.offered.contains(chosen)) {
            return refused(WebSocketComplaint::Subprotocol { says });
        }
        Reply::Open(used)
    }
}

/// The subprotocols that a request offers.
fn offered(request: &[u8]) -> Vec<String> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    // One of more headers than these offers none, and a server that chooses one is named.
    let _ = parsed.parse(request);
    let offers = parsed.headers.iter();
    let offers = offers.filter(|header| header.name.eq_ignore_ascii_case(SUBPROTOCOL));
    let names = offers.flat_map(|header| header.value.split(|byte| *byte == b','));
    names
        .map(|name| String::from_utf8_lossy(name).trim().to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The key of the RFC's example, section 1.3.
    fn opening() -> Opening {
        Opening::new(&Request::get("/chat"), "h:1", *b"the sample nonce").expect("valid")
    }

    const GOOD: &str = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";

    #[test]
    fn the_request_asks_for_a_websocket() {
        let mut request = Request::get("/chat");
        request.headers = vec![
            ("Origin".to_owned(), Template::fixed("http://a").into()),
            ("upgrade".to_owned(), Template::fixed("h2c").into()),
        ];
        let opening = Opening::new(&request, "h:1", *b"the sample nonce").expect("valid");
        assert_eq!(
            String::from_utf8(opening.request).expect("text"),
            "GET /chat HTTP/1.1\r\nHost: h:1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nOrigin: http://a\r\n\r\n"
        );
    }

    #[test]
    fn a_response_opens_a_websocket_only_if_it_belongs_to_the_key() {
        let opening = opening();
        let with_frame = format!("{GOOD}\u{1}x");
        assert_eq!(
            opening.reply(with_frame.as_bytes()),
            Reply::Open(GOOD.len())
        );
        for cut in 0..GOOD.len() {
            assert_eq!(opening.reply(&GOOD.as_bytes()[..cut]), Reply::More);
        }
        let cases = [
            (
                "101 Switching",
                "404 Not",
                404,
                WebSocketComplaint::Refused { status: 404 },
            ),
            (
                "websocket\r\nC",
                "h2c\r\nC",
                101,
                WebSocketComplaint::NoUpgrade {},
            ),
            ("s3pP", "t3pP", 101, WebSocketComplaint::Accept {}),
            (
                "Connection: Upgrade",
                "Sec-WebSocket-Extensions: permessage-deflate",
                101,
                WebSocketComplaint::Extension {
                    says: "permessage-deflate".to_owned(),
                },
            ),
            (
                "Connection: Upgrade",
                "Sec-WebSocket-Protocol: chat",
                101,
                WebSocketComplaint::Subprotocol {
                    says: "chat".to_owned(),
                },
            ),
            (
                "HTTP/1.1",
                "SSH-2.0!",
                0,
                WebSocketComplaint::NotHttp {
                    says: httparse::Error::Version.to_string(),
                },
            ),
        ];
        for (from, to, status, complaint) in cases {
            let reply = opening.reply(GOOD.replacen(from, to, 1).as_bytes());
            assert_eq!(reply, Reply::Refused(status, complaint));
        }
        // One that the request offers is chosen.
        let mut request = Request::get("/chat");
        request.headers = vec![(
            "sec-websocket-protocol".to_owned(),
            Template::fixed("mqtt, chat").into(),
        )];
        let offering = Opening::new(&request, "h:1", *b"the sample nonce").expect("valid");
        let chosen = GOOD.replacen("Connection: Upgrade", "Sec-WebSocket-Protocol: chat", 1);
        assert_eq!(offering.reply(chosen.as_bytes()), Reply::Open(chosen.len()));
        let endless = format!("HTTP/1.1 101 x\r\nA: {}", "a".repeat(HEAD_LIMIT));
        let refused = Reply::Refused(0, WebSocketComplaint::LongHead {});
        assert_eq!(opening.reply(endless.as_bytes()), refused);
    }
}
