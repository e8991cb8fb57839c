//! A run at a capacity, with a limit that races along: what two servers sustain at an objective, by the rates that were tried.

use photofinish_model::capacity::{Found, Step};
use photofinish_model::finding::capacity::Broken;
use photofinish_model::samples;

use super::{NAMES, Run};

/// What each sustains in each round; the last is the limit.
const SUSTAINED: [[f64; 4]; 3] = [
    [40_000.0, 40_400.0, 39_800.0, 40_100.0],
    [31_000.0, 30_600.0, 31_200.0, 30_900.0],
    [90_000.0, 91_000.0, 89_500.0, 90_300.0],
];

pub fn sustained() -> Run {
    let searches = SUSTAINED.map(|rates| rates.map(searched));
    let searches: Vec<&[Found]> = searches.iter().map(|found| found.as_slice()).collect();
    let names = [NAMES[0], NAMES[2], "limit"];
    let mut results = samples::capacity_race(&names, &searches);
    results.study.name = "sustained".to_owned();
    results.study.title = "What two servers sustain".to_owned();
    results.study.targets[2].limit = true;
    Run {
        study: results.study,
        trials: results.trials,
        lines: results.lines.into_iter().map(|line| (line, None)).collect(),
        stacks: Vec::new(),
    }
}

/// A search that ends at this rate: p99 is 1 ms where nothing waits, and 10 ms a little above the rate.
fn searched(rate: f64) -> Found {
    let mut found = samples::found(Some(rate), Some(rate * 1.02));
    let tried = [0.4, 0.7, 0.9, 1.0, 1.02, 1.1];
    let steps = tried.map(|share| {
        let holds = share <= 1.0;
        let us = 1e3 / (1.125 - f64::min(share, 1.1));
        Step {
            offered_rps: rate * share,
            achieved_rps: rate * share,
            p99_us: Some(us),
            holds,
            why: (!holds).then(|| Broken::Time {
                figure: "p99".to_owned(),
                us,
            }),
            ..found.steps[0].clone()
        }
    });
    found.steps = steps.to_vec();
    found
}
