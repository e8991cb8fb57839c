//! A request as a block of header fields and a body: the same each time, or made anew from its parts.

use std::sync::Arc;

use photofinish_model::{Part, Payload, Request, Template};
use photofinish_stats::Random;

use super::hpack;
use crate::error::InvalidRequest;
use crate::payload;
use crate::template::{self, Drawn};

/// Fields that speak of a connection, which HTTP/2 has no use for (RFC 9113, section 8.2.2); `Host` becomes `:authority`.
const NOT_SENT: [&str; 6] = [
    "host",
    "connection",
    "keep-alive",
    "proxy-connection",
    "transfer-encoding",
    "upgrade",
];

/// A request, ready to be sent again and again.
#[derive(Clone, Debug)]
pub struct Encoded {
    fields: Vec<(Vec<u8>, Template)>,
    body: Body,
    /// The body's length stands in a field.
    measured: bool,
    /// The bounds of its random numbers, in the order of their places.
    randoms: Vec<(u64, u64)>,
    /// Block and body, where nothing varies.
    fixed: Option<(Vec<u8>, Arc<[u8]>)>,
}

#[derive(Clone, Debug)]
enum Body {
    /// As it stands there.
    Text(Template),
    /// The message of a call.
    Message(Payload),
}

impl Encoded {
    /// Reads a request that was found to be valid. `authority` is what the server is called unless the request says.
    ///
    /// # Errors
    /// As [`encode`](crate::http::encode).
    pub fn new(
        request: &Request,
        scheme: &str,
        authority: &str,
    ) -> Result<Encoded, InvalidRequest> {
        let fields = fields(request, (scheme, authority), &[])?;
        let has_body = !request.body.expose().is_empty()
            || matches!(request.method.as_str(), "POST" | "PUT" | "PATCH");
        let measured = has_body && !named(request, "content-length");
        Ok(Encoded::of(
            fields,
            Body::Text(request.body.expose().clone()),
            measured,
        ))
    }

    /// The same with a framed message for its body, and with those of the `own` fields that the request does not give itself.
    ///
    /// # Errors
    /// As [`encode`](crate::http::encode).
    pub fn framed(
        request: &Request,
        own: &[(&str, &str)],
        message: &Payload,
        server: (&str, &str),
    ) -> Result<Encoded, InvalidRequest> {
        let fields = fields(request, server, own)?;
        Ok(Encoded::of(fields, Body::Message(message.clone()), false))
    }

    fn of(fields: Vec<(Vec<u8>, Template)>, body: Body, measured: bool) -> Encoded {
        let values = fields.iter().flat_map(|(_, value)| &value.0);
        let parts: Vec<&Part> = match &body {
            Body::Text(text) => values.chain(&text.0).collect(),
            Body::Message(message) => values.chain(message.parts()).collect(),
        };
        let varies = parts.iter().any(|part| !matches!(part, Part::Bytes(_)));
        let bounds = |part: &&Part| match **part {
            Part::Random { low, high } => Some((low, high)),
            Part::Bytes(_) | Part::Counter => None,
        };
        let mut encoded = Encoded {
            randoms: parts.iter().filter_map(bounds).collect(),
            fields,
            body,
            measured,
            fixed: None,
        };
        if !varies {
            let (mut block, mut body) = (Vec::new(), Vec::new());
            encoded.render(&[], 0, &mut block, &mut body);
            encoded.fixed = Some((block, body.into()));
        }
        encoded
    }

    /// Block and body, where nothing varies.
    #[inline]
    pub fn fixed(&self) -> Option<(&[u8], &Arc<[u8]>)> {
        let (block, body) = self.fixed.as_ref()?;
        Some((block, body))
    }

    /// Draws a request's random numbers, in the order of their places.
    fn draw(&self, random: &mut Random, into: &mut Vec<u64>) {
        into.clear();
        let drawn = |&(low, high): &(u64, u64)| random.within(low, high);
        into.extend(self.randoms.iter().map(drawn));
    }

    /// Puts the request together from its numbers.
    fn render(&self, randoms: &[u64], counter: u64, block: &mut Vec<u8>, body: &mut Vec<u8>) {
        block.clear();
        body.clear();
        let mut randoms = randoms.iter().copied();
        let mut text = Vec::new();
        for (name, value) in &self.fields {
            text.clear();
            template::fill(value, &mut randoms, counter, &mut text);
            hpack::write_field(name, &text, block);
        }
        match &self.body {
            Body::Text(text) => template::fill(text, &mut randoms, counter, body),
            Body::Message(message) => payload::frame(message, &mut randoms, counter, body),
        }
        if self.measured {
            text.clear();
            template::decimal(body.len() as u64, &mut text);
            hpack::write_field(b"content-length", &text, block);
        }
    }
}

/// The fields of a valid request, with those of `own` that it does not give itself.
fn fields(
    request: &Request,
    (scheme, authority): (&str, &str),
    own: &[(&str, &str)],
) -> Result<Vec<(Vec<u8>, Template)>, InvalidRequest> {
    // The rules for what may stand in a request are the same.
    crate::http::encode(request, authority)?;
    let mut headers = request.headers.iter();
    let host = headers.find(|(name, _)| name.eq_ignore_ascii_case("host"));
    let authority = host.map_or_else(
        || Template::fixed(authority),
        |(_, value)| value.expose().clone(),
    );
    let mut fields = vec![
        (
            b":method".to_vec(),
            Template::fixed(request.method.as_bytes()),
        ),
        (b":scheme".to_vec(), Template::fixed(scheme)),
        (b":authority".to_vec(), authority),
        (b":path".to_vec(), request.path.clone()),
    ];
    for (name, value) in own.iter().filter(|(name, _)| !named(request, name)) {
        fields.push((name.as_bytes().to_vec(), Template::fixed(*value)));
    }
    for (name, value) in &request.headers {
        let name = name.to_ascii_lowercase();
        if !NOT_SENT.contains(&&*name) {
            fields.push((name.into_bytes(), value.expose().clone()));
        }
    }
    Ok(fields)
}

fn named(request: &Request, wanted: &str) -> bool {
    let mut headers = request.headers.iter();
    headers.any(|(name, _)| name.eq_ignore_ascii_case(wanted))
}

/// One connection's requests that vary.
#[derive(Debug)]
pub struct Draft {
    random: Random,
    randoms: Vec<u64>,
    /// The last request.
    pub block: Vec<u8>,
    pub body: Vec<u8>,
}

impl Draft {
    /// Nothing drawn yet; the numbers follow from the seed and the connection's number in the run.
    pub fn new(seed: u64, connection: usize) -> Draft {
        Draft {
            random: template::random(seed, connection),
            randoms: Vec::new(),
            block: Vec::new(),
            body: Vec::new(),
        }
    }

    /// Makes the next request; what of it may have to come back.
    pub fn next(&mut self, request: &Encoded, counter: u64) -> Drawn {
        request.draw(&mut self.random, &mut self.randoms);
        request.render(&self.randoms, counter, &mut self.block, &mut self.body);
        Drawn {
            random: self.randoms.first().copied().unwrap_or(0),
            counter,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http2::hpack::{Text, fields};

    fn read(block: &[u8]) -> Vec<String> {
        fields(block)
            .map(|field| {
                let field = field.expect("a field");
                let text = |text| match text {
                    Text::Plain(text) => String::from_utf8_lossy(text).into_owned(),
                    Text::Coded(_) => panic!("nothing is coded"),
                };
                format!("{}: {}", text(field.name), text(field.value))
            })
            .collect()
    }

    #[test]
    fn a_request_is_its_fields_in_lower_case_without_those_of_a_connection() {
        let request = Request {
            method: "POST".to_owned(),
            headers: vec![
                ("Host".to_owned(), Template::fixed("other").into()),
                (
                    "Connection".to_owned(),
                    Template::fixed("keep-alive").into(),
                ),
                ("X-A".to_owned(), Template::fixed("b").into()),
            ],
            body: Template::fixed("hello").into(),
            ..Request::get("/p?q")
        };
        let encoded = Encoded::new(&request, "https", "h:1").expect("valid");
        let (block, body) = encoded.fixed().expect("nothing varies");
        assert_eq!(
            read(block),
            [
                ":method: POST",
                ":scheme: https",
                ":authority: other",
                ":path: /p?q",
                "x-a: b",
                "content-length: 5"
            ]
        );
        assert_eq!(**body, *b"hello");
    }

    #[test]
    fn what_varies_is_drawn_in_order_and_measured() {
        let request = Request {
            method: "PUT".to_owned(),
            body: Template::parse("n={counter}").into(),
            ..Request::get("/{random:7..7}")
        };
        let encoded = Encoded::new(&request, "http", "h").expect("valid");
        assert!(encoded.fixed().is_none());
        let mut draft = Draft::new(1, 0);
        let drawn = draft.next(&encoded, 123);
        assert_eq!((drawn.random, drawn.counter), (7, 123));
        assert_eq!(read(&draft.block)[3..], [":path: /7", "content-length: 5"]);
        assert_eq!(draft.body, b"n=123");
    }
}
