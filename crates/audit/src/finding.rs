//! What an audit found: reports, and for each figure that was checked a finding.

use serde::{Deserialize, Serialize};

/// What the audit of one text found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Audit {
    /// The reports in the text, in the order in which they begin.
    pub reports: Vec<Report>,
    /// Every check that was made, by report and line, those that hold included.
    pub findings: Vec<Finding>,
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

/// One tool's report within a text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The tool that printed it.
    pub tool: Tool,
    /// First line, from 1.
    pub first_line: usize,
    /// Last line.
    pub last_line: usize,
    /// What was loaded and how, as far as the report says: `/plaintext, 100 connections`.
    pub title: String,
    /// Path that was requested, without host and port, to find reports of the same endpoint.
    pub endpoint: Option<String>,
    /// Bytes of one response on the wire, as an interval; `None` where they are not reported or differ among responses.
    #[serde(rename = "answer_bytes")]
    pub response_bytes: Option<(f64, f64)>,
    /// Bytes of one body, where the report has them.
    pub body_bytes: Option<u64>,
}

impl Report {
    /// A report of `tool` in those lines, with nothing known of its responses.
    pub fn new(tool: &str, (first_line, last_line): (usize, usize), title: String) -> Self {
        Self {
            tool: Tool(tool.to_owned()),
            first_line,
            last_line,
            title,
            endpoint: None,
            response_bytes: None,
            body_bytes: None,
        }
    }
}

/// A tool whose output is understood. Each layout brings its own name: there is no list of them here.
///
/// In JSON a tool is its [`id`](Self::id).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(into = "String", from = "String")]
pub struct Tool(String);

impl Tool {
    /// The tool's name as its users write it: `JMeter summary`.
    pub fn name(&self) -> &str {
        &self.0
    }

    /// The name for programs: `jmeter-summary`.
    pub fn id(&self) -> String {
        self.0.to_lowercase().replace(' ', "-")
    }
}

impl PartialEq for Tool {
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id()
    }
}

impl From<Tool> for String {
    fn from(tool: Tool) -> Self {
        tool.id()
    }
}

impl From<String> for Tool {
    fn from(id: String) -> Self {
        Self(id)
    }
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Checked, and it can be true.
    Holds,
    /// The report does not say enough to check it.
    NotChecked,
    /// True, but to be known by whoever reads the figure.
    Note,
    /// Can be true only under circumstances that are named.
    Doubtful,
    /// Cannot be true.
    Impossible,
}

macro_rules! rules {
    ($($(#[$doc:meta])* $rule:ident = $name:literal,)*) => {
        /// What was checked.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Rule {
            $($(#[$doc])* $rule,)*
        }

        impl Rule {
            /// The rule in a few words.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$rule => $name,)*
                }
            }
        }
    };
}

rules! {
    /// Connections = throughput × mean.
    LittlesLaw = "Little's law",
    /// Count / time against the printed rate.
    Rate = "rate",
    /// Minimum, percentiles and maximum in ascending order.
    Order = "order",
    /// `nan` where a number belongs.
    NotANumber = "not a number",
    /// A mean that minimum, percentiles and maximum allow.
    Mean = "mean",
    /// A standard deviation that the range allows; a share within 0 and 100%.
    Spread = "spread",
    /// Requests that timed out and are not in the latency.
    Timeouts = "timeouts",
    /// A figure with too few digits to say anything.
    Resolution = "resolution",
    /// A generator that may itself be the limit.
    Generator = "generator",
    /// Bytes that do not fit the number of responses, or differ between reports.
    Bytes = "bytes",
    /// Requests that failed.
    Errors = "errors",
    /// Connections that were not kept alive though asked for.
    KeepAlive = "keep-alive",
    /// Parts that do not add up to their total.
    Sum = "sum",
    /// Figures of later lines that contradict earlier ones.
    Sequence = "sequence",
    /// Rows of a result file that contradict themselves.
    Rows = "rows",
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
