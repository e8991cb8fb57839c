//! Who is ahead, for every pair of targets.

use photofinish_model::Metric;
use photofinish_stats::correlation::{not_excluded, stretch};
use photofinish_stats::{Direction, Paired, Width, groups};
use photofinish_voice::verdict::{note, reason};

use crate::comparison::Cell;
use crate::comparison::figures::TargetFigures;
use crate::comparison::interference::by_turn;
use crate::comparison::interference::by_turn::series;
use crate::comparison::interference::kinds;
use crate::comparison::interference::placement::Migration;
use crate::comparison::interference::turns;
use crate::comparison::note::{Hedge, Note};
use crate::comparison::reason::Invalid;
use crate::comparison::stats;
use crate::comparison::verdict::interim::{Analyses, Group, Judged};
use crate::comparison::verdict::invalid::void;
use crate::comparison::verdict::metrics::JUDGED;
use crate::comparison::verdict::pairs::{judged, resolution};
use crate::comparison::verdict::series::Series;
use crate::comparison::verdict::{JudgedPair, Judgement, Verdict, ahead};
use crate::lists;

/// An interval that is so many times as wide for the rounds' correlation is reported.
const NOTED: f64 = 1.2;

/// Two targets.
type Pair<'t> = (&'t TargetFigures, &'t TargetFigures);

/// The verdicts on every pair of the contenders of each cell, metric by metric: a list a cell.
///
/// All verdicts on a metric, of all cells, are one family of Holm's procedure: a report calls equal servers different in a metric 5 times in 100
/// at most.
pub(crate) fn verdicts(cells: &[Cell], margin: f64, analyses: &Analyses) -> Vec<Vec<Verdict>> {
    let labels: Vec<&str> = cells
        .iter()
        .flat_map(|cell| cell.targets.iter().map(|target| target.target.as_str()))
        .collect();
    let mut reported: Vec<Vec<Verdict>> = cells.iter().map(|_| Vec::new()).collect();
    for metric in JUDGED {
        let races: Vec<(usize, Race)> = (cells.iter().enumerate())
            .filter(|(_, cell)| judged(cell.contenders()).contains(&metric))
            .map(|(place, cell)| (place, Race::of(cell, metric, &labels)))
            .collect();
        let groups: Vec<Group> = races.iter().map(|(_, race)| race.group.clone()).collect();
        let judged = analyses.judge_together(&groups, margin);
        for ((place, race), judged) in races.iter().zip(judged) {
            let terms = Terms {
                metric,
                margin,
                resolution: race.group.resolution,
                cap: analyses.cap(),
            };
            let pairs = race.pairs.iter().zip(&race.group.pairs).zip(judged);
            let verdicts = pairs
                .map(|((pair, series), judged)| terms.verdict(*pair, series.counted.len(), judged));
            reported[*place].extend(verdicts);
        }
    }
    reported
}

/// The pairs of a cell in one metric.
struct Race<'t> {
    pairs: Vec<Pair<'t>>,
    group: Group,
}

impl<'t> Race<'t> {
    fn of(cell: &'t Cell, metric: Metric, labels: &[&str]) -> Race<'t> {
        let targets: Vec<&TargetFigures> = cell.contenders().collect();
        let pairs: Vec<Pair> = lists::pairs(&targets).collect();
        // What is void takes nothing from the level of the others, and says nothing of their spread.
        let usable = |&(a, b): &Pair| void(metric, a, b).is_none();
        let series = |pair: &Pair| match usable(pair) {
            true => series(pair.0, pair.1, metric),
            false => Series::default(),
        };
        let is_compared = |target: &&&TargetFigures| {
            let mut own = pairs
                .iter()
                .filter(|(a, b)| std::ptr::eq(*a, **target) || std::ptr::eq(*b, **target));
            own.any(usable)
        };
        let number = |target: &TargetFigures| labels.iter().position(|l| *l == target.target);
        let rounds = |target: &TargetFigures| {
            target.figure(metric)?;
            Some(Series {
                counted: target.counted(metric).into_iter().collect(),
                aside: target.aside(metric).into_iter().collect(),
                ..Series::default()
            })
        };
        let compared: Vec<&TargetFigures> = targets.iter().filter(is_compared).copied().collect();
        // Ratios of turns spread by less than the targets' own figures: these would say nothing of them.
        let is_by_turn = pairs.iter().any(|(a, b)| by_turn::has_ratios(a, b, metric));
        let figures: Vec<Option<Series<f64>>> = match is_by_turn {
            true => by_turn::beside(&compared, metric),
            false => compared.iter().map(|target| rounds(target)).collect(),
        };
        let compared = compared.iter().zip(figures);
        Race {
            group: Group {
                pairs: pairs.iter().map(series).collect(),
                targets: compared
                    .filter_map(|(target, figures)| Some((number(target)?, figures?)))
                    .collect(),
                resolution: resolution(targets.iter().copied(), metric),
            },
            pairs,
        }
    }
}

/// What all verdicts of a metric and place share.
struct Terms {
    metric: Metric,
    margin: f64,
    /// No difference below this can be seen.
    resolution: f64,
    /// The most rounds, where they are added until it is decided.
    cap: Option<u32>,
}

impl Terms {
    fn verdict(&self, (a, b): Pair, rounds: usize, judged: Judged) -> Verdict {
        let metric = self.metric;
        let invalid = void(metric, a, b);
        let rounds = match invalid {
            Some(_) => a.rounds.min(b.rounds),
            None => rounds,
        };
        let ratio = judged.paired.as_ref().map(Paired::ratio);
        let (of, over) = (a.target.as_str(), b.target.as_str());
        let invalid = invalid.or_else(|| {
            Some(match (ratio, judged.decision.direction) {
                (Some(_), Some(_)) => return None,
                (None, _) if rounds == 0 => reason::no_common_round(of, over).into(),
                (None, _) => zero(metric, a, b),
                (Some(_), None) if rounds == 1 => Invalid::one_round(),
                (Some(_), None) => reason::no_interval().into(),
            })
        });
        let decision = judged.decision;
        let judgement = match (invalid, decision.direction) {
            (None, Some(direction)) => Judgement::Judged(self.judged((a, b), direction, &judged)),
            (invalid, _) => {
                Judgement::Void(invalid.unwrap_or_else(|| reason::no_interval().into()))
            }
        };
        let mut verdict = Verdict {
            width: judged.paired.map(|paired| Width {
                paired,
                alpha: judged.share,
                resolution: self.resolution,
            }),
            turns: (metric == Metric::Throughput)
                .then(|| turns::paired(a, b))
                .flatten(),
            ..Verdict::of_decision(metric, (of, over), rounds, ratio, &decision, judgement)
        };
        verdict.say(self.margin, a.sustained.is_some());
        verdict.notes = self
            .notes((a, b), &verdict)
            .into_iter()
            .chain(self.of_rounds((a, b), &verdict, judged.paired))
            .chain(a.migration.as_ref().map(Migration::note))
            .chain((verdict.turns.iter()).flat_map(|turns| turns.notes(self.margin)))
            .chain(turns::continuous_runs(a, b).filter(|_| metric == Metric::Throughput))
            .chain(by_turn::note(a, b, metric).filter(|_| ratio.is_some()))
            .chain(self.unseen_kind(&verdict))
            .collect();
        verdict
    }

    fn judged(&self, (a, b): Pair, direction: Direction, judged: &Judged) -> JudgedPair {
        let undecided = judged.paired.filter(|_| direction == Direction::Undecided);
        let needed = undecided.filter(|paired| !self.is_hidden(paired.ratio()));
        JudgedPair {
            direction,
            ahead: ahead(self.metric, direction, &a.target, &b.target),
            rounds_needed: needed
                .and_then(|paired| stats::rounds_needed(&paired, judged.share, self.margin))
                .map(|rounds| rounds.max(judged.paired.map_or(0, |p| p.rounds as u32 + 1))),
            decided_after: self.cap.and(judged.decision.decided_after),
            taken_back: self.cap.and(judged.decision.withdrawn_after),
            chance: judged.chance,
        }
    }

    /// That few rounds may not have shown all kinds of processes, whatever the verdict.
    fn unseen_kind(&self, verdict: &Verdict) -> Option<Note> {
        let rounds = verdict.rounds;
        let is_judged = verdict.void().is_none() && self.metric == Metric::Throughput;
        (is_judged && rounds < groups::FEWEST).then(|| {
            let share = groups::unseen_share(rounds);
            Note::explanation(note::unseen_kind(rounds, share))
        })
    }

    /// What the rounds say of themselves.
    fn of_rounds(&self, (a, b): Pair, verdict: &Verdict, paired: Option<Paired>) -> Vec<Note> {
        let mut notes = Vec::new();
        let (Some(judged), Some(paired)) = (verdict.judged(), paired) else {
            return notes;
        };
        let times = stretch(paired.correlation, paired.rounds);
        if times >= NOTED {
            let says = note::correlated(paired.correlation, times);
            notes.push(Note::caution(says));
        }
        for (target, other) in [(a, b), (b, a)] {
            let groups = kinds::of_pair(target, other, self.metric);
            let hedge = groups.map(|groups| Hedge::TwoGroups {
                target: target.target.clone(),
                groups,
            });
            notes.extend(hedge.map(Note::from));
        }
        if judged.ahead.is_none() {
            return notes;
        }
        if self.metric == Metric::Throughput {
            notes.extend(turns::excluded_turns_differ(
                (a, b),
                verdict.ratio,
                verdict.interval,
            ));
        }
        let correlation = not_excluded(paired.correlation, paired.rounds);
        let alike = paired.were_rounds_alike(correlation);
        let interval = alike.interval(1.0 - verdict.level, self.resolution);
        if interval.is_none_or(|interval| interval.contains(1.0)) {
            let hedge = Hedge::IfIndependent {
                rounds: paired.rounds,
                correlation,
            };
            notes.push(hedge.into());
        }
        notes
    }

    /// Whether more rounds would not decide it: however many there are, the interval is no narrower than the resolution
    /// of the searches at a capacity. 1 stays within, and so does what is no tie.
    fn is_hidden(&self, ratio: f64) -> bool {
        if self.resolution <= self.metric.resolution() {
            return false;
        }
        let (half, tie) = (self.resolution.ln_1p(), self.margin.ln_1p());
        ratio.ln().abs() <= half && ratio.ln().abs() + half > tie
    }

    fn notes(&self, (a, b): Pair, verdict: &Verdict) -> Vec<Note> {
        let mut notes = Vec::new();
        let Some(judged) = verdict.judged() else {
            return notes;
        };
        notes.extend(
            judged
                .taken_back
                .map(|rounds| Note::caution(note::withdrawn(rounds))),
        );
        match (self.cap, judged.decided_after) {
            (Some(_), Some(rounds)) => {
                notes.push(Note::explanation(note::decided_after(rounds)));
            }
            (Some(rounds), None) if verdict.rounds >= rounds as usize => {
                notes.push(Note::caution(note::at_the_cap(rounds)));
            }
            (Some(cap), None) if verdict.is_hopeless() => {
                notes.push(Note::caution(note::improbable(cap)));
            }
            _ => {}
        }
        let is_undecided = judged.direction == Direction::Undecided;
        if is_undecided && verdict.ratio.is_some_and(|r| self.is_hidden(r)) {
            notes.push(Note::caution(note::coarse(self.resolution)));
        }
        let fastest = [a, b]
            .into_iter()
            .find(|t| judged.ahead.as_ref() == Some(&t.target));
        if let Some(fastest) = fastest
            && self.metric == Metric::Throughput
            && !fastest.generator_bound.is_empty()
        {
            let says = note::generator_bound(&fastest.target, &fastest.generator_bound);
            notes.push(Note::caution(says));
        }
        notes
    }
}

/// Whose figure is zero, of two that have no ratio.
fn zero(metric: Metric, a: &TargetFigures, b: &TargetFigures) -> Invalid {
    let is_zero = |target: &TargetFigures| target.figure(metric).is_some_and(|f| f.min <= 0.0);
    let target = if is_zero(a) { a } else { b };
    reason::zero(&target.target).into()
}
