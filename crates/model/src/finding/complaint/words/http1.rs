//! What is wrong with a response over HTTP/1.

use crate::finding::complaint::Http1Violation;

pub(super) fn violation(violation: Http1Violation) -> &'static str {
    match violation {
        Http1Violation::NotHttp1 => "the response is not HTTP/1",
        Http1Violation::Tls => {
            "the server speaks TLS on this port: write https:// in place of http://, or give the port of plain HTTP"
        }
        Http1Violation::LongHead => "a response's head is longer than 64 KiB",
        Http1Violation::EmptyLine => "a response's head has an empty line where none belongs",
        Http1Violation::ManyFields => "a response has more than 128 header fields",
        Http1Violation::FieldName => {
            "a response has a header line whose name is not one (a line without a colon, a space before it, or another character that no name may have)"
        }
        Http1Violation::FieldValue => {
            "a response has a header line whose value has a control character"
        }
        Http1Violation::LowStatus => "a response's status is below 100",
        Http1Violation::ContentLength => "a response's Content-Length is not a number",
        Http1Violation::ContentLengths => "a response has two different Content-Lengths",
        Http1Violation::NoChunkSize => "a chunk does not begin with its size",
        Http1Violation::ChunkSize => "a chunk's size is not a hexadecimal number",
        Http1Violation::LargeChunkSize => "a chunk's size does not fit 64 bits",
        Http1Violation::ChunkLineEnd => "a chunk's size line does not end in CR LF",
        Http1Violation::LongChunkLine => "a chunk's size line or trailer is too long",
        Http1Violation::LongChunk => "a chunk is longer than its size",
        Http1Violation::TrailerEnd => "a trailer does not end in CR LF",
    }
}
