//! Another machine, as whoever asks it sees it: its agent does the work.

use std::any::Any;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Shutdown};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

use photofinish_load::Control;
use photofinish_model::Address;
use socket2::{Domain, Socket, Type};

use super::link::Link;
use super::message::{News, ToAgent};
use crate::request::{Connect, Request};
use crate::{Error, Given};

/// Another machine.
#[derive(Clone)]
pub struct Remote {
    link: Arc<Link>,
    address: IpAddr,
    /// What the program that carries the bytes needs for as long as it runs; after the link.
    _held: Option<Arc<dyn Any + Send + Sync>>,
    /// What a scheduler says that it is, without the cores that may be used there.
    given: Option<Given>,
}

impl Remote {
    /// Starts the program that carries the bytes to an agent; servers there are reached at `address`, or at the one that an SSH
    /// connection came to.
    ///
    /// # Errors
    /// Where no agent can be had; and for an interrupt.
    pub fn start(
        name: &str,
        address: Option<IpAddr>,
        command: &mut Command,
        interrupt: &AtomicBool,
    ) -> Result<Remote, Error> {
        let link = Link::start(name, command, interrupt)?;
        let address = address.or(link.welcome.address);
        Ok(Remote {
            link: Arc::new(link),
            address: address.unwrap_or(Ipv4Addr::LOCALHOST.into()),
            _held: None,
            given: None,
        })
    }

    /// The same, which keeps something for as long as it is there.
    pub(crate) fn holding(self, held: Arc<dyn Any + Send + Sync>) -> Remote {
        Remote {
            _held: Some(held),
            ..self
        }
    }

    /// The same, which a scheduler has given out.
    pub(crate) fn scheduled_as(self, given: Given) -> Remote {
        Remote {
            given: Some(given),
            ..self
        }
    }

    /// The stream to the agent.
    pub fn link(&self) -> &Link {
        &self.link
    }

    /// Where builds are kept there.
    pub fn cache(&self) -> &Path {
        &self.link.welcome.cache
    }

    pub(crate) fn name(&self) -> &str {
        self.link.name()
    }

    pub(crate) fn program(&self) -> &Path {
        &self.link.welcome.program
    }

    pub(crate) fn address(&self) -> IpAddr {
        self.address
    }

    pub(crate) fn given(&self) -> Option<&Given> {
        self.given.as_ref()
    }

    pub(crate) fn still_there(&self) -> Result<(), Error> {
        self.link.still_there()
    }

    /// Asks for something; returns the number of what it made with the reply.
    pub(crate) fn call<R: Request>(
        &self,
        request: R,
        control: &Control,
    ) -> Result<(u64, R::Reply), Error> {
        let (number, reply) = self.link.ask(request.into(), control)?;
        Ok((number, self.decoded(&reply)?))
    }

    fn decoded<T: serde::de::DeserializeOwned>(&self, reply: &[u8]) -> Result<T, Error> {
        postcard::from_bytes(reply).map_err(|_| Error::Unreachable {
            machine: self.name().to_owned(),
            says: "its reply is to another question".to_owned(),
        })
    }

    pub(crate) fn release(&self, number: u64) {
        self.link.release(number);
    }

    /// Connects from there.
    pub(crate) fn connect(&self, address: &Address, within: Duration) -> io::Result<Socket> {
        let asked = self.link.subscribe(Connect(address.clone(), within).into());
        let (number, reply, news) = asked.map_err(io::Error::other)?;
        let open = Open {
            link: Arc::clone(&self.link),
            number,
        };
        let connected: <Connect as Request>::Reply =
            self.decoded(&reply).map_err(io::Error::other)?;
        connected?;
        let open = Arc::new(open);
        let (ours, theirs) = Socket::pair(Domain::UNIX, Type::STREAM, None)?;
        let mut from = theirs.try_clone()?;
        let out = Arc::clone(&open);
        thread::spawn(move || {
            let mut bytes = vec![0; 64 * 1024];
            loop {
                let read = from.read(&mut bytes).unwrap_or(0);
                out.link
                    .send(&ToAgent::Bytes(number, bytes[..read].to_vec()));
                if read == 0 {
                    return;
                }
            }
        });
        thread::spawn(move || {
            let _open = open;
            let mut to = theirs;
            for news in news {
                let News::Bytes(bytes) = news else { break };
                if bytes.is_empty() || to.write_all(&bytes).is_err() {
                    break;
                }
            }
            let _ = to.shutdown(Shutdown::Both);
        });
        Ok(ours)
    }
}

/// A connection of another machine, which is closed when both ways of it have ended here.
struct Open {
    link: Arc<Link>,
    number: u64,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.link.release(self.number);
    }
}
