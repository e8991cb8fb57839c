//! Calls over gRPC.

use std::path::{Path, PathBuf};

use photofinish_model::{Expect, Grpc, Request, Secret, Template};
use photofinish_proto::{Error, Schema, Stated, call};

use super::checked;
use super::request::{read_headers, read_streams};
use crate::checks::check_varying_path;
use crate::expanded::ExpandedText;
use crate::expect::read_expect;
use crate::reader::{Node, Section};
use crate::template::check_request;

/// The call of a workload; `dir` is the study's folder. Where something is wrong, it is noted.
pub(super) fn read_grpc(section: &Section<'_>, dir: &Path) -> Grpc {
    let method = section.need_such_as("path", "path = \"/package.Service/Method\"");
    let message = section.get("message");
    let text = message.and_then(|node| {
        let text = ExpandedText::read(&node)?;
        node.check(check_request(&text.text()));
        Some(text.template())
    });
    let headers = section.get("headers");
    let asked = Request {
        method: "POST".to_owned(),
        path: Template::fixed(checked(method, check_varying_path)),
        headers: headers.map(|node| read_headers(&node)).unwrap_or_default(),
        body: text.unwrap_or_default(),
    };
    let expect = read_expect(section, &asked);
    if let Some(node) = section.get("expect")
        && (expect.status.is_some() || expect.rows.is_some())
    {
        node.note(
            "a reply over gRPC has neither a status of HTTP nor rows of JSON",
            "each call must end with grpc-status 0; also state body, as JSON, or contains",
        );
    }
    let path = String::from_utf8_lossy(&asked.path.literal()).into_owned();
    let nothing = Grpc {
        path: path.clone(),
        headers: Vec::new(),
        message: Secret::default(),
        messages: None,
        expect: Expect::default(),
        streams: 1,
    };
    let Ok(schema) = read_schema(section, dir) else {
        return nothing;
    };
    let stated = |expect| Stated {
        schema: schema.as_ref(),
        path: &path,
        headers: asked.headers.clone(),
        message: asked.body.expose(),
        expect,
        streams: read_streams(section),
    };
    let of_any_reply = Expect {
        body: None,
        ..expect.clone()
    };
    let (wrong, error) = match (call(stated(of_any_reply)), &expect.body) {
        (Ok(call), None) => return call,
        (Ok(_), Some(_)) => match call(stated(expect)) {
            Ok(call) => return call,
            Err(error) => (section.get("expect"), error),
        },
        (Err(error @ (Error::Path { .. } | Error::NoMethod { .. })), _)
        | (Err(error @ Error::ClientStreaming { .. }), _) => (method, error),
        (Err(error), _) => (message.or(method), error),
    };
    // Without a path that is what was noted.
    if let Some(node) = wrong {
        node.note(error.to_string(), "see docs/protocols.md");
    }
    nothing
}

/// What was wrong with the files was noted.
struct Noted;

/// The schema that `proto` or `descriptor-set` name; `None`: message and reply are bytes.
fn read_schema(section: &Section<'_>, dir: &Path) -> Result<Option<Schema>, Noted> {
    let file = |node: &Node<'_>| Some(dir.join(node.text()?));
    let (proto, set) = (section.get("proto"), section.get("descriptor-set"));
    let imports = section.get("import-path");
    if let (Some(node), None) = (&imports, &proto) {
        node.note(
            "`import-path` is where the imports of `proto` are looked for",
            "add a line such as proto = \"echo.proto\", or leave it out",
        );
    }
    let (node, read) = match (proto, set) {
        (Some(node), Some(_)) => {
            node.note(
                "`proto` and `descriptor-set` are two schemas",
                "give one of them",
            );
            return Err(Noted);
        }
        (Some(node), None) => {
            let folders = imports.map(|node| node.one_or_more()).unwrap_or_default();
            let folders: Vec<PathBuf> = folders.iter().filter_map(file).collect();
            let read = |path: PathBuf| Schema::compile(&path, &folders);
            (node, file(&node).map(read))
        }
        (None, Some(node)) => {
            let read = |path: PathBuf| Schema::descriptor_set(&path);
            (node, file(&node).map(read))
        }
        (None, None) => return Ok(None),
    };
    match read {
        Some(Ok(schema)) => Ok(Some(schema)),
        Some(Err(error)) => {
            node.note(
                error.to_string(),
                "name a file from the study's folder; see docs/protocols.md",
            );
            Err(Noted)
        }
        None => Err(Noted),
    }
}
