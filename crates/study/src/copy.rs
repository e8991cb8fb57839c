//! A/A: the first target raced against itself, which shows the noise of this machine on this study.

use crate::plan::{Plan, Target};

/// Adds a second copy of the first target as one more contender, unless the plan has two of the same already.
pub(crate) fn add_copy(plan: &mut Plan) {
    let has_pair = (plan.targets.iter().enumerate())
        .any(|(place, target)| same_as(target, &plan.targets[..place]).is_some());
    let first = plan.targets.iter().find(|target| !target.limit);
    let Some(first) = first.filter(|_| !has_pair) else {
        return;
    };
    let stem = format!("{}-again", first.label.replace(['@', '.'], "-"));
    let taken = |label: &String| plan.targets.iter().any(|target| target.label == *label);
    let names = std::iter::once(stem.clone()).chain((2..).map(|n| format!("{stem}-{n}")));
    let again = Target {
        // The names do not end before one is free.
        label: names
            .into_iter()
            .find(|label| !taken(label))
            .unwrap_or(stem),
        ..first.clone()
    };
    for workload in &mut plan.workloads {
        if workload.targets.contains(&first.label) {
            workload.targets.push(again.label.clone());
        }
    }
    let limit = plan.targets.iter().position(|target| target.limit);
    let behind_the_others = limit.unwrap_or(plan.targets.len());
    plan.targets.insert(behind_the_others, again);
}

/// The label of the target among `earlier` that is run just as this one, whatever it is called.
pub fn same_as<'t>(target: &Target, earlier: &'t [Target]) -> Option<&'t str> {
    let nameless = |target: &Target| Target {
        label: String::new(),
        name: String::new(),
        title: String::new(),
        revision: None,
        ..target.clone()
    };
    let found = earlier
        .iter()
        .find(|other| nameless(other) == nameless(target));
    found.map(|other| other.label.as_str())
}
