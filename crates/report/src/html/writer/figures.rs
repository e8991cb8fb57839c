//! Figures of a document as HTML.

use crate::figure::{Body, Figure, Flame, Row, Shape};
use crate::html::escape::span;
use crate::html::{flame, svg};
use crate::words::Text;

use super::Writer;

impl Writer {
    /// Figures next to each other.
    pub(super) fn figures(&mut self, figures: &[Figure]) {
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

    fn figure(&mut self, figure: &Figure) {
        let id = self.name();
        self.push("<figure><figcaption>");
        self.element("span", &figure.title);
        self.push("</figcaption>");
        self.element(&format!("p class=\"unseen\" id=\"{id}\""), &figure.says);
        match &figure.body {
            Body::Rows(behind, rows) => self.rows(behind, rows, &id),
            Body::Drawing(drawing) => {
                let drawn = svg::drawing(drawing, "drawing", "", &mut self.data);
                self.chart("chart", &id, &drawn);
            }
            Body::Flame(flame) => self.flame(flame, &id),
        }
        for text in &figure.below {
            self.element("p class=\"axis\"", text);
        }
        self.notes(&figure.notes);
        self.push("</figure>");
    }

    /// A drawing, named by what it shows.
    fn chart(&mut self, class: &str, id: &str, content: &str) {
        self.push(&format!(
            "<div class=\"{class}\" role=\"group\" aria-labelledby=\"{id}\">{content}</div>"
        ));
    }

    /// Rows; what is behind each is drawn in the first and used in the others.
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
                let lines = lines.map(|text| format!("<span>{}</span>", span(text)));
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
        self.push("<details class=\"fold cautions\">");
        self.element("summary", &title);
        self.entries(notes);
        self.push("</details>");
    }

    fn flame(&mut self, flame: &Flame, id: &str) {
        let place = self.data.flame(flame);
        let option = flame.options.get(flame.first);
        let [name, lead] = option.map_or_else(Default::default, |option| {
            [option.name.clone(), option.lead.clone()]
        });
        self.push(&format!(
            "<div class=\"flame-graph\" data-flame=\"{place}\">"
        ));
        self.element("p class=\"flame-name\"", &name);
        self.element("p class=\"muted\"", &lead);
        self.chart("flame", id, &flame::drawing(flame));
        self.push("</div>");
    }
}
