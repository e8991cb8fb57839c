//! What others have published, beside what was measured here.

use photofinish_model::Place;
use photofinish_model::finding::claim::{ClaimVerdict, Stated};
use photofinish_model::message::Message;
use photofinish_model::store::Results;
use photofinish_model::{Claim, Load, Metric};
use photofinish_stats::Interval;
use photofinish_voice::verdict::reason;
use photofinish_voice::{claim as found, place};
use schemars::JsonSchema;
use serde::Serialize;

use super::figures::TargetFigures;
use super::{Cell, stats};
use crate::comparison::figures::figure::Figure;
use crate::comparison::interference::by_turn::series;
use crate::comparison::reason::Invalid;
use crate::comparison::verdict::interim::Analyses;
use crate::comparison::verdict::invalid::{not_the_same_job, void_of_figures};
use crate::comparison::verdict::pairs::resolution;

/// A claim and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ClaimResult {
    /// The claim as it was published.
    pub claim: Claim,
    /// The level at which it was published, in words.
    pub level: Message,
    /// The level at which it was tested instead, in words; `null` where that is its own.
    pub measured_level: Option<Message>,
    /// Where target B stands, in words, where that is another workload or level than target A's.
    pub over_place: Option<Message>,
    /// What was published of the ratio, in words.
    pub stated: Option<Message>,
    /// What came of it.
    pub verdict: ClaimVerdict,
    /// The same in words.
    pub outcome: Message,
    /// The measured ratio; `null` where it was not measured, and for a maximum.
    pub ratio: Option<f64>,
    /// Its 95% interval. Claims are judged one by one, without adjusting for their number.
    pub interval: Option<Interval>,
    /// What target A showed here; `null` where it was not measured.
    pub of: Option<ClaimSide>,
    /// What target B showed here.
    pub over: Option<ClaimSide>,
    /// The figures that it rests on, or why there are none.
    pub says: Message,
}

/// One side of a claim.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ClaimSide {
    /// The target.
    pub target: String,
    /// The claim's metric, as measured here.
    pub figure: Figure,
    /// For a maximum, the p99.9 beside it.
    pub p999: Option<Figure>,
}

/// All claims of a study, in its order.
pub(super) fn claims(results: &Results, cells: &[Cell], analyses: &Analyses) -> Vec<ClaimResult> {
    let claims = results.study.claims.iter();
    claims
        .map(|claim| judge(claim, cells, results, analyses))
        .collect()
}

/// Where a claim is tested.
struct Places<'a> {
    of: &'a Cell,
    over: &'a Cell,
    /// The level in place of the published one.
    instead: Option<&'a Load>,
}

/// Finds where a claim is tested: at its own level, or at the one that it names in its stead.
///
/// # Errors
/// The place that was not run.
fn places<'a>(claim: &'a Claim, cells: &'a [Cell]) -> Result<Places<'a>, Box<Place>> {
    let find = |workload: &str, load: &Load| {
        let mut cells = cells.iter();
        cells.find(|cell| cell.is_at(workload, load))
    };
    let missing = |workload: &str, load: &Load| Box::new(Place::of(workload, load));
    let own = find(&claim.workload, &claim.load).map(|cell| (cell, None));
    let stead = || {
        let load = claim.measured_at.as_ref()?;
        Some((find(&claim.workload, load)?, Some(load)))
    };
    let (of, instead) = own
        .or_else(stead)
        .ok_or_else(|| missing(&claim.workload, &claim.load))?;
    let over = match (&claim.over_workload, &claim.over_load) {
        (None, None) => of,
        (workload, load) => {
            let workload = workload.as_ref().unwrap_or(&claim.workload);
            let load = load.as_ref().unwrap_or(&claim.load);
            find(workload, load).ok_or_else(|| missing(workload, load))?
        }
    };
    Ok(Places { of, over, instead })
}

/// What the claim is held against.
#[derive(Default)]
struct Found {
    ratio: Option<f64>,
    interval: Option<Interval>,
    of: Option<ClaimSide>,
    over: Option<ClaimSide>,
}

fn judge(claim: &Claim, cells: &[Cell], results: &Results, analyses: &Analyses) -> ClaimResult {
    let level = place::level(&claim.load);
    let tested = places(claim, cells);
    let instead = tested
        .as_ref()
        .ok()
        .and_then(|places| places.instead)
        .map(place::level);
    let over_place = (claim.over_workload.is_some() || claim.over_load.is_some()).then(|| {
        let workload = claim.over_workload.as_ref().unwrap_or(&claim.workload);
        let load = claim.over_load.as_ref().unwrap_or(&claim.load);
        place::at(Place::of(workload, load))
    });
    let result = |verdict: ClaimVerdict, says: Message, sides: Found| ClaimResult {
        claim: claim.clone(),
        level: level.clone(),
        measured_level: instead.clone(),
        over_place: over_place.clone(),
        stated: claim.stated().map(found::stated),
        verdict,
        outcome: found::outcome(verdict),
        ratio: sides.ratio,
        interval: sides.interval,
        of: sides.of,
        over: sides.over,
        says,
    };
    let not_measured = |why| result(ClaimVerdict::NotMeasured, why, Found::default());
    let places = match tested {
        Ok(places) => places,
        Err(place) => return not_measured(found::no_such_level(*place)),
    };
    let side = |cell: &Cell, target: &str| {
        let figures = cell.target(target)?;
        Some((figures.clone(), ClaimSide::from(claim.metric, figures)?))
    };
    let (side_a, side_b) = (side(places.of, &claim.of), side(places.over, &claim.over));
    let lacks_a = side_a.is_none();
    let (Some((a, of)), Some((b, over))) = (side_a, side_b) else {
        let lacking = if lacks_a { &claim.of } else { &claim.over };
        if claim.metric.is_of_profile() {
            return not_measured(found::no_profile());
        }
        return not_measured(found::no_figure(lacking));
    };
    let may_be_judged = claim.judged && !claim.metric.is_one_event();
    let Some(stated) = claim.stated().filter(|_| may_be_judged) else {
        let says = found::figures(of.range(claim.metric), over.range(claim.metric));
        return result(ClaimVerdict::Shown, says, Found::sides(of, over));
    };
    if let Some(reason) = void(claim, &places, (&a, &b), results.study.settings.smoke) {
        return result(ClaimVerdict::Void, reason.reason, Found::sides(of, over));
    }
    let data = series(&a, &b, claim.metric);
    let finest = resolution([&a, &b], claim.metric);
    let judged = analyses.judge(&[data], finest, results.study.settings.margin);
    let judged = judged.into_iter().next();
    let ratio = judged
        .as_ref()
        .and_then(|judged| Some(judged.paired.as_ref()?.ratio()));
    let interval = judged.and_then(|judged| judged.decision.interval);
    let verdict = outcome(stated, interval, results.study.settings.margin).into();
    let zone = published(stated, results.study.settings.margin).map(|published| published.zone());
    let measured = match (ratio, places.instead) {
        (None, _) => found::no_ratio(),
        (Some(ratio), None) => found::measured(ratio, interval),
        (Some(ratio), Some(level)) => found::measured_at(ratio, interval, level),
    };
    let zone = zone.map(|zone| found::zone(zone.low, zone.high));
    let says = found::judged(found::stated(stated), zone, measured);
    let sides = Found {
        ratio,
        interval,
        ..Found::sides(of, over)
    };
    result(verdict, says, sides)
}

/// What comes of it, by the measured interval.
fn outcome(stated: Stated, interval: Option<Interval>, margin: f64) -> stats::ClaimOutcome {
    use stats::ClaimDirection::{Less, More};
    match (published(stated, margin), stated) {
        (Some(published), _) => stats::judge_claim(&published, interval, margin),
        (None, Stated::Less {}) => stats::judge_direction(Less, interval, margin),
        (None, _) => stats::judge_direction(More, interval, margin),
    }
}

/// The size that was published, with its precision: the study's margin where it has none of its own.
fn published(stated: Stated, margin: f64) -> Option<stats::Published> {
    match stated {
        Stated::Ratio {
            ratio,
            margin: own,
            decimals,
        } => Some(stats::Published {
            ratio,
            margin: own.unwrap_or(margin),
            decimals,
        }),
        Stated::Less {} | Stated::More {} => None,
    }
}

/// Why nothing may be said of the claim.
fn void(
    claim: &Claim,
    places: &Places,
    (a, b): (&TargetFigures, &TargetFigures),
    smoke: bool,
) -> Option<Invalid> {
    // Two workloads are two jobs, and a claim over both says so.
    let jobs = (places.of.workload == places.over.workload).then(|| not_the_same_job(a, b));
    let rounds = series(a, b, claim.metric).counted.len();
    smoke
        .then(|| reason::smoke().into())
        .or(jobs.flatten())
        .or_else(|| void_of_figures(claim.metric, a, b))
        .or_else(|| (rounds == 1).then(Invalid::one_round))
}

impl Found {
    /// Both sides, without a ratio.
    fn sides(of: ClaimSide, over: ClaimSide) -> Found {
        Found {
            of: Some(of),
            over: Some(over),
            ..Found::default()
        }
    }
}

impl ClaimSide {
    fn from(metric: Metric, figures: &TargetFigures) -> Option<ClaimSide> {
        Some(ClaimSide {
            target: figures.target.clone(),
            figure: figures.figure(metric)?.clone(),
            p999: figures
                .figure(Metric::P999)
                .filter(|_| metric == Metric::Max)
                .cloned(),
        })
    }

    /// The range over the rounds.
    fn range(&self, metric: Metric) -> Message {
        let range = |figure: &Figure| Interval {
            low: figure.min,
            high: figure.max,
        };
        let times = range(&self.figure);
        match &self.p999 {
            None => found::range(&self.target, metric, times),
            Some(p999) => found::range_of_max(&self.target, metric, times, range(p999)),
        }
    }
}
