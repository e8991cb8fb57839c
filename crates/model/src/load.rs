//! How load is sent: one vocabulary for study files, records, the command line and the load generator.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::message::{Argument, Language};
use crate::objective::Objective;
use crate::units;

/// The shortest time for which load flows where it is measured: what a thread does before and behind its load is a small part of it.
pub const SHORTEST_LOAD: Duration = Duration::from_millis(100);

/// How load is sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Load {
    /// Closed loop: each of the connections sends its next request when its last response is in.
    Closed {
        /// How many connections are open.
        connections: u32,
    },
    /// Open loop: requests are due by a schedule, whether or not the last response is in.
    Open {
        /// The offered rate, in requests per second, over all connections.
        rate: f64,
        /// How the gaps between due times are distributed.
        arrivals: Arrivals,
        /// How many connections are open.
        connections: u32,
    },
    /// Open loops with Poisson arrivals, at one rate after the other: a search for the highest that holds an objective.
    Capacity(Search),
}

impl Argument for Load {
    fn text(&self, language: Language) -> String {
        self.level(language)
    }

    fn value(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

impl From<&Load> for Load {
    fn from(load: &Load) -> Load {
        load.clone()
    }
}

impl From<&&Load> for Load {
    fn from(load: &&Load) -> Load {
        (*load).clone()
    }
}

/// A search for the highest rate that holds an objective.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Search {
    /// What must hold, such as `p99 < 10ms`.
    pub objective: Objective,
    /// How many connections are open.
    pub connections: u32,
    /// The search ends when the highest rate that met the objective and the lowest that missed it are this close, as a share: 0.02 = 2%.
    pub precision: f64,
    /// How long each rate is measured, in seconds; longer where it is low.
    #[serde(rename = "step_s", with = "seconds")]
    #[schemars(with = "f64")]
    pub step: Duration,
    /// The first rate, in requests per second.
    pub start: f64,
    /// How many steps there may be.
    pub max_steps: u32,
    /// No step begins after so many seconds.
    #[serde(rename = "max_time_s", with = "seconds")]
    #[schemars(with = "f64")]
    pub max_time: Duration,
}

impl Search {
    /// How long each rate is measured where nothing else is asked for.
    pub const STEP: Duration = Duration::from_secs(3);
    /// For how long steps begin where nothing else is asked for.
    pub const MAX_TIME: Duration = Duration::from_secs(300);

    /// How far above the highest rate that met the objective the lowest that failed may be, where nothing else is asked for.
    pub const PRECISION: f64 = 0.02;
    /// The first rate per second, where nothing else is asked for.
    pub const START: f64 = 1000.0;
    /// How many steps there are at most, where nothing else is asked for.
    pub const MAX_STEPS: u32 = 40;

    /// The search for an objective where nothing else is asked for.
    pub fn new(objective: Objective, connections: u32) -> Search {
        Search {
            objective,
            connections,
            precision: Search::PRECISION,
            step: Search::STEP,
            start: Search::START,
            max_steps: Search::MAX_STEPS,
            max_time: Search::MAX_TIME,
        }
    }
}

crate::worded! {
    /// The distribution of the gaps between due times in an open loop.
    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    Arrivals = Poisson;
    /// Random gaps (exponentially distributed), as from many independent users.
    Poisson "poisson";
    /// Equal gaps.
    Constant "constant";
}

/// A part of an open loop whose rate changes: it goes linearly from `from` to `to` within `duration`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// How long.
    pub duration: Duration,
    /// Requests per second at its start.
    pub from: f64,
    /// Requests per second at its end.
    pub to: f64,
}

impl Stage {
    /// How long all of them take.
    pub fn total(stages: &[Stage]) -> Duration {
        stages.iter().fold(Duration::ZERO, |sum, stage| {
            sum.saturating_add(stage.duration)
        })
    }

    /// The mean rate over all of them, in requests per second; 0 where they take no time.
    pub fn mean_rate(stages: &[Stage]) -> f64 {
        let of = |weight: fn(&Stage) -> f64| stages.iter().map(weight).sum::<f64>();
        let requests = of(|stage| (stage.from + stage.to) / 2.0 * stage.duration.as_secs_f64());
        let seconds = of(|stage| stage.duration.as_secs_f64());
        match seconds > 0.0 {
            true => requests / seconds,
            false => 0.0,
        }
    }
}

impl Load {
    /// The level in a few words, such as `1,000 connections`, `5,000/s` or `capacity (p99 < 10ms)`.
    pub fn label(&self) -> String {
        match self {
            Load::Closed { connections } => {
                units::plural(*connections as usize, "connection", "connections")
            }
            Load::Open { rate, .. } => format!("{}/s", units::rate(*rate)),
            Load::Capacity(search) => format!("capacity ({})", search.objective.text()),
        }
    }

    /// The level in a few words of a language.
    pub fn level(&self, language: Language) -> String {
        match (self, language) {
            (_, Language::En) => self.label(),
            (Load::Closed { connections }, Language::Zh) => {
                format!("{} 个连接", units::thousands(f64::from(*connections)))
            }
            (Load::Open { rate, .. }, Language::Zh) => {
                format!("每秒 {} 个请求", units::rate(*rate))
            }
            (Load::Capacity(search), Language::Zh) => {
                format!("容量（{}）", search.objective.text())
            }
        }
    }

    /// What must hold, where the level is a search.
    pub fn objective(&self) -> Option<&str> {
        match self {
            Load::Capacity(search) => Some(search.objective.text()),
            Load::Closed { .. } | Load::Open { .. } => None,
        }
    }

    /// How many connections it opens.
    pub fn connections(&self) -> u32 {
        match *self {
            Load::Closed { connections }
            | Load::Open { connections, .. }
            | Load::Capacity(Search { connections, .. }) => connections,
        }
    }

    /// The same with another number of connections.
    pub fn with_connections(&self, number: u32) -> Load {
        let mut load = self.clone();
        match &mut load {
            Load::Closed { connections }
            | Load::Open { connections, .. }
            | Load::Capacity(Search { connections, .. }) => *connections = number,
        }
        load
    }
}

/// A length of time as a number of seconds.
mod seconds {
    use std::time::Duration;

    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;

    pub fn serialize<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(time.as_secs_f64())
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(deserializer: D) -> Result<Duration, D::Error> {
        let seconds = f64::deserialize(deserializer)?;
        Duration::try_from_secs_f64(seconds).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_one_flat_object() {
        let objective = Objective::parse("p99 < 10ms").expect("an objective");
        for (load, json) in [
            (
                Load::Closed { connections: 16 },
                r#"{"kind":"closed","connections":16}"#,
            ),
            (
                Load::Open {
                    rate: 2.5,
                    arrivals: Arrivals::Constant,
                    connections: 7,
                },
                r#"{"kind":"open","rate":2.5,"arrivals":"constant","connections":7}"#,
            ),
            (
                Load::Capacity(Search::new(objective, 100)),
                r#"{"kind":"capacity","objective":"p99 < 10ms","connections":100,"precision":0.02,"step_s":3.0,"start":1000.0,"max_steps":40,"max_time_s":300.0}"#,
            ),
        ] {
            assert_eq!(serde_json::to_string(&load).expect("JSON"), json);
            assert_eq!(serde_json::from_str::<Load>(json).expect("a load"), load);
        }
    }

    #[test]
    fn what_is_no_objective_or_no_time_is_refused_with_its_words() {
        let refused = |objective: &str, step: &str| {
            let json = format!(
                r#"{{"kind":"capacity","objective":"{objective}","connections":1,"precision":0.02,"step_s":{step},"start":1.0,"max_steps":1,"max_time_s":1.0}}"#
            );
            serde_json::from_str::<Load>(&json)
                .expect_err("refused")
                .to_string()
        };
        assert!(refused("p98 < 10ms", "1").contains("`p98` is not a figure"));
        assert!(refused("p99 < 10ms", "-1").contains("negative"));
    }

    #[test]
    fn the_mean_rate_is_weighted_by_time() {
        let stage = |seconds, from, to| Stage {
            duration: Duration::from_secs(seconds),
            from,
            to,
        };
        // (200 × 1 s + 300 × 3 s) / 4 s.
        let stages = [stage(1, 100.0, 300.0), stage(3, 300.0, 300.0)];
        assert_eq!(Stage::mean_rate(&stages), 275.0);
        assert_eq!(Stage::total(&stages), Duration::from_secs(4));
        assert_eq!(Stage::mean_rate(&[]), 0.0);
    }
}
