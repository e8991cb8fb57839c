//! A load level that is a search: the highest rate that holds an objective.

use std::time::Duration;

use crate::duration::format_duration;
use crate::levels::{MAX_CONNECTIONS, RATE_CONNECTIONS};
use crate::limits;
use crate::objective::Objective;
use crate::plan::Load;
use crate::reader::{Node, Section};

/// What is searched for, and how long.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// What must hold.
    pub objective: Objective,
    /// How long each step is measured; longer where its rate is low.
    pub step: Duration,
    /// The first rate, in requests per second.
    pub start: f64,
    /// How near the highest rate that held and the lowest that did not must be: 0.02 = 2%.
    pub precision: f64,
    /// At most so many steps.
    pub max_steps: u32,
    /// No step begins after so long.
    pub max_time: Duration,
}

impl Search {
    /// The search for an objective where nothing else is asked for.
    pub fn new(objective: Objective) -> Search {
        Search {
            objective,
            step: DEFAULT_STEP,
            start: DEFAULT_START,
            precision: DEFAULT_PRECISION,
            max_steps: DEFAULT_MAX_STEPS,
            max_time: DEFAULT_MAX_TIME,
        }
    }

    /// The same as a trial run: it finds a few rates that hold, and no limit.
    pub(crate) fn smoke(&mut self) {
        self.step = SMOKE_STEP.min(self.step);
        self.max_steps = SMOKE_STEPS.min(self.max_steps);
        self.max_time = SMOKE_TIME.min(self.max_time);
    }
}

const DEFAULT_STEP: Duration = Duration::from_secs(3);
const DEFAULT_START: f64 = 1000.0;
const DEFAULT_PRECISION: f64 = 0.02;
const DEFAULT_MAX_STEPS: u32 = 40;
const DEFAULT_MAX_TIME: Duration = Duration::from_secs(300);

const SMOKE_STEP: Duration = Duration::from_millis(300);
const SMOKE_STEPS: u32 = 4;
const SMOKE_TIME: Duration = Duration::from_secs(3);

/// The keys of `load`.
pub(crate) const LOAD_KEYS: &[&str] = &[
    "capacity",
    "connections",
    "precision",
    "step",
    "start",
    "max-steps",
    "max-time",
];

const EXAMPLE: &str = "load = { capacity = \"p99 < 10ms\" }";

/// The levels of `load = { capacity = … }`, one for each objective, with where each stands.
pub(crate) fn read_load<'d>(section: &Section<'d>) -> Vec<(Node<'d>, Option<Load>)> {
    let Some(node) = section.get("load") else {
        return Vec::new();
    };
    let Some(load) = node.section("`load`", LOAD_KEYS, EXAMPLE) else {
        return vec![(node, None)];
    };
    let connections = load
        .get("connections")
        .and_then(|node| node.integer(1..=MAX_CONNECTIONS))
        .unwrap_or(RATE_CONNECTIONS);
    let number = |key, fits: &dyn Fn(f64) -> bool, says| {
        load.get(key).and_then(|node| node.number(fits, says))
    };
    let precision = number(
        "precision",
        &|share| (0.001..=1.0).contains(&share),
        "0.001 to 1, such as 0.02 for 2%",
    );
    let start = number(
        "start",
        &|rate| (1.0..=crate::levels::MAX_RATE).contains(&rate),
        "1 to 10000000 requests per second",
    );
    let max_steps = load
        .get("max-steps")
        .and_then(|node| node.integer(1..=1000));
    let step = load.duration_or("step", limits::DURATION, DEFAULT_STEP);
    let max_time = load.duration_or("max-time", limits::SEARCH, DEFAULT_MAX_TIME);
    if let Some(node) = load.get("max-time").filter(|_| max_time < step) {
        node.note(
            format!(
                "`max-time` is shorter than a step of {}",
                format_duration(step)
            ),
            "give each search the time for its steps, such as max-time = \"5m\"",
        );
    }
    let objectives = load.need("capacity", EXAMPLE);
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
            let level = objective.map(|objective| Load::Capacity {
                search: Search {
                    step,
                    max_time,
                    start: start.unwrap_or(DEFAULT_START),
                    precision: precision.unwrap_or(DEFAULT_PRECISION),
                    max_steps: max_steps.unwrap_or(DEFAULT_MAX_STEPS),
                    ..Search::new(objective)
                },
                connections,
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
                format!("`{}` is no objective: {error}", node.name()),
                "for example: capacity = \"p99 < 10ms and errors < 0.1%\"",
            );
            None
        }
    }
}
