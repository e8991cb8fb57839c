//! What one report says: quantities of the whole run, and of rows, metrics, endpoints or intervals within it.

mod scope;

use crate::figure::{Figure, Range, Scan, digits};
use crate::layout::{Captured, Line, RowName, Value, text_of};
use crate::quantity::{TEXTS, quantile, split, statistic};

pub use scope::{Scope, SpectrumRow};

/// Scopes kept of one report: a day of seconds.
const SCOPES: usize = 90_000;
/// Rows kept of a detailed distribution.
const SPECTRUM: usize = 2_000;
/// What Java prints for a minimum of no values.
const LARGEST_LONG: f64 = 9.2e18;

/// One report as it was read.
#[derive(Debug)]
pub struct Record {
    /// The run, and then its parts in order.
    pub scopes: Vec<Scope>,
    /// Figures that stand for 'not given', with their names.
    pub not_given: Vec<(String, Figure)>,
    /// First and last line.
    pub span: (usize, usize),
    texts: Vec<(&'static str, String)>,
    columns: Vec<Option<String>>,
    current: usize,
    /// The line that is being read.
    line: usize,
}

impl Record {
    /// A report that begins in a line.
    pub fn new(line: usize) -> Self {
        Self {
            scopes: vec![Scope::default()],
            not_given: Vec::new(),
            span: (line, line),
            texts: Vec::new(),
            columns: Vec::new(),
            current: 0,
            line,
        }
    }

    /// The run.
    pub fn run(&self) -> &Scope {
        &self.scopes[0]
    }

    /// The parts of the run that are not its own tables.
    pub fn rows(&self) -> &[Scope] {
        &self.scopes[1..]
    }

    /// A part of the run by name.
    pub fn scope(&self, name: &str) -> Option<&Scope> {
        self.scopes.iter().find(|scope| scope.name == name)
    }

    /// A text by name.
    pub fn text(&self, name: &str) -> Option<&str> {
        let found = self.texts.iter().find(|(known, _)| *known == name);
        found.map(|(_, text)| text.as_str())
    }

    /// A quantity as seen from a scope: its own, that of the run, or `scope.quantity`.
    pub fn figure<'a>(&'a self, scope: &'a Scope, name: &str) -> Option<&'a Figure> {
        match split(name) {
            Some(("last", rest)) => self.rows().last()?.get(rest),
            Some(("most", rest)) => {
                let all = self.scopes.iter().filter_map(|scope| scope.get(rest));
                let high = |figure: &Figure| figure.range.map_or(0.0, |range| range.hi);
                all.max_by(|a, b| high(a).total_cmp(&high(b)))
            }
            Some((of, rest)) if !is_listed(of) => self.scope(of)?.get(rest),
            _ => scope.get(name).or_else(|| self.run().get(name)),
        }
    }

    /// Its interval.
    pub fn range(&self, scope: &Scope, name: &str) -> Option<Range> {
        match split(name) {
            Some(("last", rest)) => self.rows().last()?.range(rest),
            Some(("rows", rest)) => {
                let rows = self.rows().iter().filter_map(|row| row.range(rest));
                rows.reduce(Range::plus)
            }
            Some(("most", rest)) => {
                let all = self.scopes.iter().filter_map(|scope| scope.range(rest));
                all.reduce(|a, b| Range::new(a.lo.max(b.lo), a.hi.max(b.hi)))
            }
            Some((of, rest)) if !is_listed(of) => self.scope(of)?.range(rest),
            _ => scope.range(name).or_else(|| self.run().range(name)),
        }
    }

    /// The figures behind a name: one, or all that its sum is of.
    pub fn figures<'a>(&'a self, scope: &'a Scope, name: &str) -> Vec<&'a Figure> {
        let listed = |scope: &'a Scope| match name {
            "responses" | "good" => scope.responses.statuses.iter().map(|(_, n)| n).collect(),
            "lost" => scope.responses.lost.iter().map(|(_, n)| n).collect(),
            _ => Vec::new(),
        };
        match self.figure(scope, name) {
            Some(figure) => vec![figure],
            None if scope.responses.is_empty() => listed(self.run()),
            None => listed(scope),
        }
    }

    /// Its text: the figure as printed, or the sum.
    pub fn shown(&self, scope: &Scope, name: &str) -> Option<String> {
        match self.figure(scope, name) {
            Some(figure) => Some(figure.text.clone()),
            None => self
                .range(scope, name)
                .map(|range| match range.lo == range.hi {
                    true => digits(range.lo),
                    false => range.to_string(),
                }),
        }
    }

    /// The scope of that name, made if it is not there.
    pub fn scope_of(&mut self, name: &str) -> usize {
        match self.scopes.iter().position(|scope| scope.name == name) {
            Some(at) => at,
            None => self.open(name),
        }
    }

    /// A new scope.
    pub fn open(&mut self, name: &str) -> usize {
        if self.scopes.len() >= SCOPES {
            // Later ones only replace the last.
            self.scopes.pop();
        }
        self.scopes.push(Scope::of(name));
        self.scopes.len() - 1
    }

    /// Lines that follow are of this scope.
    pub fn enter(&mut self, name: &str) {
        self.current = self.scope_of(name);
    }

    /// Keeps a quantity of a scope.
    pub fn set(&mut self, at: usize, name: &str, figure: Figure) {
        self.put(at, name, figure, false);
    }

    /// Keeps a quantity of a scope, or adds it to what is known of it. What is below zero, and what Java prints for no minimum, stands
    /// for 'not given'.
    pub fn put(&mut self, at: usize, name: &str, figure: Figure, adds: bool) {
        let sentinel = |r: Range| r.hi < 0.0 || r.lo >= LARGEST_LONG;
        if figure.range.is_some_and(sentinel) {
            self.not_given.push((name.to_owned(), figure));
            return;
        }
        match split(name) {
            Some(("status", status)) => self.scopes[at].responses.counted(status, figure),
            Some(("lost", why)) => self.scopes[at].responses.lost(why, figure),
            Some((scope, rest)) if scope != "mark" => {
                let at = self.scope_of(scope);
                self.scopes[at].set(rest, figure, adds);
            }
            _ => self.scopes[at].set(name, figure, adds),
        }
    }

    /// Keeps a text.
    pub fn say(&mut self, name: &str, text: &str) {
        if let Some(name) = TEXTS.into_iter().find(|known| *known == name)
            && self.text(name).is_none()
        {
            self.texts.push((name, text.to_owned()));
        }
    }

    /// Keeps what a line holds; whether it is a line of this report.
    pub fn take(&mut self, captured: &[Captured<'_>], line: &Line, number: usize) -> bool {
        self.line = number;
        let (row, adds) = (line.row, line.adds.as_deref());
        let text = |name: &str| text_of(captured, name);
        let figure = |name: &str| {
            captured.iter().find_map(|c| match &c.value {
                Value::Figure(figure) if c.name == name => Some(figure),
                _ => None,
            })
        };
        let at = match row {
            None if line.many => self.current,
            None => 0,
            Some(RowName::Join) => {
                let cells = captured.iter().find_map(|c| match &c.value {
                    Value::Cells(cells) => Some(cells.as_slice()),
                    _ => None,
                });
                return self.join(cells.unwrap_or_default());
            }
            Some(RowName::Same) => {
                let name = text("@row").unwrap_or_default();
                let mut named = (1..self.scopes.len()).filter(|at| self.scopes[*at].name == name);
                match (named.next(), named.next()) {
                    (Some(at), None) => at,
                    // Names that were cut off may be the same: whose figures these are cannot be told.
                    (found, _) => return found.is_some(),
                }
            }
            Some(_) => self.open(text("@row").unwrap_or_default()),
        };
        if let Some(value) = figure("v") {
            let share = figure("share").and_then(|s| s.range).map(Range::mid);
            let percent = figure("q").and_then(|q| q.range).map(Range::mid);
            let percent = share.or(percent).unwrap_or(-1.0);
            // A row `0%` stands where there were too few responses for a percentile.
            let is_none = percent <= 0.0 && value.range.is_none_or(|v| v.hi <= 1.0);
            let name = format!("q{percent}");
            let is_one = quantile(&name).is_some();
            if is_one && !is_none {
                self.set(at, &name, value.clone());
            }
            return is_none || is_one;
        }
        let listed = [("status", "status.count"), ("lost", "lost.count")];
        for (name, count) in listed {
            if let (Some(name_of), Some(count)) = (text(name), figure(count)) {
                self.set(at, &format!("{name}.{name_of}"), count.clone());
                return true;
            }
        }
        if let Some(count) = figure("bucket.count").cloned() {
            let [from, to] = ["bucket.from", "bucket.to"].map(|name| figure(name)?.range);
            let histogram = &mut self.scopes[at].histogram;
            return to.is_some_and(|to| match from {
                Some(from) => histogram.between(from, to, count),
                None => histogram.up_to(to, count),
            });
        }
        let of_spectrum = ["value", "share", "count", "inverse"]
            .map(|name| figure(&format!("spectrum.{name}")).cloned());
        if let [Some(value), Some(share), Some(count), inverse] = of_spectrum {
            let spectrum = &mut self.scopes[at].spectrum;
            let has_room = spectrum.len() < SPECTRUM;
            if has_room {
                spectrum.push(SpectrumRow {
                    value,
                    share,
                    count,
                    inverse,
                });
            }
            return has_room;
        }
        captured.iter().all(|c| {
            match &c.value {
                Value::Figure(figure) => self.put(at, c.name, figure.clone(), adds == Some(c.name)),
                Value::Text(text) if c.name == "statuses" => self.statuses(at, text),
                Value::Text(text) => self.say(c.name, text),
                Value::Columns(columns) => {
                    let named = |c: &String| match c.as_str() {
                        "requests" => Some(c.clone()),
                        c => statistic(c),
                    };
                    self.columns = columns.iter().map(named).collect();
                    return self.columns.iter().any(Option::is_some);
                }
                Value::Cells(cells) => return self.cells(at, cells, c.name == "rates"),
                Value::Pairs(pairs) => {
                    for (name, figure) in pairs {
                        if let Some(name) = statistic(name) {
                            self.set(at, &name, figure.clone());
                        }
                    }
                }
            }
            true
        })
    }

    /// Cells below the headings that were read last.
    fn cells(&mut self, at: usize, cells: &[(String, Option<Figure>)], rates: bool) -> bool {
        let columns = self.columns.clone();
        for (column, (_, cell)) in columns.iter().zip(cells) {
            let (Some(name), Some(figure)) = (column, cell) else {
                continue;
            };
            // Of rates of samples their mean is of use.
            match (rates, name.as_str()) {
                (false, name) => self.set(at, name, figure.clone()),
                (true, "mean") => self.set(at, "sampled", figure.clone()),
                (true, _) => {}
            }
        }
        !columns.is_empty() && cells.len() == columns.len()
    }

    /// The figures that end a line, below headings of as many figures, for the row of the name before them and that number of
    /// requests.
    fn join(&mut self, cells: &[(String, Option<Figure>)]) -> bool {
        let columns: Vec<String> = self.columns.iter().flatten().cloned().collect();
        let from = cells.len().checked_sub(columns.len());
        let Some(from) = from.filter(|from| *from > 0) else {
            return false;
        };
        let figures = cells[from..].iter().map(|(_, figure)| figure.clone());
        let Some(figures) = figures.collect::<Option<Vec<Figure>>>() else {
            return false;
        };
        let named = || columns.iter().zip(&figures);
        let requests = named().find(|(column, _)| *column == "requests");
        let requests = requests.and_then(|(_, figure)| figure.range);
        let name = &cells[from - 1].0;
        // Rounding of the cells widens the number of requests.
        let meets = |n: Range| requests.is_some_and(|requests| n.meets(requests));
        let is_row = |row: &Scope| row.name == *name && row.range("requests").is_some_and(meets);
        let Some(at) = self.scopes.iter().position(is_row) else {
            return false;
        };
        // The first table's median is among these.
        self.scopes[at].clear_quantiles();
        for (column, figure) in named().filter(|(column, _)| *column != "requests") {
            self.set(at, column, figure.clone());
        }
        true
    }

    /// `200:4100;500:3`, `200:4100 500:3`.
    fn statuses(&mut self, at: usize, text: &str) {
        for part in text.split([';', ' ', ',']) {
            let counted = part.split_once(':');
            let count = counted.and_then(|(_, count)| Scan::new(count, self.line).finite());
            if let (Some((status, _)), Some(count)) = (counted, count) {
                self.scopes[at].responses.counted(status.trim(), count);
            }
        }
    }
}

/// Whether the part before a point is that of a list, and no scope.
fn is_listed(name: &str) -> bool {
    ["status", "lost", "mark"].contains(&name)
}
