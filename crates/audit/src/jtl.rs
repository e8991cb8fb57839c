//! JMeter's result files, as CSV with a header or as XML.

mod checks;
mod rows;
mod sample;

use crate::csv::Splitter;
use crate::found::Found;
use crate::lines::Line;
use rows::Rows;

/// Rows that cannot be read, one after the other, after which the file has ended.
const BROKEN: u32 = 3;
/// Lines that one quoted field may span.
const SPAN: usize = 64;
/// And bytes: a stray quote must not swallow the rest.
const FIELD: usize = 65_536;
/// Elements of XML within one another.
const DEPTH: usize = 64;

/// Picks result files out of lines.
#[derive(Default)]
pub struct Reader {
    columns: Vec<String>,
    delimiter: char,
    splitter: Option<Splitter>,
    rows: Option<Rows>,
    broken: u32,
    /// Elements of XML that are not closed yet: whether each sums up what lies within it.
    within: Vec<bool>,
    /// A row whose quoted field goes on in the next line.
    partial: Option<(usize, usize, String)>,
}

impl Reader {
    /// Reads a line; whether it belongs to a result file: its fields may hold any text.
    pub fn line(&mut self, line: &Line<'_>, found: &mut Found) -> bool {
        let text = line.text.as_ref();
        if text.starts_with("<httpSample ") || text.starts_with("<sample ") {
            return self.xml(text, line.number, found);
        }
        if self.rows.as_ref().is_some_and(|r| r.xml) {
            if text.starts_with("</httpSample>") || text.starts_with("</sample>") {
                self.within.pop();
            }
            if text.contains("</testResults>") {
                self.end(found);
            }
            return text.starts_with('<');
        }
        if let Some((columns, delimiter, splitter)) = sample::header(text) {
            self.end(found);
            (self.columns, self.delimiter, self.splitter) = (columns, delimiter, Some(splitter));
            self.rows = Some(Rows::new(false, line.number));
            return true;
        }
        self.rows.is_some() && self.csv(text, line.number, found)
    }

    fn csv(&mut self, text: &str, number: usize, found: &mut Found) -> bool {
        let (from, lines, whole) = match self.partial.take() {
            Some((from, lines, before)) => (from, lines + 1, before + "\n" + text),
            None => (number, 1, text.to_owned()),
        };
        if text.is_empty() && lines == 1 {
            // A blank line ends a pasted file.
            self.end(found);
            return true;
        }
        if whole.matches('"').count() % 2 == 1 && lines < SPAN && whole.len() < FIELD {
            self.partial = Some((from, lines, whole));
            return true;
        }
        let (Some(rows), Some(splitter)) = (&mut self.rows, &mut self.splitter) else {
            return false;
        };
        let sample = sample::record(&self.columns, &whole, splitter);
        match sample {
            Some(sample) => {
                self.broken = 0;
                rows.add(sample, from);
                rows.last = number;
                true
            }
            None => {
                self.broken += 1;
                if self.broken >= BROKEN {
                    self.end(found);
                    return false;
                }
                // Prose after a pasted file has no delimiters; a damaged row has.
                let row = whole.matches(self.delimiter).count() >= 3;
                if row {
                    rows.not_rows.add(from, || whole.chars().take(60).collect());
                }
                row
            }
        }
    }

    fn xml(&mut self, text: &str, number: usize, found: &mut Found) -> bool {
        let Some(mut sample) = sample::element(text) else {
            return false;
        };
        let closes = text.ends_with("/>") || text.contains("</");
        let of_one = self.within.contains(&false);
        if !closes && self.within.len() < DEPTH {
            self.within.push(sample.sums_up);
        }
        // What lies within a sample, such as a redirect, is a part of it.
        sample.sums_up |= of_one;
        if self.rows.as_ref().is_some_and(|r| !r.xml) {
            self.end(found);
        }
        let rows = self.rows.get_or_insert_with(|| Rows::new(true, number));
        rows.add(sample, number);
        rows.last = number;
        true
    }

    /// The file that is under way has ended.
    pub fn end(&mut self, found: &mut Found) {
        self.broken = 0;
        self.partial = None;
        self.within.clear();
        let rows = self.rows.take().filter(|rows| rows.count > 0);
        found.check(rows, checks::check);
    }
}
