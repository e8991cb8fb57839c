//! What is still to be measured: all of a new run, and of one that is resumed what it lacks, in the same order.

use std::time::Duration;

use photofinish_judge::checks::Responses;
use photofinish_model::store::Results;
use photofinish_model::{Line, Load};
use photofinish_study::plan::{Plan, Target};

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
            clock: Clock::default(),
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
                let beside = guess(plan, &plan.targets[trial.target]);
                ahead
                    .clock
                    .add_trial(trial.steps.len(), takes.sum(), beside);
                ahead.trials.push(trial);
            }
        }
        ahead
    }
}

/// What a target's trial takes beside its measurements until some have shown it: its warm-up, a start and a stop. A JVM's warm-up
/// ends anywhere between its bounds (small servers within 20 s, Spring's within 40), and it takes some seconds to start; a compiled program
/// needs the shortest warm-up; what a command starts is not known: between the bounds by their geometric mean.
fn guess(plan: &Plan, target: &Target) -> Duration {
    let [min, max] = [plan.settings.warmup_min, plan.settings.warmup_max];
    let (warmup, start_and_stop) = if target.needs.contains_key("jdk") {
        ((min + max) / 2, 5)
    } else if target.needs.is_empty() {
        let middle = (min.as_secs_f64() * max.as_secs_f64()).sqrt();
        (Duration::from_secs_f64(middle), 2)
    } else {
        (min, 2)
    };
    warmup.max(min) + Duration::from_secs(start_and_stop)
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

#[cfg(test)]
mod tests {
    use photofinish_model::version::VersionReq;

    use super::*;
    use crate::fake;

    #[test]
    fn a_warm_up_is_guessed_by_what_the_target_needs() {
        let s = Duration::from_secs;
        let mut plan = fake::plan(&["a"], 1);
        (plan.settings.warmup_min, plan.settings.warmup_max) = (s(4), s(36));
        for (needs, seconds) in [("jdk", 20 + 5), ("cargo", 4 + 2), ("", 12 + 2)] {
            let mut target = plan.targets[0].clone();
            target.needs.clear();
            if !needs.is_empty() {
                target.needs.insert(needs.to_owned(), VersionReq::any());
            }
            assert_eq!(guess(&plan, &target), s(seconds), "{needs}");
        }
    }
}
