//! Reads formulas.

use super::{Expression, Formula, Operator, Point, Relation};
use crate::figure::Range;

/// Reads a formula from left to right.
pub struct Parser<'a> {
    whole: &'a str,
    rest: &'a str,
    depth: usize,
}

/// Brackets within brackets: a layout comes from anybody.
const DEPTH: usize = 32;

/// Reads all of a text as one part.
pub fn whole<'a, T>(
    text: &'a str,
    part: impl Fn(&mut Parser<'a>) -> Result<T, String>,
) -> Result<T, String> {
    let mut parser = Parser::new(text);
    let read = part(&mut parser)?;
    parser.end()?;
    Ok(read)
}

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

    /// Reads the name of a function with the bracket behind it.
    fn opens(&mut self, word: &str) -> bool {
        let before = self.rest;
        let opens = self.sign(word) && self.sign("(");
        if !opens {
            self.rest = before;
        }
        opens
    }

    fn expect(&mut self, sign: &str) -> Result<(), String> {
        match self.sign(sign) {
            true => Ok(()),
            false => Err(self.wrong(&format!("'{sign}' is missing"))),
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

    /// Two sides and how they relate.
    pub fn formula(&mut self) -> Result<Formula, String> {
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

    /// Formulas joined by `and`; none for no text.
    pub fn condition(&mut self) -> Result<Vec<Formula>, String> {
        if self.rest.trim().is_empty() {
            return Ok(Vec::new());
        }
        let mut all = vec![self.formula()?];
        while self.word("and") {
            all.push(self.formula()?);
        }
        Ok(all)
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

    /// An expression.
    pub fn sum(&mut self) -> Result<Expression, String> {
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
            &[
                ("*", Operator::Times),
                ("/", Operator::Over),
                ("%", Operator::Modulo),
            ],
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
            self.expect(")")?;
            return Ok(inner);
        }
        let of_two = [
            ("min", Operator::Smaller),
            ("max", Operator::Larger),
            ("first", Operator::First),
        ];
        if let Some((_, operator)) = of_two.into_iter().find(|(word, _)| self.opens(word)) {
            let a = self.sum()?;
            self.expect(",")?;
            let b = self.sum()?;
            self.expect(")")?;
            return Ok(Expression::Pair(Box::new(a), operator, Box::new(b)));
        }
        let of_one: [(&str, Point); 3] = [
            ("low", |range: Range| range.lo),
            ("mid", Range::mid),
            ("high", |range: Range| range.hi),
        ];
        if let Some((_, value)) = of_one.into_iter().find(|(word, _)| self.opens(word)) {
            let part = self.sum()?;
            self.expect(")")?;
            return Ok(Expression::Of(value, Box::new(part)));
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
