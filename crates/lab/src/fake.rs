//! For tests: a host whose servers are threads, and a load generator that only says what it would
//! have measured. Nothing here sleeps.

mod host;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant, SystemTime};

use hdrhistogram::Histogram;
use photofinish_load::Outcome;
use photofinish_load::{Config, Control, Mark, Slice, Until};
use photofinish_model::settings::{CpuSets, RaceSettings};
use photofinish_model::{Exchange, Expect, Load, Request, Version, Window};
use photofinish_study::plan::{Listen, Plan, Ready, Start, Stop, Target, Workload};

use photofinish_host::{Generator, Host, Session};

pub(crate) use host::{COMPILES, FakeHost, FakeServer};

/// What every good server sends back.
pub(crate) const BODY: &str = "Hello, World!";

/// A plan for these targets: one workload at 16 and 256 connections, and no warm-up.
pub(crate) fn plan(targets: &[&str], rounds: u32) -> Plan {
    Plan {
        name: "fake".to_owned(),
        title: "Fakes against each other".to_owned(),
        source: None,
        notes: None,
        text: "title = \"Fakes against each other\"\n".to_owned(),
        settings: RaceSettings {
            rounds,
            duration: Duration::from_secs(1),
            lead_in: Duration::ZERO,
            warmup_min: Duration::ZERO,
            warmup_max: Duration::ZERO,
            lanes: CpuSets::None,
            turns: false,
            profile: Some(false),
            ..RaceSettings::default()
        },
        services: Vec::new(),
        targets: targets.iter().map(|label| target(label)).collect(),
        workloads: vec![workload("plaintext", &[16, 256])],
        claims: Vec::new(),
        left_out: Vec::new(),
    }
}

/// The plan with other settings.
pub(crate) fn with(mut plan: Plan, change: impl FnOnce(&mut RaceSettings)) -> Plan {
    change(&mut plan.settings);
    plan
}

/// A target that [`FakeHost`] serves well.
pub(crate) fn target(label: &str) -> Target {
    Target {
        label: label.to_owned(),
        name: label.to_owned(),
        variant: None,
        title: format!("The target {label}"),
        limit: false,
        dir: None,
        needs: BTreeMap::new(),
        build: None,
        start: Start {
            command: ["serve", BODY, "{port}"].map(str::to_owned).to_vec(),
            image: None,
            env: BTreeMap::new(),
            jvm_flags: Vec::new(),
            listen: Listen::FreePort,
            prepare: Vec::new(),
        },
        ready: Ready {
            path: Some("/".to_owned()),
            timeout: Duration::from_secs(20),
        },
        stop: Stop {
            grace: Duration::from_secs(1),
            cleanup: Vec::new(),
        },
        tls: None,
        host: None,
        http2: None,
        revision: None,
    }
}

/// A workload that expects [`BODY`].
pub(crate) fn workload(name: &str, connections: &[u32]) -> Workload {
    Workload {
        name: name.to_owned(),
        exchange: Exchange::Http {
            request: Request::get(format!("/{name}")),
            expect: Expect {
                status: Some(200),
                body: Some(BODY.as_bytes().to_vec()),
                ..Expect::default()
            },
            version: Version::Http1,
        },
        requests_per_connection: None,
        timeout: Duration::from_secs(20),
        loads: connections
            .iter()
            .map(|&connections| Load::Closed { connections })
            .collect(),
        published_loads: Vec::new(),
        sweep: None,
        targets: Vec::new(),
        warmed_up: true,
        before: None,
        login: None,
        count_after: None,
    }
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

/// A second in which so many responses came.
pub(crate) fn window(second: u64, responses: u64) -> Window {
    Window {
        start_s: second as f64,
        duration_s: 1.0,
        responses,
        errors: 0,
        p50_us: None,
        p99_us: None,
        max_us: None,
    }
}

/// The error of a generator that cannot send.
pub(crate) fn refused() -> photofinish_load::Error {
    photofinish_load::ConfigError::NoConnection.into()
}

/// What a load run is to do in a test.
type Script<'a> =
    Box<dyn Fn(&Config, &Control) -> Result<Outcome, photofinish_load::Error> + Send + Sync + 'a>;

/// A load generator that follows a script, in each slice as in a run of its own.
pub(crate) struct FakeLoad<'a>(pub(crate) Script<'a>);

impl FakeLoad<'_> {
    /// Measures at once what Little's law asks for at 1 ms a response.
    pub(crate) fn steady() -> FakeLoad<'static> {
        FakeLoad(Box::new(|config, control| Ok(measured(config, control))))
    }

    /// Measures by `measure`, and the user interrupts during run `at`, counted from 0.
    pub(crate) fn interrupted<'a>(
        interrupt: &'a AtomicBool,
        at: u32,
        measure: impl Fn(&Config, &Control) -> Outcome + Send + Sync + 'a,
    ) -> FakeLoad<'a> {
        let runs = AtomicU32::new(0);
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

impl Generator for FakeLoad<'_> {
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
struct Runs<'g>(&'g FakeLoad<'g>, Config);

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
