//! Whether an expression holds, and what is said of it.

use std::collections::{BTreeMap, BTreeSet};

use photofinish_model::Metric;
use photofinish_model::finding::claim::ClaimVerdict;
use photofinish_model::finding::headline::Place;
use photofinish_model::finding::threshold::{Apart, Stands, Threshold};
use photofinish_model::finding::verdict::Void;
use photofinish_model::store::Results;
use photofinish_stats::{Direction, Interval};

use super::Status;
use super::expression::{Compare, Dimension, Expression, Number};
use crate::comparison::{
    self, Cell, CheckStatus, Comparison, Rounds, Series, TargetFigures, Verdict,
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
    pub(super) fn status(
        &self,
        data: &Data,
        cell: Option<&Cell>,
        says: &mut Vec<Threshold>,
    ) -> Status {
        let comparison = data.comparison;
        match self {
            // Every term is asked, for what it says.
            Expression::Any(terms) => most(terms.iter().map(|t| t.status(data, cell, says))),
            Expression::All(terms) => every(terms.iter().map(|t| t.status(data, cell, says))),
            Expression::Compare(compare) => {
                let reported = cell.map(|cell| compare.status(data, cell));
                let (status, found) = reported.unwrap_or((Status::DoesNotHold, None));
                said(status, found, says)
            }
            Expression::Claims => most(comparison.claims.iter().map(|claim| {
                let status = match claim.verdict {
                    ClaimVerdict::DoesNotHold => Status::Holds,
                    ClaimVerdict::Undecided => Status::Undecided,
                    ClaimVerdict::Void | ClaimVerdict::NotMeasured => Status::Void,
                    _ => return Status::DoesNotHold,
                };
                let found = Threshold::Claim {
                    id: claim.claim.id.clone(),
                    verdict: claim.verdict,
                    claim: claim.says.finding.clone(),
                };
                said(status, Some(found), says)
            })),
            Expression::Checks if comparison.is_empty() => {
                said(Status::Void, Some(Threshold::Nothing), says)
            }
            Expression::Checks => {
                let checks = comparison.checks.iter();
                let failed = checks.filter(|check| check.status == CheckStatus::Failed);
                most(failed.map(|check| {
                    let found = Threshold::Check {
                        name: check.name.clone(),
                        failing: check.failing.len(),
                        checked: check.checked,
                    };
                    said(Status::Holds, Some(found), says)
                }))
            }
            Expression::Different if comparison.is_empty() => {
                said(Status::Void, Some(Threshold::Nothing), says)
            }
            Expression::Different if data.results.study.smoke => {
                most(comparison.cells.iter().map(|cell| {
                    let (place, reason) = (place(cell), Void::Smoke);
                    said(Status::Void, Some(Threshold::Void { place, reason }), says)
                }))
            }
            Expression::Different => most(comparison.cells.iter().flat_map(|cell| {
                let verdicts = cell.verdicts.iter();
                let on_throughput = verdicts.filter(|v| v.metric == Metric::Throughput);
                let reported: Vec<Status> = on_throughput
                    .map(|verdict| {
                        let (status, found) = different(cell, verdict);
                        said(status, found, says)
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
pub(super) fn said(status: Status, found: Option<Threshold>, says: &mut Vec<Threshold>) -> Status {
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
            let status = match comparison::is_too_early(&reason) {
                true => Status::Undecided,
                false => Status::Void,
            };
            return (status, Some(Threshold::Void { place, reason }));
        }
        let pair = self.pair(&compared);
        let judged = pair
            .map(|(a, b, metric)| comparison::series(a, b, metric))
            .unwrap_or_default();
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
        };
        let targets = || compared.iter().map(|(target, _)| *target);
        let resolution = compared
            .iter()
            .map(|(_, metric)| comparison::resolution(targets(), *metric))
            .fold(0.0, f64::max);
        let rounds = series.counted.len();
        let has_ratio =
            (series.counted.iter()).all(|(_, (left, right))| *left > 0.0 && *right > 0.0);
        let (status, found) = match has_ratio {
            true => match comparison::ratio(data.results, series, resolution) {
                Some(interval) => self.decided(place, interval),
                None => (Status::Undecided, Threshold::FewRounds { place, rounds }),
            },
            false => match comparison::difference(data.results, &series) {
                Some(interval) => self.decided_by_difference(place, interval),
                None => (Status::Undecided, Threshold::FewRounds { place, rounds }),
            },
        };
        (status, Some(found))
    }

    /// What an interval of left − right decides: where a side is zero or below there is no ratio.
    fn decided_by_difference(&self, place: Place, interval: Interval) -> (Status, Threshold) {
        let apart = Apart {
            place,
            subject: self.left.text.clone(),
            base: self.right.text.clone(),
            unit: self.left.number.dimension().and_then(Dimension::unit),
            difference: interval,
        };
        match self.truth(interval, 0.0) {
            (true, _) => (Status::Holds, Threshold::ApartHolds(apart)),
            (false, true) => (Status::Undecided, Threshold::ApartUndecided(apart)),
            (false, false) => (Status::DoesNotHold, Threshold::ApartExcluded(apart)),
        }
    }

    /// What an interval of left / right decides.
    pub(super) fn decided(&self, place: Place, interval: Interval) -> (Status, Threshold) {
        let stands = self.stands(place, interval);
        match self.truth(interval, 1.0) {
            (true, _) => (Status::Holds, Threshold::Holds(stands)),
            (false, true) => (Status::Undecided, Threshold::Undecided(stands)),
            (false, false) => (Status::DoesNotHold, Threshold::Excluded(stands)),
        }
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
