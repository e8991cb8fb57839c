//! How the stacks of a server on this machine are sampled: by the kernel, and by agents in its Java virtual machines.

use std::collections::BTreeSet;
use std::path::Path;

use photofinish_profile::java::{self, Agent};
use photofinish_profile::{Sampler, Stacks};

use crate::{Error, Here, Machine};

/// An agent that saw less than one in so many of the kernel's samples has missed threads, and what it saw says little of the whole.
const LEAST_OF_KERNELS: u64 = 2;

/// What samples a server.
#[derive(Default)]
pub(super) struct Sampling {
    /// The cores that it may use; empty = all.
    cpus: Vec<usize>,
    sampler: Option<Sampler>,
    /// Of its Java virtual machines.
    agents: Vec<Agent>,
}

/// Whether there is a Java virtual machine among these processes.
pub(super) fn are_java(pids: &BTreeSet<u32>) -> bool {
    pids.iter().copied().any(java::is_machine)
}

impl Sampling {
    /// Of a server that may use these cores; none = all.
    pub(super) fn of(cpus: Vec<usize>) -> Sampling {
        Sampling {
            cpus,
            ..Sampling::default()
        }
    }

    /// Loads the agent into each Java virtual machine among these processes that has none.
    ///
    /// # Errors
    /// [`Error::Java`] where one of them does not let it; none of them has an agent then.
    pub(super) fn load_java_agent(
        &mut self,
        pids: &BTreeSet<u32>,
        library: &Path,
    ) -> Result<(), Error> {
        for pid in pids.iter().copied().filter(|pid| java::is_machine(*pid)) {
            if self.agents.iter().all(|agent| agent.pid() != pid) {
                let agent = Agent::load(pid, library).inspect_err(|_| self.agents.clear())?;
                self.agents.push(agent);
            }
        }
        Ok(())
    }

    /// Begins to sample.
    ///
    /// # Errors
    /// Where the kernel does not let this user, and [`Error::Java`] where an agent does not do it.
    pub(super) fn begin(&mut self) -> Result<(), Error> {
        let sampler = match &mut self.sampler {
            Some(sampler) => sampler,
            none => {
                let cpus = match self.cpus.is_empty() {
                    false => self.cpus.clone(),
                    true => Here.cpus()?.iter().map(|cpu| cpu.number).collect(),
                };
                none.insert(Sampler::open(&cpus)?)
            }
        };
        let agents = self.agents.iter_mut().try_for_each(Agent::begin);
        sampler.begin()?;
        Ok(agents.inspect_err(|_| self.agents.clear())?)
    }

    /// Ends the agents' part for now.
    ///
    /// # Errors
    /// [`Error::Java`] where an agent does not do it.
    pub(super) fn end_agents(&mut self) -> Result<(), Error> {
        let agents = self.agents.iter_mut().try_for_each(Agent::end);
        Ok(agents.inspect_err(|_| self.agents.clear())?)
    }

    /// Ends the kernel's part for now; what it saw of these processes is kept.
    pub(super) fn end(&mut self, pids: &BTreeSet<u32>) {
        self.sampler
            .iter_mut()
            .for_each(|sampler| sampler.end(pids));
    }

    /// The stacks that were seen since this was last asked for.
    pub(super) fn stacks(&mut self) -> Stacks {
        // Its buffers are not needed any more either.
        let Some(mut sampler) = self.sampler.take() else {
            return Stacks::default();
        };
        let mut java = Stacks::default();
        for agent in &mut self.agents {
            // Where an agent cannot give them, such as in a machine that has ended, there are those that the kernel saw.
            if let Ok(stacks) = agent.stacks()
                && stacks.samples() * LEAST_OF_KERNELS >= sampler.samples(agent.pid())
            {
                sampler.forget(agent.pid());
                java.add(stacks);
            }
        }
        let mut stacks = sampler.fold();
        stacks.add(java);
        stacks
    }
}
