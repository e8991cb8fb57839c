//! What goes wrong with a WebSocket.

use photofinish_model::finding::complaint::{FrameViolation, WebSocketComplaint};

use crate::typeset::quote;

pub(super) fn complaint(complaint: &WebSocketComplaint) -> String {
    match complaint {
        WebSocketComplaint::LongHead {} => "响应的头部超过 64 KiB".to_owned(),
        WebSocketComplaint::NotHttp { says } => {
            format!("服务器在这里不支持 HTTP：{}", quote(says))
        }
        WebSocketComplaint::Refused { status } => {
            format!("服务器在这里不支持 WebSocket：其 HTTP 状态码为 {status}，应为 101")
        }
        WebSocketComplaint::ClosedUnopened {} => {
            "服务器在这里不支持 WebSocket：它没有响应就关闭了连接".to_owned()
        }
        WebSocketComplaint::NoUpgrade {} => "状态码为 101 的响应没有升级到 WebSocket".to_owned(),
        WebSocketComplaint::Accept {} => "响应的 Sec-WebSocket-Accept 与请求的密钥不符".to_owned(),
        WebSocketComplaint::Extension { says } => {
            format!("服务器使用了没有要求的扩展：{}", quote(says))
        }
        WebSocketComplaint::Violation { violation } => self::violation(*violation).to_owned(),
        WebSocketComplaint::Unasked {} => "收到一条未请求的消息".to_owned(),
        WebSocketComplaint::Pings {} => "服务器不断发送 ping，却不读取 pong".to_owned(),
        WebSocketComplaint::Dropped {} => "等待回复时连接被关闭，而服务器没有发送关闭帧".to_owned(),
        WebSocketComplaint::Closed { code, reason } => {
            let code = code.map_or(String::new(), |code| {
                format!("：关闭码 {code}（{}）", meaning(code))
            });
            let reason = match reason.as_str() {
                "" => String::new(),
                reason => format!("，{}", quote(&reason.escape_debug().to_string())),
            };
            format!("服务器关闭了 WebSocket{code}{reason}")
        }
        WebSocketComplaint::LongReply { expected } => {
            format!("回复比应有的 {expected} 字节更长")
        }
        WebSocketComplaint::ShortReply { got, expected } => {
            format!("回复有 {got} 字节，应为 {expected} 字节")
        }
    }
}

fn violation(violation: FrameViolation) -> &'static str {
    match violation {
        FrameViolation::Extension => "一个帧使用了未经协商的扩展（如压缩）",
        FrameViolation::Masked => "服务器对一个帧加了掩码",
        FrameViolation::Overlap => "前一条消息尚未结束，后一条就开始了",
        FrameViolation::Continuation => "一个帧延续一条没有开始过的消息",
        FrameViolation::Control => "一个控制帧超过 125 字节，或被分成几段",
        FrameViolation::Opcode => "一个帧的操作码是 RFC 6455 没有定义的",
        FrameViolation::Length => "一个帧的长度超过 2⁶³ − 1",
    }
}

/// What a close's code means (RFC 6455, section 7.4).
fn meaning(code: u16) -> &'static str {
    match code {
        1000 => "正常",
        1001 => "服务器离开",
        1002 => "协议错误",
        1003 => "不支持的数据",
        1007 => "消息内容无效",
        1008 => "违反策略",
        1009 => "消息过大",
        1010 => "需要扩展",
        1011 => "内部错误",
        1012 => "重启",
        1013 => "稍后重试",
        1014 => "网关错误",
        3000..=3999 => "库自定义的关闭码",
        4000..=4999 => "应用自定义的关闭码",
        _ => "服务器不可发送的关闭码",
    }
}
