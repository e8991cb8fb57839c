//! Formats whose report is a block of lines: what they have in common.

use crate::figure::Figure;
use crate::finding::Report;
use crate::format::{Format, Found, Take};
use crate::json::Document;
use crate::lines::Line;
use crate::sheet::Sheet;

/// A report that is gathered line by line, or read from a JSON document.
pub trait Block: Default {
    /// Lines without anything known after which a report has ended.
    const GAP: usize = 25;

    /// Whether the line begins another report than the one that is under way.
    fn ends_before(&self, text: &str) -> bool;

    /// Whether the line, which says nothing itself, shows that the report goes on.
    fn goes_on(&self, _text: &str) -> bool {
        false
    }

    /// Takes one line; whether it belongs to a report. `line` is its number.
    fn read(&mut self, text: &str, line: usize) -> bool;

    /// Whether what was gathered is a report: a sentence that mentions one of the labels is none.
    fn is_one(&self) -> bool;

    /// Checks the report, which stands in the lines of `span`.
    fn check(&self, span: (usize, usize), sheet: &mut Sheet) -> Report;

    /// The reports in a JSON document of the tool's.
    fn documents(_document: &Document) -> Vec<Self> {
        Vec::new()
    }
}

/// Keeps a figure if there is one; whether there was.
pub fn keep(slot: &mut Option<Figure>, figure: Option<Figure>) -> bool {
    let some = figure.is_some();
    if some {
        *slot = figure;
    }
    some
}

/// Picks blocks out of a text.
pub struct Gather<B>(Option<Open<B>>);

impl<B> Default for Gather<B> {
    fn default() -> Self {
        Self(None)
    }
}

/// The block that is under way.
struct Open<B> {
    block: B,
    first: usize,
    last: usize,
    /// The last line that shows that it goes on.
    alive: usize,
}

impl<B: Block> Gather<B> {
    fn close(&mut self, found: &mut Found) {
        let whole = self.0.take().filter(|open| open.block.is_one());
        found.check(whole, |open, sheet| {
            open.block.check((open.first, open.last), sheet)
        });
    }
}

impl<B: Block> Format for Gather<B> {
    fn line(&mut self, line: &Line<'_>, found: &mut Found) -> Take {
        let text = line.text.as_ref();
        if let Some(open) = &mut self.0 {
            if open.block.goes_on(text) {
                open.alive = line.number;
            }
            if line.number > open.alive + B::GAP || open.block.ends_before(text) {
                self.close(found);
            }
        }
        match &mut self.0 {
            Some(open) => {
                if open.block.read(text, line.number) {
                    (open.last, open.alive) = (line.number, line.number);
                }
            }
            None => {
                let mut block = B::default();
                if block.read(text, line.number) {
                    self.0 = Some(Open {
                        block,
                        first: line.number,
                        last: line.number,
                        alive: line.number,
                    });
                }
            }
        }
        Take::Passed
    }

    fn document(&mut self, document: &Document, found: &mut Found) {
        found.check(B::documents(document), |block, sheet| {
            block.check(document.span, sheet)
        });
    }

    fn end(&mut self, found: &mut Found) {
        self.close(found);
    }
}
