//! What a workload asks for.

use photofinish_model::finding::asked::{Asked, AskedMessage};

/// The request in a line, such as `GET /plaintext`.
pub fn asked(asked: &Asked) -> String {
    match asked {
        Asked::Http {
            method,
            path,
            streams,
        } => {
            let over = match streams {
                None => String::new(),
                Some(1) => " over HTTP/2".to_owned(),
                Some(streams) => format!(" over HTTP/2 ({streams} streams)"),
            };
            format!("{method} {path}{over}")
        }
        Asked::WebSocket {
            path,
            message,
            streams,
        } => {
            let message = match message {
                AskedMessage::Text { text } => format!("message {text}"),
                AskedMessage::Binary { bytes } => format!("binary message {bytes}"),
                AskedMessage::Random { size: 1 } => "messages of 1 byte".to_owned(),
                AskedMessage::Random { size } => format!("messages of {size} bytes"),
            };
            let streams = match streams {
                1 => String::new(),
                streams => format!(" ({streams} in flight)"),
            };
            format!("WebSocket {path}, {message}{streams}")
        }
        Asked::Grpc { path, streams: 1 } => format!("gRPC {path}"),
        Asked::Grpc { path, streams } => format!("gRPC {path} ({streams} streams)"),
        Asked::TcpEcho { size: 1 } => "TCP echo of 1 byte".to_owned(),
        Asked::TcpEcho { size } => format!("TCP echo of {size} bytes"),
        Asked::Written { text } => text.clone(),
    }
}
