//! What others have published, beside what was measured here.

use photofinish_stats::{ClaimOutcome, Interval, Paired};
use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{Claim, Metric};
use crate::store::Results;
use crate::units;

use super::figures::{Figure, Quantity, TargetFigures};
use super::looks::Looks;
use super::verdicts::{ratios, series};
use super::{Cell, stats};

/// A claim and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ClaimResult {
    /// The claim as it was published.
    pub claim: Claim,
    /// The level at which it was published, in words.
    pub level: String,
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

/// All claims of a study, in its order.
pub(super) fn claims(results: &Results, cells: &[Cell], looks: &Looks) -> Vec<ClaimResult> {
    let claims = results.study.claims.iter();
    claims
        .map(|claim| {
            let cell = cells
                .iter()
                .find(|cell| cell.workload == claim.workload && cell.load == claim.load);
            judge(claim, cell, results, looks)
        })
        .collect()
}

/// What the claim is held against.
#[derive(Default)]
struct Found {
    ratio: Option<f64>,
    interval: Option<Interval>,
    of: Option<ClaimSide>,
    over: Option<ClaimSide>,
}

fn judge(claim: &Claim, cell: Option<&Cell>, results: &Results, looks: &Looks) -> ClaimResult {
    let level = claim.load.label();
    let result = |verdict, says, found: Found| ClaimResult {
        claim: claim.clone(),
        level: level.clone(),
        verdict,
        ratio: found.ratio,
        interval: found.interval,
        of: found.of,
        over: found.over,
        says,
    };
    let not_measured = |why| result(ClaimVerdict::NotMeasured, why, Found::default());
    let Some(cell) = cell else {
        return not_measured(format!(
            "not measured: {} at {level} is not among the levels of this run",
            claim.workload
        ));
    };
    let side = |target: &str| {
        let figures = cell.targets.iter().find(|t| t.target == target)?;
        Some((figures, ClaimSide::from(claim.metric, figures)?))
    };
    let (Some((a, of)), Some((b, over))) = (side(&claim.of), side(&claim.over)) else {
        let lacking = if side(&claim.of).is_none() {
            &claim.of
        } else {
            &claim.over
        };
        return not_measured(format!(
            "not measured: {lacking} has no figure for it in this run"
        ));
    };
    if claim.metric == Metric::Max || !claim.judged {
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
    let quantity = Quantity::from(claim.metric);
    let data = series(a, b, quantity);
    let rounds = data.len();
    let judged = looks.judge(&[data], quantity.resolution(), results.study.margin);
    let judged = judged.into_iter().next();
    let paired = judged.as_ref().and_then(|judged| judged.paired);
    let interval = judged
        .and_then(|judged| judged.interval)
        .filter(|_| !results.study.smoke);
    let verdict = stats::judge_claim(claim.ratio, interval, results.study.margin).into();
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
    let says = format!(
        "{}{why}: published {}, {measured}",
        ClaimVerdict::words(verdict),
        units::ratio(claim.ratio)
    );
    result(verdict, says, found)
}

impl ClaimSide {
    fn from(metric: Metric, figures: &TargetFigures) -> Option<ClaimSide> {
        Some(ClaimSide {
            target: figures.target.clone(),
            figure: figures.figure(metric.into())?.clone(),
            p999: figures
                .figure(Quantity::P999)
                .filter(|_| metric == Metric::Max)
                .cloned(),
        })
    }

    /// The range over the rounds, such as `quarkus max 14.0 … 62.0 ms (p99.9 1.20 … 1.31 ms)`.
    fn ranges(&self, metric: Metric) -> String {
        let p999 = self.p999.as_ref().map_or_else(String::new, |p999| {
            format!(" ({} {})", Quantity::P999.name(), p999.range())
        });
        format!(
            "{} {} {}{p999}",
            self.target,
            Quantity::from(metric).name(),
            self.figure.range()
        )
    }
}
