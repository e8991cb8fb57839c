//! Agents on the nodes of a Slurm job, reached through the user's own `srun`.
//!
//! All machines of a run are nodes of one batch job, which no other job shares; or of the job that photofinish itself is run in. The agent's
//! stream is `srun`'s standard input and output. Four things see that nothing stays behind, whatever ends first:
//!
//! 1. the batch script ends when the agents have, and with it the job; and an agent ends when its stream does, or has been silent for too
//!    long;
//! 2. what has submitted the job is a shell of its own that holds one end of a pipe: it cancels the job when the other end closes, by a
//!    `kill -9` of photofinish too, and though the job may still be in the queue;
//! 3. a job to which no agent comes ends by itself;
//! 4. and Slurm ends it at its time limit.

mod batch;
mod command;
mod queue;

use std::net::IpAddr;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use photofinish_model::slurm::{self, Job, NodeRecord};

use super::at_once::at_once;
use super::command::Input;
use super::launcher::{self, Launcher, Node, Progress};
use super::program::Program;
use super::scheduled::{self, Allocation};
use super::{Error, Host};
use batch::Batch;
use queue::Queued;

/// The first and the longest pause between two polls of the queue: all of a cluster's users share its controller.
const POLL_PAUSES: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(5)];
/// How long the controller may not answer because it is busy.
const BUSY_TIMEOUT: Duration = Duration::from_secs(60);

/// A node to be had.
pub struct Wanted<'a> {
    /// What is asked for.
    pub node: &'a slurm::Node,
    /// The address at which servers there are reached; `None` = the one by which Slurm knows the node.
    pub address: Option<IpAddr>,
}

/// Starts an agent on each of some nodes of a job. That is the job that `SLURM_JOB_ID` names, where it names one, else one that is submitted
/// and that ends when the last of the agents is dropped. `program` is this program, which is copied where it is not there yet; `tell` hears what a
/// job that is in the queue waits for.
///
/// # Errors
/// If Slurm's commands are not there, it refuses, the job does not run in time, or a node cannot run this program; with what was said there.
pub fn agents(
    job: &Job,
    wanted: &[Wanted<'_>],
    program: &Path,
    tell: &dyn Fn(&str),
    interrupt: &AtomicBool,
) -> Result<Vec<Host>, Error> {
    command::is_there(interrupt)?;
    let run = scheduled::run_id();
    let (id, batch) = match command::enclosing_job() {
        Some(id) => (id, None),
        None => {
            let batch = Batch::submit(job, wanted, &run, interrupt)?;
            (batch.id.clone(), Some(Arc::new(batch)))
        }
    };
    let up = wait(&id, job.wait, tell, interrupt)?;
    let nodes = command::hosts(&up.nodes, interrupt)?;
    let dealt = deal(wanted, &nodes).map_err(|says| {
        command::unreachable(format!(
            "job {id} has {}: {says}",
            match nodes.len() {
                1 => "one node".to_owned(),
                n => format!("{n} nodes"),
            }
        ))
    })?;
    let launcher = Launcher {
        program: &Program::read(program)?,
        interrupt,
    };
    let start = |(one, name): (&Wanted<'_>, &str)| {
        let node = JobNode {
            job: &id,
            node: name,
            cpus: one.node.cpus,
        };
        let address = match one.address {
            Some(address) => address,
            None => command::address(name, interrupt)?,
        };
        let cpus_asked = match one.node.cpus {
            Some(cpus) => cpus,
            None => cpus_given(&node, launcher)?,
        };
        let remote = launcher.agent(&node, &batch::before_agent(&run), Some(address))?;
        let record = NodeRecord {
            machine: name.to_owned(),
            job: id.clone(),
            partition: up.partition.clone(),
            exclusive: up.exclusive,
            cpus_asked,
            all_cpus: one.node.cpus.is_none(),
            cpus: Vec::new(),
        };
        let remote = remote.allocated(Allocation::Node(record));
        Ok(Host::from(match &batch {
            Some(batch) => remote.holding(batch.clone()),
            None => remote,
        }))
    };
    at_once(
        wanted.iter().zip(dealt),
        |(_, name)| (*name).to_owned(),
        start,
    )
}

/// Waits until a job runs.
fn wait(
    id: &str,
    patience: Duration,
    tell: &dyn Fn(&str),
    interrupt: &AtomicBool,
) -> Result<Queued, Error> {
    let mut heard = Instant::now();
    let mut told = String::new();
    let poll = || {
        let says = match command::queued(id, interrupt) {
            Err(Error::Interrupted) => return Err(Error::Interrupted),
            Err(error) if heard.elapsed() > BUSY_TIMEOUT || queue::is_gone(&error) => {
                return Err(error);
            }
            Err(error) => error.to_string(),
            Ok(queued) => {
                heard = Instant::now();
                match queued.state() {
                    Progress::Up(()) => return Ok(Ok(queued)),
                    Progress::Failed(says) => {
                        return Err(command::unreachable(format!("job {id} {says}")));
                    }
                    Progress::Pending(says) => format!("job {id} is {says}"),
                }
            }
        };
        if says != told {
            tell(&says);
            told.clone_from(&says);
        }
        Ok(Err(says))
    };
    let late = |says: String| {
        command::unreachable(format!(
            "{says} after {} s; ask for less, or state a longer `wait` in [slurm]",
            patience.as_secs()
        ))
    };
    launcher::wait(patience, POLL_PAUSES, interrupt, poll, late)
}

/// Which node each is: those named by their names, the others what is left, in order.
fn deal<'n>(wanted: &[Wanted<'_>], nodes: &'n [String]) -> Result<Vec<&'n str>, String> {
    let names = || wanted.iter().filter_map(|one| one.node.name.as_deref());
    let mut left = nodes
        .iter()
        .filter(|node| !names().any(|name| name == *node));
    let dealt = wanted.iter().map(|one| match &one.node.name {
        Some(name) => nodes
            .iter()
            .find(|node| *node == name)
            .ok_or_else(|| format!("{name} is none of them ({})", nodes.join(", "))),
        None => left.next().ok_or_else(|| {
            format!(
                "servers and each generator take one of their own, which makes {}",
                wanted.len()
            )
        }),
    });
    dealt.map(|node| node.map(String::as_str)).collect()
}

/// A node of a job, on which job steps are started.
struct JobNode<'a> {
    job: &'a str,
    node: &'a str,
    cpus: Option<u32>,
}

impl Node for JobNode<'_> {
    fn machine(&self) -> &str {
        self.node
    }

    fn command(&self, script: &str) -> Command {
        let mut command = command::srun(self.job, self.node, self.cpus);
        command.args(["sh", "-c", script]);
        command
    }

    fn remedy(&self) -> &'static str {
        command::REMEDY
    }
}

/// How many cores Slurm says that the job has on a node.
fn cpus_given(node: &JobNode<'_>, launcher: Launcher<'_>) -> Result<u32, Error> {
    let printed = launcher.run(node, "echo $SLURM_CPUS_ON_NODE", Input::Nothing)?;
    let text = String::from_utf8_lossy(&printed).into_owned();
    text.trim().parse().map_err(|_| {
        let says = format!("Slurm does not say how many cores the job has there: {text:?}");
        Error::unreachable(node.node, says)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dealt(named: &[Option<&str>], nodes: &[&str]) -> Result<Vec<String>, String> {
        let asked: Vec<slurm::Node> = named
            .iter()
            .map(|name| slurm::Node {
                name: name.map(str::to_owned),
                cpus: None,
            })
            .collect();
        let wanted: Vec<Wanted<'_>> = asked
            .iter()
            .map(|node| Wanted {
                node,
                address: None,
            })
            .collect();
        let nodes: Vec<String> = nodes.iter().map(|&node| node.to_owned()).collect();
        let dealt = deal(&wanted, &nodes)?;
        Ok(dealt.into_iter().map(str::to_owned).collect())
    }

    #[test]
    fn each_has_a_node_of_its_own() {
        let any = [None, None];
        assert_eq!(
            dealt(&any, &["n1", "n2"]),
            Ok(vec!["n1".into(), "n2".into()])
        );
        // The first node is somebody else's by name.
        let named = [None, Some("n1")];
        assert_eq!(
            dealt(&named, &["n1", "n2"]),
            Ok(vec!["n2".into(), "n1".into()])
        );
        let few = dealt(&any, &["n1"]).expect_err("one is not enough");
        assert!(few.contains("which makes 2"), "{few}");
        let other = dealt(&[Some("n9")], &["n1", "n2"]).expect_err("it is not there");
        assert_eq!(other, "n9 is none of them (n1, n2)");
    }
}
