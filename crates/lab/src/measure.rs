//! One measurement: a lead-in, then the window, and what is recorded of it.

use std::time::{Duration, SystemTime};

use hdrhistogram::Histogram;
use photofinish_host::threads;
use photofinish_judge::checks::{Compared, Rows, Seen};
use photofinish_judge::steady;
use photofinish_load::{Config, Outcome, Until};
use photofinish_model::finding::failure::FailureFinding;
use photofinish_model::{Exchange, Line, Load, Measurement, Stalls, Window};
use photofinish_study::plan::{Plan, Workload};

use crate::error::Halt;
use crate::events::Event;
use crate::observe::{Next, Observed};
use crate::order::{self, Scheduled, Step};
use crate::run_context::RunContext;
use crate::server::Server;
use crate::turns::{cut, profiled};
use crate::{capacity, checks, convert};

pub(crate) mod requests;
pub(crate) mod silence;
pub(crate) mod slices;

use requests::Requests;

/// A measurement that was made, or a line that says why there is none.
pub(crate) struct Measured {
    pub(crate) line: Line,
    pub(crate) latency: Option<Histogram<u64>>,
    /// The files of stacks that it names, and their text.
    pub(crate) stacks: Vec<(String, String)>,
}

impl Measured {
    /// A line that says why there is no measurement.
    pub(crate) fn nothing(line: Line) -> Measured {
        Measured {
            line,
            latency: None,
            stacks: Vec::new(),
        }
    }

    /// Adds what the other targets' servers and services used in so long, where they were up and that is known.
    pub(crate) fn add_idle_servers(&mut self, used: Option<Duration>, took: Duration) {
        let cores = used.and_then(|used| convert::ratio(used.as_secs_f64(), took.as_secs_f64()));
        if let (Some(measurement), Some(cores)) = (&mut self.line.measurement, cores) {
            let check = photofinish_judge::checks::bystanders(cores);
            measurement.checks.push(check);
        }
    }
}

/// The load run for one workload at one level against one server.
pub(crate) fn config(
    server: &Server,
    workload: &Workload,
    load: &Load,
    duration: Duration,
    lead_in: Duration,
    seed: u64,
) -> Config {
    let cores = server.run.generator.machine().cores();
    let load = server.target.takes_load(workload, load);
    let exchange = server.takes(workload).exchange.clone();
    let until = Until::Elapsed(duration);
    Config {
        authority: server.authority(),
        tls: server.target.tls.clone(),
        requests_per_connection: workload.requests_per_connection,
        baseline: server.baseline(workload).cloned(),
        lead_in,
        window: window(duration),
        timeout: workload.timeout,
        cpus: server.run.cpu_sets.generator.clone(),
        threads: threads(cores, server.shares_machine(), load.connections()),
        seed,
        eager: server.run.cpu_sets.generator_is_alone(),
        ..Config::new(server.address.clone(), exchange, load, until)
    }
}

/// How long each window of so long a run is: enough of them to see where it shifts, none so short that what a scheduler or a
/// collector does every few milliseconds would count, and none longer than what a user who watches can wait for.
pub(crate) fn window(run: Duration) -> Duration {
    (run / 20).clamp(Duration::from_millis(100), Duration::from_millis(500))
}

/// About how long a measurement takes.
pub(crate) fn takes(plan: &Plan, step: &Step) -> Duration {
    match &plan.workloads[step.workload].loads[step.load] {
        // As long as for the fastest target; what is measured in one continuous run after all takes about as long.
        Load::Closed { .. } | Load::Open { .. } if plan.settings.turns => in_turns(plan),
        Load::Closed { .. } | Load::Open { .. } => {
            plan.settings.lead_in + plan.settings.duration + profiled::takes(plan)
        }
        Load::Capacity(search) => capacity::estimate(search),
    }
}

/// About how long a target takes for a level in turns, what is measured beside them included.
pub(crate) fn in_turns(plan: &Plan) -> Duration {
    cut::takes(plan.settings.duration) + profiled::takes(plan)
}

/// A line with nothing measured yet.
pub(crate) fn line(plan: &Plan, trial: &Scheduled, step: &Step) -> Line {
    let workload = &plan.workloads[step.workload];
    let load = workload.loads[step.load].clone();
    Line {
        round: trial.round,
        trial: trial.number,
        order: step.order,
        target: plan.targets[trial.target].label.clone(),
        workload: workload.name.clone(),
        at: convert::rfc3339(SystemTime::now()),
        ..Line::unmeasured(load)
    }
}

/// A line with what was measured, and what was seen meanwhile.
pub(crate) fn filled(mut line: Line, measurement: Measurement, seen: Observed) -> Measured {
    line.at = convert::rfc3339(seen.outcome.started);
    line.measurement = Some(measurement);
    line.server = seen.server;
    line.service = seen.service;
    line.machine = seen.machine;
    Measured {
        line,
        latency: Some(seen.outcome.latency),
        stacks: Vec::new(),
    }
}

/// Whether a target responds as the others do, as far as that is known.
pub(crate) type SameJob = photofinish_judge::checks::Outcome;

/// A measurement that is to be made: a workload at one of its levels, of a server that is up.
pub(crate) struct Measuring<'m, 's> {
    pub(crate) run: &'s RunContext<'s>,
    server: &'m mut Server<'s>,
    trial: &'s Scheduled,
    step: &'s Step,
    pub(crate) workload: &'s Workload,
    same_job: SameJob,
}

/// What came of one load run, not judged yet.
pub(crate) struct Ran {
    load: Load,
    exchange: Exchange,
    /// The rows that its requests left; the next one's `before` may empty the table.
    rows: Option<Rows>,
    /// CPU that the other targets' servers and services used meanwhile, in cores; `None` if they were not up, or it is not known.
    idle_servers: Option<f64>,
    /// In turns, the windows of each other target in the same turns.
    beside: Vec<Vec<Window>>,
    /// In turns, what is known from more than those that count.
    turned: Option<Turned>,
    pub(crate) seen: Observed,
}

/// What is known of a level in turns from more slices than those that count.
struct Turned {
    stalls: Stalls,
    tail: Option<Tail>,
}

/// The slowest responses of the turns that count and of the continuous run together.
struct Tail {
    p999_us: f64,
    max_us: f64,
}

impl Tail {
    /// `None` if there was no response. A continuous run that something disturbed shows nothing of the server.
    fn of(outcome: &Outcome, block: Option<&slices::Block>) -> Option<Tail> {
        let mut all = outcome.latency.clone();
        let block = block.filter(|block| block.recorded.seen.disturbed.is_none());
        if let Some(block) = block {
            // Both were made with the same bounds, and grow.
            all.add(&block.outcome.latency).unwrap_or_default();
        }
        let us = |nanos: u64| nanos as f64 / 1e3;
        (!all.is_empty()).then(|| Tail {
            p999_us: us(all.value_at_quantile(0.999)),
            max_us: us(all.max()),
        })
    }
}

impl Turned {
    /// Completes what the turns that count have measured. Stalls take their share of the time in a closed loop; in an open one requests are sent all
    /// the same.
    fn complete(&self, measurement: &mut Measurement) {
        if let Load::Closed { .. } = measurement.load {
            measurement.throughput_rps = self.stalls.flow_rps * self.stalls.slow_down();
        }
        if let (Some(latency), Some(tail)) = (&mut measurement.latency_us, &self.tail) {
            latency.p999 = tail.p999_us.max(latency.p99);
            latency.max = tail.max_us.max(self.stalls.longest_s * 1e6);
        }
        measurement.stalls = Some(self.stalls.clone());
    }
}

impl Ran {
    pub(crate) fn new(config: Config, seen: Observed) -> Ran {
        Ran {
            load: config.load,
            exchange: config.exchange,
            rows: None,
            idle_servers: None,
            beside: Vec::new(),
            turned: None,
            seen,
        }
    }

    /// What was measured, its checks not made yet.
    pub(crate) fn measurement(&self) -> Measurement {
        let mut measurement = convert::measurement(&self.seen.outcome, &self.load);
        if let Some(turned) = &self.turned {
            turned.complete(&mut measurement);
        }
        let hiccups = self.seen.hiccups.as_ref();
        measurement.generator.stood_still = hiccups.map(convert::stood_still);
        measurement.steadiness = steady::steadiness(&measurement, &self.beside);
        measurement
    }
}

impl<'m, 's> Measuring<'m, 's> {
    pub(crate) fn new(
        server: &'m mut Server<'s>,
        trial: &'s Scheduled,
        step: &'s Step,
        same_job: SameJob,
    ) -> Measuring<'m, 's> {
        let run = server.run;
        Measuring {
            run,
            server,
            trial,
            step,
            workload: &run.plan.workloads[step.workload],
            same_job,
        }
    }

    /// Measures the level as it is stated, in one continuous run.
    ///
    /// # Errors
    /// As [`Server::observe`]; and if the server no longer responds at all.
    pub(crate) fn block(&mut self) -> Result<Measured, Halt> {
        let plan = self.run.plan;
        let load = self.workload.loads[self.step.load].clone();
        let ran = self.run(
            load,
            plan.settings.duration,
            plan.settings.lead_in,
            self.seed(),
        )?;
        self.measured(ran)
    }

    /// What is recorded of what came of load.
    fn measured(&mut self, ran: Ran) -> Result<Measured, Halt> {
        if let Some(silence) = self.silence(&ran)? {
            let mut line = self.line();
            line.at = convert::rfc3339(ran.seen.outcome.started);
            line.failure = Some(FailureFinding::Silent { silence });
            return Ok(Measured::nothing(line));
        }
        if (ran.seen.server.as_ref()).is_some_and(|used| used.cpu_cores.is_none()) {
            self.run.without_cpu(&self.server.target.label);
        }
        let mut measurement = ran.measurement();
        self.check(&mut measurement, &ran);
        Ok(filled(self.line(), measurement, ran.seen))
    }

    /// The seed of its arrivals.
    pub(crate) fn seed(&self) -> u64 {
        order::arrivals_seed(self.run.seed, self.trial.round, self.step)
    }

    /// Sends a load for so long, after its lead-in, with arrivals by `seed`, and watches.
    ///
    /// # Errors
    /// As [`Server::observe`].
    pub(crate) fn run(
        &mut self,
        load: Load,
        duration: Duration,
        lead_in: Duration,
        seed: u64,
    ) -> Result<Ran, Halt> {
        let run = self.run;
        self.server.prepare_for(self.workload)?;
        let config = config(self.server, self.workload, &load, duration, lead_in, seed);
        let seen = self.server.observe(&config, false, &mut |window, _| {
            run.report(Event::Window(*window));
            Next::GoOn
        })?;
        let mut ran = Ran::new(config, seen);
        ran.rows =
            (run.services).count_after(run.host, self.workload, Requests::of(&ran.seen.outcome));
        Ok(ran)
    }

    /// Makes the checks of what came of a load run, once all is known of it.
    pub(crate) fn check(&self, measurement: &mut Measurement, ran: &Ran) {
        for part in &mut measurement.generators {
            part.shares_server = self.run.sharing.contains(&part.machine);
        }
        // On one machine the generator's container is the one that was looked at.
        if self.server.shares_machine() {
            let machine = ran.seen.machine.as_ref();
            let machine = machine.and_then(|machine| machine.throttled_share);
            let own = &mut measurement.generator.throttled_share;
            *own = own.or(machine);
        }
        let compared = self.server.compared(self.workload);
        if compared != Compared::Verified {
            // Bodies that varied when the server was verified may have any length.
            measurement.changed = 0;
        }
        let seen = Seen {
            server: ran.seen.server.as_ref(),
            machine: ran.seen.machine.as_ref(),
            same_job: Some(self.same_job.clone()),
            compared: Some(compared),
            rows: ran.rows.clone(),
            bystanders: ran.idle_servers,
            beside: &ran.beside,
            ..Seen::default()
        };
        checks::make(measurement, &ran.seen.outcome, &ran.exchange, false, seen);
    }

    /// A line with nothing measured yet.
    pub(crate) fn line(&self) -> Line {
        line(self.run.plan, self.trial, self.step)
    }
}
