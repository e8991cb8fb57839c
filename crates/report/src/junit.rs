//! JUnit XML, as CI servers read it: what was asked for with `--fail-if` passes or fails, what was lost is an error.
//!
//! Claims and honesty checks that do not hold are told as skipped, with the reason: a job fails
//! just where photofinish's exit code says so, and whoever wants it to fail for them asks for that.

use std::fmt::Write;

use photofinish_judge::comparison::{CheckStatus, ClaimVerdict, Comparison};
use photofinish_judge::threshold::{Condition, Outcome};

/// What became of a test case.
enum End {
    Passed,
    Skipped(String),
    Failed(String),
    Error(String),
}

pub(crate) fn render(comparison: &Comparison, conditions: &[(&Condition, Outcome)]) -> String {
    let study = &comparison.head.name;
    let mut cases: Vec<(&str, String, End)> = Vec::new();
    for (condition, outcome) in conditions {
        let says = outcome.says.join("\n");
        let end = if outcome.holds {
            End::Failed(says)
        } else if says.is_empty() {
            End::Passed
        } else {
            End::Skipped(says)
        };
        cases.push(("fail-if", condition.text().to_owned(), end));
    }
    for failure in &comparison.failures {
        let name = format!("{}, round {}", failure.target, failure.round);
        cases.push(("measurements", name, End::Error(failure.why.clone())));
    }
    for claim in &comparison.claims {
        let end = match claim.verdict {
            ClaimVerdict::Holds => End::Passed,
            _ => End::Skipped(claim.says.clone()),
        };
        let name = format!("({}) {}", claim.claim.id, claim.claim.says);
        cases.push(("claims", name, end));
    }
    for check in &comparison.checks {
        let end = match check.status {
            CheckStatus::Ok => End::Passed,
            _ => End::Skipped(check.says.clone()),
        };
        cases.push(("checks", check.title.clone(), end));
    }
    let count = |wanted: fn(&End) -> bool| cases.iter().filter(|(.., end)| wanted(end)).count();
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "<testsuites><testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" timestamp=\"{}\">",
        escaped(study),
        cases.len(),
        count(|end| matches!(end, End::Failed(_))),
        count(|end| matches!(end, End::Error(_))),
        count(|end| matches!(end, End::Skipped(_))),
        escaped(&comparison.head.started),
    );
    for (class, name, end) in &cases {
        let (class, name) = (escaped(&format!("{study}.{class}")), escaped(name));
        let _ = write!(text, "<testcase classname=\"{class}\" name=\"{name}\"");
        let _ = match end {
            End::Passed => writeln!(text, "/>"),
            End::Skipped(says) => within(&mut text, "skipped", says),
            End::Failed(says) => within(&mut text, "failure", says),
            End::Error(says) => within(&mut text, "error", says),
        };
    }
    let _ = writeln!(
        text,
        "<system-out>{}</system-out>",
        escaped(&comparison.headline)
    );
    text + "</testsuite></testsuites>\n"
}

fn within(text: &mut String, element: &str, says: &str) -> std::fmt::Result {
    writeln!(
        text,
        "><{element} message=\"{}\"/></testcase>",
        escaped(says)
    )
}

/// Text for an attribute or an element: what XML 1.0 cannot hold is replaced.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&apos;"),
            '\n' => safe.push_str("&#10;"),
            '\t' => safe.push(' '),
            c if c < ' ' || c == '\u{fffe}' || c == '\u{ffff}' => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_stays_text() {
        assert_eq!(
            escaped("</a> & \"b\"\u{1b}[0m\n"),
            "&lt;/a&gt; &amp; &quot;b&quot;\u{fffd}[0m&#10;"
        );
    }
}
