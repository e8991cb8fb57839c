//! The document that a report is, before a renderer gives it a form. All words are in both languages.

use photofinish_judge::comparison::Head;
use photofinish_model::message::Message;
use photofinish_voice::label;

use crate::figure::Figure;
use crate::figure::look::{Look, look};
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

/// Returns the head of a part: its title, and what it shows.
pub(crate) fn part(id: &'static str, title: Message, lead: Message) -> Vec<Block> {
    vec![Block::Part(id, title.into()), Block::muted(lead)]
}

impl Block {
    pub(crate) fn line(text: impl Into<Text>) -> Block {
        Block::Line(text.into())
    }

    pub(crate) fn muted(text: impl Into<Text>) -> Block {
        Block::Line(text.into().toned(Tone::Muted))
    }

    pub(crate) fn heading(text: impl Into<Text>) -> Block {
        Block::Heading(text.into())
    }

    /// A list of statements in one tone.
    pub(crate) fn list(items: impl IntoIterator<Item = impl Into<Text>>, tone: Tone) -> Block {
        let items = items.into_iter().map(|text| Item::new(text, tone));
        Block::List(items.collect())
    }

    /// The key of these servers, of which each may come several times.
    pub(crate) fn key<'s>(head: &Head, servers: impl Iterator<Item = &'s str>) -> Block {
        let mut known: Vec<&str> = Vec::new();
        for server in servers {
            if !known.contains(&server) {
                known.push(server);
            }
        }
        let names = known.into_iter();
        Block::Key(
            names
                .map(|server| Text::server(server, look(head, server)))
                .collect(),
        )
    }

    /// A table that stands in for figures where there are none.
    pub(crate) fn tables(table: Table) -> Block {
        Block::Tables(Text::from(label::table()), vec![Block::Table(table)])
    }

    /// Alternatives, or the only one.
    pub(crate) fn choice(
        label: Message,
        mut options: Vec<(Text, Vec<Block>)>,
        first: usize,
    ) -> Vec<Block> {
        match options.len() {
            0 => Vec::new(),
            1 => options.remove(0).1,
            _ => vec![Block::Choice(Choice {
                label: label.into(),
                options,
                first,
            })],
        }
    }

    /// A table behind its title.
    pub(crate) fn folded_table(title: impl Into<Text>, table: Table) -> Block {
        Block::Fold(title.into(), vec![Block::Table(table)])
    }
}

impl Table {
    /// Whether a column holds words.
    pub(crate) fn has_words(&self, column: usize) -> bool {
        let mut cells = self.rows.iter().filter_map(|row| row.get(column));
        cells.any(|cell| cell.is_words)
    }

    /// A table with a row for each record, and no column yet.
    pub(crate) fn of<R>(records: impl IntoIterator<Item = R>) -> TableOf<R> {
        let records: Vec<R> = records.into_iter().collect();
        TableOf {
            table: Table {
                header: Vec::new(),
                rows: vec![Vec::new(); records.len()],
            },
            records,
        }
    }
}

/// A table with a row for each record, while columns are added.
pub(crate) struct TableOf<R> {
    records: Vec<R>,
    table: Table,
}

impl<R> TableOf<R> {
    /// Adds a column: its heading, and each record's cell.
    pub(crate) fn column<C: Into<Cell>>(
        mut self,
        heading: impl Into<Text>,
        cell: impl Fn(&R) -> C,
    ) -> TableOf<R> {
        self.table.header.push(heading.into());
        for (row, record) in self.table.rows.iter_mut().zip(&self.records) {
            row.push(cell(record).into());
        }
        self
    }

    /// Adds a column if there is something for it.
    pub(crate) fn column_if<C: Into<Cell>>(
        self,
        is_shown: bool,
        heading: impl Into<Text>,
        cell: impl Fn(&R) -> C,
    ) -> TableOf<R> {
        match is_shown {
            true => self.column(heading, cell),
            false => self,
        }
    }

    /// Adds a column for each key.
    pub(crate) fn columns<K>(
        self,
        keys: impl IntoIterator<Item = K>,
        heading: impl Fn(&K) -> Text,
        cell: impl Fn(&R, &K) -> Cell,
    ) -> TableOf<R> {
        let add = |table: TableOf<R>, key: K| table.column(heading(&key), |it| cell(it, &key));
        keys.into_iter().fold(self, add)
    }

    pub(crate) fn table(self) -> Table {
        self.table
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

/// Entries of a folded list that are shown where nothing can be folded; the others are counted.
const ENTRIES: usize = 10;

impl Item {
    /// What belongs to it where nothing can be folded.
    pub(crate) fn unfolded(&self) -> Vec<Text> {
        let mut lines = self.below.clone();
        for (_, entries) in &self.folded {
            lines.extend(entries.iter().take(ENTRIES).cloned());
            let rest = entries.len().saturating_sub(ENTRIES);
            lines.extend((rest > 0).then(|| Text::from(format!("and {rest} more"))));
        }
        lines
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

    /// A cell of a figure that may be missing.
    pub(crate) fn some(text: Option<impl Into<Text>>) -> Cell {
        text.map_or_else(Cell::none, Cell::new)
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

/// Makes a cell of each kind of text.
macro_rules! cells {
    ($($text:ty),+) => {$(
        impl From<$text> for Cell {
            fn from(text: $text) -> Cell {
                Cell::new(text)
            }
        }
    )+};
}

cells!(String, Text, Message);
