//! A connection, and a response over HTTP/1.1 that is read from it.

use std::io::{self, Read, Write};
use std::time::Duration;

use photofinish_model::finding::failure::NoResponse;

use super::tls::Stream;
use super::wait::{Wait, is_over};
use super::{LARGEST, Response, Route, too_large};

/// A connection and what has come over it.
pub(super) struct Wire<'a> {
    pub(super) stream: Stream<'a>,
    wait: Wait<'a>,
    pub(super) bytes: Vec<u8>,
    /// How many of the bytes are taken.
    pub(super) read: usize,
}

impl<'a> Wire<'a> {
    pub(super) fn connect(
        route: Route,
        timeout: Duration,
        unwanted: &'a dyn Fn() -> bool,
    ) -> Result<Wire<'a>, NoResponse> {
        let wait = Wait::begin(timeout, unwanted);
        Ok(Wire {
            stream: Stream::open(route, wait)?,
            wait,
            bytes: Vec::new(),
            read: 0,
        })
    }

    /// The bytes that have come.
    fn came(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// An error of the stream is that the wait is over, or this.
    fn over_or(&self, error: &io::Error, other: impl FnOnce() -> NoResponse) -> NoResponse {
        match is_over(error) {
            true => self.wait.over(self.came()),
            false => other(),
        }
    }

    pub(super) fn send(&mut self, request: &[u8]) -> Result<(), NoResponse> {
        let sent = (self.stream.write_all(request)).and_then(|()| self.stream.flush());
        sent.map_err(|error| self.over_or(&error, || NoResponse::send(&error)))
    }

    /// Waits for more bytes; `false` where the server has closed the connection.
    fn more(&mut self) -> Result<bool, NoResponse> {
        if self.bytes.len() > LARGEST {
            return Err(too_large());
        }
        let mut buffer = [0; 16 << 10];
        let read = self.stream.read(&mut buffer).map_err(|error| {
            self.over_or(&error, || NoResponse::Read {
                bytes: self.came(),
                says: error.to_string(),
            })
        })?;
        self.bytes.extend_from_slice(&buffer[..read]);
        Ok(read > 0)
    }

    fn need(&mut self) -> Result<(), NoResponse> {
        match self.more()? {
            true => Ok(()),
            false => Err(NoResponse::Closed { bytes: self.came() }),
        }
    }

    /// Takes bytes up to and with `end`; returns those before it.
    fn take_until(&mut self, end: &[u8]) -> Result<Vec<u8>, NoResponse> {
        loop {
            let rest = &self.bytes[self.read..];
            if let Some(at) = rest.windows(end.len()).position(|window| window == end) {
                let taken = rest[..at].to_vec();
                self.read += at + end.len();
                return Ok(taken);
            }
            self.need()?;
        }
    }

    pub(super) fn take(&mut self, length: usize) -> Result<Vec<u8>, NoResponse> {
        while self.bytes.len() - self.read < length {
            self.need()?;
        }
        let taken = self.bytes[self.read..self.read + length].to_vec();
        self.read += length;
        Ok(taken)
    }

    pub(super) fn response(mut self, method: &str) -> Result<Response, NoResponse> {
        let (began, head, status) = loop {
            let began = self.read;
            let head = self.take_until(b"\r\n\r\n")?;
            let head = String::from_utf8_lossy(&head).into_owned();
            let status = status(&head)?;
            // Interim responses come before the one that counts.
            if !(100..200).contains(&status) {
                break (began, head, status);
            }
        };
        let body = if method == "HEAD" || status == 204 || status == 304 {
            Vec::new()
        } else if header(&head, "transfer-encoding")
            .is_some_and(|v| v.to_ascii_lowercase().contains("chunked"))
        {
            self.chunked()?
        } else if let Some(length) = header(&head, "content-length") {
            let length = length
                .parse()
                .ok()
                .filter(|length| *length <= LARGEST)
                .ok_or_else(|| NoResponse::ContentLength {
                    says: length.to_owned(),
                })?;
            self.take(length)?
        } else {
            while self.more()? {}
            self.take(self.bytes.len() - self.read)?
        };
        if self.bytes.len() > self.read {
            return Err(NoResponse::Extra {
                bytes: (self.bytes.len() - self.read) as u64,
                echo: false,
            });
        }
        Ok(Response {
            status,
            head,
            body,
            wire_bytes: (self.read - began) as u64,
        })
    }

    fn chunked(&mut self) -> Result<Vec<u8>, NoResponse> {
        let mut body = Vec::new();
        loop {
            let line = self.take_until(b"\r\n")?;
            let line = String::from_utf8_lossy(&line).into_owned();
            let digits = line.split(';').next().unwrap_or_default().trim();
            let length = usize::from_str_radix(digits, 16)
                .ok()
                .filter(|length| *length <= LARGEST)
                .ok_or_else(|| NoResponse::ChunkLength {
                    says: digits.to_owned(),
                })?;
            if length == 0 {
                // Trailers, if any, end with an empty line.
                while !self.take_until(b"\r\n")?.is_empty() {}
                return Ok(body);
            }
            body.extend(self.take(length)?);
            if !self.take(2)?.eq(b"\r\n") {
                return Err(NoResponse::LongChunk {});
            }
        }
    }
}

fn status(head: &str) -> Result<u16, NoResponse> {
    let line = head.lines().next().unwrap_or_default();
    let mut words = line.split(' ');
    match (words.next(), words.next().map(str::parse)) {
        (Some(version), Some(Ok(status))) if version.starts_with("HTTP/1.") => Ok(status),
        _ => Err(NoResponse::NotHttp {
            line: line.to_owned(),
        }),
    }
}

/// A header's value, without the space around it.
fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines()
        .skip(1)
        .filter_map(|line| line.split_once(':'))
        .find(|(key, _)| key.trim().eq_ignore_ascii_case(name))
        .map(|(_, value)| value.trim())
}
