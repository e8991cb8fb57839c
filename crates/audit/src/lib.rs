//! Reads what ab, wrk, JMeter and go-stress-testing print and says which of the figures can be true.
//!
//! `docs/audit.md` has every rule with its formula and tolerance. [`lines`](self) are cleaned first (quotes, HTML,
//! full-width characters), each tool's reader picks out its reports, and the checks do interval arithmetic on the
//! digits as printed. One pass over the text; memory grows with the reports found, not with the text.

mod ab;
mod ab_checks;
mod ab_limits;
mod between;
mod figure;
mod jmeter;
mod jmeter_checks;
mod jtl;
mod jtl_checks;
mod lines;
mod rules;
mod stress;
mod stress_checks;
mod table;
mod wrk;
mod wrk_checks;
mod wrk_little;

use serde::{Deserialize, Serialize};

pub use between::between;
pub use figure::Range;
use rules::Sheet;

/// What the audit of one text found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Audit {
    /// The reports in the text, in the order in which they begin.
    pub reports: Vec<Report>,
    /// Every check that was made, by report and line, those that hold included.
    pub findings: Vec<Finding>,
}

/// One tool's report within a text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The tool that printed it.
    pub tool: Tool,
    /// First line, from 1.
    pub first_line: usize,
    /// Last line.
    pub last_line: usize,
    /// What was loaded and how, as far as the report tells: `/plaintext, 100 connections`.
    pub title: String,
    /// Path that was asked for, without host and port, to find reports of the same endpoint.
    pub endpoint: Option<String>,
    /// Bytes of one answer on the wire, as an interval; `None` where they are not told or differ among answers.
    pub answer_bytes: Option<(f64, f64)>,
    /// Bytes of one body, where the report tells them.
    pub body_bytes: Option<u64>,
}

/// A tool whose output is understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Tool {
    /// ApacheBench.
    #[serde(rename = "ab")]
    Ab,
    /// wrk 4.
    #[serde(rename = "wrk")]
    Wrk,
    /// wrk2, told from wrk by its calibration lines or its HdrHistogram.
    #[serde(rename = "wrk2")]
    Wrk2,
    /// JMeter's summary lines.
    #[serde(rename = "jmeter-summary")]
    JmeterSummary,
    /// JMeter's result file as CSV.
    #[serde(rename = "jmeter-csv")]
    JmeterCsv,
    /// JMeter's result file as XML.
    #[serde(rename = "jmeter-xml")]
    JmeterXml,
    /// go-stress-testing's table.
    #[serde(rename = "go-stress-testing")]
    GoStressTesting,
    /// A Markdown table of connections, rates and means, whatever tool they are from.
    #[serde(rename = "table")]
    Table,
}

impl Tool {
    /// The tool's name as its users write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ab => "ab",
            Self::Wrk => "wrk",
            Self::Wrk2 => "wrk2",
            Self::JmeterSummary => "JMeter summary",
            Self::JmeterCsv => "JMeter CSV",
            Self::JmeterXml => "JMeter XML",
            Self::GoStressTesting => "go-stress-testing",
            Self::Table => "table",
        }
    }
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Checked, and it can be true.
    Holds,
    /// The report does not tell enough to check it.
    NotChecked,
    /// True, but to be known by whoever reads the figure.
    Note,
    /// Can be true only under circumstances that are named.
    Doubtful,
    /// Cannot be true.
    Impossible,
}

/// What was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Connections = throughput × mean.
    LittlesLaw,
    /// Count / time against the printed rate.
    Rate,
    /// Minimum, percentiles and maximum in ascending order.
    Order,
    /// `nan` where a number belongs.
    NotANumber,
    /// A mean that minimum, percentiles and maximum allow.
    Mean,
    /// A standard deviation that the range allows; a share within 0 and 100%.
    Spread,
    /// Requests that timed out and are not in the latency.
    Timeouts,
    /// A figure with too few digits to say anything.
    Resolution,
    /// A generator that may itself be the limit.
    Generator,
    /// Bytes that do not fit the number of answers, or differ between reports.
    Bytes,
    /// Requests that failed.
    Errors,
    /// Connections that were not kept alive though asked for.
    KeepAlive,
    /// Parts that do not add up to their total.
    Sum,
    /// Figures of later lines that contradict earlier ones.
    Sequence,
    /// Rows of a result file that contradict themselves.
    Rows,
}

impl Rule {
    /// The rule in a few words.
    pub fn name(self) -> &'static str {
        match self {
            Self::LittlesLaw => "Little's law",
            Self::Rate => "rate",
            Self::Order => "order",
            Self::NotANumber => "not a number",
            Self::Mean => "mean",
            Self::Spread => "spread",
            Self::Timeouts => "timeouts",
            Self::Resolution => "resolution",
            Self::Generator => "generator",
            Self::Bytes => "bytes",
            Self::Errors => "errors",
            Self::KeepAlive => "keep-alive",
            Self::Sum => "sum",
            Self::Sequence => "sequence",
            Self::Rows => "rows",
        }
    }
}

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Index into [`Audit::reports`].
    pub report: usize,
    /// Lines where the figures stand, from 1, ascending.
    pub lines: Vec<usize>,
    /// What was checked.
    pub rule: Rule,
    /// How bad it is.
    pub severity: Severity,
    /// The figure in question, as printed.
    pub figure: String,
    /// The arithmetic, in a sentence that can be checked by hand.
    pub arithmetic: String,
    /// What it means for the reader; empty for checks that hold.
    pub meaning: String,
}

impl Audit {
    /// Number of figures that cannot be true.
    pub fn impossible(&self) -> usize {
        self.count(Severity::Impossible)
    }

    /// Number of findings of one severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings
            .iter()
            .filter(|f| f.severity == severity)
            .count()
    }
}

/// Audits `text`: any text, with any number of reports in it, or none.
pub fn audit(text: &str) -> Audit {
    let mut found = Found::default();
    let mut ab = ab::Reader::default();
    let mut wrk = wrk::Reader::default();
    let mut jmeter = jmeter::Reader::default();
    let mut jtl = jtl::Reader::default();
    let mut stress = stress::Reader::default();
    let mut table = table::Reader::default();
    for line in lines::lines(text) {
        // A result file of JMeter may be large and its fields may hold any text: the other readers skip its rows.
        let mut done = Vec::new();
        let taken = jtl.line(&line, &mut done);
        found.extend(done, jtl_checks::check);
        if taken {
            continue;
        }
        found.extend(ab.line(&line), ab_checks::check);
        found.extend(wrk.line(&line), wrk_checks::check);
        jmeter.line(&line);
        found.extend(stress.line(&line), stress_checks::check);
        found.extend(table.line(&line), table::check);
    }
    found.extend(ab.end(), ab_checks::check);
    found.extend(wrk.end(), wrk_checks::check);
    found.extend(jmeter.end(), jmeter_checks::check);
    found.extend(jtl.end(), jtl_checks::check);
    found.extend(stress.end(), stress_checks::check);
    found.extend(table.end(), table::check);
    found.into_audit()
}

/// Reports with their findings, in the order in which the readers finished them.
#[derive(Default)]
struct Found(Vec<(Report, Vec<Finding>)>);

impl Found {
    fn extend<T>(
        &mut self,
        parsed: impl IntoIterator<Item = T>,
        check: fn(&T, &mut Sheet) -> Report,
    ) {
        for one in parsed {
            let mut sheet = Sheet::default();
            let mut report = check(&one, &mut sheet);
            // Absurd counts can overflow; infinity is no number of bytes, and JSON has none.
            report.answer_bytes = report
                .answer_bytes
                .filter(|b| b.0.is_finite() && b.1.is_finite());
            self.0.push((report, sheet.findings));
        }
    }

    fn into_audit(mut self) -> Audit {
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
        between::within(&mut audit);
        audit
    }
}
