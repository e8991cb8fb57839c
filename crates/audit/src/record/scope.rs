//! The quantities of a run, or of a part of it.

use crate::figure::{Figure, Range, digits};
use crate::quantity::quantile;
use crate::responses::Responses;
use crate::rules::{Histogram, Latency};

/// Quantities kept of one scope.
const VALUES: usize = 300;
/// Percentiles among them: no tool prints more.
const QUANTILES: usize = 100;

/// Quantities of the run, or of a part of it.
#[derive(Debug, Default)]
pub struct Scope {
    /// The part's name; empty for the run.
    pub name: String,
    /// Counts of times by size.
    pub histogram: Histogram,
    /// Responses by status and requests without one.
    pub responses: Responses,
    /// Rows of a detailed distribution.
    pub spectrum: Vec<SpectrumRow>,
    values: Vec<(String, Figure)>,
}

/// A row of a detailed distribution: `6.671     0.500000        19783         2.00`.
#[derive(Debug)]
pub struct SpectrumRow {
    /// The value, in milliseconds.
    pub value: Figure,
    /// The share of the values up to it.
    pub share: Figure,
    /// The number of the values up to it.
    pub count: Figure,
    /// 1 / (1 − share); `None` if it is infinite.
    pub inverse: Option<Figure>,
}

impl Scope {
    /// One of that name, of which nothing is known yet.
    pub fn of(name: &str) -> Scope {
        Scope {
            name: name.to_owned(),
            ..Scope::default()
        }
    }

    /// A percentile, as a part of the run: its `percent` and its `value`.
    pub fn of_percentile((q, value): (f64, &Figure)) -> Scope {
        let mut scope = Scope::default();
        let percent = Figure::exact(digits(q * 100.0), value.line, q * 100.0);
        scope.set("percent", percent, false);
        scope.set("value", value.clone(), false);
        scope
    }

    /// A quantity.
    pub fn get(&self, name: &str) -> Option<&Figure> {
        let found = self.values.iter().find(|(known, _)| known == name);
        found.map(|(_, figure)| figure)
    }

    /// The percentiles: share of 1, and value.
    pub fn quantiles(&self) -> impl Iterator<Item = (f64, &Figure)> {
        let values = self.values.iter();
        values.filter_map(|(name, figure)| Some((quantile(name)? / 100.0, figure)))
    }

    /// The times of requests.
    pub fn latency(&self) -> Latency {
        let [mean, sd, min, max] = ["mean", "sd", "min", "max"].map(|name| self.get(name).cloned());
        let quantiles = self.quantiles().map(|(q, figure)| (q, figure.clone()));
        Latency {
            mean,
            sd,
            min,
            max,
            quantiles: quantiles.collect(),
        }
    }

    /// The interval of a quantity; `responses` and `lost` are sums of those that are listed.
    pub fn range(&self, name: &str) -> Option<Range> {
        match self.get(name) {
            Some(figure) => figure.range,
            None => self.responses.total(name),
        }
    }

    /// What stands before a sentence about it.
    pub fn prefix(&self) -> String {
        match self.name.as_str() {
            "" => String::new(),
            name => format!("{name}: "),
        }
    }

    /// Keeps a quantity, or adds it to what is known of it. Of a percentile the first figure counts.
    pub fn set(&mut self, name: &str, figure: Figure, adds: bool) {
        // The middle of the interval of 99.9 is not 99.9 to the last digit.
        let percent = quantile(name).map(|percent| (percent * 1e9).round() / 1e9);
        let name = percent.map_or(name.to_owned(), |percent| format!("q{percent}"));
        let Some(at) = self.values.iter().position(|(known, _)| *known == name) else {
            let has_room = percent.is_none() || self.quantiles().count() < QUANTILES;
            if has_room && self.values.len() < VALUES {
                self.values.push((name, figure));
            }
            return;
        };
        let before = &mut self.values[at].1;
        if adds {
            *before = sum(before, &figure);
        } else if percent.is_none() {
            *before = figure;
        }
    }

    /// Forgets the percentiles.
    pub fn clear_quantiles(&mut self) {
        self.values.retain(|(name, _)| quantile(name).is_none());
    }
}

fn sum(a: &Figure, b: &Figure) -> Figure {
    Figure {
        text: format!("{} + {}", a.text, b.text),
        line: a.line,
        range: a.range.zip(b.range).map(|(a, b)| a.plus(b)),
    }
}
