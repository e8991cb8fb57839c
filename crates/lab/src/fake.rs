//! For tests: a host whose servers are threads, and a load generator that only says what it would
//! have measured. Nothing here sleeps.

mod host;
mod sample;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant, SystemTime};

use hdrhistogram::Histogram;
use photofinish_load::Outcome;
use photofinish_load::{Config, Control, Mark, Slice, Until};
pub(crate) use photofinish_model::samples::window;
use photofinish_model::settings::RaceSettings;
use photofinish_model::{Exchange, Expect, Request};
use photofinish_study::plan::{Plan, Workload};

use photofinish_host::{Generator, Host, Session};

pub(crate) use host::{COMPILES, FakeHost, FakeServer};
pub(crate) use sample::{BODY, plan, target, workload};

/// The plan with other settings.
pub(crate) fn with(mut plan: Plan, change: impl FnOnce(&mut RaceSettings)) -> Plan {
    change(&mut plan.settings);
    plan
}

/// What a workload over HTTP sends and expects.
pub(crate) fn http(workload: &mut Workload) -> (&mut Request, &mut Expect) {
    match &mut workload.exchange {
        Exchange::Http {
            request, expect, ..
        } => (request, expect),
        _ => panic!("not HTTP"),
    }
}

/// An outcome in which every response took the same time and the generator a tenth of a core.
pub(crate) fn outcome(
    connections: u32,
    duration: Duration,
    responses: u64,
    latency: Duration,
) -> Outcome {
    let mut histogram = Histogram::new_with_bounds(1, 3_600_000_000_000, 3).expect("bounds");
    histogram
        .record_n(latency.as_nanos() as u64, responses)
        .expect("in bounds");
    Outcome {
        started: SystemTime::now(),
        duration,
        requests: responses,
        responses_in_window: responses,
        errors: BTreeMap::new(),
        unopened: BTreeMap::new(),
        idle_ends: BTreeMap::new(),
        service: histogram.clone(),
        latency: histogram,
        lag: None,
        turnaround: None,
        turnarounds: 0,
        first_response: None,
        all_responded: None,
        lost: None,
        late: None,
        drained: 0,
        mute: 0,
        idle: Duration::ZERO,
        firsts: 0,
        carried: Duration::ZERO,
        outlasted: Duration::ZERO,
        draining: Duration::ZERO,
        gaps: Vec::new(),
        lead_in: Duration::ZERO,
        censored: 0,
        changed: 0,
        first_change: None,
        first_change_at: None,
        lead_in_requests: 0,
        sent: responses,
        good: responses,
        offered: None,
        sent_late: 0,
        status: BTreeMap::from([(200, responses)]),
        bytes_in: responses * 100,
        bytes_out: responses * 40,
        connects: connections.into(),
        reconnects: 0,
        opening: photofinish_load::Opening::default(),
        thread_cpu: vec![duration / 10],
        windows: vec![window(0, responses)],
        kernel_timestamps: true,
        first_error: None,
        first_error_at: None,
        clock_step: Duration::ZERO,
        astray: 0,
        parts: Vec::new(),
    }
}

/// An outcome of a second without a response.
pub(crate) fn silent(connections: u32) -> Outcome {
    outcome(connections, Duration::from_secs(1), 0, Duration::ZERO)
}

/// The error of a generator that cannot send.
pub(crate) fn refused() -> photofinish_load::Error {
    photofinish_load::ConfigError::NoConnection.into()
}

/// What a load run is to do in a test.
type Script =
    Box<dyn Fn(&Config, &Control) -> Result<Outcome, photofinish_load::Error> + Send + Sync>;

/// A load generator that follows a script, in each slice as in a run of its own.
pub(crate) struct FakeLoad(pub(crate) Script);

impl FakeLoad {
    /// Measures at once what Little's law asks for at 1 ms a response.
    pub(crate) fn steady() -> FakeLoad {
        FakeLoad(Box::new(|config, control| Ok(measured(config, control))))
    }

    /// Measures by `measure`, and the user interrupts during run `at`, counted from 0.
    pub(crate) fn interrupted(
        interrupt: &Arc<AtomicBool>,
        at: u32,
        measure: impl Fn(&Config, &Control) -> Outcome + Send + Sync + 'static,
    ) -> FakeLoad {
        let (interrupt, runs) = (Arc::clone(interrupt), AtomicU32::new(0));
        FakeLoad(Box::new(move |config, control| {
            if runs.fetch_add(1, Ordering::SeqCst) == at {
                interrupt.store(true, Ordering::SeqCst);
                while !control.stopped() {
                    std::thread::yield_now();
                }
            }
            Ok(measure(config, control))
        }))
    }

    /// Fails every run from number `from` on, counted from 0.
    pub(crate) fn failing_from(from: u32) -> FakeLoad {
        let runs = AtomicU32::new(0);
        FakeLoad(Box::new(move |config, control| {
            match runs.fetch_add(1, Ordering::SeqCst) < from {
                true => Ok(measured(config, control)),
                false => Err(refused()),
            }
        }))
    }
}

/// Reports marks and windows as a run of the configured length would, and its outcome.
pub(crate) fn measured(config: &Config, control: &Control) -> Outcome {
    let Until::Elapsed(length) = config.until else {
        panic!("the lab measures for a time")
    };
    let responses = u64::from(config.connections()) * 1_000;
    let opened = Instant::now();
    control.mark(Mark::Opened(opened));
    let mut seconds = 0;
    while !control.stopped() && seconds < length.as_secs() {
        if let Some(windows) = control.windows() {
            windows
                .send(window(seconds, responses))
                .expect("the lab listens");
        }
        seconds += 1;
    }
    control.mark(Mark::Closed(opened + length));
    outcome(
        config.connections(),
        length,
        (responses as f64 * length.as_secs_f64()).round() as u64,
        Duration::from_millis(1),
    )
}

impl Generator for FakeLoad {
    fn machine(&self) -> &Host {
        Host::this_machine()
    }

    fn run(&self, config: &Config, control: &Control) -> Result<Outcome, photofinish_host::Error> {
        Ok((self.0)(config, control)?)
    }

    fn open<'g>(
        &'g self,
        config: &Config,
        _: &Control,
    ) -> Result<Box<dyn Session + 'g>, photofinish_host::Error> {
        Ok(Box::new(Runs(self, config.clone())))
    }
}

/// A run for each slice.
struct Runs<'g>(&'g FakeLoad, Config);

impl Session for Runs<'_> {
    fn slice(
        &mut self,
        slice: &Slice,
        control: &Control,
    ) -> Result<Outcome, photofinish_host::Error> {
        let slice = slice.clone();
        let config = Config {
            stages: slice.stages,
            until: slice.until,
            lead_in: slice.lead_in,
            window: slice.window,
            seed: slice.seed,
            ..self.1.clone()
        };
        self.0.run(&config, control)
    }
}
