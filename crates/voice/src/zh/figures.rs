//! What touches the figures of a target at a place.

use photofinish_model::finding::figures::FigureFinding;
use photofinish_model::units::{number, thousands};
use photofinish_stats::Interval;

use crate::grpc;
use crate::rounds::pieces;
use crate::typeset::quote;

pub(crate) fn finding(finding: &FigureFinding) -> String {
    match finding {
        FigureFinding::Errors { kinds, rounds } => {
            let kinds = errors(kinds.iter().map(|(kind, count)| (kind, count)));
            format!("错误：{kinds}（第 {} 轮）", pieces(rounds, "、"))
        }
        FigureFinding::Overloaded {
            rounds,
            offered_rps,
            achieved_rps,
        } => format!(
            "过载（第 {} 轮）：给定 {}，实际 {}；其响应时间只反映越排越长的队列，相关结论无效",
            pieces(rounds, "、"),
            rates(*offered_rps),
            rates(*achieved_rps)
        ),
        FigureFinding::LimitHeldBack { rounds, of } => format!(
            "在 {of} 轮中的 {rounds} 轮里，负载发生器是上限服务器的瓶颈，它本可以更快：所列比例只是上界"
        ),
    }
}

/// How many errors of each kind there were.
pub(crate) fn errors<'a>(kinds: impl IntoIterator<Item = (&'a String, &'a u64)>) -> String {
    let kinds = kinds.into_iter();
    let all: Vec<String> = kinds
        .map(|(kind, count)| format!("{} {} 个", error(kind), thousands(*count as f64)))
        .collect();
    all.join("，")
}

/// A kind of errors; its own name, quoted, where it is none that is known.
pub(crate) fn error(kind: &str) -> String {
    let known = match kind {
        "connect-refused" => "连接被拒绝",
        "connect-timeout" => "连接超时",
        "connect" => "连接失败",
        "tls-unknown-issuer" => "证书的颁发者不受信任",
        "tls-wrong-host" => "证书属于其他主机",
        "tls-expired" => "证书已过期或尚未生效",
        "tls-certificate" => "证书不可接受",
        "tls-not-spoken" => "该端口不使用 TLS",
        "tls-refused" => "TLS 握手被拒绝",
        "tls-timeout" => "TLS 握手超时",
        "tls-handshake" => "TLS 握手失败",
        "reset" => "连接被重置",
        "closed-early" => "连接提前关闭",
        "closed-without-notify" => "未发 close_notify 即关闭",
        "broken-tls" => "TLS 中断",
        "timeout" => "超时",
        "status" => "状态码错误",
        "body" => "正文错误",
        "malformed" => "响应格式错误",
        "unasked-bytes" => "未请求的字节",
        "io" => "I/O 错误",
        "censored" => "结束时仍无响应",
        "grpc-no-status" => "没有 grpc-status",
        "grpc-not-spoken" => "该端口不使用 gRPC",
        "grpc-framing" => "gRPC 消息不完整",
        "grpc-compressed" => "gRPC 消息被压缩",
        "grpc-messages" => "gRPC 消息的个数错误",
        "websocket-close-none" => "WebSocket 关闭，无关闭码",
        "websocket-close-1000" => "WebSocket 关闭，1000（正常）",
        "websocket-close-1001" => "WebSocket 关闭，1001（服务器离开）",
        "websocket-close-1002" => "WebSocket 关闭，1002（协议错误）",
        "websocket-close-1003" => "WebSocket 关闭，1003（不支持的数据）",
        "websocket-close-1007" => "WebSocket 关闭，1007（消息内容无效）",
        "websocket-close-1008" => "WebSocket 关闭，1008（违反策略）",
        "websocket-close-1009" => "WebSocket 关闭，1009（消息过大）",
        "websocket-close-1010" => "WebSocket 关闭，1010（需要扩展）",
        "websocket-close-1011" => "WebSocket 关闭，1011（内部错误）",
        "websocket-close-1012" => "WebSocket 关闭，1012（重启）",
        "websocket-close-1013" => "WebSocket 关闭，1013（稍后重试）",
        "websocket-close-1014" => "WebSocket 关闭，1014（网关错误）",
        "websocket-close-3xxx" => "WebSocket 关闭，3000 至 3999（库自定义的关闭码）",
        "websocket-close-4xxx" => "WebSocket 关闭，4000 至 4999（应用自定义的关闭码）",
        "websocket-close-invalid" => "WebSocket 关闭，关闭码无效",
        other => return grpc::status(other).map_or_else(|| quote(other), str::to_owned),
    };
    known.to_owned()
}

/// A rate, or the lowest and the highest of several.
fn rates(Interval { low, high }: Interval) -> String {
    match low == high {
        true => format!("{} 请求/秒", number(high)),
        false => format!("{} … {} 请求/秒", number(low), number(high)),
    }
}
