//! How many turns the next round had best, where rounds are added until it is decided.

use photofinish_model::store::Results;
use photofinish_model::{Load, Metric, Turns};
use photofinish_stats::Direction;
use photofinish_stats::effort::{Components, FEWEST};

use crate::comparison::figures::TargetFigures;
use crate::comparison::figures::gaps;
use crate::comparison::interference::by_turn;
use crate::comparison::{Cell, Comparison};

/// How many turns a level had best in the next round.
#[derive(Clone, Debug, PartialEq)]
pub struct BestTurns {
    /// The workload's name.
    pub workload: String,
    /// Its level.
    pub load: Load,
    /// How many, the disturbed ones too; infinite where the rounds differ by no more than their turns say.
    pub turns: f64,
}

impl Comparison {
    /// What the variance of turns and of rounds makes best beside what they cost: for each level with an undecided verdict on throughput, the most that one of
    /// its pairs asks for. A round costs its targets' start-up and warm-up, which its levels share.
    pub fn best_turns(&self, results: &Results) -> Vec<BestTurns> {
        let trials = gaps::last_trials(results);
        let rounds = trials.iter().map(|trial| trial.round).max().unwrap_or(0);
        let seconds = trials.iter().map(|trial| {
            let warmups = trial.warmups.iter().map(|warmup| warmup.duration_s);
            trial.ready_s.unwrap_or(0.0) + warmups.sum::<f64>()
        });
        let round = seconds.sum::<f64>() / f64::from(rounds.max(1));
        let share = round / self.cells.len().max(1) as f64;
        let best = |cell: &Cell| {
            let open = cell.verdicts.iter().filter(|verdict| {
                verdict.metric == Metric::Throughput
                    && verdict.direction() == Some(Direction::Undecided)
            });
            let asked = open.filter_map(|verdict| {
                let pair = (cell.target(&verdict.of)?, cell.target(&verdict.over)?);
                best_of_pair(pair, cell.targets.len(), share)
            });
            Some(BestTurns {
                workload: cell.workload.clone(),
                load: cell.load.clone(),
                turns: asked.reduce(f64::max)?,
            })
        };
        self.cells.iter().filter_map(best).collect()
    }
}

/// That of two targets, of so many that have their slices in each turn. `round`: what a round costs beside its turns, in seconds.
fn best_of_pair(
    (a, b): (&TargetFigures, &TargetFigures),
    targets: usize,
    round: f64,
) -> Option<f64> {
    let (mut made, mut kept, mut seconds) = (0, 0, 0.0);
    let mut rounds = Vec::new();
    for (number, of_a) in a.turns.iter().filter(|(round, _)| a.counts(**round)) {
        let of_b = b.turns.get(number)?;
        let slice = |turns: &Turns| turns.slice_s + turns.lead_in_s;
        made += of_a.made();
        kept += of_a.kept();
        seconds += slice(of_a) * (of_a.made() * targets) as f64;
        let counted = by_turn::flowing(of_a, of_b).filter(|(turn, _)| turn.counts());
        rounds.push(counted.map(by_turn::log_ratio).collect::<Vec<f64>>());
    }
    if rounds.len() < FEWEST || kept == 0 {
        return None;
    }
    let best = Components::of(&rounds)?.cautious();
    // Of the turns that count, each of which takes those that do not.
    let best = best.best_turns(seconds / kept as f64, round)?;
    Some(best * made as f64 / kept as f64)
}
