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

use super::expression::{Compare, Dimension, Expression, Number, Term};
use super::{Found, Status};
use crate::comparison::{
    self, Cell, CheckStatus, Comparison, Invalid, Rounds, Series, TargetFigures, Verdict,
};

/// What a condition is held against.
pub(super) struct Data<'r> {
    pub(super) results: &'r Results,
    pub(super) comparison: &'r Comparison,
}

/// The status of a term somewhere, and the remark on it.
pub(super) type Met = (Status, Option<Found>);

impl Expression {
    /// Whether it is about no figure at any place.
    pub(super) fn is_of_the_run(&self) -> bool {
        let mut terms = self.terms().into_iter();
        !terms.any(|term| matches!(term, Term::Compare(_)))
    }

    /// Whether rounds decide it.
    pub(super) fn takes_rounds(&self) -> bool {
        self.terms().into_iter().any(|term| *term != Term::Checks)
    }

    /// Whether it holds, by what each of its terms comes to; what is to be said of it is added. Every term is asked, for what it says.
    pub(super) fn status(&self, says: &mut Vec<Found>, of: &dyn Fn(&Term) -> Vec<Met>) -> Status {
        match self {
            Expression::Any(parts) => most(parts.iter().map(|part| part.status(says, of))),
            Expression::All(parts) => every(parts.iter().map(|part| part.status(says, of))),
            Expression::Term(term) => {
                let met = of(term).into_iter();
                most(met.map(|(status, met)| said(status, met, says)))
            }
        }
    }
}

impl Term {
    /// Its outcomes at a cell, or in the run.
    pub(super) fn met(&self, data: &Data, cell: Option<&Cell>) -> Vec<Met> {
        let comparison = data.comparison;
        let met = |status, says: Message| (status, Some(Found::from(says)));
        match self {
            Term::Compare(compare) => {
                let here = cell.map(|cell| compare.status(data, cell));
                here.into_iter().collect()
            }
            Term::Claims => {
                let claims = comparison.claims.iter().filter_map(|claim| {
                    let status = match claim.verdict {
                        ClaimVerdict::DoesNotHold => Status::Holds,
                        ClaimVerdict::Undecided => Status::Undecided,
                        ClaimVerdict::Void | ClaimVerdict::NotMeasured => Status::Void,
                        _ => return None,
                    };
                    let says = found::claim(&claim.claim.id, &claim.outcome, &claim.says);
                    Some(met(status, says))
                });
                claims.collect()
            }
            Term::Checks | Term::Different if comparison.is_empty() => {
                vec![met(Status::Void, found::nothing_measured())]
            }
            Term::Checks => {
                let checks = comparison.checks.iter();
                let failed = checks.filter(|check| check.status == CheckStatus::Failed);
                let failed = failed.map(|failed| {
                    let title = names::title(&failed.name);
                    let says = found::check(title, failed.failing.len(), failed.checked);
                    met(Status::Holds, says)
                });
                failed.collect()
            }
            Term::Different if data.results.study.settings.smoke => {
                let cells = comparison.cells.iter();
                let smoke = |cell| (Status::Void, Some(invalid(place(cell), reason::smoke())));
                cells.map(smoke).collect()
            }
            Term::Different => {
                let verdicts = comparison.cells.iter().flat_map(|cell| {
                    let verdicts = cell.verdicts_on(Metric::Throughput);
                    verdicts.map(move |verdict| different(place(cell), verdict))
                });
                verdicts.collect()
            }
        }
    }
}

/// The status that counts of several of which one is enough. All are asked, for what they say.
pub(super) fn most(all: impl Iterator<Item = Status>) -> Status {
    all.max().unwrap_or(Status::DoesNotHold)
}

/// The status of several that must all hold. All are asked, for what they say.
fn every(all: impl Iterator<Item = Status>) -> Status {
    let asked: Vec<Status> = all.collect();
    if asked.contains(&Status::DoesNotHold) {
        return Status::DoesNotHold;
    }
    let unknown = asked.into_iter().filter(|status| *status != Status::Holds);
    unknown.max().unwrap_or(Status::Holds)
}

/// Adds what is new; the status.
fn said(status: Status, met: Option<Found>, says: &mut Vec<Found>) -> Status {
    if let Some(met) = met
        && !says.contains(&met)
    {
        says.push(met);
    }
    status
}

/// Returns whether a verdict on throughput at a place states a difference.
pub(super) fn different(place: Place, verdict: &Verdict) -> Met {
    let met = || Some(Found::from(found::at_place(&place, &verdict.says)));
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

/// An interval of what it is about.
pub(super) enum Of {
    /// Left / right.
    Ratio(Interval),
    /// Left − right, because a side is zero or below in a round.
    Difference(Interval),
}

/// Both sides of a comparison at a place.
pub(super) struct Sides {
    /// Their values by round.
    pub(super) series: Series,
    /// No relative difference below this can be seen.
    pub(super) resolution: f64,
}

impl Sides {
    /// Whether the sides have a ratio in every round.
    pub(super) fn have_ratio(&self) -> bool {
        let mut rounds = self.series.counted.iter();
        rounds.all(|(_, (left, right))| *left > 0.0 && *right > 0.0)
    }
}

impl Compare {
    fn status(&self, data: &Data, cell: &Cell) -> Met {
        let sides = match self.sides(data, cell) {
            Ok(sides) => sides,
            Err(met) => return met,
        };
        let rounds = sides.series.counted.len();
        let interval = match sides.have_ratio() {
            true => comparison::ratio(data.results, sides.series, sides.resolution).map(Of::Ratio),
            false => comparison::difference(data.results, &sides.series).map(Of::Difference),
        };
        self.met(place(cell), rounds, interval)
    }

    /// What the interval over so many rounds decides at a place; without one they are too few.
    pub(super) fn met(&self, place: Place, rounds: usize, interval: Option<Of>) -> Met {
        let (status, met) = match interval {
            Some(Of::Ratio(interval)) => self.decided(place, interval, None),
            Some(Of::Difference(interval)) => self.decided_by_difference(place, interval),
            None => (Status::Undecided, found::few_rounds(place, rounds).into()),
        };
        (status, Some(met))
    }

    /// Both sides of a run at a cell.
    ///
    /// # Errors
    /// The outcome if there are none, or nothing may be said of them.
    pub(super) fn sides(&self, data: &Data, cell: &Cell) -> Result<Sides, Met> {
        let mut figures = Vec::new();
        self.left.number.figures(&mut figures);
        self.right.number.figures(&mut figures);
        let mut compared: Vec<(&TargetFigures, Metric)> = Vec::new();
        for (name, metric) in figures {
            match cell.target(name) {
                Some(target) => compared.push((target, metric)),
                // Where one of them does not take the workload there is nothing to ask.
                None => return Err((Status::DoesNotHold, None)),
            }
        }
        if let Some(void) = void(&compared, data.results.study.settings.smoke) {
            let status = match void.is_too_early() {
                true => Status::Undecided,
                false => Status::Void,
            };
            return Err((status, Some(invalid(place(cell), void.reason))));
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
        Ok(Sides { series, resolution })
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
