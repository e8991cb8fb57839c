//! What is sent and what must come back, as `load`, `capacity` and `compare` are told it.

use std::fs;
use std::time::Duration;

use crate::args::RequestArgs;
use crate::commands::server::duration;
use crate::exit::Failure;

/// A request and what is expected of its answer.
pub struct Asked {
    /// `GET`, `POST`, …
    pub method: String,
    /// Names and values, in order.
    pub headers: Vec<(String, String)>,
    /// Empty = none.
    pub body: Vec<u8>,
    /// `None` = any from 200 to 399.
    pub expect_status: Option<u16>,
    /// `None` = any.
    pub expect_body: Option<Vec<u8>>,
    /// How long an answer may take.
    pub timeout: Duration,
}

/// Reads the flags, and the files that they name.
///
/// # Errors
/// By the flag, with what is wrong with it and what to write.
pub fn asked(args: &RequestArgs) -> Result<Asked, Failure> {
    let timeout = duration("--timeout", &args.timeout)?;
    if timeout.is_zero() {
        return Err(Failure::request(
            "--timeout 0: give a time above zero, such as 10s",
        ));
    }
    if args.method.is_empty() || !args.method.chars().all(token) {
        return Err(Failure::request(format!(
            "--method '{}': this is not a method; give one such as GET or POST",
            args.method
        )));
    }
    let read = |flag: &str, text: &Option<String>| {
        let text = text.as_deref();
        text.map(|text| bytes(flag, text)).transpose()
    };
    Ok(Asked {
        method: args.method.clone(),
        headers: args
            .headers
            .iter()
            .map(|text| header(text))
            .collect::<Result<_, _>>()?,
        body: read("--body", &args.body)?.unwrap_or_default(),
        expect_status: args.expect_status,
        expect_body: read("--expect-body", &args.expect_body)?,
        timeout,
    })
}

/// What methods and the names of headers are made of (RFC 9110, 5.6.2).
fn token(c: char) -> bool {
    c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c)
}

/// A header as it is given to -H.
fn header(text: &str) -> Result<(String, String), Failure> {
    let wrong = |problem: &str| {
        Failure::request(format!("-H '{text}': {problem}; write it as 'Name: value'"))
    };
    let (name, value) = text
        .split_once(':')
        .ok_or_else(|| wrong("there is no colon"))?;
    if name.is_empty() || !name.chars().all(token) {
        return Err(wrong("this is not a header's name"));
    }
    let value = value.trim();
    if value.chars().any(|c| c.is_control() && c != '\t') {
        return Err(wrong("the value holds a control character"));
    }
    Ok((name.to_owned(), value.to_owned()))
}

/// What a flag gives as text, or as @FILE.
fn bytes(flag: &str, text: &str) -> Result<Vec<u8>, Failure> {
    match text.strip_prefix('@') {
        Some(file) => {
            fs::read(file).map_err(|e| Failure::request(format!("{flag}: cannot read {file}: {e}")))
        }
        None => Ok(text.as_bytes().to_vec()),
    }
}
