//! A document as HTML.

mod figures;

use photofinish_voice::label;

use crate::document::{Block, Cell, Choice, Item, Table};
use crate::words::{Kind, Text, Tone};

use super::data::Data;
use super::escape::{escape, span};
use super::svg;

/// A list behind a title is open if it has no more entries.
const FEW: usize = 3;

/// An answer with more characters is set smaller.
const LONG: usize = 140;
const VERY_LONG: usize = 280;

/// Writes blocks one after the other.
pub(super) struct Writer {
    html: String,
    data: Data,
    /// Elements with an identifier so far.
    named: usize,
    /// The identifier of the last heading, which names the tables below it.
    heading: String,
    /// Whether no section has begun.
    is_top: bool,
    /// Whether a part of a section is open.
    in_part: bool,
}

impl Writer {
    pub(super) fn new(summary: [String; 2]) -> Writer {
        Writer {
            html: String::new(),
            data: Data::new(summary),
            named: 0,
            heading: "title".to_owned(),
            is_top: true,
            in_part: false,
        }
    }

    pub(super) fn finish(self) -> (String, Data) {
        (self.html, self.data)
    }

    /// The whole page: what stands above the sections, their contents, and the sections.
    pub(super) fn document(&mut self, blocks: &[Block], version: &str) {
        self.push(&svg::marks());
        self.element("a class=\"skip\" href=\"#title\"", &label::skip().into());
        self.push("<header class=\"controls\"><span class=\"brand\">photofinish</span></header>");
        self.push("<div class=\"layout\">");
        self.contents(blocks);
        self.push("<main><div class=\"top\">");
        self.blocks(blocks);
        self.end_section();
        let version = Text::both(
            format!("Made by photofinish {version}. This file loads nothing and sends nothing."),
            format!("由 photofinish {version} 生成。本文件不加载任何外部内容，也不发送任何数据。"),
        );
        self.push("</main></div>");
        self.element("footer", &version);
    }

    fn push(&mut self, html: &str) {
        self.html.push_str(html);
    }

    /// An element with its attributes around a text.
    fn element(&mut self, tag: &str, text: &Text) {
        let (name, _) = tag.split_once(' ').unwrap_or((tag, ""));
        let text = span(text);
        self.push(&format!("<{tag}>{text}</{name}>"));
    }

    /// A list of texts.
    fn entries(&mut self, texts: &[Text]) {
        self.push("<ul>");
        for text in texts {
            self.element("li", text);
        }
        self.push("</ul>");
    }

    fn name(&mut self) -> String {
        self.named += 1;
        format!("e{}", self.named)
    }

    /// Links to all sections.
    fn contents(&mut self, blocks: &[Block]) {
        self.push("<nav class=\"contents\" aria-labelledby=\"contents\">");
        self.element(
            "span class=\"unseen\" id=\"contents\"",
            &label::contents().into(),
        );
        self.push("<ul>");
        for block in blocks {
            if let Block::Section(id, title) = block {
                let title = span(title);
                self.push(&format!("<li><a href=\"#{id}\">{title}</a></li>"));
            }
        }
        self.push("</ul></nav>");
    }

    fn blocks(&mut self, blocks: &[Block]) {
        for block in blocks {
            self.block(block);
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Title(text) => self.element("h1 id=\"title\"", text),
            Block::Headline(text) => self.headline(text),
            Block::Section(id, title) => self.section(id, title),
            Block::Part(id, title) => self.part(id, title),
            Block::Heading(text) => {
                self.heading = self.name();
                let level = if self.in_part { 4 } else { 3 };
                self.element(&format!("h{level} id=\"{}\"", self.heading), text);
            }
            Block::Line(text) => self.element(&format!("p{}", tone(text.tone)), text),
            Block::List(items) => self.list(items),
            Block::Warnings(items) => self.warnings(items),
            Block::Facts(facts) => {
                self.push("<dl>");
                for (name, value) in facts {
                    self.element("dt", name);
                    self.element("dd", value);
                }
                self.push("</dl>");
            }
            Block::Table(table) => self.table(table),
            Block::Key(servers) => self.key(servers),
            Block::Figures(figures) => self.figures(figures),
            Block::Tables(title, blocks) => self.details("tables", title, blocks),
            Block::Fold(title, blocks) => self.details("fold", title, blocks),
            Block::Choice(choice) => self.choice(choice),
        }
    }

    /// The answer: the longer, the smaller.
    fn headline(&mut self, text: &Text) {
        let length = text.text(photofinish_voice::Language::En).chars().count();
        let size = match (length > LONG, length > VERY_LONG) {
            (false, _) => "",
            (true, false) => " long",
            (true, true) => " very long",
        };
        self.element(&format!("p class=\"verdict{size}\""), text);
    }

    fn section(&mut self, id: &str, title: &Text) {
        self.end_section();
        self.is_top = false;
        self.opened("section", id, "h2", title);
    }

    fn part(&mut self, id: &str, title: &Text) {
        if self.in_part {
            self.push("</section>");
        }
        self.in_part = true;
        self.opened("part", id, "h3", title);
    }

    /// Opens a section or a part of one.
    fn opened(&mut self, kind: &str, id: &str, level: &str, title: &Text) {
        let class = if self.in_part { " class=\"part\"" } else { "" };
        let heading = format!("{id}-{kind}");
        self.push(&format!(
            "<section{class} id=\"{id}\" aria-labelledby=\"{heading}\">"
        ));
        self.element(&format!("{level} id=\"{heading}\""), title);
        self.heading = heading;
    }

    fn end_section(&mut self) {
        if std::mem::take(&mut self.in_part) {
            self.push("</section>");
        }
        self.push(if self.is_top { "</div>" } else { "</section>" });
    }

    fn list(&mut self, items: &[Item]) {
        self.push("<ul class=\"list\">");
        for item in items {
            self.push(&format!("<li{}>", tone(item.text.tone)));
            self.element("span class=\"says\"", &item.text);
            self.more(item);
            for text in &item.below {
                self.element("p", text);
            }
            for (title, entries) in &item.folded {
                let open = if entries.len() <= FEW { " open" } else { "" };
                self.push(&format!("<details class=\"fold\"{open}>"));
                self.element("summary", title);
                self.entries(entries);
                self.push("</details>");
            }
            self.push("</li>");
        }
        self.push("</ul>");
    }

    /// A link to the section that says more.
    fn more(&mut self, item: &Item) {
        if let Some(section) = item.more {
            self.push(" ");
            self.element(
                &format!("a href=\"#{section}\""),
                &label::head_more().into(),
            );
        }
    }

    fn warnings(&mut self, items: &[Item]) {
        let count = items.len();
        let title = match count {
            0 => return,
            1 => Text::from(label::writer_one_warning()),
            _ => Text::both(
                format!("{count} more warnings"),
                format!("另有 {count} 处存疑"),
            ),
        };
        self.push("<details class=\"warnings\"><summary><span>");
        self.element("strong", &title);
        self.push("</span></summary><ul>");
        for item in items {
            let text = span(&item.text);
            self.push(&format!("<li>{text}"));
            self.more(item);
            self.push("</li>");
        }
        self.push("</ul></details>");
    }

    /// Each server with its line and its mark.
    fn key(&mut self, servers: &[Text]) {
        self.push("<ul class=\"key\">");
        for span in servers.iter().flat_map(|server| &server.spans) {
            let Kind::Server(look) = span.kind else {
                continue;
            };
            let name = escape(&span.en);
            self.push(&format!(
                "<li><svg class=\"line-key {} d{}\" aria-hidden=\"true\"><path d=\"M0 7H34\" class=\"line\"/><use href=\"#m{}\" x=\"17\" y=\"7\"/></svg>{name}</li>",
                look.colour, look.dash, look.mark
            ));
        }
        self.push("</ul>");
    }

    fn details(&mut self, class: &str, title: &Text, blocks: &[Block]) {
        let name = self.name();
        self.push(&format!("<details class=\"{class}\">"));
        self.element(&format!("summary id=\"{name}\""), title);
        self.push("<div>");
        let before = std::mem::replace(&mut self.heading, name);
        self.blocks(blocks);
        self.heading = before;
        self.push("</div></details>");
    }

    /// Radio buttons: the style sheet shows the option that is checked.
    fn choice(&mut self, choice: &Choice) {
        let name = self.name();
        self.push("<div class=\"choice\">");
        self.element("span class=\"legend\"", &choice.label);
        for (index, (title, blocks)) in choice.options.iter().enumerate() {
            let id = format!("{name}-{index}");
            let checked = if index == choice.first {
                " checked"
            } else {
                ""
            };
            self.push(&format!(
                "<input type=\"radio\" name=\"{name}\" id=\"{id}\"{checked}>"
            ));
            self.element(&format!("label for=\"{id}\""), title);
            self.push("<div class=\"option\">");
            self.blocks(blocks);
            self.push("</div>");
        }
        self.push("</div>");
    }

    fn table(&mut self, table: &Table) {
        let class = |column: usize| match table.has_words(column) {
            true => " class=\"said\"",
            false => "",
        };
        let heading = &self.heading;
        let mut html =
            format!("<div class=\"scroll\" aria-labelledby=\"{heading}\"><table><thead><tr>");
        for (column, name) in table.header.iter().enumerate() {
            let (class, name) = (class(column), span(name));
            html.push_str(&format!("<th scope=\"col\"{class}>{name}</th>"));
        }
        html.push_str("</tr></thead><tbody>");
        for row in &table.rows {
            html.push_str("<tr>");
            for (column, cell) in row.iter().enumerate() {
                html.push_str(&match column {
                    0 => format!("<th scope=\"row\">{}</th>", content(cell)),
                    _ => format!("<td{}>{}</td>", class(column), content(cell)),
                });
            }
            html.push_str("</tr>");
        }
        html.push_str("</tbody></table></div>");
        self.push(&html);
    }
}

/// A class for a tone.
fn tone(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "",
        Tone::Strong => " class=\"strong\"",
        Tone::Good => " class=\"good\"",
        Tone::Bad => " class=\"bad\"",
        Tone::Muted => " class=\"muted\"",
    }
}

fn content(cell: &Cell) -> String {
    let text = span(&cell.text);
    let mut html = match cell.text.tone {
        Tone::Plain => text,
        Tone::Strong | Tone::Bad => format!("<strong>{text}</strong>"),
        Tone::Good | Tone::Muted => format!("<span{}>{text}</span>", tone(cell.text.tone)),
    };
    if let Some((share, look)) = cell.bar {
        let (colour, share) = (look.colour, svg::short(share, 3));
        html.push_str(&format!(
            "<span class=\"bar {colour}\" style=\"--share:{share}\"></span>"
        ));
    }
    for text in &cell.below {
        html.push_str(&format!("<span class=\"detail\">{}</span>", span(text)));
    }
    html
}
