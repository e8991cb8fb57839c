//! Slices in which a server's stacks are sampled, beside those that are measured.

use std::collections::BTreeMap;
use std::time::Duration;

use photofinish_load::Outcome;
use photofinish_model::{Layer, Profile, Waits};
use photofinish_profile::{HERTZ, SampleClock, Sampled, Stacks, layers, waits};
use photofinish_study::plan::Plan;

use super::cut::{self, Cut};
use crate::convert;
use crate::usage::{self, Span};

/// Share of a level's time that its profile takes.
const PROFILE_SHARE: f64 = 0.09;
/// Shortest profile that nobody asked for: some hundred samples of a busy core.
const MIN_PROFILE: Duration = Duration::from_millis(200);
/// Shortest profile that somebody asked for.
const MIN_PROFILE_ASKED: Duration = Duration::from_secs(1);
/// Longest profile.
const MAX_PROFILE: Duration = Duration::from_secs(4);
/// The profiled slices of a level that is measured sequentially: long enough for servers with long response
/// times, and no longer than the kernel's buffer holds their stacks.
pub(crate) const PROFILE_CUT: Cut = Cut {
    counted: Duration::from_millis(200),
    lead_in: Duration::from_millis(50),
    turns: 1,
    stall: Duration::from_millis(2),
};

/// How long each target is profiled at a level by each clock, in load that flows, in this order; those by which it is not are not there.
pub(crate) fn lengths(plan: &Plan) -> Vec<(SampleClock, Duration)> {
    let asked = cut::takes(plan.settings.duration)
        .mul_f64(PROFILE_SHARE)
        .clamp(MIN_PROFILE_ASKED, MAX_PROFILE);
    let waits =
        (plan.settings.why.is_some() && !plan.settings.smoke).then_some((SampleClock::Wall, asked));
    let cpu = length(plan).map(|length| (SampleClock::Cpu, length));
    waits.into_iter().chain(cpu).collect()
}

/// How long all that takes, for each target.
pub(crate) fn takes(plan: &Plan) -> Duration {
    lengths(plan).into_iter().map(|(_, length)| length).sum()
}

/// By what its cores run.
fn length(plan: &Plan) -> Option<Duration> {
    let share = cut::takes(plan.settings.duration).mul_f64(PROFILE_SHARE);
    let length = match plan.settings.profile {
        _ if plan.settings.smoke => return None,
        Some(false) => return None,
        Some(true) => share.max(MIN_PROFILE_ASKED),
        None if share < MIN_PROFILE => return None,
        None => share,
    };
    Some(length.min(MAX_PROFILE))
}

/// Whether Java servers have an agent that names their methods: where somebody asked for profiles or waits. It stays in the machine,
/// stopped, while slices are measured, and what nobody asked for is no part of a server that is judged.
pub(crate) fn names_java(plan: &Plan) -> bool {
    (plan.settings.profile == Some(true) || plan.settings.why.is_some())
        && !lengths(plan).is_empty()
}

/// How many slices make up so long.
pub(crate) fn slices(cut: &Cut, length: Duration) -> u32 {
    let slices = length.as_nanos() / cut.slice().as_nanos().max(1);
    u32::try_from(slices).unwrap_or(u32::MAX).max(1)
}

/// Profiled slices of one target, added up.
#[derive(Default)]
pub(crate) struct Profiled {
    outcome: Option<Outcome>,
    spans: Vec<Option<Span>>,
    /// Those of the wall clock.
    pub(crate) stacks: Stacks,
    /// For how many seconds threads were looked at by the wall clock, all of them added up.
    thread_s: f64,
}

impl Profiled {
    pub(crate) fn add(&mut self, outcome: Outcome, span: Option<Span>) {
        convert::add(&mut self.outcome, outcome);
        self.spans.push(span);
    }

    /// What these slices showed, in which so much was sampled, and the text of the file that its stacks are kept in; `None` if no slice
    /// was profiled, or the server was found nowhere.
    pub(crate) fn profile(
        self,
        cut: &Cut,
        sampled: Sampled,
        file: String,
    ) -> Option<(Profile, String)> {
        let stacks = &sampled.stacks;
        let outcome = self.outcome?;
        let flowed = cut.slice() * self.spans.len() as u32;
        let spans: Option<Vec<Span>> = self.spans.into_iter().collect();
        let responses = convert::responses_in_all(&outcome);
        let used = spans.and_then(|spans| {
            let highest = usage::Highest::default();
            usage::server_use(&spans, flowed, responses, &highest).cpu_us_per_request()
        });
        let (text, merged) = stacks.text();
        let counted = layers::count(stacks);
        let seconds = outcome.duration.as_secs_f64();
        let profile = Profile {
            throughput_rps: convert::ratio(outcome.responses_in_window as f64, seconds)?,
            cpu_us_per_request: used,
            hertz: HERTZ,
            samples: stacks.samples(),
            lost: stacks.lost,
            stack_depth: stacks.depth().filter(|_| are_named(&counted)),
            layers: counted,
            program: sampled.program().map(str::to_owned),
            file,
            merged,
        };
        (profile.samples > 0).then_some((profile, text))
    }

    /// Adds what was seen of so many threads in so long.
    pub(crate) fn looked(&mut self, stacks: Stacks, threads: u32, time: Duration) {
        self.stacks.add(stacks);
        self.thread_s += f64::from(threads) * time.as_secs_f64();
    }

    /// What these slices showed of what threads wait for, and the text of the file of their stacks; `None` if there was no slice, or no
    /// agent looked.
    pub(crate) fn waits(self, file: String) -> Option<(Waits, String)> {
        let outcome = self.outcome?;
        let (text, merged) = self.stacks.text();
        let seconds = outcome.duration.as_secs_f64();
        let waits = Waits {
            throughput_rps: convert::ratio(outcome.responses_in_window as f64, seconds)?,
            responses: convert::responses_in_all(&outcome),
            // Whoever looks waits for a busy server's core as its threads do: how often it came to that is counted.
            hertz: convert::ratio(self.stacks.samples() as f64, self.thread_s)?,
            samples: self.stacks.samples(),
            waits: waits::count(&self.stacks),
            has_virtual_threads: waits::has_virtual_threads(&self.stacks),
            file,
            merged,
        };
        (waits.samples > 0).then_some((waits, text))
    }
}

/// Share of samples in nameless code beyond which the mean depth of stacks shows nothing: code that was
/// compiled at run time without names has mostly no frame pointers either, so that stacks end at it.
const MAX_NAMELESS_SHARE: f64 = 0.05;

/// Whether these samples, by layer, have names and so whole stacks.
fn are_named(layers: &BTreeMap<Layer, u64>) -> bool {
    let nameless = layers.get(&Layer::Compiled).copied().unwrap_or(0);
    nameless as f64 <= MAX_NAMELESS_SHARE * layers.values().sum::<u64>() as f64
}

/// The number by which a profiled slice's arrivals are drawn: no turn's.
pub(crate) fn turn(clock: SampleClock, number: u32) -> u32 {
    let last = match clock {
        // The last number is that of the piece beside the turns.
        SampleClock::Cpu => u32::MAX - 1,
        SampleClock::Wall => u32::MAX / 2,
    };
    last - number
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake;

    #[test]
    fn stacks_that_end_at_code_without_names_have_no_depth() {
        let samples = |compiled| {
            BTreeMap::from([
                (Layer::KernelSend, 100 - compiled),
                (Layer::Compiled, compiled),
            ])
        };
        assert!(are_named(&samples(0)));
        assert!(are_named(&samples(5)));
        assert!(!are_named(&samples(6)));
        assert!(!are_named(&samples(100)));
    }

    #[test]
    fn profiles_take_a_tenth_at_most_unless_they_are_asked_for() {
        let plan = |ms, profile| {
            fake::with(fake::plan(&["a", "b"], 1), |settings| {
                settings.turns = true;
                settings.duration = Duration::from_millis(ms);
                settings.profile = profile;
            })
        };
        for ms in [100, 700, 1_000, 2_000, 5_000, 60_000] {
            let takes = cut::takes(Duration::from_millis(ms));
            let length = length(&plan(ms, None));
            assert!(length.is_none_or(|length| length * 10 < takes), "{ms}");
            assert_eq!(length.is_some(), ms >= 2_000, "{ms}");
        }
        assert_eq!(length(&plan(700, Some(true))), Some(MIN_PROFILE_ASKED));
        assert_eq!(length(&plan(60_000, None)), Some(MAX_PROFILE));
        assert_eq!(length(&plan(5_000, Some(false))), None);
        let smoke = fake::with(plan(5_000, Some(true)), |settings| {
            settings.smoke = true;
        });
        assert_eq!(length(&smoke), None);
    }

    #[test]
    fn slices_are_as_long_as_those_that_are_measured() {
        let cut = Cut {
            counted: Duration::from_millis(50),
            lead_in: Duration::from_millis(20),
            turns: 10,
            stall: Duration::from_millis(2),
        };
        assert_eq!(slices(&cut, Duration::from_secs(1)), 14);
        assert_eq!(slices(&cut, Duration::from_millis(10)), 1);
    }
}
