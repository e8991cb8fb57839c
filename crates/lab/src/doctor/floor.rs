//! How small a difference this machine can show: the built-in event-loop server raced against itself.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use photofinish_model::files::temp::TempFolder;
use photofinish_model::settings::RaceSettings;
use photofinish_model::store::Results;
use photofinish_model::{Line, Metric};
use photofinish_stats::{Paired, detectable_ratio};
use photofinish_study::plan::Plan;
use photofinish_study::{Compare, RunFlags, compare_plan, resolve};

use super::Finding;
use crate::run::RunOptions;
use photofinish_host::{Generator, Host};

const NAME: &str = "noise floor";
/// How long the noise floor takes, unless so many rounds do not fit.
pub const FLOOR_TIME: Duration = Duration::from_secs(20);
/// From 7 rounds a spread is known to a factor of about two.
const ROUNDS: u32 = 7;
const DURATION: Duration = Duration::from_millis(600);
const LEAD_IN: Duration = Duration::from_millis(100);
const WARMUP: Duration = Duration::from_millis(500);
/// Numbers of rounds for which the detectable difference is printed.
const SHOWN_ROUNDS: [u32; 3] = [5, 10, 20];

/// Races the built-in server against itself for [`FLOOR_TIME`]: how much the rounds' ratios scatter, and what size of
/// difference is detectable in how many rounds.
pub fn noise_floor(host: &Host, interrupt: &AtomicBool) -> Finding {
    floor(host, Host::this_machine(), interrupt)
}

fn floor(host: &Host, generator: &dyn Generator, interrupt: &AtomicBool) -> Finding {
    match race(host, generator, interrupt) {
        Ok(lines) => judge(&lines),
        Err(why) => Finding::warn(NAME, format!("could not be measured: {why}"))
            .with("photofinish server event-loop shows whether the built-in server runs here"),
    }
}

/// A server against itself.
fn plan() -> Result<Plan, photofinish_study::Error> {
    let command = "{photofinish} server event-loop --port {port}".to_owned();
    let compare = Compare {
        names: vec!["server".to_owned(), "server-again".to_owned()],
        ..Compare::new(
            vec![command.clone(), command],
            "http://127.0.0.1:{port}/plaintext",
        )
    };
    let mut plan = resolve(compare_plan(&compare)?, &RunFlags::default())?;
    plan.settings = RaceSettings {
        rounds: ROUNDS,
        until_decided: false,
        max_rounds: None,
        within: Some(FLOOR_TIME),
        fewest_rounds: ROUNDS,
        duration: DURATION,
        lead_in: LEAD_IN,
        warmup_min: WARMUP,
        warmup_max: WARMUP,
        ..plan.settings
    };
    Ok(plan)
}

fn race(
    host: &Host,
    generator: &dyn Generator,
    interrupt: &AtomicBool,
) -> Result<Vec<Line>, Box<dyn std::error::Error>> {
    let folder = TempFolder::new()?;
    let options = RunOptions {
        results: folder.path().join("run"),
        resume: false,
        seed: None,
        cache: folder.path().join("cache"),
        conditions: Vec::new(),
        dealt: None,
    };
    let plan = plan()?;
    crate::run::run(&plan, &options, host, generator, &mut |_| {}, interrupt)
        .map_err(|error| format!("failed to {error}"))?;
    let results = Results::read(&options.results).map_err(|error| format!("failed to {error}"))?;
    match results.lines.iter().find_map(|line| line.failure.as_ref()) {
        Some(why) => Err(why.to_string().into()),
        None => Ok(results.lines),
    }
}

fn judge(lines: &[Line]) -> Finding {
    let throughput = paired(lines, Metric::Throughput);
    let Some((rounds, sd)) = throughput.and_then(|paired| Some((paired.rounds, paired.sd?))) else {
        return Finding::warn(NAME, "not measured: too few rounds");
    };
    let percent = |ratio: f64| format!("{:.1}%", (ratio - 1.0) * 100.0);
    let reported: Vec<(u32, f64)> = SHOWN_ROUNDS
        .into_iter()
        .filter_map(|rounds| Some((rounds, detectable_ratio(sd, rounds, 0.05)?)))
        .collect();
    let Some((_, smallest)) = reported.first().copied() else {
        return Finding::warn(NAME, "its rounds differ too much for an estimate");
    };
    let differences: Vec<String> = reported
        .iter()
        .map(|(rounds, ratio)| format!("{} in {rounds} rounds", percent(*ratio)))
        .collect();
    let p99 = paired(lines, Metric::P99)
        .and_then(|paired| detectable_ratio(paired.sd?, SHOWN_ROUNDS[1], 0.05))
        .map_or_else(String::new, |ratio| {
            format!("; in p99 {} in {} rounds", percent(ratio), SHOWN_ROUNDS[1])
        });
    let says = format!(
        "a server raced against itself differed by {:.1}% from round to round ({rounds} short rounds); the smallest differences in throughput that can be detected are about {}{p99}",
        sd * 100.0,
        differences.join(", "),
    );
    let remedy =
        "stop other programs, measure longer or in more rounds, or use a dedicated machine";
    match smallest - 1.0 {
        s if s <= 0.05 => Finding::ok(NAME, says),
        s if s <= 0.2 => Finding::warn(NAME, says).with(remedy),
        _ => Finding::bad(NAME, says).with(remedy),
    }
}

/// The rounds that both have.
fn paired(lines: &[Line], metric: Metric) -> Option<Paired> {
    let first = &lines.first()?.target;
    let figure = |round: u32, is_first: bool| {
        lines
            .iter()
            .find(|line| line.round == round && (line.target == *first) == is_first)
            .and_then(|line| metric.of(line))
    };
    let pairs: Vec<(f64, f64)> = (1..=ROUNDS)
        .filter_map(|round| Some((figure(round, true)?, figure(round, false)?)))
        .collect();
    Paired::new(&pairs)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use photofinish_model::samples;

    use super::super::Level;
    use photofinish_model::samples::assert_starts;

    use super::*;
    use crate::fake::{FakeHost, FakeLoad};

    fn lines(a: &[f64], b: &[f64]) -> Vec<Line> {
        samples::race(&["a", "b"], &[a, b]).lines
    }

    #[test]
    fn the_scatter_of_the_rounds_says_what_can_be_told_apart() {
        // d = ±1%: s = 0.01 · √(6 / 5); what 5, 10 and 20 rounds find is tested with `detectable_ratio`.
        let b = [1000.0; 6];
        let a = [1.0, -1.0, 1.0, -1.0, 1.0, -1.0].map(|sign| 1000.0 * f64::exp(sign * 0.01));
        let reported = judge(&lines(&a, &b));
        let sd = 0.01 * (6.0_f64 / 5.0).sqrt();
        let five = detectable_ratio(sd, 5, 0.05).expect("a ratio");
        assert_eq!(reported.level, Level::Ok);
        assert!(
            reported.says.starts_with(&format!(
                "a server raced against itself differed by 1.1% from round to round (6 short rounds); the smallest differences in throughput that can be detected are about {:.1}% in 5 rounds, ",
                (five - 1.0) * 100.0
            )),
            "{}",
            reported.says
        );
        let wild = [1.0, -1.0, 1.0, -1.0, 1.0, -1.0].map(|sign| 1000.0 * f64::exp(sign * 0.3));
        assert_eq!(judge(&lines(&wild, &b)).level, Level::Bad);
        assert_eq!(judge(&[]).level, Level::Warn);
    }

    #[test]
    fn it_takes_the_time_that_is_said_beforehand() {
        let plan = plan().unwrap();
        assert_eq!(plan.settings.within, Some(FLOOR_TIME));
    }

    #[test]
    fn what_cannot_be_raced_is_said() {
        // The made-up host knows no such program.
        let host = Arc::new(FakeHost::default()).host();
        let interrupt = AtomicBool::new(false);
        let reported = floor(&host, &FakeLoad::steady(), &interrupt);
        assert_eq!(reported.level, Level::Warn);
        assert_starts(&reported.says, "could not be measured: ");
    }
}
