//! What goes wrong over HTTP/2.

use crate::finding::complaint::{Http2Complaint, Http2Violation};

use super::span;
use crate::finding::complaint::http2_error::error;

pub(super) fn complaint(complaint: &Http2Complaint) -> String {
    match complaint {
        Http2Complaint::Violation { violation } => self::violation(*violation).to_owned(),
        Http2Complaint::Reset { error: number } => format!(
            "the server ended the stream: {}",
            error(*number).unwrap_or("an unknown code")
        ),
        Http2Complaint::GoneAway { error: number } => format!(
            "the server ended the connection (GOAWAY): {}",
            error(*number).unwrap_or("an unknown code")
        ),
        Http2Complaint::Unseen {} => {
            "the server closed the connection (GOAWAY) without processing the request".to_owned()
        }
        Http2Complaint::Streams { allowed: 0, .. } => {
            "the server accepts no request on its connections (MAX_CONCURRENT_STREAMS is 0)"
                .to_owned()
        }
        Http2Complaint::Streams { allowed, wanted } => format!(
            "the server accepts {allowed} concurrent requests on a connection (MAX_CONCURRENT_STREAMS), but {wanted} were asked for: use {allowed} streams and more connections"
        ),
        Http2Complaint::Length { promised, got } => {
            format!("a response announced {promised} bytes and has {got}")
        }
        Http2Complaint::Closed {} => {
            "the connection was closed while responses were awaited".to_owned()
        }
        Http2Complaint::Silent { within_s } => format!(
            "the server accepts connections and does not begin with SETTINGS (HTTP/2) within {}",
            span(*within_s)
        ),
        Http2Complaint::Content { status, got } => format!(
            "a response without content (status {status}, or to HEAD) has {got} bytes of it"
        ),
    }
}

fn violation(violation: Http2Violation) -> &'static str {
    match violation {
        Http2Violation::NotSpoken => {
            "the server does not speak HTTP/2 here: it does not begin with SETTINGS"
        }
        Http2Violation::NoSettings => "the server does not begin with SETTINGS",
        Http2Violation::LongFrame => "a frame is longer than the 16,384 bytes that were allowed",
        Http2Violation::Padding => "a frame has more padding than payload",
        Http2Violation::SplitBlock => "another frame interrupts a block of header fields",
        Http2Violation::Push => "the server pushes, although push is disabled",
        Http2Violation::PushToServer => "the server enables push for itself",
        Http2Violation::Data => "the server sends DATA where it may not",
        Http2Violation::HeadlessContent => "content comes before the response's head",
        Http2Violation::UnopenedStream => "the server uses a stream that no request has opened",
        Http2Violation::EndedStream => "a response continues after its end",
        Http2Violation::ResetLength => "RST_STREAM is not four bytes long",
        Http2Violation::ResetUnopened => "RST_STREAM is for a stream that no request has opened",
        Http2Violation::UpdateLength => "WINDOW_UPDATE is not four bytes long",
        Http2Violation::UpdateByNothing => "WINDOW_UPDATE has an increment of 0",
        Http2Violation::UpdateUnopened => {
            "WINDOW_UPDATE is for a stream that no request has opened"
        }
        Http2Violation::WindowBeyondLimit => "a window is opened beyond 2³¹ − 1 bytes",
        Http2Violation::Priority => "HEADERS are too short for their priority",
        Http2Violation::Continuation => {
            "CONTINUATION comes where no block of header fields is open"
        }
        Http2Violation::ContinuationStream => {
            "CONTINUATION is for another stream than what it continues"
        }
        Http2Violation::LongBlock => {
            "a block of header fields is longer than 64 KiB or comes in more than 64 frames"
        }
        Http2Violation::TwoHeads => "a response has two heads",
        Http2Violation::InterimEnd => "a response ends with a 1xx status",
        Http2Violation::SettingsStream => "SETTINGS are for a stream, not for the connection",
        Http2Violation::SettingsAcknowledgement => "an acknowledgement of SETTINGS has a payload",
        Http2Violation::SettingsLength => "the length of SETTINGS is not a multiple of six bytes",
        Http2Violation::InitialWindow => "the server's window for a stream is above 2³¹ − 1 bytes",
        Http2Violation::StreamWindow => "a stream's window is above 2³¹ − 1 bytes",
        Http2Violation::MaxFrame => {
            "the server's longest frame is not from 16,384 to 16,777,215 bytes"
        }
        Http2Violation::GoAway => "GOAWAY is too short, or of a stream",
        Http2Violation::Ping => "PING is not eight bytes long, or of a stream",
        Http2Violation::Replies => {
            "the server asks for more replies than it reads (PING or SETTINGS without end)"
        }
        Http2Violation::MisplacedStatus => "a response has its status twice, or after other fields",
        Http2Violation::PseudoField => {
            "a response has a field that begins with a colon and is not :status"
        }
        Http2Violation::Status => "a response's status is not three digits from 100 on",
        Http2Violation::NoStatus => "a response has no status",
        Http2Violation::FieldName => {
            "a response has a field whose name has capital letters or other characters that no name may have"
        }
        Http2Violation::ContentLength => "a response's content-length is not a number",
        Http2Violation::ContentLengths => "a response has two different content-lengths",
        Http2Violation::TrailerField => "a field after the content begins with a colon",
        Http2Violation::CutField => "a block of header fields ends in the middle of a field",
        Http2Violation::FieldNumber => {
            "a block of header fields contains a number that is too large"
        }
        Http2Violation::FieldIndex => {
            "a block of header fields refers to an entry of the dynamic table, which was not allowed"
        }
        Http2Violation::FieldTable => {
            "a block of header fields sets up a dynamic table, which was not allowed"
        }
        Http2Violation::FieldTableChange => {
            "a block of header fields changes the size of its table after its first field"
        }
        Http2Violation::FieldText => "a header field's Huffman code is invalid",
    }
}
