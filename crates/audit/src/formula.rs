//! Formulas of laws, such as `rate = (responses + lost) / duration`, on intervals.
//!
//! A name is a quantity of the report, or `scope.quantity`; `name?0` is 0 if the report does not have it. `a .. b` is the
//! interval from the least of `a` to the most of `b`. `min(a, b)` and `max(a, b)` take the smaller and the larger, `first(a, b)`
//! takes `b` if a name of `a` is missing. `low(a)`, `mid(a)` and `high(a)` are the ends and the middle of an interval. A condition
//! joins comparisons by `and`: it is false if a name is missing.

mod parser;

use crate::figure::Range;
use crate::quantity::unit;
use parser::{Parser, whole};

/// What a formula is computed from: the interval of a name.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<Range>;

/// Takes one value of an interval.
pub type Point = fn(Range) -> f64;

/// A computable part of a formula.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(try_from = "String")]
pub enum Expression {
    /// A constant.
    Number(f64),
    /// A quantity, and its value if the report does not have it.
    Name(String, Option<f64>),
    /// Two parts and what stands between them.
    Pair(Box<Expression>, Operator, Box<Expression>),
    /// One value of an interval.
    Of(Point, Box<Expression>),
}

/// What stands between two parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Times,
    /// `/`
    Over,
    /// `..`
    To,
    /// `min(a, b)`
    Smaller,
    /// `max(a, b)`
    Larger,
    /// `first(a, b)`
    First,
    /// `%`: what is left of an exact number
    Modulo,
}

/// How the two sides of a formula relate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// Some value lies in both.
    Equal,
    /// The left side may be at most the right side.
    AtMost,
    /// The left side may be at least the right side.
    AtLeast,
    /// The left side is certainly below the right side.
    Below,
    /// The left side is certainly above the right side.
    Above,
}

/// Two sides and how they relate.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(try_from = "String")]
pub struct Formula {
    /// What is printed.
    pub left: Expression,
    /// How it relates to the right side.
    pub relation: Relation,
    /// What it is computed from.
    pub right: Expression,
}

/// Formulas that must all hold.
#[derive(Debug, Clone, Default, serde::Deserialize)]
#[serde(try_from = "String")]
pub struct Condition(pub Vec<Formula>);

impl Expression {
    /// Its interval; `None` if a name is missing.
    pub fn value(&self, of: Lookup<'_>) -> Option<Range> {
        Some(match self {
            Self::Number(value) => Range::exact(*value),
            Self::Name(name, default) => of(name).or(default.map(Range::exact))?,
            Self::Of(value, part) => Range::exact(value(part.value(of)?)),
            Self::Pair(a, Operator::First, b) => a.value(of).or_else(|| b.value(of))?,
            Self::Pair(a, operator, b) => {
                let (a, b) = (a.value(of)?, b.value(of)?);
                match operator {
                    Operator::Plus => a.plus(b),
                    Operator::Minus => Range::new(a.lo - b.hi, a.hi - b.lo),
                    Operator::Times => a.times(b),
                    Operator::Over => a.over(b),
                    Operator::To => Range::new(a.lo, b.hi),
                    Operator::Smaller => Range::new(a.lo.min(b.lo), a.hi.min(b.hi)),
                    Operator::Larger => Range::new(a.lo.max(b.lo), a.hi.max(b.hi)),
                    Operator::First => a,
                    Operator::Modulo if a.lo == a.hi => Range::exact(a.lo % b.lo),
                    Operator::Modulo => Range::new(0.0, b.hi),
                }
            }
        })
    }

    /// Its names, in order, each with whether the formula needs it.
    pub fn names(&self) -> Vec<(&str, bool)> {
        match self {
            Self::Number(_) => Vec::new(),
            Self::Name(name, default) => vec![(name, default.is_none())],
            Self::Of(_, part) => part.names(),
            Self::Pair(a, _, b) => [a.names(), b.names()].concat(),
        }
    }

    /// The expression with the text of each name put in.
    pub fn with(&self, text: &dyn Fn(&str) -> Option<String>) -> String {
        match self {
            Self::Number(value) => crate::figure::digits(*value),
            Self::Name(name, default) => text(name)
                .or(default.map(crate::figure::digits))
                .unwrap_or_else(|| name.clone()),
            Self::Of(_, part) => part.with(text),
            Self::Pair(a, operator, b) => {
                let sign = match operator {
                    Operator::Plus => "+",
                    Operator::Minus => "−",
                    Operator::Times => "×",
                    Operator::Over => "/",
                    Operator::Modulo => "%",
                    Operator::To => "to",
                    Operator::Smaller => return format!("min({}, {})", a.with(text), b.with(text)),
                    Operator::Larger => return format!("max({}, {})", a.with(text), b.with(text)),
                    Operator::First => return a.with(text),
                };
                let inner = |part: &Self, right: bool| {
                    let shown = part.with(text);
                    let weaker = matches!(part, Self::Pair(_, inner, _) if inner.strength() < operator.strength()
                            || right && inner.strength() == operator.strength() && matches!(operator, Operator::Over | Operator::Minus))
                        // A quantity that is a sum itself.
                        || matches!(part, Self::Name(..)) && operator.strength() > 1 && shown.contains(" + ");
                    if weaker { format!("({shown})") } else { shown }
                };
                format!("{} {sign} {}", inner(a, false), inner(b, true))
            }
        }
    }
}

impl Operator {
    fn strength(self) -> u8 {
        match self {
            Self::To => 0,
            Self::Plus | Self::Minus => 1,
            Self::Times | Self::Over | Self::Modulo => 2,
            Self::Smaller | Self::Larger | Self::First => 3,
        }
    }
}

impl Formula {
    /// Its names, those of the left side first.
    pub fn names(&self) -> Vec<(&str, bool)> {
        [self.left.names(), self.right.names()].concat()
    }

    /// Whether it holds; `None` if a name is missing.
    pub fn holds(&self, of: Lookup<'_>) -> Option<bool> {
        let (a, b) = (self.left.value(of)?, self.right.value(of)?);
        Some(match self.relation {
            Relation::Equal => a.meets(b),
            Relation::AtMost => !a.above(b),
            Relation::AtLeast => !b.above(a),
            Relation::Below => b.above(a),
            Relation::Above => a.above(b),
        })
    }
}

impl Condition {
    /// Whether all of it holds and every name is there.
    pub fn holds(&self, of: Lookup<'_>) -> bool {
        self.0.iter().all(|formula| formula.holds(of) == Some(true))
    }
}

/// What a layout says, if it names quantities only.
fn known<T>(text: &str, read: T, names: fn(&T) -> Vec<(&str, bool)>) -> Result<T, String> {
    let is_known = |name: &str| unit(name).is_some() || ["left", "right"].contains(&name);
    let unknown = names(&read).into_iter().find(|(name, _)| !is_known(name));
    match unknown.map(|(name, _)| name.to_owned()) {
        Some(name) => Err(format!("'{text}': there is no quantity '{name}'")),
        None => Ok(read),
    }
}

impl TryFrom<String> for Expression {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        known(&text, whole(&text, Parser::sum)?, Self::names)
    }
}

impl TryFrom<String> for Formula {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        known(&text, whole(&text, Parser::formula)?, Self::names)
    }
}

impl TryFrom<String> for Condition {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let read = Self(whole(&text, Parser::condition)?);
        known(&text, read, |all| {
            all.0.iter().flat_map(Formula::names).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> Option<Range> {
        match name {
            "requests" => Some(Range::exact(100.0)),
            "duration" => Some(Range::new(1.9, 2.1)),
            "rate" => Some(Range::exact(50.0)),
            "connect.mean" => Some(Range::exact(3.0)),
            _ => None,
        }
    }

    #[test]
    fn formulas_are_computed_on_intervals() {
        let holds = |text: &str| whole(text, Parser::formula).expect("a formula").holds(&of);
        assert_eq!(holds("rate = requests / duration"), Some(true));
        assert_eq!(holds("rate = (requests + 100) / duration"), Some(false));
        assert_eq!(holds("rate = requests / (duration - 1)"), Some(false));
        assert_eq!(holds("connect.mean <= 2 + 1"), Some(true));
        assert_eq!(holds("rate = requests * 0.4 .. requests * 0.6"), Some(true));
        assert_eq!(holds("min(rate, 10) = 10"), Some(true));
        assert_eq!(holds("first(none, rate) = 50"), Some(true));
        assert_eq!(holds("low(duration) = 2"), Some(false));
        assert_eq!(holds("mid(duration) = 2"), Some(true));
        assert_eq!(holds("rate = none / duration"), None);
        assert_eq!(holds("none?50 = rate"), Some(true));
        assert_eq!(holds("requests % 3 = 1"), Some(true));
        let condition =
            |text: &str| Condition(whole(text, Parser::condition).expect("a condition")).holds(&of);
        assert!(condition("") && condition("rate > 49 and requests >= 100"));
        assert!(!condition("none > 1") && !condition("rate > 50"));
    }

    #[test]
    fn a_mistake_is_named() {
        for text in ["rate", "rate = ", "rate = (1", "rate = 1 2", "rate = min(1"] {
            assert!(whole(text, Parser::formula).is_err(), "{text}");
        }
        let deep = format!("a = {}1", "(".repeat(1000));
        assert!(whole(&deep, Parser::formula).is_err());
    }

    #[test]
    fn figures_are_put_in() {
        let formula =
            whole("rate = (requests - lost?0) / duration", Parser::formula).expect("a formula");
        let text = |name: &str| (name != "lost").then(|| format!("<{name}>"));
        assert_eq!(formula.right.with(&text), "(<requests> − 0) / <duration>");
    }
}
