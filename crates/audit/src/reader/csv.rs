//! Rows of comma-separated columns: a row of the report each, or a request each, which are added up.

use super::{ROWS, set_mark};
use crate::csv::Splitter;
use crate::figure::{Figure, digits};
use crate::layout::{Csv, Samples};
use crate::quantity::statistic;
use crate::record::Record;

/// A CSV file that is under way.
pub struct CsvRows {
    record: Record,
    columns: Vec<String>,
    splitter: Splitter,
    sums: Sums,
}

/// Sums over a file of single requests: no row is kept.
#[derive(Default)]
struct Sums {
    count: u64,
    time: f64,
    least: Option<f64>,
    most: f64,
    end: f64,
    /// Rows whose parts are longer than the whole, and the line of the first.
    wrong: (u64, Option<usize>),
    errors: u64,
}

/// Times of single requests are printed to a tenth of a millisecond.
const DIGITS: f64 = 1e-4;

impl Sums {
    fn add(&mut self, samples: &Samples, row: &[(&str, &str)], line: usize) -> Option<()> {
        let number = |column: &str| {
            let (_, cell) = row.iter().find(|(name, _)| *name == column)?;
            let number = cell.trim().parse::<f64>().ok();
            number.filter(|n| n.is_finite() && *n >= 0.0)
        };
        let (time, begin) = (number(&samples.time)?, number(&samples.begin)?);
        let parts: f64 = samples.parts.iter().filter_map(|part| number(part)).sum();
        if parts > time + DIGITS * samples.parts.len() as f64 {
            self.wrong = (self.wrong.0 + 1, self.wrong.1.or(Some(line)));
        }
        self.errors += u64::from(number(&samples.status).is_some_and(|s| s >= 400.0));
        self.least = self.least.map_or(Some(time), |least| Some(least.min(time)));
        self.most = self.most.max(time);
        self.end = self.end.max(begin + time);
        self.time += time;
        self.count += 1;
        Some(())
    }

    fn finish(&self, record: &mut Record) {
        let Some(least) = self.least else {
            return;
        };
        let n = self.count as f64;
        let line = record.span.0;
        let mut set = |name: &str, value: f64, line: usize| {
            record.set(0, name, Figure::exact(digits(value), line, value));
        };
        set("requests", n, line);
        set("mean", self.time / n * 1000.0, line);
        set("min", least * 1000.0, line);
        set("max", self.most * 1000.0, line);
        set("duration", self.end, line);
        set("rate", n / self.end.max(DIGITS), line);
        set("http_errors", self.errors as f64, line);
        if let (wrong, Some(first)) = self.wrong {
            set("mark.wrong", wrong as f64, first);
        }
    }
}

impl CsvRows {
    /// A file whose heading a line is.
    pub fn new(csv: &Csv, text: &str, number: usize) -> Option<Self> {
        let mut splitter = Splitter::new(',')?;
        let columns = splitter.cells(text)?.into_iter();
        let columns = columns.map(str::to_owned).collect();
        let mut record = Record::new(number);
        set_mark(&mut record, csv.set.as_deref(), number);
        Some(Self {
            record,
            columns,
            splitter,
            sums: Sums::default(),
        })
    }

    /// The report of the rows so far.
    pub fn finish(self) -> Record {
        let mut record = self.record;
        self.sums.finish(&mut record);
        record
    }

    /// Reads a row; whether it is one.
    pub fn row(&mut self, csv: &Csv, text: &str, number: usize) -> bool {
        let columns = &self.columns;
        let Some(cells) = self.splitter.cells(text) else {
            return false;
        };
        if cells.len() != columns.len() || cells.len() < 3 || self.record.scopes.len() > ROWS {
            return false;
        }
        let cells: Vec<String> = cells.into_iter().map(str::to_owned).collect();
        if let Some(samples) = &csv.samples {
            let row = columns.iter().map(String::as_str);
            let row: Vec<(&str, &str)> = row.zip(cells.iter().map(String::as_str)).collect();
            let is_row = self.sums.add(samples, &row, number).is_some();
            if is_row {
                self.record.span.1 = number;
            }
            return is_row;
        }
        let named = columns.iter().position(|c| csv.name.contains(c));
        let at = self.record.open(named.map_or("", |at| &cells[at]));
        for (column, cell) in columns.iter().zip(&cells) {
            let (name, target) = match (csv.columns.get(column), statistic(column)) {
                (Some(target), _) => (target.name.clone(), target),
                (None, Some(name)) if name.starts_with('q') => match &csv.quantiles {
                    Some(target) => (name, target),
                    None => continue,
                },
                _ => continue,
            };
            if let Some(figure) = target.figure(&name, cell, number) {
                self.record.set(at, &name, figure);
            }
        }
        self.record.span.1 = number;
        true
    }
}
