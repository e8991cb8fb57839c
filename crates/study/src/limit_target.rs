//! `limit`: the target that shows what the machine can do. It races along, and is no contender.

use crate::plan::{Plan, Service, Target, Workload};
use crate::reader::Section;
use crate::targets::OpenedTargets;
use photofinish_model::finding::left_out::LeftOut;

/// Reads which target is the limit; `contenders` are the study's `targets`.
pub(crate) fn read(
    file: &Section<'_>,
    contenders: &[Target],
    opened: &mut OpenedTargets<'_>,
) -> Option<Target> {
    let node = file.get("limit")?;
    let label = node.text()?;
    if contenders.iter().any(|target| target.label == label) {
        node.note(
            format!("the limit `{label}` is one of the `targets` too"),
            "a target is the limit or a contender: take it out of one of the two",
        );
        return None;
    }
    let target = opened.find(&node, label)?;
    Some(Target {
        limit: true,
        ..target
    })
}

/// Lets the limit take every workload and need every service, also those that are for some contenders only.
pub(crate) fn join(limit: &Target, services: &mut [Service], workloads: &mut [Workload]) {
    for list in lists(services, workloads).filter(|list| !list.is_empty()) {
        list.push(limit.label.clone());
    }
}

/// Takes the limit out of a plan again, and says so.
pub(crate) fn leave_out(plan: &mut Plan) {
    let Some(place) = plan.targets.iter().position(|target| target.limit) else {
        return;
    };
    let limit = plan.targets.remove(place);
    for list in lists(&mut plan.services, &mut plan.workloads) {
        list.retain(|label| *label != limit.label);
    }
    plan.left_out.push(LeftOut::Limit {
        target: limit.label,
    });
}

/// The labels that each service and workload names; none = all.
fn lists<'p>(
    services: &'p mut [Service],
    workloads: &'p mut [Workload],
) -> impl Iterator<Item = &'p mut Vec<String>> {
    let services = services.iter_mut().map(|service| &mut service.targets);
    services.chain(workloads.iter_mut().map(|workload| &mut workload.targets))
}
