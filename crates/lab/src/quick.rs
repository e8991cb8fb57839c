//! One load run against a server that runs already: `photofinish load`.

pub(crate) mod address;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use hdrhistogram::Histogram;
use photofinish_host::ports::is_here;
use photofinish_host::{Generator, Host, hiccups as hiccup_meter, threads, throttled, watched};
use photofinish_judge::checks::Seen;
use photofinish_load::once::Wait;
use photofinish_load::{Config, Control, Mark, Until};
use photofinish_model::secret::mask;
use photofinish_model::{Exchange, Expect, Lag, Load, Measurement, Stage, Template, Tls, Window};
use photofinish_study::plan::Endpoint;
use photofinish_study::{RequestFlags, Scheme, check_login};

use crate::error::Error;
use crate::server::login::login;
use crate::server::redirect::destination;
use crate::server::route::Route;
use crate::{checks, convert};

/// Length of a window, which a user who watches can follow.
const LIVE_WINDOW: Duration = Duration::from_secs(1);
/// How often an interrupt is looked for.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// How long the hiccup meter sleeps. Every wake takes time from a generator that shares its core, 5 to 8% of its time at 1,000 a
/// second; a standstill is one of 5 ms or more, so that 250 a second miss few.
const HICCUP_SLEEP: Duration = Duration::from_millis(4);

/// What `photofinish load` sends, to whom and how.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    /// `http[s]://host[:port]/path`, `ws[s]://host[:port]/path`, `grpc[s]://host:port/package.Service/Method`, or
    /// `tcp://host:port` for an echo.
    pub url: String,
    /// The Unix socket on which the server listens; the URL's host and port are only names then.
    pub unix_socket: Option<PathBuf>,
    /// What is sent and must come back.
    pub flags: RequestFlags,
    /// How many connections are open, and when requests are due.
    pub load: Load,
    /// The rate of an open loop over time, from the window's opening; empty = it stays as `load` says. The lead-in runs at the
    /// first one's starting rate.
    pub stages: Vec<Stage>,
    /// When the run ends: `-n` or `-d`.
    pub until: Until,
    /// How long load flows before it is measured.
    pub lead_in: Duration,
    /// The generator's threads; `None` = half of the cores for a server on this machine, else all.
    pub threads: Option<usize>,
    /// How long a thread of a closed loop sleeps after it has sent requests: see [`Config::batch`].
    pub batch: Duration,
    /// Whether hosts may be loaded that are neither this machine nor on a private network.
    pub allow_remote: bool,
    /// The seed of random arrivals.
    pub seed: u64,
}

/// What one load run measured.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Its figures and checks.
    pub measurement: Measurement,
    /// The response times that its percentiles are read from, in nanoseconds.
    pub latency_ns: Histogram<u64>,
    /// How late a thread that only sleeps woke meanwhile; `None` if it was not measured.
    pub hiccups: Option<Lag>,
    /// The path at which redirects ended, which was loaded; `None` if none was followed.
    pub led_to: Option<String>,
}

/// Loads a server once. `interrupt` ends the run early; what was measured until then is returned.
///
/// # Errors
/// For a URL that cannot or may not be loaded, or a load that cannot be sent
/// (nobody listens, or more connections than open files are allowed).
pub fn load_once(
    options: &LoadOptions,
    windows: &mut dyn FnMut(&Window),
    interrupt: &AtomicBool,
) -> Result<Loaded, Error> {
    load_with(options, Host::this_machine(), windows, interrupt)
}

fn load_with(
    options: &LoadOptions,
    generator: &dyn Generator,
    on_window: &mut dyn FnMut(&Window),
    interrupt: &AtomicBool,
) -> Result<Loaded, Error> {
    let place = address::resolve(
        &options.url,
        options.unix_socket.as_deref(),
        options.allow_remote,
    )?;
    let here = is_here(&place.address);
    let cores = generator.machine().cores();
    let (mut exchange, tls) = (exchange(options, &place)?, tls(options, &place)?);
    check_login(&exchange, options.flags.login.as_ref()).map_err(|(problem, help)| Error::Url {
        url: mask(&options.url).into_owned(),
        says: format!("{problem}; {help}"),
    })?;
    let route = Route {
        from: generator.machine(),
        to: &place.address,
        called: Some(&place.authority),
        tls: tls.as_ref(),
    };
    let unwanted = || interrupt.load(Ordering::Relaxed);
    let (timeout, seed) = (options.flags.settings.timeout, options.seed);
    if let Some(wanted) = &options.flags.login {
        let got = login(route, wanted, &exchange, timeout, seed, &unwanted);
        exchange = exchange.with_login(&got.map_err(|wrong| Error::Login(Box::new(wrong)))?);
    }
    let wait = Wait {
        timeout,
        unwanted: &unwanted,
    };
    let led_to = destination(route, &exchange, wait, seed);
    let led_to = led_to.map_err(|wrong| Error::Redirect(Box::new(wrong)))?;
    if let Some(path) = &led_to {
        exchange.set_path(Template::fixed(path.as_bytes()));
    }
    let (address, load) = (place.address.clone(), options.load.clone());
    let config = Config {
        authority: place.authority.clone(),
        tls,
        requests_per_connection: options.flags.settings.requests_per_connection,
        stages: options.stages.clone(),
        lead_in: options.lead_in,
        window: LIVE_WINDOW,
        timeout: options.flags.settings.timeout,
        threads: options
            .threads
            .unwrap_or_else(|| threads(cores, here, options.load.connections())),
        seed: options.seed,
        batch: options.batch,
        ..Config::new(address, exchange, load, options.until)
    };
    let (windows_in, windows) = mpsc::channel();
    let (marks_in, marks) = mpsc::channel();
    let control = Control::with_windows(windows_in).with_marks(marks_in);
    // Of the window alone: what it notes before is thrown away.
    let mut meter = Some(hiccup_meter(None, HICCUP_SLEEP));
    let mut hiccups = None;
    let (mut throttled_before, mut throttled_for) = (throttled(), None);
    let mut hear = || {
        for mark in marks.try_iter() {
            match mark {
                Mark::Opened(_) => {
                    meter.iter().for_each(|meter| drop(meter.lap()));
                    throttled_before = throttled();
                }
                Mark::Closed(_) => {
                    hiccups = meter.take().and_then(|meter| meter.end());
                    let times = throttled().zip(throttled_before);
                    throttled_for = times.map(|(now, before)| now.saturating_sub(before));
                }
            }
        }
    };
    let outcome = watched(|| generator.run(&config, &control), &mut || {
        match windows.recv_timeout(POLL_INTERVAL) {
            Ok(window) => on_window(&window),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => thread::sleep(POLL_INTERVAL),
        }
        hear();
        if interrupt.load(Ordering::Relaxed) {
            control.stop();
        }
    });
    let outcome = outcome.map_err(Error::Load)?;
    hear();
    windows.try_iter().for_each(|window| on_window(&window));
    let mut measurement = convert::measurement(&outcome, &options.load);
    measurement.generator.stood_still = hiccups.as_ref().map(convert::stood_still);
    let seconds = outcome.duration.as_secs_f64();
    measurement.generator.throttled_share = throttled_for
        .and_then(|time| convert::ratio(time.as_secs_f64(), seconds))
        .map(|share| share.min(1.0));
    let exchange = &config.exchange;
    checks::make(&mut measurement, &outcome, exchange, true, Seen::default());
    Ok(Loaded {
        measurement,
        latency_ns: outcome.latency,
        hiccups: hiccups.as_ref().and_then(convert::lag),
        led_to,
    })
}

/// How TLS is spoken, where it is.
fn tls(options: &LoadOptions, place: &Endpoint) -> Result<Option<Tls>, Error> {
    match (place.tls, &options.flags.tls) {
        (true, tls) => Ok(Some(tls.clone().unwrap_or_default())),
        (false, None) => Ok(None),
        (false, Some(_)) => Err(Error::Url {
            url: mask(&options.url).into_owned(),
            says: "a flag of TLS is given, but the URL is not https://, wss:// or grpcs://; write https://, or leave the flag out".to_owned(),
        }),
    }
}

/// What is sent and what must come back.
fn exchange(options: &LoadOptions, place: &Endpoint) -> Result<Exchange, Error> {
    let wrong = |says: &str| Error::Url {
        url: mask(&options.url).into_owned(),
        says: says.to_owned(),
    };
    let (flags, path) = (&options.flags, &*place.path);
    if flags.schema.is_some() && place.scheme != Scheme::Grpc {
        return Err(wrong(
            "--proto and --descriptor-set are for gRPC; give a URL such as grpc://127.0.0.1:50051/package.Service/Method",
        ));
    }
    if let Some(requests) = &flags.requests {
        return match place.scheme {
            Scheme::Http => Ok(Exchange::Requests(requests.clone())),
            Scheme::Tcp | Scheme::Ws | Scheme::Grpc => Err(wrong(
                "--requests-from and --csv-data are for HTTP; write http:// or https://, or leave them out",
            )),
        };
    }
    match (place.scheme, flags.size) {
        (Scheme::Tcp, Some(_)) if flags.expect != Expect::default() => Err(wrong(
            "an echo is the message that was sent; leave --expect-status, --expect-body and --expect-contains out",
        )),
        (Scheme::Tcp, Some(size)) => Ok(Exchange::TcpEcho { size }),
        (Scheme::Tcp, None) => Err(wrong(
            "a TCP echo needs the size of its messages: --size 1k",
        )),
        (Scheme::Grpc, None) => {
            let call = flags
                .call(path)
                .map_err(|error| wrong(&error.to_string()))?;
            Ok(Exchange::Grpc(call))
        }
        (Scheme::Http | Scheme::Grpc, Some(_)) => Err(wrong(
            "--size is for a TCP echo or a WebSocket; give a URL such as tcp://127.0.0.1:8080 or ws://127.0.0.1:8080/path",
        )),
        (Scheme::Http, None) => Ok(Exchange::Http {
            request: flags.at(path),
            expect: flags.expect.clone(),
            version: flags.version,
        }),
        (Scheme::Ws, _) => {
            let socket = flags.websocket(path);
            let socket = socket.map_err(|error| wrong(&error.to_string()))?;
            Ok(Exchange::WebSocket(socket))
        }
    }
}

#[cfg(test)]
mod tests {
    use photofinish_load::Outcome;
    use photofinish_model::Arrivals;
    use photofinish_model::settings::RequestSettings;

    use photofinish_model::samples::assert_starts;

    use super::*;
    use crate::fake::{self, FakeLoad};
    use crate::server::redirect;

    fn options(url: &str) -> LoadOptions {
        LoadOptions {
            url: url.to_owned(),
            unix_socket: None,
            flags: RequestFlags {
                settings: RequestSettings {
                    timeout: Duration::from_secs(1),
                    ..RequestSettings::default()
                },
                ..RequestFlags::default()
            },
            load: Load::Closed { connections: 10 },
            stages: Vec::new(),
            until: Until::Elapsed(Duration::from_secs(1)),
            lead_in: Duration::ZERO,
            threads: None,
            batch: Duration::ZERO,
            allow_remote: false,
            seed: 1,
        }
    }

    fn outcome() -> Outcome {
        let second = Duration::from_secs(1);
        fake::outcome(10, second, 1_000, Duration::from_millis(1))
    }

    #[test]
    fn an_interruption_ends_the_run_and_reports_what_was_measured() {
        let interrupt = AtomicBool::new(true);
        let endless = FakeLoad(Box::new(|_, control| {
            while !control.stopped() {
                thread::yield_now();
            }
            Ok(outcome())
        }));
        let got = load_with(
            &options("http://127.0.0.1:1/"),
            &endless,
            &mut |_| {},
            &interrupt,
        );
        let got = got.expect("a measurement");
        assert_eq!(got.measurement.requests, 1_000);
        assert_eq!(got.latency_ns.len(), 1_000);
    }

    #[test]
    fn the_path_that_redirects_end_at_is_loaded() {
        let server = redirect::tests::server(|path| match path {
            "/old" => (302, "/new".to_owned()),
            "/far" => (302, "http://other.example/".to_owned()),
            _ => (200, String::new()),
        });
        let loads = FakeLoad(Box::new(|config, _| {
            let Exchange::Http { request, .. } = &config.exchange else {
                panic!("not HTTP")
            };
            assert_eq!(request.path, Template::fixed("/new"));
            Ok(outcome())
        }));
        let asked = |path: &str| {
            let mut options = options(&format!("http://{server}{path}"));
            options.flags.expect.follow_redirects = true;
            load_with(&options, &loads, &mut |_| {}, &AtomicBool::new(false))
        };
        let led_to = |path| asked(path).expect("a measurement").led_to;
        assert_eq!(led_to("/old").as_deref(), Some("/new"));
        assert_eq!(led_to("/new"), None);
        let says = asked("/far").expect_err("another server").to_string();
        assert_starts(
            &says,
            "follow redirects: GET /far: it redirects to http://other.example/",
        );
    }

    #[test]
    fn an_echo_takes_no_expectation() {
        let mut options = options("tcp://127.0.0.1:1");
        options.flags.size = Some(8);
        options.flags.expect.status = Some(200);
        let never = FakeLoad(Box::new(|_, _| unreachable!()));
        let got = load_with(&options, &never, &mut |_| {}, &AtomicBool::new(false));
        let says = got.expect_err("refused").to_string();
        assert!(says.contains("leave --expect-status"), "{says}");
    }

    #[test]
    fn what_is_measured_names_its_load() {
        let checks = FakeLoad(Box::new(|config, control| {
            let Exchange::Http { request, .. } = &config.exchange else {
                panic!("not HTTP")
            };
            assert_eq!(request.path, Template::fixed("/x?y"));
            assert_eq!(config.authority, "localhost:8080");
            assert_eq!(config.stages.len(), 2);
            assert!(config.threads >= 1 && config.threads <= 10);
            if let Some(windows) = control.windows() {
                windows
                    .send(fake::window(0, 500))
                    .expect("somebody listens");
            }
            Ok(outcome())
        }));
        let mut options = options("http://localhost:8080/x?y");
        let stage = |seconds, from, to| Stage {
            duration: Duration::from_secs(seconds),
            from,
            to,
        };
        options.stages = vec![stage(1, 100.0, 300.0), stage(3, 300.0, 300.0)];
        options.load = Load::Open {
            rate: Stage::mean_rate(&options.stages),
            arrivals: Arrivals::Constant,
            connections: 10,
        };
        let mut seen = Vec::new();
        let got = load_with(
            &options,
            &checks,
            &mut |w| seen.push(w.responses),
            &AtomicBool::new(false),
        );
        assert_eq!(seen, [500]);
        assert_eq!(got.expect("a measurement").measurement.load, options.load);
    }
}
