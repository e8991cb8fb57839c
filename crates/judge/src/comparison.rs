//! All that a report shows, computed from a results folder.
//!
//! Reports only draw a [`Comparison`]; its arithmetic is that of `photofinish-stats`, and this
//! module picks the figures that go into it and puts what comes out into words.

mod cells;
mod checks;
mod claims;
mod cost;
mod figures;
mod interference;
mod note;
mod progress;
mod reach;
mod reason;
mod verdict;

use checks::images;
use cost::gap;
use figures::gaps;
use figures::startup;
use photofinish_model::message::Message;
use photofinish_stats as stats;
use photofinish_stats::Interval;
use photofinish_stats::difference::mean_interval;
use photofinish_voice::left_out;
use reach::scaling;
use reach::sweeps;
use schemars::JsonSchema;
use serde::Serialize;
use verdict::headline;
use verdict::stalls;
use verdict::trust;
use verdict::warnings;

use photofinish_model::settings::RaceSettings;
use photofinish_model::store::Results;
use photofinish_model::{
    BusyProcess, Environment, Load, Metric, ServiceRecord, TargetRecord, TrialRecord,
};

pub(crate) use verdict::interim::{Analyses, Judged, Shown};
pub(crate) use verdict::series::{Rounds, Series, upto};

pub use checks::images::Images;
pub use checks::responses::Response;
pub(crate) use checks::responses::responses;
pub use checks::tally::Failing;
pub use checks::{CheckResult, CheckStatus};
pub use claims::{ClaimResult, ClaimSide};
pub use cost::beside::{LayerDifference, LayerPair};
pub(crate) use cost::frames::Frames;
pub use cost::frames::{FunctionDifference, FunctionTime, OnFunction};
pub use cost::layers::{Difference, LayerTime, TargetProfile};
pub use figures::TargetFigures;
pub use figures::figure::Figure;
pub(crate) use figures::gaps::missing;
pub use figures::gaps::{Failure, Missing};
pub use figures::generators::GeneratorFigures;
pub(crate) use figures::places::places;
pub use figures::startup::StartUp;
pub use figures::sustained::{Point, Sustained, doubts};
pub(crate) use interference::by_turn::series;
pub use interference::effort::BestTurns;
pub use interference::noise::NoiseFloor;
pub use interference::turns::{PairedBlocks, PairedTurns};
pub use note::{Groups, Hedge, Note};
pub use progress::Progress;
pub(crate) use progress::first_undecided;
pub use reach::scaling::{Fitted, Peak, Scaling};
pub use reach::share::{Share, shares};
pub use reach::sweeps::OutOfLine;
pub use reason::{Invalid, InvalidKind};
pub(crate) use verdict::Estimate;
pub use verdict::grade::Grade;
pub(crate) use verdict::invalid::{not_the_same_job, void};
pub use verdict::lead::{Gap, Lead, Standing};
pub use verdict::metrics::JUDGED;
pub(crate) use verdict::metrics::requests_for;
pub(crate) use verdict::pairs::{judged, resolution};
pub use verdict::trust::{Trust, trust_of};
pub use verdict::warnings::{Subject, Warning};
pub use verdict::{Judgement, Verdict};

/// The chance of calling equal targets different, over all pairs and cells in throughput, and over the pairs of one cell in each
/// other metric.
pub const ALPHA: f64 = 0.05;

/// The version of the format of [`Comparison`] in JSON.
pub const VERSION: u32 = 5;

/// All that a report shows.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Comparison {
    /// The version of this format; see [`VERSION`].
    pub version: u32,
    /// The whole verdict in one sentence.
    pub headline: Message,
    /// The load, cores, rounds and time of the headline.
    pub setting: Message,
    /// How far the figures may be trusted.
    pub trust: Trust,
    /// What is decided in other metrics at places where the headline leaves it open; `null` if nothing is, or there is one place.
    pub also: Option<Message>,
    /// How many more rounds would decide what the headline leaves open; `null` if it leaves nothing open, or that is not known.
    pub next: Option<Message>,
    /// What a request costs the server behind more than the one ahead; `null` if nothing costs more for certain.
    pub cost: Option<Message>,
    /// A server that stands still for more of the time than the others, or did so once for long; `null` if none does.
    pub stalls: Option<Message>,
    /// How little load the servers had, if rare waits may be missing from the figures for that; `null` if they had enough.
    pub short_load: Option<Message>,
    /// What to know before a figure is quoted, the gravest first.
    pub warnings: Vec<Warning>,
    /// What was run, where and when.
    pub head: Head,
    /// The figures and verdicts: one cell a workload and load level, in the order of the study.
    pub cells: Vec<Cell>,
    /// How throughput scales with connections, where a workload has at least 4 closed-loop levels.
    pub scaling: Vec<Scaling>,
    /// The levels of sweeps at which a target's throughput falls out of line.
    pub out_of_line: Vec<OutOfLine>,
    /// What others have published, beside what was measured.
    pub claims: Vec<ClaimResult>,
    /// The validity rules, in the order of [`photofinish_model::check::ALL`].
    pub checks: Vec<CheckResult>,
    /// How long each target took to start.
    pub start_up: Vec<StartUp>,
    /// The images that targets in containers ran from; not there where none did.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub images: Vec<Images>,
    /// What failed.
    pub failures: Vec<Failure>,
    /// What was never measured, though the study asks for it.
    pub missing: Vec<Missing>,
}

/// What was run, where and when.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Head {
    /// The study's name.
    pub name: String,
    /// A line that says what is compared.
    pub title: String,
    /// Where it was published.
    pub source: Option<String>,
    /// What a reader should know beside the figures.
    pub notes: Option<String>,
    /// What flags have left out of the study.
    pub left_out: Vec<Message>,
    /// When the run began: RFC 3339, UTC.
    pub started: String,
    /// The rounds in which every measurement was tried.
    pub rounds_done: u32,
    /// The rounds asked for; where they were added until it was decided, or had a limit of time, those that were begun.
    pub rounds_asked: u32,
    /// How it was measured. `rounds` is the most rounds that there might have been.
    pub settings: RaceSettings,
    /// How long the rounds took together, in seconds; `null` in results of older versions.
    pub took_s: Option<f64>,
    /// The other process that used most CPU during any measurement; `null` if none is known.
    pub busiest: Option<BusyProcess>,
    /// The cores that each server had; `null` if that is not known of one of them.
    pub server_cores: Option<usize>,
    /// The seed of every random choice.
    pub seed: u64,
    /// The targets, in the order of the study.
    pub targets: Vec<TargetRecord>,
    /// What the contenders need beside them: databases, with their versions and where they came from.
    pub services: Vec<ServiceRecord>,
    /// The machine and the program.
    pub machine: Environment,
}

/// One workload at one load level.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Cell {
    /// The workload's name.
    pub workload: String,
    /// What is asked for, such as `GET /plaintext`.
    pub request: Message,
    /// How the load was sent.
    pub load: Load,
    /// The level in words, such as `100 connections`.
    pub level: Message,
    /// What of the response times is the network's; not there where load came from the servers' machine, or that was not measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<Message>,
    /// Each target's figures, in the order of the study.
    pub targets: Vec<TargetFigures>,
    /// The verdict on every pair of contenders for every metric of [`JUDGED`]; empty for a smoke run. A second copy of a target (A/A)
    /// and the limit are no contenders: see `noise`, and each target's `share_of_limit`. At a capacity there are verdicts on
    /// throughput alone.
    pub verdicts: Vec<Verdict>,
    /// The metric that the headline states here.
    pub headline_metric: Metric,
    /// Who leads in each metric of [`JUDGED`] by these verdicts; a metric without any verdict is left out.
    pub leads: Vec<Lead>,
    /// By how much a target differed from its second copy, for every metric of [`JUDGED`]; empty where no A/A pair races.
    pub noise: Vec<NoiseFloor>,
    /// Where two contenders differ in what a request's CPU time is spent on; not there where nothing was profiled.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<LayerPair>,
    /// The functions that most CPU time is spent on, the largest first; not there where no stacks were kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<FunctionTime>,
    /// In how many rounds the load generator, and not the limit, was what bounded the limit's throughput: each target's share of
    /// it is then at most what `share_of_limit` says.
    pub limit_held_back: usize,
}

impl Cell {
    /// Returns what was measured of a target.
    pub fn target(&self, label: &str) -> Option<&TargetFigures> {
        self.targets.iter().find(|target| target.target == label)
    }

    /// Whether it is that of a workload and load level.
    pub(crate) fn is_at(&self, workload: &str, load: &Load) -> bool {
        self.workload == workload && self.load == *load
    }

    /// The targets that verdicts are given on.
    pub fn contenders(&self) -> impl Iterator<Item = &TargetFigures> {
        self.targets.iter().filter(|target| target.is_contender())
    }

    /// The verdicts on a metric.
    pub fn verdicts_on(&self, metric: Metric) -> impl Iterator<Item = &Verdict> {
        let verdicts = self.verdicts.iter();
        verdicts.filter(move |verdict| verdict.metric == metric)
    }

    /// Who leads in a metric, where there is a verdict.
    pub fn lead(&self, metric: Metric) -> Option<&Lead> {
        self.leads.iter().find(|lead| lead.metric == metric)
    }

    /// The noise floor of a metric; the first one where several targets have a copy.
    pub fn noise_of(&self, metric: Metric) -> Option<&NoiseFloor> {
        self.noise.iter().find(|floor| floor.metric == metric)
    }
}

impl Head {
    /// Returns how long a round took, in seconds: the mean; `None` in results of older versions.
    pub fn round_s(&self) -> Option<f64> {
        Some(self.took_s? / f64::from(self.rounds_done.max(1)))
    }

    /// What shows what the machine can do, where the study names it.
    pub fn limit(&self) -> Option<&TargetRecord> {
        self.targets.iter().find(|target| target.limit)
    }
}

impl Comparison {
    /// Whether nothing was measured.
    pub(crate) fn is_empty(&self) -> bool {
        let targets = self.cells.iter().flat_map(|cell| &cell.targets);
        targets.map(|target| target.rounds).sum::<usize>() == 0
    }

    /// Computes a comparison from a results folder.
    pub fn from(results: &Results) -> Comparison {
        let cells = cells::cells(results);
        let head = head(results);
        let checks = checks::checks(results, &cells);
        let (failures, missing) = (gaps::failures(results), missing(results));
        let warnings = warnings::warnings(&head, &cells, &checks, (&failures, &missing));
        Comparison {
            version: VERSION,
            headline: headline::headline(results, &cells),
            setting: headline::setting::setting(results, &cells),
            trust: trust::trust(&warnings, &checks),
            also: headline::also::also(&cells),
            next: headline::also::next(&head, &cells),
            cost: gap::cost(&cells, results.study.settings.margin),
            stalls: stalls::stalls(&cells),
            short_load: stalls::short_load(&cells),
            warnings,
            head,
            scaling: scaling::scaling(&cells),
            out_of_line: sweeps::out_of_line(results, &cells),
            claims: claims::claims(results, &cells, &Analyses::of(results)),
            checks,
            failures,
            start_up: startup::start_ups(results),
            images: images::images(results),
            missing,
            cells,
        }
    }
}

impl Comparison {
    /// The names of the validity checks that failed for these servers at the place of a cell, or for the run as a whole.
    pub(crate) fn failed_checks(&self, cell: &Cell, targets: &[&str]) -> Vec<String> {
        let touches = |failing: &Failing| failing.touches(&cell.workload, &cell.level, targets);
        let failed = self.checks.iter();
        let failed = failed.filter(|check| check.failing.iter().any(touches));
        failed.map(|check| check.name.clone()).collect()
    }
}

fn head(results: &Results) -> Head {
    let study = &results.study;
    Head {
        name: study.name.clone(),
        title: study.title.clone(),
        source: study.source.clone(),
        notes: study.notes.clone(),
        left_out: study.left_out.iter().map(left_out::says).collect(),
        started: study.started.clone(),
        rounds_done: gaps::rounds_done(results),
        rounds_asked: gaps::rounds_asked(results),
        settings: study.settings.clone(),
        took_s: TrialRecord::took_s(&results.trials),
        busiest: busiest(results),
        server_cores: headline::setting::server_cores(results),
        seed: study.seed,
        targets: study.targets.clone(),
        services: study.services.clone(),
        machine: results.environment.clone(),
    }
}

/// The other process that used most CPU during any measurement.
fn busiest(results: &Results) -> Option<BusyProcess> {
    let machines = results
        .lines
        .iter()
        .filter_map(|line| line.machine.as_ref());
    let all = machines.filter_map(|machine| machine.busiest.as_ref());
    all.max_by(|a, b| a.cores.total_cmp(&b.cores)).cloned()
}

/// The interval that a verdict on two figures alone would have: of their ratio over the rounds (given with the round).
pub(crate) fn ratio(results: &Results, series: Series, resolution: f64) -> Option<Interval> {
    // Without a margin: a tie does not decide a condition.
    let judged = Analyses::of(results).judge(&[series], resolution, 0.0);
    judged.into_iter().next()?.decision.interval
}

/// The interval of the mean difference of two figures over the rounds that count, at the level that a verdict on them alone would have;
/// `None` under two rounds.
pub(crate) fn difference(results: &Results, series: &Series) -> Option<Interval> {
    let differences: Vec<f64> = (series.counted.iter())
        .map(|(_, (left, right))| left - right)
        .collect();
    let last = series.counted.iter().map(|(round, _)| *round).max()?;
    let level = Analyses::of(results).level(ALPHA, last);
    mean_interval(&differences, 0.0, level)
}

#[cfg(test)]
pub(crate) mod tests;
