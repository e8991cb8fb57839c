//! Who is ahead, for every pair of targets.

use photofinish_stats::{Direction, Interval, Paired};
use schemars::JsonSchema;
use serde::Serialize;

use photofinish_model::Metric;
use photofinish_model::units;
use photofinish_voice::{Language, Say};

use super::figures::TargetFigures;
use super::looks::{Judged, Looks, Series};
use super::stats;
use super::sustained::{self, resolution};

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
    /// Why the figures cannot be judged, in a few words; `null` where they can.
    pub unjudged: Option<String>,
    /// How many rounds in all would tell, where the verdict is undecided and that can be said.
    pub rounds_needed: Option<u32>,
    /// The round after which a look decided it, where rounds were added until it was decided; `null` where the number of rounds is
    /// fixed, and while it is undecided.
    pub decided_after: Option<u32>,
    /// The verdict in words.
    pub says: String,
}

/// The rounds' figures of two targets, as pairs, where both have one.
pub(super) fn series(a: &TargetFigures, b: &TargetFigures, metric: Metric) -> Series {
    let rounds = |figures: &TargetFigures| {
        figures
            .figure(metric)
            .map(|figure| figure.rounds.clone())
            .unwrap_or_default()
    };
    (1..)
        .zip(rounds(a).into_iter().zip(rounds(b)))
        .filter_map(|(round, (a, b))| Some((round, (a?, b?))))
        .collect()
}

/// How many rounds both have, and what they say.
pub(super) fn pair(
    a: &TargetFigures,
    b: &TargetFigures,
    metric: Metric,
) -> (usize, Option<Paired>) {
    let pairs: Vec<(f64, f64)> = (series(a, b, metric).into_iter())
        .map(|(_, pair)| pair)
        .collect();
    (pairs.len(), Paired::new(&pairs))
}

/// The verdicts on every pair, metric by metric.
pub(super) fn verdicts(targets: &[&TargetFigures], margin: f64, looks: &Looks) -> Vec<Verdict> {
    let pairs: Vec<(&TargetFigures, &TargetFigures)> = targets
        .iter()
        .enumerate()
        .flat_map(|(index, &a)| targets[index + 1..].iter().map(move |&b| (a, b)))
        .collect();
    let mut verdicts = Vec::new();
    for metric in sustained::judged(targets.iter().copied()) {
        let resolution = resolution(targets.iter().copied(), metric);
        // What cannot be judged takes nothing from the level of the others.
        let usable = |a, b| match sustained::unjudged(a, b) {
            None => series(a, b, metric),
            Some(_) => Series::new(),
        };
        let all: Vec<Series> = pairs.iter().map(|(a, b)| usable(a, b)).collect();
        let judged = looks.judge(&all, resolution, margin);
        for (((a, b), series), judged) in pairs.iter().zip(&all).zip(judged) {
            let names = (a.target.as_str(), b.target.as_str());
            let rounds = series.len();
            let mut verdict = verdict(metric, names, rounds, judged, margin, looks.cap());
            if a.sustained.is_some() || b.sustained.is_some() {
                verdict.of_capacity(a, b, resolution, margin, looks.cap());
            }
            verdicts.push(verdict);
        }
    }
    verdicts
}

fn verdict(
    metric: Metric,
    (of, over): (&str, &str),
    rounds: usize,
    judged: Judged,
    margin: f64,
    cap: Option<u32>,
) -> Verdict {
    let Judged {
        paired, direction, ..
    } = judged;
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
        interval: judged.interval,
        level: 1.0 - judged.alpha,
        direction,
        ahead: of_is_ahead.map(|ahead| if ahead { of } else { over }.to_owned()),
        unjudged: None,
        rounds_needed: paired
            .filter(|_| direction == Some(Direction::Undecided))
            .and_then(|paired| stats::rounds_needed(&paired, judged.alpha, margin)),
        decided_after: cap.and(judged.decided_after),
        says: String::new(),
    };
    verdict.says = verdict.words(margin, cap, false);
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

    /// Says what is different at a capacity: what cannot be judged, and what the searches are too coarse to tell.
    fn of_capacity(
        &mut self,
        a: &TargetFigures,
        b: &TargetFigures,
        resolution: f64,
        margin: f64,
        cap: Option<u32>,
    ) {
        if let Some(why) = sustained::unjudged(a, b) {
            self.rounds = a.rounds.min(b.rounds);
            self.says = format!("no verdict: {why}");
            self.unjudged = Some(why);
            return;
        }
        // However many rounds there are, the interval is no narrower than this: 1 stays within, and so does what is no tie.
        let (half, tie) = (resolution.ln_1p(), margin.ln_1p());
        let coarse = |ratio: f64| ratio.ln().abs() <= half && ratio.ln().abs() + half > tie;
        let hidden = self.direction == Some(Direction::Undecided) && self.ratio.is_some_and(coarse);
        if hidden {
            self.rounds_needed = None;
        }
        self.says = self.words(margin, cap, true);
        if hidden {
            self.says = format!("{}; {}", self.says, sustained::hidden(resolution));
        }
    }

    /// The verdict in words; `cap`: the most rounds, where they are added until it is decided; `sustained`: whether
    /// throughput is the rate that a search found.
    fn words(&self, margin: f64, cap: Option<u32>, sustained: bool) -> String {
        let told = self.told(margin, sustained);
        match (cap, self.decided_after, self.direction) {
            (Some(_), Some(rounds), _) => format!("{told}, decided after {rounds} rounds"),
            (Some(cap), None, Some(_)) if self.rounds >= cap as usize => {
                format!("{told}, at the cap of {cap} rounds")
            }
            _ => told,
        }
    }

    fn told(&self, margin: f64, sustained: bool) -> String {
        let Verdict { of, over, .. } = self;
        let Some(ratio) = self.ratio else {
            return if self.rounds == 0 {
                format!("no verdict: no round has a figure of both {of} and {over}")
            } else {
                format!("no verdict: a figure of {of} or {over} is zero")
            };
        };
        let name = self.metric.say(Language::En);
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
                    faster(ahead, other, ratio, interval, sustained)
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

fn faster(ahead: &str, other: &str, ratio: f64, interval: Interval, sustained: bool) -> String {
    let (more, bounds) = more(ratio, interval);
    match (ratio < 2.0, sustained) {
        (true, false) => format!("{ahead} is {more} faster than {other} {bounds}"),
        (false, false) => format!("{ahead} is {more} times as fast as {other} {bounds}"),
        (true, true) => format!("{ahead} sustains {more} more than {other} {bounds}"),
        (false, true) => format!("{ahead} sustains {more} times as much as {other} {bounds}"),
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
