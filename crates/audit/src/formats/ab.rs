//! ApacheBench's report.

mod checks;
mod limits;
mod report;
mod table;

use crate::finding;
use crate::gather::Block;
use crate::sheet::Sheet;

pub use report::Report;

/// What comes first in every report.
const HEAD: [&str; 4] = [
    "Document Path:",
    "Concurrency Level:",
    "Time taken for tests:",
    "Complete requests:",
];

impl Block for Report {
    fn ends_before(&self, text: &str) -> bool {
        // Rate and percentiles come after these.
        let is_late = self.rate.is_some() || !self.percentiles.is_empty();
        is_late && HEAD.iter().any(|label| text.starts_with(label))
            || text.starts_with("This is ApacheBench")
            || text.starts_with("Server Software:")
            || (text.starts_with("Document Path:") && self.path.is_some())
            || (text.starts_with("Concurrency Level:") && self.concurrency.is_some())
            || (text.starts_with("Complete requests:") && self.complete.is_some())
    }

    fn read(&mut self, text: &str, line: usize) -> bool {
        let known = self.take(text, line);
        self.begun |= known;
        known
    }

    fn is_one(&self) -> bool {
        let head = [
            &self.concurrency,
            &self.seconds,
            &self.complete,
            &self.rate,
            &self.mean,
        ];
        head.iter().filter(|f| f.is_some()).count() >= 2
    }

    fn check(&self, span: (usize, usize), sheet: &mut Sheet) -> finding::Report {
        checks::check(self, span, sheet)
    }
}
