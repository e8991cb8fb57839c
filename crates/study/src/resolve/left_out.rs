//! What flags leave out of a study: targets, workloads, levels, and the claims that cannot be tested then.

use photofinish_model::Load;
use photofinish_model::finding::left_out::{LeftOut, Untested};

use super::Scale;
use crate::error::Error;
use crate::nearest::advice;
use crate::plan::{Plan, Workload};

impl Scale {
    /// Leaves this of a workload's levels.
    pub(super) fn apply(self, workload: &mut Workload) {
        match self {
            Scale::Published if workload.published_loads.is_empty() => {}
            Scale::Published => workload.loads.clone_from(&workload.published_loads),
            Scale::Small => {
                let weight = |load: &Load| match *load {
                    Load::Closed { connections } => f64::from(connections),
                    Load::Open { rate, .. } => rate,
                    // It goes on until the server is at its limit.
                    Load::Capacity(_) => f64::INFINITY,
                };
                let smallest = workload
                    .loads
                    .iter()
                    .cloned()
                    .min_by(|a, b| weight(a).total_cmp(&weight(b)));
                workload.loads = smallest.into_iter().collect();
            }
        }
    }
}

/// Leaves these targets and the limit, and what is for them.
pub(super) fn keep_only(plan: &mut Plan, only: &[String]) -> Result<(), Error> {
    let labels: Vec<String> = plan
        .targets
        .iter()
        .map(|target| target.label.clone())
        .collect();
    for wanted in only {
        if !labels.contains(wanted) {
            let problem = format!("`{wanted}` is not one of the study's targets");
            let labels = labels.iter().map(String::as_str);
            let help = advice(wanted, "targets of the study", labels);
            return Err(Error::argument("--only", problem, help));
        }
    }
    let limit = plan.targets.iter().find(|target| target.limit);
    let limit = limit.map(|target| target.label.clone());
    // The limit stays, whatever is left to be held against it.
    let is_limit = |label: &String| Some(label) == limit.as_ref();
    let asked = |label: &String| only.contains(label) && !is_limit(label);
    let stays = |label: &String| asked(label) || is_limit(label);
    if !labels.iter().any(asked) {
        return Err(Error::argument(
            "--only",
            "no target is left to race against the study's limit",
            "name one of the study's `targets` too; its limit runs along by itself",
        ));
    }
    plan.targets.retain(|target| stays(&target.label));
    for label in labels.iter().filter(|label| !stays(label)) {
        plan.left_out.push(LeftOut::Target {
            target: label.clone(),
        });
    }
    let left_out = &mut plan.left_out;
    // Whether all are in a list (it is empty), or one that was asked for. The others leave it.
    let keep = |targets: &mut Vec<String>| {
        let kept = targets.is_empty() || targets.iter().any(asked);
        targets.retain(stays);
        kept
    };
    // The service of a workload's hooks is needed by all of the workload's targets, so both go together.
    plan.services
        .retain_mut(|service| keep(&mut service.targets));
    plan.workloads.retain_mut(|workload| {
        let keep = keep(&mut workload.targets);
        if !keep {
            left_out.push(LeftOut::Workload {
                workload: workload.name.clone(),
            });
        }
        keep
    });
    if plan.workloads.is_empty() {
        return Err(Error::argument(
            "--only",
            "no workload is left: none is for these targets",
            format!("targets of the study: {}", labels.join(", ")),
        ));
    }
    Ok(())
}

/// Leaves the claims that can be tested.
pub(super) fn drop_untestable_claims(plan: &mut Plan) {
    let Plan {
        claims,
        targets,
        workloads,
        left_out,
        ..
    } = plan;
    claims.retain(|claim| {
        let runs = |label: &String| targets.iter().any(|target| target.label == *label);
        let absent = [&claim.of, &claim.over]
            .into_iter()
            .find(|label| !runs(label));
        let lacks = |name: &str, wanted: &Load| {
            let Some(workload) = workloads.iter().find(|workload| workload.name == name) else {
                return Some(Untested::Workload {
                    workload: name.to_owned(),
                });
            };
            if workload.loads.contains(wanted) {
                return None;
            }
            Some(Untested::Level {
                load: wanted.clone(),
                published: workload.published_loads.contains(wanted),
            })
        };
        let own = lacks(&claim.workload, &claim.load);
        let instead = |why: Untested| match &claim.measured_at {
            Some(load) => lacks(&claim.workload, load).map(|_| why),
            None => Some(why),
        };
        let over = lacks(
            claim.over_workload.as_ref().unwrap_or(&claim.workload),
            claim.over_load.as_ref().unwrap_or(&claim.load),
        );
        // Where nothing else is said, both sides stand at one level, or at the one in its stead.
        let same = claim.over_workload.is_none() && claim.over_load.is_none();
        let why = match absent {
            Some(label) => Some(Untested::Target {
                target: label.clone(),
            }),
            None => own.and_then(instead).or(if same { None } else { over }),
        };
        let Some(why) = why else { return true };
        left_out.push(LeftOut::Claim {
            id: claim.id.clone(),
            why,
        });
        false
    });
}
