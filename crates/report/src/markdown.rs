//! A document as GitHub-flavoured Markdown.

use crate::document::{Block, Cell, Choice, Item, Table};
use crate::text::{markdown as escape, markdown_html};
use crate::words::{Text, Tone};
use photofinish_model::settings::Row;
use photofinish_voice::Language;

use crate::export::Format;

/// The format.
pub(crate) const FORMAT: Format = Format {
    row: Row::of_output(
        "markdown",
        "Write Markdown to this file (- for standard output)",
    )
    .aliases(&["export-markdown"]),
    run: |run| Ok(crate::markdown(run.comparison)),
    days: |days, _| Ok(crate::days_markdown(days)),
    pooled: |pooled, _| Ok(render(&crate::pooled::document(pooled), Language::En)),
    history: |history| Ok(crate::history_markdown(history)),
};

/// Draws a document.
pub(crate) fn render(document: &[Block], language: Language) -> String {
    let writer = Writer { language };
    writer.blocks(document) + "\n"
}

#[derive(Clone, Copy)]
struct Writer {
    language: Language,
}

impl Writer {
    fn blocks(self, blocks: &[Block]) -> String {
        let blocks = blocks.iter().map(|block| self.block(block));
        let blocks: Vec<String> = blocks.filter(|text| !text.is_empty()).collect();
        blocks.join("\n\n")
    }

    fn block(self, block: &Block) -> String {
        match block {
            Block::Title(text) => format!("# {}", self.escaped(text)),
            Block::Headline(text) => emphasise(&self.escaped(text), Tone::Strong),
            Block::Section(_, text) => format!("## {}", self.escaped(text)),
            Block::Part(_, text) => format!("### {}", self.escaped(text)),
            Block::Heading(text) => format!("#### {}", self.escaped(text)),
            Block::Line(text) => self.words(text),
            Block::List(items) | Block::Warnings(items) => {
                let items = items.iter().map(|item| self.item(item));
                items.collect::<Vec<_>>().join("\n")
            }
            Block::Facts(facts) => {
                let facts = facts.iter().map(|(name, value)| {
                    let text = Text::labelled(name.clone(), value.clone());
                    format!("- {}", self.escaped(&text))
                });
                facts.collect::<Vec<_>>().join("\n")
            }
            Block::Table(table) => self.rows(table),
            // The tables have what figures show.
            Block::Key(_) | Block::Figures(_) => String::new(),
            Block::Tables(_, blocks) => self.blocks(blocks),
            // Without the blank lines a table would be shown as it is written.
            Block::Fold(title, blocks) => format!(
                "<details><summary>{}</summary>\n\n{}\n\n</details>",
                markdown_html(&title.text(self.language)),
                self.blocks(blocks)
            ),
            Block::Choice(Choice { options, .. }) => {
                let options = options.iter().map(|(_, blocks)| self.blocks(blocks));
                let options: Vec<String> = options.filter(|text| !text.is_empty()).collect();
                options.join("\n\n")
            }
        }
    }

    fn escaped(self, text: &Text) -> String {
        escape(&text.text(self.language))
    }

    fn words(self, text: &Text) -> String {
        emphasise(&self.escaped(text), text.tone)
    }

    fn item(self, item: &Item) -> String {
        let mut lines = vec![format!("- {}", self.words(&item.text))];
        let below = item.unfolded().into_iter();
        lines.extend(below.map(|text| format!("  - {}", self.escaped(&text))));
        lines.join("\n")
    }

    fn rows(self, table: &Table) -> String {
        let columns = table.header.len();
        let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
        let header = table.header.iter().map(|name| self.escaped(name)).collect();
        let rule = (0..columns).map(|column| if column == 0 { "---" } else { "---:" }.to_owned());
        let mut lines = vec![line(header), line(rule.collect())];
        for row in &table.rows {
            let none = Cell::none();
            let cells = (0..columns).map(|column| self.cell(row.get(column).unwrap_or(&none)));
            lines.push(line(cells.collect()));
        }
        lines.join("\n")
    }

    fn cell(self, cell: &Cell) -> String {
        let below = cell.below.iter().map(|text| self.escaped(text));
        let all = std::iter::once(self.words(&cell.text)).chain(below);
        all.collect::<Vec<_>>().join(" ")
    }
}

/// Colours have no place here; what matters most is bold.
fn emphasise(text: &str, tone: Tone) -> String {
    match tone {
        Tone::Strong | Tone::Bad if !text.is_empty() => format!("**{text}**"),
        _ => text.to_owned(),
    }
}
