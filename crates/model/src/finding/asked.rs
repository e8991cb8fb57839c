//! What a workload asks for, in a line.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::message::Message;

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
        /// `***`: the text may be secret.
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
}

/// The sentences.
pub mod table {
    crate::messages! { "request";
        http(method: Name, path: Name, over: Brackets) "{method} {path}{over}", "{method} {path}{over}";
        one_of_file(file: Name, over: Brackets) "1 request of {file}{over}", "{file} 中的 1 个请求{over}";
        of_file(count: Number, file: Name, over: Brackets)
            "{count} requests of {file}{over}",
            "{file} 中的 {count} 个请求{over}";
        also(request: Message, own: Clauses) "{request}; {own}", "{request}；{own}";
        http2() "HTTP/2", "HTTP/2";
        http2_streams(streams: Number) "HTTP/2, {streams} streams", "HTTP/2，每连接 {streams} 个流";
        server_over(server: Name, version: Message) "{server} over {version}", "{server} 使用 {version}";
        websocket(path: Name, message: Message) "WebSocket {path}, {message}", "WebSocket {path}，{message}";
        websocket_streams(path: Name, message: Message, streams: Number)
            "WebSocket {path}, {message} ({streams} in flight)",
            "WebSocket {path}，{message}（每连接 {streams} 条在途）";
        text_message(text: Name) "message {text}", "消息 {text}";
        binary_message(bytes: Name) "binary message {bytes}", "二进制消息 {bytes}";
        random_messages(size: ByteCount) "messages of {size}", "每条消息 {size}";
        grpc(path: Name) "gRPC {path}", "gRPC {path}";
        grpc_streams(path: Name, streams: Number)
            "gRPC {path} ({streams} streams)",
            "gRPC {path}（每连接 {streams} 个流）";
        tcp_echo(size: ByteCount) "TCP echo of {size}", "TCP 回显 {size}";
    }
}

use table::*;

impl Asked {
    /// Returns what is asked for, such as `GET /plaintext`.
    pub fn message(&self) -> Message {
        sentence(self)
    }
}

fn sentence(asked: &Asked) -> Message {
    match asked {
        Asked::Http {
            method,
            path,
            streams,
            over_http2,
        } => with_own(http(method, path, streams.map(version)), over_http2),
        Asked::Requests {
            source,
            count,
            streams,
            over_http2,
            digest: _,
        } => {
            let over = streams.map(version);
            let request = match count {
                1 => one_of_file(source, over),
                count => of_file(*count, source, over),
            };
            with_own(request, over_http2)
        }
        Asked::WebSocket {
            path,
            message,
            streams,
        } => {
            let message = match message {
                AskedMessage::Text { text } => text_message(text),
                AskedMessage::Binary { bytes } => binary_message(bytes),
                AskedMessage::Random { size } => random_messages(*size),
            };
            match streams {
                1 => websocket(path, message),
                streams => websocket_streams(path, message, *streams),
            }
        }
        Asked::Grpc { path, streams: 1 } => grpc(path),
        Asked::Grpc { path, streams } => grpc_streams(path, *streams),
        Asked::TcpEcho { size } => tcp_echo(*size),
    }
}

fn version(streams: u32) -> Message {
    match streams {
        1 => http2(),
        streams => http2_streams(streams),
    }
}

/// Adds the servers that are asked over HTTP/2 by themselves.
fn with_own(request: Message, own: &[OverHttp2]) -> Message {
    if own.is_empty() {
        return request;
    }
    let own = own.iter();
    let own: Vec<Message> = own
        .map(|of| server_over(&of.target, version(of.streams)))
        .collect();
    also(request, own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn http2_is_named_if_it_is_spoken() {
        let get = |streams, own: &[(&str, u32)]| Asked::Http {
            method: "GET".to_owned(),
            path: "/a".to_owned(),
            streams,
            over_http2: (own.iter())
                .map(|&(target, streams)| OverHttp2 {
                    target: target.to_owned(),
                    streams,
                })
                .collect(),
        };
        for (asked, english) in [
            (get(None, &[]), "GET /a"),
            (get(Some(1), &[]), "GET /a (HTTP/2)"),
            (get(Some(10), &[]), "GET /a (HTTP/2, 10 streams)"),
            (
                get(None, &[("b", 1), ("c", 10)]),
                "GET /a; b over HTTP/2; c over HTTP/2, 10 streams",
            ),
        ] {
            assert_eq!(asked.message().en, english);
        }
    }
}
