//! What a run leaves: records on disk, events for whoever watches, and what is known so far.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use photofinish_judge::checks::Responses;
use photofinish_judge::comparison::BestTurns;
use photofinish_model::finding::failure::FailureFinding;
use photofinish_model::store::Store;
use photofinish_model::{Line, Measurement, OnePiece, TimeOver, TrialRecord, VERSION, Verified};
use photofinish_study::plan::Target;

use crate::clock::Clock;
use crate::convert;
use crate::error::{Error, Failure};
use crate::events::{Event, Progress, Warning};
use crate::interference::placement::Placements;
use crate::measure::{self, Measured};
use crate::order::{Level, Scheduled, Step};
use crate::run_context::RunContext;
use crate::time_limit::TimeLimit;
use crate::turns::cut::Cut;

/// The one place that a run writes to.
pub(crate) struct Journal<'a> {
    run: &'a RunContext<'a>,
    store: Store,
    clock: Clock,
    /// What the targets have responded so far.
    pub(crate) responses: Responses,
    /// Measurements that failed in this run.
    pub(crate) missing: usize,
    /// Trials that failed after their last one.
    pub(crate) failed_late: usize,
    /// The rounds in which a target has failed to start, since it last did.
    failed_starts: BTreeMap<String, Vec<u32>>,
    /// The most resident memory that was seen of each target's server, in bytes.
    memory: BTreeMap<String, u64>,
    /// The targets, and the workloads, that an earlier round has shown to be warm after the least time.
    warm_at_once: BTreeSet<(String, String)>,
    /// The workloads of which it was reported that targets do different jobs.
    reported_different: BTreeSet<String>,
    /// How many turns levels have best in this round, by the rounds before, where rounds are added until it is decided.
    pub(crate) best_turns: Vec<BestTurns>,
    /// How long the rounds may take together; `None`: as long as they need.
    pub(crate) time_limit: Option<TimeLimit>,
    /// Whether nothing can be sampled of the servers.
    pub(crate) unprofiled: bool,
    /// The levels that cannot be cut into slices, and why, as a round has shown that nothing disturbed.
    pub(crate) in_one_piece: Vec<(Level, OnePiece)>,
    /// The slices of levels that suit these targets, the same.
    pub(crate) slices: Vec<(Level, BTreeSet<String>, Cut)>,
    /// For how much longer than planned the levels continued so far, because something disturbed their turns.
    pub(crate) beyond_plan: Duration,
    /// Where a virtual machine's cores lay in the turns so far.
    pub(crate) placements: Placements,
    /// The targets of which it was reported that they are not started again.
    reported_given_up: BTreeSet<String>,
    /// The targets, and the workloads, whose responses changed after verification.
    changed: BTreeSet<(String, String)>,
    /// Whether two servers could be compared in the first round.
    pub(crate) has_contest: bool,
    /// Whether it was reported that even the fewest rounds do not fit into the time.
    reported_lifted: bool,
    /// The targets of which something was measured in this round.
    measured: BTreeSet<String>,
    /// Why the last measurement failed that did.
    last_failure: Option<String>,
}

impl<'a> Journal<'a> {
    /// A journal that writes to `store`.
    pub(crate) fn new(
        run: &'a RunContext<'a>,
        store: Store,
        clock: Clock,
        responses: Responses,
    ) -> Journal<'a> {
        Journal {
            run,
            store,
            clock,
            responses,
            missing: 0,
            failed_late: 0,
            failed_starts: BTreeMap::new(),
            memory: BTreeMap::new(),
            warm_at_once: BTreeSet::new(),
            reported_different: BTreeSet::new(),
            best_turns: Vec::new(),
            time_limit: TimeLimit::of(&run.plan.settings),
            unprofiled: false,
            in_one_piece: Vec::new(),
            slices: Vec::new(),
            beyond_plan: Duration::ZERO,
            placements: Placements::default(),
            reported_given_up: BTreeSet::new(),
            reported_lifted: false,
            changed: BTreeSet::new(),
            has_contest: true,
            measured: BTreeSet::new(),
            last_failure: None,
        }
    }

    /// A round begins.
    pub(crate) fn begin_round(&mut self) {
        self.measured.clear();
    }

    /// Whether something was measured of a target in this round.
    pub(crate) fn has_measured(&self, target: &str) -> bool {
        self.measured.contains(target)
    }

    /// Why the last measurement failed that did.
    pub(crate) fn last_failure(&self) -> String {
        let failure = self.last_failure.clone();
        failure.unwrap_or_else(|| "no two servers were measured".to_owned())
    }

    /// Everything is checked.
    pub(crate) fn begins(&self, trials: usize) {
        self.run.report(Event::Begins {
            trials: trials as u32,
            seed: self.run.seed,
            until_decided: self.run.plan.settings.until_decided,
            progress: self.progress(),
        });
    }

    /// Even the fewest rounds do not fit into the time, which is reported once.
    pub(crate) fn reports_lifted_limit(&mut self) {
        let is_lifted = self.time_limit.as_ref().is_some_and(TimeLimit::is_lifted);
        if is_lifted && !self.reported_lifted {
            self.reported_lifted = true;
            let progress = self.progress();
            self.run.report(Event::TimeDoesNotHold {
                left: progress.left,
            });
        }
    }

    /// A trial begins.
    pub(crate) fn starting(&self, trial: &Scheduled) {
        let plan = self.run.plan;
        let target = &plan.targets[trial.target];
        self.run.report(Event::Starting {
            target: target.label.clone(),
            already: target.already().is_some(),
            round: trial.round,
            rounds: plan.settings.rounds,
            trial: trial.number,
            progress: self.progress(),
        });
    }

    /// A server is up, verified and warm.
    pub(crate) fn started(&mut self, target: &str) {
        self.failed_starts.remove(target);
        self.clock.trial_is_up();
    }

    /// A server failed before it could be measured.
    pub(crate) fn failed_to_start(&mut self, trial: &Scheduled) {
        let target = self.run.plan.targets[trial.target].label.clone();
        let rounds = self.failed_starts.entry(target).or_default();
        rounds.push(trial.round);
    }

    /// The two rounds in which a target failed to start, one after the other: it would fail in each to come, and may take
    /// its whole bound for that.
    pub(crate) fn given_up(&self, target: &str) -> Option<[u32; 2]> {
        let rounds = self.failed_starts.get(target)?;
        <[u32; 2]>::try_from(rounds.get(..2)?).ok()
    }

    /// A server responded when it was verified.
    pub(crate) fn responded(&mut self, target: &str, verified: &Verified, body: &[u8]) {
        self.responses.add(target, verified, Some(body));
        let same_job = self.responses.same_job(target, &verified.workload);
        // Once: it is in every measurement's checks.
        if same_job.ok == Some(false)
            && self.reported_different.insert(verified.workload.clone())
            && let Some(says) = same_job.says.clone()
        {
            self.run.report(Event::Differs(says));
        }
    }

    /// Why none of the servers that are up can be compared with another one in any workload: they failed, respond differently, or changed their
    /// responses. `None`: two can.
    pub(crate) fn no_contest(&self, up: &[&str]) -> Option<FailureFinding> {
        let different_jobs = up.len() > 1;
        let workloads = self.run.plan.workloads.iter();
        let mut alike = workloads.map(|workload| {
            let is_unchanged = |target: &&&str| !self.has_changed(target, &workload.name);
            let up: Vec<&str> = up.iter().filter(is_unchanged).copied().collect();
            self.responses.are_any_alike(&up, &workload.name)
        });
        let is_none = up.len() < 2 || !alike.any(|alike| alike);
        is_none.then_some(FailureFinding::NoContest { different_jobs })
    }

    /// Notes that a target's responses changed after verification, if so many did that it did another job.
    pub(crate) fn note_change(&mut self, line: &Line) {
        let limit = |target: &Target| target.limit && target.label == line.target;
        let is_limit = self.run.plan.targets.iter().any(limit);
        let measurement = line.measurement.as_ref();
        if !is_limit && measurement.is_some_and(Measurement::is_another_job) {
            let both = (line.target.clone(), line.workload.clone());
            self.changed.insert(both);
        }
    }

    fn has_changed(&self, target: &str, workload: &str) -> bool {
        (self.changed.iter()).any(|(one, other)| one == target && other == workload)
    }

    /// The targets whose responses changed after verification.
    pub(crate) fn changed(&self) -> Vec<String> {
        let targets: BTreeSet<&String> = self.changed.iter().map(|(target, _)| target).collect();
        targets.into_iter().cloned().collect()
    }

    /// The workloads for which not all targets do the same job, as far as they have responded.
    pub(crate) fn different_jobs(&self) -> Vec<String> {
        let plan = self.run.plan;
        let differs = |workload: &str| {
            let mut targets = plan.targets.iter();
            targets.any(|target| self.responses.same_job(&target.label, workload).ok == Some(false))
        };
        let names = plan.workloads.iter().map(|workload| &workload.name);
        names.filter(|name| differs(name)).cloned().collect()
    }

    /// The most memory that was seen of a target's server, in bytes; `None` if it was not measured yet.
    pub(crate) fn memory(&self, target: &str) -> Option<u64> {
        self.memory.get(target).copied()
    }

    /// A target has no just-in-time compilers, and was as fast at this workload after the shortest warm-up as later.
    pub(crate) fn was_warm_at_once(&mut self, target: &str, workload: &str) {
        let both = (target.to_owned(), workload.to_owned());
        self.warm_at_once.insert(both);
    }

    /// Whether an earlier round has shown that the shortest warm-up is enough for a target at this workload.
    pub(crate) fn is_warm_at_once(&self, target: &str, workload: &str) -> bool {
        let both = (target.to_owned(), workload.to_owned());
        self.warm_at_once.contains(&both)
    }

    /// Nothing is profiled any more, because the system does not let it: reported once.
    pub(crate) fn give_up_profiling(&mut self, refused: photofinish_host::Error) {
        self.unprofiled = true;
        let warning = Warning::Unprofiled(Arc::new(refused));
        self.run.report(Event::Warning(warning));
    }

    /// How far the run is.
    pub(crate) fn progress(&self) -> Progress {
        let Some(limit) = &self.time_limit else {
            return self.clock.progress(1.0);
        };
        let progress = self.clock.progress(limit.stretch());
        Progress {
            left: progress.left.min(limit.at_most()),
            ..progress
        }
    }

    /// There is no time for a round after this many.
    pub(crate) fn time_is_over(&mut self, rounds: u32) -> Result<(), Error> {
        self.rounds_are_over(rounds)?;
        self.run.report(Event::NoTime { round: rounds });
        Ok(())
    }

    /// There is no round after this many, because other pairs of machines have the rest.
    pub(crate) fn rounds_are_over(&mut self, rounds: u32) -> Result<(), Error> {
        Ok(self.store.add_time_over(&TimeOver {
            version: VERSION,
            at: convert::rfc3339(SystemTime::now()),
            rounds,
        })?)
    }

    /// A measurement begins.
    pub(crate) fn measuring(&self, trial: &Scheduled, step: &Step) {
        let plan = self.run.plan;
        let workload = &plan.workloads[step.workload];
        self.run.report(Event::Measuring {
            target: plan.targets[trial.target].label.clone(),
            workload: workload.name.clone(),
            load: workload.loads[step.load].clone(),
            takes: measure::takes(plan, step),
            progress: self.progress(),
        });
    }

    /// A measurement ended, which was expected to take so long.
    pub(crate) fn measured(&mut self, measured: Measured, takes: Duration) -> Result<(), Error> {
        let Measured {
            line,
            latency,
            stacks,
        } = measured;
        for (file, stacks) in &stacks {
            self.store.add_stacks(file, stacks)?;
        }
        if let Some(server) = &line.server {
            let memory = self.memory.entry(line.target.clone()).or_default();
            *memory = server.rss_max_bytes.max(*memory);
        }
        self.store.add_line(&line, latency.as_ref())?;
        self.note_change(&line);
        self.clock.measured(1, takes);
        match &line.failure {
            None => _ = self.measured.insert(line.target.clone()),
            Some(why) => {
                self.missing += 1;
                self.last_failure = Some(why.to_string());
            }
        }
        self.run.report(Event::Measured {
            line: Box::new(line),
            progress: self.progress(),
        });
        Ok(())
    }

    /// A trial ended well, whose measurements were expected to take so long.
    pub(crate) fn trial_ended(
        &mut self,
        record: &TrialRecord,
        took: Duration,
        measuring: Duration,
    ) -> Result<(), Error> {
        self.clock.trial_ended(took.saturating_sub(measuring));
        Ok(self.store.add_trial(record)?)
    }

    /// A trial was interrupted after it had measured something.
    pub(crate) fn interrupted(&mut self, record: &TrialRecord) -> Result<(), Error> {
        Ok(self.store.add_trial(record)?)
    }

    /// A trial failed; what it has not measured is recorded with the reason. `known`: that was reported before; `was_up`: its server was
    /// up and warm.
    pub(crate) fn failed(
        &mut self,
        trial: &Scheduled,
        left: &[Step],
        record: &TrialRecord,
        (why, known, was_up): (&Failure, bool, bool),
    ) -> Result<(), Error> {
        // Without it the reason would be that, and the next round's too.
        self.store.needed().require()?;
        self.last_failure = Some(why.to_string());
        let plan = self.run.plan;
        for step in left {
            let mut line = measure::line(plan, trial, step);
            line.failure = Some(why.as_ref().clone());
            self.store.add_line(&line, None)?;
        }
        let takes = left.iter().map(|step| measure::takes(plan, step));
        self.clock.measured(left.len(), takes.sum());
        self.clock.trial_is_over(was_up);
        self.store.add_trial(record)?;
        self.missing += left.len();
        self.failed_late += usize::from(left.is_empty());
        let given_up = matches!(**why, FailureFinding::GivenUp { .. });
        let known = known || given_up && !self.reported_given_up.insert(record.target.clone());
        self.run.report(Event::Failed {
            target: record.target.clone(),
            round: record.round,
            missing: left.len(),
            why: why.clone(),
            known,
            progress: self.progress(),
        });
        Ok(())
    }
}
