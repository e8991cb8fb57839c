//! What a condition is made of, and the arithmetic of its sides.

use photofinish_model::Metric;
use photofinish_model::units::Unit;
use photofinish_stats::Interval;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expression {
    Any(Vec<Expression>),
    All(Vec<Expression>),
    Compare(Compare),
    /// A claim does not hold.
    Claims,
    /// A validity rule does not hold.
    Checks,
    /// Two targets differ in throughput.
    Different,
}

/// `left` > `right`, `left` < `right`, or the same with `=` behind it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Compare {
    pub(super) left: Side,
    pub(super) is_above: bool,
    /// Whether it holds where both sides are equal.
    pub(super) or_equal: bool,
    pub(super) right: Side,
}

/// A side of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Side {
    pub(super) number: Number,
    /// As it was written.
    pub(super) text: String,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Number {
    Literal(f64, Dimension),
    Figure { target: String, metric: Metric },
    Add(Box<Number>, Box<Number>),
    Subtract(Box<Number>, Box<Number>),
    Multiply(Box<Number>, Box<Number>),
    Divide(Box<Number>, Box<Number>),
}

/// What a number counts; a rate and a count are plain numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dimension {
    Plain,
    Time,
    Bytes,
}

impl Dimension {
    /// In what it is counted; a plain number has no unit.
    pub(super) fn unit(self) -> Option<Unit> {
        match self {
            Dimension::Plain => None,
            Dimension::Time => Some(Unit::Microseconds),
            Dimension::Bytes => Some(Unit::Bytes),
        }
    }
}

impl Side {
    /// What is left without a factor, and the factor.
    pub(super) fn base(&self) -> (String, f64) {
        match self.number.scaled() {
            Some((figure, times)) => (figure, times),
            None => (self.text.clone(), 1.0),
        }
    }

    /// Whether it is what the other side is compared with: it has a factor, or no figure.
    pub(super) fn is_base(&self) -> bool {
        let mut figures = Vec::new();
        self.number.figures(&mut figures);
        figures.is_empty() || self.number.scaled().is_some()
    }
}

impl Compare {
    /// Whether it is true, and whether it may be, where the left side lies in this interval and the right one is `right`.
    pub(super) fn truth(&self, left: Interval, right: f64) -> (bool, bool) {
        let beyond = |end: f64| match self.is_above {
            true => end > right,
            false => end < right,
        };
        let holds = |end: f64| beyond(end) || (self.or_equal && end == right);
        match self.is_above {
            true => (holds(left.low), holds(left.high)),
            false => (holds(left.high), holds(left.low)),
        }
    }

    /// Whether it asks how many times as large one figure is as another: its outcome is the same where all figures are multiplied by
    /// one number.
    pub(super) fn is_of_ratios(&self) -> bool {
        let (left, right) = (self.left.number.degree(), self.right.number.degree());
        left.is_some() && left == right
    }
}

impl Number {
    /// The power with which it grows where all figures grow alike; `None` where it has none, such as a figure and a number added up.
    fn degree(&self) -> Option<i32> {
        match self {
            Number::Literal(..) => Some(0),
            Number::Figure { .. } => Some(1),
            Number::Add(a, b) | Number::Subtract(a, b) => {
                let degree = a.degree()?;
                (b.degree()? == degree).then_some(degree)
            }
            Number::Multiply(a, b) => a.degree()?.checked_add(b.degree()?),
            Number::Divide(a, b) => a.degree()?.checked_sub(b.degree()?),
        }
    }

    /// What it counts; `None` where that makes no sense, such as a time multiplied by a time.
    pub(super) fn dimension(&self) -> Option<Dimension> {
        match self {
            Number::Literal(_, dimension) => Some(*dimension),
            Number::Figure { metric, .. } => Some(match metric.unit() {
                Unit::Microseconds => Dimension::Time,
                Unit::Bytes => Dimension::Bytes,
                _ => Dimension::Plain,
            }),
            Number::Add(a, _) | Number::Subtract(a, _) => a.dimension(),
            Number::Multiply(a, b) => match (a.dimension()?, b.dimension()?) {
                (Dimension::Plain, other) | (other, Dimension::Plain) => Some(other),
                _ => None,
            },
            Number::Divide(a, b) => match (a.dimension()?, b.dimension()?) {
                (a, b) if a == b => Some(Dimension::Plain),
                (a, Dimension::Plain) => Some(a),
                _ => None,
            },
        }
    }

    /// A figure and what it is multiplied by, where it is no more than that.
    pub(super) fn scaled(&self) -> Option<(String, f64)> {
        let of = |number: &Number, times: f64| match number {
            Number::Figure { target, metric } if times > 0.0 => {
                Some((format!("{target}.{}", metric.spec().key), times))
            }
            _ => None,
        };
        match self {
            Number::Multiply(a, b) => match (&**a, &**b) {
                (Number::Literal(times, Dimension::Plain), figure)
                | (figure, Number::Literal(times, Dimension::Plain)) => of(figure, *times),
                _ => None,
            },
            Number::Divide(figure, by) => match **by {
                Number::Literal(by, Dimension::Plain) => of(figure, by.recip()),
                _ => None,
            },
            _ => None,
        }
    }

    /// The figures in it.
    pub(super) fn figures<'n>(&'n self, found: &mut Vec<(&'n str, Metric)>) {
        match self {
            Number::Literal(..) => {}
            Number::Figure { target, metric } => found.push((target, *metric)),
            Number::Add(a, b)
            | Number::Subtract(a, b)
            | Number::Multiply(a, b)
            | Number::Divide(a, b) => {
                a.figures(found);
                b.figures(found);
            }
        }
    }

    /// Its value, given those of the figures.
    pub(super) fn value(&self, figure: &dyn Fn(&str, Metric) -> Option<f64>) -> Option<f64> {
        let both = |a: &Number, b: &Number| Some((a.value(figure)?, b.value(figure)?));
        Some(match self {
            Number::Literal(value, _) => *value,
            Number::Figure { target, metric } => figure(target, *metric)?,
            Number::Add(a, b) => both(a, b).map(|(a, b)| a + b)?,
            Number::Subtract(a, b) => both(a, b).map(|(a, b)| a - b)?,
            Number::Multiply(a, b) => both(a, b).map(|(a, b)| a * b)?,
            Number::Divide(a, b) => both(a, b).map(|(a, b)| a / b)?,
        })
    }
}
