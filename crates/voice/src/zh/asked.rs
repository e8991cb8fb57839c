//! What a workload asks for.

use photofinish_model::finding::asked::{Asked, AskedMessage, OverHttp2};

/// The request in a line, such as `GET /plaintext`.
pub fn asked(asked: &Asked) -> String {
    match asked {
        Asked::Http {
            method,
            path,
            streams,
            over_http2,
        } => {
            let over = match streams {
                None => String::new(),
                Some(streams) => format!("（{}）", http2(*streams)),
            };
            let own = over_http2.iter().map(|OverHttp2 { target, streams }| {
                format!("；{target} 使用 {}", http2(*streams))
            });
            format!("{method} {path}{over}{}", own.collect::<String>())
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

fn http2(streams: u32) -> String {
    match streams {
        1 => "HTTP/2".to_owned(),
        streams => format!("HTTP/2，每连接 {streams} 个流"),
    }
}
