//! Rows on a common scale: ratios, figures of servers, times by layer.

use photofinish_stats::Interval;
use photofinish_voice::label;

use crate::words::Text;

use super::axis::{Scale, Tick, labels_below};
use super::{Anchor, Body, Drawing, Label, Row, Shape, Style};

/// The height of a row's drawing in pixels.
pub(crate) const HEIGHT: f64 = 24.0;

/// Where marks lie in it.
pub(crate) const MIDDLE: f64 = HEIGHT / 2.0;

/// What all rows share.
pub(crate) struct Rows {
    pub(crate) scale: Scale,
    pub(crate) ticks: Vec<Tick>,
    /// The value that separates two sides, such as 1 among ratios.
    pub(crate) origin: Option<f64>,
    /// The part of the scale that is shaded.
    pub(crate) band: Option<(f64, f64)>,
    /// Values at which dashed lines run through all rows.
    pub(crate) dashed: Vec<f64>,
    /// What lies on the left and on the right.
    pub(crate) sides: Option<[Text; 2]>,
}

/// A row before it is drawn.
pub(crate) struct Strip {
    pub(crate) name: Vec<Text>,
    pub(crate) figure: Vec<Text>,
    pub(crate) shapes: Vec<Shape>,
    pub(crate) height: f64,
}

impl Rows {
    pub(crate) fn new(scale: Scale, ticks: Vec<Tick>) -> Rows {
        Rows {
            scale,
            ticks,
            origin: None,
            band: None,
            dashed: Vec::new(),
            sides: None,
        }
    }

    pub(crate) fn body(self, strips: Vec<Strip>) -> Body {
        let mut heights = strips.iter().map(|strip| strip.height);
        let first = heights.next().unwrap_or(HEIGHT);
        // Rows of one height share what lies behind them.
        let is_shared = heights.all(|height| height == first);
        let rows = strips.into_iter().map(|strip| {
            let mut shapes = match is_shared {
                true => Vec::new(),
                false => self.behind(strip.height),
            };
            shapes.extend(strip.shapes);
            Row {
                name: strip.name,
                figure: strip.figure,
                drawing: Drawing {
                    height: strip.height,
                    left: 0.0,
                    shapes,
                },
                is_scale: false,
            }
        });
        let rows = rows.chain([self.axis()]).collect();
        let behind = match is_shared {
            true => self.behind(first),
            false => Vec::new(),
        };
        Body::Rows(behind, rows)
    }

    /// What lies behind a row: the band, the grid and its lines.
    fn behind(&self, height: f64) -> Vec<Shape> {
        let line = |value: f64, class| {
            let x = self.scale.x(value);
            Shape::Line((x, 0.0), (x, height), class)
        };
        let on_scale = |value: &f64| *value >= self.scale.low && *value <= self.scale.high;
        let mut shapes = Vec::new();
        if let Some((low, high)) = self.band {
            let ends = [self.scale.x(low), self.scale.x(high)];
            let (from, to) = ((ends[0].min(ends[1]), 0.0), (ends[0].max(ends[1]), height));
            shapes.push(Shape::Rect(from, to, "band"));
        }
        shapes.extend(self.ticks.iter().map(|(value, _)| line(*value, "grid")));
        let origin = self.origin.filter(on_scale);
        shapes.extend(origin.map(|value| line(value, "origin")));
        let dashed = self.dashed.iter().copied().filter(on_scale);
        shapes.extend(dashed.map(|value| line(value, "reach")));
        shapes
    }

    fn axis(&self) -> Row {
        let mut shapes = labels_below(&self.ticks, &self.scale, 14.0);
        let ends = [(0.0, Anchor::Start), (100.0, Anchor::End)];
        let sides = self.sides.iter().flatten().zip(ends);
        shapes.extend(sides.map(|(text, (x, anchor))| {
            Shape::Label(Label {
                class: "tick",
                ..Label::new((x, 31.0), anchor, text.clone())
            })
        }));
        Row {
            name: Vec::new(),
            figure: Vec::new(),
            drawing: Drawing {
                height: if self.sides.is_some() { 36.0 } else { 20.0 },
                left: 0.0,
                shapes,
            },
            is_scale: true,
        }
    }
}

/// The sides of a scale of ratios: on the right the first server is better. A pair that is the only one is named.
pub(crate) fn sides(pair: Option<(&str, &str)>) -> [Text; 2] {
    let [first, second] = match pair {
        Some((of, over)) => [of, over].map(|server| Text::from(label::ratios_better(server))),
        None => [label::ratios_first_ahead(), label::ratios_second_ahead()].map(Text::from),
    };
    [Text::from("← ").then(second), first.then(" →")]
}

/// A ratio with its interval in a row.
pub(crate) fn ratio_shapes(
    ratio: f64,
    interval: Option<Interval>,
    style: Style,
    scale: &Scale,
) -> Vec<Shape> {
    let bar = interval.map(|interval| ends(interval, scale));
    let mark = Shape::Mark((scale.x(ratio), MIDDLE), style);
    bar.into_iter().chain([mark]).collect()
}

/// The bar of an interval in a row, with its ends.
pub(crate) fn ends(interval: Interval, scale: &Scale) -> Shape {
    let at = |value| (scale.x(value), MIDDLE);
    Shape::Line(at(interval.low), at(interval.high), "ends")
}
