//! A document as HTML.

use photofinish_voice::label;

use crate::document::{Block, Cell, Choice, Item, Table};
use crate::figure::{Body, Figure, Flame, Row, Shape};
use crate::words::{Kind, Text, Tone};

use super::data::Data;
use super::escape::{escape, words};
use super::{flame, svg};

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
    pub(super) fn new() -> Writer {
        Writer {
            html: String::new(),
            data: Data::new([String::new(), String::new()]),
            named: 0,
            heading: "title".to_owned(),
            is_top: false,
            in_part: false,
        }
    }

    pub(super) fn finish(mut self, summary: [String; 2]) -> (String, Data) {
        self.data.set_summary(summary);
        (self.html, self.data)
    }

    /// The whole page: what stands above the sections, their contents, and the sections.
    pub(super) fn document(&mut self, blocks: &[Block], version: &str) {
        self.push(&svg::marks());
        let skip = words(&Text::from(label::skip()), "span");
        self.push(&format!("<a class=\"skip\" href=\"#title\">{skip}</a>"));
        self.push("<header class=\"controls\"><span class=\"brand\">photofinish</span></header>");
        self.push("<div class=\"layout\">");
        self.contents(blocks);
        self.push("<main><div class=\"top\">");
        self.is_top = true;
        self.blocks(blocks);
        self.end_section();
        let version = Text::both(
            format!("Made by photofinish {version}. This file loads nothing and sends nothing."),
            format!("由 photofinish {version} 生成。本文件不加载任何外部内容，也不发送任何数据。"),
        );
        let footer = words(&version, "span");
        self.push(&format!("</main></div><footer>{footer}</footer>"));
    }

    fn push(&mut self, html: &str) {
        self.html.push_str(html);
    }

    fn name(&mut self) -> String {
        self.named += 1;
        format!("e{}", self.named)
    }

    /// Links to all sections.
    fn contents(&mut self, blocks: &[Block]) {
        let label = words(&Text::from(label::contents()), "span");
        self.push(&format!(
            "<nav class=\"contents\" aria-labelledby=\"contents\"><span class=\"unseen\" id=\"contents\">{label}</span><ul>"
        ));
        for block in blocks {
            if let Block::Section(id, title) = block {
                let title = words(title, "span");
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
            Block::Title(text) => {
                let title = words(text, "span");
                self.push(&format!("<h1 id=\"title\">{title}</h1>"));
            }
            Block::Headline(text) => self.headline(text),
            Block::Section(id, title) => self.section(id, title),
            Block::Part(id, title) => self.part(id, title),
            Block::Heading(text) => {
                self.heading = self.name();
                let (id, text) = (self.heading.clone(), words(text, "span"));
                let level = if self.in_part { 4 } else { 3 };
                self.push(&format!("<h{level} id=\"{id}\">{text}</h{level}>"));
            }
            Block::Line(text) => {
                let class = tone(text.tone);
                let text = words(text, "span");
                self.push(&format!("<p{class}>{text}</p>"));
            }
            Block::List(items) => self.list(items),
            Block::Warnings(items) => self.warnings(items),
            Block::Facts(facts) => {
                self.push("<dl>");
                for (name, value) in facts {
                    let (name, value) = (words(name, "span"), words(value, "span"));
                    self.push(&format!("<dt>{name}</dt><dd>{value}</dd>"));
                }
                self.push("</dl>");
            }
            Block::Table(table) => self.table(table),
            Block::Key(servers) => self.key(servers),
            Block::Figures(figures) => {
                let is_row = figures.len() > 1;
                if is_row {
                    self.push("<div class=\"figures\">");
                }
                for figure in figures {
                    self.figure(figure);
                }
                if is_row {
                    self.push("</div>");
                }
            }
            Block::Tables(title, blocks) => self.details("tables", title, blocks),
            Block::Fold(title, blocks) => self.details("fold", title, blocks),
            Block::Choice(choice) => self.choice(choice),
        }
    }

    fn headline(&mut self, text: &Text) {
        let length = text.text(photofinish_voice::Language::En).chars().count();
        let size = if length > VERY_LONG {
            " very long"
        } else if length > LONG {
            " long"
        } else {
            ""
        };
        let text = words(text, "span");
        self.push(&format!("<p class=\"verdict{size}\">{text}</p>"));
    }

    fn section(&mut self, id: &str, title: &Text) {
        self.end_section();
        self.is_top = false;
        self.heading = format!("{id}-section");
        let (heading, title) = (&self.heading, words(title, "span"));
        let opened = format!(
            "<section id=\"{id}\" aria-labelledby=\"{heading}\"><h2 id=\"{heading}\">{title}</h2>"
        );
        self.push(&opened);
    }

    fn part(&mut self, id: &str, title: &Text) {
        if self.in_part {
            self.push("</section>");
        }
        self.in_part = true;
        self.heading = format!("{id}-part");
        let (heading, title) = (&self.heading, words(title, "span"));
        let opened = format!(
            "<section class=\"part\" id=\"{id}\" aria-labelledby=\"{heading}\"><h3 id=\"{heading}\">{title}</h3>"
        );
        self.push(&opened);
    }

    /// Ends what is open: a part and its section, or what stands above all sections.
    fn end_section(&mut self) {
        if std::mem::take(&mut self.in_part) {
            self.push("</section>");
        }
        self.push(if self.is_top { "</div>" } else { "</section>" });
    }

    fn list(&mut self, items: &[Item]) {
        self.push("<ul class=\"list\">");
        for item in items {
            self.item(item);
        }
        self.push("</ul>");
    }

    fn item(&mut self, item: &Item) {
        let class = tone(item.text.tone);
        let text = words(&item.text, "span");
        self.push(&format!("<li{class}><span class=\"says\">{text}</span>"));
        self.more(item);
        for text in &item.below {
            let text = words(text, "span");
            self.push(&format!("<p>{text}</p>"));
        }
        for (title, entries) in &item.folded {
            let open = if entries.len() <= FEW { " open" } else { "" };
            let title = words(title, "span");
            self.push(&format!(
                "<details class=\"fold\"{open}><summary>{title}</summary><ul>"
            ));
            for text in entries {
                let text = words(text, "span");
                self.push(&format!("<li>{text}</li>"));
            }
            self.push("</ul></details>");
        }
        self.push("</li>");
    }

    fn more(&mut self, item: &Item) {
        if let Some(section) = item.more {
            let more = words(&Text::from(label::head_more()), "span");
            self.push(&format!(" <a href=\"#{section}\">{more}</a>"));
        }
    }

    /// Further warnings behind one line that counts them.
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
        let title = words(&title, "span");
        self.push(&format!(
            "<details class=\"warnings\"><summary><span><strong>{title}</strong></span></summary><ul>"
        ));
        for item in items {
            let text = words(&item.text, "span");
            self.push(&format!("<li>{text}"));
            self.more(item);
            self.push("</li>");
        }
        self.push("</ul></details>");
    }

    fn key(&mut self, servers: &[Text]) {
        self.push("<ul class=\"key\">");
        for server in servers {
            for span in &server.spans {
                let Kind::Server(look) = span.kind else {
                    continue;
                };
                let name = escape(&span.en);
                self.push(&format!(
                    "<li><svg class=\"line-key {} d{}\" aria-hidden=\"true\"><path d=\"M0 7H34\" class=\"line\"/><use href=\"#m{}\" x=\"17\" y=\"7\"/></svg>{name}</li>",
                    look.colour, look.dash, look.mark
                ));
            }
        }
        self.push("</ul>");
    }

    fn details(&mut self, class: &str, title: &Text, blocks: &[Block]) {
        let before = std::mem::take(&mut self.heading);
        self.heading = self.name();
        let (id, title) = (&self.heading, words(title, "span"));
        let opened =
            format!("<details class=\"{class}\"><summary id=\"{id}\">{title}</summary><div>");
        self.push(&opened);
        self.blocks(blocks);
        self.push("</div></details>");
        self.heading = before;
    }

    /// Radio buttons, each with what it shows behind it: the style sheet hides what is not chosen.
    fn choice(&mut self, choice: &Choice) {
        let name = self.name();
        let label = words(&choice.label, "span");
        self.push(&format!(
            "<div class=\"choice\"><span class=\"legend\">{label}</span>"
        ));
        for (index, (title, blocks)) in choice.options.iter().enumerate() {
            let checked = if index == choice.first {
                " checked"
            } else {
                ""
            };
            let title = words(title, "span");
            self.push(&format!(
                "<input type=\"radio\" name=\"{name}\" id=\"{name}-{index}\"{checked}><label for=\"{name}-{index}\">{title}</label><div class=\"option\">"
            ));
            self.blocks(blocks);
            self.push("</div>");
        }
        self.push("</div>");
    }

    fn table(&mut self, table: &Table) {
        let is_words = |column: usize| {
            let mut cells = table.rows.iter().filter_map(|row| row.get(column));
            cells.any(|cell| cell.is_words)
        };
        let columns: Vec<&str> = (0..table.header.len())
            .map(|column| {
                if is_words(column) {
                    " class=\"said\""
                } else {
                    ""
                }
            })
            .collect();
        let heading = &self.heading;
        let mut html =
            format!("<div class=\"scroll\" aria-labelledby=\"{heading}\"><table><thead><tr>");
        for (name, class) in table.header.iter().zip(&columns) {
            html.push_str(&format!(
                "<th scope=\"col\"{class}>{}</th>",
                words(name, "span")
            ));
        }
        html.push_str("</tr></thead><tbody>");
        for row in &table.rows {
            html.push_str("<tr>");
            for (column, cell) in row.iter().enumerate() {
                let class = columns.get(column).copied().unwrap_or_default();
                match column {
                    0 => html.push_str(&format!("<th scope=\"row\">{}</th>", content(cell))),
                    _ => html.push_str(&format!("<td{class}>{}</td>", content(cell))),
                }
            }
            html.push_str("</tr>");
        }
        html.push_str("</tbody></table></div>");
        self.push(&html);
    }

    fn figure(&mut self, figure: &Figure) {
        let id = self.name();
        let (title, says) = (words(&figure.title, "span"), words(&figure.says, "span"));
        self.push(&format!(
            "<figure><figcaption><span>{title}</span></figcaption><p class=\"unseen\" id=\"{id}\">{says}</p>"
        ));
        match &figure.body {
            Body::Rows(behind, rows) => self.rows(behind, rows, &id),
            Body::Drawing(drawing) => {
                let drawn = svg::drawing(drawing, "drawing", "", &mut self.data);
                self.chart("chart", &id, &drawn);
            }
            Body::Flame(flame) => self.flame(flame, &id),
        }
        for text in &figure.below {
            let text = words(text, "span");
            self.push(&format!("<p class=\"axis\">{text}</p>"));
        }
        self.notes(&figure.notes);
        self.push("</figure>");
    }

    fn chart(&mut self, class: &str, id: &str, content: &str) {
        self.push(&format!(
            "<div class=\"{class}\" role=\"group\" aria-labelledby=\"{id}\">{content}</div>"
        ));
    }

    fn rows(&mut self, behind: &[Shape], rows: &[Row], id: &str) {
        let mut html = String::new();
        let name = format!("{id}b");
        let mut drawn = svg::named(&name, behind, &mut self.data);
        for row in rows {
            let behind = match row.is_scale || behind.is_empty() {
                true => String::new(),
                false => std::mem::replace(&mut drawn, format!("<use href=\"#{name}\"/>")),
            };
            let class = if row.is_scale { "row scale" } else { "row" };
            let lines = |texts: &[Text]| {
                let lines = texts.iter().filter(|text| !text.is_empty());
                let lines = lines.map(|text| format!("<span>{}</span>", words(text, "span")));
                lines.collect::<String>()
            };
            html.push_str(&format!(
                "<div class=\"{class}\"><div class=\"name\">{}</div>{}<div class=\"of\">{}</div></div>",
                lines(&row.name),
                svg::drawing(&row.drawing, "strip", &behind, &mut self.data),
                lines(&row.figure)
            ));
        }
        self.chart("chart rows", id, &html);
    }

    fn notes(&mut self, notes: &[Text]) {
        if notes.is_empty() {
            return;
        }
        let count = notes.len();
        let noun = if count == 1 { "note" } else { "notes" };
        let title = Text::both(format!("† {count} {noun}"), format!("† {count} 条说明"));
        let title = words(&title, "span");
        self.push(&format!(
            "<details class=\"fold cautions\"><summary>{title}</summary><ul>"
        ));
        for note in notes {
            let note = words(note, "span");
            self.push(&format!("<li>{note}</li>"));
        }
        self.push("</ul></details>");
    }

    fn flame(&mut self, flame: &Flame, id: &str) {
        let place = self.data.flame(flame);
        let option = flame.options.get(flame.first);
        let lead = option.map(|option| words(&option.lead, "span"));
        let name = option.map(|option| words(&option.name, "span"));
        self.push(&format!(
            "<div class=\"flame-graph\" data-flame=\"{place}\"><p class=\"flame-name\">{}</p><p class=\"muted\">{}</p>",
            name.unwrap_or_default(),
            lead.unwrap_or_default()
        ));
        let drawn = flame::drawing(flame);
        self.chart("flame", id, &drawn);
        self.push("</div>");
    }
}

/// The class of a tone.
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
    let text = words(&cell.text, "span");
    let mut html = match cell.text.tone {
        Tone::Plain => text,
        Tone::Strong | Tone::Bad => format!("<strong>{text}</strong>"),
        Tone::Good | Tone::Muted => format!("<span{}>{text}</span>", tone(cell.text.tone)),
    };
    if let Some((share, look)) = cell.bar {
        html.push_str(&format!(
            "<span class=\"bar {}\" style=\"--share:{}\"></span>",
            look.colour,
            svg::short(share, 3)
        ));
    }
    for text in &cell.below {
        html.push_str(&format!(
            "<span class=\"detail\">{}</span>",
            words(text, "span")
        ));
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(blocks: &[Block]) -> String {
        let mut writer = Writer::new();
        writer.blocks(blocks);
        writer.finish([String::new(), String::new()]).0
    }

    #[test]
    fn no_text_is_markup() {
        let hostile = "</td><script>\"'&";
        let table = Table {
            header: vec![hostile.into(), "b".into()],
            rows: vec![vec![
                Cell::new(hostile),
                Cell::new(hostile).toned(Tone::Strong).over(Some(hostile)),
            ]],
        };
        let html = written(&[
            Block::Title(hostile.into()),
            Block::line(hostile),
            Block::List(vec![Item::new(hostile, Tone::Bad)]),
            Block::Fold(hostile.into(), vec![Block::Table(table)]),
        ]);
        let safe = "&lt;/td&gt;&lt;script&gt;&quot;&#39;&amp;";
        assert_eq!(html.matches(safe).count(), 8, "{html}");
        assert!(!html.contains("<script") && !html.contains("</td><script"));
    }

    #[test]
    fn words_are_there_in_both_languages_and_names_once() {
        let text = Text::labelled("quarkus", Text::both("slower", "更慢"));
        let html = written(&[Block::Line(text)]);
        assert!(
            html.contains("<i lang=en>quarkus: slower</i><i lang=zh>quarkus：更慢</i>"),
            "{html}"
        );
        assert_eq!(written(&[Block::line("1.25 ms")]), "<p>1.25 ms</p>");
        let quoted = Text::both("it said 'no'", "它说：“no”");
        let html = written(&[Block::Line(quoted)]);
        assert!(html.contains("它说：<q lang=\"en\">“no”</q>"), "{html}");
    }

    #[test]
    fn a_column_of_words_is_marked_with_its_header() {
        let table = Table {
            header: ["run", "rounds", "differs"].map(Text::from).to_vec(),
            rows: vec![
                vec![Cell::new("1"), Cell::new("5"), Cell::none()],
                vec![Cell::new("2"), Cell::new("5"), Cell::words("other words")],
            ],
        };
        let html = written(&[Block::Table(table)]);
        assert!(html.contains("<th scope=\"col\" class=\"said\">differs</th>"));
        assert!(html.contains("<td class=\"said\">other words</td>"));
        assert!(html.contains("<td class=\"said\">–</td>") && html.contains("<td>5</td>"));
    }
}
