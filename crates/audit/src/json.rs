//! JSON documents within a text, as trees whose numbers know their line and their printed digits.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use crate::figure::{Figure, Scan};
use crate::lines::Line;

/// Bytes of one document; a tree takes some ten times as much memory.
const BYTES: usize = 4 << 20;
/// Levels of one document that are read.
const DEPTH: usize = 16;

/// A document and where it stands.
#[derive(Debug)]
pub struct Document {
    /// Its value.
    pub root: Node,
    /// First and last line, from 1.
    pub span: (usize, usize),
}

/// A JSON value.
#[derive(Debug)]
pub enum Node {
    /// By key.
    Object(BTreeMap<String, Node>),
    /// In order.
    Array(Vec<Node>),
    /// A number as printed.
    Number(Figure),
    /// A string.
    Text(String),
    /// `true`, `false`, `null`, and what lies too deep.
    Other,
}

impl Node {
    /// The value behind keys separated by `/`; the value itself for none.
    pub fn at(&self, path: &str) -> Option<&Self> {
        if path.is_empty() {
            return Some(self);
        }
        path.split('/').try_fold(self, |node, key| match node {
            Self::Object(members) => members.get(key),
            _ => None,
        })
    }

    /// The number behind keys separated by `/`.
    pub fn number(&self, path: &str) -> Option<Figure> {
        match self.at(path)? {
            Self::Number(figure) => Some(figure.clone()),
            _ => None,
        }
    }

    /// The string behind keys separated by `/`.
    pub fn text(&self, path: &str) -> Option<&str> {
        match self.at(path)? {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Keys and values of the object behind keys separated by `/`; none if there is no object.
    pub fn members(&self, path: &str) -> impl Iterator<Item = (&str, &Self)> {
        let members = match self.at(path) {
            Some(Self::Object(members)) => Some(members),
            _ => None,
        };
        members.into_iter().flatten().map(|(k, v)| (k.as_str(), v))
    }

    /// Keys and numbers of the object behind keys separated by `/`.
    pub fn numbers(&self, path: &str) -> impl Iterator<Item = (&str, Figure)> {
        self.members(path).filter_map(|(key, value)| match value {
            Self::Number(figure) => Some((key, figure.clone())),
            _ => None,
        })
    }

    /// The elements of the array behind keys separated by `/`; none if there is no array.
    pub fn items(&self, path: &str) -> &[Self] {
        match self.at(path) {
            Some(Self::Array(items)) => items,
            _ => &[],
        }
    }
}

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
    pub fn line(&mut self, line: &Line<'_>) -> Option<Document> {
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
        let document = self.document();
        self.clear();
        document
    }

    /// Whether there are lines of a document that is not closed yet.
    pub fn is_open(&self) -> bool {
        !self.lines.is_empty()
    }

    fn clear(&mut self) {
        *self = Self::default();
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

    fn document(&self) -> Option<Document> {
        // Something may follow on the last line: only the first value counts.
        let mut values = serde_json::Deserializer::from_str(&self.text).into_iter::<&RawValue>();
        let root = self.node(values.next()?.ok()?, 0);
        let (first, last) = (self.lines.first()?.1, self.lines.last()?.1);
        Some(Document {
            root,
            span: (first, last),
        })
    }

    fn node(&self, raw: &RawValue, depth: usize) -> Node {
        let text = raw.get();
        if depth > DEPTH {
            return Node::Other;
        }
        match text.as_bytes().first() {
            Some(b'{') => serde_json::from_str::<BTreeMap<String, &RawValue>>(text)
                .map(|members| {
                    let nodes = members
                        .into_iter()
                        .map(|(key, value)| (key, self.node(value, depth + 1)));
                    Node::Object(nodes.collect())
                })
                .unwrap_or(Node::Other),
            Some(b'[') => serde_json::from_str::<Vec<&RawValue>>(text)
                .map(|items| {
                    Node::Array(items.into_iter().map(|i| self.node(i, depth + 1)).collect())
                })
                .unwrap_or(Node::Other),
            Some(b'"') => serde_json::from_str(text).map_or(Node::Other, Node::Text),
            _ => Scan::new(text, self.line_of(text))
                .finite()
                .map_or(Node::Other, Node::Number),
        }
    }

    /// The line in which a piece of `self.text` stands.
    fn line_of(&self, piece: &str) -> usize {
        let offset = (piece.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let after = self.lines.partition_point(|(start, _)| *start <= offset);
        self.lines.get(after.saturating_sub(1)).map_or(0, |l| l.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::lines;

    fn documents(text: &str) -> Vec<Document> {
        let mut collector = Collector::default();
        lines(text).filter_map(|l| collector.line(&l)).collect()
    }

    #[test]
    fn numbers_know_their_lines_and_digits() {
        let found = documents(
            "It said\n{\n \"a\": {\"b\": 0.50,\n  \"c\": [1, 2e3]},\n \"d\": \"x}\"\n}\nso.",
        );
        assert_eq!(found.len(), 1);
        let root = &found[0].root;
        assert_eq!(found[0].span, (2, 6));
        let b = root.number("a/b").expect("a number");
        assert_eq!((b.text.as_str(), b.line), ("0.50", 3));
        assert_eq!(root.items("a/c").len(), 2);
        assert!(matches!(&root.items("a/c")[1], Node::Number(f) if f.line == 4));
        assert_eq!(root.text("d"), Some("x}"));
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
