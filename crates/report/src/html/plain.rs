//! A document as one HTML file without a script, in the style of the report's page: what changed between two runs, and a history.

use super::TEMPLATE;
use super::escape::escape;
use crate::Error;
use crate::document::{Block, Figure, Item, Table, Text, Tone};

/// The ends of the built page's style.
const STYLE: (&str, &str) = ("<style", "</style>");

/// The file, called by its first heading; or why it could not be made.
pub(crate) fn render(document: &[Block]) -> Result<String, Error> {
    let title = document.iter().find_map(|block| match block {
        Block::Heading(1, text) => Some(escape(text)),
        _ => None,
    });
    let blocks: Vec<String> = document.iter().map(block).collect();
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\
         <meta name=\"color-scheme\" content=\"light dark\"><title>{}</title>{}</head>\n<body><main class=\"summary\">\n{}\n</main></body></html>\n",
        title.unwrap_or_default(),
        style()?,
        blocks.join("\n")
    ))
}

/// The style of the page, with its tags.
fn style() -> Result<&'static str, Error> {
    let (open, close) = STYLE;
    let ends = TEMPLATE.find(open).zip(TEMPLATE.find(close));
    let (from, to) = ends.ok_or_else(|| Error::Html("the built page has no style".to_owned()))?;
    Ok(&TEMPLATE[from..to + close.len()])
}

fn block(block: &Block) -> String {
    match block {
        Block::Heading(level, text) => format!("<h{level}>{}</h{level}>", escape(text)),
        Block::Line(text) => format!("<p>{}</p>", words(text)),
        Block::List(items) => format!("<ul>{}</ul>", items.iter().map(item).collect::<String>()),
        Block::Table(table) => rows(table),
        Block::Folded(title, table) => format!(
            "<details><summary>{}</summary>{}</details>",
            escape(title),
            rows(table)
        ),
    }
}

fn words(Text { text, tone }: &Text) -> String {
    emphasise(text, *tone)
}

/// What matters most is bold, as in Markdown: colours would be a second sign of the same.
fn emphasise(text: &str, tone: Tone) -> String {
    match tone {
        Tone::Strong | Tone::Bad => format!("<strong>{}</strong>", escape(text)),
        Tone::Plain | Tone::Good | Tone::Muted => escape(text),
    }
}

fn item(item: &Item) -> String {
    let below: String = (item.below.iter())
        .map(|text| format!("<br>{}", escape(text)))
        .collect();
    format!("<li>{}{below}</li>", words(&item.text))
}

fn rows(table: &Table) -> String {
    let is_said = |column: usize| {
        let cells = table.rows.iter().filter_map(|row| row.get(column));
        cells.into_iter().any(|figure| figure.is_said)
    };
    let header: String = (table.header.iter().enumerate())
        .map(|(column, name)| {
            let class = said(is_said(column));
            format!("<th scope=\"col\"{class}>{}</th>", escape(name))
        })
        .collect();
    let body: String = (table.rows.iter()).map(|row| line(row, is_said)).collect();
    format!(
        "<div class=\"scroll\"><table><thead><tr>{header}</tr></thead><tbody>{body}</tbody></table></div>"
    )
}

/// The class of a column that holds words, which are broken into lines where figures are not.
fn said(is_said: bool) -> &'static str {
    if is_said { " class=\"said\"" } else { "" }
}

fn line(row: &[Figure], is_said: impl Fn(usize) -> bool) -> String {
    let cells = row.iter().enumerate().map(|(column, figure)| {
        let text = emphasise(&figure.text, figure.tone);
        let detail = figure.detail.as_deref().map(escape);
        let detail = detail.map(|detail| format!("<span class=\"detail\">{detail}</span>"));
        let detail = detail.unwrap_or_default();
        match column {
            0 => format!("<th scope=\"row\">{text}{detail}</th>"),
            _ => format!("<td{}>{text}{detail}</td>", said(is_said(column))),
        }
    });
    format!("<tr>{}</tr>", cells.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_loads_nothing_and_no_text_is_markup() {
        let hostile = "</td><script>\"'&";
        let table = Table {
            header: vec![hostile.to_owned(), "b".to_owned()],
            rows: vec![vec![
                Figure::new(hostile),
                Figure {
                    detail: Some(hostile.to_owned()),
                    tone: Tone::Strong,
                    ..Figure::new(hostile)
                },
            ]],
        };
        let page = render(&[
            Block::Heading(1, hostile.to_owned()),
            Block::line(hostile),
            Block::List(vec![Item::new(hostile, Tone::Bad)]),
            Block::Folded(hostile.to_owned(), table),
        ])
        .expect("a page");
        let safe = "&lt;/td&gt;&lt;script&gt;&quot;&#39;&amp;";
        assert_eq!(page.matches(safe).count(), 9, "{page}");
        assert!(!page.contains("<script") && !page.contains("src="));
        assert!(page.contains(&format!("<title>{safe}</title><style")));
        assert!(page.contains("default-src 'none'; style-src"));
    }

    #[test]
    fn a_column_of_words_is_marked_with_its_header() {
        let said = Figure {
            is_said: true,
            ..Figure::new("other words")
        };
        let table = Table {
            header: ["run", "rounds", "differs"].map(str::to_owned).to_vec(),
            rows: vec![
                vec![Figure::new("1"), Figure::new("5"), Figure::none()],
                vec![Figure::new("2"), Figure::new("5"), said],
            ],
        };
        let page = render(&[Block::Table(table)]).expect("a page");
        assert!(page.contains("<th scope=\"col\" class=\"said\">differs</th>"));
        assert!(page.contains("<td class=\"said\">other words</td>"));
        assert!(page.contains("<td class=\"said\">–</td>") && page.contains("<td>5</td>"));
    }
}
