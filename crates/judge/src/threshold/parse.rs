//! From text to an expression.

use photofinish_model::Metric;

use super::Error;
use super::expression::{Compare, Dimension, Expression, Number, Operation, Side, Term};

/// Units by their names, longer ones first: what they multiply by, and what they make of a number.
const UNITS: [(&str, f64, Dimension); 10] = [
    ("KiB", 1024.0, Dimension::Bytes),
    ("MiB", 1_048_576.0, Dimension::Bytes),
    ("GiB", 1_073_741_824.0, Dimension::Bytes),
    ("us", 1.0, Dimension::Time),
    ("µs", 1.0, Dimension::Time),
    ("ms", 1e3, Dimension::Time),
    ("s", 1e6, Dimension::Time),
    ("%", 0.01, Dimension::Plain),
    ("k", 1e3, Dimension::Plain),
    ("M", 1e6, Dimension::Plain),
];

/// Deeper than anyone nests parentheses, and far from the end of the stack.
const DEEPEST: usize = 50;

/// Reads the text from left to right.
pub(super) struct Parser<'t> {
    text: &'t str,
    at: usize,
    labels: &'t [&'t str],
    depth: usize,
}

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str, labels: &'t [&'t str]) -> Self {
        Parser {
            text,
            at: 0,
            labels,
            depth: 0,
        }
    }

    /// The whole text as one condition.
    pub(super) fn whole(&mut self) -> Result<Expression, Error> {
        let expression = self.any()?;
        match self.rest() {
            "" => Ok(expression),
            _ => Err(self.expected("`and`, `or` or the end")),
        }
    }

    fn any(&mut self) -> Result<Expression, Error> {
        self.joined("or", Expression::Any, Self::all)
    }

    fn all(&mut self) -> Result<Expression, Error> {
        self.joined("and", Expression::All, Self::term)
    }

    /// One term, or several with this word between them.
    fn joined(
        &mut self,
        word: &str,
        several: fn(Vec<Expression>) -> Expression,
        term: fn(&mut Self) -> Result<Expression, Error>,
    ) -> Result<Expression, Error> {
        let mut terms = vec![term(self)?];
        while self.take_word(word) {
            terms.push(term(self)?);
        }
        Ok(match terms.len() {
            1 => terms.remove(0),
            _ => several(terms),
        })
    }

    fn term(&mut self) -> Result<Expression, Error> {
        for (word, term) in [
            ("claims", Term::Claims),
            ("checks", Term::Checks),
            ("different", Term::Different),
        ] {
            // A target of that name is followed by a dot.
            if self.word_ahead(word) && !self.rest()[word.len()..].starts_with('.') {
                self.at += word.len();
                return Ok(Expression::Term(term));
            }
        }
        if self.rest().starts_with('(') {
            // A parenthesis may hold a condition or a sum.
            let from = self.at;
            self.take("(");
            self.deeper()?;
            let within = self.any();
            self.depth -= 1;
            if let Ok(expression) = within
                && self.take(")")
            {
                return Ok(expression);
            }
            self.at = from;
        }
        let left = self.side()?;
        let is_above = if self.take(">") {
            true
        } else if self.take("<") {
            false
        } else {
            return Err(self.expected("`>`, `>=`, `<` or `<=`"));
        };
        // No space stands between the two signs.
        let or_equal = self.text[self.at..].starts_with('=') && self.take("=");
        let right = self.side()?;
        same(&left.number, &right.number)?;
        Ok(Expression::Term(Term::Compare(Compare {
            left,
            is_above,
            or_equal,
            right,
        })))
    }

    fn side(&mut self) -> Result<Side, Error> {
        let from = self.at;
        let number = self.sum()?;
        let text = self.text[from..self.at].trim().to_owned();
        Ok(Side { number, text })
    }

    fn sum(&mut self) -> Result<Number, Error> {
        let mut sum = self.product()?;
        while let Some(operation) =
            self.operation([("+", Operation::Add), ("-", Operation::Subtract)])
        {
            sum = of_both(operation, sum, self.product()?)?;
        }
        Ok(sum)
    }

    fn product(&mut self) -> Result<Number, Error> {
        let mut product = self.factor()?;
        while let Some(operation) =
            self.operation([("*", Operation::Multiply), ("/", Operation::Divide)])
        {
            product = of_both(operation, product, self.factor()?)?;
        }
        Ok(product)
    }

    fn operation(&mut self, signs: [(&str, Operation); 2]) -> Option<Operation> {
        let found = signs.into_iter().find(|(sign, _)| self.take(sign));
        found.map(|(_, operation)| operation)
    }

    fn factor(&mut self) -> Result<Number, Error> {
        if self.take("(") {
            self.deeper()?;
            let sum = self.sum()?;
            self.depth -= 1;
            return match self.take(")") {
                true => Ok(sum),
                false => Err(self.expected("`)`")),
            };
        }
        if self.rest().starts_with(|c: char| c.is_ascii_digit()) && !self.label_ahead() {
            return self.literal();
        }
        let target = self.target()?;
        if let Some((name, metric)) = self.metric_ahead() {
            self.at += name.len();
            return Ok(Number::Figure { target, metric });
        }
        let name = self.bare().to_owned();
        let known = Metric::KEYS.iter().map(|key| (*key).to_owned()).collect();
        Err(Error::Metric { name, known })
    }

    fn literal(&mut self) -> Result<Number, Error> {
        let rest = self.rest();
        let digits = |c: char| c.is_ascii_digit() || c == '.' || c == '_';
        let end = rest.find(|c| !digits(c)).unwrap_or(rest.len());
        let Ok(value) = rest[..end].replace('_', "").parse::<f64>() else {
            return Err(self.expected("a number"));
        };
        self.at += end;
        for (unit, factor, dimension) in UNITS {
            // No space stands between a number and its unit, so `5 s` is not one.
            let rest = &self.text[self.at..];
            let ends = |c: char| !c.is_alphanumeric();
            if let Some(after) = rest.strip_prefix(unit)
                && (unit == "%" || after.is_empty() || after.starts_with(ends))
            {
                self.at += unit.len();
                return Ok(Number::Literal(value * factor, dimension));
            }
        }
        match self.text[self.at..].starts_with(char::is_alphabetic) {
            true => Err(self.expected("a unit (us, ms, s, %, k, M, KiB, MiB or GiB)")),
            false => Ok(Number::Literal(value, Dimension::Plain)),
        }
    }

    /// Whether a label stands here with a name behind it, though it may begin as a number does: that of `127.0.0.1:8080`.
    fn label_ahead(&mut self) -> bool {
        let rest = self.rest();
        let named = |label: &&str| {
            let name = rest.strip_prefix(label)?.strip_prefix('.')?;
            name.starts_with(char::is_alphabetic).then_some(())
        };
        self.labels.iter().any(|label| named(label).is_some())
    }

    /// A target's label and the dot after it: in quotes, or the longest label that stands here.
    fn target(&mut self) -> Result<String, Error> {
        let rest = self.rest();
        let quote = rest.chars().next().filter(|c| ['\'', '"', '`'].contains(c));
        let name = match quote {
            Some(quote) => {
                let within = &rest[1..];
                let end = within.find(quote);
                let end = end.ok_or_else(|| self.expected("the end of the quoted name"))?;
                self.at += end + 2;
                within[..end].to_owned()
            }
            None => {
                let here = self.names().filter(|name| {
                    let after = rest.strip_prefix(*name);
                    after.is_some_and(|after| after.starts_with('.'))
                });
                match here.max_by_key(|name| name.len()) {
                    Some(name) => {
                        self.at += name.len();
                        name.to_owned()
                    }
                    None => {
                        let bare = self.bare();
                        let name = bare.rsplit_once('.').map_or(bare, |(name, _)| name);
                        if name.is_empty() {
                            return Err(self.expected("a number, or TARGET.METRIC"));
                        }
                        return Err(self.unknown(name.to_owned()));
                    }
                }
            }
        };
        let Some(label) = self.label(&name) else {
            return Err(self.unknown(name));
        };
        match self.take(".") {
            true => Ok(label),
            false => Err(self.expected("`.` and a metric")),
        }
    }

    /// By what targets can be called: their labels, and what stands before the last @ of a label.
    fn names(&self) -> impl Iterator<Item = &'t str> {
        let shorts = self.labels.iter().filter_map(|label| short(label));
        self.labels.iter().copied().chain(shorts)
    }

    /// The label that a name stands for: its own, or the only one that goes on with @ where it ends. So a revision is called
    /// `main`, whose label has its hash.
    fn label(&self, name: &str) -> Option<String> {
        if self.labels.contains(&name) {
            return Some(name.to_owned());
        }
        let mut longer = self
            .labels
            .iter()
            .filter(|label| short(label) == Some(name));
        let label = longer.next()?;
        longer.next().is_none().then(|| (*label).to_owned())
    }

    fn unknown(&self, name: String) -> Error {
        let known = self.labels.iter().map(|label| (*label).to_owned());
        Error::Target {
            name,
            known: known.collect(),
        }
    }

    /// What is left, without the spaces before it.
    fn rest(&mut self) -> &'t str {
        let left = &self.text[self.at..];
        let trimmed = left.trim_start();
        self.at += left.len() - trimmed.len();
        trimmed
    }

    /// What stands here up to the next space or sign that is in no name.
    fn bare(&mut self) -> &'t str {
        let rest = self.rest();
        let in_name = |c: char| c.is_alphanumeric() || "-_.@".contains(c);
        &rest[..rest.find(|c| !in_name(c)).unwrap_or(rest.len())]
    }

    fn take(&mut self, sign: &str) -> bool {
        let found = self.rest().starts_with(sign);
        if found {
            self.at += sign.len();
        }
        found
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = self.word_ahead(word);
        if found {
            self.at += word.len();
        }
        found
    }

    /// The metric whose name stands here; of several the longest name.
    fn metric_ahead(&mut self) -> Option<(&'static str, Metric)> {
        let names = (Metric::ALL.iter()).map(|&metric| (metric.spec().key, metric));
        names
            .filter(|(name, _)| self.word_ahead(name))
            .max_by_key(|(name, _)| name.len())
    }

    fn word_ahead(&mut self, word: &str) -> bool {
        let after = self.rest().strip_prefix(word);
        after.is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    }

    fn deeper(&mut self) -> Result<(), Error> {
        self.depth += 1;
        match self.depth > DEEPEST {
            true => Err(Error::Deep),
            false => Ok(()),
        }
    }

    fn expected(&mut self, wanted: &str) -> Error {
        let found = match self.rest() {
            "" => "the end".to_owned(),
            rest => format!("`{}`", rest.chars().take(20).collect::<String>()),
        };
        Error::Syntax {
            wanted: wanted.to_owned(),
            found,
        }
    }
}

/// What stands before the last @ of a label.
fn short(label: &str) -> Option<&str> {
    label.rsplit_once('@').map(|(short, _)| short)
}

fn same(a: &Number, b: &Number) -> Result<(), Error> {
    match a.dimension().is_some() && a.dimension() == b.dimension() {
        true => Ok(()),
        false => Err(Error::Dimension),
    }
}

/// Returns the result of an operation.
///
/// # Errors
/// If it mixes dimensions.
fn of_both(operation: Operation, a: Number, b: Number) -> Result<Number, Error> {
    let made = Number::Of(operation, Box::new([a, b]));
    match made.dimension() {
        Some(_) => Ok(made),
        None => Err(Error::Dimension),
    }
}
