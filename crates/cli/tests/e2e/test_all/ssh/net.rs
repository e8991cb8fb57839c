//! Machines that are reached by SSH: Debian's sshd in network namespaces of their own.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::namespaces::{HERE, Namespaces, folder, may_skip, sh};
use crate::running::Running;
use crate::support::{Yard, wait_until};

/// Where `photofinish` is run, and three machines; gone with it.
pub(super) struct Net {
    pub(super) spaces: Namespaces,
    daemons: Vec<Child>,
}

/// What keeps this machine from having others.
fn lacks() -> Option<&'static str> {
    let sshd = Path::new("/usr/sbin/sshd").exists();
    let none = (!sshd).then_some("there is no sshd (Debian: openssh-server)");
    Namespaces::lack().or(none)
}

impl Net {
    /// Three machines with a server for SSH each, and files of hosts in the yard, with one generator and with two. `None`, said aloud, where that cannot be
    /// and may be left out.
    pub(super) fn new(yard: &Yard) -> Option<Net> {
        Net::where_c_has(yard, "")
    }

    /// The same, where the environment of the third has something more.
    pub(super) fn where_c_has(yard: &Yard, of_c: &str) -> Option<Net> {
        if may_skip(lacks()) {
            return None;
        }
        let mut net = Net {
            spaces: Namespaces::new(yard),
            daemons: Vec::new(),
        };
        // sshd insists on it.
        fs::create_dir_all("/run/sshd").expect("a folder");
        let dir = folder(yard);
        let dir = dir.display();
        sh(&format!(
            "cd {dir}; ssh-keygen -q -t ed25519 -N '' -f hostkey; ssh-keygen -q -t ed25519 -N '' -f key; chmod 600 key hostkey"
        ));
        let mut client = format!(
            "Host *\nUser root\nPort 2222\nIdentityFile {dir}/key\nUserKnownHostsFile {dir}/known\nStrictHostKeyChecking accept-new\n"
        );
        for (n, name) in ["a", "b", "c"].into_iter().enumerate() {
            let address = format!("10.99.0.{}", n + 1);
            client += &format!("Host {name}\nHostName {address}\n");
            let config = yard.path(&format!("sshd-{name}"));
            fs::write(
                &config,
                format!(
                    "Port 2222\nListenAddress {address}\nHostKey {dir}/hostkey\nAuthorizedKeysFile {dir}/key.pub\nStrictModes no\n\
                     PidFile none\nPermitRootLogin yes\nPasswordAuthentication no\nUsePAM no\n\
                     SetEnv XDG_CACHE_HOME={dir}/far-{name} PHOTOFINISH_TEST_YARD={dir} {}\n",
                    if name == "c" { of_c } else { "" }
                ),
            )
            .expect("a file");
            let mut sshd = net.spaces.within(n + 1, "/usr/sbin/sshd");
            sshd.args(["-D", "-e", "-f"]).arg(&config);
            let log = fs::File::create(yard.path(&format!("sshd-{name}.log"))).expect("a file");
            net.daemons.push(
                sshd.stdin(Stdio::null())
                    .stdout(Stdio::null())
                    .stderr(log)
                    .spawn()
                    .expect("sshd"),
            );
        }
        yard.write("ssh-config", client);
        for name in ["a", "b", "c"] {
            wait_until("sshd listens", || {
                let log =
                    fs::read_to_string(yard.path(&format!("sshd-{name}.log"))).unwrap_or_default();
                log.contains("listening").then_some(()).ok_or(log)
            });
        }
        let machine = |name: &str| {
            format!("ssh = \"{name}\"\nssh-options = [\"-F\", \"{dir}/ssh-config\"]\n")
        };
        let hosts = format!("[server]\n{}[[generator]]\n{}", machine("a"), machine("b"));
        yard.write("hosts.toml", &hosts);
        let hosts = format!("{hosts}[[generator]]\n{}", machine("c"));
        yard.write("two.toml", hosts);
        Some(net)
    }

    /// photofinish on this machine, which is in a namespace of its own.
    pub(super) fn start(&self, yard: &Yard, args: &[&str]) -> Running {
        let mut command = self.spaces.within(HERE, env!("CARGO_BIN_EXE_photofinish"));
        yard.place(&mut command);
        command.args(args);
        Running::start(command)
    }
}

impl Drop for Net {
    fn drop(&mut self) {
        for daemon in &mut self.daemons {
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
        // A session whose link was cut when its other end went never learns of it.
        for machine in 1..=self.daemons.len() {
            let script = format!(
                "for pid in $(ip netns pids {}); do case $(cat /proc/$pid/comm) in sshd*) kill $pid;; esac; done",
                self.spaces.name(machine)
            );
            let _ = Command::new("sh").args(["-c", &script]).output();
        }
    }
}

/// The agents that live.
pub(super) fn agents(yard: &Yard) -> Vec<u32> {
    let all = yard
        .processes()
        .into_iter()
        .filter(|process| process.trim_end().ends_with(" agent"));
    all.filter_map(|process| process.split(':').next()?.parse().ok())
        .collect()
}
