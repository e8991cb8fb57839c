//! Who is ahead, for every pair of targets.

use photofinish_stats::{Direction, Interval, Paired};
use schemars::JsonSchema;
use serde::Serialize;

use crate::model::Metric;
use crate::units;

use super::figures::{Quantity, TargetFigures};
use super::{ALPHA, stats};

/// The metrics on which verdicts are given.
pub const JUDGED: [Metric; 5] = [
    Metric::Throughput,
    Metric::Mean,
    Metric::P50,
    Metric::P99,
    Metric::P999,
];

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
    /// A / B: the geometric mean of the rounds' ratios; `null` where a figure is missing or zero.
    pub ratio: Option<f64>,
    /// The ratio's interval; `null` under two rounds.
    pub interval: Option<Interval>,
    /// The interval's level, such as 0.95; higher where Holm's procedure asks for it.
    pub level: f64,
    /// Where the ratio lies; `null` where nothing can be said (one round only, or a figure is missing).
    pub direction: Option<Direction>,
    /// The target that is ahead (more throughput, or less time); `null` where none is.
    pub ahead: Option<String>,
    /// How many rounds in all would tell, where the verdict is undecided and that can be said.
    pub rounds_needed: Option<u32>,
    /// The verdict in words.
    pub says: String,
}

/// The rounds' figures of two targets, as pairs, where both have one.
pub(super) fn pair(
    a: &TargetFigures,
    b: &TargetFigures,
    quantity: Quantity,
) -> (usize, Option<Paired>) {
    let rounds = |figures: &TargetFigures| {
        figures
            .figure(quantity)
            .map(|figure| figure.rounds.clone())
            .unwrap_or_default()
    };
    let pairs: Vec<(f64, f64)> = rounds(a)
        .into_iter()
        .zip(rounds(b))
        .filter_map(|(a, b)| Some((a?, b?)))
        .collect();
    (pairs.len(), Paired::new(&pairs))
}

/// The verdicts on every pair, metric by metric.
pub(super) fn verdicts(targets: &[&TargetFigures], margin: f64) -> Vec<Verdict> {
    let pairs: Vec<(&TargetFigures, &TargetFigures)> = targets
        .iter()
        .enumerate()
        .flat_map(|(index, &a)| targets[index + 1..].iter().map(move |&b| (a, b)))
        .collect();
    let mut verdicts = Vec::new();
    for metric in JUDGED {
        let paired: Vec<(usize, Option<Paired>)> = pairs
            .iter()
            .map(|(a, b)| pair(a, b, metric.into()))
            .collect();
        let p: Vec<Option<f64>> = paired
            .iter()
            .map(|(_, paired)| paired.as_ref().and_then(Paired::p_value))
            .collect();
        let alphas = stats::holm_levels(&p, ALPHA);
        for (((a, b), (rounds, paired)), alpha) in pairs.iter().zip(paired).zip(alphas) {
            verdicts.push(verdict(
                metric, &a.target, &b.target, rounds, paired, alpha, margin,
            ));
        }
    }
    verdicts
}

fn verdict(
    metric: Metric,
    of: &str,
    over: &str,
    rounds: usize,
    paired: Option<Paired>,
    alpha: f64,
    margin: f64,
) -> Verdict {
    let resolution = Quantity::from(metric).resolution();
    let interval = paired.as_ref().and_then(|p| p.interval(alpha, resolution));
    let direction = interval.map(|interval| stats::judge(Some(interval), margin));
    let of_is_ahead = direction.and_then(|direction| match direction {
        Direction::Above => Some(metric.larger_is_better()),
        Direction::Below => Some(!metric.larger_is_better()),
        Direction::Tie | Direction::Undecided => None,
    });
    let mut verdict = Verdict {
        metric,
        of: of.to_owned(),
        over: over.to_owned(),
        rounds,
        ratio: paired.as_ref().map(Paired::ratio),
        interval,
        level: 1.0 - alpha,
        direction,
        ahead: of_is_ahead.map(|ahead| if ahead { of } else { over }.to_owned()),
        rounds_needed: paired
            .filter(|_| direction == Some(Direction::Undecided))
            .and_then(|paired| stats::rounds_needed(&paired, alpha, margin)),
        says: String::new(),
    };
    verdict.says = verdict.words(margin);
    verdict
}

impl Verdict {
    /// The ratio and interval of the one who is ahead over the other, with the other's name; for
    /// a verdict that says who is.
    pub fn from_ahead(&self) -> Option<(&str, &str, f64, Interval)> {
        let (ratio, interval) = (self.ratio?, self.interval?);
        let ahead = self.ahead.as_deref()?;
        if ahead == self.of {
            return Some((ahead, &self.over, ratio, interval));
        }
        let turned = Interval::new(interval.high.recip(), interval.low.recip())?;
        Some((ahead, &self.of, ratio.recip(), turned))
    }

    fn words(&self, margin: f64) -> String {
        let Verdict { of, over, .. } = self;
        let Some(ratio) = self.ratio else {
            return if self.rounds == 0 {
                format!("no verdict: no round has a figure of both {of} and {over}")
            } else {
                format!("no verdict: a figure of {of} or {over} is zero")
            };
        };
        let name = Quantity::from(self.metric).name();
        let measured = format!(
            "{of}'s {name} is {} × {over}'s{}",
            units::ratio(ratio),
            ratios(self.interval)
        );
        match self.direction {
            None if self.rounds == 1 => format!("one round only: no verdict ({measured})"),
            None => format!("no verdict: the rounds bound nothing ({measured})"),
            Some(Direction::Tie) => format!("tie within {} ({measured})", margin_text(margin)),
            Some(Direction::Undecided) => {
                let rounds = units::plural(self.rounds, "round", "rounds");
                match self.rounds_needed {
                    Some(needed) => format!(
                        "undecided after {rounds}: about {} rounds would tell ({measured})",
                        units::thousands(f64::from(needed))
                    ),
                    None => format!("undecided after {rounds} ({measured})"),
                }
            }
            Some(Direction::Above | Direction::Below) => match self.from_ahead() {
                Some((ahead, other, ratio, interval)) if self.metric == Metric::Throughput => {
                    faster(ahead, other, ratio, interval)
                }
                Some((ahead, other, ratio, interval)) => format!(
                    "{ahead}'s {name} is {} × {other}'s{}",
                    units::ratio(ratio),
                    ratios(Some(interval))
                ),
                None => measured,
            },
        }
    }
}

fn faster(ahead: &str, other: &str, ratio: f64, interval: Interval) -> String {
    let (more, bounds) = more(ratio, interval);
    if ratio < 2.0 {
        format!("{ahead} is {more} faster than {other} {bounds}")
    } else {
        format!("{ahead} is {more} times as fast as {other} {bounds}")
    }
}

/// By how much: a percentage with its interval below 2, a factor from there on.
pub(super) fn more(ratio: f64, interval: Interval) -> (String, String) {
    let text = |value: f64| {
        if ratio < 2.0 {
            units::percent(value - 1.0)
        } else {
            units::number(value)
        }
    };
    let bounds = format!("[{} … {}]", text(interval.low), text(interval.high));
    (text(ratio), bounds)
}

/// ` [0.995 … 1.011]`, or nothing.
pub(super) fn ratios(interval: Option<Interval>) -> String {
    interval.map_or_else(String::new, |interval| {
        let (low, high) = (units::ratio(interval.low), units::ratio(interval.high));
        format!(" [{low} … {high}]")
    })
}

/// The margin as it was given: `2%`, `0.5%`.
pub(super) fn margin_text(margin: f64) -> String {
    format!("{}%", (margin * 1e6).round() / 1e4)
}
