//! Slurm's commands.

use std::env;
use std::net::{IpAddr, ToSocketAddrs};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;

use super::queue::{FORMAT, Queued};
use crate::Error;
use crate::command::{Bounds, Input};
use crate::launcher;
use crate::program::said;

/// Prefixes of the variables with which a job requests resources for its steps, which an agent must not
/// inherit.
const JOB_VARIABLES: [&str; 10] = [
    "SLURM_NTASKS",
    "SLURM_NPROCS",
    "SLURM_NNODES",
    "SLURM_TASKS_PER_NODE",
    "SLURM_CPU",
    "SLURM_MEM",
    "SLURM_DISTRIBUTION",
    "SLURM_EXACT",
    "SLURM_EXCLUSIVE",
    "SRUN_CPUS",
];

/// What to do if Slurm's commands are not there.
pub(super) const REMEDY: &str =
    "run photofinish where `srun --version` works, such as on the cluster's login node";

/// A command, which the terminal's Ctrl-C does not reach: that is for photofinish, which ends what runs there in order.
pub(super) fn of(program: &str) -> Command {
    let mut command = Command::new(program);
    command.process_group(0);
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if JOB_VARIABLES.iter().any(|asked| text.starts_with(asked)) {
            command.env_remove(&name);
        }
    }
    command
}

/// The job that photofinish itself is run in.
pub(super) fn enclosing_job() -> Option<String> {
    env::var("SLURM_JOB_ID").ok().filter(|id| !id.is_empty())
}

/// # Errors
/// If Slurm's commands are not on this machine.
pub(super) fn is_there(interrupt: &AtomicBool) -> Result<(), Error> {
    text("srun", &["--version"], interrupt).map(drop)
}

/// `srun`, for a command on one node of a job, which may use all cores that the job has there, or is bound to as many as are stated.
pub(super) fn srun(job: &str, node: &str, cpus: Option<u32>) -> Command {
    let mut command = of("srun");
    command.args([
        &format!("--jobid={job}"),
        &format!("--nodelist={node}"),
        "--nodes=1",
        "--ntasks=1",
        // Beside the steps that the job has already, of which none does anything meanwhile.
        "--overlap",
        "--chdir=/",
    ]);
    match cpus {
        None => command.arg("--cpu-bind=none"),
        Some(cpus) => command.args([&format!("--cpus-per-task={cpus}"), "--cpu-bind=cores"]),
    };
    command
}

/// Starts a command with pipes.
pub(super) fn spawn(command: &mut Command) -> Result<Child, Error> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let child = command.spawn();
    child.map_err(|error| unreachable(launcher::cannot_run(command, &error, REMEDY)))
}

/// What a command prints.
fn text(program: &str, args: &[&str], interrupt: &AtomicBool) -> Result<String, Error> {
    let mut command = of(program);
    command.args(args);
    let bounds = Bounds::until(interrupt);
    let input = Input::Nothing;
    let text = launcher::printed(&mut command, input, bounds, REMEDY, said, unreachable)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// What the queue says of a job.
pub(super) fn queued(job: &str, interrupt: &AtomicBool) -> Result<Queued, Error> {
    let args = [
        "--noheader",
        "--states=all",
        &format!("--jobs={job}"),
        FORMAT,
    ];
    let text = text("squeue", &args, interrupt)?;
    Queued::read(&text).ok_or_else(|| {
        unreachable(format!(
            "squeue says nothing that makes sense of job {job}: {text:?}"
        ))
    })
}

/// The nodes of a list as Slurm writes it, such as `n[1-3,7]`.
pub(super) fn hosts(list: &str, interrupt: &AtomicBool) -> Result<Vec<String>, Error> {
    let text = text("scontrol", &["show", "hostnames", list], interrupt)?;
    Ok(text.split_whitespace().map(str::to_owned).collect())
}

/// The address by which Slurm knows a node.
pub(super) fn address(node: &str, interrupt: &AtomicBool) -> Result<IpAddr, Error> {
    let text = text("scontrol", &["--oneliner", "show", "node", node], interrupt)?;
    let name = node_address(&text).unwrap_or(node);
    let found = (name, 0).to_socket_addrs();
    let found = found.ok().and_then(|mut found| found.next());
    found.map(|address| address.ip()).ok_or_else(|| {
        Error::unreachable(
            node,
            format!(
                "this machine finds no address for {name}, by which Slurm knows it; state `address` in [server]"
            ),
        )
    })
}

fn node_address(shown: &str) -> Option<&str> {
    let mut words = shown.split_whitespace();
    words.find_map(|word| word.strip_prefix("NodeAddr="))
}

pub(super) fn unreachable(says: String) -> Error {
    Error::unreachable("Slurm", says)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nodes_address_is_what_slurm_says() {
        let shown = "NodeName=n1 Arch=x86_64 CoresPerSocket=1 NodeAddr=10.99.0.1 NodeHostName=n1 Version=22.05.8";
        assert_eq!(node_address(shown), Some("10.99.0.1"));
        assert_eq!(node_address("Node n9 not found"), None);
    }

    #[test]
    fn an_agent_is_bound_to_as_many_cores_as_are_asked_for() {
        let args = |cpus| {
            let command = srun("7", "n1", cpus);
            let args = command.get_args().map(|arg| arg.display().to_string());
            args.collect::<Vec<String>>().join(" ")
        };
        let all = args(None);
        assert!(
            all.contains("--jobid=7 --nodelist=n1") && all.ends_with("--cpu-bind=none"),
            "{all}"
        );
        let four = args(Some(4));
        assert!(
            four.ends_with("--cpus-per-task=4 --cpu-bind=cores"),
            "{four}"
        );
    }
}
