//! Checks that several tools share.

mod distribution;
mod histogram;

pub use distribution::{Latency, Slack, no_mean};
pub use histogram::Histogram;

use crate::figure::{Figure, Range, digits, percent};
use crate::finding::{Rule, Severity};
use crate::sheet::Sheet;

/// Why connections = rate × mean was not checked, and what would be needed.
pub fn law_not_checked(sheet: &mut Sheet, figures: &[&Figure], why: &str, remedy: &str) {
    if !figures.is_empty() {
        sheet.add(
            Severity::NotChecked,
            Rule::LittlesLaw,
            figures,
            format!("connections = rate × mean was not checked: {why}"),
            remedy,
        );
    }
}

/// The parts must add up to the total.
pub fn sum(sheet: &mut Sheet, total: &Figure, parts: &[&Figure], what: &str, meaning: &str) {
    let (Some(all), Some(added)) = (
        total.range,
        parts
            .iter()
            .try_fold(Range::exact(0.0), |sum, p| Some(sum.plus(p.range?))),
    ) else {
        return;
    };
    let texts: Vec<&str> = parts.iter().map(|p| p.text.as_str()).collect();
    let mut figures = vec![total];
    figures.extend(parts);
    sheet.must(
        added.meets(all),
        Rule::Sum,
        &figures,
        format!(
            "{what}: {} = {added}; printed {}",
            texts.join(" + "),
            total.text
        ),
        meaning,
    );
}

/// What a failure did to the figures beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Failed {
    /// A response came and was none of those that were wanted.
    Response,
    /// No response came, and the request is not in the latency.
    #[default]
    Lost,
    /// No response came, and the time until that was clear is in the latency.
    Timed,
}

impl Failed {
    fn meaning(self) -> &'static str {
        match self {
            Self::Response => {
                "These count as requests in rate and latency, but did not do the job: an error response is often faster than the real thing."
            }
            Self::Timed => {
                "The time until they failed is in the latency: a refused connection is quicker than any response, and a timeout takes as long as it was set."
            }
            Self::Lost => {
                "These are not in the latency: what a user waited for them is missing from mean and percentiles."
            }
        }
    }
}

/// Requests that failed, of all: a note below 1%, doubtful from there on.
pub fn failures(sheet: &mut Sheet, failed: &Figure, all: &Figure, what: &str) {
    if let Some(n) = all.range {
        failures_of(
            sheet,
            failed,
            n,
            (&all.text, &[all]),
            what,
            Failed::Response,
        );
    }
}

/// The same of a number that the report does not print: its text and the figures that it is from.
pub fn failures_of(
    sheet: &mut Sheet,
    failed: &Figure,
    all: Range,
    (text, from): (&str, &[&Figure]),
    what: &str,
    kind: Failed,
) {
    let Some(bad) = failed.range else { return };
    if bad.hi <= 0.0 {
        sheet.holds(Rule::Errors, &[failed], format!("{what}: {}", failed.text));
        return;
    }
    let share = bad.mid() / all.mid().max(1.0);
    let severity = if share < 0.01 {
        Severity::Note
    } else {
        Severity::Doubtful
    };
    let mut figures = vec![failed];
    figures.extend(from);
    // Tools count a request that is tried again, or fails in several ways, more than once: what is more than all is no share of them.
    let says = if bad.above(all) {
        format!("{what}: {}, counted beside {text}", failed.text)
    } else {
        format!("{what}: {} of {text} = {}", failed.text, percent(share))
    };
    sheet.add(severity, Rule::Errors, &figures, says, kind.meaning());
}

/// The name of a quantile, a share of 1: `99.9%`.
pub fn percentile(q: f64) -> String {
    format!("{}%", digits(q * 100.0))
}

/// The path of a URL.
pub fn path(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.find('/').map_or("/", |at| &rest[at..]).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Scan;

    fn figure(text: &str) -> Figure {
        Scan::new(text, 1).number().expect("a number")
    }

    #[test]
    fn a_share_is_never_above_all() {
        let mut sheet = Sheet::default();
        failures(&mut sheet, &figure("600"), &figure("300"), "failures");
        assert_eq!(
            sheet.findings[0].arithmetic,
            "failures: 600, counted beside 300"
        );
    }
}
