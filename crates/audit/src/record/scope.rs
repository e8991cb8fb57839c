//! The quantities of a run, or of a part of it.

use crate::figure::{Figure, Range};
use crate::quantity::quantile;
use crate::responses::Responses;
use crate::rules::{Histogram, Latency};

/// Quantities kept of one scope.
const VALUES: usize = 300;

/// Quantities of the run, or of a part of it.
#[derive(Debug, Default)]
pub struct Scope {
    /// The part's name; empty for the run.
    pub name: String,
    /// Times of requests.
    pub latency: Latency,
    /// Counts of times by size.
    pub histogram: Histogram,
    /// Responses by status and requests without one.
    pub responses: Responses,
    /// Rows of a detailed distribution: value, share, count, 1 / (1 − share).
    pub spectrum: Vec<[Option<Figure>; 4]>,
    values: Vec<(String, Figure)>,
}

impl Scope {
    /// One of that name, of which nothing is known yet.
    pub fn of(name: &str) -> Scope {
        Scope {
            name: name.to_owned(),
            ..Scope::default()
        }
    }

    /// A quantity.
    pub fn get(&self, name: &str) -> Option<&Figure> {
        match name {
            "mean" => self.latency.mean.as_ref(),
            "sd" => self.latency.sd.as_ref(),
            "min" => self.latency.min.as_ref(),
            "max" => self.latency.max.as_ref(),
            _ => match quantile(name) {
                Some(percent) => (self.latency.quantiles.iter())
                    .find(|(q, _)| (q * 100.0 - percent).abs() < 1e-9)
                    .map(|(_, figure)| figure),
                None => self.value(name),
            },
        }
    }

    fn value(&self, name: &str) -> Option<&Figure> {
        let found = self.values.iter().find(|(known, _)| known == name);
        found.map(|(_, figure)| figure)
    }

    /// The interval of a quantity; `responses` and `lost` are sums of those that are listed.
    pub fn range(&self, name: &str) -> Option<Range> {
        match self.get(name) {
            Some(figure) => figure.range,
            None => match name {
                "responses" if !self.responses.is_empty() => Some(self.responses.responses()),
                "lost" if !self.responses.is_empty() => Some(self.responses.without()),
                "good" if !self.responses.is_empty() => Some(self.responses.good()),
                _ => None,
            },
        }
    }

    /// Keeps a quantity; whether it could be.
    pub fn set(&mut self, name: &str, figure: Figure, adds: bool) -> bool {
        let slot = match name {
            "mean" => &mut self.latency.mean,
            "sd" => &mut self.latency.sd,
            "min" => &mut self.latency.min,
            "max" => &mut self.latency.max,
            _ => {
                if let Some(percent) = quantile(name) {
                    return self.get(name).is_some()
                        || self.latency.quantile(percent, Some(figure));
                }
                if let Some((_, before)) = self.values.iter_mut().find(|(known, _)| known == name) {
                    *before = match adds {
                        true => sum(before, &figure),
                        false => figure,
                    };
                } else if self.values.len() < VALUES {
                    self.values.push((name.to_owned(), figure));
                }
                return true;
            }
        };
        *slot = Some(figure);
        true
    }
}

fn sum(a: &Figure, b: &Figure) -> Figure {
    Figure {
        text: format!("{} + {}", a.text, b.text),
        line: a.line,
        range: a.range.zip(b.range).map(|(a, b)| a.plus(b)),
    }
}
