//! The ratio of every two servers over several pairs of machines, and the verdicts on it.

use photofinish_model::Metric;
use photofinish_model::message::Message;
use photofinish_stats::OverMachines;
use photofinish_stats::machines::FEWEST_LIKE_THESE;
use photofinish_voice::pooled as found;
use photofinish_voice::verdict::note;

use super::waves::{OnPairs, Waves};
use super::{Deviating, Heterogeneity, MachineRatio, MachineRun, PooledRatio};
use crate::comparison::{self, ALPHA, Cell, Estimate, Head, Judged, Verdict, judged, series, void};
use crate::lists;

/// A heterogeneity with a smaller p-value is stated as one.
const DIFFERS: f64 = 0.05;

/// A ratio before the comparisons have shared the error.
struct Draft<'c> {
    cell: &'c Cell,
    metric: Metric,
    servers: (&'c str, &'c str),
    each: Vec<MachineRatio>,
    /// The names of the pairs of machines that count.
    names: Vec<&'c str>,
    on_pairs: OnPairs,
    notes: Vec<Message>,
}

/// The ratios of all places; those on a metric are one family of Holm's procedure, for either verdict.
pub(super) fn ratios(runs: &[MachineRun], head: &Head, waves: &Waves) -> Vec<PooledRatio> {
    let mut ratios = Vec::new();
    let cells = runs.iter().flat_map(|run| &run.comparison.cells);
    let places = lists::by_key(cells.map(|cell| ((&cell.workload, &cell.load), cell)));
    if head.settings.smoke {
        return ratios;
    }
    let margin = head.settings.margin;
    for metric in comparison::JUDGED {
        let drafts: Vec<Draft> = (places.iter())
            .filter_map(|(_, cells)| cells.iter().max_by_key(|cell| cell.contenders().count()))
            .flat_map(|cell| drafts(runs, cell, metric))
            .collect();
        let all: Vec<OnPairs> = drafts.iter().map(|draft| draft.on_pairs.clone()).collect();
        let mut these = waves.judge(&all, |over| Some(over.on_these()), margin);
        waves.foresee(&mut these, margin);
        let like_these = waves.judge(&all, OverMachines::like_these, margin);
        let both = these.into_iter().zip(like_these);
        let terms = Terms {
            margin,
            cap: waves.cap(),
        };
        ratios.extend(
            (drafts.into_iter().zip(both))
                .map(|(draft, (these, like_these))| draft.judged(these, like_these, &terms)),
        );
    }
    ratios
}

/// What all ratios share.
struct Terms {
    margin: f64,
    /// The most rounds, if they are added until it is decided.
    cap: Option<u32>,
}

/// A p-value with three decimals, which smaller ones do not have.
fn p_value(p: f64) -> String {
    match p < 0.001 {
        true => "p < 0.001".to_owned(),
        false => format!("p = {p:.3}"),
    }
}

/// Every two contenders of a place on all machines.
fn drafts<'c>(runs: &'c [MachineRun], cell: &'c Cell, metric: Metric) -> Vec<Draft<'c>> {
    let contenders: Vec<&str> = (cell.contenders())
        .map(|target| target.target.as_str())
        .collect();
    if !judged(cell.contenders()).contains(&metric) {
        return Vec::new();
    }
    let pairs = lists::pairs(&contenders);
    pairs
        .map(|servers| Draft::of(runs, cell, metric, servers))
        .collect()
}

impl<'c> Draft<'c> {
    fn of(
        runs: &'c [MachineRun],
        cell: &'c Cell,
        metric: Metric,
        servers: (&'c str, &'c str),
    ) -> Draft<'c> {
        let (of, over) = servers;
        let mut draft = Draft {
            cell,
            metric,
            servers,
            each: Vec::new(),
            names: Vec::new(),
            on_pairs: OnPairs {
                each: Vec::new(),
                resolution: metric.resolution(),
            },
            notes: Vec::new(),
        };
        for run in runs.iter().filter(|run| run.left_out.is_none()) {
            let mut cells = run.comparison.cells.iter();
            let here = cells.find(|own| own.is_at(&cell.workload, &cell.load));
            let both = here.and_then(|own| Some((own.target(of)?, own.target(over)?)));
            let mut one = MachineRatio {
                machine: run.name.to_owned(),
                rounds: 0,
                ratio: None,
                interval: None,
            };
            if let Some((a, b)) = both {
                let resolution = comparison::resolution([a, b], metric);
                draft.on_pairs.resolution = draft.on_pairs.resolution.max(resolution);
                let series = series(a, b, metric);
                match (void(metric, a, b), series.paired(u32::MAX)) {
                    (Some(invalid), _) => {
                        let says = found::does_not_count(run.name, invalid.reason);
                        draft.notes.push(says);
                    }
                    (None, Some(paired)) => {
                        one.rounds = paired.rounds;
                        one.ratio = Some(paired.ratio());
                        one.interval = paired.interval(ALPHA, resolution);
                        draft.names.push(run.name);
                        draft.on_pairs.each.push(series);
                    }
                    (None, None) => {}
                }
            }
            draft.each.push(one);
        }
        draft
    }

    /// The ratio with its verdicts, each by the share of the error that it has among all ratios.
    fn judged(self, on_these: Judged, like_these: Judged, terms: &Terms) -> PooledRatio {
        let (of, over) = self.servers;
        let rounds = self.each.iter().map(|one| one.rounds).sum();
        let verdict = |judged: Judged| {
            let estimate = Estimate {
                rounds,
                paired: judged.paired?,
                judged,
                margin: terms.margin,
                resolution: self.on_pairs.resolution,
                cap: terms.cap,
                is_sustained: self.cell.load.objective().is_some(),
            };
            Some(Verdict::of_estimate(self.metric, self.servers, estimate))
        };
        let (on_these, like_these) = (verdict(on_these), verdict(like_these));
        let all = self.on_pairs.upto(u32::MAX);
        let heterogeneity = all.as_ref().and_then(OverMachines::heterogeneity);
        let deviating = all.map(|over| over.deviating(terms.margin, ALPHA));
        let deviating = deviating.unwrap_or_default().into_iter();
        let deviating: Vec<Deviating> = deviating
            .map(|deviation| Deviating {
                machine: self.names[deviation.machine].to_owned(),
                ratio: deviation.ratio,
            })
            .collect();
        let mut notes = self.notes;
        notes.extend(heterogeneity.map(|it| match it.p_value < DIFFERS {
            true => found::differ(it.sd, it.q, p_value(it.p_value)),
            false => found::alike(it.q, p_value(it.p_value)),
        }));
        let says = deviating.iter();
        notes.extend(says.map(|one| found::deviates(&one.machine, one.ratio)));
        let decided = on_these.as_ref().and_then(Verdict::decided_after);
        notes.extend(decided.map(|rounds| note::decided_after(rounds as usize)));
        if like_these.is_none() && self.names.len() < FEWEST_LIKE_THESE {
            notes.push(found::needs_machines(FEWEST_LIKE_THESE));
        }
        PooledRatio {
            workload: self.cell.workload.clone(),
            level: self.cell.level.clone(),
            load: self.cell.load.clone(),
            metric: self.metric,
            of: of.to_owned(),
            over: over.to_owned(),
            is_headline: self.metric == self.cell.headline_metric,
            each: self.each,
            on_these,
            like_these,
            heterogeneity: heterogeneity.map(|it| Heterogeneity {
                q: it.q,
                p_value: it.p_value,
                sd: it.sd,
            }),
            deviating,
            notes,
        }
    }
}
