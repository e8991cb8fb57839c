//! Who leads at a place, and by how much: no more than the verdicts on the pairs say.
//!
//! Verdicts on pairs need not make an order: A may be ahead of C while neither is told apart from B. So the leaders
//! are the smallest group, from the best mean down, of which *each* member is ahead of *each* target outside it.

use photofinish_stats::{Direction, Interval};
use schemars::JsonSchema;
use serde::Serialize;

use photofinish_model::Metric;
use photofinish_model::message::{Advantage, Message};
use photofinish_voice::verdict as found;

use crate::comparison::figures::TargetFigures;
use crate::comparison::verdict::Verdict;
use crate::comparison::verdict::metrics::JUDGED;
use crate::lists::pairs;

/// Who leads in a metric. Only contenders are in it, each list in the order of the study.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Lead {
    /// What is compared.
    pub metric: Metric,
    /// Those that lead: by a verdict, each of them is ahead of each of `behind`. All contenders where no group is ahead
    /// of the others.
    pub leaders: Vec<String>,
    /// Those that each leader is ahead of; empty where there are none.
    pub behind: Vec<String>,
    /// Those that are neither: no order between them and the leaders is claimed.
    pub beside: Vec<String>,
    /// Those of whom nothing may be said: every verdict on them is void.
    pub void: Vec<String>,
    /// By how much the leaders are ahead of those behind, at the least; `null` where none is behind.
    pub gap: Option<Gap>,
    /// How the leaders stand to one another; `null` where there is one.
    pub among: Option<Standing>,
    /// How many rounds in all would tell the leaders apart from one another and from those beside them, where that can be said.
    pub rounds_needed: Option<u32>,
}

/// The smallest distance between a leader and a target behind.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Gap {
    /// The leader.
    pub of: String,
    /// The one behind that comes nearest: the best of the rest.
    pub over: String,
    /// Leader / other: above 1 for throughput, below 1 for times. Of all such pairs, the ratio that is nearest to 1.
    pub ratio: f64,
    /// Its interval, that of the verdict on this pair.
    pub interval: Interval,
    /// Both in words.
    pub amount: Message,
}

/// How several leaders stand to one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// Every two of them tie.
    Tie,
    /// None is ahead of another, and not all tie.
    Undecided,
    /// Some are ahead of others, but no group of them of all the others.
    Mixed,
}

/// Who leads in each metric of [`JUDGED`]; a metric without any verdict is left out.
pub(crate) fn leads(contenders: &[&TargetFigures], verdicts: &[Verdict]) -> Vec<Lead> {
    let of = |metric| lead(metric, contenders, verdicts);
    JUDGED.into_iter().filter_map(of).collect()
}

fn lead(metric: Metric, contenders: &[&TargetFigures], verdicts: &[Verdict]) -> Option<Lead> {
    let verdicts = Pairs(verdicts.iter().filter(|v| v.metric == metric).collect());
    let is_judged = |verdict: &&Verdict| verdict.direction().is_some();
    verdicts.0.iter().copied().find(is_judged)?;
    let judged = contenders.iter().copied();
    let judged: Vec<&TargetFigures> = judged.filter(|t| verdicts.judged(&t.target)).collect();
    let void = contenders.iter().filter(|target| target.rounds > 0);
    let void: Vec<&str> = void
        .map(|target| target.target.as_str())
        .filter(|label| !verdicts.judged(label))
        .collect();
    let ranked = ranked(metric, &judged);
    if ranked.len() < 2 {
        return None;
    }
    let group = verdicts.group(&ranked);
    let (leaders, behind) = if group.len() < ranked.len() {
        let behind = ranked.iter().filter(|label| !group.contains(label));
        let behind = behind.copied().collect();
        (group, behind)
    } else {
        verdicts.first_ahead(&ranked).unwrap_or((group, Vec::new()))
    };
    let beside = contenders.iter().filter(|target| target.rounds > 0);
    let beside: Vec<&str> = beside
        .map(|target| target.target.as_str())
        .filter(|label| {
            ![&leaders, &behind, &void]
                .iter()
                .any(|known| known.contains(label))
        })
        .collect();
    let in_order = |labels: &[&str]| {
        let all = contenders.iter().map(|target| &target.target);
        all.filter(|label| labels.contains(&label.as_str()))
            .cloned()
            .collect()
    };
    Some(Lead {
        metric,
        gap: verdicts.gap(metric, &leaders, &behind),
        among: verdicts.standing(&leaders),
        rounds_needed: verdicts.rounds_needed(&leaders, &beside),
        leaders: in_order(&leaders),
        behind: in_order(&behind),
        beside: in_order(&beside),
        void: in_order(&void),
    })
}

/// The contenders that have a mean, the best first.
fn ranked<'t>(metric: Metric, contenders: &[&'t TargetFigures]) -> Vec<&'t str> {
    let mean = |target: &TargetFigures| target.figure(metric)?.mean;
    let mut ranked: Vec<(&str, f64)> = contenders
        .iter()
        .filter_map(|target| Some((target.target.as_str(), mean(target)?)))
        .collect();
    ranked.sort_by(|a, b| match metric.larger_is_better() {
        true => b.1.total_cmp(&a.1),
        false => a.1.total_cmp(&b.1),
    });
    ranked.into_iter().map(|(label, _)| label).collect()
}

impl Gap {
    /// The gap in a metric, as sentences state it.
    pub(crate) fn advantage(&self, metric: Metric) -> Advantage {
        advantage(metric, self.ratio, self.interval)
    }
}

/// Returns how far apart two targets are in a metric.
pub(crate) fn advantage(metric: Metric, ratio: f64, interval: Interval) -> Advantage {
    Advantage {
        metric,
        ratio,
        interval: Some(interval),
    }
}

/// The verdicts of one metric.
struct Pairs<'v>(Vec<&'v Verdict>);

impl<'v> Pairs<'v> {
    fn of(&self, a: &str, b: &str) -> Option<&'v Verdict> {
        let mut verdicts = self.0.iter().copied();
        verdicts.find(|verdict| verdict.is_between(a, b))
    }

    /// Whether any verdict on it says something.
    fn judged(&self, label: &str) -> bool {
        let mut own = self.0.iter().filter(|v| v.of == label || v.over == label);
        own.any(|verdict| verdict.direction().is_some())
    }

    fn is_ahead(&self, a: &str, b: &str) -> bool {
        let verdict = self.of(a, b);
        verdict.is_some_and(|verdict| verdict.ahead() == Some(a))
    }

    /// The smallest group with the best one in it of which each member is ahead of each target outside.
    fn group<'t>(&self, ranked: &[&'t str]) -> Vec<&'t str> {
        let mut group: Vec<&str> = ranked.iter().take(1).copied().collect();
        loop {
            let outside = ranked.iter().filter(|label| !group.contains(label));
            let joins: Vec<&str> = outside
                .filter(|other| group.iter().any(|member| !self.is_ahead(member, other)))
                .copied()
                .collect();
            if joins.is_empty() {
                return group;
            }
            group.extend(joins);
        }
    }

    /// The best one that is ahead of another while none is ahead of it, with those that it is ahead of.
    fn first_ahead<'t>(&self, ranked: &[&'t str]) -> Option<(Vec<&'t str>, Vec<&'t str>)> {
        ranked.iter().find_map(|label| {
            let beaten = ranked.iter().any(|other| self.is_ahead(other, label));
            let behind = ranked.iter().filter(|other| self.is_ahead(label, other));
            let behind: Vec<&str> = behind.copied().collect();
            (!beaten && !behind.is_empty()).then(|| (vec![*label], behind))
        })
    }

    fn gap(&self, metric: Metric, leaders: &[&str], behind: &[&str]) -> Option<Gap> {
        let gaps = leaders
            .iter()
            .flat_map(|leader| behind.iter().filter_map(|other| self.of(leader, other)))
            .filter_map(Verdict::from_ahead);
        // The logarithm makes a ratio of times and one of rates alike.
        let nearest = gaps.min_by(|a, b| a.2.ln().abs().total_cmp(&b.2.ln().abs()));
        nearest.map(|(of, over, ratio, interval)| {
            let advantage = advantage(metric, ratio, interval);
            Gap {
                of: of.to_owned(),
                over: over.to_owned(),
                ratio,
                interval,
                amount: found::amount(advantage, advantage),
            }
        })
    }

    /// The verdicts on every two of these.
    fn within(&self, labels: &[&str]) -> Vec<&'v Verdict> {
        pairs(labels).filter_map(|(a, b)| self.of(a, b)).collect()
    }

    fn standing(&self, leaders: &[&str]) -> Option<Standing> {
        if leaders.len() < 2 {
            return None;
        }
        let within = self.within(leaders);
        let tie = |verdict: &&Verdict| verdict.direction() == Some(Direction::Tie);
        Some(if within.iter().any(|verdict| verdict.ahead().is_some()) {
            Standing::Mixed
        } else if within.iter().all(tie) {
            Standing::Tie
        } else {
            Standing::Undecided
        })
    }

    fn rounds_needed(&self, leaders: &[&str], beside: &[&str]) -> Option<u32> {
        let mut pairs = self.within(leaders);
        let across = leaders.iter();
        pairs.extend(across.flat_map(|a| beside.iter().filter_map(|b| self.of(a, b))));
        let undecided = pairs
            .into_iter()
            .filter(|verdict| verdict.direction() == Some(Direction::Undecided));
        let needed: Option<Vec<u32>> = undecided.map(|verdict| verdict.rounds_needed()).collect();
        needed?.into_iter().max()
    }
}
