//! What a workload asks for, in a line.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::recorded::Recorded;

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Asked {
    /// An HTTP request.
    Http {
        /// Its method.
        method: String,
        /// Its path, as it was written but for the secrets in it.
        path: String,
        /// Of HTTP/2, how many are in flight on a connection; `null` over HTTP/1.1.
        streams: Option<u32>,
        /// The targets that are asked over HTTP/2 where the others are not, or with another number in flight.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        over_http2: Vec<OverHttp2>,
    },
    /// Many HTTP requests, from a file.
    Requests {
        /// The file's name.
        source: String,
        /// How many there are, rows of data counted.
        count: u64,
        /// A fingerprint of all that is sent and must come back, and of its order (HMAC-SHA-256 by the user's key), so that a run is not
        /// resumed with other requests; `null` where nothing is resumed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        digest: Option<String>,
        /// Of HTTP/2, how many are in flight on a connection; `null` over HTTP/1.1.
        streams: Option<u32>,
        /// The targets that are asked over HTTP/2 where the others are not, or with another number in flight.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        over_http2: Vec<OverHttp2>,
    },
    /// Messages over WebSocket.
    WebSocket {
        /// The path that the connection is opened at.
        path: String,
        /// What is sent.
        message: AskedMessage,
        /// How many are in flight on a connection.
        streams: u32,
    },
    /// Calls over gRPC.
    Grpc {
        /// The method.
        path: String,
        /// How many are in flight on a connection.
        streams: u32,
    },
    /// Messages over plain TCP.
    TcpEcho {
        /// Their bytes.
        size: u64,
    },
    /// What an older version wrote down, where it is none of the others.
    Written {
        /// As it was written.
        text: String,
    },
}

/// A target that is asked over HTTP/2 by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OverHttp2 {
    /// Its label.
    pub target: String,
    /// How many requests are in flight on a connection.
    pub streams: u32,
}

/// A message over WebSocket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum AskedMessage {
    /// A text.
    Text {
        /// `***`; what older versions wrote has the text.
        text: String,
    },
    /// Bytes.
    Binary {
        /// The same.
        bytes: String,
    },
    /// So many random bytes.
    Random {
        /// How many.
        size: u64,
    },
}

impl Asked {
    /// GET over HTTP/1.1.
    pub fn get(path: impl Into<String>) -> Asked {
        Asked::Http {
            method: "GET".to_owned(),
            path: path.into(),
            streams: None,
            over_http2: Vec::new(),
        }
    }

    /// Reads what older versions wrote: `GET /plaintext over HTTP/2 (3 streams)`, `TCP echo of 1024 bytes`.
    pub fn read(text: String) -> Asked {
        let (head, streams) = match text.split_once(" over HTTP/2") {
            Some((head, "")) => (head, Some(1)),
            Some((head, rest)) => (head, count(rest, " (", " streams)")),
            None => (&*text, None),
        };
        let is_method = |method: &str| method.chars().all(|c| c.is_ascii_uppercase());
        match head.split_once(' ') {
            Some((method, path)) if is_method(method) && path.starts_with('/') => Asked::Http {
                method: method.to_owned(),
                path: path.to_owned(),
                streams,
                over_http2: Vec::new(),
            },
            Some(("TCP", echo)) if echo.starts_with("echo of ") => {
                match echo.split(' ').nth(2).and_then(|size| size.parse().ok()) {
                    Some(size) => Asked::TcpEcho { size },
                    None => Asked::Written { text },
                }
            }
            _ => Asked::Written { text },
        }
    }
}

impl Recorded for Asked {
    fn recorded(text: String) -> Asked {
        Asked::read(text)
    }
}

/// The number between two texts.
fn count(text: &str, before: &str, after: &str) -> Option<u32> {
    let number = text.strip_prefix(before)?.strip_suffix(after)?;
    number.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_older_versions_wrote_is_read() {
        let http = |path: &str, streams| Asked::Http {
            method: "GET".to_owned(),
            path: path.to_owned(),
            streams,
            over_http2: Vec::new(),
        };
        for (text, expected) in [
            ("GET /a b", http("/a b", None)),
            ("GET /a over HTTP/2", http("/a", Some(1))),
            ("GET /a over HTTP/2 (3 streams)", http("/a", Some(3))),
            ("TCP echo of 1 byte", Asked::TcpEcho { size: 1 }),
            ("TCP echo of 5120 bytes", Asked::TcpEcho { size: 5_120 }),
        ] {
            assert_eq!(Asked::read(text.to_owned()), expected, "{text}");
        }
        let text = "something else".to_owned();
        assert_eq!(
            Asked::read(text.clone()),
            Asked::Written { text: text.clone() }
        );
    }
}
