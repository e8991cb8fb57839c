//! Formulas of laws, such as `rate = (responses + lost) / duration`, on intervals.
//!
//! A name is a quantity of the report, or `scope.quantity`; `name?0` is 0 if the report does not have it. `a .. b` is the
//! interval from the least of `a` to the most of `b`. `min(a, b)` and `max(a, b)` take the smaller and the larger. A
//! condition joins comparisons by `and`: it is false if a name is missing.

use crate::figure::Range;
use crate::quantity::unit;

/// What a formula is computed from: the interval of a name.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<Range>;

/// A computable part of a formula.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(try_from = "String")]
pub enum Expression {
    /// A constant.
    Number(f64),
    /// A quantity, and its value if the report does not have it.
    Name(String, Option<f64>),
    /// Two parts and what stands between them.
    Pair(Box<Expression>, Operator, Box<Expression>),
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
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
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
#[derive(Debug, Clone, Default, PartialEq, serde::Deserialize)]
#[serde(try_from = "String")]
pub struct Condition(pub Vec<Formula>);

impl Expression {
    /// Reads an expression.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parser = Parser::new(text);
        let expression = parser.sum()?;
        parser.end()?;
        Ok(expression)
    }

    /// Its interval; `None` if a name is missing.
    pub fn value(&self, of: Lookup<'_>) -> Option<Range> {
        Some(match self {
            Self::Number(value) => Range::exact(*value),
            Self::Name(name, default) => of(name).or(default.map(Range::exact))?,
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
                }
            }
        })
    }

    /// Its names, in order, each with whether the formula needs it.
    pub fn names(&self) -> Vec<(&str, bool)> {
        match self {
            Self::Number(_) => Vec::new(),
            Self::Name(name, default) => vec![(name, default.is_none())],
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
            Self::Pair(a, operator, b) => {
                let sign = match operator {
                    Operator::Plus => "+",
                    Operator::Minus => "−",
                    Operator::Times => "×",
                    Operator::Over => "/",
                    Operator::To => "to",
                    Operator::Smaller => return format!("min({}, {})", a.with(text), b.with(text)),
                    Operator::Larger => return format!("max({}, {})", a.with(text), b.with(text)),
                };
                let inner = |part: &Self, right: bool| {
                    let shown = part.with(text);
                    let weaker = matches!(part, Self::Pair(_, inner, _) if inner.strength() < operator.strength()
                            || right && inner.strength() == operator.strength() && matches!(operator, Operator::Over | Operator::Minus));
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
            Self::Times | Self::Over => 2,
            Self::Smaller | Self::Larger => 3,
        }
    }
}

impl Formula {
    /// Reads a formula.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parser = Parser::new(text);
        let formula = parser.formula()?;
        parser.end()?;
        Ok(formula)
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
    /// Reads a condition; no text is one that always holds.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let mut parser = Parser::new(text);
        let mut all = vec![parser.formula()?];
        while parser.word("and") {
            all.push(parser.formula()?);
        }
        parser.end()?;
        Ok(Self(all))
    }

    /// Whether all of it holds and every name is there.
    pub fn holds(&self, of: Lookup<'_>) -> bool {
        self.0.iter().all(|formula| formula.holds(of) == Some(true))
    }
}

/// Checks that a formula of a layout names quantities.
fn known(text: &str, names: &[(&str, bool)]) -> Result<(), String> {
    let is_known = |name: &str| unit(name).is_some() || ["left", "right"].contains(&name);
    match names.iter().find(|(name, _)| !is_known(name)) {
        Some((name, _)) => Err(format!("'{text}': there is no quantity '{name}'")),
        None => Ok(()),
    }
}

impl TryFrom<String> for Expression {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let expression = Self::parse(&text)?;
        known(&text, &expression.names())?;
        Ok(expression)
    }
}

impl TryFrom<String> for Formula {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let formula = Self::parse(&text)?;
        known(
            &text,
            &[formula.left.names(), formula.right.names()].concat(),
        )?;
        Ok(formula)
    }
}

impl TryFrom<String> for Condition {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let condition = Self::parse(&text)?;
        for formula in &condition.0 {
            known(
                &text,
                &[formula.left.names(), formula.right.names()].concat(),
            )?;
        }
        Ok(condition)
    }
}

/// Reads a formula from left to right.
struct Parser<'a> {
    whole: &'a str,
    rest: &'a str,
    depth: usize,
}

/// Brackets within brackets: a layout comes from anybody.
const DEPTH: usize = 32;

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            whole: text,
            rest: text,
            depth: 0,
        }
    }

    fn sign(&mut self, sign: &str) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn word(&mut self, word: &str) -> bool {
        let rest = self.rest.trim_start();
        match rest.strip_prefix(word) {
            Some(after) if after.starts_with([' ', '(']) => {
                self.rest = after;
                true
            }
            _ => false,
        }
    }

    fn wrong(&self, what: &str) -> String {
        format!("'{}': {what} at '{}'", self.whole, self.rest)
    }

    fn end(&mut self) -> Result<(), String> {
        match self.rest.trim() {
            "" => Ok(()),
            _ => Err(self.wrong("an operator is missing")),
        }
    }

    fn formula(&mut self) -> Result<Formula, String> {
        let left = self.sum()?;
        let relations = [
            ("<=", Relation::AtMost),
            (">=", Relation::AtLeast),
            ("=", Relation::Equal),
            ("<", Relation::Below),
            (">", Relation::Above),
        ];
        let found = relations.into_iter().find(|(sign, _)| self.sign(sign));
        let Some((_, relation)) = found else {
            return Err(self.wrong("=, <=, >=, < or > is missing"));
        };
        Ok(Formula {
            left,
            relation,
            right: self.sum()?,
        })
    }

    fn pairs(
        &mut self,
        next: fn(&mut Self) -> Result<Expression, String>,
        signs: &[(&str, Operator)],
    ) -> Result<Expression, String> {
        let mut left = next(self)?;
        while let Some((_, operator)) = signs.iter().find(|(sign, _)| self.sign(sign)) {
            let right = next(self)?;
            left = Expression::Pair(Box::new(left), *operator, Box::new(right));
        }
        Ok(left)
    }

    fn sum(&mut self) -> Result<Expression, String> {
        self.pairs(Self::terms, &[("..", Operator::To)])
    }

    fn terms(&mut self) -> Result<Expression, String> {
        self.pairs(
            Self::product,
            &[("+", Operator::Plus), ("-", Operator::Minus)],
        )
    }

    fn product(&mut self) -> Result<Expression, String> {
        self.pairs(
            Self::factor,
            &[("*", Operator::Times), ("/", Operator::Over)],
        )
    }

    fn factor(&mut self) -> Result<Expression, String> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(self.wrong("too many brackets"));
        }
        let found = self.single();
        self.depth -= 1;
        found
    }

    fn single(&mut self) -> Result<Expression, String> {
        if self.sign("(") {
            let inner = self.sum()?;
            return match self.sign(")") {
                true => Ok(inner),
                false => Err(self.wrong("')' is missing")),
            };
        }
        for (word, operator) in [("min", Operator::Smaller), ("max", Operator::Larger)] {
            let before = self.rest;
            if self.sign(word) && self.sign("(") {
                let a = self.sum()?;
                if !self.sign(",") {
                    return Err(self.wrong("',' is missing"));
                }
                let b = self.sum()?;
                if !self.sign(")") {
                    return Err(self.wrong("')' is missing"));
                }
                return Ok(Expression::Pair(Box::new(a), operator, Box::new(b)));
            }
            self.rest = before;
        }
        self.rest = self.rest.trim_start();
        if let Some(value) = self.number() {
            return Ok(Expression::Number(value));
        }
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let end = self.rest.find(|c| !is_name(c)).unwrap_or(self.rest.len());
        let name = self.rest[..end].trim_end_matches('.');
        if name.is_empty() {
            return Err(self.wrong("a name or a number is missing"));
        }
        self.rest = &self.rest[name.len()..];
        let default = match self.rest.strip_prefix('?') {
            Some(rest) => {
                self.rest = rest;
                let value = self.number();
                Some(value.ok_or_else(|| self.wrong("a number is missing"))?)
            }
            None => None,
        };
        Ok(Expression::Name(name.to_owned(), default))
    }

    fn number(&mut self) -> Option<f64> {
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let minus = usize::from(self.rest.starts_with("-1"));
        let whole = digits(&self.rest[minus..]);
        let mut end = minus + whole;
        if whole == 0 {
            return None;
        }
        if self.rest[end..].starts_with('.') && digits(&self.rest[end + 1..]) > 0 {
            end += 1 + digits(&self.rest[end + 1..]);
        }
        let value = self.rest[..end].parse().ok();
        self.rest = &self.rest[end..];
        value
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
        let holds = |text: &str| Formula::parse(text).expect("a formula").holds(&of);
        assert_eq!(holds("rate = requests / duration"), Some(true));
        assert_eq!(holds("rate = (requests + 100) / duration"), Some(false));
        assert_eq!(holds("rate = requests / (duration - 1)"), Some(false));
        assert_eq!(holds("connect.mean <= 2 + 1"), Some(true));
        assert_eq!(holds("rate = requests * 0.4 .. requests * 0.6"), Some(true));
        assert_eq!(holds("min(rate, 10) = 10"), Some(true));
        assert_eq!(holds("rate = none / duration"), None);
        assert_eq!(holds("none?50 = rate"), Some(true));
        let condition = |text: &str| Condition::parse(text).expect("a condition").holds(&of);
        assert!(condition("") && condition("rate > 49 and requests >= 100"));
        assert!(!condition("none > 1") && !condition("rate > 50"));
    }

    #[test]
    fn a_mistake_is_named() {
        for text in ["rate", "rate = ", "rate = (1", "rate = 1 2", "rate = min(1"] {
            assert!(Formula::parse(text).is_err(), "{text}");
        }
        let deep = format!("a = {}1", "(".repeat(1000));
        assert!(Formula::parse(&deep).is_err());
    }

    #[test]
    fn figures_are_put_in() {
        let formula = Formula::parse("rate = (requests - lost?0) / duration").expect("a formula");
        let text = |name: &str| (name != "lost").then(|| format!("<{name}>"));
        assert_eq!(formula.right.with(&text), "(<requests> − 0) / <duration>");
    }
}
