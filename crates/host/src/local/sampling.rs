//! How the stacks of a server on this machine are sampled: by the kernel, and by agents in its Java virtual machines.

use std::collections::BTreeSet;
use std::path::Path;

use photofinish_profile::java::{self, Agent};
use photofinish_profile::{SampleClock, Sampled, Sampler, Stacks, graft};

use crate::{Error, cpus};

/// An agent that saw less than one in so many of the kernel's samples has missed threads, and what it saw says little of the whole. It sees
/// no more than one a tick, of which there are a hundred a second at least, and is asked for 499.
const MAX_KERNEL_RATIO: u64 = 8;

/// What samples a server.
#[derive(Default)]
pub(super) struct Sampling {
    /// The cores that it may use; empty = all.
    cpus: Vec<usize>,
    sampler: Option<Sampler>,
    /// Of its Java virtual machines.
    agents: Vec<Agent>,
}

impl Sampling {
    /// Of a server that may use these cores; none = all.
    pub(super) fn of(cpus: Vec<usize>) -> Sampling {
        Sampling {
            cpus,
            ..Sampling::default()
        }
    }

    /// The Java virtual machines among these processes that have no agent.
    fn bare_java(&self, pids: &BTreeSet<u32>) -> Vec<u32> {
        let has_none = |pid: &u32| self.agents.iter().all(|agent| agent.pid() != *pid);
        let bare = pids.iter().copied().filter(has_none);
        bare.filter(|pid| java::is_machine(*pid)).collect()
    }

    /// Whether there is one.
    pub(super) fn has_bare_java(&self, pids: &BTreeSet<u32>) -> bool {
        !self.bare_java(pids).is_empty()
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
        for pid in self.bare_java(pids) {
            let agent = Agent::load(pid, library).inspect_err(|_| self.agents.clear())?;
            self.agents.push(agent);
        }
        Ok(())
    }

    /// Begins to sample.
    ///
    /// # Errors
    /// If the kernel does not let this user, and [`Error::Java`] where an agent does not do it.
    pub(super) fn begin(&mut self, clock: SampleClock) -> Result<(), Error> {
        let agents = begin(&mut self.agents, clock);
        if clock == SampleClock::Wall {
            return agents;
        }
        let sampler = match &mut self.sampler {
            Some(sampler) => sampler,
            none => {
                let cpus = match self.cpus.is_empty() {
                    false => self.cpus.clone(),
                    true => cpus::take()?.iter().map(|cpu| cpu.number).collect(),
                };
                none.insert(Sampler::open(&cpus)?)
            }
        };
        sampler.begin()?;
        agents
    }

    /// The server's processes once the kernel's part has begun.
    pub(super) fn know(&mut self, pids: &BTreeSet<u32>) {
        self.sampler
            .iter_mut()
            .for_each(|sampler| sampler.know(pids));
    }

    /// Ends the agents' part for now.
    ///
    /// # Errors
    /// [`Error::Java`] where an agent does not do it.
    pub(super) fn end_agents(&mut self) -> Result<(), Error> {
        let agents = self.agents.iter_mut().try_for_each(Agent::end);
        Ok(agents.inspect_err(|_| self.agents.clear())?)
    }

    /// Ends the kernel's part for now; what it saw of these processes and of those that they made is kept.
    pub(super) fn end(&mut self, pids: &BTreeSet<u32>) {
        self.sampler
            .iter_mut()
            .for_each(|sampler| sampler.end(pids));
    }

    /// What was seen by this clock since this was last asked for.
    pub(super) fn sampled(&mut self, clock: SampleClock) -> Sampled {
        match clock {
            SampleClock::Cpu => self.on_cores(),
            SampleClock::Wall => Sampled {
                stacks: self.of_threads(),
                ..Sampled::default()
            },
        }
    }

    /// The stacks in which threads were found, whether they ran or waited.
    fn of_threads(&mut self) -> Stacks {
        let mut all = Stacks::default();
        for stacks in self
            .agents
            .iter_mut()
            .filter_map(|agent| agent.stacks().ok())
        {
            all.add(stacks);
        }
        all
    }

    /// Those that the cores ran.
    fn on_cores(&mut self) -> Sampled {
        // Its buffers are not needed any more either.
        let Some(mut sampler) = self.sampler.take() else {
            return Sampled::default();
        };
        let programs = sampler.programs();
        let mut java = Stacks::default();
        for agent in &mut self.agents {
            // Where an agent cannot give them, such as in a machine that has ended, there are those that the kernel saw.
            let Ok(stacks) = agent.stacks_of_kinds() else {
                continue;
            };
            let samples: u64 = stacks.values().map(Stacks::samples).sum();
            if samples * MAX_KERNEL_RATIO >= sampler.samples(agent.pid()) {
                java.add(graft(sampler.fold_of(agent.pid()), stacks));
            }
        }
        let mut stacks = sampler.fold();
        stacks.add(java);
        Sampled { stacks, programs }
    }
}

/// Lets all agents begin; none is left where one of them does not.
fn begin(agents: &mut Vec<Agent>, clock: SampleClock) -> Result<(), Error> {
    let begun = agents.iter_mut().try_for_each(|agent| agent.begin(clock));
    Ok(begun.inspect_err(|_| agents.clear())?)
}
