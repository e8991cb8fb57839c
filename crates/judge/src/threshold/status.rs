//! Whether an expression holds, and what is said of it.

use std::collections::{BTreeMap, BTreeSet};

use photofinish_model::Metric;
use photofinish_model::Place;
use photofinish_model::finding::claim::ClaimVerdict;
use photofinish_model::message::Message;
use photofinish_model::store::Results;
use photofinish_stats::{Direction, Interval};
use photofinish_voice::verdict::reason;
use photofinish_voice::{checks as names, threshold as found};

use super::expression::{Compare, Dimension, Expression, Number};
use super::{Found, Status};
use crate::comparison::{
    self, Cell, CheckStatus, Comparison, Invalid, Rounds, Series, TargetFigures, Verdict,
};

/// What a condition is held against.
pub(super) struct Data<'r> {
    pub(super) results: &'r Results,
    pub(super) comparison: &'r Comparison,
}

impl Expression {
    /// Whether it is about no figure at any place.
    pub(super) fn is_of_the_run(&self) -> bool {
        match self {
            Expression::Any(terms) | Expression::All(terms) => {
                terms.iter().all(Expression::is_of_the_run)
            }
            Expression::Compare(_) => false,
            Expression::Claims | Expression::Checks | Expression::Different => true,
        }
    }

    /// Whether rounds decide it.
    pub(super) fn takes_rounds(&self) -> bool {
        match self {
            Expression::Any(terms) | Expression::All(terms) => {
                terms.iter().any(Expression::takes_rounds)
            }
            Expression::Compare(_) | Expression::Claims | Expression::Different => true,
            Expression::Checks => false,
        }
    }

    /// Whether it holds at a cell, or in the run; what is to be said of it is added.
    pub(super) fn status(&self, data: &Data, cell: Option<&Cell>, says: &mut Vec<Found>) -> Status {
        let comparison = data.comparison;
        match self {
            // Every term is asked, for what it says.
            Expression::Any(terms) => most(terms.iter().map(|t| t.status(data, cell, says))),
            Expression::All(terms) => every(terms.iter().map(|t| t.status(data, cell, says))),
            Expression::Compare(compare) => {
                let reported = cell.map(|cell| compare.status(data, cell));
                let (status, met) = reported.unwrap_or((Status::DoesNotHold, None));
                said(status, met, says)
            }
            Expression::Claims => most(comparison.claims.iter().map(|claim| {
                let status = match claim.verdict {
                    ClaimVerdict::DoesNotHold => Status::Holds,
                    ClaimVerdict::Undecided => Status::Undecided,
                    ClaimVerdict::Void | ClaimVerdict::NotMeasured => Status::Void,
                    _ => return Status::DoesNotHold,
                };
                let met = found::claim(&claim.claim.id, &claim.outcome, &claim.says);
                said(status, Some(met.into()), says)
            })),
            Expression::Checks if comparison.is_empty() => {
                said(Status::Void, Some(found::nothing_measured().into()), says)
            }
            Expression::Checks => {
                let checks = comparison.checks.iter();
                let failed = checks.filter(|check| check.status == CheckStatus::Failed);
                most(failed.map(|failed| {
                    let title = names::title(&failed.name);
                    let met = found::check(title, failed.failing.len(), failed.checked);
                    said(Status::Holds, Some(met.into()), says)
                }))
            }
            Expression::Different if comparison.is_empty() => {
                said(Status::Void, Some(found::nothing_measured().into()), says)
            }
            Expression::Different if data.results.study.settings.smoke => {
                most(comparison.cells.iter().map(|cell| {
                    let met = invalid(place(cell), reason::smoke());
                    said(Status::Void, Some(met), says)
                }))
            }
            Expression::Different => most(comparison.cells.iter().flat_map(|cell| {
                let verdicts = cell.verdicts.iter();
                let on_throughput = verdicts.filter(|v| v.metric == Metric::Throughput);
                let reported: Vec<Status> = on_throughput
                    .map(|verdict| {
                        let (status, met) = different(cell, verdict);
                        said(status, met, says)
                    })
                    .collect();
                reported
            })),
        }
    }
}

/// The status that counts of several of which one is enough. All are asked, for what they say.
pub(super) fn most(all: impl Iterator<Item = Status>) -> Status {
    all.max().unwrap_or(Status::DoesNotHold)
}

/// The status of several that must all hold. All are asked, for what they say.
pub(super) fn every(all: impl Iterator<Item = Status>) -> Status {
    let asked: Vec<Status> = all.collect();
    if asked.contains(&Status::DoesNotHold) {
        return Status::DoesNotHold;
    }
    let unknown = asked.into_iter().filter(|status| *status != Status::Holds);
    unknown.max().unwrap_or(Status::Holds)
}

/// Adds what is new; the status.
pub(super) fn said(status: Status, met: Option<Found>, says: &mut Vec<Found>) -> Status {
    if let Some(met) = met
        && !says.contains(&met)
    {
        says.push(met);
    }
    status
}

fn different(cell: &Cell, verdict: &Verdict) -> (Status, Option<Found>) {
    let met = || Some(Found::from(found::at_place(place(cell), &verdict.says)));
    match verdict.direction() {
        Some(Direction::Above | Direction::Below) => (Status::Holds, met()),
        Some(Direction::Tie) => (Status::DoesNotHold, None),
        Some(Direction::Undecided) => (Status::Undecided, met()),
        None if verdict.is_too_early() => (Status::Undecided, met()),
        None => (Status::Void, met()),
    }
}

/// Returns why there is no figure at a place.
pub(super) fn invalid(place: Place, reason: Message) -> Found {
    found::at_place(place, reason).into()
}

fn place(cell: &Cell) -> Place {
    Place::of(&cell.workload, &cell.load)
}

/// Returns the status of a comparison that is true, may be true, or is excluded, and what it met.
fn status(
    truth: (bool, bool),
    is: impl Fn() -> Message,
    could_be: impl Fn() -> Message,
) -> (Status, Found) {
    match truth {
        (true, _) => (Status::Holds, is().into()),
        (false, true) => (Status::Undecided, could_be().into()),
        (false, false) => {
            let excluded = Found {
                says: is(),
                is_excluded: true,
            };
            (Status::DoesNotHold, excluded)
        }
    }
}

impl Compare {
    fn status(&self, data: &Data, cell: &Cell) -> (Status, Option<Found>) {
        let mut figures = Vec::new();
        self.left.number.figures(&mut figures);
        self.right.number.figures(&mut figures);
        let mut compared: Vec<(&TargetFigures, Metric)> = Vec::new();
        for (name, metric) in figures {
            match cell.target(name) {
                Some(target) => compared.push((target, metric)),
                // Where one of them does not take the workload there is nothing to ask.
                None => return (Status::DoesNotHold, None),
            }
        }
        let place = place(cell);
        if let Some(void) = void(&compared, data.results.study.settings.smoke) {
            let status = match void.is_too_early() {
                true => Status::Undecided,
                false => Status::Void,
            };
            return (status, Some(invalid(place, void.reason)));
        }
        let pair = self.pair(&compared);
        let judged = pair
            .map(|(a, b, metric)| comparison::series(a, b, metric))
            .unwrap_or_default();
        let (implied, uncertainty) = (judged.implied.clone(), judged.uncertainty);
        let rounds = |judged: Rounds, of: fn(&TargetFigures, Metric) -> BTreeMap<u32, f64>| {
            let judged: BTreeMap<u32, (f64, f64)> = judged.into_iter().collect();
            let figures: BTreeMap<(&str, Metric), BTreeMap<u32, f64>> = (compared.iter())
                .map(|(target, metric)| ((&*target.target, *metric), of(target, *metric)))
                .collect();
            let at = |number: &Number, round: u32| {
                let figure = |name: &str, metric: Metric| match (pair, judged.get(&round)) {
                    (Some((a, ..)), Some((of_a, of_b))) => {
                        Some(if name == a.target { *of_a } else { *of_b })
                    }
                    _ => figures.get(&(name, metric))?.get(&round).copied(),
                };
                number.value(&figure)
            };
            let all: BTreeSet<u32> = figures.values().flat_map(|of| of.keys().copied()).collect();
            let both = all.into_iter().filter_map(|round| {
                let pair = (
                    at(&self.left.number, round)?,
                    at(&self.right.number, round)?,
                );
                Some((round, pair))
            });
            both.collect::<Rounds>()
        };
        let series = Series {
            counted: rounds(judged.counted, TargetFigures::counted),
            aside: rounds(judged.aside, TargetFigures::aside),
            implied,
            uncertainty,
        };
        let targets = || compared.iter().map(|(target, _)| *target);
        let resolution = compared
            .iter()
            .map(|(_, metric)| comparison::resolution(targets(), *metric))
            .fold(0.0, f64::max);
        let rounds = series.counted.len();
        let has_ratio =
            (series.counted.iter()).all(|(_, (left, right))| *left > 0.0 && *right > 0.0);
        let (status, met) = match has_ratio {
            true => match comparison::ratio(data.results, series, resolution) {
                Some(interval) => self.decided(place, interval, None),
                None => (Status::Undecided, found::few_rounds(place, rounds).into()),
            },
            false => match comparison::difference(data.results, &series) {
                Some(interval) => self.decided_by_difference(place, interval),
                None => (Status::Undecided, found::few_rounds(place, rounds).into()),
            },
        };
        (status, Some(met))
    }

    /// What an interval of left − right decides: a side that is zero or below has no ratio.
    fn decided_by_difference(&self, place: Place, interval: Interval) -> (Status, Found) {
        let unit = self.left.number.dimension().and_then(Dimension::unit);
        let (subject, base) = (&self.left.text, &self.right.text);
        let is = || found::differs(&place, subject, base, (unit, interval));
        let could_be = || found::could_differ(&place, subject, base, (unit, interval));
        status(self.truth(interval, 0.0), is, could_be)
    }

    /// What an interval of left / right decides; `target`: whose figures these are, if the condition does not name it. Factors are
    /// taken out, and the side that has one (or is a mere number) is what the other is compared with: `1.05 * a.p99 < b.p99` compares
    /// b.p99 with a.p99.
    pub(super) fn decided(
        &self,
        place: Place,
        interval: Interval,
        target: Option<&str>,
    ) -> (Status, Found) {
        let ((left, left_times), (right, right_times)) = (self.left.base(), self.right.base());
        let factor = right_times / left_times;
        let is_turned = self.left.is_base() && !self.right.is_base();
        let (subject, base, factor) = match is_turned {
            false => (left, right, factor),
            true => (right, left, factor.recip()),
        };
        let (low, high) = match is_turned {
            false => (interval.low * factor, interval.high * factor),
            true => (factor / interval.high, factor / interval.low),
        };
        let subject = match target {
            Some(target) => format!("{target}: {subject}"),
            None => subject,
        };
        // The change that the condition asks about: 5% above for `> base * 1.05`.
        let limit = match factor - 1.0 {
            limit if limit.abs() < 1e-9 => None,
            below if below < 0.0 => Some(found::limit_below(-below)),
            above => Some(found::limit_above(above)),
        };
        let (low, high) = (low - 1.0, high - 1.0);
        let is = || found::is(&place, &subject, low, high, &base, limit.clone());
        let could_be = || found::could_be(&place, &subject, low, high, &base, limit.clone());
        status(self.truth(interval, 1.0), is, could_be)
    }

    /// The two targets of which it asks the ratio in one metric: it takes that which a verdict on them takes.
    fn pair<'t>(
        &self,
        compared: &[(&'t TargetFigures, Metric)],
    ) -> Option<(&'t TargetFigures, &'t TargetFigures, Metric)> {
        let &(a, metric) = compared.first()?;
        let (b, _) = compared.iter().find(|(b, _)| b.target != a.target)?;
        let is_of_them = |(target, of): &(&TargetFigures, Metric)| {
            *of == metric && (target.target == a.target || target.target == b.target)
        };
        (self.is_of_ratios() && compared.iter().all(is_of_them)).then_some((a, *b, metric))
    }
}

/// Why nothing may be said of these figures.
fn void(compared: &[(&TargetFigures, Metric)], smoke: bool) -> Option<Invalid> {
    if smoke {
        return Some(reason::smoke().into());
    }
    let each = compared
        .iter()
        .find_map(|(target, metric)| target.void(*metric));
    each.or_else(|| {
        let (first, metric) = compared.first()?;
        let others = compared.iter().skip(1);
        let mut others = others.filter(|(other, _)| other.target != first.target);
        others.find_map(|(other, of)| match of == metric {
            true => comparison::void(*metric, first, other),
            false => comparison::not_the_same_job(first, other),
        })
    })
}
