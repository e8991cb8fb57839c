//! What a layout knows of its tool: how requests are sent, what must be true, and what is worth saying.

use serde::Deserialize;

use crate::finding::{Rule, Severity};
use crate::formula::{Condition, Expression, Formula};

/// Whether the next request waits for a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LoopKind {
    /// It does, at once.
    Closed,
    /// Requests are sent by a schedule.
    Open,
    /// The report does not say.
    #[default]
    Unknown,
    /// A habit judges it.
    Own,
}

/// How requests are sent.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Drive {
    /// Closed or open.
    pub kind: LoopKind,
    /// Connections, users or workers.
    pub connections: Option<Expression>,
    /// Requests that one of them may have under way; 1 if not given.
    pub depth: Option<Expression>,
    /// Requests of the mean, for each second.
    pub rate: Option<Expression>,
    /// Share of the run by which requests may reach beyond its ends.
    pub ends: Option<Expression>,
    /// The mean; `mean` if not given.
    pub mean: Option<String>,
    /// Why connections may be idle.
    pub idle: String,
    /// Why there may be more in the mean than was counted.
    pub extra: Option<String>,
    /// Why the law cannot be checked.
    pub why: String,
    /// What to ask for.
    pub ask: String,
    /// When the loop is closed.
    #[serde(rename = "if")]
    pub condition: Condition,
}

/// What must be true.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Law {
    /// The formula.
    pub is: Formula,
    /// Its kind.
    pub rule: Rule,
    /// The sentence in place of the formula with its figures.
    #[serde(default)]
    pub says: Option<String>,
    /// What it means if it is not.
    pub meaning: String,
    /// When it applies.
    #[serde(default, rename = "if")]
    pub condition: Condition,
    /// How bad it is.
    #[serde(default = "impossible")]
    pub severity: Severity,
    /// It is about each row.
    #[serde(default)]
    pub each: bool,
    /// But for the one of this name.
    #[serde(default)]
    pub but: Option<String>,
    /// Explanations.
    #[serde(default)]
    pub except: Vec<Except>,
}

fn impossible() -> Severity {
    Severity::Impossible
}

/// An explanation: when a law that does not hold is less bad.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Except {
    /// When; `left` and `right` are the two sides.
    #[serde(rename = "if")]
    pub condition: Condition,
    /// How bad it is then.
    pub severity: Severity,
    /// And what it means.
    pub meaning: String,
}

/// What is worth saying.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Remark {
    /// When.
    #[serde(rename = "if")]
    pub condition: Condition,
    /// Its kind.
    pub rule: Rule,
    /// How bad it is.
    pub severity: Severity,
    /// Figures that it is about.
    pub figures: Vec<String>,
    /// The sentence, with names in braces.
    pub says: String,
    /// What it means.
    pub meaning: String,
}

/// Requests that failed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Failure {
    /// How many.
    pub count: Expression,
    /// Of how many.
    pub of: Expression,
    /// In words.
    pub what: String,
    /// No response came.
    #[serde(default)]
    pub lost: bool,
    /// Nothing is said where there is none.
    #[serde(default)]
    pub quiet: bool,
    /// When it is counted.
    #[serde(default, rename = "if")]
    pub condition: Condition,
    /// Rows are counted one by one if there is no row of this name.
    pub each_without: Option<String>,
}
