//! The rounds of one study on several pairs of machines, judged together.
//!
//! Each pair of machines has measured its rounds as a run of its own, which is judged by itself. Only the ratios of rounds meet here: by
//! pair of machines, never as one sample (`ratios.rs`).

mod progress;
mod ratios;
mod waves;

use std::collections::BTreeSet;

use photofinish_model::Load;
use photofinish_model::Metric;
use photofinish_model::message::Message;
use photofinish_model::store::Results;
use photofinish_stats::Interval;
use photofinish_voice::pooled as found;
use schemars::JsonSchema;
use serde::Serialize;

use crate::comparison::{self, Comparison, Grade, Head, Verdict};
use crate::days::differences::{Of, between};
use crate::lists;
pub(crate) use waves::{OnPairs, Waves};

/// The version of the format of [`Pooled`] in JSON.
pub const VERSION: u32 = 1;

/// The rounds of a study on several pairs of machines, judged together.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Pooled {
    /// The version of this format; see [`VERSION`].
    pub version: u32,
    /// The study's name.
    pub study: String,
    /// A line that says what is compared.
    pub title: String,
    /// The answer: the verdict on each pair of servers at each place in the headline's metric.
    pub says: Vec<Message>,
    /// What to know before a figure is quoted.
    pub warnings: Vec<Message>,
    /// The pairs of machines.
    pub machines: Vec<PairOfMachines>,
    /// The ratio of every two servers at every place, for every metric that is judged.
    pub ratios: Vec<PooledRatio>,
    /// What was run.
    #[serde(skip)]
    pub head: Head,
}

/// A pair of machines with what its own rounds show.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PairOfMachines {
    /// Its name.
    pub name: String,
    /// Its rounds in which every measurement was tried.
    pub rounds: u32,
    /// The processor of the servers' machine.
    pub processor: String,
    /// The verdict of its own rounds.
    pub headline: Message,
    /// Why none of its rounds count; `null` if they do.
    pub left_out: Option<Message>,
}

/// The ratio of two servers over several pairs of machines.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PooledRatio {
    /// The workload.
    pub workload: String,
    /// The load level in words.
    pub level: Message,
    /// The load level.
    pub load: Load,
    /// What is compared.
    pub metric: Metric,
    /// Server A.
    pub of: String,
    /// Server B.
    pub over: String,
    /// Whether the headline states this metric here.
    pub is_headline: bool,
    /// The ratio on each pair of machines.
    pub each: Vec<MachineRatio>,
    /// The verdict on these machines; `null` if no pair of machines has a ratio.
    pub on_these: Option<Verdict>,
    /// The verdict on machines like these; `null` for fewer than four pairs of machines.
    pub like_these: Option<Verdict>,
    /// How much the ratios differ from machine to machine; `null` if that cannot be tested.
    pub heterogeneity: Option<Heterogeneity>,
    /// The pairs of machines that certainly disagree with the others by more than the margin.
    pub deviating: Vec<Deviating>,
    /// The same in words, and what is left out.
    pub notes: Vec<Message>,
}

/// The ratio of two servers on one pair of machines.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct MachineRatio {
    /// The pair of machines.
    pub machine: String,
    /// Its rounds that count.
    pub rounds: usize,
    /// The ratio; `null` if it does not count.
    pub ratio: Option<f64>,
    /// Its 95% interval by its own rounds; `null` under two rounds.
    pub interval: Option<Interval>,
}

/// How much ratios differ from machine to machine.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Heterogeneity {
    /// Cochran's Q.
    pub q: f64,
    /// The probability of such a Q, or a larger one, if all machines have the same ratio.
    pub p_value: f64,
    /// The standard deviation of the machines' own log ratios, τ.
    pub sd: f64,
}

/// A pair of machines that disagrees with the others.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Deviating {
    /// The pair of machines.
    pub machine: String,
    /// Its ratio over the geometric mean of the others' ratios.
    pub ratio: f64,
}

/// A run on one pair of machines, with what it was judged to show.
struct MachineRun<'r> {
    name: &'r str,
    comparison: &'r Comparison,
    left_out: Option<&'r Message>,
}

/// Runs on several pairs of machines, each judged by itself and all of them together.
#[derive(Clone, Debug)]
pub struct PairRuns {
    /// The run of each pair of machines.
    pub runs: Vec<Results>,
    /// What each was judged to show by itself, in the same order.
    pub comparisons: Vec<Comparison>,
    /// What they show together.
    pub pooled: Pooled,
}

impl PairRuns {
    /// Judges runs on several pairs of machines; `None` without any.
    pub fn judged(runs: Vec<Results>) -> Option<PairRuns> {
        let comparisons: Vec<Comparison> = runs.iter().map(Comparison::from).collect();
        let pooled = Pooled::of(&runs, &comparisons)?;
        Some(PairRuns {
            runs,
            comparisons,
            pooled,
        })
    }

    /// The runs that count, each with the name of its pair of machines and what it was judged to show.
    pub(crate) fn counted(&self) -> Vec<(&str, &Results, &Comparison)> {
        let each = (self.pooled.machines.iter())
            .zip(&self.runs)
            .zip(&self.comparisons);
        each.filter(|((machine, _), _)| machine.left_out.is_none())
            .map(|((machine, run), comparison)| (machine.name.as_str(), run, comparison))
            .collect()
    }
}

impl Pooled {
    /// Judges runs on several pairs of machines together; `None` without any.
    pub fn from(runs: &[Results]) -> Option<Pooled> {
        let comparisons: Vec<Comparison> = runs.iter().map(Comparison::from).collect();
        Pooled::of(runs, &comparisons)
    }

    /// Judges runs together that are judged by themselves already, in their order.
    pub fn of(runs: &[Results], comparisons: &[Comparison]) -> Option<Pooled> {
        let first = runs.first()?;
        let head = comparisons.first()?.head.clone();
        let names = names(runs);
        let left_out: Vec<Option<Message>> = (runs.iter())
            .map(|run| another_study(&names[0], first, run))
            .collect();
        let each = names.iter().zip(comparisons).zip(&left_out);
        let each: Vec<MachineRun> = each
            .map(|((name, comparison), left_out)| MachineRun {
                name,
                comparison,
                left_out: left_out.as_ref(),
            })
            .collect();
        let counted = (runs.iter().zip(comparisons).zip(&left_out))
            .filter(|(_, left_out)| left_out.is_none())
            .map(|(run, _)| run);
        let waves = Waves::of(&counted.collect::<Vec<_>>());
        let ratios = ratios::ratios(&each, &head, &waves);
        Some(Pooled {
            version: VERSION,
            study: head.name.clone(),
            title: head.title.clone(),
            says: says(&ratios, head.settings.smoke),
            warnings: warnings(&each),
            machines: each.iter().map(MachineRun::summary).collect(),
            ratios,
            head,
        })
    }
}

/// How many rounds of a run are measured with nothing missing.
pub fn measured_rounds(results: &Results) -> u32 {
    let begun: BTreeSet<u32> = results.lines.iter().map(|line| line.round).collect();
    let missing = comparison::missing(results).into_iter();
    let missing: BTreeSet<u32> = missing.flat_map(|missing| missing.rounds).collect();
    let failed = results
        .lines
        .iter()
        .filter(|line| line.measurement.is_none());
    let failed: BTreeSet<u32> = failed.map(|line| line.round).collect();
    let is_whole = |round: &&u32| !missing.contains(round) && !failed.contains(round);
    begun.iter().filter(is_whole).count() as u32
}

/// The names of the pairs of machines; a run that was made by itself has the one of its folder.
fn names(runs: &[Results]) -> Vec<String> {
    let name = |run: &Results| {
        let folder = run.dir.file_name().unwrap_or_default().to_string_lossy();
        run.study.pair.clone().unwrap_or(folder.into_owned())
    };
    runs.iter().map(name).collect()
}

/// Why the rounds of a run do not count with the first run's: other programs were measured, or in another way.
fn another_study(name: &str, first: &Results, run: &Results) -> Option<Message> {
    let differs = between(first, run).into_iter();
    let mut of_study = differs.filter(|difference| difference.of == Of::Study);
    Some(found::another_study(name, of_study.next()?.says))
}

impl MachineRun<'_> {
    fn summary(&self) -> PairOfMachines {
        PairOfMachines {
            name: self.name.to_owned(),
            rounds: self.comparison.head.rounds_done,
            processor: self.comparison.head.machine.cpu.clone(),
            headline: self.comparison.headline.clone(),
            left_out: self.left_out.cloned(),
        }
    }
}

/// The nodes of a cluster that several pairs of machines have in common.
fn shared_nodes(runs: &[MachineRun]) -> Vec<Message> {
    let pods = runs.iter().flat_map(|run| {
        let machines = run.comparison.head.machine.machines.iter();
        let pods = machines.flat_map(|machines| &machines.pods);
        pods.map(|pod| (pod.machine.as_str(), run.name))
    });
    let nodes = lists::by_key(pods).into_iter();
    let shared = nodes.map(|(node, mut names)| {
        names.dedup();
        (node, names)
    });
    shared
        .filter(|(_, names)| names.len() > 1)
        .map(|(node, names)| {
            let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
            found::share_node(names, node)
        })
        .collect()
}

fn warnings(runs: &[MachineRun]) -> Vec<Message> {
    let mut warnings = shared_nodes(runs);
    for run in runs {
        let name = run.name;
        warnings.extend((run.left_out).map(|why| found::does_not_count(name, why.clone())));
        let trust = &run.comparison.trust;
        if trust.grade != Grade::Quotable {
            warnings.push(found::trust(name, trust.says.clone()));
        }
        // A server that cannot be built fails in each round in the same way.
        let failures = run.comparison.failures.iter();
        let failures = failures.map(|failure| ((&failure.target, &failure.why), failure.round));
        for ((server, why), rounds) in lists::by_key(failures) {
            warnings.push(found::failed(name, server, rounds[0], why.clone()));
        }
    }
    warnings
}

/// The verdicts on the headline's metric, place by place.
fn says(ratios: &[PooledRatio], is_smoke: bool) -> Vec<Message> {
    if is_smoke {
        return vec![found::smoke()];
    }
    let mut says = Vec::new();
    for ratio in ratios.iter().filter(|ratio| ratio.is_headline) {
        let counted = ratio.each.iter().filter(|one| one.ratio.is_some()).count();
        says.extend((ratio.on_these.as_ref()).map(|it| found::on_these(counted, it.says.clone())));
        says.extend((ratio.like_these.as_ref()).map(|it| found::like_these(it.says.clone())));
        says.extend(ratio.notes.iter().cloned());
    }
    if says.is_empty() {
        says.push(found::nothing());
    }
    says
}

#[cfg(test)]
mod tests;
