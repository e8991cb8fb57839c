//! ApacheBench's report.

mod checks;
mod limits;
mod report;

use crate::format::{Format, Found, Take};
use crate::lines::Line;
use report::Report;

/// Lines without anything known after which a report has ended: progress lines and prose stay far below in a report.
const GAP: usize = 25;

/// Picks ab's reports out of lines.
#[derive(Default)]
pub struct Reader(Option<Report>);

impl Reader {
    /// Reads one line; a report that it shows to have ended comes back.
    fn read(&mut self, line: &Line<'_>) -> Option<Report> {
        let text = line.text.as_ref();
        let begins =
            text.starts_with("This is ApacheBench") || text.starts_with("Server Software:");
        let stale = self.0.as_ref().is_some_and(|r| line.number > r.last + GAP);
        let again = self.0.as_ref().is_some_and(|r| {
            (begins && r.fields > 0)
                || (text.starts_with("Document Path:") && r.path.is_some())
                || (text.starts_with("Concurrency Level:") && r.concurrency.is_some())
                || (text.starts_with("Complete requests:") && r.complete.is_some())
        });
        let done = if stale || again { self.take() } else { None };
        let mut report = self.0.take().unwrap_or_default();
        if report.read(text, line.number) {
            if report.fields == 0 {
                report.first = line.number;
            }
            report.fields += 1;
            report.last = line.number;
        }
        self.0 = (report.fields > 0).then_some(report);
        done
    }

    /// The report that is under way, if it says enough to be one.
    fn take(&mut self) -> Option<Report> {
        self.0.take().filter(Report::is_one)
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
