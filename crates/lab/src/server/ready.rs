//! Waiting until a server is ready: it is asked again and again, by the way that load takes.

use std::mem;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::thread;
use std::time::Duration;

use photofinish_load::once::{self, Response, Wait};
use photofinish_model::finding::failure::{Fate, NoResponse, NotReady, When};
use photofinish_model::{Address, Exchange, Expect, Request, Template, Version};

use super::launch::taken;
use super::{POLL_INTERVAL, Server};
use crate::error::{Failure, Halt, failed};

/// How long one request may take. A server that warms up during its first response is asked again.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(1);

impl Server<'_> {
    /// Waits until the server is ready; reports how long that took from its start.
    ///
    /// # Errors
    /// If it takes longer than the target's bound, or ends; halts for an interrupt.
    pub(crate) fn wait_ready(&mut self) -> Result<Duration, Halt> {
        let within = self.target.ready.timeout;
        loop {
            self.run.go_on()?;
            let why = match self.ask_where_it_listens() {
                Ok(()) => {
                    let after = self.started.elapsed();
                    self.require_own_listener()?;
                    return Ok(after);
                }
                Err(why) => why,
            };
            self.require_alive(When::BeforeReady)?;
            // Nobody is left who could find it ready.
            (self.run.generator.machine().still_there()).map_err(failed)?;
            if self.started.elapsed() >= within {
                let within_s = within.as_secs_f64();
                return Err(self.fallen(Fate::NotReady { within_s, why }).into());
            }
            thread::sleep(POLL_INTERVAL);
        }
    }

    /// Fails if somebody else responds in the server's place: that one would be measured.
    fn require_own_listener(&mut self) -> Result<(), Failure> {
        match self.process.foreign_listener(self.address.clone()) {
            None => Ok(()),
            Some(holder) => Err(taken(self.target, &self.address, holder)),
        }
    }

    /// The version of HTTP in which it is asked whether it is ready: one of those that the load takes, and HTTP/1.1 where that is among them.
    fn asked_in(&self) -> Version {
        let workloads = self.run.plan.workloads.iter();
        let mut versions =
            workloads.filter_map(|workload| self.target.takes(workload).exchange.version());
        match versions.next() {
            Some(first @ Version::Http2 { .. }) if versions.all(|other| !other.is_http1()) => first,
            _ => Version::Http1,
        }
    }

    /// Asks whether it is ready: at `::1` where nobody listens at 127.0.0.1. A server that is told to listen on `localhost` may take
    /// either for it (Node.js takes `::1`).
    fn ask_where_it_listens(&mut self) -> Result<(), NotReady> {
        let why = match self.question() {
            Ok(()) => return Ok(()),
            Err(why) => why,
        };
        let other = match &self.address {
            Address::Tcp(at) if at.ip() == Ipv4Addr::LOCALHOST && why.is_no_listener() => {
                Address::from(SocketAddr::from((Ipv6Addr::LOCALHOST, at.port())))
            }
            _ => return Err(why),
        };
        if self.target.already().is_some() {
            return Err(why);
        }
        let first = mem::replace(&mut self.address, other);
        let is_ready = self.question().is_ok();
        // Somebody else there says nothing of this server, which may still begin to listen where it should.
        if is_ready
            && self
                .process
                .foreign_listener(self.address.clone())
                .is_none()
        {
            return Ok(());
        }
        self.address = first;
        Err(why)
    }

    fn question(&self) -> Result<(), NotReady> {
        let route = self.route();
        let address = route.to;
        let Some(path) = &self.target.ready.path else {
            return match route.from.connect(address, REQUEST_TIMEOUT) {
                Ok(_) => Ok(()),
                Err(error) => Err(NotReady::Connect {
                    address: address.to_string(),
                    says: error.to_string(),
                }),
            };
        };
        let host = route.authority();
        let scheme = match route.tls {
            Some(_) => "https",
            None => "http",
        };
        let url = match address {
            Address::Tcp(_) => format!("{scheme}://{host}{path}"),
            Address::Unix(_) => format!("{scheme}://{host}{path} over {address}"),
        };
        let request = Request {
            path: Template::fixed(path.as_bytes()),
            ..Request::get("/")
        };
        let exchange = Exchange::Http {
            request,
            expect: Expect::default(),
            version: self.asked_in(),
        };
        let wait = Wait {
            timeout: REQUEST_TIMEOUT,
            unwanted: &|| self.run.interrupted(),
        };
        match route.ask(&exchange, wait, self.run.seed) {
            Ok(response) if response.status < 500 => Ok(()),
            Ok(Response { status, .. }) => Err(NotReady::Status { url, status }),
            Err(once::Error::NoResponse(met)) => Err(NotReady::NoResponse { url, met }),
            Err(once::Error::Request(why)) => {
                let met = NoResponse::send(why.to_string());
                Err(NotReady::NoResponse { url, met })
            }
        }
    }
}
