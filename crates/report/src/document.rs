//! The document that a report is, before a renderer gives it a form. All words are in both languages.

use crate::figure::Figure;
use crate::figure::look::Look;
use crate::words::{NONE, Text, Tone};

/// A part of a document.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Block {
    /// The title of the document.
    Title(Text),
    /// The answer in a sentence.
    Headline(Text),
    /// The beginning of a section: its name in addresses, and its title.
    Section(&'static str, Text),
    /// The beginning of a part of a section: its name in addresses, and its title.
    Part(&'static str, Text),
    /// A heading within a section or a part.
    Heading(Text),
    /// A paragraph.
    Line(Text),
    /// Statements, one below the other.
    List(Vec<Item>),
    /// What a reader must know before quoting the answer.
    Warnings(Vec<Item>),
    /// Names with their values.
    Facts(Vec<(Text, Text)>),
    /// Rows of figures.
    Table(Table),
    /// The servers as they are drawn in the figures below.
    Key(Vec<Text>),
    /// Figures, next to each other if there is room. A medium that cannot draw has the tables next to them.
    Figures(Vec<Figure>),
    /// Tables behind the figures before them, closed at first if the medium can fold.
    Tables(Text, Vec<Block>),
    /// Blocks that few readers need, under a title.
    Fold(Text, Vec<Block>),
    /// Alternatives, of which a page shows one at a time.
    Choice(Choice),
}

/// Alternatives with their names. The one at `first` is shown first.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Choice {
    pub(crate) label: Text,
    pub(crate) options: Vec<(Text, Vec<Block>)>,
    pub(crate) first: usize,
}

/// A statement with what belongs to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Item {
    pub(crate) text: Text,
    pub(crate) below: Vec<Text>,
    /// Lists behind a title; a medium that cannot fold shows the first entries of each.
    pub(crate) folded: Vec<(Text, Vec<Text>)>,
    /// The section that says more.
    pub(crate) more: Option<&'static str>,
}

/// A table. The first column names the row; all others hold figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Table {
    pub(crate) header: Vec<Text>,
    pub(crate) rows: Vec<Vec<Cell>>,
}

/// A figure in a table, with what stands below or behind it, such as its interval.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Cell {
    pub(crate) text: Text,
    pub(crate) below: Vec<Text>,
    /// Whether the cell holds words, which may take several lines.
    pub(crate) is_words: bool,
    /// The share of the largest figure in the row, drawn as a bar in a server's colour.
    pub(crate) bar: Option<(f64, Look)>,
}

/// The same document with each section behind its title.
pub(crate) fn folded(document: Vec<Block>) -> Vec<Block> {
    let mut folded: Vec<Block> = Vec::new();
    let mut is_top = true;
    for block in document {
        match (block, folded.last_mut()) {
            (Block::Section(_, title), _) => {
                is_top = false;
                folded.push(Block::Fold(title, Vec::new()));
            }
            (block, Some(Block::Fold(_, blocks))) if !is_top => blocks.push(block),
            (block, _) => folded.push(block),
        }
    }
    folded
}

impl Block {
    pub(crate) fn line(text: impl Into<Text>) -> Block {
        Block::Line(text.into())
    }
}

impl Item {
    pub(crate) fn new(text: impl Into<Text>, tone: Tone) -> Item {
        Item {
            text: text.into().toned(tone),
            ..Item::default()
        }
    }
}

impl Cell {
    pub(crate) fn new(text: impl Into<Text>) -> Cell {
        Cell {
            text: text.into(),
            ..Cell::default()
        }
    }

    pub(crate) fn none() -> Cell {
        Cell::new(NONE)
    }

    /// A cell of words instead of a figure.
    pub(crate) fn words(text: impl Into<Text>) -> Cell {
        Cell {
            is_words: true,
            ..Cell::new(text)
        }
    }

    pub(crate) fn toned(mut self, tone: Tone) -> Cell {
        self.text.tone = tone;
        self
    }

    /// The same with something below, if there is something.
    pub(crate) fn over(mut self, below: Option<impl Into<Text>>) -> Cell {
        self.below.extend(below.map(Into::into));
        self
    }
}
