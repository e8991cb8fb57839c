//! Figures: shapes in coordinates that fit any width, with the figures behind them.
//!
//! Across, a place is a percentage of the drawing's width; down, it is in pixels. So one drawing serves a desktop and a
//! phone, and words keep their size.

pub(crate) mod axis;
pub(crate) mod look;
pub(crate) mod plot;
pub(crate) mod rows;
pub(crate) mod runs;

use photofinish_judge::page::FrameDifference;

use crate::figure::look::Look;
use crate::words::Text;

/// A figure with its title and what it shows in words.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Figure {
    pub(crate) title: Text,
    /// What it shows, for readers who do not see it.
    pub(crate) says: Text,
    pub(crate) body: Body,
    /// What stands below: the name of the axis, and notes on what is drawn.
    pub(crate) below: Vec<Text>,
    /// What to know of rows that have a dagger.
    pub(crate) notes: Vec<Text>,
}

/// What is drawn.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Body {
    /// Rows on a common scale, each with a name and a figure next to its drawing. The shapes are behind each row.
    Rows(Vec<Shape>, Vec<Row>),
    Drawing(Drawing),
    Flame(Box<Flame>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) name: Vec<Text>,
    pub(crate) drawing: Drawing,
    pub(crate) figure: Vec<Text>,
    /// Whether the row is the scale of the others.
    pub(crate) is_scale: bool,
}

/// Shapes on a surface of any width.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Drawing {
    pub(crate) height: f64,
    /// Room in pixels left of it, for labels.
    pub(crate) left: f64,
    pub(crate) shapes: Vec<Shape>,
}

/// A place: percent across, pixels down.
pub(crate) type Place = (f64, f64);

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    Line(Place, Place, &'static str),
    Rect(Place, Place, &'static str),
    Path(Vec<Place>, &'static str),
    Mark(Place, Style),
    Label(Label),
    /// Shapes in a server's look, moved by so many pixels, with the figures of their marks, or of the points of their path.
    Group(Look, f64, Vec<Shape>, Option<Series>),
}

/// How a mark is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Filled,
    Hollow,
    /// A single round next to the mean.
    Small,
    /// A ring about another mark.
    Ring,
    /// Where a series shifts.
    Shift,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Label {
    pub(crate) at: Place,
    /// Pixels to the right.
    pub(crate) dx: f64,
    pub(crate) anchor: Anchor,
    pub(crate) text: Text,
    /// Whether it is left out where the drawing is narrow.
    pub(crate) only_wide: bool,
    pub(crate) class: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// The figures of a group's places, in their order, as they are read out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Series {
    pub(crate) name: Text,
    pub(crate) values: Values,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Values {
    /// The words of the row that it is drawn in.
    Row,
    /// What is read out at each place.
    Texts(Vec<Text>),
    /// Values at regular times. A time without a value has no place.
    Regular {
        from_s: f64,
        step_s: f64,
        values: Vec<Option<f64>>,
        is_time: bool,
    },
}

/// Stacks of calls as boxes, each above its caller.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Flame {
    /// The name of each frame; callers come before those that they call.
    pub(crate) names: Vec<String>,
    pub(crate) callers: Vec<Option<usize>>,
    pub(crate) servers: Vec<String>,
    /// CPU time per request of each frame, for each server.
    pub(crate) us: Vec<Vec<f64>>,
    pub(crate) options: Vec<FlameOption>,
    /// The option that is drawn.
    pub(crate) first: usize,
}

/// A server's stacks, or how two servers differ.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FlameOption {
    pub(crate) name: Text,
    /// What the boxes mean.
    pub(crate) lead: Text,
    /// The server by its place in the flame graph, and the other of two.
    pub(crate) of: usize,
    pub(crate) and: Option<usize>,
    /// The differences that were judged, by frame.
    pub(crate) differences: Vec<FrameDifference>,
}

impl Figure {
    pub(crate) fn new(title: Text, says: Text, body: Body) -> Figure {
        Figure {
            title,
            says,
            body,
            below: Vec::new(),
            notes: Vec::new(),
        }
    }

    pub(crate) fn with_axis(mut self, name: impl Into<Text>) -> Figure {
        self.below.push(name.into());
        self
    }
}

impl Series {
    /// A mark that its row describes.
    pub(crate) fn row() -> Option<Series> {
        Some(Series {
            name: Text::default(),
            values: Values::Row,
        })
    }

    pub(crate) fn new(name: Text, texts: Vec<Text>) -> Option<Series> {
        let values = Values::Texts(texts);
        Some(Series { name, values })
    }
}

impl Label {
    pub(crate) fn new(at: Place, anchor: Anchor, text: impl Into<Text>) -> Label {
        Label {
            at,
            dx: 0.0,
            anchor,
            text: text.into(),
            only_wide: false,
            class: "",
        }
    }
}
