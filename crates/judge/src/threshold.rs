//! Conditions such as `b.p99 > a.p99 * 1.05`, by which a CI job fails.
//!
//! A comparison is made round by round: d = ln(left / right) with that round's figures, and it holds where the interval of
//! mean d, as in a verdict, lies above 0. So a job fails only where the rounds leave no doubt, and not by chance more than
//! about 3 times in 100. What the rounds do not tell does not hold, and is said.

use photofinish_stats::Direction;

use crate::comparison::{self, Cell, CheckStatus, ClaimVerdict, Comparison};
use photofinish_model::Metric;
use photofinish_model::store::Results;
use photofinish_model::units::{self, Unit};

mod parse;
#[cfg(test)]
mod tests;

/// Why a condition cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Something else must stand there.
    #[error("expected {wanted}, found {found}")]
    Syntax {
        /// What must stand there.
        wanted: String,
        /// What does.
        found: String,
    },
    /// No such target.
    #[error("there is no target `{name}`")]
    Target {
        /// As it was written.
        name: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// No such metric.
    #[error("there is no metric `{name}`")]
    Metric {
        /// As it was written.
        name: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// Times, sizes and plain numbers were mixed.
    #[error(
        "times, sizes and plain numbers cannot be mixed: a time needs a unit (us, ms, s), a memory size KiB, MiB or GiB"
    )]
    Dimension,
    /// Too many parentheses.
    #[error("too many parentheses within each other")]
    Deep,
}

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    text: String,
    expression: Expression,
}

#[derive(Clone, Debug, PartialEq)]
enum Expression {
    Any(Vec<Expression>),
    All(Vec<Expression>),
    Compare(Compare),
    /// A claim does not hold.
    Claims,
    /// A rule of honesty does not hold.
    Checks,
    /// Two targets differ in throughput.
    Different,
}

/// `more` > `less`.
#[derive(Clone, Debug, PartialEq)]
struct Compare {
    more: Number,
    less: Number,
    /// Whether it was written as `less` < `more`.
    swapped: bool,
}

/// What a condition is held against.
struct Data<'r> {
    results: &'r Results,
    comparison: &'r Comparison,
}

#[derive(Clone, Debug, PartialEq)]
enum Number {
    Literal(f64, Dimension),
    Figure { target: String, metric: Metric },
    Add(Box<Number>, Box<Number>),
    Subtract(Box<Number>, Box<Number>),
    Multiply(Box<Number>, Box<Number>),
    Divide(Box<Number>, Box<Number>),
}

/// What a number counts; a rate and a count are plain numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dimension {
    Plain,
    Time,
    Bytes,
}

/// What came of a condition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Whether it holds anywhere.
    pub holds: bool,
    /// Where it holds, or why it could not be told, a sentence each.
    pub says: Vec<String>,
}

impl Condition {
    /// Reads a condition about these targets.
    ///
    /// # Errors
    /// Where it is none, names a target or metric that is not there, or mixes times with other numbers.
    pub fn parse(text: &str, labels: &[&str]) -> Result<Condition, Error> {
        let expression = parse::Parser::new(text, labels).whole()?;
        Ok(Condition {
            text: text.to_owned(),
            expression,
        })
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it holds at any workload and load level.
    pub fn check(&self, results: &Results, comparison: &Comparison) -> Outcome {
        let mut outcome = Outcome::default();
        let data = &Data {
            results,
            comparison,
        };
        if self.expression.is_of_the_run() {
            outcome.holds = self.expression.holds(data, None, &mut outcome.says);
        }
        for cell in comparison
            .cells
            .iter()
            .filter(|_| !self.expression.is_of_the_run())
        {
            outcome.holds |= self.expression.holds(data, Some(cell), &mut outcome.says);
        }
        outcome
    }
}

impl Expression {
    /// Whether it is about no figure at any place.
    fn is_of_the_run(&self) -> bool {
        match self {
            Expression::Any(terms) | Expression::All(terms) => {
                terms.iter().all(Expression::is_of_the_run)
            }
            Expression::Compare(_) => false,
            Expression::Claims | Expression::Checks | Expression::Different => true,
        }
    }

    fn holds(&self, data: &Data, cell: Option<&Cell>, says: &mut Vec<String>) -> bool {
        let comparison = data.comparison;
        match self {
            // Every term is asked, for what it says.
            Expression::Any(terms) => {
                let told: Vec<bool> = terms.iter().map(|t| t.holds(data, cell, says)).collect();
                told.contains(&true)
            }
            Expression::All(terms) => {
                let told: Vec<bool> = terms.iter().map(|t| t.holds(data, cell, says)).collect();
                !told.contains(&false)
            }
            Expression::Compare(compare) => {
                cell.is_some_and(|cell| compare.holds(data, cell, says))
            }
            Expression::Claims => {
                let failed = |verdict| verdict == ClaimVerdict::DoesNotHold;
                let failed = comparison.claims.iter().filter(|c| failed(c.verdict));
                let told = failed.map(|c| format!("claim {}: {}", c.claim.id, c.says));
                tell(told.collect(), says)
            }
            Expression::Checks => {
                let checks = comparison.checks.iter();
                let failed = checks.filter(|check| check.status == CheckStatus::Failed);
                let told = failed.map(|check| format!("{}: {}", check.title.en, check.says.en));
                tell(told.collect(), says)
            }
            Expression::Different => {
                let verdicts = comparison
                    .cells
                    .iter()
                    .flat_map(|cell| cell.verdicts.iter().map(move |verdict| (cell, verdict)));
                let different = verdicts.filter(|(_, verdict)| {
                    verdict.metric == Metric::Throughput
                        && matches!(verdict.direction, Some(Direction::Above | Direction::Below))
                });
                let told = different.map(|(cell, verdict)| {
                    format!("{}, {}: {}", cell.workload, cell.level, verdict.says)
                });
                tell(told.collect(), says)
            }
        }
    }
}

/// Adds what is new; whether there is anything.
fn tell(told: Vec<String>, says: &mut Vec<String>) -> bool {
    let any = !told.is_empty();
    for sentence in told {
        if !says.contains(&sentence) {
            says.push(sentence);
        }
    }
    any
}

impl Compare {
    fn holds(&self, data: &Data, cell: &Cell, says: &mut Vec<String>) -> bool {
        let figure = |target: &str, metric: Metric| {
            let figures = cell.targets.iter().find(|known| known.target == target);
            figures.and_then(|figures| figures.figure(metric))
        };
        let mut figures = Vec::new();
        self.more.figures(&mut figures);
        self.less.figures(&mut figures);
        // Where one of them does not take the workload there is nothing to ask.
        let takes = |target: &str| cell.targets.iter().any(|known| known.target == target);
        if !figures.iter().all(|(target, _)| takes(target)) {
            return false;
        }
        let place = format!("{}, {}", cell.workload, cell.level);
        let of_times = |metric: &Metric| metric.is_response_time();
        if cell.load.objective().is_some() && figures.iter().any(|(_, metric)| of_times(metric)) {
            says.push(format!(
                "{place}: cannot tell, for each target's response times are those of a rate of its own"
            ));
            return false;
        }
        let compared = || {
            cell.targets
                .iter()
                .filter(|t| figures.iter().any(|f| f.0 == t.target))
        };
        let unjudged = compared().find_map(|t| comparison::unjudged(t, t));
        if let Some(why) = unjudged {
            says.push(format!("{place}: cannot tell, for {why}"));
            return false;
        }
        let rounds = figures
            .iter()
            .filter_map(|(target, metric)| Some(figure(target, *metric)?.rounds.len()));
        let at = |number: &Number, round: usize| {
            number.value(&|target, metric| *figure(target, metric)?.rounds.get(round)?)
        };
        let series: Vec<(u32, (f64, f64))> = (0..rounds.max().unwrap_or(0))
            .filter_map(|round| {
                let pair = (at(&self.more, round)?, at(&self.less, round)?);
                Some((round as u32 + 1, pair))
            })
            .collect();
        let resolution = figures
            .iter()
            .map(|(_, metric)| comparison::resolution(compared(), *metric))
            .fold(0.0, f64::max);
        let measured = units::plural(series.len(), "round", "rounds");
        let told = comparison::ratio(data.results, series, resolution);
        let Some((ratio, interval)) = told.filter(|_| !data.results.study.smoke) else {
            says.push(format!(
                "{place}: {measured} with all its figures cannot tell"
            ));
            return false;
        };
        if interval.low <= 1.0 {
            return false;
        }
        let [more, less] = match self.swapped {
            false => ["left", "right"],
            true => ["right", "left"],
        };
        says.push(format!(
            "{place}: the {more} side is {} [{} … {}] times the {less} one",
            units::ratio(ratio),
            units::ratio(interval.low),
            units::ratio(interval.high)
        ));
        true
    }
}

impl Number {
    /// What it counts; `None` where that makes no sense, such as a time multiplied by a time.
    fn dimension(&self) -> Option<Dimension> {
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

    /// The figures in it.
    fn figures<'n>(&'n self, found: &mut Vec<(&'n str, Metric)>) {
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
    fn value(&self, figure: &dyn Fn(&str, Metric) -> Option<f64>) -> Option<f64> {
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
