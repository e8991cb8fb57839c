//! How many rounds a half-width takes, how much time, and how many pairs of machines would do it in a given time: by the spread of
//! stored rounds.
//!
//! A half-width is reached once the interval of every ratio of throughputs is that narrow, as `--half-width` asks for.

use std::time::Duration;

use photofinish_model::message::Message;
use photofinish_model::settings::{MAX_ROUNDS, RaceSettings};
use photofinish_model::store::Results;
use photofinish_model::units::margin;
use photofinish_model::{Metric, Place};
use photofinish_stats::Width;
use photofinish_stats::half_width::MOST_PAIRS;
use photofinish_stats::planning::MOST_ROUNDS;
use photofinish_voice::half_width as found;
use schemars::JsonSchema;
use serde::Serialize;

use crate::comparison::{Cell, Comparison, Verdict};
use crate::history::AD_HOC;

/// The version of the format of [`HalfWidthPlan`] in JSON.
pub const VERSION: u32 = 1;

/// The half-widths of every table.
const USUAL: [f64; 3] = [0.05, 0.02, 0.01];

/// The half-width that is planned for if none is asked for.
pub const DEFAULT: f64 = 0.02;

/// The half-widths of the forecast before a study starts.
const FORECAST: [f64; 2] = [0.05, DEFAULT];

/// The time for several pairs of machines if neither the request nor the study has one.
const WITHIN: Duration = Duration::from_secs(20 * 60);

/// The numbers of pairs of machines that each plan has a row for.
const PAIRS: [u32; 4] = [1, 2, 4, 6];

/// A forecast of the rounds, time and machines that half-widths take, by the rounds of a run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct HalfWidthPlan {
    /// The version of this format; see [`VERSION`].
    pub version: u32,
    /// The study's name.
    pub study: String,
    /// A line that says what is compared.
    pub title: String,
    /// The run's results folder.
    pub folder: String,
    /// When the run began: RFC 3339, UTC.
    pub started: String,
    /// The run's rounds in which every measurement was tried.
    pub rounds: u32,
    /// How long a round took, in seconds: the mean; `null` in results of older versions.
    pub round_s: Option<f64>,
    /// The ratios of throughputs: of each two servers, at every workload and load level.
    pub ratios: usize,
    /// The half-width of the widest interval so far, as a share of its ratio.
    pub widest: f64,
    /// The half-width that half of the intervals have by now, as a share of the ratio.
    pub median: f64,
    /// The time in which several pairs of machines are to be done, in seconds.
    pub within_s: f64,
    /// The half-width that was asked for, as a share of the ratio.
    pub asked: f64,
    /// The rounds, time and machines of each half-width, the widest first.
    pub needs: Vec<Need>,
    /// The same in words, for the half-width that was asked for.
    pub says: Vec<Message>,
}

/// The rounds, time and machines that a half-width takes.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Need {
    /// The half-width, as a share of the ratio.
    pub half_width: f64,
    /// The rounds in all until the interval of every ratio is that narrow; `null` if no practical number is enough.
    pub rounds: Option<u32>,
    /// The rounds if the spread is at the lower end of its 80% interval.
    pub at_least: Option<u32>,
    /// The rounds if the spread is at the upper end of its 80% interval; `null` if no practical number is enough then.
    pub at_most: Option<u32>,
    /// The time that the rounds take on one pair of machines, in seconds; `null` where one of both is not known.
    pub time_s: Option<f64>,
    /// The rounds in all until half of the ratios have so narrow an interval.
    pub rounds_for_half_of_the_ratios: Option<u32>,
    /// The fewest pairs of machines that are done in the given time if the rounds are dealt out over them; `null` if no practical number is.
    pub pairs: Option<u32>,
    /// The rounds of each of these pairs.
    pub rounds_of_a_pair: Option<u32>,
    /// The rounds and the time on some numbers of pairs.
    pub on_pairs: Vec<OnPairs>,
}

/// The rounds and the time that a half-width takes on several pairs of machines.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct OnPairs {
    /// The pairs of machines.
    pub pairs: u32,
    /// The rounds in all, equally many on each pair, until the interval of every ratio *on these machines* is that narrow; `null` if no
    /// practical number is enough.
    pub rounds: Option<u32>,
    /// The rounds of each pair.
    pub rounds_of_a_pair: Option<u32>,
    /// The time that they take, in seconds; `null` where the rounds or the time of a round is not known.
    pub time_s: Option<f64>,
}

/// Why nothing can be planned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There are too few rounds, or too few servers.
    #[error(
        "the run in {folder} does not show how much rounds differ: that takes two servers in two rounds; run `{command}` first"
    )]
    NoSpread {
        /// The run's results folder.
        folder: String,
        /// The command that runs the study.
        command: String,
    },
}

/// Returns the command that runs a study.
pub fn command(study: &str) -> String {
    match study {
        AD_HOC => "photofinish compare".to_owned(),
        study => format!("photofinish run {study}"),
    }
}

/// The ratio of two servers at a place, and the width of its interval.
struct Ratio<'c> {
    cell: &'c Cell,
    verdict: &'c Verdict,
    width: Width,
    so_far: f64,
}

fn ratios(comparison: &Comparison) -> Vec<Ratio<'_>> {
    let all = comparison.cells.iter().flat_map(|cell| {
        let verdicts = cell.verdicts_on(Metric::Throughput);
        verdicts.map(move |verdict| (cell, verdict))
    });
    let found = all.filter_map(|(cell, verdict)| {
        let width = verdict.width?;
        Some(Ratio {
            cell,
            verdict,
            width,
            so_far: width.so_far()?,
        })
    });
    found.collect()
}

impl HalfWidthPlan {
    /// Plans by a run for the half-width `asked` and the usual ones; with several pairs of machines they are to be reached in the time `within`,
    /// else in the study's own time budget.
    ///
    /// # Errors
    /// If the run does not show how much rounds differ.
    pub fn from(
        results: &Results,
        asked: f64,
        within: Option<Duration>,
    ) -> Result<HalfWidthPlan, Error> {
        let comparison = Comparison::from(results);
        let head = &comparison.head;
        let ratios = ratios(&comparison);
        let by_width = |a: &&Ratio, b: &&Ratio| a.so_far.total_cmp(&b.so_far);
        let Some(widest) = ratios.iter().max_by(by_width) else {
            return Err(Error::NoSpread {
                folder: results.dir.display().to_string(),
                command: command(&head.name),
            });
        };
        let mut reached: Vec<f64> = ratios.iter().map(|ratio| ratio.so_far).collect();
        reached.sort_by(f64::total_cmp);
        let within = within.or(head.settings.within).unwrap_or(WITHIN);
        let widths: Vec<Width> = ratios.iter().map(|ratio| ratio.width).collect();
        let terms = Terms {
            widths: &widths,
            round_s: head.round_s(),
            within_s: within.as_secs_f64(),
        };
        let mut wanted = USUAL.to_vec();
        wanted.push(asked);
        wanted.sort_by(|a, b| b.total_cmp(a));
        wanted.dedup();
        let place = Place::of(&widest.cell.workload, &widest.cell.load);
        let stored = found::stored(
            ratios.len(),
            head.rounds_done,
            head.round_s().map(found::round_takes),
            widest.so_far,
            &widest.verdict.of,
            &widest.verdict.over,
            place,
        );
        let need = terms.need(asked);
        Ok(HalfWidthPlan {
            version: VERSION,
            study: head.name.clone(),
            title: head.title.clone(),
            folder: results.dir.display().to_string(),
            started: head.started.clone(),
            rounds: head.rounds_done,
            round_s: head.round_s(),
            ratios: ratios.len(),
            widest: widest.so_far,
            median: reached[(reached.len() - 1) / 2],
            within_s: terms.within_s,
            asked,
            needs: wanted.into_iter().map(|half| terms.need(half)).collect(),
            says: [vec![stored], terms.says(&need, &head.name)].concat(),
        })
    }

    /// Returns the line that is printed before the study starts; `None` if the time of a round is not known.
    pub fn forecast(&self) -> Option<Message> {
        let mut parts: Vec<Message> = Vec::new();
        let mut known: Option<u32> = None;
        for half in FORECAST.into_iter().rev() {
            let need = self.needs.iter().find(|need| need.half_width == half)?;
            // A wider interval that takes as many rounds says nothing more.
            if need.rounds.is_some() && need.rounds == known {
                continue;
            }
            known = need.rounds;
            let part = match need.rounds {
                None => found::not_reached(half),
                Some(_) if half == DEFAULT => found::needs_about(half, rough(need.time_s?)),
                Some(_) => found::reached_in(half, rough(need.time_s?)),
            };
            parts.insert(0, part);
        }
        Some(found::forecast(parts, &self.started))
    }
}

/// A time as exact as a forecast is: whole minutes from two minutes on, steps of five from half an hour on.
fn rough(seconds: f64) -> f64 {
    let step = match seconds {
        ..120.0 => 5.0,
        ..1_800.0 => 60.0,
        _ => 300.0,
    };
    (seconds / step).ceil() * step
}

/// The intervals of all ratios, how long a round takes, and how much time there is.
struct Terms<'w> {
    widths: &'w [Width],
    round_s: Option<f64>,
    within_s: f64,
}

impl Terms<'_> {
    fn need(&self, half: f64) -> Need {
        let rounds = self.rounds_for(half, 1);
        let range = |end: usize| {
            let needed = self.widths.iter().map(|width| {
                let range = width.range()?;
                range[end].rounds_for(half, 1)
            });
            all(needed)
        };
        let mut single: Vec<u32> = (self.widths.iter())
            .map(|width| width.rounds_for(half, 1).unwrap_or(u32::MAX))
            .collect();
        single.sort_unstable();
        let half_of_them = single.get((single.len().max(1) - 1) / 2);
        let pairs = self.pairs(half);
        Need {
            half_width: half,
            rounds,
            at_least: range(0),
            at_most: range(1),
            time_s: rounds.and_then(|rounds| Some(self.round_s? * f64::from(rounds))),
            rounds_for_half_of_the_ratios: half_of_them
                .copied()
                .filter(|rounds| *rounds < u32::MAX),
            pairs: pairs.map(|(pairs, _)| pairs),
            rounds_of_a_pair: pairs.map(|(_, rounds)| rounds),
            on_pairs: PAIRS.map(|pairs| self.on_pairs(half, pairs)).to_vec(),
        }
    }

    fn on_pairs(&self, half: f64, pairs: u32) -> OnPairs {
        let each = self.of_a_pair(half, pairs);
        OnPairs {
            pairs,
            rounds: each.map(|each| each * pairs),
            rounds_of_a_pair: each,
            time_s: each.and_then(|each| Some(self.round_s? * f64::from(each))),
        }
    }

    /// The rounds of each pair of machines until every interval is that narrow.
    fn of_a_pair(&self, half: f64, pairs: u32) -> Option<u32> {
        Some(self.rounds_for(half, pairs)?.div_ceil(pairs))
    }

    /// The rounds until every interval is that narrow.
    fn rounds_for(&self, half: f64, pairs: u32) -> Option<u32> {
        all(self
            .widths
            .iter()
            .map(|width| width.rounds_for(half, pairs)))
    }

    /// The fewest pairs of machines that are done in time, with the rounds of each.
    fn pairs(&self, half: f64) -> Option<(u32, u32)> {
        let most = self.within_s / self.round_s.filter(|round| *round > 0.0)?;
        let of = |pairs: u32| Some((pairs, self.of_a_pair(half, pairs)?));
        let mut found = (1..=MOST_PAIRS).map_while(of);
        found.find(|(_, rounds)| f64::from(*rounds) <= most)
    }

    /// Returns what a half-width takes, in words.
    fn says(&self, need: &Need, study: &str) -> Vec<Message> {
        let half = need.half_width;
        let Some(rounds) = need.rounds else {
            return vec![found::out_of_reach(half, MOST_ROUNDS)];
        };
        let range = match (need.at_least, need.at_most) {
            (Some(low), Some(high)) if low < high => Some(found::range(low, high)),
            (Some(low), None) => Some(found::range_from(low)),
            _ => None,
        };
        let time = need.time_s.map(found::on_one_pair);
        let mut says = vec![found::needs(half, rounds, range, time)];
        if let Some(command) = to_reach(study, need) {
            says.push(found::run_with(command));
        }
        if self.round_s.is_some() {
            says.push(match need.pairs.zip(need.rounds_of_a_pair) {
                Some((pairs, rounds)) => found::pairs(half, self.within_s, pairs, rounds),
                None => found::too_many_pairs(half, self.within_s, MOST_PAIRS),
            });
        }
        says.extend([found::on_these_machines(), found::assumption()]);
        says
    }
}

/// The largest of these numbers, if each of them is known.
fn all(mut numbers: impl Iterator<Item = Option<u32>>) -> Option<u32> {
    let first = numbers.next()??;
    numbers.try_fold(first, |most, number| Some(most.max(number?)))
}

/// The command that reaches a half-width; `None` for a race of commands, which are not repeated here, and if `--half-width` adds fewer
/// rounds than that.
fn to_reach(study: &str, need: &Need) -> Option<String> {
    let most = *MAX_ROUNDS.end();
    if study == AD_HOC || need.rounds.is_none_or(|rounds| rounds > most) {
        return None;
    }
    let cap = need.at_most.map_or(most, |rounds| rounds.min(most));
    let cap = match cap > RaceSettings::MAX_ROUNDS {
        true => format!(" --max-rounds {cap}"),
        false => String::new(),
    };
    let half = margin(need.half_width);
    Some(format!("{} --half-width {half}{cap}", command(study)))
}

#[cfg(test)]
mod tests;
