//! A report as a law sees it, from the run or from a part of it.

use crate::figure::{Figure, Range, digits, percent, short, time};
use crate::formula::Expression;
use crate::layout::{Layout, Text};
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

    /// A sentence with names and formulas in braces, such as `{rate}` or `{mid(mean) / 1000:time}`.
    pub fn sentence(&self, text: &str) -> String {
        self.filled(text, &self.layout.texts)
    }

    /// The same with these parts of sentences, each of which may hold those behind it.
    fn filled(&self, text: &str, texts: &[Text]) -> String {
        let lookup = |name: &str| self.range(name);
        let shown = |inside: &str| {
            let stands = |part: &Text| part.name == inside && part.condition.holds(&lookup);
            if let Some(at) = texts.iter().position(stands) {
                return Some(self.filled(&texts[at].says, &texts[at + 1..]));
            }
            let (name, form) = inside.split_once(':').unwrap_or((inside, ""));
            let computed = || {
                let range = Expression::try_from(name.to_owned()).ok()?.value(&lookup)?;
                Some(match form {
                    "time" => time(range.mid()),
                    "percent" => percent(range.mid()),
                    "short" => short(range.mid()),
                    "digits" => digits(range.mid()),
                    _ => range.to_string(),
                })
            };
            let shown = match (name, form) {
                ("@row", _) => Some(self.scope.name.clone()),
                (name, "") => self.record.shown(self.scope, name).or_else(computed),
                _ => computed(),
            };
            shown.or(Some(name.to_owned()))
        };
        fill(text, shown).unwrap_or_default()
    }
}

/// A text with what is shown for each name in braces; `None` if one is missing.
pub fn fill(text: &str, shown: impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((inside, after)) = after.split_once('}') else {
            break;
        };
        out.push_str(before);
        out.push_str(&shown(inside)?);
        rest = after;
    }
    Some(out + rest)
}
