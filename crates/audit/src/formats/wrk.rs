//! The report of wrk and wrk2.

mod checks;
mod little;
mod report;
mod spectrum;

use crate::finding;
use crate::gather::Block;
use crate::sheet::Sheet;

pub use report::Report;

impl Block for Report {
    fn ends_before(&self, text: &str) -> bool {
        (text.starts_with("Running ") && text.contains(" test @ "))
            || (self.latency.is_some() && text.starts_with("Thread Stats"))
            || (self.rate.is_some() && text.starts_with("Requests/sec"))
    }

    fn read(&mut self, text: &str, line: usize) -> bool {
        let known = self.take(text, line);
        self.begun |= known;
        known
    }

    fn is_one(&self) -> bool {
        let core = [
            self.latency.is_some(),
            self.requests.is_some(),
            self.rate.is_some(),
            self.connections.is_some(),
        ];
        core.iter().filter(|&&c| c).count() >= 2
    }

    fn check(&self, span: (usize, usize), sheet: &mut Sheet) -> finding::Report {
        checks::check(self, span, sheet)
    }
}
