//! What a report is made of, before anyone decides how it looks.

/// A piece of a report.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Block {
    /// A heading: level 1 for the report, 2 for a section, 3 within one.
    Heading(u8, String),
    /// A line of prose.
    Line(Text),
    /// Rows of figures.
    Table(Table),
    /// Statements, one below the other.
    List(Vec<Item>),
    /// A table that few will read: under a title by which it can be opened, where that is possible.
    Folded(String, Table),
}

/// Words with a tone.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Text {
    pub(crate) text: String,
    pub(crate) tone: Tone,
}

/// How words are meant; the colour where there are any, and never the only sign of anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tone {
    /// As it is.
    #[default]
    Plain,
    /// What to read first.
    Strong,
    /// As it should be.
    Good,
    /// Not as it should be.
    Bad,
    /// Of less weight.
    Muted,
}

/// A statement with what belongs to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Item {
    pub(crate) text: Text,
    pub(crate) below: Vec<String>,
}

/// A table. The first column names the row; all others hold figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Table {
    pub(crate) header: Vec<String>,
    pub(crate) rows: Vec<Vec<Figure>>,
}

/// A figure in a table, with what stands below or behind it, such as its interval.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Figure {
    pub(crate) text: String,
    pub(crate) detail: Option<String>,
    pub(crate) tone: Tone,
    /// Whether it is words rather than a figure, which may take several lines.
    pub(crate) is_said: bool,
}

impl Block {
    pub(crate) fn section(text: &str) -> Block {
        Block::Heading(2, text.to_owned())
    }

    pub(crate) fn line(text: impl Into<String>) -> Block {
        Block::Line(Text {
            text: text.into(),
            tone: Tone::Plain,
        })
    }
}

impl Item {
    pub(crate) fn new(text: impl Into<String>, tone: Tone) -> Item {
        Item {
            text: Text {
                text: text.into(),
                tone,
            },
            below: Vec::new(),
        }
    }
}

impl Figure {
    pub(crate) fn new(text: impl Into<String>) -> Figure {
        Figure {
            text: text.into(),
            ..Figure::default()
        }
    }

    /// Where there is no figure.
    pub(crate) fn none() -> Figure {
        Figure::new("–")
    }
}
