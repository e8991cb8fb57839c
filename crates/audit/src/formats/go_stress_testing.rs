//! go-stress-testing's table and summary, in Chinese.

mod checks;
mod report;

use crate::finding;
use crate::gather::Block;
use crate::sheet::Sheet;

pub use report::Report;

impl Block for Report {
    fn ends_before(&self, text: &str) -> bool {
        let heading = text.contains("耗时") && text.contains("并发数");
        heading && !self.rows.is_empty()
            || text.starts_with("处理协程数量") && self.goroutines.is_some()
    }

    fn read(&mut self, text: &str, line: usize) -> bool {
        let known = self.take(text, line);
        self.begun |= known;
        known
    }

    fn is_one(&self) -> bool {
        !self.rows.is_empty() || self.total.is_some()
    }

    fn check(&self, span: (usize, usize), sheet: &mut Sheet) -> finding::Report {
        checks::check(self, span, sheet)
    }
}
