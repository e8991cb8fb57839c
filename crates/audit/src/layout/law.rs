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

/// What must be true, or is worth saying.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Law {
    /// The formula; without one the law speaks whenever it applies.
    pub is: Option<Formula>,
    /// Its kind.
    pub rule: Rule,
    /// Figures that it is about, each by one name or several, of which the first that exists counts: those of the formula if
    /// there are none. It applies if all of them exist.
    #[serde(default)]
    pub figures: Vec<String>,
    /// The sentence in place of the formula with its figures.
    pub says: Option<String>,
    /// What it means if it is not.
    #[serde(default)]
    pub meaning: String,
    /// When it applies.
    #[serde(default, rename = "if")]
    pub condition: Condition,
    /// How bad it is; a law with a formula cannot be broken, one without says nothing but its cases.
    pub severity: Option<Severity>,
    /// What it is about.
    #[serde(default)]
    pub each: Each,
    /// But for the row of this name.
    pub but: Option<String>,
    /// What else it may be; the first that applies counts.
    #[serde(default)]
    pub cases: Vec<Case>,
}

/// What a law is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Each {
    /// The run.
    #[default]
    Run,
    /// Each row.
    Row,
    /// Each percentile of the run, with its `percent` and its `value`.
    Percentile,
}

/// How bad it is if a condition holds, too.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// When; `left` and `right` are the two sides of the formula.
    #[serde(default, rename = "if")]
    pub condition: Condition,
    /// How bad it is then.
    pub severity: Severity,
    /// What it means, if it is not what the law says.
    pub meaning: Option<String>,
    /// The sentence, if it is another one.
    pub says: Option<String>,
    /// The figures, if they are others.
    pub figures: Option<Vec<String>>,
}

/// A part of sentences.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Text {
    /// Its name.
    pub name: String,
    /// When it stands; of several with one name the first counts.
    #[serde(default, rename = "if")]
    pub condition: Condition,
    /// What it says.
    pub says: String,
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
