//! The headline: who is ahead and by how much, in one sentence; places with the same outcome stand together.
//!
//! One rule decides which metric it states at a place (see [`metric`]). A ratio in it is always that of the nearest pair, with the
//! interval of that pair, whether there are two servers or many.

pub(crate) mod also;
pub(crate) mod metric;
pub(crate) mod setting;
mod words;

use std::borrow::Borrow;

use photofinish_model::message::{Advantage, Message};
use photofinish_model::store::Results;
use photofinish_model::{Metric, Place};
use photofinish_stats::{Direction, Interval};
use photofinish_voice::headline as said;
use photofinish_voice::verdict::reason::not_measured;

use crate::comparison::figures::gaps;
use crate::comparison::figures::places::places;
use crate::comparison::reason::{Invalid, InvalidKind};
use crate::comparison::verdict::Verdict;
use crate::comparison::verdict::lead::{Lead, Standing};
use crate::comparison::{Cell, TargetFigures};

/// The throughput of a server at a place.
struct Rate {
    place: Place,
    target: String,
    /// Requests per second.
    rate: f64,
    interval: Option<Interval>,
}

/// Places with the same outcome.
struct Group {
    outcome: Outcome,
    at: Vec<Place>,
}

/// What came out at a place.
enum Outcome {
    /// One or more are ahead of all others.
    Ahead(Ahead),
    /// Servers that are behind tie.
    TieBehind { targets: Vec<String> },
    /// All tie; of two servers with the interval of their ratio.
    Tie {
        targets: Vec<String>,
        margin: f64,
        interval: Option<Interval>,
    },
    /// Some are ahead of others, but no group of all the others.
    NoOrder { targets: Vec<String> },
    /// The rounds do not decide it; of two servers with the bounds of their ratio.
    Undecided {
        targets: Vec<String>,
        bounds: Option<Bounds>,
    },
    /// There is no verdict.
    Void {
        /// Whom it concerns; empty for all.
        targets: Vec<String>,
        reason: Message,
    },
}

/// One or more servers that are ahead of all others.
struct Ahead {
    metric: Metric,
    leaders: Vec<String>,
    /// The server behind that comes nearest, if it is the same one at all places.
    over: Option<String>,
    /// Whether there are others behind.
    others_behind: bool,
    /// How several leaders compare.
    among: Option<Standing>,
    /// Those that are neither ahead nor behind.
    beside: Vec<String>,
    /// Whether sustained rates are compared.
    sustained: bool,
    /// Whether it follows what is stated of another metric.
    is_second: bool,
    /// A ratio within 1 ± margin is called a tie.
    margin: f64,
    /// How far the nearest pair is apart, place by place.
    by: Vec<Advantage>,
}

/// What an undecided pair has excluded.
struct Bounds {
    metric: Metric,
    of: String,
    over: String,
    /// The interval of the figure of `of` / that of `over`; `None` if it is too wide to bound anything.
    interval: Option<Interval>,
}

/// Returns the headline.
pub(crate) fn headline(results: &Results, cells: &[Cell]) -> Message {
    let measured = measured(cells);
    if measured.is_empty() {
        let has_reference = results.lines.iter().any(|line| line.measurement.is_some());
        return match (has_reference, gaps::failures(results).len()) {
            (false, 0) => said::nothing(),
            (false, failures) => said::nothing_failed(failures),
            (true, 0) => said::only_reference(),
            (true, failures) => said::only_reference_failed(failures),
        };
    }
    if results.study.settings.smoke {
        let targets = cells.iter().flat_map(|cell| &cell.targets);
        let done = targets.filter(|target| target.rounds > 0).count();
        let asked: usize = places(results).map(|place| place.targets.len()).sum();
        return said::smoke(done, asked);
    }
    let contested = contested(&measured);
    let verdicts = || contested.iter().flat_map(|cell| throughput(cell));
    match verdicts().map(|verdict| verdict.rounds).max() {
        None if measured.iter().any(|cell| !cell.noise.is_empty()) => against_itself(&measured),
        None => said::one_server(words::figures(&figures(&measured))),
        Some(0) => said::no_common_round(),
        Some(1) if !verdicts().any(is_unusable) => {
            // One round bounds nothing; of a target with more of them neither is anything said.
            let alone = |rate| Rate {
                interval: None,
                ..rate
            };
            let figures: Vec<Rate> = figures(&contested).into_iter().map(alone).collect();
            said::one_round(words::figures(&figures))
        }
        Some(_) => {
            // A level at which all but one failed is no less contested.
            let several = |cell: &&Cell| cell.contenders().count() > 1;
            let asked: Vec<&Cell> = measured.iter().copied().filter(several).collect();
            words::verdict(&groups(&asked, results.study.settings.margin), &asked)
        }
    }
}

/// The cells in which a contender was measured.
pub(crate) fn measured(cells: &[Cell]) -> Vec<&Cell> {
    let has_figures = |cell: &&Cell| contenders(cell).next().is_some();
    cells.iter().filter(has_figures).collect()
}

/// Those of them in which several contenders were.
fn contested<'c>(measured: &[&'c Cell]) -> Vec<&'c Cell> {
    let several = |cell: &&Cell| contenders(cell).count() > 1;
    measured.iter().copied().filter(several).collect()
}

/// Whether a verdict is void for more than the number of its rounds.
fn is_unusable(verdict: &Verdict) -> bool {
    let is_so = |invalid: &Invalid| invalid.kind == InvalidKind::NotComparable;
    verdict.void().is_some_and(is_so)
}

/// The contenders with figures.
fn contenders(cell: &Cell) -> impl Iterator<Item = &TargetFigures> {
    cell.contenders().filter(|target| target.rounds > 0)
}

/// The contenders without any.
fn unmeasured(cell: &Cell) -> impl Iterator<Item = String> {
    let without = cell.contenders().filter(|target| target.rounds == 0);
    without.map(|target| target.target.clone())
}

fn throughput(cell: &Cell) -> impl Iterator<Item = &Verdict> {
    cell.verdicts_on(Metric::Throughput)
}

/// One target and its copy: the noise floor.
fn against_itself(measured: &[&Cell]) -> Message {
    let floors = measured.iter().filter_map(|cell| {
        let floor = cell.noise_of(Metric::Throughput)?;
        Some(words::floor(floor, &place(cell, measured)))
    });
    said::noise_floor(words::listed(floors))
}

/// The throughput of each target at each place.
fn figures(cells: &[&Cell]) -> Vec<Rate> {
    let of_cell = |cell: &&Cell| -> Vec<Rate> {
        let place = place(cell, cells);
        let rate = |target: &TargetFigures| {
            let figure = target.figure(Metric::Throughput)?;
            Some(Rate {
                place: place.clone(),
                target: target.target.clone(),
                rate: figure.mean.unwrap_or(figure.max),
                interval: figure.interval,
            })
        };
        contenders(cell).filter_map(rate).collect()
    };
    cells.iter().flat_map(of_cell).collect()
}

/// What is alike at one or more places: first who is ahead, then what is not decided, then what is void.
fn groups(cells: &[&Cell], margin: f64) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for cell in cells {
        let mut add = |outcome: Outcome| add(&mut groups, outcome, place(cell, cells));
        let metric = cell.headline_metric;
        if let Some(lead) = cell.lead(metric) {
            add(of_lead(cell, lead, margin));
            if let Some(lead) = metric::when_open(cell) {
                add(of_lead(cell, lead, margin));
            }
            for targets in ties_behind(cell, lead) {
                add(Outcome::TieBehind { targets });
            }
            // A target of whom nothing can be said is named wherever others are judged.
            for target in &lead.void {
                let verdicts = cell.verdicts_on(metric);
                let mut own = verdicts.filter(|v| v.of == *target || v.over == *target);
                if let Some(reason) = own.find_map(Verdict::void) {
                    let (targets, reason) = (vec![target.clone()], reason.reason.clone());
                    add(Outcome::Void { targets, reason });
                }
            }
            for target in unmeasured(cell) {
                add(Outcome::Void {
                    targets: Vec::new(),
                    reason: not_measured(target),
                });
            }
            continue;
        }
        // Of several pairs that are void the first says enough where nothing else can be said.
        let lacks = |target: &String| unmeasured(cell).any(|lacking| lacking == *target);
        let reason = (cell.verdicts_on(metric))
            .filter(|verdict| !lacks(&verdict.of) && !lacks(&verdict.over))
            .find_map(Verdict::void);
        let unmeasured = unmeasured(cell).map(not_measured);
        let reason = reason.map(|invalid| invalid.reason.clone());
        if let Some(reason) = reason.into_iter().chain(unmeasured).next() {
            add(Outcome::Void {
                targets: Vec::new(),
                reason,
            });
        }
    }
    groups.sort_by_key(|group| match &group.outcome {
        Outcome::Ahead(ahead) if !ahead.is_second => 0,
        Outcome::TieBehind { .. } => 1,
        Outcome::Tie { .. } => 2,
        Outcome::NoOrder { .. } => 3,
        Outcome::Undecided { .. } => 4,
        Outcome::Ahead(_) => 5,
        Outcome::Void { .. } => 6,
    });
    groups
}

fn of_lead(cell: &Cell, lead: &Lead, margin: f64) -> Outcome {
    let all = || [lead.leaders.as_slice(), lead.beside.as_slice()].concat();
    let Some(gap) = &lead.gap else {
        let targets = all();
        return match lead.among {
            Some(Standing::Tie) if lead.beside.is_empty() => Outcome::Tie {
                interval: only_pair(cell, lead).and_then(|verdict| verdict.interval),
                targets,
                margin,
            },
            Some(Standing::Mixed) => Outcome::NoOrder { targets },
            _ => Outcome::Undecided {
                bounds: only_pair(cell, lead).map(|verdict| Bounds {
                    metric: lead.metric,
                    of: verdict.of.clone(),
                    over: verdict.over.clone(),
                    interval: verdict.interval.filter(|_| !verdict.wide),
                }),
                targets,
            },
        };
    };
    Outcome::Ahead(Ahead {
        metric: lead.metric,
        leaders: lead.leaders.clone(),
        over: Some(gap.over.clone()),
        others_behind: lead.behind.len() > 1,
        among: lead.among,
        beside: lead.beside.clone(),
        sustained: cell.load.objective().is_some(),
        is_second: lead.metric != cell.headline_metric,
        margin,
        by: vec![gap.advantage(lead.metric)],
    })
}

/// The verdict on the only pair that a lead is about.
fn only_pair<'c>(cell: &'c Cell, lead: &Lead) -> Option<&'c Verdict> {
    let mut judged = cell
        .verdicts_on(lead.metric)
        .filter(|verdict| verdict.direction().is_some());
    let first = judged.next()?;
    judged.next().is_none().then_some(first)
}

/// The servers behind that tie: all of them, or each pair that does.
fn ties_behind(cell: &Cell, lead: &Lead) -> Vec<Vec<String>> {
    let is_behind = |label: &String| lead.behind.contains(label);
    let pairs: Vec<&Verdict> = (cell.verdicts_on(lead.metric))
        .filter(|verdict| is_behind(&verdict.of) && is_behind(&verdict.over))
        .collect();
    let is_tie = |verdict: &&&Verdict| verdict.direction() == Some(Direction::Tie);
    let ties: Vec<&&Verdict> = pairs.iter().filter(is_tie).collect();
    match ties.len() == pairs.len() && pairs.len() > 1 {
        true => vec![lead.behind.clone()],
        false => (ties.into_iter())
            .map(|tie| vec![tie.of.clone(), tie.over.clone()])
            .collect(),
    }
}

/// Adds an outcome to those that are alike, or by itself.
fn add(groups: &mut Vec<Group>, new: Outcome, place: Place) {
    for known in groups.iter_mut() {
        let is_alike = match (&mut known.outcome, &new) {
            (Outcome::Ahead(known), Outcome::Ahead(new)) => known.takes(new),
            (Outcome::Tie { targets, .. }, Outcome::Tie { targets: new, .. })
            | (Outcome::TieBehind { targets }, Outcome::TieBehind { targets: new })
            | (Outcome::NoOrder { targets }, Outcome::NoOrder { targets: new })
            | (Outcome::Undecided { targets, .. }, Outcome::Undecided { targets: new, .. }) => {
                targets == new
            }
            (
                Outcome::Void { targets, reason },
                Outcome::Void {
                    targets: new_targets,
                    reason: new_reason,
                },
            ) => (&*targets, &*reason) == (new_targets, new_reason),
            _ => false,
        };
        if is_alike {
            known.at.push(place);
            return;
        }
    }
    groups.push(Group {
        outcome: new,
        at: vec![place],
    });
}

impl Ahead {
    /// Takes what came out at a further place, if it is alike.
    fn takes(&mut self, new: &Ahead) -> bool {
        let kind = |ahead: &Ahead| (ahead.metric, ahead.sustained, ahead.is_second, ahead.among);
        let is_alike =
            kind(self) == kind(new) && (&self.leaders, &self.beside) == (&new.leaders, &new.beside);
        if is_alike {
            if self.over != new.over {
                self.over = None;
            }
            self.others_behind |= new.others_behind;
            self.by.extend_from_slice(&new.by);
        }
        is_alike
    }
}

/// The load, with the workload where there are several.
pub(crate) fn place(cell: &Cell, cells: &[impl Borrow<Cell>]) -> Place {
    let mut others = cells.iter().map(Borrow::borrow);
    let is_only = others.all(|other: &Cell| other.workload == cell.workload);
    Place {
        workload: (!is_only).then(|| cell.workload.clone()),
        load: cell.load.clone(),
    }
}
