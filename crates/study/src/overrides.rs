//! Flags over a study: fewer rounds, other levels, some targets only, a smoke run.

use std::time::Duration;

use crate::again::add_again;
use crate::error::Error;
use crate::limit_target;
use crate::limits;
use crate::nearest::advice;
use crate::plan::{Lanes, Plan, WarmupBounds, Within, Workload};
use photofinish_model::duration::format_duration;
use photofinish_model::finding::left_out::{LeftOut, Untested};
use photofinish_model::{Load, Search};

use crate::capacity::smoke;

/// What the command line asks for in place of what the study says; `None` and empty = the study's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// `--rounds`
    pub rounds: Option<u32>,
    /// `--until-decided`: rounds are added until every verdict is decided.
    pub until_decided: bool,
    /// `--max-rounds`: the most rounds with `--until-decided`.
    pub max_rounds: Option<u32>,
    /// `--within`: how long the rounds may take together.
    pub within: Option<Duration>,
    /// `--duration`
    pub duration: Option<Duration>,
    /// `--lead-in`
    pub lead_in: Option<Duration>,
    /// `--warmup`: the longest that a warm-up may take.
    pub warmup_max: Option<Duration>,
    /// `--aa`: a second copy of the first target races along.
    pub aa: bool,
    /// `--turns` or `--sequential`: whether targets are measured in turns, or one after the other.
    pub turns: Option<bool>,
    /// `--freeze`: the other servers of a round are stopped while one of them has load.
    pub freeze: bool,
    /// `--usual-priority`: servers do not come before other programs on their cores.
    pub usual_priority: bool,
    /// `--profile` and `--no-profile`.
    pub profile: Option<bool>,
    /// `--why wall`: what threads wait for is shown, too.
    pub waits: bool,
    /// `--no-limit`: the study's limit does not race along.
    pub no_limit: bool,
    /// `--lanes`
    pub lanes: Option<Lanes>,
    /// `--only`: labels of the targets that are to run.
    pub only: Vec<String>,
    /// `--scale`: which of each workload's own levels run.
    pub scale: Option<Scale>,
    /// `--smoke`: one round, short windows; the flags above still count.
    pub smoke: bool,
}

/// Which of its own levels a workload runs at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Those at which others have published figures.
    Published,
    /// The smallest one alone.
    Small,
}

const SMOKE_DURATION: Duration = Duration::from_secs(1);
/// None: requests of a lead-in belong to no window, so that a cold server that took longer than both for its first responses
/// would pass for one that does not respond.
const SMOKE_LEAD_IN: Duration = Duration::ZERO;
/// From a smoke run nothing is concluded about speed, so nothing has to be hot.
const SMOKE_WARMUP: WarmupBounds = WarmupBounds {
    min: Duration::ZERO,
    max: Duration::ZERO,
};

/// The plan with the flags over it. Claims that can no longer be tested are taken out and named
/// in [`Plan::left_out`].
///
/// # Errors
/// A figure out of range or an unknown target, by the flag's name.
pub fn apply(mut plan: Plan, overrides: &Overrides) -> Result<Plan, Error> {
    if overrides.smoke {
        plan.smoke = true;
        plan.rounds = 1;
        plan.within = None;
        plan.duration = SMOKE_DURATION.min(plan.duration);
        plan.lead_in = SMOKE_LEAD_IN;
        plan.warmup = SMOKE_WARMUP;
        searches(&mut plan).for_each(smoke);
    }
    if let Some(rounds) = overrides.rounds {
        within("--rounds", rounds, &limits::ROUNDS, |n| n.to_string())?;
        plan.rounds = rounds;
    }
    // The study's own limit is for its own rounds.
    if overrides.rounds.is_some() || overrides.duration.is_some() || overrides.aa {
        plan.within = None;
    }
    if overrides.until_decided {
        until_decided(&mut plan, overrides)?;
    } else if overrides.max_rounds.is_some() {
        return Err(Error::argument(
            "--max-rounds",
            "it is the cap of --until-decided, which is not there",
            "add --until-decided, or give a fixed number with --rounds",
        ));
    }
    if let Some(time) = overrides.within {
        time_limit(&mut plan, overrides, time)?;
    }
    if let Some(duration) = overrides.duration {
        within("--duration", duration, &limits::DURATION, format_duration)?;
        plan.duration = duration;
        searches(&mut plan).for_each(|search| search.step = duration);
    }
    if let Some(lead_in) = overrides.lead_in {
        within("--lead-in", lead_in, &limits::LEAD_IN, format_duration)?;
        plan.lead_in = lead_in;
    }
    if let Some(max) = overrides.warmup_max {
        within("--warmup", max, &limits::WARMUP, format_duration)?;
        plan.warmup.max = max;
        plan.warmup.min = plan.warmup.min.min(max);
    }
    plan.turns = overrides.turns.unwrap_or(plan.turns);
    plan.freeze = overrides.freeze;
    if plan.freeze && !plan.turns {
        return Err(Error::argument(
            "--freeze",
            "targets are measured one after the other, so no other server is up",
            "leave it out, or add --turns",
        ));
    }
    plan.usual_priority = overrides.usual_priority;
    plan.profile = overrides.profile.or(plan.profile);
    plan.waits |= overrides.waits;
    if let Some(lanes) = &overrides.lanes {
        plan.lanes = lanes.clone();
    }
    if overrides.no_limit {
        limit_target::leave_out(&mut plan);
    }
    if !overrides.only.is_empty() {
        keep_only(&mut plan, &overrides.only)?;
    }
    if let Some(scale) = overrides.scale {
        plan.workloads
            .iter_mut()
            .for_each(|workload| scale.apply(workload));
    }
    drop_untestable_claims(&mut plan);
    plan.aa |= overrides.aa;
    // From a smoke run nothing is concluded, so it needs no noise floor.
    if plan.aa && !plan.smoke {
        add_again(&mut plan);
    }
    Ok(plan)
}

/// The searches of a plan's workloads, and those that its claims are about.
fn searches(plan: &mut Plan) -> impl Iterator<Item = &mut Search> {
    let loads = plan.workloads.iter_mut().flat_map(|w| &mut w.loads);
    let claims = plan.claims.iter_mut();
    let claimed = claims.flat_map(|claim| [Some(&mut claim.load), claim.over_load.as_mut()]);
    loads
        .chain(claimed.flatten())
        .filter_map(|load| match load {
            Load::Capacity(search) => Some(search),
            Load::Closed { .. } | Load::Open { .. } => None,
        })
}

impl Scale {
    fn apply(self, workload: &mut Workload) {
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

fn until_decided(plan: &mut Plan, overrides: &Overrides) -> Result<(), Error> {
    let wrong = |problem, help| Err(Error::argument("--until-decided", problem, help));
    if overrides.smoke {
        return wrong(
            "a smoke run decides nothing",
            "leave out --smoke or --until-decided",
        );
    }
    if overrides.rounds.is_some() {
        return wrong(
            "it adds rounds until all is decided, so --rounds has no meaning",
            "leave out --rounds; --max-rounds sets the most that there may be",
        );
    }
    let max = overrides.max_rounds.unwrap_or(limits::DEFAULT_MAX_ROUNDS);
    within("--max-rounds", max, &limits::MAX_ROUNDS, |n| n.to_string())?;
    plan.until_decided = true;
    plan.rounds = max;
    plan.within = None;
    Ok(())
}

fn time_limit(plan: &mut Plan, overrides: &Overrides, time: Duration) -> Result<(), Error> {
    if overrides.smoke {
        return Err(Error::argument(
            "--within",
            "a smoke run has one round, which is measured in any case",
            "leave out --smoke or --within",
        ));
    }
    within("--within", time, &limits::WITHIN, format_duration)?;
    plan.within = Some(Within::of(time));
    Ok(())
}

pub(crate) fn within<T: PartialOrd + Copy>(
    flag: &str,
    value: T,
    bounds: &std::ops::RangeInclusive<T>,
    show: impl Fn(T) -> String,
) -> Result<(), Error> {
    if bounds.contains(&value) {
        return Ok(());
    }
    Err(Error::argument(
        flag,
        format!("{} is out of range", show(value)),
        format!(
            "allowed: {} to {}",
            show(*bounds.start()),
            show(*bounds.end())
        ),
    ))
}

fn keep_only(plan: &mut Plan, only: &[String]) -> Result<(), Error> {
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
            "no contender is left beside the study's limit",
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

fn drop_untestable_claims(plan: &mut Plan) {
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
