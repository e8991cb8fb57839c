//! Picks the reports of a layout out of lines and JSON documents.

use crate::csv::Splitter;
use crate::figure::{Figure, Range, Scan, digits};
use crate::json::{Document, Node, Wanted};
use crate::layout::{
    Captured, CommandLine, Csv, DocumentLayout, Layout, Line, List, RowName, Samples, Target,
    Value, settle,
};
use crate::lines::Boundary;
use crate::quantity::statistic;
use crate::record::Record;

/// Rows kept of a CSV file or a document.
const ROWS: usize = 10_000;

/// What a line asks for that is read within a report only.
const BEGUN: &str = "mark.begun";

/// Reads the reports of one layout.
pub struct Reader<'l> {
    layout: &'l Layout,
    open: Option<Open>,
    csv: Option<CsvRows>,
    command: Option<Command>,
}

/// A command line, whose report may follow.
struct Command {
    line: usize,
    figures: Vec<(String, Figure)>,
}

/// Lines between a command line and its report.
const COMMAND: usize = 40;

/// A report that is under way.
struct Open {
    record: Record,
    /// The last line that shows that it goes on.
    alive: usize,
    section: String,
    /// Lines of the layout that were there.
    seen: Vec<bool>,
    /// What begins a report was there, and nothing else yet.
    only_begun: bool,
    /// No line with a figure or a text was there yet.
    empty: bool,
    foreign: bool,
    mark: bool,
}

/// A CSV file that is under way.
struct CsvRows {
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
    least: f64,
    most: f64,
    end: f64,
    /// Rows whose parts are longer than the whole, and the line of the first.
    wrong: (u64, usize),
    errors: u64,
}

/// Times of single requests are printed to a tenth of a millisecond.
const DIGITS: f64 = 1e-4;

impl Sums {
    fn add(&mut self, samples: &Samples, row: &[(&str, &str)], line: usize) -> Option<()> {
        let number = |column: &str| {
            let (_, cell) = row.iter().find(|(name, _)| *name == column)?;
            cell.trim()
                .parse::<f64>()
                .ok()
                .filter(|n| n.is_finite() && *n >= 0.0)
        };
        let (time, begin) = (number(&samples.time)?, number(&samples.begin)?);
        let parts: f64 = samples.parts.iter().filter_map(|part| number(part)).sum();
        if parts > time + DIGITS * samples.parts.len() as f64 {
            self.wrong.0 += 1;
            self.wrong.1 = if self.wrong.0 == 1 {
                line
            } else {
                self.wrong.1
            };
        }
        self.errors += u64::from(number(&samples.status).is_some_and(|s| s >= 400.0));
        self.least = if self.count == 0 {
            time
        } else {
            self.least.min(time)
        };
        self.most = self.most.max(time);
        self.end = self.end.max(begin + time);
        self.time += time;
        self.count += 1;
        Some(())
    }

    fn finish(&self, record: &mut Record) {
        if self.count == 0 {
            return;
        }
        let n = self.count as f64;
        let line = record.span.0;
        let mut set = |name: &str, value: f64, line: usize| {
            let (text, range) = (digits(value), Some(Range::exact(value)));
            record.set(0, name, Figure { text, line, range }, false);
        };
        set("requests", n, line);
        set("mean", self.time / n * 1000.0, line);
        set("min", self.least * 1000.0, line);
        set("max", self.most * 1000.0, line);
        set("duration", self.end, line);
        set("rate", n / self.end.max(DIGITS), line);
        set("http_errors", self.errors as f64, line);
        if self.wrong.0 > 0 {
            set("mark.wrong", self.wrong.0 as f64, self.wrong.1);
        }
    }
}

impl<'l> Reader<'l> {
    /// Reads reports of that layout.
    pub fn new(layout: &'l Layout) -> Self {
        Self {
            layout,
            open: None,
            csv: None,
            command: None,
        }
    }

    /// The layout.
    pub fn layout(&self) -> &'l Layout {
        self.layout
    }

    /// Reads a line; a report that it shows to have ended comes back.
    pub fn line(&mut self, text: &str, number: usize, boundary: Boundary) -> Option<Record> {
        if self.layout.csv.is_some()
            && let Some(done) = self.csv_line(text, number)
        {
            return done;
        }
        let mut done = None;
        if let Some(command) = command(self.layout, text, number) {
            done = self.close();
            self.command = Some(command);
        }
        if let Some(open) = &self.open
            && number > open.alive + self.layout.gap
        {
            done = self.close();
        }
        if let Some(open) = &mut self.open
            && self
                .layout
                .foreign
                .iter()
                .any(|form| form.read(text, number).is_some())
        {
            open.foreign = true;
        }
        let layout = self.layout;
        for &at in layout.candidates(text) {
            let line = &layout.lines[at];
            let Some(captured) = line.form.read(text, number) else {
                continue;
            };
            if let Some(open) = &self.open
                && open.ends_before(line, at, layout)
            {
                done = self.close();
            }
            if !fits(self.open.as_ref(), line) {
                continue;
            }
            let fresh = self.open.is_none();
            let open = self.open.get_or_insert_with(|| Open::new(number, layout));
            if let (Some(RowName::Once), Some(name)) = (line.row, row_name(&captured))
                && !name.starts_with('{')
                && open.record.rows().iter().any(|row| row.name == name)
            {
                done = self.close();
                self.open = Some(Open::new(number, layout));
            }
            let open = self.open.get_or_insert_with(|| Open::new(number, layout));
            if open.take(line, at, &captured, number) {
                return done;
            }
            if fresh {
                self.open = None;
            }
        }
        if let Some(open) = &mut self.open {
            if layout.chatter.iter().any(|begin| text.starts_with(begin)) {
                open.alive = number;
            } else if boundary != Boundary::None {
                done = self.close().or(done);
            }
        }
        done
    }

    /// The text has ended.
    pub fn end(&mut self) -> Vec<Record> {
        let csv = self.csv.take().map(CsvRows::finish);
        let csv = csv.filter(|record| is_one(self.layout, record));
        self.close().into_iter().chain(csv).collect()
    }

    fn close(&mut self) -> Option<Record> {
        let open = self.open.take()?;
        let marks = self.layout.lines.iter().any(|line| line.mark);
        let its_own = !open.foreign && (open.mark || !marks);
        let mut record = open.record;
        derive(self.layout, &mut record);
        let record = Some(record).filter(|record| its_own && is_one(self.layout, record));
        record.map(|mut record| {
            if let Some(command) = self.command.take() {
                command.add_to(&mut record);
            }
            record
        })
    }

    /// The report in a document, if it is this tool's.
    pub fn document(&self, document: &Document) -> Option<Record> {
        let layout = self.layout;
        let found = layout
            .documents
            .iter()
            .find_map(|d| read(d, document, layout));
        found.filter(|record| is_one(layout, record))
    }

    /// Reads a line of a CSV file: `None` if it is none.
    fn csv_line(&mut self, text: &str, number: usize) -> Option<Option<Record>> {
        let csv = self.layout.csv.as_ref()?;
        let heads = |line: &str| csv.headings.iter().any(|heading| line.starts_with(heading));
        if heads(text) {
            let mut splitter = Splitter::new(',')?;
            let columns = splitter
                .cells(text)?
                .into_iter()
                .map(str::to_owned)
                .collect();
            let before = self.csv.replace(CsvRows {
                record: marked(Record::new(number), csv.set.as_deref()),
                columns,
                splitter,
                sums: Sums::default(),
            });
            let before = before.map(CsvRows::finish);
            return Some(before.filter(|record| is_one(self.layout, record)));
        }
        let open = self.csv.as_mut()?;
        // Line ends of both kinds make blank lines.
        if text.is_empty() || open.row(csv, text, number) {
            return Some(None);
        }
        let ended = self.csv.take().map(CsvRows::finish);
        let ended = ended.filter(|record| is_one(self.layout, record));
        ended.map(Some)
    }
}

impl Command {
    /// Adds what the report does not say itself, unless it contradicts the command line: then it is of another run.
    fn add_to(self, record: &mut Record) {
        let far = record.span.0 > self.line + COMMAND;
        let other = self.figures.iter().any(|(name, figure)| {
            let printed = record.run().get(name).and_then(|f| f.range);
            printed.zip(figure.range).is_some_and(|(a, b)| !a.meets(b))
        });
        if far || other {
            return;
        }
        for (name, figure) in self.figures {
            if record.run().get(&name).is_none() {
                record.set(0, &name, figure, false);
            }
        }
    }
}

/// Words of a command line that are read.
const WORDS: usize = 100;

/// The figures of a line that calls the layout's program with one of its options.
fn command(layout: &Layout, text: &str, line: usize) -> Option<Command> {
    let CommandLine { names, options } = layout.command.as_ref()?;
    if !names.iter().any(|name| text.contains(name.as_str())) {
        return None;
    }
    let words: Vec<&str> = text.split_whitespace().take(WORDS).collect();
    let is_program = |word: &&str| {
        names
            .iter()
            .any(|name| word.rsplit('/').next() == Some(name))
    };
    let from = words.iter().position(is_program)?;
    let mut figures = Vec::new();
    for (at, word) in words.iter().enumerate().skip(from + 1) {
        for (option, target) in options {
            let Some(attached) = word.strip_prefix(option.as_str()) else {
                continue;
            };
            // `-c 100`, `-c100`, `--connections=100`.
            let is_long = option.starts_with("--");
            let value = match attached.strip_prefix('=') {
                Some(value) => value,
                None if attached.is_empty() => words.get(at + 1).copied().unwrap_or_default(),
                None if is_long => continue,
                None => attached,
            };
            let figure = match target.name.starts_with("mark.") {
                true => Some(Figure {
                    text: value.to_owned(),
                    line,
                    range: Some(Range::exact(1.0)),
                }),
                false => written(target, &target.name, value, line),
            };
            figures.extend(figure.map(|figure| (target.name.clone(), figure)));
        }
    }
    (!figures.is_empty()).then_some(Command { line, figures })
}

impl CsvRows {
    fn finish(self) -> Record {
        let mut record = self.record;
        self.sums.finish(&mut record);
        record
    }

    fn row(&mut self, csv: &Csv, text: &str, number: usize) -> bool {
        let columns = &self.columns;
        let Some(cells) = self.splitter.cells(text) else {
            return false;
        };
        if cells.len() != columns.len() || cells.len() < 3 || self.record.scopes.len() > ROWS {
            return false;
        }
        let cells: Vec<String> = cells.into_iter().map(str::to_owned).collect();
        if let Some(samples) = &csv.samples {
            let row: Vec<(&str, &str)> = columns
                .iter()
                .map(String::as_str)
                .zip(cells.iter().map(String::as_str))
                .collect();
            return self.sums.add(samples, &row, number).is_some_and(|()| {
                self.record.span.1 = number;
                true
            });
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
            if let Some(figure) = written(target, &name, cell, number) {
                self.record.set(at, &name, figure, false);
            }
        }
        self.record.span.1 = number;
        true
    }
}

/// Whether a line is read in the section and after the quantities that it needs.
fn fits(open: Option<&Open>, line: &Line) -> bool {
    let section = match (&line.section, open) {
        (None, _) => true,
        (Some(wanted), Some(open)) => open.section == *wanted,
        (Some(_), None) => false,
    };
    let after = match (&line.after, open) {
        (None, _) => true,
        (Some(name), Some(_)) if name == BEGUN => true,
        (Some(name), Some(open)) => {
            let run = open.record.run();
            run.get(name).is_some() || run.range(name).is_some()
        }
        (Some(_), None) => false,
    };
    section && after
}

fn row_name<'a>(captured: &'a [Captured<'_>]) -> Option<&'a str> {
    captured.iter().find_map(|c| match &c.value {
        Value::Text(text) if c.name == "@row" => Some(text.as_str()),
        _ => None,
    })
}

impl Open {
    fn new(number: usize, layout: &Layout) -> Self {
        Self {
            record: Record::new(number),
            alive: number,
            section: String::new(),
            seen: vec![false; layout.lines.len()],
            only_begun: true,
            empty: true,
            foreign: false,
            mark: false,
        }
    }

    /// Whether the line begins another report than this one.
    fn ends_before(&self, line: &Line, at: usize, layout: &Layout) -> bool {
        let run = self.record.run();
        let is_late = || layout.late.iter().any(|name| run.get(name).is_some());
        let fits = fits(Some(self), line);
        line.begins && !self.only_begun
            || fits && !line.many && self.seen[at]
            || line.head && (is_late() || !run.latency.quantiles.is_empty())
    }

    fn take(&mut self, line: &Line, at: usize, captured: &[Captured<'_>], number: usize) -> bool {
        if let Some(scope) = &line.scope {
            self.record.enter(scope);
        }
        if !self.record.take(captured, line, number) {
            return false;
        }
        set_mark(&mut self.record, line.set.as_deref(), number);
        // What stands above a report is no part of it.
        if !captured.is_empty() || line.set.is_some() || !line.begins && !self.empty {
            self.record.span.0 = if self.empty {
                number
            } else {
                self.record.span.0
            };
            self.record.span.1 = number;
            self.empty = false;
        }
        if let Some(section) = &line.enter {
            section.clone_into(&mut self.section);
        }
        self.alive = number;
        self.seen[at] = true;
        self.mark |= line.mark;
        self.only_begun &= line.begins || captured.is_empty();
        true
    }
}

fn marked(mut record: Record, mark: Option<&str>) -> Record {
    let line = record.span.0;
    set_mark(&mut record, mark, line);
    record
}

/// Sets a mark of the run.
fn set_mark(record: &mut Record, mark: Option<&str>, line: usize) {
    if let Some(mark) = mark {
        let (text, range) = ("1".into(), Some(Range::exact(1.0)));
        record.set(0, mark, Figure { text, line, range }, false);
    }
}

/// Computes quantities that a layout derives from others.
fn derive(layout: &Layout, record: &mut Record) {
    for at in 0..record.scopes.len() {
        for (name, from) in &layout.derive {
            let scope = &record.scopes[at];
            if scope.get(name).is_some() {
                continue;
            }
            let own = |name: &str| scope.get(name).and_then(|f| f.range);
            let needed = from.names();
            let line = needed
                .iter()
                .find_map(|(name, _)| scope.get(name))
                .map(|f| f.line);
            if let (Some(range), Some(line)) = (from.value(&own), line) {
                let text = from.with(&|name| scope.get(name).map(|f| f.text.clone()));
                if range.hi.is_finite() {
                    let range = Some(range);
                    record.set(at, name, Figure { text, line, range }, false);
                }
            }
        }
    }
}

/// Whether what was gathered is a report: a sentence that mentions one of the labels is none.
fn is_one(layout: &Layout, record: &Record) -> bool {
    let has = |scope: &crate::record::Scope| {
        let is_there = |name: &str| match record.figure(scope, name) {
            Some(_) => Some(Range::exact(1.0)),
            None => record.range(scope, name).map(|_| Range::exact(1.0)),
        };
        let found = layout
            .needs
            .iter()
            .filter(|need| need.value(&is_there).is_some());
        let range = |name: &str| record.range(scope, name);
        found.count() >= layout.at_least && layout.needs_too.holds(&range)
    };
    has(record.run()) || record.rows().iter().any(has)
}

/// A figure as a layout says that it is written.
fn written(target: &Target, name: &str, text: &str, line: usize) -> Option<Figure> {
    let mut scan = Scan::new(text, line);
    let figure = target.kind.figure(&mut scan)?;
    Some(settle(figure, name, &target.roundings))
}

fn node_figure(target: &Target, name: &str, node: &Node) -> Option<Figure> {
    match node {
        Node::Number(figure) => written(target, name, &figure.text, figure.line),
        Node::Text(text, line) => written(target, name, text, *line),
        _ => None,
    }
}

/// The paths that a layout asks for.
pub fn ask(layout: &Layout, wanted: &mut Wanted) {
    for document in &layout.documents {
        let base = document.each.as_deref().unwrap_or("");
        let below = |path: &str| match base {
            "" => path.to_owned(),
            base => format!("{base}/{path}"),
        };
        for path in document.has.iter().chain(&document.lines) {
            wanted.add(path);
        }
        for path in document.texts.keys().chain(document.http.keys()) {
            wanted.add(path);
        }
        for path in document.figures.keys() {
            wanted.add(&below(path));
        }
        for path in document.row.iter().filter(|path| !path.is_empty()) {
            wanted.add(&below(path));
        }
        for list in &document.lists {
            for key in list.figures.keys() {
                wanted.add(&below(&format!("{}/*/{key}", list.path)));
            }
        }
    }
}

fn read(layout: &DocumentLayout, document: &Document, of: &Layout) -> Option<Record> {
    let root = &document.root;
    let is_there = |path: &String| !root.each(path).is_empty();
    if !layout.has.iter().all(is_there) {
        return None;
    }
    let mut record = Record::new(document.span.0);
    record.span = document.span;
    for (path, name) in &layout.texts {
        if let Some(text) = root.text(path) {
            record.say(name, text);
        }
    }
    match &layout.each {
        None => {
            figures(layout, root, &mut record, 0);
        }
        Some(each) => {
            for (key, node) in root.each(each).into_iter().take(ROWS) {
                let name = match layout.row.as_deref() {
                    Some("") | None => key,
                    Some(path) => node.text(path).unwrap_or_default(),
                };
                let at = record.open(name);
                if !figures(layout, node, &mut record, at) {
                    record.scopes.pop();
                }
            }
        }
    }
    set_mark(&mut record, layout.set.as_deref(), document.span.0);
    let is_http = |(path, text): (&String, &String)| root.text(path).is_none_or(|t| t == text);
    if !layout.http.iter().all(is_http) {
        record.scopes[0].responses = Default::default();
    }
    for path in &layout.lines {
        for (key, node) in root.each(path) {
            if let Node::Number(figure) = node {
                let text = format!("{key}: {}", figure.text);
                let lines = of.candidates(&text).iter().map(|at| &of.lines[*at]);
                let mut lines = lines.filter(|line| line.enter.is_none() && !line.begins);
                let found =
                    lines.find_map(|line| Some((line, line.form.read(&text, figure.line)?)));
                if let Some((line, captured)) = found {
                    record.take(&captured, line, figure.line);
                }
            }
        }
    }
    derive(of, &mut record);
    let run = record.run();
    let lookup = |name: &str| record.range(run, name);
    layout.condition.holds(&lookup).then_some(record)
}

fn figures(layout: &DocumentLayout, root: &Node, record: &mut Record, at: usize) -> bool {
    let mut any = false;
    for (path, target) in &layout.figures {
        let below = path.strip_suffix('*');
        for (key, node) in root.each(path) {
            // What has a name of its own is not one of the others.
            let named = below.map(|below| format!("{below}{key}"));
            if named.is_some_and(|named| layout.figures.contains_key(&named)) {
                continue;
            }
            let name = match target.name.as_str() {
                "statistic" => match statistic(key) {
                    Some(name) => name,
                    None => continue,
                },
                "bucket.count" => {
                    // By the upper end of the bucket.
                    let Some(count) = node_figure(target, "count", node) else {
                        continue;
                    };
                    let upper = Scan::new(key, count.line).finite();
                    let histogram = &mut record.scopes[at].histogram;
                    let seconds = upper.map(|u| u.in_unit(" s", 1000.0));
                    any |= seconds.is_some_and(|upper| histogram.up_to(exact(upper), count));
                    continue;
                }
                name => name.replace('*', key),
            };
            if let Some(figure) = node_figure(target, &name, node) {
                let adds = name == "count" && path.contains('*');
                any |= record.set(at, &name, figure, adds);
            }
        }
    }
    record.scopes[at].histogram.sort();
    for List {
        path,
        figures: parts,
    } in &layout.lists
    {
        for (_, item) in root.each(&format!("{path}/*")) {
            let part = |name: &str| {
                let (key, target) = parts.iter().find(|(_, target)| target.name == name)?;
                node_figure(target, name, item.at(key)?)
            };
            if let (Some(q), Some(v)) = (part("q").and_then(|q| q.range), part("v")) {
                any |= record.set(at, &format!("q{}", q.mid()), v, false);
            }
            let ends = part("bucket.from").zip(part("bucket.to"));
            let ends = ends.and_then(|(from, to)| from.range.zip(to.range));
            if let (Some((from, to)), Some(count)) = (ends, part("bucket.count")) {
                record.scopes[at].histogram.between(from, to, count);
            }
        }
    }
    any
}

/// A key is as exact as the tool has it.
fn exact(figure: Figure) -> Figure {
    let middle = figure.range.map(|r| Range::exact(r.mid()));
    Figure {
        range: middle,
        ..figure
    }
}
