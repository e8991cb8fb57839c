//! What others have published, beside what was measured here.

use photofinish_stats::{ClaimOutcome, Interval, Paired};
use schemars::JsonSchema;
use serde::Serialize;

use photofinish_model::store::Results;
use photofinish_model::units;
use photofinish_model::{Claim, Load, Metric};
use photofinish_voice::{Language, Say};

use super::figures::{Figure, TargetFigures};
use super::looks::Looks;
use super::sustained::{resolution, unjudged};
use super::verdicts::{margin_text, ratios, series};
use super::{Cell, stats};

/// A claim and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ClaimResult {
    /// The claim as it was published.
    pub claim: Claim,
    /// The level at which it was published, in words.
    pub level: String,
    /// The level at which it was tested instead, in words; `null` where that is its own.
    pub measured_level: Option<String>,
    /// Where target B stands, in words, where that is another workload or level than target A's.
    pub over_place: Option<String>,
    /// What came of it.
    pub verdict: ClaimVerdict,
    /// The measured ratio; `null` where it was not measured, and for a maximum.
    pub ratio: Option<f64>,
    /// Its 95% interval. Claims are judged one by one, without adjusting for their number.
    pub interval: Option<Interval>,
    /// What target A showed here; `null` where it was not measured.
    pub of: Option<ClaimSide>,
    /// What target B showed here.
    pub over: Option<ClaimSide>,
    /// The outcome in words, with the figures that it rests on.
    pub says: String,
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

/// What came of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimVerdict {
    /// The same direction and size.
    Holds,
    /// The same direction, another size.
    SameDirection,
    /// The other direction, or none, or one where none was published.
    DoesNotHold,
    /// The data do not tell.
    Undecided,
    /// Shown, not judged: a maximum is one request out of all of them.
    Shown,
    /// Nothing was measured to hold it against.
    NotMeasured,
}

impl ClaimVerdict {
    /// The outcome in words.
    pub fn words(self) -> &'static str {
        match self {
            ClaimVerdict::Holds => "holds",
            ClaimVerdict::SameDirection => "same direction, other size",
            ClaimVerdict::DoesNotHold => "does not hold here",
            ClaimVerdict::Undecided => "undecided",
            ClaimVerdict::Shown => "shown, not judged",
            ClaimVerdict::NotMeasured => "not measured",
        }
    }
}

impl From<ClaimOutcome> for ClaimVerdict {
    fn from(outcome: ClaimOutcome) -> ClaimVerdict {
        match outcome {
            ClaimOutcome::Holds => ClaimVerdict::Holds,
            ClaimOutcome::SameDirection => ClaimVerdict::SameDirection,
            ClaimOutcome::DoesNotHold => ClaimVerdict::DoesNotHold,
            ClaimOutcome::Undecided => ClaimVerdict::Undecided,
        }
    }
}

/// The published ratio, with how exactly it was published where the claim says so: `0.968 ± 5%`.
pub fn published(claim: &Claim) -> String {
    let exactness = claim
        .margin
        .map_or_else(String::new, |m| format!(" ± {}", margin_text(m)));
    units::ratio(claim.ratio) + &exactness
}

/// All claims of a study, in its order.
pub(super) fn claims(results: &Results, cells: &[Cell], looks: &Looks) -> Vec<ClaimResult> {
    let claims = results.study.claims.iter();
    claims
        .map(|claim| judge(claim, cells, results, looks))
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
/// The place that was not run, in words.
fn places<'a>(claim: &'a Claim, cells: &'a [Cell]) -> Result<Places<'a>, String> {
    let find = |workload: &str, load: &Load| {
        let mut cells = cells.iter();
        cells.find(|cell| cell.workload == workload && cell.load == *load)
    };
    let missing = |workload: &str, load: &Load| format!("{workload} at {}", load.label());
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

fn judge(claim: &Claim, cells: &[Cell], results: &Results, looks: &Looks) -> ClaimResult {
    let level = claim.load.label();
    let found = places(claim, cells);
    let instead = found
        .as_ref()
        .ok()
        .and_then(|places| Some(places.instead?.label()));
    let over_place = (claim.over_workload.is_some() || claim.over_load.is_some()).then(|| {
        let workload = claim.over_workload.as_ref().unwrap_or(&claim.workload);
        let load = claim.over_load.as_ref().unwrap_or(&claim.load);
        format!("{workload}, {}", load.label())
    });
    let result = |verdict, says, found: Found| ClaimResult {
        claim: claim.clone(),
        level: level.clone(),
        measured_level: instead.clone(),
        over_place: over_place.clone(),
        verdict,
        ratio: found.ratio,
        interval: found.interval,
        of: found.of,
        over: found.over,
        says,
    };
    let not_measured = |why| result(ClaimVerdict::NotMeasured, why, Found::default());
    let places = match &found {
        Ok(places) => places,
        Err(place) => {
            return not_measured(format!(
                "not measured: {place} is not among the levels of this run"
            ));
        }
    };
    let side = |cell: &Cell, target: &str| {
        let figures = cell.targets.iter().find(|t| t.target == target)?;
        Some((figures.clone(), ClaimSide::from(claim.metric, figures)?))
    };
    let (side_a, side_b) = (side(places.of, &claim.of), side(places.over, &claim.over));
    let lacks_a = side_a.is_none();
    let (Some((a, of)), Some((b, over))) = (side_a, side_b) else {
        let lacking = if lacks_a { &claim.of } else { &claim.over };
        return not_measured(format!(
            "not measured: {lacking} has no figure for it in this run"
        ));
    };
    if claim.metric.is_one_request() || !claim.judged {
        let says = format!(
            "shown, not judged: {}; {}",
            of.ranges(claim.metric),
            over.ranges(claim.metric)
        );
        let found = Found {
            of: Some(of),
            over: Some(over),
            ..Found::default()
        };
        return result(ClaimVerdict::Shown, says, found);
    }
    let metric = claim.metric;
    if let Some(why) = unjudged(&a, &b) {
        let found = Found {
            of: Some(of),
            over: Some(over),
            ..Found::default()
        };
        let says = format!("{}: {why}", ClaimVerdict::Undecided.words());
        return result(ClaimVerdict::Undecided, says, found);
    }
    let data = series(&a, &b, metric);
    let rounds = data.len();
    let finest = resolution([&a, &b], metric);
    let judged = looks.judge(&[data], finest, results.study.margin);
    let judged = judged.into_iter().next();
    let paired = judged.as_ref().and_then(|judged| judged.paired);
    let interval = judged
        .and_then(|judged| judged.interval)
        .filter(|_| !results.study.smoke);
    let margin = claim.margin.unwrap_or(results.study.margin);
    let verdict = stats::judge_claim(claim.ratio, interval, margin).into();
    let found = Found {
        ratio: paired.as_ref().map(Paired::ratio),
        interval,
        of: Some(of),
        over: Some(over),
    };
    let why = if results.study.smoke {
        ", a smoke run".to_owned()
    } else if rounds == 1 {
        ", one round only".to_owned()
    } else {
        String::new()
    };
    let measured = found.ratio.map_or_else(
        || "no ratio could be measured".to_owned(),
        |ratio| {
            let bounds = ratios(interval);
            format!("measured {}{bounds}", units::ratio(ratio))
        },
    );
    let at = places
        .instead
        .map_or_else(String::new, |load| format!(" at {}", load.label()));
    let says = format!(
        "{}{why}: published {}, {measured}{at}",
        ClaimVerdict::words(verdict),
        published(claim)
    );
    result(verdict, says, found)
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

    /// The range over the rounds, such as `quarkus max 14.0 … 62.0 ms (p99.9 1.20 … 1.31 ms)`.
    fn ranges(&self, metric: Metric) -> String {
        let p999 = self.p999.as_ref().map_or_else(String::new, |p999| {
            format!(" ({} {})", Metric::P999.say(Language::En), p999.range())
        });
        format!(
            "{} {} {}{p999}",
            self.target,
            metric.say(Language::En),
            self.figure.range()
        )
    }
}
