//! A first request, and what of its response the others carry.

use std::collections::BTreeMap;
use std::time::Duration;

use photofinish_load::once::{Response, Wait};
use photofinish_model::finding::complaint::{BodyMismatch, Complaint, Start};
use photofinish_model::finding::failure::Difference;
use photofinish_model::finding::failure::Wrong;
use photofinish_model::secret::{MASK, mask_json_texts, remember, shown_body};
use photofinish_model::{Exchange, Login, MOST_REQUEST_BYTES, Take};
use serde_json::value::RawValue;

use crate::server::route::Route;
use crate::server::verify::{self, Question};

/// The longest value that is taken, in bytes: no server accepts a longer head.
const MAX_VALUE_BYTES: usize = 16 << 10;

/// Sends it once, and takes from its response what the requests of `exchange` carry; gives up soon after `unwanted` says so.
///
/// # Errors
/// If the response is not as was stated, has not what is to be taken, or has more of it than can be sent.
pub(crate) fn login(
    route: Route,
    login: &Login,
    exchange: &Exchange,
    timeout: Duration,
    seed: u64,
    unwanted: &dyn Fn() -> bool,
) -> Result<BTreeMap<String, String>, Wrong> {
    let Login {
        request,
        expect,
        take,
    } = login;
    let version = exchange.version().unwrap_or_default();
    let asked = || Box::new(verify::asked(request, version));
    let question = Question {
        route,
        exchange: &Exchange::Http {
            request: request.clone(),
            expect: expect.clone(),
            version,
        },
        wait: Wait { timeout, unwanted },
        seed,
        request: asked(),
        quote: quoted,
    };
    let response = question.logged_in().map_err(unquoted)?;
    let taken = take
        .iter()
        .map(|(name, from)| match taken(&response, from) {
            Some(value) if value.len() <= MAX_VALUE_BYTES => Ok((name.clone(), value)),
            Some(value) => Err(Wrong::LoginSize {
                request: asked(),
                name: Some(name.clone()),
                bytes: value.len() as u64,
                most: MAX_VALUE_BYTES as u64,
            }),
            None => {
                let (body, more) = quoted(&response.body);
                Err(Wrong::Login {
                    request: asked(),
                    name: name.clone(),
                    from: from.to_string(),
                    body,
                    more,
                })
            }
        });
    let values = taken.collect::<Result<BTreeMap<_, _>, _>>()?;
    values.values().for_each(|value| remember(value));
    // A value stands in each request by itself: many of them with a long one may be more than there is memory.
    match exchange.bytes_with_login(&values) {
        bytes if bytes > MOST_REQUEST_BYTES => Err(Wrong::LoginSize {
            request: asked(),
            name: None,
            bytes,
            most: MOST_REQUEST_BYTES,
        }),
        _ => Ok(values),
    }
}

/// The beginning of a response to a login: of JSON without its texts, of all else nothing. The token may stand elsewhere than was thought, and
/// a report is passed on.
fn quoted(body: &[u8]) -> (String, bool) {
    let shown = mask_json_texts(body);
    let (text, more) = shown_body(shown.as_bytes());
    (text, more || (shown.is_empty() && !body.is_empty()))
}

/// What is wrong with a response to a login, without the parts of its body.
fn unquoted(wrong: Wrong) -> Wrong {
    let hide = |text: String| match text.is_empty() {
        true => text,
        false => MASK.to_owned(),
    };
    match wrong {
        Wrong::Body {
            request,
            expected_bytes,
            got_bytes,
            difference,
        } => Wrong::Body {
            request,
            expected_bytes,
            got_bytes,
            difference: Difference {
                offset: difference.offset,
                expected: hide(difference.expected),
                got: hide(difference.got),
            },
        },
        Wrong::Shape {
            request,
            why: Complaint::Body { mismatch },
        } => Wrong::Shape {
            request,
            why: Complaint::Body {
                mismatch: match mismatch {
                    BodyMismatch::Lacks { expected, start } => BodyMismatch::Lacks {
                        expected: hide(expected),
                        start: Start {
                            text: hide(start.text),
                            ..start
                        },
                    },
                    BodyMismatch::Rows {
                        expected,
                        got,
                        start,
                    } => BodyMismatch::Rows {
                        expected,
                        got,
                        start: Start {
                            text: hide(start.text),
                            ..start
                        },
                    },
                    other => other,
                },
            },
        },
        other => other,
    }
}

/// What stands there, if something does.
pub(super) fn taken(response: &Response, from: &Take) -> Option<String> {
    let mut fields = response.head.lines().skip(1).filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        Some((name.trim(), value.trim()))
    });
    let value = match from {
        Take::Body => String::from_utf8(response.body.clone()).ok()?,
        Take::Header(wanted) => {
            let mut named = fields.filter(|(name, _)| name.eq_ignore_ascii_case(wanted));
            named.next()?.1.to_owned()
        }
        Take::Cookie(wanted) => fields.find_map(|(name, value)| {
            let (cookie, rest) = value.split_once('=')?;
            let is_it = name.eq_ignore_ascii_case("set-cookie") && cookie.trim() == wanted;
            is_it.then(|| rest.split(';').next().unwrap_or_default().to_owned())
        })?,
        Take::Json(pointer) => {
            let value = pointed(&response.body, pointer)?.get();
            match value.as_bytes().first()? {
                b'"' => serde_json::from_str(value).ok()?,
                b'[' | b'{' | b'n' => return None,
                _ => value.to_owned(),
            }
        }
    };
    let value = value.trim();
    (!value.is_empty()).then(|| value.to_owned())
}

/// What a JSON Pointer (RFC 6901) leads to, as it is written there: a number that is read and written again may be another.
fn pointed<'b>(body: &'b [u8], pointer: &str) -> Option<&'b RawValue> {
    let body: &RawValue = serde_json::from_slice(body).ok()?;
    pointer.split('/').skip(1).try_fold(body, |value, step| {
        let step = step.replace("~1", "/").replace("~0", "~");
        let value = value.get();
        if value.starts_with('[') {
            let plain = step == "0" || !step.starts_with(['0', '+']);
            let at = plain.then(|| step.parse::<usize>().ok())??;
            let values: Vec<&RawValue> = serde_json::from_str(value).ok()?;
            return values.get(at).copied();
        }
        let mut fields: BTreeMap<String, &RawValue> = serde_json::from_str(value).ok()?;
        fields.remove(&step)
    })
}

#[cfg(test)]
mod tests {
    use photofinish_model::finding::asked::Asked;

    use super::*;

    #[test]
    fn a_token_is_taken_from_body_header_or_cookie() {
        let response = Response {
            status: 200,
            head:
                "HTTP/1.1 200 OK\r\nX-Token:  abc \r\nSet-Cookie: a=1; Path=/\r\nset-cookie: b=2=3"
                    .to_owned(),
            body: br#" {"auth":{"token":"t\"k","n":7,"none":null,"empty":""}} "#.to_vec(),
            ..Response::default()
        };
        let take = |from: &str| taken(&response, &Take::parse(from).expect(from));
        assert_eq!(take("json:/auth/token").as_deref(), Some("t\"k"));
        assert_eq!(take("json:/auth/n").as_deref(), Some("7"));
        assert_eq!(take("header:x-token").as_deref(), Some("abc"));
        assert_eq!(take("cookie:b").as_deref(), Some("2=3"));
        assert!(take("body").is_some_and(|body| body.starts_with('{') && body.ends_with('}')));
        for nothing in [
            "json:/auth",
            "json:/auth/none",
            "json:/auth/empty",
            "json:/other",
            "header:token",
            "cookie:c",
        ] {
            assert_eq!(take(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn values_of_json_are_sent_as_they_are_written() {
        let body = br#" {"id": 12345678901234567890123, "f":1.10, "e":1e3, "big": -1E+999, "yes":true, "t":"\u00e9\/",
            "list": [ 0, {"a/b": [7.0]}, "~" ], "m~n": 1, "0": 2, "": 3, "f": 1.20} "#;
        let take = |pointer: &str| {
            let response = Response {
                status: 200,
                head: "HTTP/1.1 200 OK".to_owned(),
                body: body.to_vec(),
                ..Response::default()
            };
            taken(&response, &Take::Json(pointer.to_owned()))
        };
        for (pointer, text) in [
            ("/id", "12345678901234567890123"),
            // Of a name that is there twice the last counts.
            ("/f", "1.20"),
            ("/e", "1e3"),
            ("/big", "-1E+999"),
            ("/yes", "true"),
            ("/t", "é/"),
            ("/list/0", "0"),
            ("/list/1/a~1b/0", "7.0"),
            ("/list/2", "~"),
            ("/m~0n", "1"),
            ("/0", "2"),
            ("/", "3"),
        ] {
            assert_eq!(take(pointer).as_deref(), Some(text), "{pointer}");
        }
        for nothing in [
            "/list", "/list/00", "/list/+1", "/list/3", "/list/-", "/id/0", "/yes/a",
        ] {
            assert_eq!(take(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn what_is_quoted_of_a_login_has_no_text() {
        let (shown, more) = quoted(br#"{"a": [1, "secret", {"token": "secret"}]}"#);
        assert_eq!(
            (shown.as_str(), more),
            (r#"{\"a\":[1,\"*\",{\"token\":\"***\"}]}"#, false)
        );
        assert_eq!(quoted(b"not {"), (String::new(), true));
        let wrong = unquoted(Wrong::Shape {
            request: Box::new(Asked::get("/login")),
            why: Complaint::Body {
                mismatch: BodyMismatch::Lacks {
                    expected: "a".to_owned(),
                    start: Start {
                        text: "secret".to_owned(),
                        more: false,
                    },
                },
            },
        });
        assert!(!format!("{wrong:?}").contains("secret"), "{wrong:?}");
    }
}
