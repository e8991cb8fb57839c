//! The user's `kubectl`.

use std::os::unix::process::CommandExt;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::AtomicBool;

use photofinish_model::kubernetes::Cluster;
use serde_json::Value;

use crate::Error;
use crate::command::{Bounds, Input};
use crate::launcher::{Cleaner, cannot_run, option, printed};
use crate::program::said;

/// How long the cluster may take for one thing: less than a command has, so that `kubectl` says itself what it waited for.
const TIMEOUT: &str = "--request-timeout=15s";
/// The most bytes of a list of pods or events: a thousand pods.
const LARGEST_LIST: usize = 64 << 20;

/// `kubectl`, for one cluster and namespace.
pub(super) struct Kubectl<'i> {
    options: Vec<String>,
    /// What messages call the cluster.
    name: String,
    interrupt: &'i AtomicBool,
}

/// What to do if there is no `kubectl`.
pub(super) const REMEDY: &str = "install it, and see that `kubectl get nodes` works";

impl Kubectl<'_> {
    pub(super) fn new<'i>(cluster: &Cluster, interrupt: &'i AtomicBool) -> Kubectl<'i> {
        let options = [
            option("context", cluster.context.as_deref()),
            option("namespace", cluster.namespace.as_deref()),
        ];
        Kubectl {
            options: options.into_iter().flatten().collect(),
            name: match &cluster.context {
                Some(context) => format!("Kubernetes (context {context})"),
                None => "Kubernetes".to_owned(),
            },
            interrupt,
        }
    }

    /// A command, which the terminal's Ctrl-C does not reach: that is for photofinish, which ends what runs there in order.
    pub(super) fn command(&self, args: &[String]) -> Command {
        let mut command = Command::new("kubectl");
        command.args(&self.options).args(args).process_group(0);
        command
    }

    /// Runs a command to its end, which takes this; returns what it printed.
    pub(super) fn run(&self, args: &[&str], input: Input) -> Result<Vec<u8>, Error> {
        let args: Vec<String> = args
            .iter()
            .chain(&[TIMEOUT])
            .map(|&arg| arg.to_owned())
            .collect();
        let bounds = Bounds {
            most: LARGEST_LIST,
            ..Bounds::until(self.interrupt)
        };
        let mut command = self.command(&args);
        printed(&mut command, input, bounds, REMEDY, complaint, |says| {
            self.unreachable(says)
        })
    }

    /// What a command prints as JSON.
    pub(super) fn json(&self, args: &[&str]) -> Result<Value, Error> {
        let args: Vec<&str> = args.iter().chain(&["-o", "json"]).copied().collect();
        let printed = self.run(&args, Input::Nothing)?;
        serde_json::from_slice(&printed)
            .map_err(|error| self.unreachable(format!("what kubectl printed is not JSON: {error}")))
    }

    /// Starts what deletes some Jobs.
    pub(super) fn cleaner(&self, jobs: &[String]) -> Result<Cleaner, Error> {
        let mut command = Command::new("sh");
        command.args(["-c", "cat >/dev/null; exec kubectl \"$@\"", "sh"]);
        command
            .args(&self.options)
            .args(["delete", "job"])
            .args(jobs);
        command.args([
            "--ignore-not-found",
            "--cascade=background",
            "--wait=false",
            TIMEOUT,
        ]);
        // Neither Ctrl-C nor the end of the terminal is for it. Where it cannot delete them, the cluster does when they have ended.
        command.process_group(0);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let child = command.spawn();
        let failed = |error| self.unreachable(cannot_run(&command, &error, REMEDY));
        child.map(Cleaner::new).map_err(failed)
    }

    fn unreachable(&self, says: String) -> Error {
        Error::unreachable(&self.name, says)
    }
}

/// What `kubectl` complained of, without the lines of its library's log if there are others, and what to do.
fn complaint(program: &str, output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let lines = text.lines().filter(|line| !is_logged(line));
    let lines: Vec<&str> = lines.map(str::trim).filter(|l| !l.is_empty()).collect();
    let says = match lines.as_slice() {
        [] => said(program, output),
        lines => lines.join("; "),
    };
    let remedy = match says.contains("(Forbidden)") {
        true => "; deploy/rbac.yaml has the rights that photofinish needs",
        false => "",
    };
    format!("{says}{remedy}")
}

/// Whether a line begins as those of `klog` do: a letter for the level, month and day.
fn is_logged(line: &str) -> bool {
    let digits = line.strip_prefix(['E', 'W', 'I', 'F']);
    let day = digits.and_then(|rest| rest.split(' ').next());
    day.is_some_and(|day| day.len() == 4 && day.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_librarys_log_is_no_complaint() {
        assert!(is_logged(
            "E1123 03:26:49.356158   26564 memcache.go:265] \"Unhandled Error\""
        ));
        assert!(!is_logged(
            "Error from server (NotFound): namespaces \"race\" not found"
        ));
        assert!(!is_logged("error: EOF"));
        assert!(!is_logged("E11"));
    }
}
