//! What a condition is made of, and the arithmetic of its sides.

use photofinish_model::Metric;
use photofinish_model::units::Unit;
use photofinish_stats::Interval;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expression {
    Any(Vec<Expression>),
    All(Vec<Expression>),
    Term(Term),
}

/// A question that is asked by itself.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Term {
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
    Of(Operation, Box<[Number; 2]>),
}

/// An operation on two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
}

impl Expression {
    /// Its terms.
    pub(super) fn terms(&self) -> Vec<&Term> {
        match self {
            Expression::Any(parts) | Expression::All(parts) => {
                parts.iter().flat_map(Expression::terms).collect()
            }
            Expression::Term(term) => vec![term],
        }
    }
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
            Number::Of(operation, sides) => {
                let (a, b) = (sides[0].degree()?, sides[1].degree()?);
                match operation {
                    Operation::Add | Operation::Subtract => (a == b).then_some(a),
                    Operation::Multiply => a.checked_add(b),
                    Operation::Divide => a.checked_sub(b),
                }
            }
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
            Number::Of(operation, sides) => {
                use Dimension::Plain;
                match (operation, sides[0].dimension()?, sides[1].dimension()?) {
                    (Operation::Add | Operation::Subtract, a, b) => (a == b).then_some(a),
                    (Operation::Multiply, Plain, other) => Some(other),
                    (Operation::Divide, a, b) if a == b => Some(Plain),
                    (Operation::Multiply | Operation::Divide, a, Plain) => Some(a),
                    _ => None,
                }
            }
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
        let Number::Of(operation, sides) = self else {
            return None;
        };
        match (operation, &**sides) {
            (Operation::Multiply, [Number::Literal(times, Dimension::Plain), figure])
            | (Operation::Multiply, [figure, Number::Literal(times, Dimension::Plain)]) => {
                of(figure, *times)
            }
            (Operation::Divide, [figure, Number::Literal(by, Dimension::Plain)]) => {
                of(figure, by.recip())
            }
            _ => None,
        }
    }

    /// The figures in it.
    pub(super) fn figures<'n>(&'n self, found: &mut Vec<(&'n str, Metric)>) {
        match self {
            Number::Literal(..) => {}
            Number::Figure { target, metric } => found.push((target, *metric)),
            Number::Of(_, sides) => sides.iter().for_each(|side| side.figures(found)),
        }
    }

    /// Its value, given those of the figures.
    pub(super) fn value(&self, figure: &dyn Fn(&str, Metric) -> Option<f64>) -> Option<f64> {
        Some(match self {
            Number::Literal(value, _) => *value,
            Number::Figure { target, metric } => figure(target, *metric)?,
            Number::Of(operation, sides) => {
                let (a, b) = (sides[0].value(figure)?, sides[1].value(figure)?);
                match operation {
                    Operation::Add => a + b,
                    Operation::Subtract => a - b,
                    Operation::Multiply => a * b,
                    Operation::Divide => a / b,
                }
            }
        })
    }
}
