//! Documents amid the lines of a text.

use super::{Document, Wanted};
use crate::lines::Line;

/// Bytes of one document within a text; a text that is one document may have any size.
const BYTES: usize = 4 << 20;

/// Picks documents out of lines: from a line that begins with a bracket to the line that closes it.
#[derive(Default)]
pub struct Collector {
    text: String,
    /// Offset in `text` and line of each line.
    lines: Vec<(usize, usize)>,
    depth: usize,
    quoted: bool,
}

impl Collector {
    /// Reads one line; the document that it closes comes back.
    pub fn line(&mut self, line: &Line<'_>, wanted: &Wanted) -> Option<Document> {
        let text = line.text.as_ref();
        let opens = text.starts_with(['{', '[']);
        let goes_on = text.starts_with(|c: char| "{}[],\"-".contains(c) || c.is_ascii_digit())
            || ["true", "false", "null"]
                .iter()
                .any(|w| text.starts_with(w));
        let fits = self.text.len() + text.len() < BYTES;
        if self.lines.is_empty() && !opens || !text.is_empty() && !goes_on || !fits {
            self.clear();
            return None;
        }
        self.lines.push((self.text.len(), line.number));
        self.text.push_str(text);
        self.text.push('\n');
        self.count(text);
        if self.quoted {
            // No string of JSON goes on in the next line.
            self.clear();
        }
        if self.depth > 0 || self.lines.is_empty() {
            return None;
        }
        let document = self.document(wanted);
        self.clear();
        document
    }

    /// Whether there are lines of a document that is not closed yet.
    pub fn is_open(&self) -> bool {
        !self.lines.is_empty()
    }

    /// Forgets what was read and keeps its memory: a log has millions of records.
    fn clear(&mut self) {
        self.text.clear();
        self.lines.clear();
        (self.depth, self.quoted) = (0, false);
    }

    /// Brackets that a line opens and closes, those in strings aside.
    fn count(&mut self, text: &str) {
        let mut escaped = false;
        for b in text.bytes() {
            match b {
                _ if escaped => escaped = false,
                b'\\' if self.quoted => escaped = true,
                b'"' => self.quoted = !self.quoted,
                b'{' | b'[' if !self.quoted => self.depth += 1,
                b'}' | b']' if !self.quoted => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
    }

    /// Only the first value counts: something may follow on the last line.
    fn document(&self, wanted: &Wanted) -> Option<Document> {
        let mut document = wanted.first(&self.text)?;
        let (from, to) = (self.lines.first()?.1, self.lines.last()?.1);
        let line_of = |at: usize| self.lines.get(at - 1).map_or(to, |line| line.1);
        document.root.place(&line_of);
        document.span = (from, to);
        Some(document)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Node;
    use crate::lines::lines;

    fn documents(text: &str) -> Vec<Document> {
        let mut wanted = Wanted::default();
        for path in ["a/b", "a/c/*", "d", "e/*/f"] {
            wanted.add(path);
        }
        let mut collector = Collector::default();
        lines(text)
            .filter_map(|l| collector.line(&l, &wanted))
            .collect()
    }

    #[test]
    fn numbers_know_their_lines_and_digits() {
        let found = documents(
            "It said\n{\n \"a\": {\"b\": 0.50,\n  \"c\": [1, 2e3], \"x\": {}},\n \"d\": \"x}\"\n}\nso.",
        );
        assert_eq!(found.len(), 1);
        let root = &found[0].root;
        assert_eq!(found[0].span, (2, 6));
        let Some(Node::Number(b)) = root.at("a/b") else {
            panic!("no number: {root:?}");
        };
        assert_eq!((b.text.as_str(), b.line), ("0.50", 3));
        let items = root.each("a/c/*");
        assert!(matches!(&items[..], [_, (_, Node::Number(f))] if f.line == 4));
        assert_eq!(root.text("d"), Some("x}"));
        assert!(root.at("a/x").is_none());
        let rows = documents("{\"e\": {\"k\": {\"f\": 1, \"g\": 2}}}");
        assert!(matches!(
            &rows[0].root.each("e/*/f")[..],
            [("k", Node::Number(_))]
        ));
    }

    #[test]
    fn what_is_no_json_is_dropped_and_the_next_is_found() {
        assert!(documents("{\n  int x;\n}").is_empty());
        assert!(documents("[link](x)\n{ \"a\": \"\n\" }").is_empty());
        assert_eq!(
            documents("{\nfn main() {}\n{\"a\":1}\n{\"b\":2} tail").len(),
            2
        );
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        assert_eq!(documents(&deep).len(), 1);
    }
}
