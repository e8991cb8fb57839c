//! What is still to be measured: all of a new run, and of one that is resumed what it lacks, in the same order.

use std::time::Duration;

use photofinish_judge::checks::Responses;
use photofinish_model::store::Results;
use photofinish_model::{Line, Load};
use photofinish_study::plan::Plan;

use crate::clock::Clock;
use crate::measure;
use crate::order::{Scheduled, Step};

/// What is ahead.
pub(super) struct Ahead {
    /// With the steps alone that are still to be measured.
    pub(super) trials: Vec<Scheduled>,
    pub(super) clock: Clock,
    /// What the targets responded in the run that is resumed.
    pub(super) responses: Responses,
}

impl Ahead {
    /// What `earlier` lacks of a run's trials.
    pub(super) fn of(plan: &Plan, trials: Vec<Scheduled>, earlier: Option<&Results>) -> Ahead {
        let done = earlier.map_or(&[][..], |results| &results.lines);
        let mut ahead = Ahead {
            trials: Vec::new(),
            clock: Clock::new(guess(plan)),
            responses: known_responses(plan, earlier),
        };
        for mut trial in trials {
            let all = trial.steps.len();
            let (round, label) = (trial.round, &plan.targets[trial.target].label);
            let is_ahead = |step: &Step| !is_done(plan, round, label, step, done);
            trial.steps.retain(is_ahead);
            ahead.clock.add_done(all - trial.steps.len());
            if !trial.steps.is_empty() {
                let takes = trial.steps.iter().map(|step| measure::takes(plan, step));
                ahead.clock.add_trial(trial.steps.len(), takes.sum());
                ahead.trials.push(trial);
            }
        }
        ahead
    }
}

/// What a trial takes beside its measurements until some have shown it: a warm-up between its bounds by their geometric mean (servers without
/// a compiler need little more than the least, the others a few times as much), and a start and a stop of a second each.
fn guess(plan: &Plan) -> Duration {
    let [min, max] = [plan.warmup.min, plan.warmup.max].map(|bound| bound.as_secs_f64());
    Duration::from_secs_f64((min * max).sqrt()).max(plan.warmup.min) + Duration::from_secs(2)
}

fn is_done(plan: &Plan, round: u32, label: &str, step: &Step, done: &[Line]) -> bool {
    let workload = &plan.workloads[step.workload];
    let load: Load = workload.loads[step.load].clone();
    done.iter().any(|line| {
        line.measurement.is_some()
            && line.round == round
            && line.target == label
            && line.workload == workload.name
            && line.load == load
    })
}

/// What the targets responded in the run that is resumed.
fn known_responses(plan: &Plan, earlier: Option<&Results>) -> Responses {
    let varying = plan
        .workloads
        .iter()
        .filter(|workload| workload.exchange.responses_vary());
    let mut responses = Responses::new(varying.map(|workload| workload.name.clone()));
    for trial in earlier.iter().flat_map(|results| &results.trials) {
        for verified in &trial.verified {
            responses.add(&trial.target, verified, None);
        }
    }
    responses
}
