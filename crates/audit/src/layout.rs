//! A layout: how a tool prints a report, and what is known of its figures. One file in `layouts/` each.
//!
//! ```toml
//! tool = "mytool"
//! needs = ["requests", "duration", "rate"]       # a report has all of them; at_least = 2 asks for two
//! title = ["{url}", "{requests} requests"]       # parts of the title; those with a missing name are left out
//! values = "requests"                            # number of times in the latency, a formula
//!
//! [[line]]                                       # a line with typed holes: see `layout/form.rs`
//! form = "Requests/sec: <rate>"
//! begins = true                                  # this line begins a report
//! section = "summary"                            # it is read in this section only
//! enter = "summary"                              # and this section begins with it
//!
//! [command]                                      # the command line above a report
//! names = ["mytool"]
//! options = { "-c" = "connections" }
//!
//! [[document]]                                   # a JSON document
//! has = ["summary/requestsPerSec"]               # paths that make it this tool's
//! figures = { "summary/total" = "duration:s" }   # path = "name:type/rounding"; `*` stands for any key
//!
//! [loop]
//! kind = "closed"                                # closed, open or unknown
//! connections = "connections"                    # formulas
//! rate = "requests / duration"
//!
//! [[law]]                                        # what must be true, in addition to `laws.toml`
//! is = "rate = requests / duration"
//! rule = "rate"
//! meaning = "The rate is that count over that time."
//! ```
//!
//! `docs/audit.md` has the reference.

mod form;
mod hole;
mod law;
mod sources;

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::formula::{Condition, Expression};
use crate::quantity::unit;
use crate::rules::Failed;

pub use form::{Captured, Form, text_of};
pub use hole::{Hole, Value};
pub use law::{Drive, Each, Failure, Law, LoopKind, Text};
pub use sources::{CommandLine, Csv, DocumentLayout, List, Samples};

/// A layout, as it stands in its file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Layout {
    /// The tool's name.
    pub tool: String,
    /// Names that make a report.
    pub needs: Vec<Expression>,
    /// So many of them must be there; all if 0.
    pub at_least: usize,
    /// What must hold, too.
    pub needs_too: Condition,
    /// Parts of the title.
    pub title: Vec<String>,
    /// Names that come late in a report: a line of its head begins another one.
    pub late: Vec<String>,
    /// Lines without anything known after which a report has ended.
    pub gap: usize,
    /// Lines that show that the report is another tool's.
    pub foreign: Vec<Form>,
    /// How lines begin that belong to the report and say nothing.
    pub chatter: Vec<String>,
    /// Quantities that must be numbers.
    pub numbers: Vec<String>,
    /// What it means if they are not.
    pub nan: String,
    /// Scopes that a habit or single laws alone check, by the beginning of their names.
    pub own: Vec<String>,
    /// The number of times in the latency of a scope: its name, or the beginning of it and `*`.
    pub values: BTreeMap<String, Expression>,
    /// The tool keeps so many times at the most; no limit if 0.
    pub most: f64,
    /// Error of the share of values below a quantile of a sketch.
    pub sketch: f64,
    /// What requests without a response did to the latency.
    pub lost: Failed,
    /// The row that is made of the others.
    pub aggregate: Option<String>,
    /// Quantities that are computed from others if they are missing.
    pub derive: BTreeMap<String, Expression>,
    /// Quantities that only grow from row to row.
    pub grows: Vec<String>,
    /// Quantities that only fall.
    pub falls: Vec<String>,
    /// So many marks of the histogram reach in equal steps from minimum to maximum.
    pub steps: Option<usize>,
    /// Quantiles are interpolated within a bucket of the histogram, and not values of requests.
    pub interpolated: bool,
    /// Bytes of one response.
    pub response_bytes: Option<Expression>,
    /// When these are known.
    pub response_bytes_if: Condition,
    /// Checks in Rust.
    pub habits: Vec<Habit>,
    /// Lines.
    #[serde(rename = "line")]
    pub lines: Vec<Line>,
    /// JSON documents.
    #[serde(rename = "document")]
    pub documents: Vec<DocumentLayout>,
    /// CSV files.
    pub csv: Option<Csv>,
    /// The command line above a report.
    pub command: Option<CommandLine>,
    /// Closed or open.
    #[serde(rename = "loop")]
    pub drive: Drive,
    /// Tools whose further laws it shares.
    pub shares: Vec<String>,
    /// What must be true.
    #[serde(rename = "law")]
    pub laws: Vec<Law>,
    /// Parts of sentences.
    #[serde(rename = "text")]
    pub texts: Vec<Text>,
    /// Requests that failed.
    #[serde(rename = "failure")]
    pub failures: Vec<Failure>,
    /// Lines by their first byte.
    #[serde(skip)]
    index: Vec<Vec<usize>>,
}

/// Checks that a table cannot express.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Habit {
    /// wrk2's detailed percentile spectrum.
    Spectrum,
    /// ab's one thread, whole milliseconds and kinds of failure.
    Ab,
    /// Locust looks percentiles up among rounded times.
    Locust,
}

/// How a line's name finds its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowName {
    /// Each line is a row.
    #[default]
    New,
    /// A line of a name that is there already begins another report.
    Once,
    /// The line goes on with the row of its name and number of requests.
    Join,
    /// The line goes on with the row of its name, if there is one such row.
    Same,
}

/// A line of a report.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Line {
    /// Its holes.
    pub form: Form,
    /// It begins a report.
    #[serde(default)]
    pub begins: bool,
    /// It is one of the first lines.
    #[serde(default)]
    pub head: bool,
    /// It may come several times.
    #[serde(default)]
    pub many: bool,
    /// This figure is added to that before.
    pub adds: Option<String>,
    /// It shows which tool this is.
    #[serde(default)]
    pub mark: bool,
    /// It is a row.
    pub row: Option<RowName>,
    /// The section in which it is read.
    pub section: Option<String>,
    /// The section that it begins.
    pub enter: Option<String>,
    /// The scope of the lines that follow.
    pub scope: Option<String>,
    /// A quantity that must be known before.
    pub after: Option<String>,
    /// A mark that it sets.
    pub set: Option<String>,
}

/// Laws of several tools, by the name of which they are shared; those without a name are of all.
const SHARED_LAWS: [(&str, &str); 2] = [
    ("wrk", include_str!("../layouts/laws-wrk.toml")),
    ("", include_str!("../layouts/laws.toml")),
];

/// Reports of the tool end after so many lines without anything known, unless their layout says otherwise.
const GAP: usize = 25;

impl Layout {
    /// Reads a layout, with the laws that it shares with other tools.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut layout: Self = toml::from_str(text).map_err(|e| e.to_string())?;
        for (of, text) in SHARED_LAWS {
            if of.is_empty() || layout.shares.iter().any(|name| name == of) {
                let shared: Self = toml::from_str(text).map_err(|e| e.to_string())?;
                layout.laws.splice(0..0, shared.laws);
                layout.failures.splice(0..0, shared.failures);
                layout.texts.extend(shared.texts);
            }
        }
        if layout.tool.is_empty() {
            return Err("the tool has no name: tool = \"…\" is missing".into());
        }
        let named = [&layout.numbers, &layout.late, &layout.grows, &layout.falls];
        if let Some(name) = named
            .into_iter()
            .flatten()
            .find(|name| unit(name).is_none())
        {
            return Err(format!("there is no quantity '{name}'"));
        }
        if layout.gap == 0 {
            layout.gap = GAP;
        }
        if layout.most == 0.0 {
            layout.most = f64::INFINITY;
        }
        if layout.at_least == 0 {
            layout.at_least = layout.needs.len().max(1);
        }
        layout.lines.iter_mut().for_each(Line::settle);
        layout.index = index(&layout.lines);
        Ok(layout)
    }

    /// The lines that a text may be, by its first byte.
    pub fn candidates(&self, text: &str) -> &[usize] {
        match text.bytes().next() {
            Some(byte) => &self.index[usize::from(byte)],
            None => &[],
        }
    }
}

/// Which lines to try for each first byte, in the order of the file.
fn index(lines: &[Line]) -> Vec<Vec<usize>> {
    let of = |byte: u8| {
        let fitting = lines.iter().enumerate();
        let fitting = fitting.filter(|(_, line)| line.form.may_begin(byte));
        fitting.map(|(at, _)| at).collect()
    };
    (0..=u8::MAX).map(of).collect()
}

impl Line {
    /// Lines that list something, and those that say nothing, may come several times.
    fn settle(&mut self) {
        let listed = [
            "v",
            "status.count",
            "lost.count",
            "bucket.count",
            "spectrum.value",
        ];
        let names = self.form.names();
        let lists = names.iter().any(|name| listed.contains(name));
        let plain = names.iter().all(|name| *name == "_") && self.set.is_none();
        self.many |= lists || plain || self.row.is_some() || self.adds.is_some();
    }
}
