//! Requests that a workload takes from files, and the login before them.

use std::collections::BTreeMap;
use std::path::Path;

use photofinish_model::{Blank, Exchange, Login};

use super::request::{read_request, read_version};
use crate::error::Error;
use crate::expect::{FOLLOW, note_useless, read_expect};
use crate::reader::{Node, Section};
use crate::requests::{RequestFiles, check_login, read_requests, read_take};

/// Keys that choose among requests.
const CHOICE_KEYS: &[&str] = &["order", "per-connection"];
/// Keys that state the only request.
const ONE_KEYS: &[&str] = &["path", "method", "body"];

/// An exchange over HTTP: one request, or those of files.
pub(super) fn read_http(section: &Section<'_>, dir: &Path) -> Exchange {
    let version = read_version(section);
    let file = |key: &str| {
        let node = section.get(key)?;
        Some((node, dir.join(node.text()?)))
    };
    let (listed, data) = (file("requests"), file("csv-data"));
    let note = |keys: &[&str], problem: &str, help: &str| {
        for node in keys.iter().filter_map(|key| section.get(key)) {
            node.note(format!("`{}` {problem}", node.name()), help);
        }
    };
    let mut request = match &listed {
        None => read_request(section),
        Some(_) => {
            note(
                ONE_KEYS,
                "has no effect next to `requests`",
                "each line of the file says it; leave it out",
            );
            super::request::read_no_path(section)
        }
    };
    let expect = read_expect(section, &request);
    let places = request.places(Blank::Csv).len() + expect.places(Blank::Csv).len();
    if listed.is_none() && data.is_none() && places == 0 {
        note(
            CHOICE_KEYS,
            "has no effect on a single request",
            "add requests = \"FILE\" or csv-data = \"FILE\", or leave it out",
        );
        return Exchange::Http {
            request,
            expect,
            version,
        };
    }
    note_useless(section, &[FOLLOW], "several requests");
    let read = read_requests(RequestFiles {
        requests: listed.as_ref().map(|(_, path)| &**path),
        csv: data.as_ref().map(|(_, path)| &**path),
        order: section.value("order"),
        per_connection: section.value_or_default("per-connection"),
        request: &request,
        expect: &expect,
        version,
    });
    match read {
        Ok(read) => Exchange::Requests(read.requests),
        Err(error) => {
            let node = listed.or(data).map(|(node, _)| node);
            report(section, node, &error);
            // The mistake is reported; the next steps need a path.
            request.path = photofinish_model::Template::fixed("/");
            Exchange::Http {
                request,
                expect,
                version,
            }
        }
    }
}

fn report(section: &Section<'_>, node: Option<Node<'_>>, error: &Error) {
    let (problem, help) = match error {
        Error::Argument {
            argument,
            problem,
            help,
        } => (format!("{argument}: {problem}"), help.clone()),
        other => (other.to_string(), String::new()),
    };
    match node {
        Some(node) => node.note(problem, help),
        None => section.note(problem, help),
    }
}

/// The login before a workload's requests, which use what it takes.
pub(super) fn read_login(section: &Section<'_>, exchange: &Exchange) -> Option<Login> {
    let node = section.get("login");
    let login = node.and_then(|node| {
        let login = node.section()?;
        let request = read_request(&login);
        let expect = read_expect(&login, &request);
        note_useless(&login, &["same", FOLLOW], "a login");
        let take = login.need("take")?;
        let mut takes = BTreeMap::new();
        for entry in take.entries() {
            let (name, Some(from)) = (entry.node.name(), entry.node.text()) else {
                continue;
            };
            match read_take(name, from) {
                Ok(from) => {
                    takes.insert(name.to_owned(), from);
                }
                Err((problem, allowed)) => {
                    entry.node.note(problem, format!("allowed: {allowed}"));
                }
            }
        }
        Some(Login {
            request,
            expect,
            take: takes,
        })
    });
    // A mistake in the login is reported already.
    if let (Err((problem, help)), true) = (
        check_login(exchange, login.as_ref()),
        node.is_none() || login.is_some(),
    ) {
        match node {
            Some(node) => node.note(problem, help),
            None => section.note(problem, help),
        }
    }
    login
}
