//! `expect`: what must come back.

use crate::plan::Workload;
use crate::reader::{Node, Section};
use crate::template::{Part, check_recall, parts};

pub(crate) const EXPECT_KEYS: &[&str] = &["status", "body", "contains", "rows"];

/// The most rows that an answer may be asked for: a million.
const ROWS: u32 = 1_000_000;

/// The workload with what its `expect` says.
pub(crate) fn read_expect(section: &Section<'_>, workload: Workload) -> Workload {
    let expect = section
        .get("expect")
        .and_then(|node| node.section("`expect`", EXPECT_KEYS, "expect = { status = 200 }"));
    let Some(expect) = expect else {
        return workload;
    };
    let status = expect
        .get("status")
        .and_then(|node| node.integer(100..=599));
    let body = expect.get("body").and_then(|node| node.any_text());
    for node in ["contains", "rows"]
        .iter()
        .filter_map(|key| expect.get(key))
    {
        if body.is_some() {
            node.note(
                format!("`{}` says nothing beside `body`", node.name()),
                "state the whole body, or what it must be like where it varies",
            );
        }
    }
    let contains = expect
        .get("contains")
        .and_then(|node| read_contains(&node, &workload));
    Workload {
        expect_status: status.and_then(|status| u16::try_from(status).ok()),
        expect_body: body.map(|body| body.as_bytes().to_vec()),
        expect_contains: contains,
        expect_rows: expect
            .get("rows")
            .and_then(|node| node.integer(0..=ROWS))
            .map(u64::from),
        ..workload
    }
}

/// What is repeated must have been said.
fn read_contains(node: &Node<'_>, workload: &Workload) -> Option<String> {
    let text = node.text()?;
    if let Err((message, allowed)) = check_recall(text) {
        node.note(message, format!("allowed: {allowed}"));
        return None;
    }
    let asked = |fits: fn(&Part<'_>) -> bool| {
        let headers = workload.headers.iter().map(|(_, value)| value.as_bytes());
        let texts = [workload.path.as_bytes(), &workload.body]
            .into_iter()
            .chain(headers);
        texts
            .map(|text| parts(text).into_iter().filter(fits).count())
            .sum::<usize>()
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
    let missing = |part: &Part<'_>| match part {
        Part::Recalled => (randoms == 0).then_some(("{random}", "{random:1..100}")),
        Part::Counter => {
            (asked(|part| *part == Part::Counter) == 0).then_some(("{counter}", "{counter}"))
        }
        Part::Bytes(_) | Part::Random { .. } => None,
    };
    if let Some((what, needed)) = parts(text.as_bytes()).iter().find_map(missing) {
        node.note(
            format!("`{what}` cannot come back: the request has none"),
            format!("put {needed} into the path, a header or the body"),
        );
    }
    Some(text.to_owned())
}
