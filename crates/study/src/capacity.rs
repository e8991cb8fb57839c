//! A load level that is a search: the highest rate that holds an objective.

use std::time::Duration;

use photofinish_model::duration::format_duration;
use photofinish_model::{Load, Objective, Search};

use crate::reader::{Node, Section};

const SMOKE_STEP: Duration = Duration::from_millis(300);
const SMOKE_STEPS: u32 = 4;
const SMOKE_TIME: Duration = Duration::from_secs(3);

/// The same search as a trial run: it finds a few rates that hold, and no limit.
pub(crate) fn smoke(search: &mut Search) {
    search.step = SMOKE_STEP.min(search.step);
    search.max_steps = SMOKE_STEPS.min(search.max_steps);
    search.max_time = SMOKE_TIME.min(search.max_time);
}

const EXAMPLE: &str = "load = { capacity = \"p99 < 10ms\" }";

/// The levels of `load = { capacity = … }`, one for each objective, with where each stands.
pub(crate) fn read_load<'d>(section: &Section<'d>) -> Vec<(Node<'d>, Option<Load>)> {
    let Some(node) = section.get("load") else {
        return Vec::new();
    };
    let Some(load) = node.section() else {
        return vec![(node, None)];
    };
    let step: Duration = load.value_or_default("step");
    let max_time: Duration = load.value_or_default("max-time");
    if let Some(node) = load.get("max-time").filter(|_| max_time < step) {
        node.note(
            format!(
                "`max-time` is shorter than a step of {}",
                format_duration(step)
            ),
            "give each search the time for its steps, such as max-time = \"5m\"",
        );
    }
    let objectives = load.need("capacity");
    let objectives = objectives.map(|node| node.one_or_more());
    if let Some([]) = objectives.as_deref() {
        load.note(
            "`capacity` names no objective",
            format!("write what must hold, such as {EXAMPLE}"),
        );
    }
    objectives
        .unwrap_or_default()
        .into_iter()
        .map(|node| {
            let objective = read_objective(&node);
            let level = objective.map(|objective| {
                Load::Capacity(Search {
                    objective,
                    connections: load.value_or_default("connections"),
                    precision: load.value_or_default("precision"),
                    step,
                    start: load.value_or_default("start"),
                    max_steps: load.value_or_default("max-steps"),
                    max_time,
                })
            });
            (node, level)
        })
        .collect()
}

/// An objective; what is wrong with it is noted.
pub(crate) fn read_objective(node: &Node<'_>) -> Option<Objective> {
    match Objective::parse(node.text()?) {
        Ok(objective) => Some(objective),
        Err(error) => {
            node.note(
                format!("`{}` is not an objective: {error}", node.name()),
                "for example: capacity = \"p99 < 10ms and errors < 0.1%\"",
            );
            None
        }
    }
}
