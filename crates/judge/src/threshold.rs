//! Conditions such as `b.p99 > a.p99 * 1.05`, by which a CI job fails.
//!
//! A comparison is made round by round: d = ln(left / right) with that round's figures, and it holds where the interval of
//! mean d, as in a verdict, lies wholly on the side that is asked about. So a job fails only where the rounds leave no doubt, and not by chance more than
//! about 3 times in 100. What the rounds do not decide, and what is void, is told as that, and is no pass.

use photofinish_model::Metric;
use photofinish_model::finding::claim::ClaimVerdict;
use photofinish_model::finding::headline::Place;
use photofinish_model::finding::threshold::{Stands, Threshold};
use photofinish_model::finding::verdict::Void;
use photofinish_model::store::Results;
use photofinish_stats::{Direction, Interval};
use photofinish_voice::Message;

use crate::comparison::{self, Cell, CheckStatus, Comparison, TargetFigures, Verdict};

mod expression;
mod gate;
mod parse;
#[cfg(test)]
mod tests;

use expression::{Compare, Expression, Number};
pub use gate::{Gate, Undecided, progress};

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

/// What a condition is held against.
struct Data<'r> {
    results: &'r Results,
    comparison: &'r Comparison,
}

/// What came of a condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Whether it holds anywhere.
    pub status: Status,
    /// Where it holds, or why that is not known.
    pub says: Vec<Message<Threshold>>,
}

impl Outcome {
    /// Whether it holds somewhere beyond doubt.
    pub fn holds(&self) -> bool {
        self.status == Status::Holds
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
        let status = if self.expression.is_of_the_run() {
            self.expression.status(data, None, &mut says)
        } else {
            let cells = comparison.cells.iter();
            cells
                .map(|cell| self.expression.status(data, Some(cell), &mut says))
                .max()
                .unwrap_or(Status::DoesNotHold)
        };
        // What is excluded at one place is of no interest where another decides.
        let told = |says: &Threshold| {
            status == Status::DoesNotHold || !matches!(says, Threshold::Excluded(_))
        };
        Outcome {
            status,
            says: says.into_iter().filter(told).map(Message::from).collect(),
        }
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

    fn takes_rounds(&self) -> bool {
        match self {
            Expression::Any(terms) | Expression::All(terms) => {
                terms.iter().any(Expression::takes_rounds)
            }
            Expression::Compare(_) | Expression::Claims | Expression::Different => true,
            Expression::Checks => false,
        }
    }

    fn status(&self, data: &Data, cell: Option<&Cell>, says: &mut Vec<Threshold>) -> Status {
        let comparison = data.comparison;
        match self {
            // Every term is asked, for what it says.
            Expression::Any(terms) => {
                let asked = terms.iter().map(|t| t.status(data, cell, says));
                asked.max().unwrap_or(Status::DoesNotHold)
            }
            Expression::All(terms) => {
                let asked: Vec<Status> = terms.iter().map(|t| t.status(data, cell, says)).collect();
                if asked.contains(&Status::DoesNotHold) {
                    Status::DoesNotHold
                } else {
                    let unknown = asked.into_iter().filter(|status| *status != Status::Holds);
                    unknown.max().unwrap_or(Status::Holds)
                }
            }
            Expression::Compare(compare) => {
                let told = cell.map(|cell| compare.status(data, cell));
                let (status, found) = told.unwrap_or((Status::DoesNotHold, None));
                tell(status, found, says)
            }
            Expression::Claims => most(comparison.claims.iter().map(|claim| {
                let status = match claim.verdict {
                    ClaimVerdict::DoesNotHold => Status::Holds,
                    ClaimVerdict::Undecided => Status::Undecided,
                    ClaimVerdict::Void => Status::Void,
                    _ => return Status::DoesNotHold,
                };
                let found = Threshold::Claim {
                    id: claim.claim.id.clone(),
                    verdict: claim.verdict,
                    claim: claim.says.finding.clone(),
                };
                tell(status, Some(found), says)
            })),
            Expression::Checks => {
                let checks = comparison.checks.iter();
                let failed = checks.filter(|check| check.status == CheckStatus::Failed);
                most(failed.map(|check| {
                    let found = Threshold::Check {
                        name: check.name.clone(),
                        failing: check.failing.len(),
                        checked: check.checked,
                    };
                    tell(Status::Holds, Some(found), says)
                }))
            }
            Expression::Different => most(comparison.cells.iter().flat_map(|cell| {
                let verdicts = cell.verdicts.iter();
                let on_throughput = verdicts.filter(|v| v.metric == Metric::Throughput);
                let told: Vec<Status> = on_throughput
                    .map(|verdict| {
                        let (status, found) = different(cell, verdict);
                        tell(status, found, says)
                    })
                    .collect();
                told
            })),
        }
    }
}

/// The status that counts of several.
fn most(all: impl Iterator<Item = Status>) -> Status {
    all.max().unwrap_or(Status::DoesNotHold)
}

/// Adds what is new; the status.
fn tell(status: Status, found: Option<Threshold>, says: &mut Vec<Threshold>) -> Status {
    if let Some(found) = found
        && !says.contains(&found)
    {
        says.push(found);
    }
    status
}

fn different(cell: &Cell, verdict: &Verdict) -> (Status, Option<Threshold>) {
    let place = place(cell);
    let finding = verdict.says.finding.clone();
    let not_decided = |place| {
        Some(Threshold::NotDecided {
            place,
            verdict: finding.clone(),
        })
    };
    match verdict.direction() {
        Some(Direction::Above | Direction::Below) => {
            let verdict = finding.clone();
            (Status::Holds, Some(Threshold::Different { place, verdict }))
        }
        Some(Direction::Tie) => (Status::DoesNotHold, None),
        Some(Direction::Undecided) => (Status::Undecided, not_decided(place)),
        None if verdict.is_too_early() => (Status::Undecided, not_decided(place)),
        None => (Status::Void, not_decided(place)),
    }
}

fn place(cell: &Cell) -> Place {
    Place {
        workload: Some(cell.workload.clone()),
        load: cell.load.clone(),
    }
}

impl Compare {
    fn status(&self, data: &Data, cell: &Cell) -> (Status, Option<Threshold>) {
        let target = |name: &str| cell.targets.iter().find(|known| known.target == name);
        let mut figures = Vec::new();
        self.left.number.figures(&mut figures);
        self.right.number.figures(&mut figures);
        let mut compared: Vec<(&TargetFigures, Metric)> = Vec::new();
        for (name, metric) in figures {
            match target(name) {
                Some(target) => compared.push((target, metric)),
                // Where one of them does not take the workload there is nothing to ask.
                None => return (Status::DoesNotHold, None),
            }
        }
        let place = place(cell);
        if let Some(reason) = void(&compared, data.results.study.smoke) {
            return (Status::Void, Some(Threshold::Void { place, reason }));
        }
        let at = |number: &Number, round: usize| {
            let figure =
                |name: &str, metric: Metric| *target(name)?.figure(metric)?.rounds.get(round)?;
            number.value(&figure)
        };
        let rounds = compared
            .iter()
            .filter_map(|(target, metric)| Some(target.figure(*metric)?.rounds.len()));
        let series: Vec<(u32, (f64, f64))> = (0..rounds.max().unwrap_or(0))
            .filter_map(|round| {
                let pair = (
                    at(&self.left.number, round)?,
                    at(&self.right.number, round)?,
                );
                Some((round as u32 + 1, pair))
            })
            .collect();
        let targets = || compared.iter().map(|(target, _)| *target);
        let resolution = compared
            .iter()
            .map(|(_, metric)| comparison::resolution(targets(), *metric))
            .fold(0.0, f64::max);
        let rounds = series.len();
        let Some(interval) = comparison::ratio(data.results, series, resolution) else {
            return (
                Status::Undecided,
                Some(Threshold::FewRounds { place, rounds }),
            );
        };
        let stands = self.stands(place, interval);
        let (is_true, is_open) = match self.is_above {
            true => (interval.low > 1.0, interval.high > 1.0),
            false => (interval.high < 1.0, interval.low < 1.0),
        };
        match (is_true, is_open) {
            (true, _) => (Status::Holds, Some(Threshold::Holds(stands))),
            (false, true) => (Status::Undecided, Some(Threshold::Undecided(stands))),
            (false, false) => (Status::DoesNotHold, Some(Threshold::Excluded(stands))),
        }
    }

    /// Where the figure stands, of which this is the interval of left / right. Factors are taken out, and the side that has one
    /// (or is a mere number) is what the other is compared with: `1.05 * a.p99 < b.p99` speaks of b.p99 beside a.p99.
    fn stands(&self, place: Place, interval: Interval) -> Stands {
        let ((left, left_times), (right, right_times)) = (self.left.base(), self.right.base());
        let limit = right_times / left_times;
        let turned = self.left.is_base() && !self.right.is_base();
        let (subject, base, low, high, limit) = match turned {
            false => (
                left,
                right,
                interval.low * limit,
                interval.high * limit,
                limit,
            ),
            true => {
                let limit = limit.recip();
                (
                    right,
                    left,
                    limit / interval.high,
                    limit / interval.low,
                    limit,
                )
            }
        };
        Stands {
            place,
            subject,
            base,
            change: Interval {
                low: low - 1.0,
                high: high - 1.0,
            },
            limit: limit - 1.0,
        }
    }
}

/// Why nothing may be said of these figures.
fn void(compared: &[(&TargetFigures, Metric)], smoke: bool) -> Option<Void> {
    if smoke {
        return Some(Void::Smoke);
    }
    let each = compared
        .iter()
        .find_map(|(target, metric)| target.void(*metric));
    let first = compared.first().map(|(target, _)| target);
    each.or_else(|| {
        let mut others = compared.iter().skip(1).map(|(target, _)| target);
        others.find_map(|other| comparison::not_the_same_job(first?, other))
    })
}
