//! Where a layout finds figures other than in lines: JSON documents, CSV files and the command line.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::hole::{Kind, Rounding};
use crate::formula::Condition;
use crate::quantity::unit;

/// A JSON document of a tool.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct DocumentLayout {
    /// Paths that it must have.
    pub has: Vec<String>,
    /// Texts by path.
    pub texts: BTreeMap<String, String>,
    /// Figures by path.
    pub figures: BTreeMap<String, Target>,
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
    pub figures: BTreeMap<String, Target>,
}

/// Where a figure goes, and how it is written: `name:type/rounding`.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub struct Target {
    /// The quantity; `*` stands for the key, `statistic` for what the key names.
    pub name: String,
    /// How it is written.
    pub kind: Kind,
    /// How it is rounded.
    pub roundings: Vec<Rounding>,
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
    pub columns: BTreeMap<String, Target>,
    /// How columns that name a percentile are written.
    pub quantiles: Option<Target>,
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
    pub options: BTreeMap<String, Target>,
}

impl TryFrom<String> for Target {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let (name, rest) = text.split_once(':').unwrap_or((&text, "n"));
        let mut parts = rest.split('/');
        let is_pattern = name.contains('*') || name == "statistic";
        let listed = [
            "q",
            "share",
            "v",
            "bucket.from",
            "bucket.to",
            "bucket.count",
        ];
        if !is_pattern && !listed.contains(&name) && unit(name).is_none() {
            return Err(format!("'{text}': there is no quantity '{name}'"));
        }
        Ok(Self {
            name: name.to_owned(),
            kind: Kind::parse(parts.next().unwrap_or_default())?,
            roundings: parts.map(Rounding::parse).collect::<Result<_, _>>()?,
        })
    }
}
