//! A plot: curves between two scales.

use super::axis::{Scale, Tick, labels_below, labels_left, room};
use super::{Body, Drawing, Place, Shape};

/// Where curves are drawn, in pixels from the top.
pub(crate) const ENDS: [f64; 2] = [8.0, 226.0];

/// Two scales with their ticks.
pub(crate) struct Plot {
    pub(crate) x: Scale,
    pub(crate) y: Scale,
    /// The ticks of `x`.
    pub(crate) below: Vec<Tick>,
    /// The ticks of `y`.
    pub(crate) left: Vec<Tick>,
    /// Whether lines go up from the ticks of `x`.
    pub(crate) has_columns: bool,
}

impl Plot {
    /// Returns where a pair of values is drawn.
    pub(crate) fn at(&self, x: f64, y: f64) -> Place {
        (self.x.x(x), self.y.y(y, ENDS))
    }

    /// Returns a line from the bottom to the top.
    pub(crate) fn upright(&self, x: f64, class: &'static str) -> Shape {
        let at = self.x.x(x);
        Shape::Line((at, ENDS[0]), (at, ENDS[1]), class)
    }

    /// Returns the plot with its axes.
    pub(crate) fn body(&self, curves: Vec<Shape>) -> Body {
        let columns = self.below.iter().filter(|_| self.has_columns);
        let mut shapes = labels_left(&self.left, &self.y, ENDS);
        shapes.extend(columns.map(|(value, _)| self.upright(*value, "grid")));
        shapes.extend(curves);
        shapes.extend(labels_below(&self.below, &self.x, ENDS[1] + 16.0));
        Body::Drawing(Drawing {
            height: ENDS[1] + 22.0,
            left: room(&self.left),
            shapes,
        })
    }
}
