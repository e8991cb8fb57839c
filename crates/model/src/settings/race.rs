//! How a race is measured, and how a race is planned: the tables of these settings. No other file declares one.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::{CpuSets, Group, Kind, LEAVE_OUT, Set, settings};
use crate::{SHORTEST_LOAD, Worded};

/// How many rounds a run may have.
pub const ROUNDS: RangeInclusive<u32> = 1..=1000;
/// The most rounds that a run may have with `--until-decided`: bounds of the interim analyses exist for so many
/// (`photofinish_stats::sequential::MOST_ROUNDS`), and one round compares nothing.
pub const MAX_ROUNDS: RangeInclusive<u32> = 2..=100;
const WITHIN: RangeInclusive<Duration> = Duration::from_secs(10)..=Duration::from_secs(24 * 3600);
const WARMUP: RangeInclusive<Duration> = Duration::ZERO..=Duration::from_secs(3600);

/// `compare` ends as soon as it is decided. Rounds are the sample, and a few short ones show most differences.
const COMPARE_ROUNDS: u32 = 12;
const COMPARE_DURATION: Duration = Duration::from_millis(1_500);
/// The rest of the 90 s is for builds, for what comes before the first round, and for the report.
const COMPARE_WITHIN: Duration = Duration::from_secs(85);
/// Too few rounds decide nothing, so servers that do not start at once have these.
const COMPARE_FEWEST_ROUNDS: u32 = 5;
/// A server without just-in-time compilers is warm at once; the warm-up sees one that has them.
const COMPARE_WARMUP_MIN: Duration = Duration::from_millis(500);

crate::worded! {
    /// By which clock the waits of threads are sampled.
    WaitClock;
    /// Locks, pools, the network, other threads: for how long a request waits for each.
    Wall "wall";
}

settings! {
    /// How a race is measured.
    RaceSettings, RaceLayer, "Measuring", over "the study's";

    /// Number of rounds; in each, every server is measured in a new process.
    ///
    /// Rounds are the sample of the verdict; fewer than 5 rarely decide anything.
    rounds: u32 [5, compare COMPARE_ROUNDS] Kind::Count(ROUNDS) => {
        .key("rounds", "rounds = 10").flag("rounds", "N").aliases(&["runs"])
    };
    /// Add rounds until the verdict of each level's headline and every claim are decided, or every --fail-if if there are any, however
    /// long that takes; all analyses of a run share one error.
    until_decided: bool [false, compare true] Kind::Switch => { .flag("until-decided", "") };
    /// Add rounds until the interval of every ratio of throughputs is this narrow to either side, such as 1%.
    half_width: Option<f64> [None] Kind::PositiveShare => { .flag("half-width", "SHARE") };
    /// Run all servers at the same time and measure them in turns, in short slices, so that a slow spell of the machine affects all of them.
    ///
    /// Otherwise one server is measured after the other, while no other server runs; see [turns](methods.md#turns).
    turns: bool [true] Kind::Switch => {
        .key("turns", "turns = false").flag("turns", "")
        .off("sequential", "Measure one server after the other, while no other server runs")
    };
    /// In turns, pause the other servers' processes while one of them is loaded, so that their timers and garbage collections fall into
    /// their own slices.
    freeze: bool [false] Kind::Switch => { .flag("freeze", "").not_for_running(LEAVE_OUT) };
    /// Give servers the usual CPU priority, not the highest (nice -20), which they have on their cores if photofinish runs as root,
    /// starts all of them itself and there is no database.
    usual_priority: bool [false] Kind::Switch => { .flag("usual-priority", "").not_for_running(LEAVE_OUT) };
    /// Sample the servers' call stacks, in slices next to the measured ones, to show what their CPU time is spent on.
    ///
    /// See [where a request's CPU time goes](methods.md#where-a-requests-cpu-time-goes).
    profile: Option<bool> [None] Kind::Switch => {
        .key("profile", "profile = true").flag("profile", "").off("no-profile", "Do not sample call stacks")
        .unset("if that takes less than a tenth of the time").not_for_running(LEAVE_OUT)
    };
    /// Also sample what the threads of Java servers wait for, in slices of their own: wall = by the wall clock.
    why: Option<WaitClock> [None] Kind::Word(WaitClock::words) => {
        .flag("why", "wall").not_for_running(LEAVE_OUT)
    };
    /// At most this many rounds with --until-decided or --half-width.
    max_rounds: Option<u32> [None] Kind::Count(MAX_ROUNDS) => { .flag("max-rounds", "N").unset("20") };
    /// Time for all rounds together, such as 20m, builds not included: no round begins that would not end by then, and time that is left
    /// goes into longer measurements.
    ///
    /// Levels have fewer turns, down to half, if a third round or a last one would not fit otherwise; see
    /// [A limit of time](methods.md#a-limit-of-time). The flags `--rounds`, `--until-decided`, `--duration` and `--aa` lift it.
    within: Option<Duration> [None, compare Some(COMPARE_WITHIN)]
        Kind::Time(WITHIN) => {
        .key("within", "within = \"20m\"").flag("within", "TIME").compare_note(" for two servers at one level")
    };
    /// The time for all rounds holds only if at least this many rounds fit in it; otherwise there are this many.
    fewest_rounds: u32 [1, compare COMPARE_FEWEST_ROUNDS] Kind::Count(ROUNDS) => {};
    /// Whether the run ends if fewer than two servers can be compared in its first round or after any; it does so with `until_decided` too.
    ends_without_contest: bool [false, compare true] Kind::Switch => {};
    /// Length of each measurement, and of each step of a capacity search, such as 5s or 500ms.
    ///
    /// In turns, all slices of a measurement together have this length.
    duration: Duration [Duration::from_secs(5), compare COMPARE_DURATION]
        Kind::Time(SHORTEST_LOAD..=Duration::from_secs(3600)) => {
        .key("duration", "duration = \"10s\"").flag("duration", "TIME").short('d')
    };
    /// How long to send load before each measurement, such as 2s.
    ///
    /// In turns, each slice has a measured lead-in of its own.
    lead_in: Duration [Duration::from_secs(1)] Kind::Time(Duration::ZERO..=Duration::from_secs(600)) => {
        .key("lead-in", "lead-in = \"500ms\"").flag("lead-in", "TIME")
    };
    /// Shortest warm-up.
    warmup_min: Duration [Duration::from_secs(3), compare COMPARE_WARMUP_MIN] Kind::Time(WARMUP) => {
        .key("warmup.min", "min = \"10s\"").may_change()
    };
    /// Longest warm-up, such as 30s; it ends earlier, once throughput is steady.
    warmup_max: Duration [Duration::from_secs(60)] Kind::Time(WARMUP) => {
        .key("warmup.max", "max = \"90s\"").flag("warmup", "TIME").may_change()
    };
    /// A ratio within 1 ± margin is a tie.
    margin: f64 [0.02] Kind::Share => { .key("margin", "margin = 0.05") };
    /// Also race the first server against a copy of itself (A/A): the difference between the two is the noise floor.
    ///
    /// The copy is called `NAME-again`. A smoke run leaves it out.
    aa: bool [false] Kind::Switch => { .key("aa", "aa = true").flag("aa", "") };
    /// CPU cores for servers and load generator: split (half of the cores each), none (not pinned), or such as server=0-1,generator=2-3.
    lanes: CpuSets [CpuSets::Split] Kind::Cpus => {
        .key("lanes", "lanes = \"none\"").flag("lanes", "LANES")
        .not_for_running("pin them where they are started (`taskset -c 0 ./server`), and photofinish the same way")
    };
    /// Whether this was a smoke run, from which nothing may be concluded.
    smoke: bool [false] Kind::Switch => {};
}

settings! {
    /// For what `photofinish plan` computes rounds and time.
    PlanSettings, PlanLayer, "", over "";
    /// Half-width that the interval of every ratio of throughputs is to have, such as 1%.
    half_width: Option<f64> [None] Kind::PositiveShare => { .flag("half-width", "SHARE").unset("2%") };
    /// Time in which several pairs of machines are to reach it, such as 20m.
    within: Option<Duration> [None] Kind::Time(WITHIN) => {
        .flag("within", "TIME").unset("the study's, else 20m")
    };
}

impl RaceLayer {
    /// Defaults of `run`.
    pub fn of_run() -> RaceLayer {
        let [default, _] = <RaceLayer as Group>::defaults();
        default
    }

    /// Defaults of `compare`.
    pub fn of_compare() -> RaceLayer {
        let [default, compare] = <RaceLayer as Group>::defaults();
        compare.over(default)
    }

    /// What holds for servers that run already, which photofinish neither pins nor samples.
    pub fn of_running() -> RaceLayer {
        RaceLayer {
            lanes: Set::default_of(CpuSets::None),
            profile: Set::default_of(Some(false)),
            ..RaceLayer::default()
        }
    }
}

impl RaceSettings {
    /// The most rounds with `until_decided`.
    pub const MAX_ROUNDS: u32 = 20;

    /// Whether the warm-up takes as long whatever throughput does.
    pub fn warmup_is_fixed(&self) -> bool {
        self.warmup_min >= self.warmup_max
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::different;

    #[test]
    fn settings_are_read_back_from_json() {
        let settings = RaceSettings {
            within: Some(Duration::from_secs(1200)),
            why: Some(WaitClock::Wall),
            profile: Some(false),
            lanes: CpuSets::parse("server=0-1,generator=2").expect("cores"),
            ..RaceLayer::of_compare().complete()
        };
        let json = serde_json::to_string(&settings).expect("JSON");
        assert!(
            json.contains("\"within\":\"20m\"") && json.contains("\"why\":\"wall\""),
            "{json}"
        );
        let back: RaceSettings = serde_json::from_str(&json).expect("settings");
        assert_eq!(back, settings);
        let other = json.replace("\"20m\"", "20");
        let error = serde_json::from_str::<RaceSettings>(&other).expect_err("no unit");
        assert!(
            error.to_string().contains("`within` cannot be 20"),
            "{error}"
        );
    }

    #[test]
    fn every_setting_with_a_value_is_read_back_by_its_kind() {
        let all = RaceSettings {
            within: Some(Duration::from_secs(60)),
            ..RaceSettings::default()
        };
        for (row, value) in all.values() {
            let Some(value) = value else { continue };
            assert!(row.kind.allows(&value), "{}: {value}", row.name);
            assert_eq!(
                row.kind.parse(&value.to_string()),
                Ok(value),
                "{}",
                row.name
            );
        }
        assert_eq!(RaceLayer::ROWS.len(), all.values().len());
    }

    #[test]
    fn what_differs_is_named() {
        let was = RaceSettings::default();
        let is = RaceSettings {
            lead_in: Duration::ZERO,
            usual_priority: true,
            ..was.clone()
        };
        let found: Vec<String> = different(&was, &is)
            .iter()
            .map(|one| format!("{} {:?} {:?}", one.name, one.was, one.is))
            .collect();
        assert_eq!(
            found,
            [
                "usual_priority Some(\"false\") Some(\"true\")",
                "lead-in Some(\"1s\") Some(\"0s\")"
            ]
        );
    }
}
