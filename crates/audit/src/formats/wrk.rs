//! The report of wrk and wrk2.

mod checks;
mod little;
mod report;

use crate::format::{Format, Found, Take};
use crate::lines::Line;
use report::Report;

/// Lines without anything known after which a report has ended (wrk2's spectrum has about a hundred in between).
const GAP: usize = 25;

/// Picks wrk's reports out of lines.
#[derive(Default)]
pub struct Reader {
    report: Option<Report>,
    /// Last line of wrk2's spectrum, whose rows are not fields.
    spectrum: usize,
}

impl Reader {
    /// Reads one line; a report that it shows to have ended comes back.
    fn read(&mut self, line: &Line<'_>) -> Option<Report> {
        let text = line.text.as_ref();
        let Some(report) = &mut self.report else {
            let mut fresh = Report::default();
            if fresh.read(text, line.number) {
                (fresh.first, fresh.last, fresh.fields) = (line.number, line.number, 1);
                self.report = Some(fresh);
            }
            return None;
        };
        if report.wrk2 && spectrum(text) {
            self.spectrum = line.number;
        }
        let stale = line.number > report.last.max(self.spectrum) + GAP;
        let again = (text.starts_with("Running ") && text.contains(" test @ "))
            || (report.latency.is_some() && text.starts_with("Thread Stats"))
            || (report.rate.is_some() && text.starts_with("Requests/sec"));
        if stale || again {
            let done = self.take();
            self.read(line);
            return done;
        }
        if report.read(text, line.number) {
            report.last = line.number;
            report.fields += 1;
        }
        None
    }

    /// The report that is under way, if it says enough to be one.
    fn take(&mut self) -> Option<Report> {
        self.report.take().filter(Report::is_one)
    }
}

/// A row of the detailed percentile spectrum, or one of its `#[Mean = …]` lines.
fn spectrum(text: &str) -> bool {
    text.starts_with("#[") || text.starts_with(|c: char| c.is_ascii_digit()) && text.contains('.')
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
