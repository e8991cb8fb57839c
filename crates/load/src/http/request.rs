//! A request as bytes.

use crate::config::Request;

/// A request that cannot be sent.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRequest {
    /// A part that is a single word on the wire.
    #[error("the request's {part} \"{}\" holds a space, a line break or another character that cannot be sent there", .value.escape_debug())]
    Part {
        /// Which one.
        part: &'static str,
        /// What it holds.
        value: String,
    },
    /// A header's value.
    #[error("the header {name}'s value \"{}\" holds a line break or a control character", .value.escape_debug())]
    Value {
        /// The header's name.
        name: String,
        /// What it holds.
        value: String,
    },
}

/// The bytes of a request. `Host` and `Content-Length` are made unless the headers name them (or name a transfer coding).
pub fn encode(request: &Request) -> Result<Vec<u8>, InvalidRequest> {
    word("method", &request.method, true)?;
    word("path", &request.path, false)?;
    let mut head = format!("{} {} HTTP/1.1\r\n", request.method, request.path);
    let named = |wanted: &str| {
        request
            .headers
            .iter()
            .any(|(name, _)| name.eq_ignore_ascii_case(wanted))
    };
    let mut field = |name: &str, value: &str| -> Result<(), InvalidRequest> {
        word("header name", name, true)?;
        if value.chars().any(|c| c.is_control() && c != '\t') {
            return Err(InvalidRequest::Value {
                name: name.to_owned(),
                value: value.to_owned(),
            });
        }
        head.push_str(name);
        head.push_str(": ");
        head.push_str(value);
        head.push_str("\r\n");
        Ok(())
    };
    if !named("host") {
        field("Host", &request.host)?;
    }
    for (name, value) in &request.headers {
        field(name, value)?;
    }
    let has_body =
        !request.body.is_empty() || matches!(request.method.as_str(), "POST" | "PUT" | "PATCH");
    if has_body && !named("content-length") && !named("transfer-encoding") {
        field("Content-Length", &request.body.len().to_string())?;
    }
    let mut bytes = head.into_bytes();
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(&request.body);
    Ok(bytes)
}

fn word(part: &'static str, value: &str, token: bool) -> Result<(), InvalidRequest> {
    let fits = |c: char| {
        if token {
            c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c)
        } else {
            !c.is_control() && !c.is_whitespace()
        }
    };
    if value.is_empty() || !value.chars().all(fits) {
        return Err(InvalidRequest::Part {
            part,
            value: value.to_owned(),
        });
    }
    Ok(())
}
