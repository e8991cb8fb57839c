//! Load, and connections, from a machine.

use std::io;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use photofinish_load::{Config, Control, Outcome, Slice};
use photofinish_model::Address;
use photofinish_model::finding::failure::{LoadPart, LoadTrouble};
use serde::{Deserialize, Serialize};
use socket2::{Socket, Type};

use super::Request;
use crate::agent::{Agent, Thing};
use crate::host::{Call, Host, Made};
use crate::several::Several;
use crate::{Error, throttle};

/// How long it takes at most until whoever waits for load looks around.
const LOOK: Duration = Duration::from_millis(20);

/// Connections to one server.
pub struct Session {
    made: Made,
}

impl Session {
    /// Lets load flow until the end that the slice states or `control` asks for.
    ///
    /// # Errors
    /// Where no load can be sent; requests that fail are counted in the outcome.
    pub fn slice(&mut self, slice: &Slice, control: &Control) -> Result<Outcome, Error> {
        let Made { host, number } = &self.made;
        let (_, outcome) = host.call(Flow(*number, slice.clone()), control)?;
        Ok(*outcome)
    }
}

impl Host {
    /// Sends load until the end that `config` states or `control` asks for.
    ///
    /// # Errors
    /// Where no load can be sent; requests that fail are counted in the outcome.
    pub fn run(&self, config: &Config, control: &Control) -> Result<Outcome, Error> {
        let (_, outcome) = self.call(Run(self.affordable(config)), control)?;
        Ok(*outcome)
    }

    /// Opens connections that stay from slice to slice.
    ///
    /// # Errors
    /// Where no load can be sent.
    pub fn open(&self, config: &Config, control: &Control) -> Result<Session, Error> {
        let (made, ()) = self.make(Open(self.affordable(config)), control)?;
        Ok(Session { made })
    }

    /// Where this container's CPU time has a bound, threads that do not sleep would use it up, and the kernel would stop them.
    fn affordable(&self, config: &Config) -> Config {
        Config {
            eager: config.eager && !(self.is_local() && throttle::throttled().is_some()),
            ..config.clone()
        }
    }

    /// Runs a load on a thread of its own, and calls `watch` on this one again and again until it ends; `watch` waits by itself.
    ///
    /// # Errors
    /// As [`Host::run`]; and where the generator's thread panics.
    pub fn run_watched(
        &self,
        config: &Config,
        control: &Control,
        watch: &mut dyn FnMut(),
    ) -> Result<Outcome, Error> {
        thread::scope(|scope| {
            let load = thread::Builder::new()
                .spawn_scoped(scope, || self.run(config, control))
                .map_err(no_thread)?;
            while !load.is_finished() {
                watch();
            }
            load.join().map_err(|_| broke_down())?
        })
    }

    /// A connection from there to a server. From another machine it goes through a pair of sockets of this one, so that it can be used as any
    /// other.
    ///
    /// # Errors
    /// Those of the system there.
    pub fn connect(&self, address: &Address, within: Duration) -> io::Result<Socket> {
        match self {
            Host::Local(_) | Host::Fake(_) => connect(address, within),
            Host::Remote(remote) => remote.connect(address, within),
            Host::Several(several) => several.first().connect(address, within),
        }
    }
}

fn connect(address: &Address, within: Duration) -> io::Result<Socket> {
    let to = address.to_system()?;
    let socket = Socket::new(to.domain(), Type::STREAM, None)?;
    socket.connect_timeout(&to, within)?;
    Ok(socket)
}

/// There is no thread for it.
pub(crate) fn no_thread(source: io::Error) -> Error {
    let (what, says) = (LoadPart::Thread, source.to_string());
    LoadTrouble::System { what, says }.into()
}

/// Its thread panicked.
pub(crate) fn broke_down() -> Error {
    LoadTrouble::Broken {}.into()
}

/// Does what sends load on a thread of its own, and calls `look` on this one a few times a second until it ends.
///
/// # Errors
/// Its own; and where there can be no thread, or it panics.
pub fn with_looks<T: Send>(
    work: impl FnOnce() -> Result<T, Error> + Send,
    look: &mut dyn FnMut(),
) -> Result<T, Error> {
    let (held, ended) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let work = move || {
            // The channel closes when this ends, however it does.
            let _held = held;
            work()
        };
        let work = thread::Builder::new()
            .spawn_scoped(scope, work)
            .map_err(no_thread)?;
        while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
            look();
        }
        work.join().map_err(|_| broke_down())?
    })
}

/// The generator's threads where nobody states them: of so many cores half where the server needs the
/// others, else all; never more than there are connections.
pub fn threads(cores: usize, server_here: bool, connections: u32) -> usize {
    let cores = if server_here {
        (cores / 2).max(1)
    } else {
        cores
    };
    cores.min(connections.max(1) as usize)
}

/// Connects to a server, within so long. What comes over the connection is passed on.
#[derive(Debug, Serialize, Deserialize)]
pub struct Connect(pub Address, pub Duration);

impl Request for Connect {
    type Reply = Result<(), SystemError>;

    fn perform(self, agent: &Agent, call: &Call<'_>) -> Result<Self::Reply, Error> {
        Ok(match connect(&self.0, self.1) {
            Ok(socket) => {
                agent.keep(call, Thing::Connection(socket));
                Ok(())
            }
            Err(error) => Err(SystemError {
                says: error.to_string(),
                number: error.raw_os_error(),
            }),
        })
    }
}

/// Why another machine's system refused something.
#[derive(Debug, Serialize, Deserialize)]
pub struct SystemError {
    says: String,
    number: Option<i32>,
}

impl From<SystemError> for io::Error {
    fn from(error: SystemError) -> io::Error {
        match error.number {
            Some(number) => io::Error::from_raw_os_error(number),
            None => io::Error::other(error.says),
        }
    }
}

/// Sends load.
#[derive(Debug, Serialize, Deserialize)]
pub struct Run(#[serde(with = "as_json")] pub Config);

impl Request for Run {
    type Reply = Box<Outcome>;
    const IS_FOLLOWED: bool = true;

    fn perform(self, agent: &Agent, call: &Call<'_>) -> Result<Box<Outcome>, Error> {
        let outcome = photofinish_load::run(&self.0, call.control)?;
        Ok(Box::new(agent.wall.by_wall(outcome)))
    }

    fn of_several(self, several: &Several, call: &Call<'_>) -> Result<Box<Outcome>, Error> {
        let mut together = several.open(&self.0, call.control)?;
        let outcome = together.slice(several, &self.0.slice(), call.control)?;
        Ok(Box::new(outcome))
    }
}

/// Opens connections.
#[derive(Debug, Serialize, Deserialize)]
pub struct Open(#[serde(with = "as_json")] pub Config);

impl Request for Open {
    type Reply = ();

    fn perform(self, agent: &Agent, call: &Call<'_>) -> Result<(), Error> {
        let session = photofinish_load::Session::open(&self.0, call.control)?;
        agent.keep(call, Thing::session(session));
        Ok(())
    }

    fn of_several(self, several: &Several, call: &Call<'_>) -> Result<(), Error> {
        let together = several.open(&self.0, call.control)?;
        several.keep(call, together);
        Ok(())
    }
}

/// Lets load flow on the connections of this number.
#[derive(Debug, Serialize, Deserialize)]
pub struct Flow(pub u64, pub Slice);

impl Request for Flow {
    type Reply = Box<Outcome>;
    const IS_FOLLOWED: bool = true;

    fn perform(self, agent: &Agent, call: &Call<'_>) -> Result<Box<Outcome>, Error> {
        let slice = agent.wall.by_kernel(self.1);
        let outcome = agent.session(self.0, |session| session.slice(&slice, call.control))??;
        Ok(Box::new(agent.wall.by_wall(outcome)))
    }

    fn of_several(self, several: &Several, call: &Call<'_>) -> Result<Box<Outcome>, Error> {
        several.flow(self.0, &self.1, call.control).map(Box::new)
    }
}

/// As JSON: what a load is made of is tagged for people, which postcard cannot read.
mod as_json {
    use photofinish_load::Config;
    use serde::de::Error as _;
    use serde::ser::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(config: &Config, to: S) -> Result<S::Ok, S::Error> {
        let text = serde_json::to_string(config).map_err(S::Error::custom)?;
        text.serialize(to)
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Config, D::Error> {
        let text = String::deserialize(from)?;
        serde_json::from_str(&text).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_leave_the_server_its_half() {
        assert_eq!(threads(6, true, 1_000_000), 3);
        assert_eq!(threads(1, true, 1_000_000), 1);
        assert_eq!(threads(6, false, 1_000_000), 6);
        assert_eq!(threads(6, false, 1), 1);
        assert_eq!(threads(6, true, 0), 1);
    }
}
