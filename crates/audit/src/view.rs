//! A report as a law sees it, from the run or from a part of it.

use crate::figure::{Figure, Range, Scan};
use crate::formula::Expression;
use crate::layout::Layout;
use crate::quantity::{Unit, noun, split, unit};
use crate::record::{Record, Scope};

/// What a law is checked on: a report, and the scope that it is seen from.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// How the tool prints.
    pub layout: &'a Layout,
    /// The report.
    pub record: &'a Record,
    /// The run or a part of it.
    pub scope: &'a Scope,
}

impl<'a> View<'a> {
    /// The interval of a name.
    pub fn range(&self, name: &str) -> Option<Range> {
        self.record.range(self.scope, name)
    }

    /// The figure of a name.
    pub fn figure(&self, name: &str) -> Option<&'a Figure> {
        self.record.figure(self.scope, name)
    }

    /// What a figure is called in a sentence: with its noun, or its unit if it has none.
    pub fn text(&self, name: &str) -> Option<String> {
        let shown = self.record.shown(self.scope, name)?;
        let last = split(name).map_or(name, |(_, last)| last);
        let is_bare = shown.ends_with(|c: char| c.is_ascii_digit());
        Some(match (noun(last), unit(name)) {
            ("", Some(Unit::Milliseconds)) if is_bare => format!("{shown} ms"),
            ("", Some(Unit::Seconds)) if is_bare => format!("{shown} s"),
            ("", _) => shown,
            (noun, _) => format!("{shown} {noun}"),
        })
    }

    /// A sentence with names and formulas in braces.
    pub fn sentence(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let Some((name, after)) = after.split_once('}') else {
                break;
            };
            out.push_str(before);
            let computed = || {
                let formula = Expression::try_from(name.to_owned()).ok()?;
                let range = formula.value(&|name| self.range(name))?;
                Some(range.to_string())
            };
            let shown = match name {
                "@row" => Some(self.scope.name.clone()),
                name => self.record.shown(self.scope, name).or_else(computed),
            };
            out.push_str(&shown.unwrap_or_else(|| name.to_owned()));
            rest = after;
        }
        out + rest
    }
}

/// Quantiles exactly as printed: their rounding aside.
pub fn as_printed(figure: &Figure) -> Option<Range> {
    Scan::new(&figure.text, figure.line).finite()?.range
}
