//! What goes out on a connection and what must come back: one vocabulary from the command line to the load generator.

mod blank;
mod grpc;
mod list;
mod login;
mod template;
mod websocket;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::finding::asked::Asked;
use crate::secret::Secret;

pub use blank::Blank;
pub use grpc::{Form, Grpc, Payload, Piece};
pub use list::{HIGHEST_WEIGHT, Listed, MOST_REQUEST_BYTES, MOST_REQUESTS, Order, Requests};
pub use login::{Login, Take};
pub use template::{Part, Recall, Template};
pub use websocket::{Message, WebSocket};

/// What goes out on a connection and what must come back, again and again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "protocol", rename_all = "kebab-case")]
pub enum Exchange {
    /// HTTP.
    Http {
        /// What is sent.
        request: Request,
        /// What must come back.
        expect: Expect,
        /// In which version.
        #[serde(default, skip_serializing_if = "Version::is_http1")]
        version: Version,
    },
    /// Many requests over HTTP, each with what must come back for it.
    Requests(Requests),
    /// Plain TCP: a message of so many bytes is sent, and the same bytes must come back. No message of
    /// one connection is the same as one of another (as far as so few bytes can differ).
    TcpEcho {
        /// The message's bytes, 1 to [`LARGEST_MESSAGE`].
        size: u64,
    },
    /// Messages over WebSocket.
    WebSocket(WebSocket),
    /// Calls over gRPC.
    Grpc(Grpc),
}

/// What is known of the responses to an exchange before the first one came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replies {
    /// Every byte of their bodies is stated.
    Stated,
    /// They differ from one another, because the requests do, or by what is stated of them.
    Varying,
    /// Nothing: whether they are all the same is to be seen.
    ToSee,
}

impl Replies {
    /// Where nothing is stated of them.
    fn of_requests(fixed: bool) -> Replies {
        match fixed {
            true => Replies::ToSee,
            false => Replies::Varying,
        }
    }
}

/// The longest message of an echo, in bytes: 16 MiB.
pub const LARGEST_MESSAGE: u64 = 16 << 20;

/// The shortest time within which a response may be demanded: timeouts are looked for every millisecond at most.
pub const SHORTEST_TIMEOUT: Duration = Duration::from_millis(1);

/// A version of HTTP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Version {
    /// HTTP/1.1: one request after the other on a connection.
    #[default]
    Http1,
    /// HTTP/2, spoken from the first byte on (prior knowledge).
    Http2 {
        /// How many requests are in flight on a connection at most; 1 to [`MOST_STREAMS`].
        streams: u32,
    },
}

/// The most requests in flight on one connection.
pub const MOST_STREAMS: u32 = 1_000;

/// How many requests are in flight on a connection where nothing is said of it.
pub(crate) fn one_stream() -> u32 {
    1
}

/// Whether nothing has to be said of it.
pub(crate) fn is_one_stream(streams: &u32) -> bool {
    *streams == one_stream()
}

impl Version {
    /// Whether it is the one that nobody has to name.
    pub fn is_http1(&self) -> bool {
        *self == Version::Http1
    }

    /// Of HTTP/2, how many requests are in flight on a connection.
    pub fn streams(self) -> Option<u32> {
        match self {
            Version::Http1 => None,
            Version::Http2 { streams } => Some(streams),
        }
    }
}

/// An HTTP request. To whom it goes, and thus its `Host` header, is not part of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// `GET`, `POST`, …
    pub method: String,
    /// Path and query.
    pub path: Template,
    /// Headers, in order. `Host` and `Content-Length` here take the place of the ones that are made.
    pub headers: Vec<(String, Secret<Template>)>,
    /// The body; empty = none.
    pub body: Secret<Template>,
}

/// What a response must be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Expect {
    /// The status; `None` = that of the first response, which is one from 200 to 299.
    pub status: Option<u16>,
    /// The body, byte for byte; `None` = any of the length that the head promises.
    #[serde(with = "crate::bytes::optional")]
    pub body: Option<Vec<u8>>,
    /// What must stand somewhere in the body; empty = nothing.
    pub contains: Vec<Recall>,
    /// How many elements the first JSON array of the body must have.
    pub rows: Option<u64>,
    /// In what the responses of all targets must be alike.
    #[serde(default, skip_serializing_if = "Same::is_body")]
    pub same: Same,
    /// Whether redirects are followed, once, before there is load; the path that they end at is loaded.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub follow_redirects: bool,
}

crate::worded! {
    /// In what the responses of all targets must be alike, so that they do the same job.
    #[derive(Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    Same = Body;
    /// Status and body, byte for byte.
    Body "body";
    /// The values of their bodies as JSON: white space and the order of members do not count.
    Json "json";
    /// The status alone.
    Status "status";
}

impl Same {
    fn is_body(&self) -> bool {
        *self == Same::Body
    }
}

impl Expect {
    /// Whether only the shape of a body is stated, so that it may differ from target to target.
    pub fn is_of_shape(&self) -> bool {
        let has_shape = !self.contains.is_empty() || self.rows.is_some();
        self.body.is_none() && (has_shape || self.same == Same::Status)
    }
}

impl Request {
    /// `GET` of a path, without headers of its own.
    pub fn get(path: impl AsRef<[u8]>) -> Request {
        Request {
            method: "GET".to_owned(),
            path: Template::parse(path),
            headers: Vec::new(),
            body: Secret::default(),
        }
    }

    /// All parts that may be filled in, in the order in which random numbers are drawn for them.
    pub fn templates(&self) -> impl Iterator<Item = &Template> {
        std::iter::once(&self.path)
            .chain(self.headers.iter().map(|(_, value)| value.expose()))
            .chain(std::iter::once(self.body.expose()))
    }
}

impl Exchange {
    /// How many requests may be in flight on a connection at once.
    pub fn streams(&self) -> u32 {
        match self {
            Exchange::Http {
                version: Version::Http2 { streams },
                ..
            }
            | Exchange::Requests(Requests {
                version: Version::Http2 { streams },
                ..
            }) => *streams,
            Exchange::WebSocket(messages) => messages.streams,
            Exchange::Grpc(call) => call.streams,
            Exchange::Http { .. } | Exchange::Requests(_) | Exchange::TcpEcho { .. } => 1,
        }
    }

    /// The version of HTTP that it is spoken in, or begins with; `None`: none.
    pub fn version(&self) -> Option<Version> {
        match self {
            Exchange::Http { version, .. } | Exchange::Requests(Requests { version, .. }) => {
                Some(*version)
            }
            Exchange::WebSocket(_) => Some(Version::Http1),
            Exchange::Grpc(call) => Some(Version::Http2 {
                streams: call.streams,
            }),
            Exchange::TcpEcho { .. } => None,
        }
    }

    /// Asks for another path, or calls another method; requests of a list have paths of their own.
    pub fn set_path(&mut self, path: Template) {
        match self {
            Exchange::Http { request, .. } => request.path = path,
            Exchange::WebSocket(messages) => messages.opening.path = path,
            Exchange::Grpc(call) => call.path = path.text(),
            Exchange::Requests(_) | Exchange::TcpEcho { .. } => {}
        }
    }

    /// What is asked for, for a line such as `GET /plaintext`.
    pub fn asked(&self) -> Asked {
        match self {
            Exchange::Http {
                request, version, ..
            } => Asked::Http {
                method: request.method.clone(),
                path: request.path.shown(),
                streams: version.streams(),
                over_http2: Vec::new(),
            },
            Exchange::Requests(requests) => Asked::Requests {
                source: requests.source.clone(),
                count: requests.list.len() as u64,
                digest: None,
                streams: requests.version.streams(),
                over_http2: Vec::new(),
            },
            Exchange::WebSocket(messages) => Asked::WebSocket {
                path: messages.opening.path.shown(),
                message: messages.message.asked(),
                streams: messages.streams,
            },
            Exchange::Grpc(call) => Asked::Grpc {
                path: call.path.clone(),
                streams: call.streams,
            },
            Exchange::TcpEcho { size } => Asked::TcpEcho { size: *size },
        }
    }

    /// What is known beforehand of the responses.
    pub fn replies(&self) -> Replies {
        match self {
            Exchange::TcpEcho { .. } | Exchange::WebSocket(_) => Replies::Stated,
            Exchange::Requests(requests) => requests.replies(),
            Exchange::Http { expect, .. } | Exchange::Grpc(Grpc { expect, .. })
                if expect.body.is_some() =>
            {
                Replies::Stated
            }
            Exchange::Http { .. } | Exchange::Grpc(_) if self.responses_vary() => Replies::Varying,
            Exchange::Http { request, .. } => {
                Replies::of_requests(request.templates().all(Template::is_fixed))
            }
            Exchange::Grpc(call) => {
                Replies::of_requests(call.parts().all(|part| matches!(part, Part::Bytes(_))))
            }
        }
    }

    /// Whether responses may differ from target to target, so that only their shape is compared.
    pub fn responses_vary(&self) -> bool {
        match self {
            Exchange::Http { expect, .. } | Exchange::Grpc(Grpc { expect, .. }) => {
                expect.is_of_shape()
            }
            Exchange::Requests(requests) => {
                requests.list.iter().all(|one| one.expect.is_of_shape())
            }
            Exchange::TcpEcho { .. } | Exchange::WebSocket(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_of_the_responses_follows_from_request_and_expectation() {
        let http = |path: &str, expect: Expect| Exchange::Http {
            request: Request::get(path),
            expect,
            version: Version::Http1,
        };
        let rows = Expect {
            rows: Some(1),
            ..Expect::default()
        };
        let body = Expect {
            body: Some(Vec::new()),
            ..rows.clone()
        };
        assert_eq!(http("/", Expect::default()).replies(), Replies::ToSee);
        assert_eq!(
            http("/{counter}", Expect::default()).replies(),
            Replies::Varying
        );
        assert_eq!(http("/", rows).replies(), Replies::Varying);
        assert_eq!(http("/{counter}", body).replies(), Replies::Stated);
        assert_eq!(Exchange::TcpEcho { size: 1 }.replies(), Replies::Stated);
    }

    /// An exchange as it comes out of the stream to an agent.
    fn travelled(exchange: &Exchange) -> Exchange {
        let json = crate::secret::exposing(|| serde_json::to_string(exchange)).expect("JSON");
        serde_json::from_str(&json).expect("reads back")
    }

    #[test]
    fn an_exchange_is_said_in_a_line_and_survives_a_journey() {
        let exchange = Exchange::Http {
            request: Request {
                headers: vec![("X-N".to_owned(), Template::parse("{counter}").into())],
                body: Template::fixed([0xff, 0]).into(),
                ..Request::get("/a?id={random:1..9}")
            },
            expect: Expect {
                body: Some(vec![0xfe]),
                contains: Recall::parse("\"id\":{random},"),
                ..Expect::default()
            },
            version: Version::Http2 { streams: 7 },
        };
        let asked = Asked::Http {
            method: "GET".to_owned(),
            path: "/a?id={random:1..9}".to_owned(),
            streams: Some(7),
            over_http2: Vec::new(),
        };
        assert_eq!((exchange.asked(), exchange.streams()), (asked, 7));
        assert_eq!(travelled(&exchange), exchange);
        let call = Exchange::Grpc(Grpc {
            path: "/echo.Echo/Unary".to_owned(),
            headers: vec![("x-n".to_owned(), Template::parse("{counter}").into())],
            message: Secret::from(Payload(vec![
                Piece::Part(Part::Bytes(vec![0x0a])),
                Piece::Measured(Payload::fixed("hi")),
                Piece::Number {
                    number: Part::Random { low: 1, high: 9 },
                    form: Form::Varint,
                },
            ])),
            messages: Some(1),
            expect: Expect::default(),
            streams: 3,
        });
        let asked = Asked::Grpc {
            path: "/echo.Echo/Unary".to_owned(),
            streams: 3,
        };
        assert_eq!(call.asked(), asked);
        assert_eq!((call.streams(), call.replies()), (3, Replies::Varying));
        assert_eq!(travelled(&call), call);
        let listed = |path: &str, body: Option<&str>| Listed {
            request: Request::get(path),
            expect: Expect {
                body: body.map(|body| body.as_bytes().to_vec()),
                ..Expect::default()
            },
            weight: 7,
        };
        let list = Exchange::Requests(Requests {
            source: "shop.jsonl".to_owned(),
            list: [listed("/a", Some("a")), listed("/{counter}", None)].into(),
            order: Order::Weighted,
            per_connection: true,
            version: Version::Http2 { streams: 2 },
        });
        let asked = Asked::Requests {
            source: "shop.jsonl".to_owned(),
            count: 2,
            digest: None,
            streams: Some(2),
            over_http2: Vec::new(),
        };
        assert_eq!(list.asked(), asked);
        assert_eq!((list.streams(), list.replies()), (2, Replies::Varying));
        assert_eq!(travelled(&list), list);
        let echo = Exchange::TcpEcho { size: 5_120 };
        assert_eq!(echo.asked(), Asked::TcpEcho { size: 5_120 });
        assert_eq!(
            serde_json::to_string(&echo).expect("JSON"),
            r#"{"protocol":"tcp-echo","size":5120}"#
        );
    }
}
