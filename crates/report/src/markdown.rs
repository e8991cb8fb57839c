//! A document as GitHub-flavoured Markdown.

use crate::document::{Block, Figure, Item, Table, Text, Tone};
use crate::text::{markdown as escape, markdown_html};
use photofinish_judge::days::Days;
use photofinish_judge::history::History;

use crate::Error;
use crate::export::{Export, Run};

/// The format; see [`Export`].
pub(crate) struct Markdown;

impl Export for Markdown {
    fn name(&self) -> &'static str {
        "markdown"
    }

    fn help(&self) -> &'static str {
        "Write Markdown to this file (- for standard output)"
    }

    fn run(&self, run: Run) -> Result<String, Error> {
        Ok(crate::markdown(run.comparison))
    }

    fn days(&self, days: &Days) -> Result<String, Error> {
        Ok(crate::days_markdown(days))
    }

    fn history(&self, history: &History) -> Result<String, Error> {
        Ok(crate::history_markdown(history))
    }
}

/// Draws a document.
pub(crate) fn render(document: &[Block]) -> String {
    let blocks: Vec<String> = document.iter().map(block).collect();
    blocks.join("\n\n") + "\n"
}

fn block(block: &Block) -> String {
    match block {
        Block::Heading(level, text) => {
            format!("{} {}", "#".repeat(usize::from(*level)), escape(text))
        }
        Block::Line(text) => words(text),
        Block::List(items) => items.iter().map(item).collect::<Vec<_>>().join("\n"),
        Block::Table(table) => rows(table),
        // Without the blank lines the table would be shown as it is written.
        Block::Folded(title, table) => format!(
            "<details><summary>{}</summary>\n\n{}\n\n</details>",
            markdown_html(title),
            rows(table)
        ),
    }
}

fn words(Text { text, tone }: &Text) -> String {
    emphasise(&escape(text), *tone)
}

/// Colours have no place here; what matters most is bold.
fn emphasise(text: &str, tone: Tone) -> String {
    match tone {
        Tone::Strong | Tone::Bad if !text.is_empty() => format!("**{text}**"),
        _ => text.to_owned(),
    }
}

fn item(item: &Item) -> String {
    let mut lines = vec![format!("- {}", words(&item.text))];
    lines.extend(
        item.below
            .iter()
            .map(|text| format!("  - {}", escape(text))),
    );
    lines.join("\n")
}

fn rows(table: &Table) -> String {
    let columns = table.header.len();
    let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let header = table.header.iter().map(|name| escape(name)).collect();
    let rule = (0..columns).map(|column| if column == 0 { "---" } else { "---:" }.to_owned());
    let mut lines = vec![line(header), line(rule.collect())];
    for row in &table.rows {
        let none = Figure::none();
        let cells = (0..columns).map(|column| cell(row.get(column).unwrap_or(&none)));
        lines.push(line(cells.collect()));
    }
    lines.join("\n")
}

fn cell(figure: &Figure) -> String {
    let text = emphasise(&escape(&figure.text), figure.tone);
    match &figure.detail {
        Some(detail) => format!("{text} {}", escape(detail)),
        None => text,
    }
}
