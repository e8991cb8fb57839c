//! What flags say of what is sent and must come back, and the calls over gRPC and messages over WebSocket that they state: their
//! flags are those of a request over HTTP, of which some say nothing there.

use photofinish_model::settings::RequestSettings;
use photofinish_model::{
    Expect, Grpc, Login, Message, Request, Requests, Secret, Template, Tls, Version, WebSocket,
};
use photofinish_proto::{Schema, Stated, call};

/// What flags say of what is sent and must come back. The path is that of the URL: a method of gRPC, or where a WebSocket is opened.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestFlags {
    /// `-m`, `-H` and `--body`: a request over HTTP, what opens a WebSocket and is its message, or what a call sends; without a path.
    pub request: Request,
    /// `--expect-status`, `--expect-body` and the like.
    pub expect: Expect,
    /// `--requests-from` and `--csv-data`: requests instead of that one.
    pub requests: Option<Requests>,
    /// `--login`: what is sent once before, and whose response fills in `{login.NAME}`.
    pub login: Option<Login>,
    /// `--http2` and, of that, `--streams`.
    pub version: Version,
    /// `--size`: the messages of an echo or a WebSocket have so many random bytes.
    pub size: Option<u64>,
    /// `--proto` or `--descriptor-set`; `None`: a call's message and reply are bytes.
    pub schema: Option<Schema>,
    /// `--cacert`, `--insecure` and the like; `None`: none of them was given.
    pub tls: Option<Tls>,
    /// `--streams`, `--timeout`, `--requests-per-connection` and `--no-keepalive`.
    pub settings: RequestSettings,
}

impl Default for RequestFlags {
    fn default() -> RequestFlags {
        RequestFlags {
            request: Request::get(""),
            expect: Expect::default(),
            requests: None,
            login: None,
            version: Version::Http1,
            size: None,
            schema: None,
            tls: None,
            settings: RequestSettings::default(),
        }
    }
}

/// Why flags state no call over gRPC, or no message over WebSocket.
#[derive(Debug, thiserror::Error)]
pub enum MessageError {
    /// A flag of HTTP that means nothing here, flags that contradict each other, or a flag that is missing.
    #[error("{0}")]
    Flag(&'static str),
    /// Schema, method, message and reply do not fit each other.
    #[error(transparent)]
    Schema(#[from] photofinish_proto::Error),
}

impl RequestFlags {
    /// The request, at a path.
    pub fn at(&self, path: &str) -> Request {
        Request {
            path: Template::parse(path),
            ..self.request.clone()
        }
    }

    /// The call of the method at a path.
    ///
    /// # Errors
    /// By the flag that says nothing here, or what does not fit the schema.
    pub fn call(&self, path: &str) -> Result<Grpc, MessageError> {
        self.refuse_http([
            "gRPC is spoken over HTTP/2 as it is; leave --http2 out",
            "a call has no method of HTTP; leave --method out",
            "a call has no status of HTTP, and each must end with grpc-status 0; leave --expect-status out",
            "calls keep their connection; leave --no-keepalive or --requests-per-connection out",
        ])?;
        Ok(call(Stated {
            schema: self.schema.as_ref(),
            path,
            headers: self.request.headers.clone(),
            message: self.request.body.expose(),
            expect: self.expect.clone(),
            streams: self.settings.streams,
        })?)
    }

    /// How connections are opened at a path, what is sent on them and what must come back.
    ///
    /// # Errors
    /// By the flag that says nothing here, or is missing.
    pub fn websocket(&self, path: &str) -> Result<WebSocket, MessageError> {
        self.refuse_http([
            "a WebSocket is opened over HTTP/1.1; leave --http2 out",
            "a WebSocket is opened by GET; leave --method out",
            "replies over a WebSocket have no status; leave --expect-status out",
            "messages keep their connection; leave --no-keepalive or --requests-per-connection out",
        ])?;
        if !self.expect.contains.is_empty() {
            return Err(MessageError::Flag(
                "a reply over a WebSocket is compared byte for byte; give --expect-body instead of --expect-contains",
            ));
        }
        let body = self.request.body.expose();
        let own = || self.request.body.clone();
        let message = match (self.size, body.is_empty()) {
            (Some(size), true) => Message::Random { size },
            (None, false) if String::from_utf8(body.literal()).is_ok() => Message::Text(own()),
            (None, false) => Message::Binary(own()),
            (Some(_), false) => {
                let problem = "--size and --body are two different messages; give one of them";
                return Err(MessageError::Flag(problem));
            }
            (None, true) => {
                return Err(MessageError::Flag(
                    "say what to send: --size 64 (so many random bytes) or --body TEXT; the same must come back, or what --expect-body says",
                ));
            }
        };
        Ok(WebSocket {
            opening: Request {
                body: Secret::default(),
                ..self.at(path)
            },
            message,
            reply: self.expect.body.clone(),
            streams: self.settings.streams,
        })
    }

    /// Fails if the version, the method, the status or the end of connections is given: what is said of each.
    fn refuse_http(&self, says: [&'static str; 4]) -> Result<(), MessageError> {
        let given = [
            !self.version.is_http1(),
            self.request.method != "GET",
            self.expect.status.is_some(),
            self.settings.requests_per_connection.is_some(),
        ];
        match given.into_iter().zip(says).find(|(given, _)| *given) {
            Some((_, says)) => Err(MessageError::Flag(says)),
            None => Ok(()),
        }
    }
}
