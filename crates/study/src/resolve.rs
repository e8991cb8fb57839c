//! From a study and the flags to the plan that runs: layers of settings are merged, then checked, and servers, levels and claims that flags
//! leave out go.

mod left_out;

use std::time::Duration;

use photofinish_model::settings::{Group, Origin, RaceLayer, RaceSettings, Set};
use photofinish_model::{Load, Search};

use crate::capacity::smoke;
use crate::copy::add_copy;
use crate::error::Error;
use crate::limit_target;
use crate::plan::{Draft, Plan};
use left_out::{drop_untestable_claims, keep_only};

/// What the command line asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunFlags {
    /// The settings that flags give.
    pub settings: RaceLayer,
    /// `--smoke`: one round, short windows.
    pub smoke: bool,
    /// `--only`: labels of the targets that are to run; empty = all.
    pub only: Vec<String>,
    /// `--scale`: which of each workload's own levels run.
    pub scale: Option<Scale>,
    /// `--no-limit`: the study's limit does not race along.
    pub no_limit: bool,
}

photofinish_model::worded! {
    /// Which of its own levels a workload runs at.
    Scale;
    /// The levels of the published figures.
    Published "published";
    /// The smallest level of each workload.
    Small "small";
}

const SMOKE_DURATION: Duration = Duration::from_secs(1);

/// The settings of a smoke run over those of the study. Nothing is concluded about speed from a smoke run, so it needs no warm-up. It has
/// no lead-in either: requests of a lead-in belong to no window, so a cold server whose first responses took longer than both would pass
/// for one that does not respond.
fn smoke_layer(study: &RaceLayer) -> RaceLayer {
    let set = |value| {
        Some(Set {
            value,
            from: Origin::Smoke,
        })
    };
    let duration = study.clone().complete().duration;
    RaceLayer {
        rounds: Some(Set {
            value: 1,
            from: Origin::Smoke,
        }),
        duration: set(duration.min(SMOKE_DURATION)),
        lead_in: set(Duration::ZERO),
        warmup_min: set(Duration::ZERO),
        warmup_max: set(Duration::ZERO),
        smoke: Some(Set {
            value: true,
            from: Origin::Smoke,
        }),
        ..RaceLayer::default()
    }
}

/// The plan of a study with the flags over it. [`Plan::left_out`] names what flags leave out, and the claims that cannot be tested then.
///
/// # Errors
/// Settings that contradict each other, and unknown targets, by the flag's name.
pub fn resolve(draft: Draft, flags: &RunFlags) -> Result<Plan, Error> {
    let below = match flags.smoke {
        true => smoke_layer(&draft.settings).over(draft.settings.clone()),
        false => draft.settings.clone(),
    };
    let mut plan = draft.with(settings(flags.settings.clone().over(below))?);
    if plan.settings.smoke {
        searches(&mut plan).for_each(smoke);
    }
    if let Some(Set { value, .. }) = flags.settings.duration {
        searches(&mut plan).for_each(|search| search.step = value);
    }
    if flags.no_limit {
        limit_target::leave_out(&mut plan);
    }
    if !flags.only.is_empty() {
        keep_only(&mut plan, &flags.only)?;
    }
    if let Some(scale) = flags.scale {
        plan.workloads
            .iter_mut()
            .for_each(|workload| scale.apply(workload));
    }
    drop_untestable_claims(&mut plan);
    // Nothing is concluded from a smoke run, so it needs no noise floor.
    if plan.settings.aa && !plan.settings.smoke {
        add_copy(&mut plan);
    }
    Ok(plan)
}

/// The settings of all layers together.
///
/// # Errors
/// If some contradict each other.
fn settings(mut given: RaceLayer) -> Result<RaceSettings, Error> {
    check(&given)?;
    add_rounds(&mut given);
    if let Some(until_decided) = given.until_decided.filter(|set| set.value) {
        let most = given.max_rounds.and_then(|set| set.value);
        // Those of a comparison are few, unless somebody asks for a decision.
        let most = most.unwrap_or(match (until_decided.from, given.rounds) {
            (Origin::Default, Some(rounds)) => rounds.value,
            _ => RaceSettings::MAX_ROUNDS,
        });
        given.rounds = Some(Set {
            value: most,
            from: until_decided.from,
        });
        given.max_rounds = Some(Set {
            value: Some(most),
            from: until_decided.from,
        });
    }
    lift_time_budget(&mut given);
    if let (Some(min), Some(max)) = (&mut given.warmup_min, &mut given.warmup_max)
        && min.value > max.value
    {
        // The higher layer moves the other bound out of its way.
        match min.from.is_below(max.from) {
            true => min.value = max.value,
            false => max.value = min.value,
        }
    }
    Ok(given.complete())
}

/// Whether rounds are added until it is decided: if a half-width is asked for, and by default only if nothing else says how many there are. The
/// noise floor is that of all rounds, whatever is decided.
fn add_rounds(given: &mut RaceLayer) {
    if let Some(half_width) = given.half_width.filter(|set| set.value.is_some()) {
        given.until_decided = Some(Set {
            value: true,
            from: half_width.from,
        });
    }
    let is_higher = |from: Option<Origin>| from.is_some_and(|from| from != Origin::Default);
    let fixed = is_higher(given.rounds.map(|set| set.from))
        || is_higher(given.within.map(|set| set.from))
        || given.aa.is_some_and(|set| set.value);
    if let Some(until_decided) = &mut given.until_decided
        && until_decided.from == Origin::Default
    {
        until_decided.value &= !fixed;
    }
}

/// A time budget is for the rounds, the duration and the servers of its own layer: a higher layer that changes them lifts it. A budget that
/// somebody gives holds however few rounds fit in it.
fn lift_time_budget(given: &mut RaceLayer) {
    let Some(within) = given.within else { return };
    let changes = [
        given.rounds.map(|set| set.from),
        given.duration.map(|set| set.from),
        given.aa.map(|set| set.from),
    ];
    if changes
        .into_iter()
        .flatten()
        .any(|from| within.from.is_below(from))
    {
        given.within = None;
    }
    if within.from != Origin::Default {
        given.fewest_rounds = None;
    }
}

/// # Errors
/// If settings of all layers together contradict each other.
fn check(given: &RaceLayer) -> Result<(), Error> {
    let by_flag = |from: Option<Origin>| from == Some(Origin::Flag);
    let is_smoke = given.smoke.is_some_and(|set| set.value);
    let half_width = given.half_width.is_some_and(|set| set.value.is_some());
    let until_decided = given.until_decided;
    let until_decided =
        half_width || until_decided.is_some_and(|set| set.value && set.from != Origin::Default);
    let adds = match half_width {
        true => "--half-width",
        false => "--until-decided",
    };
    let turns = given.turns.filter(|set| !set.value);
    let freeze = given.freeze.is_some_and(|set| set.value);
    let rounds = by_flag(given.rounds.map(|set| set.from));
    let max_rounds = by_flag(given.max_rounds.map(|set| set.from));
    let within = by_flag(given.within.map(|set| set.from));
    let conflicts = [
        (
            until_decided && is_smoke,
            adds,
            "a smoke run decides nothing",
            "leave it out, or leave out --smoke",
        ),
        (
            until_decided && rounds,
            adds,
            "it adds rounds, so --rounds has no meaning",
            "leave out --rounds; --max-rounds sets the most that there may be",
        ),
        (
            !until_decided && max_rounds,
            "--max-rounds",
            "it is the cap of --until-decided and --half-width, which are not there",
            "add one of them, or give a fixed number with --rounds",
        ),
        (
            is_smoke && within,
            "--within",
            "a smoke run has one round, which is measured in any case",
            "leave out --smoke or --within",
        ),
    ];
    if let Some((_, flag, problem, help)) = conflicts.into_iter().find(|(is_so, ..)| *is_so) {
        return Err(Error::argument(flag, problem, help));
    }
    match turns.filter(|_| freeze) {
        None => Ok(()),
        Some(turns) => Err(Error::argument(
            "--freeze",
            format!(
                "servers are measured one after the other{}, so no other server is up",
                place(turns.from, "--sequential", "turns = false")
            ),
            "leave it out, or add --turns",
        )),
    }
}

/// Where a setting was given.
fn place(from: Origin, flag: &str, written: &str) -> String {
    match from {
        Origin::File(line) => format!(" (`{written}` in line {line} of the study)"),
        Origin::Flag => format!(" ({flag})"),
        Origin::Default | Origin::Smoke => String::new(),
    }
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
