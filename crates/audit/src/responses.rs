//! Responses by status and requests without a response, as most tools list them.

use crate::figure::{Figure, Range, digits};
use crate::finding::Rule;
use crate::rules::{self, Failed};
use crate::sheet::Sheet;

/// Rows that are read of a list: no true report has more.
const ROWS: usize = 1000;

/// The counts of one report.
#[derive(Debug, Default)]
pub struct Responses {
    /// Status (`200`, `4xx`) and count.
    pub statuses: Vec<(String, Figure)>,
    /// What went wrong, and how often.
    pub lost: Vec<(String, Figure)>,
}

impl Responses {
    /// Adds requests without a response.
    pub fn lost(&mut self, why: &str, count: Figure) {
        if self.lost.len() < ROWS {
            self.lost.push((why.chars().take(80).collect(), count));
        }
    }

    /// Adds responses of one status, or requests without a response if it is no status of HTTP (`0`, `-1`).
    pub fn counted(&mut self, status: &str, count: Figure) {
        let digits = status.trim_start_matches('-');
        let is_number = digits.bytes().all(|b| b.is_ascii_digit());
        if is_number && (status.len() != 3 || status.starts_with(['-', '0'])) {
            self.lost(&format!("status {status}"), count);
        } else if self.statuses.len() < ROWS {
            self.statuses.push((status.to_owned(), count));
        }
    }

    /// Whether nothing is listed.
    pub fn is_empty(&self) -> bool {
        self.statuses.is_empty() && self.lost.is_empty()
    }

    /// The sum of the `responses`, of the `good` ones, whose status is 2xx or 3xx, or of the requests that were `lost`.
    pub fn total(&self, name: &str) -> Option<Range> {
        let is_good = |(status, _): &&(String, Figure)| status.starts_with(['2', '3']);
        let sum = match name {
            "responses" => Range::total(self.statuses.iter().map(|(_, n)| n)),
            "good" => Range::total(self.statuses.iter().filter(is_good).map(|(_, n)| n)),
            "lost" => Range::total(self.lost.iter().map(|(_, n)| n)),
            _ => return None,
        };
        (!self.is_empty()).then_some(sum)
    }

    /// The counts.
    pub fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.statuses.iter().chain(&self.lost).map(|(_, n)| n)
    }

    /// Error statuses and requests without a response, which are `lost`, as shares of all.
    pub fn check(&self, sheet: &mut Sheet, lost: Failed) {
        let all = Range::total(self.figures());
        let text = digits(all.mid());
        let is_bad = |status: &str| status.starts_with(['4', '5']) || status == "non-2xx";
        let bad = self.statuses.iter().filter(|(status, _)| is_bad(status));
        let bad = bad.map(|(status, n)| {
            (
                format!("responses with status {status}"),
                n,
                Failed::Response,
            )
        });
        let without = self
            .lost
            .iter()
            .map(|(why, n)| (format!("requests without a response ({why})"), n, lost));
        let mut fine = true;
        for (what, count, kind) in bad.chain(without) {
            if count.range.is_some_and(|n| n.hi > 0.0) {
                fine = false;
                rules::failures_of(sheet, count, all, (&text, &[]), &what, kind);
            }
        }
        if fine && let Some(first) = self.figures().next() {
            sheet.holds(
                Rule::Errors,
                &[first],
                format!("{text} responses, none of them an error"),
            );
        }
    }
}
