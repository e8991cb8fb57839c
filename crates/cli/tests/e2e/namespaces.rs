//! Machines that a test makes: network namespaces on a bridge, at 10.99.0.1 and so on, seen from one more.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::Yard;

/// The place of this machine's namespace, whose address is 10.99.0.254; those of three others follow.
pub const HERE: usize = 0;

/// Where `photofinish` is run, and three machines; gone with it.
pub struct Namespaces {
    names: [String; 4],
}

/// Runs a script, which must do well.
#[track_caller]
pub fn sh(script: &str) {
    let output = Command::new("sh")
        .args(["-ec", script])
        .output()
        .expect("a shell");
    assert!(
        output.status.success(),
        "{script}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The yard's own folder.
pub fn folder(yard: &Yard) -> PathBuf {
    yard.path("results")
        .with_file_name("")
        .components()
        .collect()
}

/// Whether a test is to be left out, for want of this; that is said aloud, and not so where nothing may be.
pub fn may_skip(lacks: Option<&str>) -> bool {
    let Some(why) = lacks else { return false };
    let must = ["CI", "PHOTOFINISH_TEST_NO_SKIP"]
        .iter()
        .any(|name| std::env::var_os(name).is_some());
    assert!(!must, "{why}");
    eprintln!("skipped: {why}");
    true
}

impl Namespaces {
    /// What keeps this machine from having others.
    pub fn lack() -> Option<&'static str> {
        let id = Command::new("id").arg("-u").output().expect("id");
        if id.stdout != b"0\n" {
            return Some("namespaces take root");
        }
        let has = |path: &str| Path::new(path).exists();
        let ip = has("/usr/sbin/ip") || has("/sbin/ip");
        (!ip).then_some("there is no ip (Debian: iproute2)")
    }

    pub fn new(yard: &Yard) -> Namespaces {
        // The yard's own letters: tests run side by side.
        let dir = folder(yard);
        let unique = dir
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .replace('.', "");
        let names = ["h", "a", "b", "c"].map(|name| format!("pf{name}-{unique}"));
        let spaces = Namespaces { names };
        let [h, a, b, c] = &spaces.names;
        sh(&format!(
            "ip netns add {h}; ip -n {h} link add br0 type bridge; ip -n {h} addr add 10.99.0.254/24 dev br0
             ip -n {h} link set br0 up; ip -n {h} link set lo up"
        ));
        for (n, (name, port)) in [(a, "va"), (b, "vb"), (c, "vc")].into_iter().enumerate() {
            sh(&format!(
                "ip netns add {name}; ip -n {name} link set lo up
                 ip -n {h} link add {port} type veth peer name eth0 netns {name}
                 ip -n {h} link set {port} master br0 up
                 ip -n {name} addr add 10.99.0.{}/24 dev eth0; ip -n {name} link set eth0 up",
                n + 1
            ));
        }
        spaces
    }

    /// The name of one of them.
    pub fn name(&self, machine: usize) -> &str {
        &self.names[machine]
    }

    /// A program on one of the machines.
    pub fn within(&self, machine: usize, program: &str) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.names[machine], program]);
        command
    }

    /// Cuts the links of the first two machines, or mends them.
    pub fn cut(&self, cut: bool) {
        let state = if cut { "down" } else { "up" };
        let here = self.name(HERE);
        sh(&format!(
            "ip -n {here} link set va {state}; ip -n {here} link set vb {state}"
        ));
    }
}

impl Drop for Namespaces {
    fn drop(&mut self) {
        for name in &self.names {
            let _ = Command::new("ip").args(["netns", "del", name]).output();
        }
    }
}
