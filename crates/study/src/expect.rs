//! `expect`: what must come back.

use photofinish_model::{Expect, Part, Recall, Request, Template};

use crate::reader::{Node, Section};
use crate::template::check_recall;

/// The key that says that redirects are followed.
pub(crate) const FOLLOW: &str = "follow-redirects";

/// What `expect` says of the responses to a request.
pub(crate) fn read_expect(section: &Section<'_>, request: &Request) -> Expect {
    let Some(expect) = section.section("expect") else {
        return Expect::default();
    };
    let status: Option<u32> = expect.value("status");
    let body = expect.get("body").and_then(|node| node.any_text());
    for node in ["contains", "rows"]
        .iter()
        .filter_map(|key| expect.get(key))
    {
        if body.is_some() {
            node.note(
                format!("`{}` adds nothing to `body`", node.name()),
                "state the whole body, or what it must be like where it varies",
            );
        }
    }
    let contains = expect
        .get("contains")
        .and_then(|node| read_contains(&node, request));
    Expect {
        status: status.and_then(|status| u16::try_from(status).ok()),
        body: body.map(|body| body.as_bytes().to_vec()),
        contains: contains.unwrap_or_default(),
        rows: expect.value::<u32>("rows").map(u64::from),
        same: expect.value_or_default("same"),
        follow_redirects: follows_redirects(&expect, request),
    }
}

/// Whether redirects are followed: of one request that is always the same, and changes nothing.
fn follows_redirects(expect: &Section<'_>, request: &Request) -> bool {
    let follows: bool = expect.value_or_default(FOLLOW);
    let is_fixed = request.templates().all(Template::is_fixed);
    if follows
        && (request.method != "GET" || !is_fixed)
        && let Some(node) = expect.get(FOLLOW)
    {
        node.note(
            "redirects are followed of a GET that is the same each time",
            "state the path that the redirect leads to, and leave it out",
        );
    }
    follows
}

/// Notes keys of `expect` that say nothing of these responses, such as those to a login.
pub(crate) fn note_useless(section: &Section<'_>, keys: &[&str], of: &str) {
    let Some(expect) = section.section("expect") else {
        return;
    };
    for node in keys.iter().filter_map(|key| expect.get(key)) {
        let problem = format!("`{}` has no effect on {of}", node.name());
        node.note(problem, "leave it out");
    }
}

/// What is repeated must have been said.
fn read_contains(node: &Node<'_>, request: &Request) -> Option<Vec<Recall>> {
    let text = node.text()?;
    if let Err((message, allowed)) = check_recall(text) {
        node.note(message, format!("allowed: {allowed}"));
        return None;
    }
    let asked = |fits: fn(&Part) -> bool| {
        let parts = request.templates().flat_map(|template| &template.0);
        parts.filter(|part| fits(part)).count()
    };
    let randoms = asked(|part| matches!(part, Part::Random { .. }));
    if randoms > 1 && text.contains("{random}") {
        node.note(
            format!("`{{random}}` could be each of the request's {randoms} random numbers"),
            "write {first-random} for the first one, in the order path, headers, body; no other can be asked for, so \
             put the one that must come back there first",
        );
        return None;
    }
    let missing = |recall: &Recall| match recall {
        Recall::Random => (randoms == 0).then_some(("{random}", "{random:1..100}")),
        Recall::Counter => {
            (asked(|part| *part == Part::Counter) == 0).then_some(("{counter}", "{counter}"))
        }
        Recall::Bytes(_) => None,
    };
    let recalled = Recall::parse(text);
    if let Some((what, needed)) = recalled.iter().find_map(missing) {
        node.note(
            format!("`{what}` cannot come back: the request has none"),
            format!("put {needed} into the path, a header or the body"),
        );
    }
    Some(recalled)
}
