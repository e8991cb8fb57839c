//! Agents in pods, reached through the user's own `kubectl`: with its contexts, credentials, plugins and proxies.
//!
//! Every machine is a pod, made by a Job of its own. The agent's stream is `kubectl exec`'s. Four things see that nothing
//! stays behind, whatever ends first:
//!
//! 1. a pod's first process ends when the agent has, and the agent ends when its stream does, or has been silent for too long;
//! 2. a Job that has finished is deleted by the cluster at once (`ttlSecondsAfterFinished`), with its pod;
//! 3. a *janitor* on this machine, a process that holds one end of a pipe, deletes the Jobs when the other end closes, by a `kill -9` of
//!    photofinish too, and though the pods may never have been started;
//! 4. no Job lasts longer than a day.

mod job;
mod kubectl;
mod state;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use photofinish_model::kubernetes::{Cluster, Pod, PodRecord};
use serde_json::Value;

use super::Error;
use super::agent::Remote;
use super::at_once::at_once;
use super::command::{Input, MOST};
use super::program::{Program, said};
use super::scheduled::{self, Given};
use job::{BINARY, CONTAINER, FOLDER, RUN};
use kubectl::Kubectl;
use state::{State, Up};

/// How often pods are looked at while they come up.
const LOOK: Duration = Duration::from_millis(300);

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
/// Where there is no `kubectl`, the cluster refuses, a pod does not come up in time or cannot run this program; with what was said there.
pub fn agents(
    cluster: &Cluster,
    wanted: &[Wanted<'_>],
    program: &Path,
    interrupt: &AtomicBool,
) -> Result<Vec<Remote>, Error> {
    let program = Program::read(program)?;
    let kubectl = Kubectl::new(cluster, interrupt);
    let run = scheduled::run_id();
    let names = wanted.iter().map(|one| job::name(&run, &one.role));
    let names: Vec<String> = names.collect();
    // Before there is anything to be deleted.
    let janitor = Arc::new(kubectl.janitor(&names)?);
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
    let start = |(one, up): (&Wanted<'_>, Up)| {
        bring(&kubectl, &up, &program)?;
        let mut command = kubectl.command(&exec(&up.pod, &job::agent()));
        let record = PodRecord {
            machine: up.node.clone(),
            pod: up.pod,
            image: one.pod.image.clone(),
            cpus_asked: one.pod.cpus,
            cpus: Vec::new(),
            host_network: cluster.host_network,
        };
        let remote = Remote::start(&up.node, Some(up.address), &mut command, interrupt)?;
        Ok(remote
            .holding(janitor.clone())
            .scheduled_as(Given::Pod(record)))
    };
    at_once(wanted.iter().zip(up), |(_, up)| up.node.clone(), start)
}

/// Waits until all pods run, and says where.
fn wait(
    kubectl: &Kubectl<'_>,
    cluster: &Cluster,
    run: &str,
    wanted: &[Wanted<'_>],
    interrupt: &AtomicBool,
) -> Result<Vec<Up>, Error> {
    let deadline = Instant::now() + cluster.wait;
    let selector = format!("{RUN}={run}");
    let failed = |role: &str, says: String| Error::Unreachable {
        machine: format!("the pod for {role}"),
        says,
    };
    loop {
        if interrupt.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
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
                Some(State::Up(here)) => up.push(here),
                Some(State::Failed(says)) => return Err(failed(&one.role, says)),
                Some(State::Coming(says)) => missing = missing.or(Some((one, Some(says)))),
                None => missing = missing.or(Some((one, None))),
            }
        }
        let Some((one, says)) = missing else {
            return Ok(up);
        };
        if Instant::now() >= deadline {
            let why = match says {
                Some(says) => {
                    format!(
                        "{says}; make room for it, ask for less, or state a longer `wait` in [kubernetes]"
                    )
                }
                None => refused(kubectl, &job::name(run, &one.role)),
            };
            let seconds = cluster.wait.as_secs();
            return Err(failed(
                &one.role,
                format!("it does not run after {seconds} s: {why}"),
            ));
        }
        thread::sleep(LOOK);
    }
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

/// The words of `kubectl` for a command of a pod's POSIX shell.
fn exec(pod: &str, script: &str) -> Vec<String> {
    ["exec", "-i", pod, "-c", CONTAINER, "--", "sh", "-c", script]
        .map(str::to_owned)
        .to_vec()
}

/// Sees that this program is in a pod.
fn bring(kubectl: &Kubectl<'_>, up: &Up, program: &Program<'_>) -> Result<(), Error> {
    let unreachable = |says: String| Error::Unreachable {
        machine: up.node.clone(),
        says,
    };
    let run = |script: &str, input| {
        let output = kubectl.output(&exec(&up.pod, script), input, MOST)?;
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            false => Err(unreachable(said("kubectl", &output))),
        }
    };
    let hash = program.hash.as_str();
    // Where the image holds it, a link to it takes the place of the copy.
    let probe = run(
        &format!(
            "uname -sm; f=$(command -v photofinish) && sha256sum <\"$f\" | grep -q {hash} && ln -s \"$f\" {FOLDER}/{BINARY} && echo here; true"
        ),
        Input::Nothing,
    )?;
    let mut lines = probe.lines();
    Program::fits(lines.next().unwrap_or_default())
        .map_err(|error| unreachable(error.to_string()))?;
    if lines.next() == Some("here") {
        return Ok(());
    }
    let script =
        format!("cd {FOLDER} && cat >{BINARY} && chmod 755 {BINARY} && sha256sum <{BINARY}");
    let arrived = run(&script, Input::File(program.open()?))?;
    match arrived.starts_with(hash) {
        true => Ok(()),
        false => Err(unreachable(
            "this program did not arrive there as it was sent".to_owned(),
        )),
    }
}
