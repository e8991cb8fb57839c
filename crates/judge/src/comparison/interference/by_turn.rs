//! Ratios of rounds that are made turn by turn: those of medians, and those of throughputs at equally fast cores.
//!
//! What a target's own figure says is of all its requests, as measured.

use std::collections::{BTreeMap, BTreeSet};

use photofinish_model::{Disturbed, Metric, Turn, Turns};
use photofinish_stats::Paired;
use photofinish_stats::equal_speed::{EqualSpeed, Slices};
use photofinish_stats::turns::{self, median_ratio, ratio_of_totals, variance_of_median};
use photofinish_voice::verdict::note as found;

use crate::comparison::figures::TargetFigures;
use crate::comparison::note::Note;
use crate::comparison::verdict::series::{Rounds, Series};

/// A slice with fewer requests than this does not have ten on either side of its median.
const FOR_MEDIAN: f64 = 20.0;
/// Where no more than this share of a round's turns was disturbed by nothing but uneven cores, those count that count for figures.
const FEWEST: f64 = 0.2;

/// The ratios of the rounds in which they are made turn by turn, those that do not count too; empty for metrics of which they never are.
pub(crate) fn ratios(a: &TargetFigures, b: &TargetFigures, metric: Metric) -> BTreeMap<u32, f64> {
    match metric {
        Metric::P50 => {
            let rounds = a.turns.keys();
            let ratios = rounds.map(|round| Some((*round, ratio_of_medians(a, b, *round)?)));
            ratios.flatten().collect()
        }
        Metric::Throughput => {
            let flows = at_equal_speed(a, b).map(|equal| equal.ratios);
            let flows = flows.unwrap_or_default().into_iter();
            flows
                .map(|(round, ratio)| (round, ratio * slow_down(a, b, round)))
                .collect()
        }
        _ => BTreeMap::new(),
    }
}

/// By what factor stalls change the ratio of a round: what they leave of one target's throughput, over what they leave of the other's.
pub(super) fn slow_down(a: &TargetFigures, b: &TargetFigures, round: u32) -> f64 {
    let left = |target: &TargetFigures| {
        let flow_rps = target.stalls.get(&round)?.flow_rps;
        let all = [TargetFigures::counted, TargetFigures::aside];
        let rps = all
            .iter()
            .find_map(|of| of(target, Metric::Throughput).get(&round).copied())?;
        Some(rps / flow_rps)
    };
    let both = left(a).zip(left(b)).map(|(a, b)| a / b);
    both.filter(|both| both.is_finite() && *both > 0.0)
        .unwrap_or(1.0)
}

/// Whether the ratio of any round is made turn by turn.
pub(crate) fn has_ratios(a: &TargetFigures, b: &TargetFigures, metric: Metric) -> bool {
    !ratios(a, b, metric).is_empty()
}

/// Two figures of a round with this ratio, where there is one: around their geometric mean.
pub(crate) fn around((a, b): (f64, f64), ratio: Option<f64>) -> (f64, f64) {
    match ratio.filter(|_| a > 0.0 && b > 0.0) {
        Some(ratio) => {
            let (middle, half) = ((a * b).sqrt(), ratio.sqrt());
            (middle * half, middle / half)
        }
        None => (a, b),
    }
}

/// The rounds' figures of two targets, as pairs, where both have one. Those of a round in turns have the
/// ratio of these, where it is made turn by turn.
pub(crate) fn series(a: &TargetFigures, b: &TargetFigures, metric: Metric) -> Series {
    let ratios = ratios(a, b, metric);
    let pairs = |of_a: BTreeMap<u32, f64>, of_b: BTreeMap<u32, f64>| {
        let both = of_a.into_iter();
        let both = both.filter_map(|(round, a)| Some((round, (a, *of_b.get(&round)?))));
        both.map(|(round, pair)| (round, around(pair, ratios.get(&round).copied())))
            .collect()
    };
    let equal = at_equal_speed(a, b).filter(|_| metric == Metric::Throughput);
    let counted: Rounds = pairs(a.counted(metric), b.counted(metric));
    let implied = (counted.iter())
        .filter_map(|(round, _)| Some((*round, implied((a, b), metric, *round, equal.as_ref())?)));
    Series {
        implied: implied.collect(),
        counted,
        aside: pairs(a.aside(metric), b.aside(metric)),
        uncertainty: equal.map_or(0.0, |equal| equal.how.uncertainty()),
    }
}

/// The variance of the logarithm of a round's ratio that its turns imply; `None` for metrics that have no figure of single turns, and without turns.
fn implied(
    (a, b): (&TargetFigures, &TargetFigures),
    metric: Metric,
    round: u32,
    equal: Option<&AtEqualSpeed>,
) -> Option<f64> {
    match metric {
        Metric::P50 => variance_of_median(&medians_of_both(a, b, round)?),
        Metric::Throughput | Metric::Mean => {
            if let Some(equal) = equal {
                return equal.variances.get(&round).copied();
            }
            ratio_of_totals(throughputs(
                a.turns.get(&round)?,
                b.turns.get(&round)?,
                None,
            ))?
            .variance
        }
        _ => None,
    }
}

/// What both have done in each turn that counts, at equally fast cores if that is known.
pub(super) fn throughputs(a: &Turns, b: &Turns, equal: Option<&AtEqualSpeed>) -> Vec<(f64, f64)> {
    let Some(equal) = equal else {
        let counted = flowing(a, b).filter(|(turn, _)| turn.counts());
        return counted
            .map(|(a, b)| (a.throughput_rps, b.throughput_rps))
            .collect();
    };
    comparable(a, b)
        .filter_map(slices)
        .map(|slices| equal.how.corrected(&slices))
        .collect()
}

/// By how much each of these targets' figures lies beside those of all of them in a round, as a ratio, by the turns: by target (round, ratio).
/// They spread as the ratios of two of them do. `None` where a round has none for all of them.
pub(crate) fn beside(targets: &[&TargetFigures], metric: Metric) -> Vec<Option<Series<f64>>> {
    let beside = match metric {
        Metric::P50 => medians_beside(targets),
        _ => Some(
            (0..targets.len())
                .map(|one| of_pairs(targets, one, metric))
                .collect(),
        ),
    };
    match beside {
        Some(beside) => beside.into_iter().map(Some).collect(),
        None => vec![None; targets.len()],
    }
}

/// That ratios are made turn by turn, and what the figures as measured give; `None`: no round's is.
pub(crate) fn note(a: &TargetFigures, b: &TargetFigures, metric: Metric) -> Option<Note> {
    let measured = || {
        let rounds = (a.figure(metric)?.rounds.iter()).zip(&b.figure(metric)?.rounds);
        let pairs: Vec<(f64, f64)> = rounds.filter_map(|(a, b)| Some(((*a)?, (*b)?))).collect();
        Paired::new(&pairs).as_ref().map(Paired::ratio)
    };
    match metric {
        Metric::P50 if has_ratios(a, b, metric) => {
            Some(Note::caution(found::medians_by_turn(measured()?)))
        }
        Metric::Throughput => {
            let power = -at_equal_speed(a, b)?.how.slope();
            let more = 1.1_f64.powf(power) - 1.0;
            Some(Note::caution(found::at_equal_speed(more, measured()?)))
        }
        _ => None,
    }
}

/// Two targets' throughputs at equally fast cores.
pub(crate) struct AtEqualSpeed {
    /// How they follow the cores' speed.
    pub(crate) how: EqualSpeed,
    /// The ratio of each round, those that do not count too.
    ratios: BTreeMap<u32, f64>,
    /// The variance of its logarithm that the round's turns imply.
    variances: BTreeMap<u32, f64>,
}

/// Those of two targets; `None` where the machine's cores do not decide their throughputs, and where mostly turns with even cores count, in which
/// there is next to nothing to correct.
pub(crate) fn at_equal_speed(a: &TargetFigures, b: &TargetFigures) -> Option<AtEqualSpeed> {
    let all = a.turns.values().flat_map(|turns| &turns.turns);
    let (uneven, even): (Vec<&Turn>, Vec<&Turn>) = (all.filter(|turn| turn.counts()))
        .partition(|turn| turn.disturbed == Some(Disturbed::UnevenCores));
    if uneven.len() <= even.len() {
        return None;
    }
    let both =
        (a.turns.iter()).filter_map(|(round, of_a)| Some((*round, of_a, b.turns.get(round)?)));
    let slices = both
        .map(|(round, of_a, of_b)| (round, comparable(of_a, of_b).filter_map(slices).collect()));
    let (rounds, slices): (Vec<u32>, Vec<Vec<Slices>>) = slices.unzip();
    let how = EqualSpeed::of(&slices)?;
    let of_rounds = |of: fn(&EqualSpeed, &[Slices]) -> Option<f64>| {
        let all = rounds.iter().zip(&slices);
        all.filter_map(|(round, slices)| Some((*round, of(&how, slices)?)))
            .collect()
    };
    Some(AtEqualSpeed {
        ratios: of_rounds(EqualSpeed::ratio),
        variances: of_rounds(EqualSpeed::variance),
        how,
    })
}

/// The turns of a round in which nothing but uneven cores disturbed two targets; where these are too few, those that count.
pub(crate) fn comparable<'t>(
    a: &'t Turns,
    b: &'t Turns,
) -> impl Iterator<Item = (&'t Turn, &'t Turn)> {
    let are_alone = |turn: &&Turn| turn.is_undisturbed_but_for_cores();
    let alone = a.turns.iter().filter(are_alone).count() as f64;
    let are_enough = alone > a.made() as f64 * FEWEST;
    flowing(a, b).filter(move |(turn, _)| match are_enough {
        true => turn.is_undisturbed_but_for_cores(),
        false => turn.counts(),
    })
}

/// The turns of a round in which responses of both flowed.
pub(super) fn flowing<'t>(
    a: &'t Turns,
    b: &'t Turns,
) -> impl Iterator<Item = (&'t Turn, &'t Turn)> {
    let both = a.turns.iter().zip(&b.turns);
    both.filter(|(of_a, of_b)| of_a.flowed(a.slice_s) && of_b.flowed(b.slice_s))
}

/// The logarithm of the ratio of two throughputs.
pub(super) fn log_ratio((a, b): (&Turn, &Turn)) -> f64 {
    (a.throughput_rps / b.throughput_rps).ln()
}

/// Both slices of a turn; `None` where it is not known how fast the cores were.
pub(crate) fn slices((a, b): (&Turn, &Turn)) -> Option<Slices> {
    let (times_a, times_b) = (a.reference_ns?, b.reference_ns?);
    Some(Slices {
        done: (a.throughput_rps, b.throughput_rps),
        times: [0, 1].map(|side| times_a[side] / times_b[side]),
    })
}

/// By how much one of these targets lies beside all of them, by the ratios of all pairs: the mean of the logarithms of its own.
fn of_pairs(targets: &[&TargetFigures], one: usize, metric: Metric) -> Series<f64> {
    let others = (0..targets.len()).filter(|other| *other != one);
    let pairs: Vec<Series> = others
        .map(|other| series(targets[one], targets[other], metric))
        .collect();
    let mean = |of: fn(&Series) -> &Rounds| {
        let mut rounds: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        for (round, (one, other)) in pairs.iter().flat_map(of) {
            rounds.entry(*round).or_default().push((one / other).ln());
        }
        let in_all = rounds
            .into_iter()
            .filter(|(_, logs)| logs.len() == pairs.len());
        in_all
            .map(|(round, logs)| {
                (
                    round,
                    (logs.iter().sum::<f64>() / targets.len() as f64).exp(),
                )
            })
            .collect()
    };
    Series {
        counted: mean(|series| &series.counted),
        aside: mean(|series| &series.aside),
        ..Series::default()
    }
}

/// The ratio of the medians of two targets in a round, the median of that of its turns that count; `None` where it was not measured in turns, or slices hold too
/// few requests.
///
/// A machine's state that lasts for some turns meets both targets in each of them. All requests of each target together have a
/// median that falls into the one state or the other where half of them were in each, and not into the same for both.
fn ratio_of_medians(a: &TargetFigures, b: &TargetFigures, round: u32) -> Option<f64> {
    median_ratio(&medians_of_both(a, b, round)?)
}

/// The medians of two targets in each turn of a round that counts.
fn medians_of_both(a: &TargetFigures, b: &TargetFigures, round: u32) -> Option<Vec<(f64, f64)>> {
    let turns = medians_of_turns(&[a, b], round)?;
    Some(turns.iter().map(|turn| (turn[0], turn[1])).collect())
}

/// The medians of these targets in each turn of a round that counts; `None` where one of them was not measured in turns, or a slice holds too
/// few requests.
fn medians_of_turns(targets: &[&TargetFigures], round: u32) -> Option<Vec<Vec<f64>>> {
    let all: Option<Vec<&Turns>> = targets
        .iter()
        .map(|target| target.turns.get(&round))
        .collect();
    let all = all?;
    let first = all.first()?;
    if all
        .iter()
        .any(|turns| turns.turns.len() != first.turns.len())
    {
        return None;
    }
    let median = |of: &Turns, number: usize| {
        let turn = &of.turns[number];
        let requests = turn.throughput_rps * turn.flow_s(of.slice_s);
        turn.p50_us.filter(|_| requests >= FOR_MEDIAN)
    };
    let flowed = |number: usize| all.iter().all(|of| of.turns[number].flowed(of.slice_s));
    let counted = (0..first.turns.len()).filter(|number| first.turns[*number].counts());
    let counted = counted.filter(|number| flowed(*number));
    counted
        .map(|number| all.iter().map(|of| median(of, number)).collect())
        .collect()
}

/// By how much each of these targets' medians lies beside those of all of them; `None` where a round has none for all of them.
fn medians_beside(targets: &[&TargetFigures]) -> Option<Vec<Series<f64>>> {
    let mut beside = vec![Series::default(); targets.len()];
    let all: BTreeSet<(bool, u32)> = (targets.iter())
        .flat_map(|target| {
            let counted = target.counted(Metric::P50).into_keys();
            let aside = target.aside(Metric::P50).into_keys();
            let counted = counted.map(|round| (true, round));
            counted.chain(aside.map(|round| (false, round)))
        })
        .collect();
    for (counts, round) in all {
        let medians = turns::medians_beside(&medians_of_turns(targets, round)?)?;
        for (beside, median) in beside.iter_mut().zip(medians) {
            let rounds = match counts {
                true => &mut beside.counted,
                false => &mut beside.aside,
            };
            rounds.push((round, median.exp()));
        }
    }
    Some(beside)
}
