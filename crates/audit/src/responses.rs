//! Responses by status and requests without a response, as most tools list them.

use crate::figure::{Figure, Range, Scan, digits};
use crate::finding::{Rule, Severity};
use crate::rules::{self, Failed};
use crate::sheet::Sheet;

/// Rows that are read of a list: no true report has more.
const ROWS: usize = 1000;

/// The share of requests that may be errors which are not in the text.
const ERRORS: f64 = 0.05;

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

    /// Reads `[200] 2858 responses` and `[34] timeout`, as hey and oha print them; whether it was one of them.
    pub fn bracketed(&mut self, text: &str, line: usize) -> bool {
        let mut scan = Scan::new(text, line);
        let (true, Some(number), true) = (scan.lit("["), scan.finite(), scan.lit("]")) else {
            return false;
        };
        let mut rest = scan.clone();
        match rest
            .finite()
            .filter(|_| rest.rest().starts_with("response"))
        {
            Some(count) => self.status(&number.text, count),
            None => {
                let why = scan.rest();
                self.lost(why, number);
            }
        }
        true
    }

    /// Whether a rate is a little above what the responses make of it where no error is listed: the list of errors comes last, and
    /// may have been cut off. Then nothing is known for certain; says so.
    pub fn errors_may_be_cut(
        &self,
        rate: &Figure,
        expected: Range,
        figures: &[&Figure],
        sheet: &mut Sheet,
    ) -> bool {
        let Some(printed) = rate.range.filter(|_| self.lost.is_empty()) else {
            return false;
        };
        if !printed.above(expected) || printed.above(expected.scaled(1.0 + ERRORS)) {
            return false;
        }
        let mut all = vec![rate];
        all.extend(figures);
        sheet.add(
            Severity::Doubtful,
            Rule::Rate,
            &all,
            format!("the responses make {expected} per second; printed {}", rate.text),
            "The rate is responses and errors over the time: true only if the list of errors, which comes last, was cut off.",
        );
        true
    }

    /// Responses of any status.
    pub fn responses(&self) -> Range {
        Range::total(self.statuses.iter().map(|(_, n)| n))
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
