//! Conditions such as `b.p99 > a.p99 * 1.05`, by which a CI job fails.
//!
//! A comparison is made round by round: d = ln(left / right) with that round's figures, and it holds where the interval of
//! mean d, as in a verdict, lies wholly on the side that is asked about. So a job fails only where the rounds leave no doubt, and not by chance more than
//! about 3 times in 100. Where a side is zero or below in a round, and so has no logarithm, d = left − right. Where the ratio of two targets in one metric is asked, the rounds' figures are those of the verdict on them (medians by turns). What the rounds do not decide, and what is void, is told as that, and is no pass.

use photofinish_model::message::Message;
use photofinish_model::store::Results;

use crate::comparison::Comparison;

mod days;
mod expression;
mod gate;
mod pairs;
mod parse;
mod status;
#[cfg(test)]
mod tests;

use expression::Expression;
pub use gate::{Gate, progress, progress_on_pairs};
use status::{Data, most};

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
    /// Of two runs, something is asked that their figures do not decide.
    #[error(
        "of two runs, after.METRIC is compared with before.METRIC, or either with a number; each may have a factor, as in `after.p99 > before.p99 * 1.05`"
    )]
    TwoRuns,
    /// A metric on which no change from one run to the next is judged.
    #[error("changes of `{name}` are not judged from run to run; those of {judged} are")]
    NotJudged {
        /// Its key.
        name: &'static str,
        /// Those that are, in a row.
        judged: String,
    },
}

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    text: String,
    expression: Expression,
}

/// What came of a condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Whether it holds anywhere.
    pub status: Status,
    /// Where it holds, or why that is not known.
    pub says: Vec<Message>,
}

impl Outcome {
    /// What is excluded at one place is of no interest where another decides.
    fn new(status: Status, says: Vec<Found>) -> Outcome {
        let is_reported = |found: &Found| status == Status::DoesNotHold || !found.is_excluded;
        Outcome {
            status,
            says: says
                .into_iter()
                .filter(is_reported)
                .map(|found| found.says)
                .collect(),
        }
    }

    /// Whether it holds somewhere beyond doubt.
    pub fn holds(&self) -> bool {
        self.status == Status::Holds
    }
}

/// Something that a condition met.
#[derive(Clone, Debug, PartialEq)]
struct Found {
    says: Message,
    /// Whether it excludes that the condition holds at its place.
    is_excluded: bool,
}

impl From<Message> for Found {
    fn from(says: Message) -> Found {
        Found {
            says,
            is_excluded: false,
        }
    }
}

/// Whether a condition holds. Of several places or terms of which one is enough, the last of these counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// It does not, beyond doubt.
    DoesNotHold,
    /// Nothing may be said of a figure in it.
    Void,
    /// The rounds do not decide it.
    Undecided,
    /// It does, beyond doubt.
    Holds,
}

impl Status {
    /// What it makes of a job, in a word.
    pub fn word(self) -> &'static str {
        match self {
            Status::Holds => "FAILED",
            Status::DoesNotHold => "PASSED",
            Status::Undecided => "UNDECIDED",
            Status::Void => "VOID",
        }
    }
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

    /// Whether rounds decide it: a condition about validity checks alone is decided as it stands.
    pub fn takes_rounds(&self) -> bool {
        self.expression.takes_rounds()
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it holds at any workload and load level.
    pub fn check(&self, results: &Results, comparison: &Comparison) -> Outcome {
        let mut says = Vec::new();
        let data = &Data {
            results,
            comparison,
        };
        let places = match self.expression.is_of_the_run() {
            true => vec![None],
            false => comparison.cells.iter().map(Some).collect(),
        };
        let status = most(
            (places.into_iter())
                .map(|cell| (self.expression).status(&mut says, &|term| term.met(data, cell))),
        );
        Outcome::new(status, says)
    }
}
