//! JSON documents within a text: the values that a layout asks for, whose numbers know their line and their printed digits.
//!
//! A report may be large, and layouts ask for a few of its values: the others are passed over and never kept.

mod collector;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
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
        let mut at = None;
        self.find("", path, &mut |_, node| {
            at = Some(node);
            true
        });
        at
    }

    /// Whether there is nothing in it that a layout asks for.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Object(members) => members.is_empty(),
            Self::Array(items) => items.is_empty(),
            Self::Number(_) | Self::Text(..) => false,
            Self::Other => true,
        }
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
        self.find("", path, &mut |_, _| true)
    }

    /// Every value behind a path, in which `*` stands for any key or element and `p*` for a key that begins so; with the last such
    /// key.
    pub fn each<'a>(&'a self, path: &str) -> Vec<(&'a str, &'a Self)> {
        let mut all = Vec::new();
        self.find("", path, &mut |key, node| {
            all.push((key, node));
            false
        });
        all
    }

    /// Shows every value behind a path until one is what was looked for; whether one is.
    fn find<'a>(
        &'a self,
        key: &'a str,
        path: &str,
        is_it: &mut dyn FnMut(&'a str, &'a Self) -> bool,
    ) -> bool {
        let (part, rest) = path.split_once('/').unwrap_or((path, ""));
        match (self, part.strip_suffix('*')) {
            _ if part.is_empty() => is_it(key, self),
            (Self::Object(members), None) => {
                let member = members.iter().find(|(name, _)| name == part);
                member.is_some_and(|(_, node)| node.find(key, rest, is_it))
            }
            (Self::Object(members), Some(begin)) => {
                let mut fitting = members.iter().filter(|(name, _)| name.starts_with(begin));
                fitting.any(|(name, node)| node.find(name, rest, is_it))
            }
            (Self::Array(items), Some("")) => items.iter().any(|node| node.find(key, rest, is_it)),
            _ => false,
        }
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

/// Elements kept of one array: no report has more rows.
const ITEMS: usize = 10_000;

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
            wanted: vec![self],
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
    /// By its key, by its beginning, and by `*`.
    wanted: Vec<&'w Wanted>,
    lines: &'l LineOf<'l>,
}

impl<'de> DeserializeSeed<'de> for Seed<'_, '_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Node, D::Error> {
        if !self.wanted.iter().any(|wanted| wanted.leaf) {
            return reader.deserialize_any(self);
        }
        let raw: &RawValue = serde::Deserialize::deserialize(reader)?;
        let text = raw.get();
        let is_leaf = self.wanted.iter().all(|wanted| wanted.is_leaf());
        if text.starts_with(['{', '[']) && !is_leaf {
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
            let wanted: Vec<_> = self.wanted.iter().flat_map(|w| w.below(&key)).collect();
            if wanted.is_empty() {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let is_leaf = wanted.iter().any(|wanted| wanted.leaf);
            let lines = self.lines;
            let node = map.next_value_seed(Seed { wanted, lines })?;
            // A log has millions of records in which nothing is asked for.
            if is_leaf || !node.is_empty() {
                members.push((key, node));
            }
        }
        Ok(Node::Object(members))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let below: Vec<_> = self.wanted.iter().filter_map(|w| w.any.get("")).collect();
        let is_leaf = below.iter().any(|wanted| wanted.leaf);
        let mut all = Vec::new();
        if below.is_empty() {
            while items.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(Node::Array(all));
        }
        let lines = self.lines;
        loop {
            let wanted = below.clone();
            match items.next_element_seed(Seed { wanted, lines })? {
                None => return Ok(Node::Array(all)),
                Some(item) if all.len() < ITEMS && (is_leaf || !item.is_empty()) => all.push(item),
                Some(_) => {}
            }
        }
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
