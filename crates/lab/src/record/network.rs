//! The network between load generators and servers: how long an empty exchange takes, and by which interfaces load goes.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use photofinish_host::{Error, Generator, Host, InterfaceQuery, Process, ProcessSpec, each};
use photofinish_load::{Config, Control, Until};
use photofinish_model::files::temp::TempFolder;
use photofinish_model::network::{Interface, Network, RoundTrip};
use photofinish_model::{Address, Exchange, Expect, Load, Request, Version};

/// How long the built-in server may take before a run until it responds: a run can go on without.
const READY: Duration = Duration::from_secs(2);
/// How long exchanges are made from all generators together, before a run.
const ALL: Duration = Duration::from_millis(400);
/// How long from one of them at most, and at least.
const ONE: [Duration; 2] = [Duration::from_millis(100), Duration::from_millis(20)];

/// How each generator reaches the servers; nothing where both are this machine.
pub(crate) fn networks(
    host: &Host,
    generator: &dyn Generator,
    interrupt: &AtomicBool,
) -> Vec<Network> {
    if host.name() == generator.machine().name() {
        return Vec::new();
    }
    let generators = each(generator);
    let [most, least] = ONE;
    let length = (ALL / generators.len() as u32).clamp(least, most);
    let mut echo = Echo::start(host, READY).ok();
    let mut networks = Vec::new();
    for generator in generators {
        // One at a time: they would keep one another waiting.
        let exchanged = echo.as_mut().and_then(|echo| {
            echo.await_ready(generator.machine(), interrupt).ok()?;
            echo.exchange(generator, length).ok()
        });
        // What one of them waited for in vain the others need not.
        echo = echo.filter(|_| exchanged.is_some());
        let (generator_interface, server_interface) = ends(host, generator.machine());
        networks.push(Network {
            generator: generator.machine().name(),
            round_trip: exchanged,
            generator_interface,
            server_interface,
        });
    }
    networks
}

/// The interfaces at both ends: the generator's and the servers'.
pub(crate) fn ends(host: &Host, generator: &Host) -> (Option<Interface>, Option<Interface>) {
    let address = host.address();
    (
        generator.interface(InterfaceQuery::To(address)),
        host.interface(InterfaceQuery::At(address)),
    )
}

/// Why no load comes through.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoRoundTrip {
    #[error(transparent)]
    Folder(io::Error),
    #[error("failed to {0}")]
    Host(Error),
    #[error("connect to {address}: {error}")]
    Unreachable { address: Address, error: io::Error },
    #[error("the built-in server at {address} ended ({how})")]
    Ended { address: Address, how: String },
    #[error(transparent)]
    Load(Error),
    #[error("{0}")]
    NoResponse(String),
}

/// A server that does next to nothing, on the servers' machine, for as long as this is there.
pub(crate) struct Echo {
    address: Address,
    process: Process,
    ready: Duration,
    /// Where it writes what it prints; after the process.
    _folder: TempFolder,
}

impl Echo {
    /// Starts it; it has so long to respond.
    ///
    /// # Errors
    /// Where it cannot be started.
    pub(crate) fn start(host: &Host, ready: Duration) -> Result<Echo, NoRoundTrip> {
        let failed = NoRoundTrip::Host;
        let folder = TempFolder::new().map_err(NoRoundTrip::Folder)?;
        let (ip, port) = (host.address(), host.free_port().map_err(failed)?);
        let address = Address::from(SocketAddr::new(ip, port));
        let (ip, port) = (ip.to_string(), port.to_string());
        let program = host.photofinish().display().to_string();
        let words = [
            &*program,
            "server",
            "event-loop",
            "--host",
            &ip,
            "--port",
            &port,
        ];
        let spec = ProcessSpec {
            command: words.map(str::to_owned).to_vec(),
            log: folder.path().join("server"),
            ..ProcessSpec::default()
        };
        Ok(Echo {
            address,
            process: host.start(&spec).map_err(failed)?,
            ready,
            _folder: folder,
        })
    }

    /// Waits until it can be reached from a machine.
    ///
    /// # Errors
    /// Where it cannot.
    pub(crate) fn await_ready(
        &mut self,
        from: &Host,
        interrupt: &AtomicBool,
    ) -> Result<(), NoRoundTrip> {
        let address = || self.address.clone();
        let begun = Instant::now();
        while let Err(error) = from.connect(&self.address, Duration::from_secs(1)) {
            if interrupt.load(Ordering::Relaxed) || begun.elapsed() > self.ready {
                let address = address();
                return Err(NoRoundTrip::Unreachable { address, error });
            }
            if let Some(how) = self.process.exited().map_err(NoRoundTrip::Host)? {
                let address = address();
                return Err(NoRoundTrip::Ended { address, how });
            }
            thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// How long small requests take for so long, one at a time.
    ///
    /// # Errors
    /// Where there is no response.
    pub(crate) fn exchange(
        &self,
        generator: &dyn Generator,
        length: Duration,
    ) -> Result<RoundTrip, NoRoundTrip> {
        let exchange = Exchange::Http {
            request: Request::get("/plaintext"),
            expect: Expect::default(),
            version: Version::Http1,
        };
        let load = Load::Closed { connections: 1 };
        let config = Config {
            lead_in: length / 5,
            window: length,
            timeout: Duration::from_secs(5),
            ..Config::new(self.address.clone(), exchange, load, Until::Elapsed(length))
        };
        let outcome = (generator.run(&config, &Control::default())).map_err(NoRoundTrip::Load)?;
        let at = |quantile| outcome.latency.value_at_quantile(quantile) as f64 / 1e3;
        match outcome.responses_in_window {
            0 => Err(NoRoundTrip::NoResponse(outcome.first_error.map_or_else(
                || "no response came".to_owned(),
                |first| first.to_string(),
            ))),
            exchanges => Ok(RoundTrip {
                exchanges,
                min_us: outcome.latency.min() as f64 / 1e3,
                p50_us: at(0.5),
                p99_us: at(0.99),
            }),
        }
    }
}
