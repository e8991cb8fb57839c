//! The sheet on which a report's checks are written down.

use crate::figure::{Figure, Range};
use crate::finding::{Finding, Rule, Severity};

/// The checks of one report.
#[derive(Default)]
pub struct Sheet {
    /// What has been found so far.
    pub findings: Vec<Finding>,
}

impl Sheet {
    /// Writes down one finding about `figures`, the first of which is the one in question.
    pub fn add(
        &mut self,
        severity: Severity,
        rule: Rule,
        figures: &[&Figure],
        arithmetic: impl Into<String>,
        meaning: impl Into<String>,
    ) {
        let mut lines: Vec<usize> = figures.iter().map(|f| f.line).collect();
        lines.sort_unstable();
        lines.dedup();
        self.findings.push(Finding {
            report: 0,
            lines,
            rule,
            severity,
            figure: figures.first().map(|f| f.text.clone()).unwrap_or_default(),
            arithmetic: arithmetic.into(),
            meaning: meaning.into(),
        });
    }

    /// Writes down a check that holds.
    pub fn holds(&mut self, rule: Rule, figures: &[&Figure], arithmetic: impl Into<String>) {
        self.add(Severity::Holds, rule, figures, arithmetic, "");
    }

    /// Holds if `ok`, else cannot be true.
    pub fn must(
        &mut self,
        ok: bool,
        rule: Rule,
        figures: &[&Figure],
        arithmetic: impl Into<String>,
        meaning: &str,
    ) {
        if ok {
            self.holds(rule, figures, arithmetic);
        } else {
            self.add(Severity::Impossible, rule, figures, arithmetic, meaning);
        }
    }

    /// Complains of every figure that is NaN; true if there was none.
    pub fn numbers<'a>(
        &mut self,
        figures: impl IntoIterator<Item = &'a Figure>,
        why: &str,
    ) -> bool {
        let mut all = true;
        for figure in figures.into_iter().filter(|f| f.range.is_none()) {
            all = false;
            let says = format!("'{}' is no number: it comes of 0 / 0", figure.text);
            self.add(Severity::Impossible, Rule::NotANumber, &[figure], says, why);
        }
        all
    }
}

/// The two ranges of a pair of figures that are both numbers.
pub fn both(a: &Figure, b: &Figure) -> Option<(Range, Range)> {
    Some((a.range?, b.range?))
}
