//! What goes wrong with a call over gRPC.

use photofinish_model::finding::complaint::GrpcComplaint;

use crate::grpc::named;
use crate::typeset::quote;

pub(super) fn complaint(complaint: &GrpcComplaint) -> String {
    match complaint {
        GrpcComplaint::HttpStatus { status } => {
            format!("HTTP 状态码 {status}，应为 200：该端口后面是 gRPC 服务器吗？")
        }
        GrpcComplaint::NotSpoken {} => "响应的 content-type 不是 application/grpc：这是 gRPC 服务器，而不是 gRPC-Web 或普通的 HTTP/2 吗？".to_owned(),
        GrpcComplaint::NoStatus {} => "回复结束时，其尾部字段中没有 grpc-status".to_owned(),
        GrpcComplaint::StatusNumber { text } => {
            format!("回复的 grpc-status 是 {}，不是数字", quote(text))
        }
        GrpcComplaint::Failed { status, message } => failed(*status, message),
        GrpcComplaint::Compressed {} => {
            "一条消息经过压缩，尽管没有协商压缩：请在服务器中关闭压缩".to_owned()
        }
        GrpcComplaint::Flag { flag } => {
            format!("一条消息以字节 {flag:#04x} 开头，而那里应为 0 或 1：这是 gRPC 吗？")
        }
        GrpcComplaint::Long { promised, most } => {
            format!("一条消息声明有 {promised} 字节，而最多接受 {most} 字节")
        }
        GrpcComplaint::CutPrefix { got, expected } => {
            format!("消息之前应有 {expected} 字节，回复在其中第 {got} 字节之后结束")
        }
        GrpcComplaint::CutMessage { promised, got } => {
            format!("一条消息声明有 {promised} 字节，实有 {got} 字节")
        }
        GrpcComplaint::Messages { got, expected } => format!(
            "回复有 {got} 条消息，应为 {expected} 条：方法的类型对吗（一元、服务器流）？"
        ),
    }
}

/// The status, what the server said of it, and what to do, where something can be said.
fn failed(status: u64, message: &str) -> String {
    let named =
        named(status).map_or_else(|| format!("grpc-status {status}（未知）"), str::to_owned);
    let message = match message {
        "" => String::new(),
        message => format!("：{}", quote(&message.escape_debug().to_string())),
    };
    let remedy = remedy(status).map_or(String::new(), |remedy| format!("；{remedy}"));
    format!("调用失败：{named}{message}{remedy}")
}

fn remedy(status: u64) -> Option<&'static str> {
    Some(match status {
        3 => "消息含有方法所需的内容吗？",
        4 => "是元数据中的 grpc-timeout 结束了它吗？",
        7 | 16 => "它需要凭据吗？请作为元数据给出（`-H 'authorization: …'`）",
        8 => "是否达到了服务器的某个上限（消息大小、配额、流）？",
        12 => "服务器有这个服务和方法吗？拼写对吗，包名也在内吗？",
        13 => "服务器能读懂消息吗？消息必须是方法自己的类型",
        14 => "服务器以及它所需要的都在运行吗？",
        _ => return None,
    })
}
