//! One call over gRPC, by the `h2` library and a few lines that take its reply apart when it is whole: another implementation than
//! the load generator's, so that the two check each other.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Request, Uri, Version};
use percent_encoding::percent_decode;
use photofinish_load::grpc::Once;
use photofinish_load::http::InvalidRequest;
use photofinish_model::Grpc;
use photofinish_model::finding::complaint::GrpcComplaint;
use photofinish_model::finding::failure::NoResponse;

use super::http2::{Reply, converse};
use super::{Response, Route, of_library, scheme};

/// The one call that is made.
///
/// # Errors
/// For a call that cannot be sent.
pub(crate) fn once(route: Route, call: &Grpc, seed: u64) -> Result<Once, InvalidRequest> {
    Once::new(call, (scheme(route), &route.authority()), seed)
}

/// Makes a call and reads its reply; gives up soon after `unwanted` says so. The response's body is what the reply's messages
/// hold, one after the other.
///
/// # Errors
/// As [`super::ask`]; where the server speaks no gRPC, and where the call fails.
pub(crate) fn ask(
    route: Route,
    call: &Grpc,
    once: &Once,
    timeout: Duration,
    unwanted: &dyn Fn() -> bool,
) -> Result<Response, NoResponse> {
    let body = Bytes::copy_from_slice(once.body());
    let reply = converse(route, request(once)?, body, timeout, unwanted)?;
    let body = read(&reply, call.messages)?;
    let wire_bytes = reply.body.len() as u64;
    let Reply {
        head, mut trailers, ..
    } = reply;
    // A reply that is nothing but a head has in it what others have at their end.
    let mut headers = head.headers;
    for (name, value) in trailers.drain() {
        if let Some(name) = name {
            headers.insert(name, value);
        }
    }
    let first = format!("HTTP/2 {}", head.status.as_u16());
    Ok(Response {
        wire_bytes,
        ..of_library(first, head.status, &headers, body)
    })
}

/// The call in the library's words.
fn request(once: &Once) -> Result<Request<()>, NoResponse> {
    let of = |wanted: &[u8]| {
        let found = once.fields().find(|(name, _)| *name == wanted);
        found.map_or(&b""[..], |(_, value)| value)
    };
    let uri = Uri::builder()
        .scheme(of(b":scheme"))
        .authority(of(b":authority"))
        .path_and_query(of(b":path"))
        .build()
        .map_err(NoResponse::send)?;
    let mut request = Request::builder()
        .version(Version::HTTP_2)
        .method(of(b":method"))
        .uri(uri);
    for (name, value) in once.fields().filter(|(name, _)| !name.starts_with(b":")) {
        request = request.header(name, value);
    }
    request.body(()).map_err(NoResponse::send)
}

/// What a good reply's messages hold, one after the other.
fn read(reply: &Reply, expected: Option<u64>) -> Result<Vec<u8>, NoResponse> {
    let status = reply.head.status.as_u16();
    if status != 200 {
        return Err(NoResponse::grpc(GrpcComplaint::HttpStatus { status }));
    }
    let fields = match reply.trailers.contains_key("grpc-status") {
        true => &reply.trailers,
        false => &reply.head.headers,
    };
    match text(fields, "grpc-status").as_str() {
        "0" => {}
        "" => {
            let content_type = text(&reply.head.headers, "content-type");
            return Err(NoResponse::grpc(GrpcComplaint::Unended { content_type }));
        }
        status => return Err(NoResponse::grpc(failed(status, fields))),
    }
    let (mut rest, mut content, mut messages) = (reply.body.as_slice(), Vec::new(), 0);
    while !rest.is_empty() {
        let whole = rest.split_at_checked(5).and_then(|(prefix, rest)| {
            let length = u32::from_be_bytes(prefix[1..].try_into().ok()?);
            let (message, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
            Some((prefix[0], message, rest))
        });
        match whole {
            Some((0, message, after)) => {
                content.extend_from_slice(message);
                messages += 1;
                rest = after;
            }
            Some((1, ..)) => {
                return Err(NoResponse::grpc(GrpcComplaint::Compressed {}));
            }
            _ => {
                return Err(NoResponse::grpc(GrpcComplaint::Unframed {}));
            }
        }
    }
    match expected {
        Some(expected) if expected != messages => {
            let got = messages;
            Err(NoResponse::grpc(GrpcComplaint::Messages { got, expected }))
        }
        _ => Ok(content),
    }
}

/// A call that ended with another status than 0.
fn failed(status: &str, fields: &HeaderMap) -> GrpcComplaint {
    let Ok(number @ 1..) = status.parse() else {
        let text = status.to_owned();
        return GrpcComplaint::StatusNumber { text };
    };
    let message = text(fields, "grpc-message");
    let message = percent_decode(message.as_bytes()).decode_utf8_lossy();
    GrpcComplaint::Failed {
        status: number,
        message: message.into_owned(),
    }
}

/// A field's value; empty where there is none.
fn text(fields: &HeaderMap, name: &str) -> String {
    let value = fields.get(name);
    value.map_or(String::new(), |value| {
        String::from_utf8_lossy(value.as_bytes()).into_owned()
    })
}

#[cfg(test)]
mod tests;
