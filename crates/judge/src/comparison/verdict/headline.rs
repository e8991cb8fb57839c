//! The whole verdict in one sentence: places with the same outcome stand together.

mod words;

use photofinish_model::message::{Advantage, Message};
use photofinish_model::store::Results;
use photofinish_model::{Metric, Place};
use photofinish_stats::Interval;
use photofinish_voice::headline as said;

use crate::comparison::figures::gaps;
use crate::comparison::figures::places::places;
use crate::comparison::note::Hedge;
use crate::comparison::reason::Void;
use crate::comparison::verdict::lead::{Gap, Lead, Standing};
use crate::comparison::verdict::{Verdict, needed};
use crate::comparison::{Cell, TargetFigures};

/// The throughput of a server at a place.
struct Rate {
    place: Place,
    target: String,
    /// Requests per second.
    rate: f64,
    interval: Option<Interval>,
}

/// By how much a server differed from its copy at a place.
struct Floor {
    place: Place,
    target: String,
    /// Server / copy.
    ratio: Option<f64>,
    interval: Option<Interval>,
    /// Why the two cannot be compared.
    void: Option<Message>,
}

/// Places with the same outcome.
enum Group {
    /// One or more are ahead of all others.
    Ahead {
        leaders: Vec<String>,
        /// The server behind that comes nearest, if it is the same one at all places.
        over: Option<String>,
        /// Whether there are others behind.
        others_behind: bool,
        /// How several leaders compare.
        among: Option<Among>,
        /// Those that are neither ahead nor behind.
        beside: Vec<String>,
        /// Whether sustained rates are compared.
        sustained: bool,
        at: Vec<AheadAt>,
    },
    /// All tie.
    Tie {
        targets: Vec<String>,
        margin: f64,
        at: Vec<Place>,
    },
    /// Some are ahead of others, but no group of all the others.
    NoOrder {
        targets: Vec<String>,
        at: Vec<Place>,
    },
    /// The rounds do not decide it.
    Undecided {
        targets: Vec<String>,
        needed: Option<Message>,
        at: Vec<Place>,
    },
    /// There is no verdict.
    Void {
        /// Whom it concerns; empty for all.
        targets: Vec<String>,
        reason: Void,
        at: Vec<Place>,
    },
}

/// How several leaders compare.
#[derive(Clone)]
enum Among {
    Tie { margin: f64 },
    Undecided { needed: Option<Message> },
    NoOrder,
}

/// How far ahead who is ahead is at a place.
#[derive(Clone)]
struct AheadAt {
    place: Place,
    amount: Advantage,
    hedges: Vec<Hedge>,
}

impl AheadAt {
    /// Returns the smallest advantage: the end of the interval that is nearest to 1, without an interval.
    fn at_least(&self) -> AheadAt {
        let Advantage {
            metric,
            ratio,
            interval,
        } = self.amount;
        let nearest = |interval: Interval| match ratio >= 1.0 {
            true => interval.low,
            false => interval.high,
        };
        AheadAt {
            amount: Advantage {
                metric,
                ratio: interval.map_or(ratio, nearest),
                interval: None,
            },
            ..self.clone()
        }
    }
}

impl Group {
    fn places(&self) -> usize {
        match self {
            Group::Ahead { at, .. } => at.len(),
            Group::Tie { at, .. }
            | Group::NoOrder { at, .. }
            | Group::Undecided { at, .. }
            | Group::Void { at, .. } => at.len(),
        }
    }

    /// Whether only one place has a verdict.
    fn is_single(groups: &[Group]) -> bool {
        let mut judged = groups.iter().filter(|g| !matches!(g, Group::Void { .. }));
        judged.next().is_some_and(|group| group.places() == 1) && judged.next().is_none()
    }
}

/// Returns the headline.
pub(in crate::comparison) fn headline(results: &Results, cells: &[Cell]) -> Message {
    let measured: Vec<&Cell> = cells
        .iter()
        .filter(|cell| contenders(cell).next().is_some())
        .collect();
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
    let contested: Vec<&Cell> = measured
        .iter()
        .copied()
        .filter(|cell| contenders(cell).count() > 1)
        .collect();
    let verdicts = contested.iter().flat_map(|cell| throughput(cell));
    match verdicts.map(|verdict| verdict.rounds).max() {
        None if measured.iter().any(|cell| !cell.noise.is_empty()) => against_itself(&measured),
        None => said::one_server(words::figures(&figures(&measured))),
        Some(0) => said::no_common_round(),
        Some(1)
            if !contested
                .iter()
                .flat_map(|cell| throughput(cell))
                .any(is_unusable) =>
        {
            // One round bounds nothing; of a target with more of them neither is anything said.
            let alone = |rate| Rate {
                interval: None,
                ..rate
            };
            let figures: Vec<Rate> = figures(&contested).into_iter().map(alone).collect();
            said::one_round(words::figures(&figures))
        }
        Some(rounds) => {
            // A level at which all but one failed is no less contested.
            let several = |cell: &&Cell| cell.contenders().count() > 1;
            let asked: Vec<&Cell> = measured.iter().copied().filter(several).collect();
            words::verdict(&groups(&asked, results.study.settings.margin), rounds)
        }
    }
}

/// Whether a verdict is void for more than the number of its rounds.
fn is_unusable(verdict: &Verdict) -> bool {
    matches!(
        verdict.void(),
        Some(Void::NotTheSameJob { .. } | Void::NoRateHeld { .. } | Void::LowerBound { .. })
    )
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
    let verdicts = cell.verdicts.iter();
    verdicts.filter(|verdict| verdict.metric == Metric::Throughput)
}

/// One target and its copy: the noise floor.
fn against_itself(measured: &[&Cell]) -> Message {
    let floors = measured.iter().filter_map(|cell| {
        let floor = cell.noise_of(Metric::Throughput)?;
        Some(Floor {
            place: place(cell, measured),
            target: floor.target.clone(),
            ratio: floor.ratio,
            interval: floor.interval,
            void: floor.void.clone(),
        })
    });
    let floors: Vec<Floor> = floors.collect();
    said::noise_floor(words::floors(&floors))
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
        let place = place(cell, cells);
        if let Some(lead) = cell.lead(Metric::Throughput) {
            add(&mut groups, of_lead(cell, lead, &place, margin));
        }
        let void = |targets: &[String], reason: &Void| Group::Void {
            targets: targets.to_vec(),
            reason: reason.clone(),
            at: vec![place.clone()],
        };
        let Some(lead) = cell.lead(Metric::Throughput) else {
            // Of several pairs that are void the first says enough where nothing else can be said.
            let lacks = |target: &String| unmeasured(cell).any(|lacking| lacking == *target);
            let reason = throughput(cell)
                .filter(|verdict| !lacks(&verdict.of) && !lacks(&verdict.over))
                .find_map(Verdict::void);
            let unmeasured = unmeasured(cell).map(|target| Void::NotMeasured { target });
            if let Some(reason) = reason.cloned().into_iter().chain(unmeasured).next() {
                add(&mut groups, void(&[], &reason));
            }
            continue;
        };
        // A target of whom nothing can be said is named wherever others are judged.
        for target in &lead.void {
            let own = throughput(cell).filter(|v| v.of == *target || v.over == *target);
            if let Some(reason) = own.filter_map(Verdict::void).next() {
                add(&mut groups, void(std::slice::from_ref(target), reason));
            }
        }
        for target in unmeasured(cell) {
            add(&mut groups, void(&[], &Void::NotMeasured { target }));
        }
    }
    groups.sort_by_key(|group| match group {
        Group::Ahead { .. } => 0,
        Group::Tie { .. } => 1,
        Group::NoOrder { .. } => 2,
        Group::Undecided { .. } => 3,
        Group::Void { .. } => 4,
    });
    groups
}

fn of_lead(cell: &Cell, lead: &Lead, place: &Place, margin: f64) -> Group {
    let at = vec![place.clone()];
    let needed = needed(lead.rounds_needed);
    let all = || [lead.leaders.as_slice(), lead.beside.as_slice()].concat();
    let Some(gap) = &lead.gap else {
        return match lead.among {
            Some(Standing::Tie) if lead.beside.is_empty() => Group::Tie {
                targets: all(),
                margin,
                at,
            },
            Some(Standing::Mixed) => Group::NoOrder { targets: all(), at },
            _ => Group::Undecided {
                targets: all(),
                needed,
                at,
            },
        };
    };
    Group::Ahead {
        leaders: lead.leaders.clone(),
        over: Some(gap.over.clone()),
        others_behind: lead.behind.len() > 1,
        among: lead.among.map(|among| match among {
            Standing::Tie => Among::Tie { margin },
            Standing::Undecided => Among::Undecided { needed },
            Standing::Mixed => Among::NoOrder,
        }),
        beside: lead.beside.clone(),
        sustained: cell.load.objective().is_some(),
        at: vec![AheadAt {
            place: place.clone(),
            amount: Advantage {
                metric: Metric::Throughput,
                ratio: gap.ratio,
                interval: Some(gap.interval),
            },
            hedges: hedges(cell, gap),
        }],
    }
}

/// What the verdict on the two is never shown without.
fn hedges(cell: &Cell, gap: &Gap) -> Vec<Hedge> {
    let is_of = |verdict: &&Verdict| {
        let pair = (&verdict.of, &verdict.over);
        pair == (&gap.of, &gap.over) || pair == (&gap.over, &gap.of)
    };
    let notes = throughput(cell)
        .filter(is_of)
        .flat_map(|verdict| &verdict.notes);
    notes.filter_map(|note| note.hedge.clone()).collect()
}

/// Adds an outcome to those that are alike, or by itself.
fn add(groups: &mut Vec<Group>, new: Group) {
    for known in groups.iter_mut() {
        match (known, &new) {
            (
                Group::Ahead {
                    leaders,
                    over,
                    others_behind,
                    among,
                    beside,
                    sustained,
                    at,
                },
                Group::Ahead {
                    leaders: new_leaders,
                    over: new_over,
                    others_behind: new_others,
                    among: new_among,
                    beside: new_beside,
                    sustained: new_sustained,
                    at: new_at,
                },
            ) if (&*leaders, &*beside, &*sustained) == (new_leaders, new_beside, new_sustained)
                && among.as_ref().map(kind) == new_among.as_ref().map(kind) =>
            {
                if over != new_over {
                    *over = None;
                }
                *others_behind |= new_others;
                at.extend_from_slice(new_at);
                return;
            }
            (
                Group::Tie { targets, at, .. },
                Group::Tie {
                    targets: new_targets,
                    at: new_at,
                    ..
                },
            )
            | (
                Group::NoOrder { targets, at },
                Group::NoOrder {
                    targets: new_targets,
                    at: new_at,
                },
            )
            | (
                Group::Undecided { targets, at, .. },
                Group::Undecided {
                    targets: new_targets,
                    at: new_at,
                    ..
                },
            ) if targets == new_targets => {
                at.extend_from_slice(new_at);
                return;
            }
            (
                Group::Void {
                    targets,
                    reason,
                    at,
                },
                Group::Void {
                    targets: new_targets,
                    reason: new_reason,
                    at: new_at,
                },
            ) if (&*targets, &*reason) == (new_targets, new_reason) => {
                at.extend_from_slice(new_at);
                return;
            }
            _ => {}
        }
    }
    groups.push(new);
}

/// How leaders stand to one another, whatever it would take to tell them apart.
fn kind(among: &Among) -> Standing {
    match among {
        Among::Tie { .. } => Standing::Tie,
        Among::Undecided { .. } => Standing::Undecided,
        Among::NoOrder => Standing::Mixed,
    }
}

/// The load, with the workload where there are several.
pub(in crate::comparison) fn place(cell: &Cell, cells: &[&Cell]) -> Place {
    let is_only = cells.iter().all(|other| other.workload == cell.workload);
    Place {
        workload: (!is_only).then(|| cell.workload.clone()),
        load: cell.load.clone(),
    }
}
