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
    /// Adds responses of one status.
    pub fn status(&mut self, status: &str, count: Figure) {
        if self.statuses.len() < ROWS {
            self.statuses.push((status.to_owned(), count));
        }
    }

    /// Adds requests without a response.
    pub fn lost(&mut self, why: &str, count: Figure) {
        if self.lost.len() < ROWS {
            self.lost.push((why.chars().take(80).collect(), count));
        }
    }

    /// Adds responses of one status, or requests without a response if it is no status of HTTP (`0`, `-1`).
    pub fn counted(&mut self, status: &str, count: Figure) {
        let is_number = status
            .trim_start_matches('-')
            .bytes()
            .all(|b| b.is_ascii_digit());
        if !is_number || status.len() == 3 && !status.starts_with(['-', '0']) {
            self.status(status, count);
        } else {
            self.lost(&format!("status {status}"), count);
        }
    }

    /// Whether nothing is listed.
    pub fn is_empty(&self) -> bool {
        self.statuses.is_empty() && self.lost.is_empty()
    }

    /// Responses of any status.
    pub fn responses(&self) -> Range {
        Range::total(self.statuses.iter().map(|(_, n)| n))
    }

    /// Responses with a status of 2xx or 3xx.
    pub fn good(&self) -> Range {
        let good = |(status, _): &&(String, Figure)| status.starts_with(['2', '3']);
        Range::total(self.statuses.iter().filter(good).map(|(_, n)| n))
    }

    /// Requests without a response.
    pub fn without(&self) -> Range {
        Range::total(self.lost.iter().map(|(_, n)| n))
    }

    /// All that were counted.
    pub fn all(&self) -> Range {
        self.responses().plus(self.without())
    }

    /// The counts.
    pub fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.statuses.iter().chain(&self.lost).map(|(_, n)| n)
    }

    /// Error statuses and requests without a response, which are `lost`, as shares of all.
    pub fn check(&self, sheet: &mut Sheet, lost: Failed) {
        let all = self.all();
        let text = digits(all.mid());
        let mut fine = true;
        for (status, count) in &self.statuses {
            let bad = status.starts_with(['4', '5']) || status == "non-2xx";
            if bad && count.range.is_some_and(|n| n.hi > 0.0) {
                fine = false;
                let what = format!("responses with status {status}");
                rules::failures_of(sheet, count, all, (&text, &[]), &what, Failed::Response);
            }
        }
        for (why, count) in &self.lost {
            if count.range.is_some_and(|n| n.hi > 0.0) {
                fine = false;
                let what = format!("requests without a response ({why})");
                rules::failures_of(sheet, count, all, (&text, &[]), &what, lost);
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
