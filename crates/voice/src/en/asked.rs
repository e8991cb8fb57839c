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
        } => {
            let over = over(*streams, over_http2);
            match count {
                1 => format!("1 request of {source}{over}"),
                count => format!("{count} requests of {source}{over}"),
            }
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

/// The version of HTTP, where it is not the usual one, and of targets that alone are asked in another one.
fn over(streams: Option<u32>, own: &[OverHttp2]) -> String {
    let all = streams.map(|streams| format!(" over {}", http2(streams)));
    let own = own
        .iter()
        .map(|OverHttp2 { target, streams }| format!("; {target} over {}", http2(*streams)));
    all.into_iter().chain(own).collect()
}

fn http2(streams: u32) -> String {
    match streams {
        1 => "HTTP/2".to_owned(),
        streams => format!("HTTP/2 ({streams} streams)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Language, Say};

    #[test]
    fn http2_is_named_where_it_is_spoken() {
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
        for (asked, english, chinese) in [
            (get(None, &[]), "GET /a", "GET /a"),
            (get(Some(1), &[]), "GET /a over HTTP/2", "GET /a（HTTP/2）"),
            (
                get(Some(10), &[]),
                "GET /a over HTTP/2 (10 streams)",
                "GET /a（HTTP/2，每连接 10 个流）",
            ),
            (
                get(None, &[("b", 1), ("c", 10)]),
                "GET /a; b over HTTP/2; c over HTTP/2 (10 streams)",
                "GET /a；b 使用 HTTP/2；c 使用 HTTP/2，每连接 10 个流",
            ),
        ] {
            assert_eq!(asked.say(Language::En), english);
            assert_eq!(asked.say(Language::Zh), chinese);
        }
    }
}
