//! go-stress-testing's table and summary, in Chinese.

mod checks;
mod report;

use crate::format::{Format, Found, Take};
use crate::lines::Line;
use report::Report;

/// Lines without anything known after which a report has ended.
const GAP: usize = 25;
/// Picks reports out of lines.
#[derive(Default)]
pub struct Reader(Option<Report>);

impl Reader {
    /// Reads one line; a report that it shows to have ended comes back.
    fn read(&mut self, line: &Line<'_>) -> Option<Report> {
        let text = line.text.as_ref();
        let stale = self.0.as_ref().is_some_and(|r| line.number > r.last + GAP);
        let heading = text.contains("耗时") && text.contains("并发数");
        let again = self.0.as_ref().is_some_and(|r| {
            heading && !r.rows.is_empty()
                || text.starts_with("处理协程数量") && r.goroutines.is_some()
        });
        let done = if stale || again { self.take() } else { None };
        let mut report = self.0.take().unwrap_or_default();
        if report.read(text, line.number) {
            if report.first == 0 {
                report.first = line.number;
            }
            report.last = line.number;
        }
        self.0 = (report.first > 0).then_some(report);
        done
    }

    /// The report that is under way.
    fn take(&mut self) -> Option<Report> {
        self.0
            .take()
            .filter(|r| !r.rows.is_empty() || r.total.is_some())
    }
}

impl Format for Reader {
    fn line(&mut self, line: &Line<'_>, found: &mut Found) -> Take {
        found.check(self.read(line), checks::check);
        Take::Passed
    }

    fn end(&mut self, found: &mut Found) {
        found.check(self.take(), checks::check);
    }
}
