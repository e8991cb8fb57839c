//! The request of a workload, and the version of HTTP that it is sent in.

use photofinish_model::{Request, Secret, Template, Version};

use super::checked;
use crate::checks::{check_filled_path, check_header_name, check_header_value};
use crate::expanded::ExpandedText;
use crate::reader::{Node, Section};
use crate::template::check_request;

/// The version of HTTP: 1.1 unless `http2 = true`.
pub(crate) fn read_version(section: &Section<'_>) -> Version {
    let http2: bool = section.value_or_default("http2");
    let streams = section.get("streams");
    if http2 {
        return Version::Http2 {
            streams: read_streams(section),
        };
    }
    if let Some(node) = streams {
        node.note(
            "`streams` has no meaning over HTTP/1.1",
            "add http2 = true, or leave it out",
        );
    }
    Version::Http1
}

/// How many requests are in flight on a connection at most: one where nothing is said.
pub(super) fn read_streams(section: &Section<'_>) -> u32 {
    section.value_or_default("streams")
}

/// After how many requests a connection is closed; over HTTP/1.1 alone.
pub(super) fn read_requests_per_connection(section: &Section<'_>, version: Version) -> Option<u32> {
    let node = section.get("requests-per-connection")?;
    if !version.is_http1() {
        node.note(
            "`requests-per-connection` is for HTTP/1.1",
            "leave it out, or leave out http2",
        );
    }
    section.value("requests-per-connection")
}

/// What is said of all requests of a file: their headers.
pub(super) fn read_no_path(section: &Section<'_>) -> Request {
    Request {
        headers: (section.get("headers"))
            .map(|node| read_headers(&node))
            .unwrap_or_default(),
        ..Request::get("/")
    }
}

pub(super) fn read_request(section: &Section<'_>) -> Request {
    let path = section.need("path");
    let body = section.get("body").and_then(|node| {
        let body = ExpandedText::read(&node)?;
        node.check(check_request(&body.text()));
        Some(body.template())
    });
    Request {
        method: section.word("method").unwrap_or("GET").to_owned(),
        path: Template::parse(checked(path, check_filled_path)),
        headers: section
            .get("headers")
            .map(|node| read_headers(&node))
            .unwrap_or_default(),
        body: body.unwrap_or_default(),
    }
}

pub(super) fn read_headers(node: &Node<'_>) -> Vec<(String, Secret<Template>)> {
    let mut headers: Vec<(String, Secret<Template>)> = Vec::new();
    for entry in node.entries() {
        let name = entry.node.name();
        entry.check_key(check_header_name(name));
        if headers
            .iter()
            .any(|(other, _)| other.eq_ignore_ascii_case(name))
        {
            entry.note_key(
                format!("the header `{name}` is listed twice"),
                "names of headers are the same in upper and lower case",
            );
        }
        let Some(value) = ExpandedText::read(&entry.node) else {
            continue;
        };
        entry.node.check(check_header_value(name, &value.text()));
        headers.push((name.to_owned(), value.header_value(name)));
    }
    headers
}
