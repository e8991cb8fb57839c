//! What the load generator has to complain of.

use photofinish_model::finding::check::Difference;
use photofinish_model::finding::complaint::{BodyMismatch, Complaint, Start};
use photofinish_model::units::Unit;

use crate::typeset::quote;

mod grpc;
mod http1;
mod http2;
mod tls;
mod websocket;

pub(crate) fn complaint(complaint: &Complaint) -> String {
    match complaint {
        Complaint::Recorded { says } | Complaint::Said { says } => quote(says),
        Complaint::Connect { address, why } => {
            format!("连接 {}：{}", quote(address), self::complaint(why))
        }
        Complaint::Stopped {} => "尚未建立任何连接就被停止".to_owned(),
        Complaint::Pausing {} => "所有连接都已断开，而距下一次重试的等待尚未结束".to_owned(),
        Complaint::Interrupted { says } => format!("等待响应时出错：{}", quote(says)),
        Complaint::Closed { begun: false } => "连接被关闭，没有响应".to_owned(),
        Complaint::Closed { begun: true } => "响应尚未完整，连接就被关闭".to_owned(),
        Complaint::Left {} => {
            "服务器尚未响应连接上的任何请求就结束了该连接（GOAWAY，或关闭连接）".to_owned()
        }
        Complaint::Late { within_s } => format!("{} 内没有完整的响应", span(*within_s)),
        Complaint::Unasked { bytes } => format!("收到 {bytes} 字节未请求的数据"),
        Complaint::Surplus { bytes } => format!("响应结束之后又收到 {bytes} 字节"),
        Complaint::TooEarly {} => "响应在其请求发出之前就到了".to_owned(),
        Complaint::Status {
            got,
            expected: Some(expected),
        } => format!("状态码 {got}，应为 {expected}"),
        Complaint::Status {
            got,
            expected: None,
        } => format!("状态码 {got}，应为 200 到 399 之一"),
        Complaint::Body { mismatch } => body(mismatch),
        Complaint::Echo {
            at,
            bytes,
            expected,
            got,
        } => format!(
            "回显在第 {at} 字节处不同（共 {bytes} 字节）：应为 {}，实为 {}（十六进制）",
            quote(expected),
            quote(got)
        ),
        Complaint::EchoCut { received, bytes } => {
            format!("回显共 {bytes} 字节，收到 {received} 字节之后连接被关闭")
        }
        Complaint::Changed {
            status,
            bytes,
            verified_status,
            verified_bytes,
        } => format!(
            "状态码 {status}，正文 {bytes} 字节；验证时为状态码 {verified_status}，{verified_bytes} 字节"
        ),
        Complaint::Http1 { violation } => http1::violation(*violation).to_owned(),
        Complaint::Http2 { complaint } => http2::complaint(complaint),
        Complaint::Grpc { complaint } => grpc::complaint(complaint),
        Complaint::WebSocket { complaint } => websocket::complaint(complaint),
        Complaint::Tls { failure } => tls::failure(failure),
    }
}

fn body(mismatch: &BodyMismatch) -> String {
    match mismatch {
        BodyMismatch::Differs { at, expected, got } => format!(
            "正文在第 {at} 字节处不同：应为 {}，实为 {}",
            quote(expected),
            quote(got)
        ),
        BodyMismatch::Longer { expected, more } => {
            format!("正文比应有的 {expected} 字节更长，后面还有 {}", quote(more))
        }
        BodyMismatch::Shorter {
            got,
            expected,
            missing,
        } => format!(
            "正文有 {got} 字节，应为 {expected} 字节：缺少 {}",
            quote(missing)
        ),
        BodyMismatch::Lacks { expected, start } => {
            format!("正文应含有 {}；{}", quote(expected), self::start(start))
        }
        BodyMismatch::Rows {
            expected,
            got: Some(got),
            start,
        } => format!(
            "应有 {expected} 行，实有 {got} 行（第一个 JSON 数组的元素）；{}",
            self::start(start)
        ),
        BodyMismatch::Rows {
            expected,
            got: None,
            start,
        } => format!(
            "应有 {expected} 行，却没有完整的 JSON 数组；{}",
            self::start(start)
        ),
    }
}

fn start(start: &Start) -> String {
    let more = if start.more { "…" } else { "" };
    format!("正文的开头是 {}{more}", quote(&start.text))
}

/// A time.
pub(super) fn span(seconds: f64) -> String {
    Unit::Microseconds.text(seconds * 1e6)
}

/// Where two bodies differ first.
pub(crate) fn difference(difference: &Difference) -> String {
    let Difference {
        offset,
        expected,
        got,
    } = difference;
    let quoted = |text: &str| match text {
        "" => "空".to_owned(),
        text => quote(text),
    };
    format!(
        "首个差异在偏移 {offset} 处：应为 {}，实为 {}",
        quoted(expected),
        quoted(got)
    )
}
