//! The keys of files of hosts.

use std::ops::RangeInclusive;
use std::time::Duration;

use photofinish_model::settings::{Kind, Value};

use super::{Key, NEEDED, Of, is, keys, says};

/// How many whole cores a machine may be asked for.
const CPUS: RangeInclusive<u32> = 1..=1024;
/// As many pairs of machines as a half-width is planned for (`photofinish_stats::half_width::MOST_PAIRS`).
const PAIRS: RangeInclusive<u32> = 1..=32;
/// An image of some hundred megabytes comes in less.
const POD_WAIT: Duration = Duration::from_secs(120);
const POD_WAITS: RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_secs(3600);
/// Longer than a study takes, and short enough to be fitted in before larger jobs.
const TIME_LIMIT: Duration = Duration::from_secs(4 * 60 * 60);
const TIME_LIMITS: RangeInclusive<Duration> =
    Duration::from_secs(60)..=Duration::from_secs(7 * 24 * 60 * 60);
/// Long enough for nodes that have to be started.
const JOB_WAIT: Duration = Duration::from_secs(10 * 60);
const JOB_WAITS: RangeInclusive<Duration> =
    Duration::from_secs(1)..=Duration::from_secs(7 * 24 * 60 * 60);

/// The keys of a file of hosts.
pub(crate) const HOSTS: &[Key] = keys! {
    /// Where the servers are built and run.
    "server": Of::AnyTable(&[SSH_SERVER, POD, SLURM_SERVER]), says("needed, except with a scheduler or pairs"), r#"server = { ssh = "user@host" }"#;
    /// Where load comes from. There may be several, each a machine of its own.
    "generator": Of::AnyTables(&[SSH_GENERATOR, POD, SLURM_GENERATOR]), says("needed, except with a scheduler or pairs"), "generator = { local = true }";
    /// A pair of machines. With several, each round runs on one of them, and all pairs run rounds at once.
    "pair": Of::Tables(PAIR), says("one pair: `server` and `generator`"), "[[pair]]";
    /// Servers and load generators are pods of a cluster.
    "kubernetes": Of::Table(CLUSTER), says("none"), "[kubernetes]";
    /// Servers and load generators are nodes of a job.
    "slurm": Of::Table(JOB), says("none"), "[slurm]";
};

/// The keys of `[[pair]]`.
pub(crate) const PAIR: &[Key] = keys! {
    /// What the pair is called in reports and in the results folder.
    "name": Of::Text, says("the name of the servers' machine"), r#"name = "rack-1""#;
    /// Where the servers are built and run.
    "server": Of::AnyTable(&[SSH_SERVER]), NEEDED, r#"server = { ssh = "user@a" }"#;
    /// Where load comes from; one machine or more.
    "generator": Of::AnyTables(&[SSH_GENERATOR]), NEEDED, r#"generator = { ssh = "user@b" }"#;
};

/// The keys of `[server]` without a scheduler.
pub(crate) const SSH_SERVER: &[Key] = keys! {
    /// A machine, as `ssh` takes it: an address, or a name in your `~/.ssh/config`.
    "ssh": Of::Text, says("this machine"), r#"ssh = "user@host""#;
    /// Further arguments to `ssh`.
    "ssh-options": Of::List("list of strings"), says("none"), r#"ssh-options = ["-p", "2222"]"#;
    /// This machine.
    "local": Of::Value(Kind::Switch), is(|| Value::Switch(false)), "local = true";
    /// The address to which load is sent, if it is not the one that your `ssh` connects to. It is needed if this machine runs the servers
    /// and another one the load generator.
    "address": Of::Text, says("the one that ssh connects to"), r#"address = "10.0.0.1""#;
};

/// The keys of `[[generator]]` without a scheduler.
pub(crate) const SSH_GENERATOR: &[Key] = keys! {
    /// A machine, as `ssh` takes it: an address, or a name in your `~/.ssh/config`.
    "ssh": Of::Text, says("this machine"), r#"ssh = "user@host""#;
    /// Further arguments to `ssh`.
    "ssh-options": Of::List("list of strings"), says("none"), r#"ssh-options = ["-p", "2222"]"#;
    /// This machine.
    "local": Of::Value(Kind::Switch), is(|| Value::Switch(false)), "local = true";
};

/// The keys of `[kubernetes]`.
pub(crate) const CLUSTER: &[Key] = keys! {
    /// The context of your kubectl configuration.
    "context": Of::Text, says("the current one"), r#"context = "bench""#;
    /// The namespace.
    "namespace": Of::Text, says("the context's"), r#"namespace = "race""#;
    /// Secrets of the namespace to pull images with.
    "image-pull-secrets": Of::List("list of strings"), says("none"), r#"image-pull-secrets = ["name"]"#;
    /// The account of the pods. They get no token of it.
    "service-account": Of::Text, says("the namespace's"), r#"service-account = "race""#;
    /// Pods use their node's network as it is: without the cluster's overlay between server and load.
    "host-network": Of::Value(Kind::Switch), is(|| Value::Switch(false)), "host-network = true";
    /// How long pods may take until they run.
    "wait": Of::Value(Kind::Time(POD_WAITS)), is(|| Value::Time(POD_WAIT)), r#"wait = "2m""#;
    /// How many pairs of machines there are: each is a server and its generators, and all run rounds at once.
    "pairs": Of::Value(Kind::Count(PAIRS)), is(|| Value::Count(1)), "pairs = 6";
    /// The image of all machines.
    "image": Of::Text, says("needed here or for each machine"), r#"image = "debian:bookworm-slim""#;
    /// How many whole cores each machine has.
    "cpus": Of::Value(Kind::Count(CPUS)), says("needed here or for each machine"), "cpus = 2";
    /// How much memory each machine has.
    "memory": Of::Text, says("needed here or for each machine"), r#"memory = "2Gi""#;
    /// Labels that the nodes must have.
    "node-selector": Of::Strings, says("none"), r#"node-selector = { disk = "ssd" }"#;
    /// Taints that do not keep the pods away, as `kubectl taint` writes them.
    "tolerations": Of::List("list of strings"), says("none"), r#"tolerations = ["dedicated=bench:NoSchedule"]"#;
};

/// The keys of a machine that is a pod.
pub(crate) const POD: &[Key] = keys! {
    /// The image.
    "image": Of::Text, says("the one in `[kubernetes]`"), r#"image = "debian:bookworm-slim""#;
    /// How many whole cores.
    "cpus": Of::Value(Kind::Count(CPUS)), says("as in `[kubernetes]`"), "cpus = 2";
    /// How much memory.
    "memory": Of::Text, says("the one in `[kubernetes]`"), r#"memory = "2Gi""#;
    /// Labels that the node must have.
    "node-selector": Of::Strings, says("as in `[kubernetes]`"), r#"node-selector = { disk = "ssd" }"#;
    /// Taints that do not keep the pod away, as `kubectl taint` writes them.
    "tolerations": Of::List("list of strings"), says("as in `[kubernetes]`"), r#"tolerations = ["dedicated=bench:NoSchedule"]"#;
};

/// The keys of `[slurm]`.
pub(crate) const JOB: &[Key] = keys! {
    /// As `sbatch` takes it.
    "partition": Of::Text, says("the cluster's"), r#"partition = "race""#;
    /// As `sbatch` takes it.
    "account": Of::Text, says("the user's"), r#"account = "bench""#;
    /// Slurm ends the job then, whatever happens.
    "time-limit": Of::Value(Kind::Time(TIME_LIMITS)), is(|| Value::Time(TIME_LIMIT)), r#"time-limit = "4h""#;
    /// Further options of `sbatch`, each in one string.
    "options": Of::List("list of strings"), says("none"), r#"options = ["--qos=high", "--mem=0"]"#;
    /// How long the job may be in the queue.
    "wait": Of::Value(Kind::Time(JOB_WAITS)), is(|| Value::Time(JOB_WAIT)), r#"wait = "10m""#;
    /// How many cores of each node are used.
    "cpus": Of::Value(Kind::Count(CPUS)), says("all"), "cpus = 4";
};

/// The keys of `[server]` that is a node.
pub(crate) const SLURM_SERVER: &[Key] = keys! {
    /// Which node it is.
    "node": Of::Text, says("any that is left"), r#"node = "n1""#;
    /// How many of its cores are used.
    "cpus": Of::Value(Kind::Count(CPUS)), says("as in `[slurm]`"), "cpus = 4";
    /// The address to which load is sent, if it is not the one by which Slurm knows the node.
    "address": Of::Text, says("the node's"), r#"address = "10.0.0.1""#;
};

/// The keys of `[[generator]]` that is a node.
pub(crate) const SLURM_GENERATOR: &[Key] = keys! {
    /// Which node it is.
    "node": Of::Text, says("any that is left"), r#"node = "n1""#;
    /// How many of its cores are used.
    "cpus": Of::Value(Kind::Count(CPUS)), says("as in `[slurm]`"), "cpus = 4";
};
