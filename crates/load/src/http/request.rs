//! A request as bytes: the same each time, or made anew from its parts.

use std::sync::Arc;

use super::chunked::{Chunked, Step};
use crate::error::InvalidRequest;
use crate::template::{self, Drawn, decimal, digits};
use photofinish_model::finding::failure::{RequestFault, RequestPart};
use photofinish_model::secret::{MASK, is_plain_header, mask};
use photofinish_model::{Part, Request, Template};
use photofinish_stats::Random;

/// A request, ready to be sent again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Encoded {
    /// These bytes each time.
    Fixed(Arc<[u8]>),
    /// Made anew for each request.
    Varied(Arc<Varied>),
}

/// A request in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Varied {
    pieces: Vec<Piece>,
    /// The first piece of the body.
    body: usize,
    /// How many random numbers are drawn.
    pub randoms: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Bytes(Vec<u8>),
    Random {
        low: u64,
        high: u64,
    },
    Counter,
    /// The body's length in decimal digits.
    Length,
}

/// The bytes of a request, or the parts that they are made from. `Host` and `Content-Length` are made unless the
/// headers name them (or name a transfer coding).
pub fn encode(request: &Request, authority: &str) -> Result<Encoded, InvalidRequest> {
    word(RequestPart::Method, &request.method, true)?;
    let mut parts = Varied {
        pieces: Vec::new(),
        body: 0,
        randoms: 0,
    };
    let empty = request.path.is_empty();
    for text in literals(&request.path) {
        word(RequestPart::Path, &text, false)?;
    }
    if empty {
        word(RequestPart::Path, "", false)?;
    }
    parts.bytes(request.method.as_bytes());
    parts.bytes(b" ");
    parts.template(&request.path)?;
    parts.bytes(b" HTTP/1.1\r\n");
    let named = |wanted: &str| {
        request
            .headers
            .iter()
            .any(|(name, _)| name.eq_ignore_ascii_case(wanted))
    };
    if !named("host") {
        parts.field("Host", &Template::fixed(authority))?;
    }
    for (name, value) in &request.headers {
        parts.field(name, value.expose())?;
    }
    let has_body = !request.body.expose().is_empty()
        || matches!(request.method.as_str(), "POST" | "PUT" | "PATCH");
    if has_body && !named("content-length") && !named("transfer-encoding") {
        parts.bytes(b"Content-Length: ");
        parts.pieces.push(Piece::Length);
        parts.bytes(b"\r\n");
    }
    framed(request)?;
    parts.bytes(b"\r\n");
    parts.body = parts.pieces.len();
    parts.template(request.body.expose())?;
    if !request.templates().all(Template::is_fixed) {
        return Ok(Encoded::Varied(Arc::new(parts)));
    }
    let mut bytes = Vec::new();
    parts.render(&[], 0, &mut bytes);
    Ok(Encoded::Fixed(bytes.into()))
}

/// Checks the headers that say where the body ends, if the request gives them itself: a server that goes by them must find the end of the body there.
fn framed(request: &Request) -> Result<(), InvalidRequest> {
    let body = request.body.expose();
    let text = body.is_fixed().then(|| body.literal());
    let is =
        |wanted: &'static str| move |(name, _): &&(String, _)| name.eq_ignore_ascii_case(wanted);
    let count = |name| request.headers.iter().filter(is(name)).count();
    let codings = count("transfer-encoding");
    // RFC 9112, section 3.2, and RFC 9110, section 8.6: a server may take either of two.
    for (name, shown) in [("host", "Host"), ("content-length", "Content-Length")] {
        if count(name) > 1 {
            return Err(InvalidRequest(RequestFault::Repeated {
                name: shown.to_owned(),
                times: count(name) as u64,
            }));
        }
    }
    for (_, value) in request.headers.iter().filter(is("content-length")) {
        let stated = value.expose().shown().trim().to_owned();
        let fault = match &text {
            _ if codings > 0 => RequestFault::TwoLengths {},
            Some(body) if is_number(&stated) && stated.parse() == Ok(body.len()) => continue,
            body => RequestFault::Length {
                stated,
                body: body.as_ref().map(|body| body.len() as u64),
            },
        };
        return Err(InvalidRequest(fault));
    }
    match codings {
        0 => Ok(()),
        _ if text.is_some_and(|body| is_chunked(&body)) => Ok(()),
        _ => Err(InvalidRequest(RequestFault::Coding {})),
    }
}

/// Whether a text is digits alone: `+5` is a number to some servers and none to others.
fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a body is in the chunked coding to its end.
fn is_chunked(body: &[u8]) -> bool {
    let (mut chunked, mut rest) = (Chunked::default(), body);
    loop {
        match chunked.step(rest) {
            Step::Data { skip, len } => rest = &rest[skip + len..],
            Step::End { used } => return used == rest.len(),
            Step::More | Step::Bad(_) => return false,
        }
    }
}

/// Returns the bytes of the first request that connection 0 would send by this seed, with the number 0.
///
/// # Errors
/// For a request that cannot be sent.
pub fn first(request: &Request, authority: &str, seed: u64) -> Result<Vec<u8>, InvalidRequest> {
    Ok(match encode(request, authority)? {
        Encoded::Fixed(bytes) => bytes.to_vec(),
        Encoded::Varied(varied) => {
            let mut draft = Draft::new(seed, 0);
            draft.next(&varied, 0);
            draft.bytes
        }
    })
}

impl Varied {
    /// Draws one request's random numbers, in the order of their places.
    pub fn draw(&self, random: &mut Random, into: &mut Vec<u64>) {
        into.clear();
        for piece in &self.pieces {
            if let Piece::Random { low, high } = piece {
                into.push(random.within(*low, *high));
            }
        }
    }

    /// Puts the request together from its numbers; `into` is empty.
    pub fn render(&self, randoms: &[u64], counter: u64, into: &mut Vec<u8>) {
        let mut next = randoms.iter().copied();
        for piece in &self.pieces {
            match piece {
                Piece::Bytes(bytes) => into.extend_from_slice(bytes),
                Piece::Random { .. } => decimal(next.next().unwrap_or(0), into),
                Piece::Counter => decimal(counter, into),
                Piece::Length => decimal(self.body_length(randoms, counter) as u64, into),
            }
        }
    }

    fn body_length(&self, randoms: &[u64], counter: u64) -> usize {
        let body = &self.pieces[self.body..];
        let drawn = |piece: &&Piece| matches!(piece, Piece::Random { .. });
        // The body's numbers are the last ones.
        let mut next = randoms[self.randoms - body.iter().filter(drawn).count()..].iter();
        body.iter()
            .map(|piece| match piece {
                Piece::Bytes(bytes) => bytes.len(),
                Piece::Random { .. } => digits(next.next().copied().unwrap_or(0)),
                Piece::Counter => digits(counter),
                Piece::Length => 0,
            })
            .sum()
    }

    fn bytes(&mut self, bytes: &[u8]) {
        match self.pieces.last_mut() {
            // The head's last piece is not the body's first.
            Some(Piece::Bytes(last)) if self.body == 0 => last.extend_from_slice(bytes),
            _ => self.pieces.push(Piece::Bytes(bytes.to_vec())),
        }
    }

    fn template(&mut self, template: &Template) -> Result<(), InvalidRequest> {
        for part in &template.0 {
            match *part {
                Part::Bytes(ref bytes) => self.bytes(bytes),
                Part::Counter => self.pieces.push(Piece::Counter),
                Part::Random { low, high } if low > high => {
                    return Err(InvalidRequest(RequestFault::Bounds { low, high }));
                }
                Part::Random { low, high } => {
                    self.randoms += 1;
                    self.pieces.push(Piece::Random { low, high });
                }
            }
        }
        Ok(())
    }

    fn field(&mut self, name: &str, value: &Template) -> Result<(), InvalidRequest> {
        word(RequestPart::HeaderName, name, true)?;
        for text in literals(value) {
            if text.chars().any(|c| c.is_control() && c != '\t') {
                return Err(InvalidRequest(RequestFault::Value {
                    name: name.to_owned(),
                    value: match is_plain_header(name) {
                        true => text,
                        false => MASK.to_owned(),
                    },
                }));
            }
        }
        self.bytes(name.as_bytes());
        self.bytes(b": ");
        self.template(value)?;
        self.bytes(b"\r\n");
        Ok(())
    }
}

/// The texts between the places that are filled in.
fn literals(template: &Template) -> impl Iterator<Item = String> {
    template.0.iter().filter_map(|part| match part {
        Part::Bytes(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    })
}

fn word(part: RequestPart, value: &str, token: bool) -> Result<(), InvalidRequest> {
    let fits = |c: char| {
        if token {
            c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c)
        } else {
            !c.is_control() && !c.is_whitespace()
        }
    };
    if value.is_empty() || !value.chars().all(fits) {
        return Err(InvalidRequest(RequestFault::Word {
            part,
            value: mask(value).into_owned(),
        }));
    }
    Ok(())
}

/// One connection's side of a request that varies.
#[derive(Debug)]
pub struct Draft {
    random: Random,
    randoms: Vec<u64>,
    /// The request in flight.
    pub bytes: Vec<u8>,
    /// What of it may have to come back.
    pub drawn: Drawn,
}

impl Draft {
    /// Nothing drawn yet; the numbers follow from the seed and the connection's number in the run.
    pub fn new(seed: u64, connection: usize) -> Self {
        Draft {
            random: template::random(seed, connection),
            randoms: Vec::new(),
            bytes: Vec::new(),
            drawn: Drawn::default(),
        }
    }

    /// Makes the next request.
    pub fn next(&mut self, request: &Varied, counter: u64) {
        request.draw(&mut self.random, &mut self.randoms);
        self.drawn = Drawn {
            random: self.randoms.first().copied().unwrap_or(0),
            counter,
        };
        self.bytes.clear();
        request.render(&self.randoms, counter, &mut self.bytes);
    }
}
