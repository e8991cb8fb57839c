//! The network between load generators and servers: how long an empty exchange takes, and by which interfaces load goes.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use photofinish_host::{Error, Generator, Host, InterfaceQuery, Process, ProcessSpec, each};
use photofinish_load::{Config, Control, Until};
use photofinish_model::files::temp::TempFolder;
use photofinish_model::network::{Interface, Network, RoundTrip};
use photofinish_model::{Address, Exchange, Expect, Load, Request, Version};

/// How long the built-in server may take to respond before a run, which continues without it.
const READY_TIMEOUT: Duration = Duration::from_secs(2);
/// How long all generators together exchange messages before a run.
const TOGETHER_TIME: Duration = Duration::from_millis(400);
/// The longest and the shortest time during which one generator exchanges messages before a run.
const ALONE_TIME: [Duration; 2] = [Duration::from_millis(100), Duration::from_millis(20)];

/// How each generator reaches the servers; nothing if both are this machine.
pub(crate) fn networks(
    host: &Host,
    generator: &dyn Generator,
    interrupt: &AtomicBool,
) -> Vec<Network> {
    if host.name() == generator.machine().name() {
        return Vec::new();
    }
    let generators = each(generator);
    let [most, least] = ALONE_TIME;
    let length = (TOGETHER_TIME / generators.len() as u32).clamp(least, most);
    let mut echo = Echo::start(host, READY_TIMEOUT).ok();
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
    /// If it cannot be started.
    pub(crate) fn start(host: &Host, ready: Duration) -> Result<Echo, String> {
        let folder = TempFolder::new().map_err(|error| error.to_string())?;
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
    /// If it cannot.
    pub(crate) fn await_ready(
        &mut self,
        from: &Host,
        interrupt: &AtomicBool,
    ) -> Result<(), String> {
        let address = &self.address;
        let begun = Instant::now();
        while let Err(error) = from.connect(address, Duration::from_secs(1)) {
            if interrupt.load(Ordering::Relaxed) || begun.elapsed() > self.ready {
                return Err(format!("connect to {address}: {error}"));
            }
            if let Some(how) = self.process.exited().map_err(failed)? {
                return Err(format!("the built-in server at {address} ended ({how})"));
            }
            thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// How long small requests take for so long, one at a time.
    ///
    /// # Errors
    /// If there is no response.
    pub(crate) fn exchange(
        &self,
        generator: &dyn Generator,
        length: Duration,
    ) -> Result<RoundTrip, String> {
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
        let outcome = generator.run(&config, &Control::default());
        let outcome = outcome.map_err(|error| error.to_string())?;
        let at = |quantile| outcome.latency.value_at_quantile(quantile) as f64 / 1e3;
        match outcome.responses_in_window {
            0 => Err(outcome
                .first_error
                .map_or_else(|| "no response came".to_owned(), |first| first.to_string())),
            exchanges => Ok(RoundTrip {
                exchanges,
                min_us: outcome.latency.min() as f64 / 1e3,
                p50_us: at(0.5),
                p99_us: at(0.99),
            }),
        }
    }
}

/// Why the machine did not do something.
fn failed(error: Error) -> String {
    format!("failed to {error}")
}
