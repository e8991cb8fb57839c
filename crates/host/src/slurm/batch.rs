//! The job that photofinish submits, and what runs in that beside the agents.

use std::process::Output;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use photofinish_model::slurm::Job;

use super::{BUSY_TIMEOUT, Wanted, command};
use crate::Error;
use crate::command::{Bounds, RunError, printed};
use crate::launcher::{Cleaner, option};
use crate::program::said;

/// Submits a job and says its id; cancels it when standard input ends, though nobody may be left who hears its id.
const KEEPER_SCRIPT: &str = "trap \"\" PIPE; job=$(sbatch \"$@\") || exit; job=${job%%;*}; echo \"$job\"; exec >&- 2>&-; cat >/dev/null; exec scancel \"$job\"";

/// A job, which is cancelled when this is dropped, or photofinish ends however that happens.
pub(super) struct Batch {
    pub(super) id: String,
    _cleaner: Cleaner,
}

impl Batch {
    /// Submits a job with a node for each that is wanted.
    pub(super) fn submit(
        job: &Job,
        wanted: &[Wanted<'_>],
        run: &str,
        interrupt: &AtomicBool,
    ) -> Result<Batch, Error> {
        let mut sh = command::of("sh");
        sh.args(["-c", KEEPER_SCRIPT, "sh"])
            .args(options(job, wanted, run));
        let mut keeper = command::spawn(&mut sh)?;
        let bounds = Bounds {
            within: Some(BUSY_TIMEOUT),
            ..Bounds::until(interrupt)
        };
        // Both pipes end when the job is submitted, or cannot be. A keeper that is not heard any more is let go, not killed: a job that it has
        // yet to submit would be nobody's.
        let (id, complaint) = printed(&mut keeper, bounds).map_err(|error| match error {
            RunError::Interrupted => Error::Interrupted,
            error => command::unreachable(format!("sbatch: {error}")),
        })?;
        let id = String::from_utf8_lossy(&id).trim().to_owned();
        if id.is_empty() {
            drop(keeper.stdin.take());
            let status = keeper
                .wait()
                .map_err(|error| command::unreachable(format!("sbatch: {error}")))?;
            let output = Output {
                status,
                stdout: Vec::new(),
                stderr: complaint,
            };
            return Err(command::unreachable(said("sbatch", &output)));
        }
        Ok(Batch {
            id,
            _cleaner: Cleaner::new(keeper),
        })
    }
}

/// What is asked of `sbatch`: whole nodes, one for each.
fn options(job: &Job, wanted: &[Wanted<'_>], run: &str) -> Vec<String> {
    let mut options = vec![
        "--parsable".to_owned(),
        "--job-name=photofinish".to_owned(),
        "--exclusive".to_owned(),
        format!("--nodes={}", wanted.len()),
        format!("--time={}", minutes(job.time_limit)),
        // Nobody would know of a second run of it.
        "--no-requeue".to_owned(),
        "--chdir=/".to_owned(),
        "--output=/dev/null".to_owned(),
    ];
    let cpus = wanted.iter().filter_map(|one| one.node.cpus).max();
    options.extend(cpus.map(|cpus| format!("--mincpus={cpus}")));
    let names = wanted.iter().filter_map(|one| one.node.name.as_deref());
    let names: Vec<&str> = names.collect();
    if !names.is_empty() {
        options.push(format!("--nodelist={}", names.join(",")));
    }
    options.extend(option("partition", job.partition.as_deref()));
    options.extend(option("account", job.account.as_deref()));
    options.extend(job.options.iter().cloned());
    options.push(format!("--wrap={}", script(run)));
    options
}

/// As Slurm takes a time limit; a part of a minute is one.
fn minutes(time: Duration) -> u64 {
    time.as_secs().div_ceil(60).max(1)
}

/// Where the job's first node has what belongs to the run.
fn folder(run: &str) -> String {
    format!("/tmp/photofinish-{run}")
}

/// The batch script. It waits for an agent, 5 minutes at most, and ends when that has: a pipe's other end is the agent's, and whatever the
/// agent starts has it too until that has ended. Nothing wakes up while a race is run. While it cleans up it is deaf, and so is its `rm`: a
/// job is cancelled by a signal to all of its processes, often just when the agent has ended.
fn script(run: &str) -> String {
    let folder = folder(run);
    format!(
        "clean() {{ trap '' TERM INT HUP; kill $timer 2>/dev/null; rm -f {folder}/life; rmdir {folder}; }}
trap clean EXIT; trap 'clean; exit 1' TERM INT HUP
umask 077; mkdir {folder} && mkfifo {folder}/life || exit 1
( trap 'kill $nap' TERM; sleep 300 & nap=$!; wait $nap && : >{folder}/life ) &
timer=$!
read -r line <{folder}/life
exit 0"
    )
}

/// What a shell on a node does before it becomes the agent. On the node of the batch script it holds the script's pipe.
pub(super) fn before_agent(run: &str) -> String {
    let life = format!("{}/life", folder(run));
    format!("test ! -p {life} || exec 9>{life}; ")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    use std::path::PathBuf;
    use std::process::Command;
    use std::time::{Duration, Instant};

    use photofinish_model::slurm::Node;

    use super::*;

    /// The batch script with an `rm` that first cancels the job, as Slurm does it: by a signal to all of its processes.
    #[test]
    fn a_job_that_is_cancelled_while_it_cleans_up_leaves_nothing() {
        let bin = tempfile::tempdir().expect("there is room");
        let rm = bin.path().join("rm");
        fs::write(&rm, "#!/bin/sh\nkill -TERM 0\nexec /bin/rm \"$@\"\n").expect("a file");
        fs::set_permissions(&rm, fs::Permissions::from_mode(0o755)).expect("a file");
        let run = format!("cancelled-{}", std::process::id());
        let left = PathBuf::from(folder(&run));
        let mut sh = Command::new("sh");
        sh.args(["-c", &script(&run)]).process_group(0);
        sh.env("PATH", format!("{}:/usr/bin:/bin", bin.path().display()));
        let mut job = sh.spawn().expect("a shell");
        // Its other end is open until this is written, as the agent's is until that has ended.
        let begun = Instant::now();
        while !left.join("life").exists() {
            assert!(begun.elapsed() < Duration::from_secs(30), "no pipe");
            std::thread::yield_now();
        }
        fs::write(left.join("life"), "").expect("a pipe");
        job.wait().expect("an end");
        assert!(!left.exists(), "{} was left", left.display());
    }

    #[test]
    fn whole_nodes_are_asked_for_by_slurms_own_options() {
        let job = Job {
            partition: Some("race".to_owned()),
            account: Some("lab".to_owned()),
            time_limit: Duration::from_secs(61),
            options: vec!["--qos=high".to_owned()],
            wait: Duration::from_secs(1),
        };
        let nodes = [(Some("n7"), Some(2)), (None, Some(4)), (None, None)];
        let nodes = nodes.map(|(name, cpus)| Node {
            name: name.map(str::to_owned),
            cpus,
        });
        let wanted: Vec<Wanted<'_>> = nodes
            .iter()
            .map(|node| Wanted {
                node,
                address: None,
            })
            .collect();
        let options = options(&job, &wanted, "1f");
        for expected in [
            "--exclusive",
            "--nodes=3",
            "--time=2",
            "--mincpus=4",
            "--nodelist=n7",
            "--partition=race",
            "--account=lab",
            "--qos=high",
            "--no-requeue",
        ] {
            assert!(
                options.iter().any(|option| option == expected),
                "{expected}: {options:?}"
            );
        }
        let wrapped = options.last().expect("one");
        assert!(
            wrapped.starts_with("--wrap=") && wrapped.contains("/tmp/photofinish-1f/life"),
            "{wrapped}"
        );
    }
}
