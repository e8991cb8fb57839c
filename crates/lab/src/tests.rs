//! Whole runs with a host and a load generator that are made up: what becomes of each trial.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use photofinish_host::Generator;
use photofinish_model::store::Results;
use photofinish_model::{Line, TrialRecord};
use photofinish_study::plan::Plan;
use tempfile::TempDir;

use crate::Error;
use crate::events::Event;
use crate::fake::{FakeHost, FakeLoad};
use crate::run::{Finished, RunOptions, run};

mod already;
mod capacity;
mod disturbed;
mod ended;
mod failures;
mod interrupt;
mod life;
mod moved;
mod pairs;
mod priority;
mod profiles;
mod resume;
mod silent;
mod stalls;
mod turns;
mod until;
mod within;

/// A place for runs, and what they reported.
struct Bench {
    folder: TempDir,
    host: Arc<FakeHost>,
    interrupt: Arc<AtomicBool>,
    events: Vec<Event>,
}

impl Bench {
    fn new() -> Bench {
        Bench {
            folder: tempfile::tempdir().expect("a folder"),
            host: Arc::default(),
            interrupt: Arc::default(),
            events: Vec::new(),
        }
    }

    fn options(&self) -> RunOptions {
        RunOptions {
            results: self.folder.path().join("run"),
            resume: false,
            seed: Some(11),
            cache: self.folder.path().join("cache"),
            conditions: Vec::new(),
            dealt: None,
        }
    }

    fn run_with(
        &mut self,
        plan: &Plan,
        options: &RunOptions,
        load: &dyn Generator,
    ) -> Result<Finished, Error> {
        let events = &mut self.events;
        run(
            plan,
            options,
            &self.host.host(),
            load,
            &mut |event| events.push(event),
            &self.interrupt,
        )
    }

    /// Runs with this generator.
    fn race(&mut self, plan: &Plan, load: &dyn Generator) -> Finished {
        let options = self.options();
        self.run_with(plan, &options, load).expect("a run")
    }

    /// Runs with a generator that measures at once.
    fn run(&mut self, plan: &Plan) -> Finished {
        self.race(plan, &FakeLoad::steady())
    }

    /// The options that resume the run.
    fn resumed(&self) -> RunOptions {
        RunOptions {
            resume: true,
            seed: None,
            ..self.options()
        }
    }

    /// Resumes the run with a generator that measures at once.
    fn resume(&mut self, plan: &Plan) -> Finished {
        let options = self.resumed();
        self.run_with(plan, &options, &FakeLoad::steady())
            .expect("a run")
    }

    /// Why photofinish refuses a run with these options.
    fn refusal(&mut self, plan: &Plan, options: &RunOptions) -> String {
        let refused = self.run_with(plan, options, &FakeLoad::steady());
        refused.expect_err("it is refused").to_string()
    }

    fn results(&self) -> Results {
        Results::read(&self.options().results).expect("results")
    }

    /// A machine whose cores are known to have done nothing for other processes yet.
    fn with_core_times() -> Bench {
        let bench = Bench::new();
        *bench.host.core_times.lock().expect("lock") = Some(Duration::ZERO);
        bench
    }

    /// What failed of a target.
    fn failures(&self, target: &str) -> Vec<String> {
        let results = self.results();
        let lines = results
            .lines
            .into_iter()
            .filter(|line| line.target == target);
        lines
            .filter_map(|line| Some(line.failure?.to_string()))
            .collect()
    }

    fn trial(&self, target: &str) -> TrialRecord {
        let trials = self.results().trials;
        trials
            .into_iter()
            .find(|trial| trial.target == target)
            .expect("a trial")
    }
}

/// What names each line, in order.
fn keys(results: &Results) -> Vec<(u32, u32, u32, String, String)> {
    let key = |line: &Line| {
        let (trial, target) = (line.trial, line.target.clone());
        (trial, line.round, line.order, target, line.load.label())
    };
    let mut keys: Vec<_> = results.lines.iter().map(key).collect();
    keys.sort();
    keys
}

fn is_set(flag: &AtomicBool) -> bool {
    flag.load(Ordering::SeqCst)
}
