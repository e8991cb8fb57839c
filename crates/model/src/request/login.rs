//! A request that is sent before all others, and what of its response the others carry: a token, most often.
//!
//! In requests it is written `{login.NAME}`. It is filled in when the response is there, before load flows.

use std::collections::BTreeMap;

use super::{Blank, Exchange, Expect, Listed, Request};

/// A request whose response is taken from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Login {
    /// What is sent, once.
    pub request: Request,
    /// What must come back.
    pub expect: Expect,
    /// What is taken from the response, by name.
    pub take: BTreeMap<String, Take>,
}

/// Where in a response something is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Take {
    /// In a body of JSON: a text, a number, true or false, by its JSON Pointer (RFC 6901).
    Json(String),
    /// A header's value.
    Header(String),
    /// The value of a cookie that is set.
    Cookie(String),
    /// The whole body, without spaces at its ends.
    Body,
}

impl Take {
    /// Reads `json:/access_token`, `header:X-Token`, `cookie:session` or `body`.
    pub fn parse(text: &str) -> Option<Take> {
        let (kind, name) = text.split_once(':').unwrap_or((text, ""));
        match (kind, name) {
            ("body", "") => Some(Take::Body),
            ("json", pointer) if pointer.starts_with('/') => Some(Take::Json(pointer.to_owned())),
            ("header", name) if !name.is_empty() => Some(Take::Header(name.to_owned())),
            ("cookie", name) if !name.is_empty() => Some(Take::Cookie(name.to_owned())),
            _ => None,
        }
    }
}

/// As it is written.
impl std::fmt::Display for Take {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Take::Json(pointer) => write!(f, "json:{pointer}"),
            Take::Header(name) => write!(f, "header:{name}"),
            Take::Cookie(name) => write!(f, "cookie:{name}"),
            Take::Body => f.write_str("body"),
        }
    }
}

impl Exchange {
    /// The same requests with what a login gave in their places.
    #[must_use]
    pub fn with_login(&self, values: &BTreeMap<String, String>) -> Exchange {
        let mut value = |name: &str| values.get(name).map(|value| value.clone().into_bytes());
        let mut own = self.clone();
        match &mut own {
            Exchange::Http { request, .. } => *request = request.filled(Blank::Login, &mut value),
            Exchange::Requests(requests) => {
                let filled = |one: &Listed| Listed {
                    request: one.request.filled(Blank::Login, &mut value),
                    ..one.clone()
                };
                requests.list = requests.list.iter().map(filled).collect();
            }
            Exchange::WebSocket(messages) => {
                messages.opening = messages.opening.filled(Blank::Login, &mut value);
            }
            Exchange::Grpc(call) => {
                for (_, text) in &mut call.headers {
                    *text = text.map(|text| text.filled(Blank::Login, &mut value));
                }
            }
            Exchange::TcpEcho { .. } => {}
        }
        own
    }

    /// How many bytes requests would have with what a login gave in their places: those of a list with all of it, a single one with what
    /// is filled in alone.
    pub fn bytes_with_login(&self, values: &BTreeMap<String, String>) -> u64 {
        let places = self.login_places();
        let filled = places.iter().filter_map(|name| values.get(name));
        let filled: u64 = filled.map(|value| value.len() as u64).sum();
        match self {
            Exchange::Requests(requests) => {
                requests.list.iter().map(Listed::bytes).sum::<u64>() + filled
            }
            _ => filled,
        }
    }

    /// The names of the places that a login is to fill in.
    pub fn login_places(&self) -> Vec<String> {
        match self {
            Exchange::Http { request, .. } => request.places(Blank::Login),
            Exchange::Requests(requests) => (requests.list.iter())
                .flat_map(|one| one.request.places(Blank::Login))
                .collect(),
            Exchange::WebSocket(messages) => messages.opening.places(Blank::Login),
            Exchange::Grpc(call) => (call.headers.iter())
                .flat_map(|(_, text)| Blank::Login.names(&text.expose().literal()))
                .collect(),
            Exchange::TcpEcho { .. } => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Template, Version};

    #[test]
    fn places_of_a_login_are_found_and_filled_in() {
        let exchange = Exchange::Http {
            request: Request {
                headers: vec![(
                    "Authorization".to_owned(),
                    Template::parse("Bearer {login.token}").into(),
                )],
                body: Template::parse(r#"{"n":{counter},"s":"{login.session}{login.}{login.x"#)
                    .into(),
                ..Request::get("/{login.other}")
            },
            expect: Expect::default(),
            version: Version::Http1,
        };
        assert_eq!(exchange.login_places(), ["other", "token", "session"]);
        let values = [("token", "t}{counter}"), ("session", "1")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
        let Exchange::Http { request, .. } = exchange.with_login(&values.into()) else {
            panic!("HTTP");
        };
        assert_eq!(request.path.text(), "/{login.other}");
        // What was taken is bytes, whatever it looks like.
        assert_eq!(
            request.headers[0].1,
            Template::fixed("Bearer t}{counter}").into()
        );
        assert_eq!(
            request.body.expose().text(),
            r#"{"n":{counter},"s":"1{login.}{login.x"#
        );
        assert!(!request.body.expose().is_fixed());
    }

    #[test]
    fn where_something_is_taken_from_is_read_as_it_is_written() {
        for text in [
            "json:/a/b",
            "header:X-Token",
            "cookie:session",
            "body",
            "json:/a:b",
        ] {
            assert_eq!(Take::parse(text).expect(text).to_string(), text);
        }
        for wrong in [
            "", "json:", "json:a", "header:", "cookie", "body:x", "token",
        ] {
            assert_eq!(Take::parse(wrong), None, "{wrong}");
        }
    }
}
