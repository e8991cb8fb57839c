//! What tests of other machines share, whether SSH, Kubernetes or Slurm reaches them.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::running::Ended;
use crate::support::{AT_HOST, Yard, wait_until};

/// After this time nothing may be left of a photofinish that was killed.
pub const GONE_WITHIN: Duration = Duration::from_secs(30);

/// A study that is measured, and that takes as long as a test wants.
pub fn yard(more: &str) -> Yard {
    let yard = Yard::new();
    yard.target("good", AT_HOST)
        .target("other", AT_HOST)
        .study("far", &["good", "other"], more);
    yard
}

/// What a run recorded of its machines.
pub fn environment(results: &Path) -> Value {
    let text = fs::read_to_string(results.join("environment.json")).expect("a file");
    serde_json::from_str(&text).expect("JSON")
}

/// The report of the last run of a study with all its sections, which tell of the machines.
pub fn whole_report(yard: &Yard, study: &str) -> Ended {
    let results = yard.result(study);
    yard.run(&format!("report {} -v", results.display()))
        .code(0)
}

/// Waits until a server is among these processes.
pub fn wait_for_server(processes: impl Fn() -> Vec<String>) {
    wait_until("a server is up", || {
        let all = processes();
        let is_server = |process: &String| process.contains("server event-loop");
        let is_up = all.iter().any(is_server);
        is_up.then_some(()).ok_or(format!("{all:#?}"))
    });
}
