//! `[[workload]]`: what is sent, what must come back, and the load levels.

use crate::checks::{METHODS, check_header_name, check_header_value, check_name, check_path};
use crate::levels::{MAX_CONNECTIONS, MAX_RATE, RATE_CONNECTIONS};
use crate::limits;
use crate::nearest::advice;
use crate::plan::{Arrivals, Load, Workload};
use crate::reader::{Node, Section};
use crate::service::Services;

pub(crate) const WORKLOAD_KEYS: &[&str] = &[
    "name",
    "path",
    "method",
    "headers",
    "body",
    "expect",
    "timeout",
    "connections",
    "rates",
    "arrivals",
    "rate-connections",
    "targets",
    "service",
    "before",
    "count-after",
];
pub(crate) const EXPECT_KEYS: &[&str] = &["status", "body"];

/// The items of `[[key]]`.
pub(crate) fn sections<'d>(
    file: &Section<'d>,
    key: &str,
    allowed: &[&str],
) -> Vec<(Node<'d>, Section<'d>)> {
    let what = format!("[[{key}]]");
    let Some(node) = file.get(key) else {
        return Vec::new();
    };
    if node.is_table() {
        node.note(
            format!("`{key}` is a list of tables"),
            format!("write {what} with two brackets, once for each"),
        );
        return Vec::new();
    }
    let items = node.list(&what).unwrap_or_default();
    items
        .into_iter()
        .filter_map(|item| Some((item, item.section(&what, allowed, &what)?)))
        .collect()
}

/// Reads all workloads; `labels` are those of the study's targets.
pub(crate) fn read_workloads(
    file: &Section<'_>,
    labels: &[&str],
    services: &Services<'_>,
) -> Vec<Workload> {
    let mut workloads: Vec<Workload> = Vec::new();
    for (node, section) in sections(file, "workload", WORKLOAD_KEYS) {
        let workload = read_workload(&section, labels, services);
        let name = &workload.name;
        if !name.is_empty() && workloads.iter().any(|other| other.name == *name) {
            node.note(
                format!("the workload `{name}` is there twice"),
                "give each a name of its own; several load levels of one go into one list",
            );
        }
        workloads.push(workload);
    }
    if workloads.is_empty() && file.get("workload").is_none() {
        file.note(
            "a study needs at least one [[workload]]",
            "add [[workload]] with name = \"plaintext\", path = \"/plaintext\", connections = [100]",
        );
    }
    workloads
}

fn read_workload(section: &Section<'_>, labels: &[&str], services: &Services<'_>) -> Workload {
    let name = section.need("name", "name = \"plaintext\"");
    let path = section.need("path", "path = \"/plaintext\"");
    let expect = section
        .get("expect")
        .and_then(|node| node.section("`expect`", EXPECT_KEYS, "expect = { status = 200 }"));
    let status = expect
        .as_ref()
        .and_then(|expect| expect.get("status")?.integer(100..=599));
    let body = expect
        .as_ref()
        .and_then(|expect| expect.get("body")?.any_text());
    let targets = read_labels(section, labels);
    let hooks = services.hooks(section, labels, &targets);
    Workload {
        name: checked(name, check_name),
        path: checked(path, check_path),
        method: section
            .get("method")
            .and_then(|node| node.word(&METHODS))
            .unwrap_or("GET")
            .to_owned(),
        headers: section
            .get("headers")
            .map(|node| read_headers(&node))
            .unwrap_or_default(),
        body: section
            .get("body")
            .and_then(|node| node.any_text())
            .map(|body| body.as_bytes().to_vec())
            .unwrap_or_default(),
        expect_status: status.and_then(|status| u16::try_from(status).ok()),
        expect_body: body.map(|body| body.as_bytes().to_vec()),
        timeout: section.duration_or(
            "timeout",
            limits::ANSWER_TIMEOUT,
            limits::DEFAULT_ANSWER_TIMEOUT,
        ),
        loads: read_loads(section),
        targets,
        before: hooks.before,
        count_after: hooks.count_after,
    }
}

fn checked(
    node: Option<Node<'_>>,
    check: impl Fn(&str) -> Result<(), crate::checks::Wrong>,
) -> String {
    let Some((node, text)) = node.and_then(|node| Some((node, node.text()?))) else {
        return String::new();
    };
    if let Err((message, allowed)) = check(text) {
        node.note(message, format!("allowed: {allowed}"));
    }
    text.to_owned()
}

fn read_headers(node: &Node<'_>) -> Vec<(String, String)> {
    let mut headers: Vec<(String, String)> = Vec::new();
    for entry in node.entries("headers = { Accept = \"text/plain\" }") {
        let name = entry.node.name();
        if let Err((message, allowed)) = check_header_name(name) {
            entry.note_key(message, format!("allowed: {allowed}"));
        }
        if headers
            .iter()
            .any(|(other, _)| other.eq_ignore_ascii_case(name))
        {
            entry.note_key(
                format!("the header `{name}` is there twice"),
                "names of headers are the same in upper and lower case",
            );
        }
        let Some(value) = entry.node.any_text() else {
            continue;
        };
        if let Err((message, allowed)) = check_header_value(name, value) {
            entry.node.note(message, format!("allowed: {allowed}"));
        }
        headers.push((name.to_owned(), value.to_owned()));
    }
    headers
}

fn read_loads(section: &Section<'_>) -> Vec<Load> {
    let items = |key| {
        let node = section.get(key);
        node.map(|node| node.one_or_more()).unwrap_or_default()
    };
    let (connections, rates) = (items("connections"), items("rates"));
    let arrivals = section.get("arrivals");
    let over = section.get("rate-connections");
    for node in [arrivals, over].into_iter().flatten() {
        if section.get("rates").is_none() {
            node.note(
                format!("`{}` says nothing without `rates`", node.name()),
                "add rates = [1000], or leave it out",
            );
        }
    }
    if connections.is_empty() && rates.is_empty() {
        section.note(
            "the workload has no load level",
            "add connections = [100] (closed loop) or rates = [1000] (open loop)",
        );
    }
    let arrivals = match arrivals.and_then(|node| node.word(&["poisson", "constant"])) {
        Some("constant") => Arrivals::Constant,
        _ => Arrivals::Poisson,
    };
    let over = over.and_then(|node| node.integer(1..=MAX_CONNECTIONS));
    let mut loads: Vec<Load> = Vec::new();
    let closed = connections.iter().map(|node| {
        let connections = node.integer(1..=MAX_CONNECTIONS);
        (
            node,
            connections.map(|connections| Load::Closed { connections }),
        )
    });
    let open = rates.iter().map(|node| {
        let rate = node.number(
            |rate| rate > 0.0 && rate <= MAX_RATE,
            "above 0 and at most 10000000 requests per second",
        );
        let load = rate.map(|rate| Load::Open {
            rate,
            arrivals,
            connections: over.unwrap_or(RATE_CONNECTIONS),
        });
        (node, load)
    });
    for (node, load) in closed.chain(open) {
        let Some(load) = load else { continue };
        if loads.contains(&load) {
            node.note("this load level is there twice", "name each level once");
        }
        loads.push(load);
    }
    loads
}

pub(crate) fn read_labels(section: &Section<'_>, labels: &[&str]) -> Vec<String> {
    let Some(node) = section.get("targets") else {
        return Vec::new();
    };
    let items = node.list("targets = [\"event-loop\"]").unwrap_or_default();
    if items.is_empty() {
        node.note(
            "`targets` names none",
            "name the targets, or leave `targets` out if it is for all",
        );
    }
    items
        .iter()
        .filter_map(|item| label(item, labels))
        .collect()
}

/// The label of one of the study's targets.
pub(crate) fn label(node: &Node<'_>, labels: &[&str]) -> Option<String> {
    let label = node.text()?;
    // Without any target the study's own mistake is told already.
    if !labels.is_empty() && !labels.contains(&label) {
        node.note(
            format!("`{label}` is not one of the study's targets"),
            advice(label, "targets of the study", labels.iter().copied()),
        );
    }
    Some(label.to_owned())
}
