//! A document on a terminal: plain lines, tables without frames (they are read aloud too), and
//! colours where they are wanted.

use comfy_table::{
    Attribute, Cell, CellAlignment, Color, ContentArrangement, LineStyle, TableStyle,
};
use textwrap::{Options, WordSeparator, WordSplitter};

use photofinish_voice::Language;

use crate::document::{Block, Cell as Figure, Choice, Item, Table};
use crate::text::{ascii, clean};
use crate::words::{Text, Tone};

/// Only a line below the header.
const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─'));

/// Spaces between two columns.
const GAP: u16 = 2;

/// What stands between the ends of an interval, and the same with spaces that do not break.
const BETWEEN: &str = " … ";
const HELD: &str = "\u{a0}…\u{a0}";
const NBSP: char = '\u{a0}';

/// The units that stay with their figures.
const UNITS: [&str; 8] = [
    "µs",
    "ms",
    "KiB",
    "MiB",
    "GiB",
    "requests/s",
    "connections",
    "rounds",
];

/// Narrower than this, words are broken that nobody can read; the terminal may wrap instead.
const NARROWEST: usize = 40;

/// Draws a document in English.
pub(crate) fn render(document: &[Block], screen: Screen) -> String {
    let mut drawn = Drawn::default();
    screen.at_least().blocks(document, &mut drawn);
    drawn.text
}

/// What has been drawn, and of what kind the last block was.
#[derive(Default)]
struct Drawn {
    text: String,
    last: Option<Gap>,
}

/// How blocks stand to their neighbours.
#[derive(Clone, Copy, PartialEq)]
enum Gap {
    /// Lines stand together.
    Line,
    /// What follows belongs to it.
    Heading,
    Block,
}

impl Drawn {
    fn push(&mut self, text: &str, gap: Gap) {
        if text.is_empty() {
            return;
        }
        let is_joined = match self.last {
            None | Some(Gap::Heading) => true,
            Some(Gap::Line) => gap == Gap::Line,
            Some(Gap::Block) => false,
        };
        if !is_joined {
            self.text.push('\n');
        }
        self.text.push_str(text);
        self.text.push('\n');
        self.last = Some(gap);
    }
}

/// What text is drawn for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    /// The width in columns.
    pub width: usize,
    /// Whether colours are wanted.
    pub colour: bool,
    /// Whether it shows more than ASCII.
    pub unicode: bool,
}

impl Screen {
    /// One without colours.
    pub fn plain(width: usize) -> Screen {
        Screen {
            width,
            colour: false,
            unicode: true,
        }
    }

    /// The same, wide enough for words.
    pub(crate) fn at_least(self) -> Screen {
        Screen {
            width: self.width.max(NARROWEST),
            ..self
        }
    }

    /// Words in English, in which nothing acts on the terminal.
    pub(crate) fn said(&self, text: &Text) -> String {
        self.text(&text.text(Language::En))
    }

    /// The same of words that are in English already.
    pub(crate) fn text(&self, text: &str) -> String {
        let clean = clean(text);
        match self.unicode {
            true => clean,
            false => ascii(&clean),
        }
    }

    fn blocks(&self, blocks: &[Block], drawn: &mut Drawn) {
        for block in blocks {
            self.block(block, drawn);
        }
    }

    fn block(&self, block: &Block, drawn: &mut Drawn) {
        match block {
            Block::Title(text) => drawn.push(&self.strong(&self.said(text)), Gap::Block),
            Block::Headline(text) => drawn.push(&self.strong(&self.said(text)), Gap::Line),
            Block::Section(_, text) => {
                drawn.push(&self.strong(&self.said(text).to_uppercase()), Gap::Block);
            }
            Block::Part(_, text) | Block::Heading(text) => {
                drawn.push(&self.strong(&self.said(text)), Gap::Heading)
            }
            Block::Line(text) => {
                let text = self.paint(&self.wrap(&self.said(text), "", ""), text.tone);
                drawn.push(&text, Gap::Line);
            }
            Block::List(items) | Block::Warnings(items) => {
                let items: Vec<String> = items.iter().map(|item| self.item(item)).collect();
                drawn.push(&items.join("\n"), Gap::Block);
            }
            Block::Facts(facts) => {
                let facts = facts.iter().map(|(name, value)| {
                    let text = Text::labelled(name.clone(), value.clone());
                    self.wrap(&self.said(&text), "", "  ")
                });
                drawn.push(&facts.collect::<Vec<_>>().join("\n"), Gap::Block);
            }
            Block::Table(table) => drawn.push(&self.table(table), Gap::Block),
            // The tables have what figures show.
            Block::Key(_) | Block::Figures(_) => {}
            Block::Tables(_, blocks) => self.blocks(blocks, drawn),
            Block::Fold(title, blocks) => {
                drawn.push(&self.strong(&self.said(title)), Gap::Heading);
                self.blocks(blocks, drawn);
            }
            Block::Choice(Choice { options, .. }) => {
                for (_, blocks) in options {
                    self.blocks(blocks, drawn);
                }
            }
        }
    }

    fn strong(&self, text: &str) -> String {
        self.paint(&self.wrap(text, "", ""), Tone::Strong)
    }

    fn item(&self, item: &Item) -> String {
        let text = self.wrap(&self.said(&item.text), "- ", "  ");
        let mut lines = vec![self.paint(&text, item.text.tone)];
        let below = item.unfolded().into_iter();
        lines.extend(below.map(|text| self.wrap(&self.said(&text), "    ", "      ")));
        lines.join("\n")
    }

    pub(crate) fn wrap(&self, text: &str, first: &str, next: &str) -> String {
        let options = Options::new(self.width)
            .initial_indent(first)
            .subsequent_indent(next)
            // 'tio-boot' is one name, and a path is one too.
            .word_separator(WordSeparator::AsciiSpace)
            .word_splitter(WordSplitter::NoHyphenation);
        // An interval is one thing too, and so is a figure with its unit: they are not broken at
        // their spaces.
        let mut held = text.replace(BETWEEN, HELD);
        for unit in UNITS {
            held = held.replace(&format!(" {unit}"), &format!("{NBSP}{unit}"));
        }
        textwrap::fill(&held, options).replace(NBSP, " ")
    }

    pub(crate) fn paint(&self, text: &str, tone: Tone) -> String {
        let code = match tone {
            _ if !self.colour => return text.to_owned(),
            Tone::Plain => return text.to_owned(),
            Tone::Strong => "1",
            Tone::Good => "32",
            Tone::Bad => "1;31",
            Tone::Muted => "2",
        };
        // Each line by itself, so that a pager that shows one line of several shows it rightly.
        let lines: Vec<String> = text
            .lines()
            .map(|line| format!("\u{1b}[{code}m{line}\u{1b}[0m"))
            .collect();
        lines.join("\n")
    }

    /// A table; one that is too wide is drawn in parts that each begin with the first column, so
    /// that no figure is broken in two.
    fn table(&self, table: &Table) -> String {
        let all: Vec<usize> = (0..table.header.len()).collect();
        let widths = self.part(table, &all).column_max_content_widths();
        let needs = |column: usize| usize::from(widths[column]) + usize::from(GAP);
        let mut parts: Vec<Vec<usize>> = Vec::new();
        let mut used = 0;
        for column in 1..table.header.len() {
            // The gap behind the last column takes no room.
            let fits = used + needs(column) <= self.width + usize::from(GAP);
            match parts.last_mut().filter(|_| fits) {
                Some(part) => part.push(column),
                None => {
                    used = needs(0);
                    parts.push(vec![0, column]);
                }
            }
            used += needs(column);
        }
        let drawn: Vec<String> = parts
            .iter()
            .map(|part| self.part(table, part).trim_fmt())
            .collect();
        drawn.join("\n\n")
    }

    fn part(&self, table: &Table, columns: &[usize]) -> comfy_table::Table {
        let mut drawn = comfy_table::Table::new();
        drawn
            .load_style(STYLE)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(u16::try_from(self.width).unwrap_or(u16::MAX));
        if self.colour {
            drawn.enforce_styling();
        } else {
            drawn.force_no_tty();
        }
        let names = columns.iter().map(|&column| {
            Cell::new(self.said(&table.header[column])).add_attribute(Attribute::Bold)
        });
        drawn.set_header(names.collect::<Vec<Cell>>());
        for row in &table.rows {
            let cells = columns.iter().map(|&column| {
                let none = Figure::none();
                cell(self, row.get(column).unwrap_or(&none))
            });
            drawn.add_row(cells.collect::<Vec<Cell>>());
        }
        let last = columns.len().saturating_sub(1);
        for (index, column) in drawn.column_iter_mut().enumerate() {
            column.set_padding((0, if index == last { 0 } else { GAP }));
            if index > 0 {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        drawn
    }
}

fn cell(screen: &Screen, figure: &Figure) -> Cell {
    let lines = std::iter::once(&figure.text).chain(&figure.below);
    let lines = lines.map(|text| screen.said(text));
    let cell = Cell::new(lines.collect::<Vec<String>>().join("\n"));
    match figure.text.tone {
        Tone::Plain => cell,
        Tone::Strong => cell.add_attribute(Attribute::Bold),
        Tone::Good => cell.fg(Color::DarkGreen),
        Tone::Bad => cell.fg(Color::DarkRed),
        Tone::Muted => cell.add_attribute(Attribute::Dim),
    }
}
