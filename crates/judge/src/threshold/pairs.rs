//! Conditions about a run on several pairs of machines: each is held against all of them together.
//!
//! What a condition compares is summed up as a verdict *on these machines* is, and analysed after the same rounds with the same levels. A pair of
//! machines on which nothing may be said of a figure does not count, unless that is so on all of them.

use photofinish_model::{Load, Metric, Place};
use photofinish_stats::difference::mean_interval_over_machines;
use photofinish_voice::pooled as found;
use photofinish_voice::verdict::reason;

use super::expression::{Compare, Term};
use super::status::{Data, Met, Of, Sides, different, invalid, most};
use super::{Condition, Found, Outcome, Status};
use crate::comparison::upto;
use crate::lists::by_key;
use crate::pooled::{OnPairs, PairRuns, Waves};

/// A workload and a load level.
type At<'r> = (&'r str, &'r Load);

impl Condition {
    /// Whether it is about claims, which are judged for each pair of machines by itself.
    pub fn is_of_claims(&self) -> bool {
        let mut terms = self.expression.terms().into_iter();
        terms.any(|term| *term == Term::Claims)
    }

    /// Whether it holds at any workload and load level, on these machines.
    pub fn check_on_pairs(&self, pairs: &PairRuns) -> Outcome {
        let counted = pairs.counted();
        let cells = counted
            .iter()
            .flat_map(|(.., comparison)| &comparison.cells);
        let places = by_key(cells.map(|cell| ((cell.workload.as_str(), &cell.load), ())));
        let places: Vec<Option<At>> = match self.expression.is_of_the_run() {
            true => vec![None],
            false => places.into_iter().map(|(place, _)| Some(place)).collect(),
        };
        let mut says = Vec::new();
        let asked = (places.into_iter()).map(|place| {
            (self.expression).status(&mut says, &|term| term.met_on_pairs(pairs, place))
        });
        let status = most(asked);
        Outcome::new(status, says)
    }
}

impl Term {
    /// Its outcomes at a place, or in the run.
    fn met_on_pairs(&self, pairs: &PairRuns, place: Option<At>) -> Vec<Met> {
        match self {
            Term::Compare(compare) => {
                let here = place.map(|place| compare.status_on_pairs(pairs, place));
                here.into_iter().collect()
            }
            // Whoever asks for them is told to name one pair.
            Term::Claims => vec![(Status::Void, None)],
            Term::Checks => {
                let each = pairs.counted().into_iter();
                each.flat_map(|(machine, results, comparison)| {
                    let data = Data {
                        results,
                        comparison,
                    };
                    let named = move |found: Found| Found {
                        says: found::trust(machine, found.says),
                        ..found
                    };
                    let met = self.met(&data, None).into_iter();
                    met.map(move |(status, met)| (status, met.map(named)))
                })
                .collect()
            }
            Term::Different if pairs.pooled.head.settings.smoke => {
                vec![(Status::Void, Some(reason::smoke().into()))]
            }
            Term::Different => {
                let ratios = pairs.pooled.ratios.iter();
                let throughput = ratios.filter(|ratio| ratio.metric == Metric::Throughput);
                let met: Vec<Met> = throughput
                    .map(|ratio| {
                        let place = Place::of(&ratio.workload, &ratio.load);
                        match &ratio.on_these {
                            Some(verdict) => different(place, verdict),
                            None => (Status::Void, Some(invalid(place, found::nothing()))),
                        }
                    })
                    .collect();
                match met.is_empty() {
                    true => vec![(Status::Void, Some(found::nothing().into()))],
                    false => met,
                }
            }
        }
    }
}

impl Compare {
    fn status_on_pairs(&self, pairs: &PairRuns, (workload, load): At) -> Met {
        let counted = pairs.counted();
        let (mut sides, mut without): (Vec<Sides>, Option<Met>) = (Vec::new(), None);
        for (_, results, comparison) in &counted {
            let mut cells = comparison.cells.iter();
            let Some(cell) = cells.find(|cell| cell.is_at(workload, load)) else {
                continue;
            };
            let data = Data {
                results,
                comparison,
            };
            match self.sides(&data, cell) {
                Ok(found) => sides.push(found),
                Err(met) => without = without.or(Some(met)),
            }
        }
        if sides.is_empty() {
            return without.unwrap_or((Status::DoesNotHold, None));
        }
        let rounds = sides.iter().map(|it| it.series.counted.len()).sum();
        let have_ratio = sides.iter().all(Sides::have_ratio);
        let runs: Vec<_> = counted.iter().map(|(_, run, it)| (*run, *it)).collect();
        let waves = Waves::of(&runs);
        let interval = match have_ratio {
            true => {
                let all = OnPairs {
                    resolution: sides.iter().map(|it| it.resolution).fold(0.0, f64::max),
                    each: sides.into_iter().map(|it| it.series).collect(),
                };
                // Without a margin: a tie does not decide a condition.
                let judged = waves.judge(&[all], |over| Some(over.on_these()), 0.0);
                let interval = judged.into_iter().next();
                (interval.and_then(|judged| judged.decision.interval)).map(Of::Ratio)
            }
            false => waves.last_analysis().and_then(|(wave, level)| {
                let differences = |it: &Sides| {
                    let counted = upto(&it.series.counted, wave);
                    counted.map(|(_, (left, right))| left - right).collect()
                };
                let machines: Vec<Vec<f64>> = sides.iter().map(differences).collect();
                mean_interval_over_machines(&machines, level).map(Of::Difference)
            }),
        };
        self.met(Place::of(workload, load), rounds, interval)
    }
}
