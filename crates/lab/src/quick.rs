//! One load run against a server that runs already: `photofinish load`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use hdrhistogram::Histogram;
use photofinish_load::config::{
    Arrivals, Config, Control, Exchange, Expect, Pacing, Request, Stage, Until,
};
use photofinish_model as model;
use photofinish_model::{Load, Measurement, Window};

use crate::error::Error;
use crate::generator::{Generator, Own, threads};
use crate::{address, checks, convert, exchange};

/// How long each window is: what a person who watches can follow.
const LIVE: Duration = Duration::from_secs(1);
/// How often an interruption is looked for.
const LOOK: Duration = Duration::from_millis(20);

/// What `photofinish load` sends, to whom and how.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    /// `http://host[:port]/path`, or `tcp://host:port` for an echo.
    pub url: String,
    /// The bytes of an echo's messages.
    pub size: Option<usize>,
    /// `GET`, `POST`, …
    pub method: String,
    /// Headers, in order.
    pub headers: Vec<(String, String)>,
    /// The body; empty = none.
    pub body: Vec<u8>,
    /// The status that must come back; `None` = any from 200 to 399.
    pub expect_status: Option<u16>,
    /// The body that must come back; `None` = any.
    pub expect_body: Option<Vec<u8>>,
    /// How long an answer may take.
    pub timeout: Duration,
    /// How many connections are open.
    pub connections: u32,
    /// When the run ends: `-n` or `-d`.
    pub until: Until,
    /// How long load flows before it is measured.
    pub lead_in: Duration,
    /// An open loop; `None` = a closed one.
    pub open: Option<OpenLoop>,
    /// The generator's threads; `None` = half of the cores for a server on this machine, else all.
    pub threads: Option<usize>,
    /// Whether hosts may be loaded that are neither this machine nor on a private network.
    pub allow_remote: bool,
    /// The seed of random arrivals.
    pub seed: u64,
}

/// An open loop.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenLoop {
    /// How the gaps between due times are distributed.
    pub arrivals: Arrivals,
    /// The rate over time, from the window's opening; the lead-in runs at the first one's starting rate.
    pub stages: Vec<Stage>,
}

impl OpenLoop {
    /// The mean rate over all stages, in requests per second.
    fn rate(&self) -> f64 {
        let of = |weight: fn(&Stage) -> f64| self.stages.iter().map(weight).sum::<f64>();
        let requests = of(|s| (s.from + s.to) / 2.0 * s.duration.as_secs_f64());
        convert::ratio(requests, of(|s| s.duration.as_secs_f64())).unwrap_or(0.0)
    }
}

/// What one load run measured.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Its figures and checks.
    pub measurement: Measurement,
    /// The response times that its percentiles are read from, in nanoseconds.
    pub latency_ns: Histogram<u64>,
}

/// Loads a server once. `interrupt` ends the run early; what was measured until then is told.
///
/// # Errors
/// For a URL that cannot or may not be loaded, or a load that cannot be sent
/// (nobody listens, or more connections than open files are allowed).
pub fn load_once(
    options: &LoadOptions,
    windows: &mut dyn FnMut(&Window),
    interrupt: &AtomicBool,
) -> Result<Loaded, Error> {
    load_with(options, &Own, windows, interrupt)
}

fn load_with(
    options: &LoadOptions,
    generator: &dyn Generator,
    on_window: &mut dyn FnMut(&Window),
    interrupt: &AtomicBool,
) -> Result<Loaded, Error> {
    let place = address::resolve(&options.url, options.allow_remote)?;
    let here = address::is_here(place.address.ip());
    let load = load(options);
    let config = Config {
        address: place.address,
        exchange: exchange(options, &place)?,
        connections: options.connections,
        pacing: match &options.open {
            None => Pacing::Closed,
            Some(open) => Pacing::Open {
                arrivals: open.arrivals,
                stages: open.stages.clone(),
            },
        },
        until: options.until,
        lead_in: options.lead_in,
        window: LIVE,
        timeout: options.timeout,
        cpus: Vec::new(),
        threads: options
            .threads
            .unwrap_or_else(|| threads(here, options.connections)),
        seed: options.seed,
    };
    let (windows_in, windows) = mpsc::channel();
    let control = Control::with_windows(windows_in);
    let outcome = generator.run_watched(&config, &control, &mut || {
        match windows.recv_timeout(LOOK) {
            Ok(window) => on_window(&convert::window(&window)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => thread::sleep(LOOK),
        }
        if interrupt.load(Ordering::Relaxed) {
            control.stop();
        }
    })?;
    windows
        .try_iter()
        .for_each(|window| on_window(&convert::window(&window)));
    let mut measurement = convert::measurement(&outcome, &load);
    let run = checks::Run {
        outcome: &outcome,
        exchange: &config.exchange,
        server: None,
        machine: None,
        same_job: None,
        rows: None,
    };
    checks::make(&mut measurement, run);
    Ok(Loaded {
        measurement,
        latency_ns: outcome.latency,
    })
}

/// What is sent and what must come back.
fn exchange(options: &LoadOptions, place: &address::Place) -> Result<Exchange, Error> {
    let wrong = |says: &str| Error::Url {
        url: options.url.clone(),
        says: says.to_owned(),
    };
    match (place.tcp, options.size) {
        (true, Some(size)) => Ok(Exchange::Echo { size }),
        (true, None) => Err(wrong(
            "a TCP echo needs the size of its messages: --size 1k",
        )),
        (false, Some(_)) => Err(wrong(
            "--size is for a TCP echo; give a URL such as tcp://127.0.0.1:8080",
        )),
        (false, None) => Ok(Exchange::Http {
            request: Request {
                method: options.method.clone(),
                path: exchange::filled_in(place.path.as_bytes()),
                host: place.host.clone(),
                headers: exchange::headers(&options.headers),
                body: exchange::filled_in(&options.body),
            },
            expect: Expect {
                status: options.expect_status,
                body: options.expect_body.clone(),
                ..Expect::default()
            },
        }),
    }
}

/// How the load is sent, for the record.
fn load(options: &LoadOptions) -> Load {
    let connections = options.connections;
    match &options.open {
        None => Load::Closed { connections },
        Some(open) => Load::Open {
            rate: open.rate(),
            arrivals: match open.arrivals {
                Arrivals::Poisson => model::Arrivals::Poisson,
                Arrivals::Constant => model::Arrivals::Constant,
            },
            connections,
        },
    }
}

#[cfg(test)]
mod tests {
    use photofinish_load::outcome::Outcome;

    use super::*;
    use crate::fake;

    fn options(url: &str) -> LoadOptions {
        LoadOptions {
            url: url.to_owned(),
            size: None,
            method: "GET".to_owned(),
            headers: Vec::new(),
            body: Vec::new(),
            expect_status: None,
            expect_body: None,
            timeout: Duration::from_secs(1),
            connections: 10,
            until: Until::Elapsed(Duration::from_secs(1)),
            lead_in: Duration::ZERO,
            open: None,
            threads: None,
            allow_remote: false,
            seed: 1,
        }
    }

    /// Runs until it is stopped, as a run that a person interrupts.
    struct Endless;

    impl Generator for Endless {
        fn run(&self, _: &Config, control: &Control) -> Result<Outcome, photofinish_load::Error> {
            while !control.stopped() {
                thread::yield_now();
            }
            Ok(fake::outcome(
                10,
                Duration::from_secs(1),
                1_000,
                Duration::from_millis(1),
            ))
        }
    }

    #[test]
    fn an_interruption_ends_the_run_and_tells_what_was_measured() {
        let interrupt = AtomicBool::new(true);
        let got = load_with(
            &options("http://127.0.0.1:1/"),
            &Endless,
            &mut |_| {},
            &interrupt,
        );
        let got = got.expect("a measurement");
        assert_eq!(got.measurement.requests, 1_000);
        assert_eq!(got.latency_ns.len(), 1_000);
    }

    #[test]
    fn what_is_measured_tells_its_load() {
        struct Checks;
        impl Generator for Checks {
            fn run(
                &self,
                config: &Config,
                control: &Control,
            ) -> Result<Outcome, photofinish_load::Error> {
                let Exchange::Http { request, .. } = &config.exchange else {
                    panic!("not HTTP")
                };
                assert_eq!(request.path, exchange::filled_in(b"/x?y"));
                assert_eq!(request.host, "localhost:8080");
                assert!(config.threads >= 1 && config.threads <= 10);
                if let Some(windows) = control.windows() {
                    windows
                        .send(fake::window(0, 500))
                        .expect("somebody listens");
                }
                Ok(fake::outcome(
                    10,
                    Duration::from_secs(1),
                    1_000,
                    Duration::from_millis(1),
                ))
            }
        }
        let mut options = options("http://localhost:8080/x?y");
        let stage = |seconds, from, to| Stage {
            duration: Duration::from_secs(seconds),
            from,
            to,
        };
        options.open = Some(OpenLoop {
            arrivals: Arrivals::Constant,
            stages: vec![stage(1, 100.0, 300.0), stage(3, 300.0, 300.0)],
        });
        let mut seen = Vec::new();
        let got = load_with(
            &options,
            &Checks,
            &mut |w| seen.push(w.answers),
            &AtomicBool::new(false),
        );
        assert_eq!(seen, [500]);
        // (200 × 1 s + 300 × 3 s) / 4 s.
        let expected = Load::Open {
            rate: 275.0,
            arrivals: model::Arrivals::Constant,
            connections: 10,
        };
        assert_eq!(got.expect("a measurement").measurement.load, expected);
    }
}
