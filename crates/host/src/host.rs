//! A machine that servers or load generators run on, of whatever kind.

use std::any::Any;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use photofinish_load::{Ahead, Control};

use super::agent::{Agent, Remote};
use super::request::{self, Request};
use super::scheduled::Given;
use super::several::Several;
use super::{Error, clocks};

/// A machine that is asked to do something. A clone is the same machine.
#[derive(Clone)]
pub enum Host {
    /// This machine.
    Local(Local),
    /// Another one, whose agent does it.
    Remote(Remote),
    /// Several, from which load comes as from one.
    Several(Arc<Several>),
    /// One that a test has made up.
    Fake(FakeHost),
}

/// This machine.
#[derive(Clone)]
pub struct Local {
    agent: Arc<Agent>,
    address: IpAddr,
}

/// A machine that a test has made up. What it does not fake, this machine does.
#[derive(Clone)]
pub struct FakeHost {
    fake: Arc<dyn Fake>,
    agent: Arc<Agent>,
}

/// What a test makes up of a machine.
pub trait Fake: Send + Sync {
    /// The reply to a [`Request`], which is of its type `Reply`; `None` where the request is none that is made up.
    fn answer(&self, request: &dyn Any, call: &Call<'_>) -> Option<Result<Box<dyn Any>, Error>>;
    /// What was made by the call of this number is not needed any more.
    fn release(&self, _number: u64) {}
    /// How far its clock is ahead.
    fn ahead(&self) -> Ahead {
        Ahead::default()
    }
}

/// A request under way.
pub struct Call<'c> {
    /// Its number, which is that of whatever it makes.
    pub number: u64,
    /// How it is ended early; and where windows and marks of a load go.
    pub control: &'c Control,
}

impl Host {
    /// This machine. `program` is the photofinish binary, whose hidden command `__keep` is [`super::keep`].
    ///
    /// From now on this process adopts what keepers leave that are killed; where the kernel does not know that, most of it is found otherwise.
    pub fn local(program: PathBuf) -> Host {
        Host::Local(Local {
            agent: Arc::new(Agent::new(program)),
            address: Ipv4Addr::LOCALHOST.into(),
        })
    }

    /// The same, whose servers are reached at this address.
    pub fn at(self, address: Option<IpAddr>) -> Host {
        match (self, address) {
            (Host::Local(local), Some(address)) => Host::Local(Local { address, ..local }),
            (host, _) => host,
        }
    }

    /// A machine that is made up.
    pub fn fake(fake: Arc<dyn Fake>) -> Host {
        let agent = Arc::new(Agent::new(PathBuf::from("/bin/photofinish")));
        Host::Fake(FakeHost { fake, agent })
    }

    /// Asks for something, and waits until it is done.
    ///
    /// # Errors
    /// Why it cannot be done; for another machine also if that cannot be reached.
    pub fn ask<R: Request>(&self, request: R) -> Result<R::Reply, Error> {
        self.call(request, &Control::default()).map(|(_, reply)| reply)
    }

    /// The same for what may not be known.
    pub fn known<T, R: Request<Reply = Option<T>>>(&self, request: R) -> Option<T> {
        self.ask(request).ok().flatten()
    }

    /// Asks for something that is followed, or ended early, by `control`; returns the number of what was made with the reply.
    pub(crate) fn call<R: Request>(
        &self,
        request: R,
        control: &Control,
    ) -> Result<(u64, R::Reply), Error> {
        let perform = |agent: &Agent, request: R| {
            let number = agent.next_number();
            let call = Call { number, control };
            Ok((number, request.perform(agent, &call)?))
        };
        match self {
            Host::Local(local) => perform(&local.agent, request),
            Host::Remote(remote) => remote.call(request, control),
            Host::Several(several) => {
                let number = several.next_number();
                let call = Call { number, control };
                Ok((number, request.of_several(several, &call)?))
            }
            Host::Fake(FakeHost { fake, agent }) => {
                let number = agent.next_number();
                let call = Call { number, control };
                let Some(answer) = fake.answer(&request, &call) else {
                    return perform(agent, request);
                };
                match answer?.downcast::<R::Reply>() {
                    Ok(reply) => Ok((number, *reply)),
                    Err(_) => Err(Error::OddReply),
                }
            }
        }
    }

    /// Asks for something to be made, which goes when what is returned is dropped.
    pub(crate) fn make<R: Request>(
        &self,
        request: R,
        control: &Control,
    ) -> Result<(Made, R::Reply), Error> {
        let (number, reply) = self.call(request, control)?;
        let host = self.clone();
        Ok((Made { host, number }, reply))
    }

    fn release(&self, number: u64) {
        match self {
            Host::Local(local) => local.agent.release(number),
            Host::Remote(remote) => remote.release(number),
            Host::Several(several) => several.release(number),
            Host::Fake(FakeHost { fake, agent }) => {
                fake.release(number);
                agent.release(number);
            }
        }
    }

    /// What the user calls it.
    pub fn name(&self) -> String {
        match self {
            Host::Local(_) | Host::Fake(_) => "this machine".to_owned(),
            Host::Remote(remote) => remote.name().to_owned(),
            Host::Several(several) => several.name(),
        }
    }

    /// Nothing, as long as nobody has noticed that it is gone. Asks it nothing.
    ///
    /// # Errors
    /// Why it cannot be reached any more.
    pub fn still_there(&self) -> Result<(), Error> {
        match self {
            Host::Local(_) | Host::Fake(_) => Ok(()),
            Host::Remote(remote) => remote.still_there(),
            Host::Several(several) => several.hosts().iter().try_for_each(Host::still_there),
        }
    }

    /// How many cores may be used.
    pub fn cores(&self) -> usize {
        // Whoever is gone says so when more is asked of it.
        self.ask(request::Cores).map_or(1, |cores| cores as usize)
    }

    /// Whether a path means the same there as here.
    pub fn is_local(&self) -> bool {
        matches!(self, Host::Local(_) | Host::Fake(_))
    }

    /// photofinish itself as a program there, for the servers that are built into it.
    pub fn program(&self) -> &Path {
        match self {
            Host::Local(Local { agent, .. }) | Host::Fake(FakeHost { agent, .. }) => {
                agent.program()
            }
            Host::Remote(remote) => remote.program(),
            Host::Several(several) => several.first().program(),
        }
    }

    /// The address at which its servers are reached.
    pub fn address(&self) -> IpAddr {
        match self {
            Host::Local(local) => local.address,
            Host::Remote(remote) => remote.address(),
            Host::Several(several) => several.first().address(),
            Host::Fake(_) => Ipv4Addr::LOCALHOST.into(),
        }
    }

    /// What a scheduler has given out, where it is that.
    ///
    /// # Errors
    /// Where it cannot be asked.
    pub fn given(&self) -> Result<Option<Given>, Error> {
        let Host::Remote(remote) = self else {
            return Ok(None);
        };
        let Some(given) = remote.given() else {
            return Ok(None);
        };
        let cpus = self.ask(request::Cpus)?;
        let cpus = cpus.iter().map(|cpu| cpu.number as u32).collect();
        Ok(Some(given.clone().on(cpus)))
    }

    /// Those that it is made of, where they are several.
    pub fn several(&self) -> &[Host] {
        match self {
            Host::Several(several) => several.hosts(),
            Host::Local(_) | Host::Remote(_) | Host::Fake(_) => &[],
        }
    }

    /// How far its clock is ahead of this machine's, by one look.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub(crate) fn ahead(&self) -> Result<Ahead, Error> {
        match self {
            Host::Local(_) | Host::Several(_) => Ok(Ahead::default()),
            Host::Remote(_) => clocks::look(|| self.ask(request::Clock)),
            Host::Fake(FakeHost { fake, .. }) => Ok(fake.ahead()),
        }
    }
}

/// Something that was made there. It goes when this is dropped.
pub(crate) struct Made {
    pub(crate) host: Host,
    pub(crate) number: u64,
}

impl Drop for Made {
    fn drop(&mut self) {
        self.host.release(self.number);
    }
}
