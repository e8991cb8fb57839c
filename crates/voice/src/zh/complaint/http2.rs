//! What goes wrong over HTTP/2.

use photofinish_model::finding::complaint::{Http2Complaint, Http2Violation};

use crate::http2::error;

pub(super) fn complaint(complaint: &Http2Complaint) -> String {
    match complaint {
        Http2Complaint::Violation { violation } => self::violation(*violation).to_owned(),
        Http2Complaint::Reset { error: number } => {
            format!(
                "服务器中止了流：{}",
                error(*number).unwrap_or("未知的错误码")
            )
        }
        Http2Complaint::GoneAway { error: number } => format!(
            "服务器结束了连接（GOAWAY）：{}",
            error(*number).unwrap_or("未知的错误码")
        ),
        Http2Complaint::Unseen {} => "服务器结束了连接（GOAWAY），没有处理该请求".to_owned(),
        Http2Complaint::Streams { allowed, wanted } => format!(
            "服务器在一个连接上最多同时接受 {allowed} 个请求（MAX_CONCURRENT_STREAMS），而要求的是 {wanted} 个：请改为 {allowed} 个流，并增加连接"
        ),
        Http2Complaint::Length { promised, got } => {
            format!("响应声明有 {promised} 字节，实有 {got} 字节")
        }
        Http2Complaint::Closed {} => "等待响应时连接被关闭".to_owned(),
    }
}

fn violation(violation: Http2Violation) -> &'static str {
    match violation {
        Http2Violation::NotSpoken => "服务器在这里不支持 HTTP/2：它没有以 SETTINGS 开头",
        Http2Violation::NoSettings => "服务器没有以 SETTINGS 开头",
        Http2Violation::LongFrame => "一个帧超过所允许的 16,384 字节",
        Http2Violation::Padding => "一个帧的填充比载荷还长",
        Http2Violation::SplitBlock => "头部字段块当中夹有别的帧",
        Http2Violation::Push => "服务器进行推送，尽管已要求它不要推送",
        Http2Violation::PushToServer => "服务器要求向它推送",
        Http2Violation::Data => "服务器在不该有 DATA 的地方发送 DATA",
        Http2Violation::HeadlessContent => "内容先于响应的头部到来",
        Http2Violation::UnopenedStream => "服务器使用了没有请求打开过的流",
        Http2Violation::EndedStream => "响应在结束之后还有内容",
        Http2Violation::ResetLength => "RST_STREAM 的长度不是 4 字节",
        Http2Violation::ResetUnopened => "RST_STREAM 针对的流没有请求打开过",
        Http2Violation::UpdateLength => "WINDOW_UPDATE 的长度不是 4 字节",
        Http2Violation::UpdateByNothing => "WINDOW_UPDATE 的增量为零",
        Http2Violation::UpdateUnopened => "WINDOW_UPDATE 针对的流没有请求打开过",
        Http2Violation::WindowBeyondLimit => "一个窗口被扩大到 2³¹ − 1 字节以上",
        Http2Violation::Priority => "HEADERS 太短，容不下它的优先级",
        Http2Violation::Continuation => "CONTINUATION 之前没有未完的头部字段块",
        Http2Violation::ContinuationStream => "CONTINUATION 与它所延续的不是同一个流",
        Http2Violation::LongBlock => "一个头部字段块超过 64 KiB，或多于 64 个帧",
        Http2Violation::TwoHeads => "一个响应有两个头部",
        Http2Violation::InterimEnd => "一个响应以 1xx 状态码结束",
        Http2Violation::SettingsStream => "SETTINGS 属于某个流，而不是整个连接",
        Http2Violation::SettingsAcknowledgement => "对 SETTINGS 的确认带有载荷",
        Http2Violation::SettingsLength => "SETTINGS 的长度不是 6 字节的整数倍",
        Http2Violation::InitialWindow => "服务器给流的窗口超过 2³¹ − 1 字节",
        Http2Violation::StreamWindow => "一个流的窗口超过 2³¹ − 1 字节",
        Http2Violation::MaxFrame => "服务器的最大帧长不在 16,384 到 16,777,215 字节之间",
        Http2Violation::GoAway => "GOAWAY 太短，或属于某个流",
        Http2Violation::Ping => "PING 的长度不是 8 字节，或属于某个流",
        Http2Violation::Replies => "服务器要求的回复多于它读取的（不断发送 PING 或 SETTINGS）",
        Http2Violation::MisplacedStatus => "响应的状态码出现两次，或在其他字段之后",
        Http2Violation::PseudoField => "响应有一个以冒号开头的字段，而它不是 :status",
        Http2Violation::Status => "响应的状态码不是从 100 起的三位数字",
        Http2Violation::NoStatus => "响应没有状态码",
        Http2Violation::ContentLength => "响应的 content-length 不是数字",
        Http2Violation::ContentLengths => "响应有两个不同的 content-length",
        Http2Violation::TrailerField => "内容之后的一个字段以冒号开头",
        Http2Violation::CutField => "一个头部字段块在字段当中结束",
        Http2Violation::FieldNumber => "一个头部字段块中有太大的数",
        Http2Violation::FieldIndex => "一个头部字段块引用了动态表的条目，而动态表未被允许",
        Http2Violation::FieldTable => "一个头部字段块启用了动态表，而动态表未被允许",
        Http2Violation::FieldTableChange => "一个头部字段块在第一个字段之后改变表的大小",
        Http2Violation::FieldText => "一个头部字段的 Huffman 编码无效",
    }
}
