//! JSON documents within a text: the values that a layout asks for, whose numbers know their line and their printed digits.
//!
//! A report may be large, and layouts ask for a few of its values: the others are passed over and never kept.

mod collector;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::figure::{Figure, Scan};

pub use collector::Collector;

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
    /// By key, in order.
    Object(Vec<(String, Node)>),
    /// In order.
    Array(Vec<Node>),
    /// A number as printed.
    Number(Figure),
    /// A string.
    Text(String, usize),
    /// `true`, `false`, `null`, and what no layout asks for.
    Other,
}

impl Node {
    /// The value behind keys separated by `/`; the value itself for none.
    pub fn at(&self, path: &str) -> Option<&Self> {
        if path.is_empty() {
            return Some(self);
        }
        path.split('/').try_fold(self, |node, key| match node {
            Self::Object(members) => members.iter().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        })
    }

    /// The string behind keys separated by `/`.
    pub fn text(&self, path: &str) -> Option<&str> {
        match self.at(path)? {
            Self::Text(text, _) => Some(text),
            _ => None,
        }
    }

    /// Whether there is a value behind a path of [`each`](Self::each).
    pub fn has(&self, path: &str) -> bool {
        let (part, rest) = path.split_once('/').unwrap_or((path, ""));
        let begin = part.strip_suffix('*');
        match self {
            _ if part.is_empty() => true,
            Self::Object(members) => members.iter().any(|(key, node)| {
                begin.map_or(key == part, |begin| key.starts_with(begin)) && node.has(rest)
            }),
            Self::Array(items) => begin == Some("") && items.iter().any(|node| node.has(rest)),
            _ => false,
        }
    }

    /// Every value behind a path, in which `*` stands for any key or element and `p*` for a key that begins so; with the last such
    /// key.
    pub fn each<'a>(&'a self, path: &str) -> Vec<(&'a str, &'a Self)> {
        let mut found: Vec<(&str, &Self)> = vec![("", self)];
        for part in path.split('/').filter(|part| !part.is_empty()) {
            let mut next = Vec::new();
            for (key, node) in found {
                match (node, part.strip_suffix('*')) {
                    (Self::Object(members), Some(begin)) => {
                        let members = members.iter().map(|(key, node)| (key.as_str(), node));
                        next.extend(members.filter(|(key, _)| key.starts_with(begin)));
                    }
                    (Self::Array(items), Some("")) => {
                        next.extend(items.iter().map(|node| (key, node)));
                    }
                    (Self::Object(members), None) => {
                        let member = members.iter().find(|(k, _)| k == part);
                        next.extend(member.map(|(_, node)| (key, node)));
                    }
                    _ => {}
                }
            }
            found = next;
        }
        found
    }
}

impl Node {
    /// Lines of a piece of a text become those of the text.
    fn place(&mut self, line_of: &dyn Fn(usize) -> usize) {
        match self {
            Self::Object(members) => members.iter_mut().for_each(|(_, node)| node.place(line_of)),
            Self::Array(items) => items.iter_mut().for_each(|node| node.place(line_of)),
            Self::Number(figure) => figure.line = line_of(figure.line),
            Self::Text(_, line) => *line = line_of(*line),
            Self::Other => {}
        }
    }
}

/// The paths that layouts ask for.
#[derive(Debug, Default)]
pub struct Wanted {
    /// The value itself is asked for.
    leaf: bool,
    by_key: BTreeMap<String, Wanted>,
    /// By the beginning of the key; empty for any key or element.
    any: BTreeMap<String, Wanted>,
}

impl Wanted {
    /// Asks for a path; `*` stands for any key or element, `p*` for a key that begins so.
    pub fn add(&mut self, path: &str) {
        let mut at = self;
        for part in path.split('/').filter(|part| !part.is_empty()) {
            at = match part.strip_suffix('*') {
                Some(begin) => at.any.entry(begin.to_owned()).or_default(),
                None => at.by_key.entry(part.to_owned()).or_default(),
            };
        }
        at.leaf = true;
    }

    fn is_leaf(&self) -> bool {
        self.by_key.is_empty() && self.any.is_empty()
    }

    /// What is asked for below a key.
    fn below<'w>(&'w self, key: &str) -> impl Iterator<Item = &'w Self> {
        let any = self.any.iter();
        let fitting = any.filter(move |(begin, _)| key.starts_with(begin.as_str()));
        let own = self.by_key.get(key).into_iter();
        own.chain(fitting.map(|(_, wanted)| wanted))
    }

    /// Reads a whole text as one document.
    pub fn read(&self, text: &str) -> Option<Document> {
        self.value(text, |reader| reader.end().is_ok())
    }

    /// Reads the first value of a text: something may follow.
    fn first(&self, text: &str) -> Option<Document> {
        self.value(text, |_| true)
    }

    fn value<'t>(
        &self,
        text: &'t str,
        ends: impl Fn(&mut serde_json::Deserializer<serde_json::de::StrRead<'t>>) -> bool,
    ) -> Option<Document> {
        let first = text.len() - text.trim_start().len();
        let mut lines = LineOf::new(text);
        let mut reader = serde_json::Deserializer::from_str(text);
        let seed = Seed {
            wanted: Below::of([self]),
            lines: &lines,
        };
        let root = seed.deserialize(&mut reader).ok()?;
        if !ends(&mut reader) {
            return None;
        }
        lines.seen = Cell::new((0, 1));
        let from = lines.of(first);
        let to = lines.of(text.trim_end().len());
        Some(Document {
            root,
            span: (from, to),
        })
    }
}

/// What is asked for of one value: by its key, by its beginning, and by `*`.
#[derive(Clone, Copy)]
struct Below<'w>([Option<&'w Wanted>; BRANCHES]);

/// Branches that ask for one value.
const BRANCHES: usize = 4;

impl<'w> Below<'w> {
    fn of(all: impl IntoIterator<Item = &'w Wanted>) -> Self {
        let mut all = all.into_iter();
        Self([(); BRANCHES].map(|()| all.next()))
    }

    fn is_wanted(self) -> bool {
        self.0.iter().any(Option::is_some)
    }

    fn is_leaf(self) -> bool {
        self.0.iter().flatten().all(|w| w.is_leaf())
    }

    fn has_leaf(self) -> bool {
        self.0.iter().flatten().any(|w| w.leaf)
    }

    /// What is asked for below a key.
    fn below(self, key: &str) -> Self {
        Self::of(self.0.into_iter().flatten().flat_map(|w| w.below(key)))
    }

    fn any(self) -> Self {
        Self::of(self.0.into_iter().flatten().filter_map(|w| w.any.get("")))
    }
}

/// Where the pieces of a text stand. Pieces are asked for from the first to the last.
struct LineOf<'a> {
    text: &'a str,
    /// What ends a line: on old Macs a carriage return.
    end: u8,
    seen: Cell<(usize, usize)>,
}

impl<'a> LineOf<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            end: if text.contains('\n') { b'\n' } else { b'\r' },
            seen: Cell::new((0, 1)),
        }
    }

    fn of(&self, offset: usize) -> usize {
        let (from, line) = self.seen.get();
        let between = self.text.as_bytes().get(from..offset).unwrap_or_default();
        let line = line + between.iter().filter(|b| **b == self.end).count();
        self.seen.set((from.max(offset), line));
        line
    }

    fn of_piece(&self, piece: &str) -> usize {
        self.of((piece.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize))
    }
}

/// Reads what is asked for of a value.
struct Seed<'w, 'l> {
    wanted: Below<'w>,
    lines: &'l LineOf<'l>,
}

impl<'de> DeserializeSeed<'de> for Seed<'_, '_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Node, D::Error> {
        if !self.wanted.has_leaf() {
            return reader.deserialize_any(self);
        }
        let raw: &RawValue = serde::Deserialize::deserialize(reader)?;
        let text = raw.get();
        if text.starts_with(['{', '[']) && !self.wanted.is_leaf() {
            // Another layout asks for what lies within.
            let mut inner = serde_json::Deserializer::from_str(text);
            return Ok(inner.deserialize_any(self).unwrap_or(Node::Other));
        }
        Ok(match text.as_bytes().first() {
            Some(b'"') => match serde_json::from_str(text) {
                Ok(said) => Node::Text(said, self.lines.of_piece(text)),
                Err(_) => Node::Other,
            },
            Some(b'{' | b'[') => Node::Other,
            _ => Scan::new(text, self.lines.of_piece(text))
                .finite()
                .map_or(Node::Other, Node::Number),
        })
    }
}

impl<'de> Visitor<'de> for Seed<'_, '_> {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut members = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            let wanted = self.wanted.below(&key);
            if wanted.is_wanted() {
                let lines = self.lines;
                members.push((key, map.next_value_seed(Seed { wanted, lines })?));
            } else {
                map.next_value::<serde::de::IgnoredAny>()?;
            }
        }
        Ok(Node::Object(members))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let wanted = self.wanted.any();
        let mut all = Vec::new();
        if !wanted.is_wanted() {
            while items.next_element::<serde::de::IgnoredAny>()?.is_some() {}
            return Ok(Node::Array(all));
        }
        let lines = self.lines;
        while let Some(item) = items.next_element_seed(Seed { wanted, lines })? {
            all.push(item);
        }
        Ok(Node::Array(all))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Node, E> {
        Ok(Node::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Node, E> {
        Ok(Node::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Node, E> {
        Ok(Node::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Node, E> {
        Ok(Node::Other)
    }

    fn visit_str<E>(self, _: &str) -> Result<Node, E> {
        Ok(Node::Other)
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Other)
    }
}
