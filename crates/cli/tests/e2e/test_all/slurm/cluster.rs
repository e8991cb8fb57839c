//! A Slurm cluster that a test makes: Debian's slurmctld and slurmd, a node in a network namespace each.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::namespaces::{HERE, Namespaces, folder, may_skip};
use crate::running::Running;
use crate::support::{Yard, wait_until};

/// A cluster of two nodes, n1 and n2, for one test at a time; gone with it.
pub struct Cluster {
    daemons: Vec<Child>,
    spaces: Namespaces,
    /// Slurm's configuration.
    conf: String,
    _alone: MutexGuard<'static, ()>,
}

fn lacks() -> Option<&'static str> {
    let programs = ["slurmctld", "slurmd", "munged"];
    let mut paths = programs.map(|name| format!("/usr/sbin/{name}")).to_vec();
    paths.extend(["srun", "sbatch", "scancel"].map(|name| format!("/usr/bin/{name}")));
    let missing = paths.iter().any(|path| !Path::new(path).exists());
    let none =
        missing.then_some("there is no Slurm (Debian: slurmctld, slurmd, slurm-client, munge)");
    Namespaces::lack().or(none)
}

impl Cluster {
    /// A cluster whose nodes bind tasks to cores, and a file of hosts in the yard. `None`, said aloud, where that cannot be and may be left out.
    pub fn new(yard: &Yard) -> Option<Cluster> {
        Cluster::that_binds_by(yard, "task/affinity")
    }

    pub fn that_binds_by(yard: &Yard, plugin: &str) -> Option<Cluster> {
        static ALONE: Mutex<()> = Mutex::new(());
        if may_skip(lacks()) {
            return None;
        }
        let dir = folder(yard);
        let dir = dir.display();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let conf = format!(
            "ClusterName=race\nSlurmctldHost=ctl(10.99.0.254)\nSlurmUser=root\nSlurmdUser=root\n\
             AuthType=auth/munge\nCredType=cred/munge\nAuthInfo=socket={dir}/munge.sock\n\
             StateSaveLocation={dir}/state\nSlurmdSpoolDir={dir}/spool.%n\n\
             SlurmctldPidFile={dir}/ctl.pid\nSlurmdPidFile={dir}/%n.pid\n\
             SlurmctldLogFile={dir}/ctl.log\nSlurmdLogFile={dir}/%n.log\n\
             ProctrackType=proctrack/linuxproc\nTaskPlugin={plugin}\n\
             SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\nReturnToService=2\nMpiDefault=none\n\
             SwitchType=switch/none\nJobAcctGatherType=jobacct_gather/none\nKillWait=2\n\
             NodeName=n1 NodeAddr=10.99.0.1 CPUs={cores} RealMemory=100\n\
             NodeName=n2 NodeAddr=10.99.0.2 CPUs={cores} RealMemory=100\n\
             PartitionName=race Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP\n"
        );
        fs::create_dir(yard.path("state")).expect("a folder");
        yard.write("slurm.conf", conf);
        yard.write("cgroup.conf", "IgnoreSystemd=yes\n");
        yard.write("hosts.toml", "[slurm]\n");
        yard.write("munge.key", [7; 128]);
        fs::set_permissions(yard.path("munge.key"), fs::Permissions::from_mode(0o600))
            .expect("a file");
        let mut cluster = Cluster {
            daemons: Vec::new(),
            spaces: Namespaces::new(yard),
            conf: format!("{dir}/slurm.conf"),
            _alone: ALONE.lock().unwrap_or_else(PoisonError::into_inner),
        };
        let munged = format!(
            "exec munged --foreground --force --key-file={dir}/munge.key --socket={dir}/munge.sock --pid-file={dir}/munge.pid \
             --log-file={dir}/munge.log --seed-file={dir}/munge.seed"
        );
        cluster.daemon(HERE, "ctl", &munged);
        wait_until("munged listens", || {
            let listens = yard.path("munge.sock").exists();
            listens.then_some(()).ok_or("no socket".to_owned())
        });
        cluster.daemon(HERE, "ctl", "exec slurmctld -D");
        cluster.daemon(1, "n1", "exec slurmd -D -N n1");
        cluster.daemon(2, "n2", "exec slurmd -D -N n2");
        wait_until("two nodes are idle", || {
            let nodes = cluster
                .slurm("sinfo -h -N -o %t")
                .unwrap_or_else(|says| says);
            (nodes == "idle\nidle\n").then_some(()).ok_or(nodes)
        });
        Some(cluster)
    }

    /// Starts a daemon on a machine that has this name.
    fn daemon(&mut self, machine: usize, host: &str, script: &str) {
        // Not by `ip netns exec`, in which there are no control groups, which slurmd insists on.
        let mut command = Command::new("nsenter");
        command.arg(format!("--net=/run/netns/{}", self.spaces.name(machine)));
        command.args(["unshare", "--uts", "sh", "-c"]);
        command.arg(format!("hostname {host}; {script}"));
        command.env("SLURM_CONF", &self.conf);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        self.daemons.push(command.spawn().expect("a daemon"));
    }

    /// What a script of Slurm's commands prints, or else complains of.
    pub fn slurm(&self, script: &str) -> Result<String, String> {
        let mut command = self.spaces.within(HERE, "sh");
        command.args(["-ec", script]).env("SLURM_CONF", &self.conf);
        let output = command.output().expect("a shell");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match output.status.success() {
            true => Ok(text(&output.stdout)),
            false => Err(text(&output.stderr)),
        }
    }

    pub fn command(&self, yard: &Yard, args: &[&str]) -> Command {
        let mut command = self.spaces.within(HERE, env!("CARGO_BIN_EXE_photofinish"));
        yard.place(&mut command);
        command.args(args).env("SLURM_CONF", &self.conf);
        command
    }

    pub fn start(&self, yard: &Yard, args: &[&str]) -> Running {
        Running::start(self.command(yard, args))
    }

    /// The jobs that have not ended, each with its state.
    pub fn jobs(&self) -> Vec<String> {
        let jobs = self
            .slurm("squeue -h -t PENDING,CONFIGURING,RUNNING,COMPLETING,SUSPENDED -o '%A %T %r'");
        let jobs = jobs.unwrap_or_else(|says| says);
        jobs.lines().map(str::to_owned).collect()
    }

    /// Waits until there is no job, and of what a run has started nothing.
    pub fn wait_empty(&self, yard: &Yard) {
        wait_until("no job is left", || {
            let left = self.jobs();
            left.is_empty().then_some(()).ok_or(format!("{left:#?}"))
        });
        yard.wait_empty();
    }

    /// A job that has both nodes for itself; its id.
    pub fn occupied(&self) -> String {
        let submit = "sbatch --parsable --exclusive -N2 --output=/dev/null --chdir=/ --wrap 'exec sleep 1000'";
        let id = self.slurm(submit).expect("a job").trim().to_owned();
        wait_until("it runs", || {
            let jobs = self.jobs();
            let runs = jobs
                .iter()
                .any(|job| job.starts_with(&format!("{id} RUNNING")));
            runs.then_some(()).ok_or(format!("{jobs:#?}"))
        });
        id
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // What a test that failed has left.
        let _ = self.slurm("scancel --user=root");
        for daemon in self.daemons.iter_mut().rev() {
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
    }
}
