//! Where a layout finds figures other than in lines: JSON documents, CSV files and the command line.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::hole::Hole;
use crate::formula::Condition;

/// A JSON document of a tool.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct DocumentLayout {
    /// Paths that it must have.
    pub has: Vec<String>,
    /// Texts by path.
    pub texts: BTreeMap<String, String>,
    /// Figures by path.
    pub figures: BTreeMap<String, Hole>,
    /// The path of an array or an object whose elements are rows.
    pub each: Option<String>,
    /// The key of a row's name; the key of the row itself if empty.
    pub row: Option<String>,
    /// Arrays of objects, each of which is a quantile or a bucket.
    pub lists: Vec<List>,
    /// What must be true of its figures.
    #[serde(rename = "if")]
    pub condition: Condition,
    /// A mark that it sets.
    pub set: Option<String>,
    /// Paths whose keys and values are lines of the layout.
    pub lines: Vec<String>,
    /// Texts by path: if one is another, statuses are not those of HTTP.
    #[serde(rename = "drop-responses-unless")]
    pub http: BTreeMap<String, String>,
}

/// An array of objects, each of which is a quantile or a bucket.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct List {
    /// Where it stands.
    pub path: String,
    /// Figures by key.
    pub figures: BTreeMap<String, Hole>,
}

/// Rows below a heading of comma-separated columns.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Csv {
    /// How its heading begins.
    pub headings: Vec<String>,
    /// Columns with a row's name.
    #[serde(default)]
    pub name: Vec<String>,
    /// Figures by column.
    #[serde(default)]
    pub columns: BTreeMap<String, Hole>,
    /// How columns that name a percentile are written.
    pub quantiles: Option<Hole>,
    /// A mark that it sets.
    pub set: Option<String>,
    /// Its rows are single requests, which are added up.
    pub samples: Option<Samples>,
}

/// Columns of a file of single requests, in seconds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Samples {
    /// The time of the request.
    pub time: String,
    /// When it began, since the run did.
    pub begin: String,
    /// Parts of its time, one after the other.
    pub parts: Vec<String>,
    /// Its status.
    pub status: String,
}

/// The command line above a report.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandLine {
    /// Names of the program.
    pub names: Vec<String>,
    /// Figures by option.
    pub options: BTreeMap<String, Hole>,
}
