//! HAR (HTTP Archive 1.2), as browsers save what they have sent: the requests of it, to the first server that it has.

use std::path::Path;

use photofinish_model::secret::{is_plain_header, remember};
use photofinish_model::{Request, Template};
use serde::Deserialize;
use url::Url;

use super::lines::parse;
use super::{Raw, Read, wrong};
use crate::checks::METHODS;
use crate::error::Error;
use crate::shown::shown;

/// Headers that belong to a connection of the browser's, or that are made anew, separated by spaces.
const NOT_SENT: &str = "host connection keep-alive proxy-connection transfer-encoding content-length upgrade te trailer";

/// How one is made.
pub(super) const HELP: &str =
    "save it in a browser's developer tools, under Network: \"Save all as HAR\" (HTTP Archive 1.2)";

#[derive(Deserialize)]
struct Har {
    log: Log,
}

#[derive(Deserialize)]
struct Log {
    entries: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    request: Recorded,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Recorded {
    method: String,
    url: String,
    #[serde(default)]
    headers: Vec<Field>,
    post_data: Option<Posted>,
}

#[derive(Deserialize)]
struct Field {
    name: String,
    #[serde(default)]
    value: String,
}

#[derive(Deserialize)]
struct Posted {
    text: Option<String>,
    #[serde(default)]
    params: Vec<Field>,
}

/// Whether a file is one: by its name, or by what it begins with.
pub(super) fn is_har(file: &Path, text: &str) -> bool {
    let named = file
        .extension()
        .is_some_and(|name| name.eq_ignore_ascii_case("har"));
    // A line of requests has no `log`.
    let mut begins = text.chars().filter(|c| !c.is_whitespace()).take(7);
    named || begins.by_ref().eq("{\"log\":".chars())
}

/// Reads its requests.
///
/// # Errors
/// By line and column.
pub(super) fn read(file: &Path, text: &str) -> Result<Read, Error> {
    let har: Har = parse(file, 1, text, HELP)?;
    let mut server: Option<String> = None;
    let mut elsewhere = 0;
    let mut raws = Vec::new();
    for (at, Entry { request }) in har.log.entries.into_iter().enumerate() {
        // What is not HTTP, such as `data:` and `blob:`, was never sent to a server.
        let Ok(url) = Url::parse(&request.url) else {
            continue;
        };
        if !matches!(url.scheme(), "http" | "https") {
            continue;
        }
        let its = url[url::Position::BeforeHost..url::Position::AfterPort].to_owned();
        if *server.get_or_insert_with(|| its.clone()) != its {
            elsewhere += 1;
            continue;
        }
        if !METHODS.contains(&&*request.method) {
            let problem = format!("entry {}: unknown method `{}`", at + 1, request.method);
            let help = format!("methods: {}", METHODS.join(", "));
            return Err(wrong(shown(file), problem, help));
        }
        let path = url[url::Position::BeforePath..url::Position::AfterQuery].to_owned();
        raws.push(raw(request, path));
    }
    let left_out = server.filter(|_| elsewhere > 0);
    Ok((raws, left_out.map(|server| (elsewhere, server))))
}

/// What is recorded is sent as it is: what looks like a place to fill in is none.
fn raw(recorded: Recorded, path: String) -> Raw {
    let kept = |field: &Field| {
        let name = field.name.to_ascii_lowercase();
        let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        let is_name = !name.is_empty() && name.chars().all(is_token);
        let is_value = !field.value.chars().any(|c| c.is_control() && c != '\t');
        // Those of HTTP/2 begin with a colon.
        is_name && is_value && !NOT_SENT.split(' ').any(|known| known == name)
    };
    let headers = recorded.headers.into_iter().filter(kept);
    let body = recorded.post_data.map(|posted| match posted.text {
        Some(text) if !text.is_empty() => text,
        _ => {
            let mut form = url::form_urlencoded::Serializer::new(String::new());
            for Field { name, value } in &posted.params {
                form.append_pair(name, value);
            }
            form.finish()
        }
    });
    Raw {
        line: 1,
        text: String::new(),
        request: Request::get(""),
        recorded: Some(Request {
            method: recorded.method,
            path: Template::fixed(path),
            headers: headers
                .map(|field| {
                    let value = field.value.trim();
                    if !is_plain_header(&field.name) {
                        remember(value);
                    }
                    (field.name, Template::fixed(value).into())
                })
                .collect(),
            body: Template::fixed(body.unwrap_or_default()).into(),
        }),
        expect: None,
        weight: None,
    }
}
