//! Reports of the same endpoint side by side: did both sides send the same?

use crate::finding::{Audit, Finding, Report, Rule, Severity};

/// A report, where it stands, and under which name.
struct Side<'a> {
    name: &'a str,
    at: usize,
    report: &'a Report,
}

/// Reports of one text that are compared with each other; more would make pages of notes.
const SIDES: usize = 64;

/// Adds to an audit what differs between its own reports.
pub fn within(audit: &mut Audit) {
    let sides: Vec<Side<'_>> = sides("", audit).collect();
    let found = differences(&sides, |_, _| true);
    audit.findings.extend(found);
}

/// What differs between reports in different files. [`Finding::report`] is an index into the reports of all audits, one
/// after the other; lines are those of the later report.
pub fn between(audits: &[(&str, &Audit)]) -> Vec<Finding> {
    let mut all: Vec<Side<'_>> = audits
        .iter()
        .flat_map(|(name, audit)| sides(name, audit))
        .collect();
    for (at, side) in all.iter_mut().enumerate() {
        side.at = at;
    }
    differences(&all, |a, b| a.name != b.name)
}

fn sides<'a>(name: &'a str, audit: &'a Audit) -> impl Iterator<Item = Side<'a>> {
    audit
        .reports
        .iter()
        .enumerate()
        .map(move |(at, report)| Side { name, at, report })
}

/// Each report against the first one of its endpoint, so that n reports give at most n − 1 findings an endpoint.
fn differences(sides: &[Side<'_>], wanted: fn(&Side<'_>, &Side<'_>) -> bool) -> Vec<Finding> {
    let mut found = Vec::new();
    for (i, b) in sides.iter().enumerate().take(SIDES) {
        let first = sides[..i].iter().find(|a| {
            wanted(a, b) && a.report.endpoint.is_some() && a.report.endpoint == b.report.endpoint
        });
        if let Some(a) = first
            && let Some(finding) = difference(a, b)
        {
            found.push(finding);
        }
    }
    found
}

fn difference(a: &Side<'_>, b: &Side<'_>) -> Option<Finding> {
    let endpoint = b.report.endpoint.as_deref().unwrap_or("");
    let place = |side: &Side<'_>| match (side.name, side.report.first_line) {
        ("", line) => line.to_string(),
        (name, line) => format!("{name}:{line}"),
    };
    let (from, to) = (place(a), place(b));
    let bodies = a.report.body_bytes.zip(b.report.body_bytes);
    let (severity, bytes, arithmetic, meaning) = if let Some((x, y)) = bodies
        && x != y
    {
        (
            Severity::Doubtful,
            y.to_string(),
            format!("bodies of {endpoint}: {x} bytes at line {from}, {y} bytes at line {to}"),
            "Both sides were asked for the same and sent bodies of different length: they did not do the same job.".to_owned(),
        )
    } else {
        let (x, y) = (a.report.response_bytes?, b.report.response_bytes?);
        // Two runs at the same server may end amid a response, and `Date` has a fixed length; half a byte and 1% is rounding.
        let gap = (y.0 - x.1).max(x.0 - y.1);
        if gap <= 0.5 + 0.01 * x.1.max(y.1) {
            return None;
        }
        let parts = match bodies {
            Some(_) => "The bodies have the same length: the headers differ",
            None => "The responses differ in headers or body",
        };
        (
            Severity::Note,
            format!("{:.0}", y.1),
            format!(
                "bytes transferred / requests for {endpoint}: {:.0} bytes a response at line {from}, {:.0} at line {to}",
                x.1, y.1
            ),
            format!(
                "{parts}, so that the two sides do not send the same on the wire. It costs both sides and the generator work."
            ),
        )
    };
    let mut lines = vec![b.report.first_line];
    if a.name == b.name {
        lines.insert(0, a.report.first_line);
    }
    Some(Finding {
        report: b.at,
        lines,
        rule: Rule::Bytes,
        severity,
        figure: format!("{bytes} bytes"),
        arithmetic,
        meaning,
    })
}
