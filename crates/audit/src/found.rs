//! What was found so far.

use crate::finding::{Audit, Finding, Report};
use crate::laws;
use crate::layout::Layout;
use crate::record::Record;
use crate::sheet::Sheet;

/// Reports with their findings, in the order in which the formats finished them.
#[derive(Default)]
pub struct Found(Vec<(Report, Vec<Finding>)>);

impl Found {
    /// Checks each of `parsed`, and keeps the reports with what was found.
    pub fn check<T>(
        &mut self,
        parsed: impl IntoIterator<Item = T>,
        check: impl Fn(&T, &mut Sheet) -> Report,
    ) {
        for one in parsed {
            let mut sheet = Sheet::default();
            let mut report = check(&one, &mut sheet);
            // Absurd counts can overflow; infinity is no number of bytes, and JSON has none.
            report.response_bytes = report
                .response_bytes
                .filter(|b| b.0.is_finite() && b.1.is_finite());
            self.0.push((report, sheet.findings));
        }
    }

    /// Checks each of these reports of a layout.
    pub fn check_all(&mut self, layout: &Layout, records: impl IntoIterator<Item = Record>) {
        self.check(records, |record, sheet| laws::check(layout, record, sheet));
    }

    /// How many reports there are.
    pub fn reports(&self) -> usize {
        self.0.len()
    }

    /// Reports and findings by line.
    pub fn into_audit(mut self) -> Audit {
        self.0.sort_by_key(|(r, _)| (r.first_line, r.last_line));
        let mut audit = Audit::default();
        for (at, (report, mut findings)) in self.0.into_iter().enumerate() {
            findings.sort_by_key(|f| f.lines.first().copied());
            for finding in &mut findings {
                finding.report = at;
            }
            audit.reports.push(report);
            audit.findings.append(&mut findings);
        }
        audit
    }
}
