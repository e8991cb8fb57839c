//! One target's figures at one workload and load level, over the rounds.

pub(super) mod figure;
pub(super) mod gaps;
pub(super) mod generators;
pub(super) mod places;
pub(super) mod startup;
pub(super) mod sustained;

use std::collections::BTreeMap;

use photofinish_model::message::Message;
use photofinish_model::network::FullLink;
use photofinish_stats::Interval;
use photofinish_stats::planning::MOST_ROUNDS;
use photofinish_voice::{errors, figure as found};
use schemars::JsonSchema;
use serde::Serialize;

use photofinish_model::{
    Line, Load, Measurement, Metric, OnePiece, Overloaded, Role, Stalls, Turns, check,
};

use crate::comparison::checks::responses::Response;
use crate::comparison::cost::layers;
use crate::comparison::cost::layers::{Round, TargetProfile};
use crate::comparison::interference::placement::Migration;
use crate::comparison::reach::share::Share;
use figure::Figure;
use generators::{ByGenerator, GeneratorFigures, by_generator, generator_figures, troubles};
use sustained::{Sustained, none_held};

/// One target's figures at one workload and load level.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TargetFigures {
    /// The target with its variant.
    pub target: String,
    /// What it is in the race.
    pub role: Role,
    /// How many rounds have a measurement.
    pub rounds: usize,
    /// Requests, summed over the rounds.
    pub requests: u64,
    /// Requests and failed connects, summed over the rounds: what may have failed.
    pub attempts: u64,
    /// Errors by kind, failed connects included, summed over the rounds; empty where there were none.
    pub errors: BTreeMap<String, u64>,
    /// The rounds with errors: their figures are touched by them.
    pub rounds_with_errors: Vec<u32>,
    /// The rounds in which an open loop was overloaded: its response times are then those of a growing queue.
    pub overloaded: Vec<u32>,
    /// The rounds in which more than 1 in 100 responses were not as when it was verified: it did another job there.
    pub changed: Vec<u32>,
    /// The rounds in which the load generator was the bottleneck.
    pub generator_bound: Vec<u32>,
    /// The requests of the round with the fewest; `null` where no round has a measurement.
    pub fewest_requests: Option<u64>,
    /// What it responded when it was verified: one response, unless it changed from round to round.
    pub responses: Vec<Response>,
    /// What a reader should know beside the figures: errors, an overload; not there where there is nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub says: Vec<Message>,
    /// The figures of which nothing may be said though they were measured: response times of an overloaded open loop.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub void: Vec<Metric>,
    /// What was offered in the rounds that were overloaded, in requests per second; not there where none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offered_rps: Option<Interval>,
    /// The figures; one that no round has is not here.
    pub figures: BTreeMap<Metric, Figure>,
    /// What the searches found, where the level is a capacity; `null` at other levels.
    pub sustained: Option<Sustained>,
    /// What samples of its stacks showed; not there where none were taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<TargetProfile>,
    /// The same, round by round.
    #[serde(skip)]
    pub(super) profiles: BTreeMap<u32, Round>,
    /// Whether it has virtual threads, whose waits are not among its figures: nobody sees them; not there where it has none, or nobody looked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub has_unseen_waits: bool,
    /// The turns of each round that was measured in turns.
    #[serde(skip)]
    pub(super) turns: BTreeMap<u32, Turns>,
    /// How it stood still in each round; none where that was not looked at.
    #[serde(skip)]
    pub(super) stalls: BTreeMap<u32, Stalls>,
    /// For how long a connection still waited at the end of a slice, on average, and how long slices were, in seconds, in the round in which that was the
    /// largest part; stalls are not among it.
    #[serde(skip)]
    pub(super) outlasted: Option<(f64, f64)>,
    /// The rounds in which it was measured in one piece though others were measured in turns, and why.
    #[serde(skip)]
    pub(super) one_piece: BTreeMap<u32, OnePiece>,
    /// What each of several load generators measured; not there where there was one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub generators: Vec<GeneratorFigures>,
    /// The same, round by round.
    #[serde(skip)]
    pub(super) by_generator: ByGenerator,
    /// What was wrong with one of several load generators, and in which rounds.
    #[serde(skip)]
    pub(super) generator_troubles: Option<(Message, Vec<u32>)>,
    /// The rounds with another core placement than most, of all targets.
    #[serde(skip)]
    pub(super) migration: Option<Migration>,
    /// Its figures in those of them that do not count, by round.
    #[serde(skip)]
    pub(super) aside: BTreeMap<Metric, BTreeMap<u32, f64>>,
    /// The network link that was full, and in which rounds.
    #[serde(skip)]
    pub(super) full_link: Option<(FullLink, Vec<u32>)>,
    /// Its throughput as a share of the limit's; `null` for the limit itself, in an open loop, in a smoke run, and where no round has both.
    pub share_of_limit: Option<Share>,
}

impl TargetFigures {
    /// Sums up the lines of one target.
    pub(super) fn from(
        target: &str,
        role: Role,
        lines: &[&Line],
        responses: Vec<Response>,
        migration: Option<Migration>,
    ) -> TargetFigures {
        let counts = |line: &Line| migration.as_ref().is_none_or(|it| it.counts(line.round));
        let rounds = lines.iter().map(|line| line.round);
        let last = rounds.filter(|&r| r <= MOST_ROUNDS).max().unwrap_or(0);
        let (mut figures, mut aside) = (BTreeMap::new(), BTreeMap::new());
        for &metric in Metric::ALL {
            let mut rounds = vec![None; last as usize];
            let mut others = BTreeMap::new();
            for line in lines {
                // Of a rate that did not hold there are no figures, but what the search says.
                let figure = metric.of(line).filter(|_| !none_held(line));
                // Rounds count from 1, and nobody runs that many; a line that says otherwise has no place.
                let place = (line.round as usize).checked_sub(1);
                if let Some(slot) = place.and_then(|place| rounds.get_mut(place)) {
                    *slot = figure.filter(|_| counts(line));
                    others.extend(figure.filter(|_| !counts(line)).map(|x| (line.round, x)));
                }
            }
            if let Some(figure) = Figure::from(metric, rounds) {
                figures.insert(metric, figure);
            }
            aside.insert(metric, others);
        }
        let counted: Vec<&Line> = lines.iter().copied().filter(|line| counts(line)).collect();
        let rate = figures.get_mut(&Metric::Throughput);
        let sustained = Sustained::from(lines, rate);
        let mut errors = BTreeMap::new();
        let mut rounds_with_errors = Vec::new();
        let (mut requests, mut attempts) = (0, 0);
        let measured = lines
            .iter()
            .filter_map(|l| Some((l.round, l.measurement.as_ref()?)));
        for (round, measurement) in measured.clone() {
            requests += measurement.requests;
            for (kind, count) in measurement.failures_by_kind() {
                *errors.entry(kind).or_insert(0) += count;
            }
            attempts += measurement.attempts().0;
            if measurement.failures() > 0 {
                rounds_with_errors.push(round);
            }
        }
        let rounds_where = |is_so: &dyn Fn(&Measurement) -> bool| {
            let chosen = measured
                .clone()
                .filter(|(_, measurement)| is_so(measurement));
            chosen.map(|(round, _)| round).collect()
        };
        let overload = overload(measured.clone());
        let reported = [
            reported_errors(&errors, &rounds_with_errors),
            overload.as_ref().map(|(says, _)| says.clone()),
        ];
        let void = |metric: &&Metric| overload.is_some() && metric.is_response_time();
        TargetFigures {
            says: reported.into_iter().flatten().collect(),
            void: Metric::ALL.iter().filter(void).copied().collect(),
            offered_rps: overload.map(|(_, offered)| offered),
            overloaded: rounds_where(&|m| m.overloaded.is_some()),
            changed: rounds_where(&Measurement::is_another_job),
            generator_bound: rounds_where(&|m| m.fails(check::GENERATOR)),
            fewest_requests: measured.clone().map(|(_, m)| m.requests).min(),
            responses,
            target: target.to_owned(),
            role,
            rounds: measured.count(),
            requests,
            attempts,
            errors,
            rounds_with_errors,
            figures,
            sustained,
            profile: layers::profile(&counted),
            profiles: layers::by_round(&counted),
            has_unseen_waits: (counted.iter().filter_map(|line| line.waits.as_ref()))
                .any(|waits| waits.has_virtual_threads),
            turns: by_round(lines, |line, _| line.turns.clone()),
            stalls: by_round(lines, |_, measurement| measurement.stalls.clone()),
            outlasted: outlasted(lines),
            one_piece: by_round(lines, |line, _| line.one_piece),
            generators: generator_figures(lines),
            by_generator: by_generator(lines),
            generator_troubles: troubles(lines),
            migration,
            aside,
            full_link: None,
            share_of_limit: None,
        }
    }

    /// Whether verdicts are given on it.
    pub fn is_contender(&self) -> bool {
        self.role == Role::Contender
    }

    /// A figure, where there is one.
    pub fn figure(&self, metric: Metric) -> Option<&Figure> {
        self.figures.get(&metric)
    }

    /// Its figures in the rounds that count and have one.
    pub(crate) fn counted(&self, metric: Metric) -> BTreeMap<u32, f64> {
        let figure = self.figure(metric);
        let rounds = figure.into_iter().flat_map(|figure| &figure.rounds);
        let rounds = (1..).zip(rounds);
        rounds
            .filter_map(|(round, x)| Some((round, (*x)?)))
            .collect()
    }

    /// Its figures in the rounds that do not count and have one.
    pub(crate) fn aside(&self, metric: Metric) -> BTreeMap<u32, f64> {
        self.aside.get(&metric).cloned().unwrap_or_default()
    }

    /// Whether the figures of a round count.
    pub(super) fn counts(&self, round: u32) -> bool {
        self.migration.as_ref().is_none_or(|it| it.counts(round))
    }

    /// All errors together.
    pub fn error_count(&self) -> u64 {
        self.errors.values().sum()
    }
}

/// The errors of all rounds; `None` if there were none.
fn reported_errors(kinds: &BTreeMap<String, u64>, rounds: &[u32]) -> Option<Message> {
    (!kinds.is_empty()).then(|| found::errors(errors::counted(kinds), rounds))
}

/// What was offered and achieved in the rounds that were overloaded, and what was offered; `None` if none was.
fn overload<'m>(
    measured: impl Iterator<Item = (u32, &'m Measurement)>,
) -> Option<(Message, Interval)> {
    let overloaded: Vec<(u32, Overloaded)> = measured
        .filter_map(|(round, measurement)| Some((round, measurement.overloaded?)))
        .collect();
    let range = |rate: fn(&Overloaded) -> f64| {
        Interval::around(overloaded.iter().map(|(_, overloaded)| rate(overloaded)))
    };
    let rounds: Vec<u32> = overloaded.iter().map(|(round, _)| *round).collect();
    let offered = range(|overloaded| overloaded.offered_rps)?;
    let achieved = range(|overloaded| overloaded.achieved_rps)?;
    Some((found::overloaded(rounds, offered, achieved), offered))
}

/// Returns what the measurement of each round has.
fn by_round<T>(lines: &[&Line], of: impl Fn(&Line, &Measurement) -> Option<T>) -> BTreeMap<u32, T> {
    let of_line = |line: &&Line| Some((line.round, of(line, line.measurement.as_ref()?)?));
    lines.iter().filter_map(of_line).collect()
}

/// For how long a connection of a closed loop still waited when a slice ended, and how long slices were, in seconds, where that is the largest part.
fn outlasted(lines: &[&Line]) -> Option<(f64, f64)> {
    let of_line = |line: &&Line| {
        let (turns, measurement) = (line.turns.as_ref()?, line.measurement.as_ref()?);
        let Load::Closed { connections } = line.load else {
            return None;
        };
        let room = f64::from(connections) * f64::from(measurement.streams);
        // All connections wait while a server stands still, also after the slice.
        let stalled: f64 = turns
            .turns
            .iter()
            .filter(|turn| turn.counts())
            .map(|turn| turn.outlasting_s(turns.slice_s))
            .sum();
        let waited = measurement.edges?.outlasted_s / room - stalled;
        let slices = turns.kept() as f64;
        (slices > 0.0).then(|| (waited / slices, turns.slice_s))
    };
    let all = lines.iter().filter_map(of_line);
    all.max_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1)))
}
