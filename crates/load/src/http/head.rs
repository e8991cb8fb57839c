//! The head of a response: where it ends, and what it says about the body (RFC 9112, section 6.3).

use std::mem::MaybeUninit;

use photofinish_model::finding::complaint::Http1Violation;

/// The longest head that is accepted, in bytes.
pub const HEAD_LIMIT: usize = 64 * 1024;

/// How a response begins (RFC 9112, section 4).
const VERSION: &[u8] = b"HTTP/1.";

/// How an alert begins by which a server of TLS refuses what is none (RFC 8446, section 5.1): its type and a version.
const TLS: [u8; 2] = [21, 3];

/// How many header fields are accepted.
const FIELDS: usize = 128;

/// What a head says that matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    pub status: u16,
    pub framing: Framing,
    /// Whether the connection stays open.
    pub reuse: bool,
}

/// How the body's end is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// A 1xx head: another head follows.
    Interim,
    /// So many bytes.
    Fixed(u64),
    Chunked,
    UntilClosed,
}

impl Default for Head {
    fn default() -> Self {
        Head {
            status: 0,
            framing: Framing::UntilClosed,
            reuse: false,
        }
    }
}

/// Where the head ends (just after the empty line), if its end is here.
///
/// `line` is where the last line that was begun starts: the search goes on from there,
/// so that a head which arrives byte by byte is not searched again and again.
pub fn end(bytes: &[u8], line: &mut usize) -> Option<usize> {
    // A line can be long and arrive slowly too: look only at what may hold its end.
    while let Some(at) = memchr::memchr(b'\n', &bytes[*line..]) {
        let newline = *line + at;
        let begin = bytes[..newline]
            .iter()
            .rposition(|b| *b == b'\n')
            .map_or(0, |p| p + 1);
        *line = newline + 1;
        if matches!(&bytes[begin..newline], b"" | b"\r") {
            return Some(*line);
        }
    }
    *line = bytes.len();
    None
}

/// Whether these bytes, in which no head ends, may become one: what never can is not waited for.
pub fn begun(bytes: &[u8]) -> Result<(), Http1Violation> {
    let agrees = |with: &[u8]| bytes.iter().zip(with).all(|(one, other)| one == other);
    match bytes {
        _ if bytes.len() >= HEAD_LIMIT => Err(Http1Violation::LongHead),
        _ if bytes.starts_with(&TLS) => Err(Http1Violation::Tls),
        // An empty line that has not ended is refused when it has.
        b"\r" => Ok(()),
        _ if agrees(VERSION) || agrees(&TLS) => Ok(()),
        _ => Err(Http1Violation::NotHttp1),
    }
}

/// Whether a comma-separated list has the token, in any case.
pub fn has_token(list: &[u8], token: &str) -> bool {
    list.split(|b| *b == b',')
        .any(|item| item.trim_ascii().eq_ignore_ascii_case(token.as_bytes()))
}

impl Head {
    /// Reads a whole head. `bodiless`: the request was `HEAD`.
    pub fn parse(bytes: &[u8], bodiless: bool) -> Result<Head, Http1Violation> {
        let mut fields = [const { MaybeUninit::<httparse::Header<'_>>::uninit() }; FIELDS];
        let mut response = httparse::Response::new(&mut []);
        // A field may go on in a further line (RFC 9112, section 5.2): long out of use, and to be accepted by whoever asks.
        let parsed = httparse::ParserConfig::default()
            .allow_obsolete_multiline_headers_in_responses(true)
            .parse_response_with_uninit_headers(&mut response, bytes, &mut fields);
        match parsed {
            Ok(httparse::Status::Complete(length)) if length == bytes.len() => {}
            Ok(_) => return Err(Http1Violation::EmptyLine),
            Err(httparse::Error::TooManyHeaders) => {
                return Err(Http1Violation::ManyFields);
            }
            Err(httparse::Error::HeaderName) => return Err(Http1Violation::FieldName),
            Err(httparse::Error::HeaderValue) => return Err(Http1Violation::FieldValue),
            Err(_) => return Err(Http1Violation::NotHttp1),
        }
        let status = response.code.unwrap_or(0);
        if !(100..=999).contains(&status) {
            return Err(Http1Violation::LowStatus);
        }
        let mut length = None;
        let mut coded = None;
        let mut reuse = response.version == Some(1);
        for field in response.headers.iter() {
            let name = field.name;
            if name.eq_ignore_ascii_case("content-length") {
                length = Some(content_length(field.value, length)?);
            } else if name.eq_ignore_ascii_case("transfer-encoding") {
                // The last coding of the last field is what frames the body.
                let last = field
                    .value
                    .rsplit(|b| *b == b',')
                    .next()
                    .unwrap_or_default();
                coded = Some(last.trim_ascii().eq_ignore_ascii_case(b"chunked"));
            } else if name.eq_ignore_ascii_case("connection") {
                if has_token(field.value, "close") {
                    reuse = false;
                } else if response.version == Some(0) && has_token(field.value, "keep-alive") {
                    reuse = true;
                }
            }
        }
        let framing = match status {
            // 101 ends HTTP on this connection; nothing here asks for that, so it is a response without a body.
            101 => Framing::Fixed(0),
            100..200 => Framing::Interim,
            204 | 304 => Framing::Fixed(0),
            _ if bodiless => Framing::Fixed(0),
            _ => match (coded, length) {
                (Some(true), _) => Framing::Chunked,
                (Some(false), _) | (None, None) => Framing::UntilClosed,
                (None, Some(length)) => Framing::Fixed(length),
            },
        };
        Ok(Head {
            status,
            framing,
            reuse: reuse && status != 101 && framing != Framing::UntilClosed,
        })
    }
}

/// The one number that all the lengths name.
fn content_length(value: &[u8], before: Option<u64>) -> Result<u64, Http1Violation> {
    const BAD: Http1Violation = Http1Violation::ContentLength;
    let mut length = before;
    for item in value.split(|b| *b == b',') {
        let digits = item.trim_ascii();
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return Err(BAD);
        }
        let one = str::from_utf8(digits)
            .map_err(|_| BAD)?
            .parse()
            .map_err(|_| BAD)?;
        if length.is_some_and(|other| other != one) {
            return Err(Http1Violation::ContentLengths);
        }
        length = Some(one);
    }
    length.ok_or(BAD)
}
