//! Who is ahead, for every pair of targets.

use photofinish_model::Metric;
use photofinish_model::finding::verdict::{Amount, Needed, Note, Outcome, VerdictFinding, Void};
use photofinish_model::units::is_wide;
use photofinish_stats::correlation::{TELLING, stretch};
use photofinish_stats::{Direction, Interval, Paired};
use photofinish_voice::Message;
use schemars::JsonSchema;
use serde::Serialize;

use super::figures::TargetFigures;
use super::judged::{JUDGED, judged, resolution};
use super::kinds;
use super::looks::{Group, Judged, Looks, Series};
use super::noise::NoiseFloor;
use super::pairs::series;
use super::stats;
use super::turns::{self, PairedTurns};
use super::void::void;
use super::{ALPHA, Cell};

/// More rounds than these nobody runs to settle a question: said to be impractical, and not counted.
const PRACTICAL: u32 = 200;

/// An interval that is so many times as wide for the rounds' correlation is told.
const TOLD: f64 = 1.2;

/// A verdict from few rounds is held against this correlation of a round with the one before it.
const ALIKE: f64 = 0.5;

/// From so many rounds on it is told that further ones will hardly decide.
const EARLIEST: usize = 8;

/// The chance of a decision by the cap below which further rounds are not worth their time.
const HOPELESS: f64 = 0.05;

/// The verdict on one pair of targets for one metric.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Verdict {
    /// What is compared.
    pub metric: Metric,
    /// Target A.
    pub of: String,
    /// Target B.
    pub over: String,
    /// The rounds that both have.
    pub rounds: usize,
    /// A / B: the geometric mean of the rounds' ratios; `null` where a figure is missing or zero, and where the two cannot be
    /// compared.
    pub ratio: Option<f64>,
    /// The ratio's interval; `null` under two rounds, and where there is no ratio.
    pub interval: Option<Interval>,
    /// Whether the interval is too wide to say anything: then its digits would only look exact.
    pub wide: bool,
    /// The interval's level, such as 0.95; higher where Holm's procedure asks for it.
    pub level: f64,
    /// Whether that is more than 95%; not there where it is not.
    #[serde(skip_serializing_if = "is_false")]
    pub raised: bool,
    /// What came of it.
    pub judgement: Judgement,
    /// The same in a few words.
    pub outcome: Message<Outcome>,
    /// The same in a sentence, with the figures.
    pub says: Message<VerdictFinding>,
    /// What the rounds' turns say beside it; not there for anything but throughput, and where no round was measured in turns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<PairedTurns>,
    /// What a reader should know beside it.
    pub notes: Vec<Message<Note>>,
}

/// What came of a pair.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Judgement {
    /// The rounds say something.
    Judged {
        /// Where the ratio lies.
        direction: Direction,
        /// The target that is ahead (more throughput, or less time); `null` where none is.
        ahead: Option<String>,
        /// How many rounds in all would decide it, where it is undecided and that can be said.
        rounds_needed: Option<u32>,
        /// The round after which a look decided it, where rounds were added until it was decided; `null` where the number of
        /// rounds is fixed, and while it is undecided.
        decided_after: Option<u32>,
        /// The round after which a look took an earlier decision back; not there where none did, or it was decided again.
        #[serde(skip_serializing_if = "Option::is_none")]
        taken_back: Option<u32>,
        /// The chance that it is decided by the most rounds; not there where it is decided, or the number of rounds is fixed.
        #[serde(skip_serializing_if = "Option::is_none")]
        chance: Option<f64>,
    },
    /// Nothing may be said.
    Void {
        /// Why.
        reason: Message<Void>,
    },
}

/// For what is left out of the JSON where it is `false`.
fn is_false(value: &bool) -> bool {
    !value
}

/// Two targets.
type Pair<'t> = (&'t TargetFigures, &'t TargetFigures);

/// The verdicts on every pair of the contenders of each cell, metric by metric: a list a cell.
///
/// The headline speaks of throughput at all cells, so all verdicts on throughput are one family of Holm's procedure. In the other metrics
/// those of a cell are.
pub(super) fn verdicts(cells: &[Cell], margin: f64, looks: &Looks) -> Vec<Vec<Verdict>> {
    let labels: Vec<&str> = cells
        .iter()
        .flat_map(|cell| cell.targets.iter().map(|target| target.target.as_str()))
        .collect();
    let mut told: Vec<Vec<Verdict>> = cells.iter().map(|_| Vec::new()).collect();
    for metric in JUDGED {
        let races: Vec<(usize, Race)> = (cells.iter().enumerate())
            .filter(|(_, cell)| judged(cell.contenders()).contains(&metric))
            .map(|(place, cell)| (place, Race::of(cell, metric, &labels)))
            .collect();
        let families: Vec<&[(usize, Race)]> = match metric {
            Metric::Throughput => vec![&races],
            _ => races.chunks(1).collect(),
        };
        for family in families {
            let groups: Vec<Group> = family.iter().map(|(_, race)| race.group.clone()).collect();
            let judged = looks.judge_together(&groups, margin);
            for ((place, race), judged) in family.iter().zip(judged) {
                let terms = Terms {
                    metric,
                    margin,
                    resolution: race.group.resolution,
                    cap: looks.cap(),
                };
                let pairs = race.pairs.iter().zip(&race.group.pairs).zip(judged);
                let verdicts = pairs
                    .map(|((pair, series), judged)| terms.verdict(*pair, series.len(), judged));
                told[*place].extend(verdicts);
            }
        }
    }
    told
}

/// The pairs of a cell in one metric.
struct Race<'t> {
    pairs: Vec<Pair<'t>>,
    group: Group,
}

impl<'t> Race<'t> {
    fn of(cell: &'t Cell, metric: Metric, labels: &[&str]) -> Race<'t> {
        let targets: Vec<&TargetFigures> = cell.contenders().collect();
        let pairs: Vec<Pair> = targets
            .iter()
            .enumerate()
            .flat_map(|(index, &a)| targets[index + 1..].iter().map(move |&b| (a, b)))
            .collect();
        // What is void takes nothing from the level of the others, and says nothing of their spread.
        let usable = |&(a, b): &Pair| void(metric, a, b).is_none();
        let series = |pair: &Pair| match usable(pair) {
            true => series(pair.0, pair.1, metric),
            false => Series::new(),
        };
        let is_compared = |target: &&&TargetFigures| {
            let mut own = pairs
                .iter()
                .filter(|(a, b)| std::ptr::eq(*a, **target) || std::ptr::eq(*b, **target));
            own.any(usable)
        };
        let number = |target: &TargetFigures| labels.iter().position(|l| *l == target.target);
        let rounds = |target: &TargetFigures| {
            let figure = target.figure(metric)?;
            let rounds = (1..).zip(figure.rounds.iter().copied());
            Some(rounds.filter_map(|(round, x)| Some((round, x?))).collect())
        };
        let compared = targets.iter().filter(is_compared);
        Race {
            group: Group {
                pairs: pairs.iter().map(series).collect(),
                targets: compared
                    .filter_map(|target| Some((number(target)?, rounds(target)?)))
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
        let reason = void(metric, a, b);
        let rounds = match reason {
            Some(_) => a.rounds.min(b.rounds),
            None => rounds,
        };
        let ratio = judged.paired.as_ref().map(Paired::ratio);
        let (of, over) = (a.target.clone(), b.target.clone());
        let reason = reason.or_else(|| {
            let (of, over) = (of.clone(), over.clone());
            Some(match (ratio, judged.direction) {
                (Some(_), Some(_)) => return None,
                (None, _) if rounds == 0 => Void::NoCommonRound { of, over },
                (None, _) => zero(metric, a, b),
                (Some(_), None) if rounds == 1 => Void::OneRound,
                (Some(_), None) => Void::NoInterval,
            })
        });
        let judgement = match (reason, judged.direction) {
            (None, Some(direction)) => self.judged((a, b), direction, &judged),
            (reason, _) => Judgement::Void {
                reason: reason.unwrap_or(Void::NoInterval).into(),
            },
        };
        let ahead = match &judgement {
            Judgement::Judged { ahead, .. } => ahead.is_some(),
            Judgement::Void { .. } => false,
        };
        let mut verdict = Verdict {
            metric,
            of,
            over,
            rounds,
            ratio,
            interval: judged.interval,
            wide: !ahead && judged.interval.is_some_and(is_wide),
            level: 1.0 - judged.alpha,
            raised: judged.alpha < ALPHA * (1.0 - 1e-9),
            outcome: Outcome::Tie.into(),
            says: VerdictFinding::Void {
                reason: Void::OneRound,
            }
            .into(),
            turns: turns::paired(a, b).filter(|_| metric == Metric::Throughput),
            notes: Vec::new(),
            judgement,
        };
        verdict.outcome = verdict.in_short().into();
        verdict.says = verdict.in_full(self.margin, a.sustained.is_some()).into();
        verdict.notes = self
            .notes((a, b), &verdict)
            .into_iter()
            .chain(self.of_rounds((a, b), &verdict, judged.paired))
            .chain((verdict.turns.iter()).flat_map(|turns| turns.notes(self.margin)))
            .chain(turns::in_one_piece(a, b).filter(|_| metric == Metric::Throughput))
            .map(Message::from)
            .collect();
        verdict
    }

    fn judged(&self, (a, b): Pair, direction: Direction, judged: &Judged) -> Judgement {
        let of_is_ahead = match direction {
            Direction::Above => Some(self.metric.larger_is_better()),
            Direction::Below => Some(!self.metric.larger_is_better()),
            Direction::Tie | Direction::Undecided => None,
        };
        let undecided = judged.paired.filter(|_| direction == Direction::Undecided);
        let needed = undecided.filter(|paired| !self.is_hidden(paired.ratio()));
        Judgement::Judged {
            direction,
            ahead: of_is_ahead.map(|ahead| if ahead { &a.target } else { &b.target }.clone()),
            rounds_needed: needed
                .and_then(|paired| stats::rounds_needed(&paired, judged.alpha, self.margin)),
            decided_after: self.cap.and(judged.decided_after),
            taken_back: self.cap.and(judged.taken_back),
            chance: judged.chance,
        }
    }

    /// What the rounds say of themselves.
    fn of_rounds(&self, (a, b): Pair, verdict: &Verdict, paired: Option<Paired>) -> Vec<Note> {
        let mut notes = Vec::new();
        let (Judgement::Judged { ahead, .. }, Some(paired)) = (&verdict.judgement, paired) else {
            return notes;
        };
        let times = stretch(paired.correlation, paired.rounds);
        if times >= TOLD {
            notes.push(Note::Correlated {
                correlation: paired.correlation,
                times,
            });
        }
        if ahead.is_none() {
            return notes;
        }
        let alike = paired.were_rounds_alike(ALIKE);
        let interval = alike.interval(1.0 - verdict.level, self.resolution);
        if paired.rounds < TELLING && interval.is_none_or(|interval| interval.contains(1.0)) {
            let rounds = paired.rounds;
            notes.push(Note::IfIndependent { rounds });
        }
        for (target, other) in [(a, b), (b, a)] {
            let groups = kinds::of_pair(target, other, self.metric);
            notes.extend(groups.map(|groups| Note::TwoGroups {
                target: target.target.clone(),
                groups,
            }));
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
        let Judgement::Judged {
            direction,
            ahead,
            decided_after,
            taken_back,
            ..
        } = &verdict.judgement
        else {
            return notes;
        };
        notes.extend(taken_back.map(|rounds| Note::TakenBack { rounds }));
        match (self.cap, decided_after) {
            (Some(_), Some(rounds)) => notes.push(Note::DecidedAfter { rounds: *rounds }),
            (Some(rounds), None) if verdict.rounds >= rounds as usize => {
                notes.push(Note::AtTheCap { rounds });
            }
            (Some(cap), None) if verdict.is_hopeless() => notes.push(Note::Improbable { cap }),
            _ => {}
        }
        if *direction == Direction::Undecided && verdict.ratio.is_some_and(|r| self.is_hidden(r)) {
            let gap = self.resolution;
            notes.push(Note::Coarse { gap });
        }
        let fastest = [a, b]
            .into_iter()
            .find(|t| ahead.as_deref() == Some(&t.target));
        if let Some(fastest) = fastest
            && self.metric == Metric::Throughput
            && !fastest.generator_bound.is_empty()
        {
            notes.push(Note::GeneratorBound {
                target: fastest.target.clone(),
                rounds: fastest.generator_bound.clone(),
            });
        }
        notes
    }
}

impl Verdict {
    /// Whether it is void only because there was one round so far.
    pub(crate) fn is_too_early(&self) -> bool {
        matches!(&self.judgement, Judgement::Void { reason } if reason.finding == Void::OneRound)
    }

    /// Where the ratio lies; `None` where the verdict is void.
    pub fn direction(&self) -> Option<Direction> {
        match &self.judgement {
            Judgement::Judged { direction, .. } => Some(*direction),
            Judgement::Void { .. } => None,
        }
    }

    /// The target that is ahead.
    pub fn ahead(&self) -> Option<&str> {
        match &self.judgement {
            Judgement::Judged { ahead, .. } => ahead.as_deref(),
            Judgement::Void { .. } => None,
        }
    }

    /// Why nothing may be said.
    pub fn void(&self) -> Option<&Void> {
        match &self.judgement {
            Judgement::Judged { .. } => None,
            Judgement::Void { reason } => Some(&reason.finding),
        }
    }

    /// How many rounds in all would decide it.
    pub fn rounds_needed(&self) -> Option<u32> {
        match &self.judgement {
            Judgement::Judged { rounds_needed, .. } => *rounds_needed,
            Judgement::Void { .. } => None,
        }
    }

    /// The round after which a look decided it.
    pub fn decided_after(&self) -> Option<u32> {
        match &self.judgement {
            Judgement::Judged { decided_after, .. } => *decided_after,
            Judgement::Void { .. } => None,
        }
    }

    /// Whether further rounds up to the cap will hardly decide it; never before [`EARLIEST`] rounds.
    pub fn is_hopeless(&self) -> bool {
        match &self.judgement {
            Judgement::Judged { chance, .. } => {
                self.rounds >= EARLIEST && chance.is_some_and(|chance| chance < HOPELESS)
            }
            Judgement::Void { .. } => false,
        }
    }

    /// The ratio and interval of the one who is ahead over the other, with the other's name; for
    /// a verdict that says who is.
    pub fn from_ahead(&self) -> Option<(&str, &str, f64, Interval)> {
        let (ratio, interval) = (self.ratio?, self.interval?);
        let ahead = self.ahead()?;
        if ahead == self.of {
            return Some((ahead, &self.over, ratio, interval));
        }
        let turned = Interval::new(interval.high.recip(), interval.low.recip())?;
        Some((ahead, &self.of, ratio.recip(), turned))
    }

    /// Notes that the difference is no larger than that of a target from its own copy, where it is not.
    pub(super) fn beside_noise(&mut self, floor: Option<&NoiseFloor>) {
        let reach = floor.and_then(|floor| floor.reach);
        let (Some(reach), Some((.., ratio, _))) = (reach, self.from_ahead()) else {
            return;
        };
        if ratio.max(ratio.recip()) <= reach {
            self.notes.push(Note::WithinNoise { reach }.into());
        }
    }

    fn in_short(&self) -> Outcome {
        match &self.judgement {
            Judgement::Void { reason } => Outcome::Void {
                reason: reason.finding.clone(),
            },
            Judgement::Judged {
                ahead: Some(target),
                ..
            } => Outcome::Ahead {
                target: target.clone(),
            },
            Judgement::Judged {
                direction: Direction::Tie,
                ..
            } => Outcome::Tie,
            Judgement::Judged { rounds_needed, .. } => Outcome::Undecided {
                needed: needed(*rounds_needed),
            },
        }
    }

    fn in_full(&self, margin: f64, sustained: bool) -> VerdictFinding {
        let metric = self.metric;
        if let Some((target, over, ratio, interval)) = self.from_ahead() {
            return VerdictFinding::Ahead {
                target: target.to_owned(),
                over: over.to_owned(),
                amount: Amount {
                    metric,
                    ratio,
                    interval: Some(interval),
                },
                sustained,
            };
        }
        let (of, over) = (self.of.clone(), self.over.clone());
        match (&self.judgement, self.ratio) {
            (Judgement::Void { reason }, _) => VerdictFinding::Void {
                reason: reason.finding.clone(),
            },
            (
                Judgement::Judged {
                    direction: Direction::Tie,
                    ..
                },
                Some(ratio),
            ) => VerdictFinding::Tie {
                metric,
                of,
                over,
                ratio,
                interval: self.interval,
                margin,
            },
            (Judgement::Judged { rounds_needed, .. }, Some(ratio)) => VerdictFinding::Undecided {
                metric,
                of,
                over,
                rounds: self.rounds,
                ratio,
                interval: self.interval,
                wide: self.wide,
                needed: needed(*rounds_needed),
            },
            (Judgement::Judged { .. }, None) => VerdictFinding::Void {
                reason: Void::NoInterval,
            },
        }
    }
}

/// Whose figure is zero, of two that have no ratio.
fn zero(metric: Metric, a: &TargetFigures, b: &TargetFigures) -> Void {
    let is_zero = |target: &TargetFigures| target.figure(metric).is_some_and(|f| f.min <= 0.0);
    let target = if is_zero(a) { a } else { b };
    Void::Zero {
        target: target.target.clone(),
    }
}

/// The rounds that would decide it, as they are said.
pub(super) fn needed(rounds: Option<u32>) -> Needed {
    match rounds {
        None => Needed::Unknown,
        Some(rounds) if rounds > PRACTICAL => Needed::Impractical,
        Some(rounds) => Needed::About { rounds },
    }
}
