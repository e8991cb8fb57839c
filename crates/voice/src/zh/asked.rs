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
                Some(1) => "（HTTP/2）".to_owned(),
                Some(streams) => format!("（HTTP/2，每连接 {streams} 个流）"),
            };
            format!("{method} {path}{over}")
        }
        Asked::WebSocket {
            path,
            message,
            streams,
        } => {
            let message = match message {
                AskedMessage::Text { text } => format!("消息 {text}"),
                AskedMessage::Binary { bytes } => format!("二进制消息 {bytes}"),
                AskedMessage::Random { size } => format!("每条消息 {size} 字节"),
            };
            let streams = match streams {
                1 => String::new(),
                streams => format!("（每连接 {streams} 条在途）"),
            };
            format!("WebSocket {path}，{message}{streams}")
        }
        Asked::Grpc { path, streams: 1 } => format!("gRPC {path}"),
        Asked::Grpc { path, streams } => format!("gRPC {path}（每连接 {streams} 个流）"),
        Asked::TcpEcho { size } => format!("TCP 回显 {size} 字节"),
        Asked::Written { text } => text.clone(),
    }
}
