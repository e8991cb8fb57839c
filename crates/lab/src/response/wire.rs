//! A connection, and a response over HTTP/1.1 that is read from it.

use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

use photofinish_model::finding::failure::NoResponse;

use super::tls::{self, Stream};
use super::{LARGEST, LOOK, Response, Route, is_late, too_large};

/// A connection and what has come over it.
pub(super) struct Wire<'a> {
    pub(super) stream: Stream,
    unwanted: &'a dyn Fn() -> bool,
    deadline: Instant,
    timeout: Duration,
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
        let deadline = Instant::now() + timeout;
        let stream = (route.from.connect(route.to, timeout)).map_err(NoResponse::connect)?;
        let mut wire = Wire {
            stream: match route.tls {
                None => Stream::Plain(stream),
                Some(tls) => tls::begin(stream, tls, route)?,
            },
            deadline,
            timeout,
            unwanted,
            bytes: Vec::new(),
            read: 0,
        };
        while wire.stream.shakes_hands() {
            let left = wire.left()?.min(LOOK);
            let socket = wire.stream.socket();
            (socket.set_read_timeout(Some(left)))
                .and_then(|()| socket.set_write_timeout(Some(left)))
                .map_err(NoResponse::connect)?;
            wire.stream.shake_hands()?;
            if unwanted() {
                return Err(NoResponse::Interrupted {});
            }
        }
        Ok(wire)
    }

    pub(super) fn left(&self) -> Result<Duration, NoResponse> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        match left.is_zero() {
            true => Err(self.late()),
            false => Ok(left),
        }
    }

    /// The bytes that have come.
    pub(super) fn came(&self) -> u64 {
        self.bytes.len() as u64
    }

    pub(super) fn late(&self) -> NoResponse {
        NoResponse::Late {
            within_s: self.timeout.as_secs_f64(),
            bytes: self.came(),
        }
    }

    pub(super) fn send(&mut self, request: &[u8]) -> Result<(), NoResponse> {
        let left = self.left()?;
        (self.stream.socket().set_write_timeout(Some(left)))
            .and_then(|()| self.stream.write_all(request))
            .and_then(|()| self.stream.flush())
            .map_err(NoResponse::send)
    }

    /// Waits for more bytes; `false` where the server has closed the connection.
    pub(super) fn more(&mut self) -> Result<bool, NoResponse> {
        if self.bytes.len() > LARGEST {
            return Err(too_large());
        }
        let mut buffer = [0; 16 << 10];
        loop {
            let left = self.left()?.min(LOOK);
            let read = (self.stream.socket().set_read_timeout(Some(left)))
                .and_then(|()| self.stream.read(&mut buffer));
            match read {
                Ok(0) => return Ok(false),
                Ok(n) => {
                    self.bytes.extend_from_slice(&buffer[..n]);
                    return Ok(true);
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if is_late(&e) => {
                    if (self.unwanted)() {
                        return Err(NoResponse::Interrupted {});
                    }
                }
                Err(error) => {
                    return Err(NoResponse::Read {
                        bytes: self.came(),
                        says: error.to_string(),
                    });
                }
            }
        }
    }

    pub(super) fn need(&mut self) -> Result<(), NoResponse> {
        match self.more()? {
            true => Ok(()),
            false => Err(NoResponse::Closed { bytes: self.came() }),
        }
    }

    /// Takes bytes up to and with `end`; returns those before it.
    pub(super) fn take_until(&mut self, end: &[u8]) -> Result<Vec<u8>, NoResponse> {
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

    pub(super) fn chunked(&mut self) -> Result<Vec<u8>, NoResponse> {
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
