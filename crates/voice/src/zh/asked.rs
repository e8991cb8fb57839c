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
            let over = over(*streams, over_http2);
            format!("{method} {path}{over}")
        }
        Asked::Requests {
            source,
            count,
            streams,
            over_http2,
            digest: _,
        } => format!("{source} 中的 {count} 个请求{}", over(*streams, over_http2)),
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

/// The version of HTTP, where it is not the usual one, and of targets that alone are asked in another one.
fn over(streams: Option<u32>, own: &[OverHttp2]) -> String {
    let all = streams.map(|streams| format!("（{}）", http2(streams)));
    let own = own
        .iter()
        .map(|OverHttp2 { target, streams }| format!("；{target} 使用 {}", http2(*streams)));
    all.into_iter().chain(own).collect()
}

fn http2(streams: u32) -> String {
    match streams {
        1 => "HTTP/2".to_owned(),
        streams => format!("HTTP/2，每连接 {streams} 个流"),
    }
}
