//! For tests: a host whose servers are threads, and a load generator that only says what it would
//! have measured. Nothing here sleeps.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use hdrhistogram::Histogram;
use photofinish_load::Outcome;
use photofinish_load::{Config, Control, Mark, Until};
use photofinish_model::version::VersionReq;
use photofinish_model::{Exchange, Expect, Load, Request, Window};
use photofinish_study::plan::{Lanes, Plan, Ready, Start, Stop, Target, WarmupBounds, Workload};

use crate::generator::Generator;
use photofinish_host::{
    CoreTimes, Error, Host, MachineSample, PortHolder, Process, ProcessSpec, Tools, Usage,
};

/// What every good server answers.
pub(crate) const BODY: &str = "Hello, World!";

/// A plan for these targets: one workload at 16 and 256 connections, and no warm-up.
pub(crate) fn plan(targets: &[&str], rounds: u32) -> Plan {
    Plan {
        name: "fake".to_owned(),
        title: "Fakes against each other".to_owned(),
        source: None,
        notes: None,
        text: "title = \"Fakes against each other\"\n".to_owned(),
        rounds,
        until_decided: false,
        duration: Duration::from_secs(1),
        lead_in: Duration::ZERO,
        warmup: WarmupBounds {
            min: Duration::ZERO,
            max: Duration::ZERO,
        },
        margin: 0.02,
        aa: false,
        lanes: Lanes::None,
        services: Vec::new(),
        targets: targets.iter().map(|label| target(label)).collect(),
        workloads: vec![workload("plaintext", &[16, 256])],
        claims: Vec::new(),
        left_out: Vec::new(),
        smoke: false,
        turns: false,
    }
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
            env: BTreeMap::new(),
            jvm_flags: Vec::new(),
            port: None,
        },
        ready: Ready {
            path: Some("/".to_owned()),
            timeout: Duration::from_secs(20),
        },
        stop: Stop {
            grace: Duration::from_secs(1),
        },
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
        },
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
        count_after: None,
    }
}

/// What a workload over HTTP sends and expects.
pub(crate) fn http(workload: &mut Workload) -> (&mut Request, &mut Expect) {
    match &mut workload.exchange {
        Exchange::Http { request, expect } => (request, expect),
        Exchange::TcpEcho { .. } => panic!("not HTTP"),
    }
}

/// An outcome in which every answer took the same time and the generator a tenth of a core.
pub(crate) fn outcome(
    connections: u32,
    duration: Duration,
    answers: u64,
    latency: Duration,
) -> Outcome {
    let mut histogram = Histogram::new_with_bounds(1, 3_600_000_000_000, 3).expect("bounds");
    histogram
        .record_n(latency.as_nanos() as u64, answers)
        .expect("in bounds");
    Outcome {
        started: SystemTime::now(),
        duration,
        requests: answers,
        responses_in_window: answers,
        errors: BTreeMap::new(),
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
        draining: Duration::ZERO,
        censored: 0,
        lead_in_requests: 0,
        sent: answers,
        good: answers,
        offered: None,
        sent_late: 0,
        status: BTreeMap::from([(200, answers)]),
        bytes_in: answers * 100,
        bytes_out: answers * 40,
        connects: connections.into(),
        reconnects: 0,
        thread_cpu: vec![duration / 10],
        windows: vec![window(0, answers)],
        kernel_timestamps: true,
        first_error: None,
        clock_step: Duration::ZERO,
    }
}

/// A second in which so many answers came.
pub(crate) fn window(second: u64, answers: u64) -> Window {
    Window {
        start_s: second as f64,
        duration_s: 1.0,
        answers,
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
type Script =
    Box<dyn Fn(&Config, &Control) -> Result<Outcome, photofinish_load::Error> + Send + Sync>;

/// A load generator that follows a script.
pub(crate) struct FakeLoad(pub(crate) Script);

impl FakeLoad {
    /// Measures at once what Little's law asks for at 1 ms an answer.
    pub(crate) fn steady() -> FakeLoad {
        FakeLoad(Box::new(|config, control| Ok(measured(config, control))))
    }
}

/// Tells marks and windows as a run of the configured length would, and its outcome.
pub(crate) fn measured(config: &Config, control: &Control) -> Outcome {
    let Until::Elapsed(length) = config.until else {
        panic!("the lab measures for a time")
    };
    let answers = u64::from(config.connections()) * 1_000;
    let opened = Instant::now();
    control.mark(Mark::Opened(opened));
    let mut seconds = 0;
    while !control.stopped() && seconds < length.as_secs() {
        if let Some(windows) = control.windows() {
            windows
                .send(window(seconds, answers))
                .expect("the lab listens");
        }
        seconds += 1;
    }
    control.mark(Mark::Closed(opened + length));
    outcome(
        config.connections(),
        length,
        (answers as f64 * length.as_secs_f64()).round() as u64,
        Duration::from_millis(1),
    )
}

impl Generator for FakeLoad {
    fn run(&self, config: &Config, control: &Control) -> Result<Outcome, photofinish_load::Error> {
        (self.0)(config, control)
    }
}

/// What is known of a fake server from outside.
#[derive(Debug, Default)]
pub(crate) struct Life {
    /// How it ended, if it has.
    pub(crate) exited: Mutex<Option<String>>,
    pub(crate) stopped: AtomicBool,
    /// What its clock shows.
    pub(crate) cpu: Mutex<Duration>,
    /// Whether it answers `/stuck` with an error.
    pub(crate) stuck: AtomicBool,
    port: AtomicU32,
    samples: AtomicU32,
}

impl Life {
    /// Ends the server as if it had crashed.
    pub(crate) fn crash(&self) {
        *self.exited.lock().expect("lock") = Some("signal 11 (SIGSEGV)".to_owned());
        self.close();
    }

    /// Lets the server answer nobody any more, without ending.
    pub(crate) fn close(&self) {
        if !self.stopped.swap(true, Ordering::SeqCst) {
            // Wakes the server from its waiting.
            let port = self.port.load(Ordering::SeqCst) as u16;
            let _ = TcpStream::connect(("127.0.0.1", port));
        }
    }
}

/// A host whose commands are `serve BODY PORT`, `crash TEXT` and `mute`.
#[derive(Debug, Default)]
pub(crate) struct FakeHost {
    /// Every server that was started, the last one last.
    pub(crate) lives: Mutex<Vec<Arc<Life>>>,
    /// Every spec that was started.
    pub(crate) started: Mutex<Vec<ProcessSpec>>,
    /// What its only core has run so far; `None`: nothing tells.
    pub(crate) core_times: Mutex<Option<Duration>>,
    /// The memory that is left, in bytes; `None`: nothing tells.
    pub(crate) memory: Mutex<Option<u64>>,
    /// The port that was given out last, held so that nobody else gets it before the server.
    held: Mutex<Option<TcpListener>>,
}

impl FakeHost {
    /// The server that was started last.
    pub(crate) fn last(&self) -> Arc<Life> {
        self.lives
            .lock()
            .expect("lock")
            .last()
            .expect("one was started")
            .clone()
    }

    /// The place of the server at this port among all that were started.
    pub(crate) fn place(&self, port: u16) -> usize {
        let lives = self.lives.lock().expect("lock");
        let at = |life: &Arc<Life>| life.port.load(Ordering::SeqCst) == u32::from(port);
        lives.iter().rposition(at).expect("a server")
    }

    /// The server in this place.
    pub(crate) fn life(&self, place: usize) -> Arc<Life> {
        Arc::clone(&self.lives.lock().expect("lock")[place])
    }

    /// Whether every server was stopped.
    pub(crate) fn all_stopped(&self) -> bool {
        self.lives
            .lock()
            .expect("lock")
            .iter()
            .all(|life| life.stopped.load(Ordering::SeqCst))
    }
}

impl Host for FakeHost {
    fn free_port(&self) -> Result<u16, Error> {
        let listener = TcpListener::bind("127.0.0.1:0").map_err(Error::NoPort)?;
        let port = listener.local_addr().map_err(Error::NoPort)?.port();
        *self.held.lock().expect("lock") = Some(listener);
        Ok(port)
    }

    fn address(&self) -> IpAddr {
        Ipv4Addr::LOCALHOST.into()
    }

    fn cores(&self) -> usize {
        std::thread::available_parallelism().map_or(1, usize::from)
    }

    fn port_holder(&self, port: u16) -> Option<PortHolder> {
        (port == 1).then(|| PortHolder {
            pid: 4711,
            command: "nginx -g daemon".to_owned(),
        })
    }

    fn start(&self, spec: &ProcessSpec) -> Result<Box<dyn Process>, Error> {
        self.started.lock().expect("lock").push(spec.clone());
        let life = Arc::new(Life::default());
        let listener = self.held.lock().expect("lock").take();
        let mut log = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&spec.log)
            .expect("log");
        writeln!(log, "started {}", spec.command.join(" ")).expect("log");
        let mut thread = None;
        match spec.command[0].as_str() {
            "serve" => thread = Some(serve(&life, spec, listener.expect("a port was asked for"))),
            "crash" => *life.exited.lock().expect("lock") = Some("exit status 1".to_owned()),
            "mute" => {}
            program => {
                let says = format!("no such program: {program}");
                let command = spec.command.join(" ");
                return Err(Error::Start { command, says });
            }
        }
        self.lives.lock().expect("lock").push(life.clone());
        let compiles = spec.env.get(COMPILES).and_then(|looks| looks.parse().ok());
        Ok(Box::new(FakeProcess {
            life,
            thread,
            compiles: compiles.unwrap_or_default(),
        }))
    }

    fn machine_sample(&self) -> Option<MachineSample> {
        None
    }

    fn core_times(&self) -> Option<CoreTimes> {
        let times = (*self.core_times.lock().expect("lock"))?;
        Some(CoreTimes::Cores(vec![times]))
    }

    fn memory_available(&self) -> Option<u64> {
        *self.memory.lock().expect("lock")
    }

    fn tools(&self, needs: &BTreeMap<String, VersionReq>) -> Result<Tools, Error> {
        match needs.iter().next() {
            None => Ok(Tools::default()),
            Some((tool, wanted)) => Err(Error::Tool {
                tool: tool.clone(),
                wanted: wanted.text.clone(),
                found: "none".to_owned(),
                remedy: format!("install {tool}"),
            }),
        }
    }
}

/// Answers every request on a connection of its own.
fn serve(life: &Arc<Life>, spec: &ProcessSpec, listener: TcpListener) -> JoinHandle<()> {
    let body = spec.command[1].clone();
    let port: u16 = spec.command[2].parse().expect("a port");
    life.port.store(port.into(), Ordering::SeqCst);
    let life = life.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            if life.stopped.load(Ordering::SeqCst) {
                break;
            }
            let Ok(mut stream) = stream else { continue };
            let mut request = Vec::new();
            let mut bytes = [0; 1_024];
            while !request.ends_with(b"\r\n\r\n") {
                match stream.read(&mut bytes) {
                    Ok(n) if n > 0 => request.extend_from_slice(&bytes[..n]),
                    _ => break,
                }
            }
            let stuck = request.starts_with(b"GET /stuck") && life.stuck.load(Ordering::SeqCst);
            let status = if stuck { "503 Busy" } else { "200 OK" };
            let head = format!(
                "HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n",
                body.len()
            );
            // A client that is gone needs no answer.
            let _ = stream.write_all((head + &body).as_bytes());
        }
    })
}

/// The variable that tells at how many looks, the first ones, a fake process has compiled all the time.
pub(crate) const COMPILES: &str = "COMPILES";

struct FakeProcess {
    life: Arc<Life>,
    thread: Option<JoinHandle<()>>,
    compiles: u32,
}

impl Process for FakeProcess {
    fn pid(&self) -> u32 {
        4712
    }

    fn exited(&mut self) -> Result<Option<String>, Error> {
        Ok(self.life.exited.lock().expect("lock").clone())
    }

    /// Each look shows 1 s of CPU more than the one before.
    fn usage(&mut self) -> Result<Usage, Error> {
        let looks = self.life.samples.fetch_add(1, Ordering::SeqCst);
        Ok(Usage {
            cpu_user: Duration::from_secs(looks.into()),
            cpu_compiling: Duration::from_secs(looks.min(self.compiles).into()),
            rss_bytes: 1 << 20,
            threads: 3,
            processes: 1,
            ..Usage::default()
        })
    }

    fn foreign_listener(&mut self, _: u16) -> Option<PortHolder> {
        None
    }

    fn cpu(&mut self) -> Option<Duration> {
        Some(*self.life.cpu.lock().expect("lock"))
    }

    fn stop(&mut self, _: Duration) -> Result<(), Error> {
        self.life.close();
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the server's thread");
        }
        Ok(())
    }
}

impl Drop for FakeProcess {
    fn drop(&mut self) {
        let _ = self.stop(Duration::ZERO);
    }
}
