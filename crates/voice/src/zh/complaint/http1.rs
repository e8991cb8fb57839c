//! What is wrong with a response over HTTP/1.

use photofinish_model::finding::complaint::Http1Violation;

pub(super) fn violation(violation: Http1Violation) -> &'static str {
    match violation {
        Http1Violation::NotHttp1 => "响应不是 HTTP/1",
        Http1Violation::Tls => {
            "服务器在该端口上使用 TLS：请写 `https://`，或给出其不加密的 HTTP 的端口"
        }
        Http1Violation::LongHead => "响应的头部超过 64 KiB",
        Http1Violation::EmptyLine => "响应的头部在不该有空行的地方有空行",
        Http1Violation::ManyFields => "响应的头部字段超过 128 个",
        Http1Violation::LowStatus => "响应的状态码低于 100",
        Http1Violation::ContentLength => "响应的 Content-Length 不是数字",
        Http1Violation::ContentLengths => "响应有两个不同的 Content-Length",
        Http1Violation::NoChunkSize => "一个分块没有以它的长度开头",
        Http1Violation::ChunkSize => "一个分块的长度不是十六进制数",
        Http1Violation::LargeChunkSize => "一个分块的长度超出 64 位",
        Http1Violation::ChunkLineEnd => "一个分块的长度行没有以 CR LF 结束",
        Http1Violation::LongChunkLine => "一个分块的长度行或尾部字段太长",
        Http1Violation::LongChunk => "一个分块比它的长度更长",
        Http1Violation::TrailerEnd => "一个尾部字段没有以 CR LF 结束",
    }
}
