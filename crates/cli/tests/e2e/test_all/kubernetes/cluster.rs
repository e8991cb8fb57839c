//! The cluster that `scripts/test-cluster` has started.

use std::fs;
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::running::Running;
use crate::support::{Yard, wait_none};
use crate::test_all::java::repository;
use crate::test_all::machines;

const NAMESPACE: &str = "race";

pub const HOSTS: &str = r#"
[kubernetes]
namespace = "race"
image = "localhost/base:1"
cpus = 1
memory = "256Mi"
"#;

/// Where the script keeps what belongs to the cluster.
pub fn state() -> String {
    let state = std::env::var("PHOTOFINISH_TEST_CLUSTER");
    state.unwrap_or_else(|_| "/var/tmp/photofinish-test-cluster".to_owned())
}

/// The cluster, for one test at a time: each node has one core to give.
pub struct Cluster {
    _alone: MutexGuard<'static, ()>,
    began: Instant,
}

impl Cluster {
    pub fn new() -> Cluster {
        static ALONE: Mutex<()> = Mutex::new(());
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let cluster = Cluster {
            _alone: alone,
            began: Instant::now(),
        };
        let has = cluster.kubectl(&[
            "get",
            "namespace",
            NAMESPACE,
            "--ignore-not-found",
            "-o",
            "name",
        ]);
        if has.is_empty() {
            cluster.kubectl(&["create", "namespace", NAMESPACE]);
            let rights = repository().join("deploy/rbac.yaml");
            let rights = rights.display().to_string();
            cluster.kubectl(&["-n", NAMESPACE, "apply", "-f", &rights]);
            let role = ["--role", "photofinish", "--user", "racer"];
            let create = ["-n", NAMESPACE, "create", "rolebinding", "photofinish"];
            cluster.kubectl(&[&create[..], &role].concat());
        }
        cluster
    }

    /// A command that reaches it, as a user that `scripts/test-cluster` has made.
    pub fn command(&self, user: &str, program: &str) -> Command {
        let mut command = Command::new(repository().join("scripts/test-cluster"));
        command.args(["run", program]);
        command.env("KUBECONFIG", format!("{}/{user}.kubeconfig", state()));
        command
    }

    pub fn kubectl(&self, args: &[&str]) -> String {
        let output = self.command("admin", "kubectl").args(args).output();
        let Output {
            status,
            stdout,
            stderr,
        } = output.expect("the script");
        let stderr = String::from_utf8_lossy(&stderr);
        assert!(status.success(), "kubectl {args:?}: {stderr}");
        String::from_utf8_lossy(&stdout).into_owned()
    }

    /// photofinish, with the rights of deploy/rbac.yaml.
    pub fn start(&self, yard: &Yard, args: &[&str]) -> Running {
        self.start_as("racer", yard, args)
    }

    pub fn start_as(&self, user: &str, yard: &Yard, args: &[&str]) -> Running {
        let mut command = self.command(user, env!("CARGO_BIN_EXE_photofinish"));
        yard.place(&mut command);
        command.args(args);
        Running::start(command)
    }

    /// What is in the cluster and in its pods.
    pub fn left(&self) -> Vec<String> {
        let objects = self.kubectl(&["-n", NAMESPACE, "get", "jobs,pods", "-o", "name"]);
        let objects = objects.lines().map(str::to_owned);
        objects.chain(in_pods()).collect()
    }

    pub fn wait_empty(&self) {
        wait_none("nothing is left in the cluster", || self.left());
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        eprintln!(
            "{:.1} s with the cluster",
            self.began.elapsed().as_secs_f64()
        );
    }
}

/// The processes of photofinish's pods, which this machine sees as it sees its own.
pub fn in_pods() -> Vec<String> {
    let entries = fs::read_dir("/proc").expect("/proc").flatten();
    let ours = entries.filter_map(|entry| {
        let environment = fs::read(entry.path().join("environ")).ok()?;
        let mut variables = environment.split(|byte| *byte == 0);
        variables.find(|variable| *variable == b"XDG_CACHE_HOME=/photofinish/cache")?;
        let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let command = String::from_utf8_lossy(&command).replace('\0', " ");
        Some(format!("{}: {command}", entry.file_name().display()))
    });
    ours.collect()
}

pub fn kill(process: &str) {
    let pid = process.split(':').next().expect("an id");
    // Whoever has ended meanwhile is gone as well.
    let _ = Command::new("kill").args(["-9", pid]).status();
}

/// A study that takes as long as a test wants, and a file of hosts.
pub fn yard(more: &str) -> Yard {
    let yard = machines::yard(more);
    yard.write("hosts.toml", HOSTS);
    yard
}
