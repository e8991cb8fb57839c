//! Drawings as SVG.

use crate::figure::look::{Look, MARKS};
use crate::figure::{Anchor, Drawing, Label, Shape, Style};

use super::data::Data;
use super::escape::words;

/// The outlines of marks, about 10 pixels wide, and of the ring and the triangle of a shift.
const OUTLINES: [&str; MARKS] = [
    "M4.5 0A4.5 4.5 0 1 1-4.5 0A4.5 4.5 0 1 1 4.5 0Z",
    "M-4-4H4V4H-4Z",
    "M0-5.4L4.7 2.9H-4.7Z",
    "M0-6.2L3.8 0L0 6.2L-3.8 0Z",
    "M0-5.8L1.4-1.9L5.5-1.8L2.2 .7L3.4 4.7L0 2.3L-3.4 4.7L-2.2 .7L-5.5-1.8L-1.4-1.9Z",
    "M-1.7-5H1.7V-1.7H5V1.7H1.7V5H-1.7V1.7H-5V-1.7H-1.7Z",
    "M1.5 1.2V5H-1.5V1.2L-5-.9L-3.5-3.5L0-1.5L3.5-3.5L5-.9Z",
];

/// The marks that drawings refer to: `m0` … large, `n0` … small.
pub(super) fn marks() -> String {
    let mut svg = "<svg class=\"marks\" aria-hidden=\"true\"><defs>".to_owned();
    for (mark, outline) in OUTLINES.iter().enumerate() {
        svg.push_str(&format!(
            "<path id=\"m{mark}\" d=\"{outline}\"/><path id=\"n{mark}\" d=\"{outline}\" transform=\"scale(.5)\"/>"
        ));
    }
    svg + "<circle id=\"ring\" r=\"9\"/><path id=\"shift\" d=\"M0 4.5L4-2.5H-4Z\"/></defs></svg>"
}

/// A number without needless digits.
pub(super) fn short(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    match text {
        "-0" => "0".to_owned(),
        text => text.to_owned(),
    }
}

fn percent(value: f64) -> String {
    short(value, 2) + "%"
}

fn pixels(value: f64) -> String {
    short(value, 1)
}

/// Shapes that several drawings refer to by a name.
pub(super) fn named(name: &str, shapes: &[Shape], data: &mut Data) -> String {
    let mut svg = format!("<g id=\"{name}\">");
    let context = Context {
        height: 0.0,
        look: None,
    };
    for shape in shapes {
        context.shape(shape, data, &mut svg);
    }
    svg + "</g>"
}

/// A drawing as an element of a class, with something behind it that is written already.
pub(super) fn drawing(drawing: &Drawing, class: &str, behind: &str, data: &mut Data) -> String {
    let left = match drawing.left > 0.0 {
        true => format!(" style=\"--left:{}px\"", pixels(drawing.left)),
        false => String::new(),
    };
    let mut svg = format!(
        "<svg class=\"{class}\" height=\"{}\"{left} aria-hidden=\"true\">{behind}",
        pixels(drawing.height)
    );
    let context = Context {
        height: drawing.height,
        look: None,
    };
    // Paths that stand together share the box in which they are stretched.
    let shapes = &drawing.shapes;
    for shapes in shapes.chunk_by(|a, b| is_stretched(a) && is_stretched(b)) {
        let is_box = is_stretched(&shapes[0]);
        if is_box {
            svg.push_str(&stretched(drawing.height));
        }
        for shape in shapes {
            context.shape(shape, data, &mut svg);
        }
        if is_box {
            svg.push_str("</svg>");
        }
    }
    svg + "</svg>"
}

/// Whether a shape is a group of paths alone.
fn is_stretched(shape: &Shape) -> bool {
    let is_path = |shape: &Shape| matches!(shape, Shape::Path(..));
    match shape {
        Shape::Group(_, dx, shapes, _) => *dx == 0.0 && shapes.iter().all(is_path),
        _ => false,
    }
}

/// Opens a box of 1000 units across, which is stretched: a path has no percentages.
fn stretched(height: f64) -> String {
    format!(
        "<svg viewBox=\"0 0 1000 {0}\" preserveAspectRatio=\"none\" width=\"100%\" height=\"{0}\">",
        pixels(height)
    )
}

struct Context {
    height: f64,
    look: Option<Look>,
}

impl Context {
    fn shape(&self, shape: &Shape, data: &mut Data, svg: &mut String) {
        match shape {
            Shape::Line((x1, y1), (x2, y2), class) => svg.push_str(&format!(
                "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" class=\"{class}\"/>",
                percent(*x1),
                pixels(*y1),
                percent(*x2),
                pixels(*y2)
            )),
            Shape::Rect((x1, y1), (x2, y2), class) => svg.push_str(&format!(
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"{class}\"/>",
                percent(*x1),
                pixels(*y1),
                percent((x2 - x1).max(0.0)),
                pixels((y2 - y1).max(0.0))
            )),
            Shape::Path(points, class) => {
                let path = path(points, class);
                svg.push_str(&format!("{}{path}</svg>", stretched(self.height)));
            }
            Shape::Mark((x, y), style) => svg.push_str(&format!(
                "<use href=\"#{}\" x=\"{}\" y=\"{}\"{}/>",
                self.mark(*style),
                percent(*x),
                pixels(*y),
                match style {
                    Style::Filled => "",
                    Style::Hollow => " class=\"hollow\"",
                    Style::Small => " class=\"small\"",
                    Style::Ring => " class=\"ring\"",
                    Style::Shift => " class=\"shift\"",
                }
            )),
            Shape::Label(label) => svg.push_str(&self::label(label)),
            Shape::Group(look, dx, shapes, series) => {
                let moved = match *dx == 0.0 {
                    true => String::new(),
                    false => format!(" transform=\"translate({} 0)\"", pixels(*dx)),
                };
                let series = series.as_ref().map(|series| match data.series(series) {
                    Some(place) => format!(" data-series=\"{place}\""),
                    None => " data-series".to_owned(),
                });
                let in_box = is_stretched(shape);
                svg.push_str(&format!(
                    "<g class=\"{} d{}\"{moved}{}>",
                    look.colour,
                    look.dash,
                    series.unwrap_or_default()
                ));
                let context = Context {
                    look: Some(*look),
                    ..*self
                };
                for shape in shapes {
                    match shape {
                        Shape::Path(points, class) if in_box => svg.push_str(&path(points, class)),
                        shape => context.shape(shape, data, svg),
                    }
                }
                svg.push_str("</g>");
            }
        }
    }

    fn mark(&self, style: Style) -> String {
        let mark = self.look.map_or(0, |look| look.mark);
        match style {
            Style::Filled | Style::Hollow => format!("m{mark}"),
            Style::Small => format!("n{mark}"),
            Style::Ring => "ring".to_owned(),
            Style::Shift => "shift".to_owned(),
        }
    }
}

/// A path in thousandths of the width and in pixels, each point from the one before.
fn path(points: &[(f64, f64)], class: &str) -> String {
    let mut d = String::new();
    let mut last: (f64, f64) = (0.0, 0.0);
    for (index, (x, y)) in points.iter().enumerate() {
        let (x, y) = ((x * 10.0).round(), (y * 2.0).round() / 2.0);
        let command = match index {
            0 => "M",
            1 => "l",
            _ => " ",
        };
        let dy = pixels(y - last.1);
        let between = if dy.starts_with('-') { "" } else { " " };
        d.push_str(&format!("{command}{}{between}{dy}", short(x - last.0, 0)));
        last = (x, y);
    }
    format!("<path d=\"{d}\" class=\"{class}\"/>")
}

fn label(label: &Label) -> String {
    let anchor = match label.anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    };
    let dx = match label.dx == 0.0 {
        true => String::new(),
        false => format!(" dx=\"{}\"", pixels(label.dx)),
    };
    let class = match (label.class, label.only_wide) {
        ("", false) => String::new(),
        (class, false) => format!(" class=\"{class}\""),
        (class, true) => format!(" class=\"{class} only-wide\""),
    };
    format!(
        "<text x=\"{}\" y=\"{}\"{dx}{anchor}{class}>{}</text>",
        percent(label.at.0),
        pixels(label.at.1),
        words(&label.text, "tspan")
    )
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn numbers_have_no_needless_digits() {
        let texts = [0.0, -0.001, 12.5, 100.0, 33.333_3].map(|value| short(value, 2));
        assert_eq!(texts, ["0", "0", "12.5", "100", "33.33"]);
    }
}
