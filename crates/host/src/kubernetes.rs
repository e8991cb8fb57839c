//! Agents in pods, reached through the user's own `kubectl`: with its contexts, credentials, plugins and proxies.
//!
//! Every machine is a pod, made by a Job of its own. The agent's stream is `kubectl exec`'s. Four things see that nothing
//! stays behind, whatever ends first:
//!
//! 1. a pod's first process ends when the agent has, and the agent ends when its stream does, or has been silent for too long;
//! 2. a Job that has finished is deleted by the cluster at once (`ttlSecondsAfterFinished`), with its pod;
//! 3. a process on this machine that holds one end of a pipe deletes the Jobs when the other end closes, by a `kill -9` of photofinish
//!    too, and though the pods may never have been started;
//! 4. no Job lasts longer than a day.

mod job;
mod kubectl;
mod state;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use photofinish_model::kubernetes::{Cluster, Pod, PodRecord};
use serde_json::Value;

use super::at_once::at_once;
use super::command::Input;
use super::launcher::{self, Launcher, Node, Progress};
use super::program::Program;
use super::scheduled::{self, Allocation};
use super::{Error, Host};
use job::{CONTAINER, FOLDER, RUN};
use kubectl::Kubectl;
use state::RunningPod;

/// The pause between two polls of pods that are not up yet.
const POLL_PAUSE: Duration = Duration::from_millis(300);

/// A pod to be had, and what it is for, such as `server`.
pub struct Wanted<'a> {
    /// What it is for: a word of a name.
    pub role: String,
    /// What is asked for.
    pub pod: &'a Pod,
}

/// Starts an agent in each of some pods, each on a node of its own. `program` is this program, which is copied into a pod where its image does
/// not hold it. What was made is deleted when the last of the agents is dropped.
///
/// # Errors
/// If there is no `kubectl`, the cluster refuses, a pod does not come up in time or cannot run this program; with what was said there.
pub fn agents(
    cluster: &Cluster,
    wanted: &[Wanted<'_>],
    program: &Path,
    interrupt: &AtomicBool,
) -> Result<Vec<Host>, Error> {
    let launcher = Launcher {
        program: &Program::read(program)?.in_image(FOLDER),
        interrupt,
    };
    let kubectl = Kubectl::new(cluster, interrupt);
    let run = scheduled::run_id();
    let names = wanted.iter().map(|one| job::name(&run, &one.role));
    let names: Vec<String> = names.collect();
    // Before there is anything to be deleted.
    let cleaner = Arc::new(kubectl.cleaner(&names)?);
    let jobs = wanted
        .iter()
        .map(|one| job::manifest(cluster, &run, &one.role, one.pod));
    let list = serde_json::json!({
        "apiVersion": "v1",
        "kind": "List",
        "items": jobs.collect::<Vec<Value>>(),
    });
    kubectl.run(
        &["create", "--validate=false", "-f", "-"],
        Input::Bytes(list.to_string().into_bytes()),
    )?;
    let up = wait(&kubectl, cluster, &run, wanted, interrupt)?;
    let start = |(one, up): (&Wanted<'_>, RunningPod)| {
        let node = PodNode {
            kubectl: &kubectl,
            up: &up,
        };
        let remote = launcher.agent(&node, &job::before_agent(), Some(up.address))?;
        let record = PodRecord {
            machine: up.node,
            pod: up.pod,
            image: one.pod.image.clone(),
            cpus_asked: one.pod.cpus,
            cpus: Vec::new(),
            host_network: cluster.host_network,
        };
        Ok(remote
            .holding(cleaner.clone())
            .allocated(Allocation::Pod(record))
            .into())
    };
    at_once(wanted.iter().zip(up), |(_, up)| up.node.clone(), start)
}

/// Waits until all pods run; returns where.
fn wait(
    kubectl: &Kubectl<'_>,
    cluster: &Cluster,
    run: &str,
    wanted: &[Wanted<'_>],
    interrupt: &AtomicBool,
) -> Result<Vec<RunningPod>, Error> {
    let selector = format!("{RUN}={run}");
    let failed = |role: &str, says| Error::unreachable(&format!("the pod for {role}"), says);
    // Returns the first pod that does not run yet with its state, if it has one.
    let poll = || {
        let pods = kubectl.json(&["get", "pods", "-l", &selector])?;
        let pods = pods["items"].as_array().cloned().unwrap_or_default();
        let pods: BTreeMap<&str, &Value> = pods
            .iter()
            .filter_map(|pod| Some((pod["metadata"]["labels"][job::ROLE].as_str()?, pod)))
            .collect();
        let mut up = Vec::new();
        let mut missing = None;
        for one in wanted {
            let state = pods.get(one.role.as_str()).map(|pod| state::of(pod));
            match state {
                Some(Progress::Up(here)) => up.push(here),
                Some(Progress::Failed(says)) => return Err(failed(&one.role, says)),
                Some(Progress::Pending(says)) => missing = missing.or(Some((one, Some(says)))),
                None => missing = missing.or(Some((one, None))),
            }
        }
        Ok(missing.map_or(Ok(up), Err))
    };
    let late = |(one, says): (&Wanted<'_>, Option<String>)| {
        let why = match says {
            Some(says) => {
                format!(
                    "{says}; make room for it, ask for less, or state a longer `wait` in [kubernetes]"
                )
            }
            None => refused(kubectl, &job::name(run, &one.role)),
        };
        let seconds = cluster.wait.as_secs();
        let says = format!("it does not run after {seconds} s: {why}");
        failed(&one.role, says)
    };
    launcher::wait(cluster.wait, [POLL_PAUSE; 2], interrupt, poll, late)
}

/// Why a Job has no pod: what the cluster said of it last.
fn refused(kubectl: &Kubectl<'_>, job: &str) -> String {
    let selector = format!("involvedObject.kind=Job,involvedObject.name={job}");
    let events = kubectl.json(&["get", "events", "--field-selector", &selector]);
    let events = events.unwrap_or_default();
    let last = events["items"].as_array().and_then(|items| items.last());
    let message = last.and_then(|event| event["message"].as_str());
    message.unwrap_or("the cluster made no pod").to_owned()
}

/// A pod's container.
struct PodNode<'a> {
    kubectl: &'a Kubectl<'a>,
    up: &'a RunningPod,
}

impl Node for PodNode<'_> {
    fn machine(&self) -> &str {
        &self.up.node
    }

    fn command(&self, script: &str) -> Command {
        let pod = self.up.pod.as_str();
        let args = ["exec", "-i", pod, "-c", CONTAINER, "--", "sh", "-c", script];
        self.kubectl.command(&args.map(str::to_owned))
    }

    fn remedy(&self) -> &'static str {
        kubectl::REMEDY
    }
}
