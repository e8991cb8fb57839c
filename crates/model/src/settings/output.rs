//! What commands print and check at their end: the tables of these settings. The formats of files are rows of their own
//! (`photofinish_report::exports`).

use std::path::PathBuf;

use super::{Kind, settings};
use crate::worded::Worded;

crate::worded! {
    /// What a job does if a condition is undecided or invalid.
    Undecided = Pass;
    /// The job passes, and the report says that nothing was proven.
    Pass "pass";
    /// The job fails: only what is proven passes.
    Fail "fail";
}

settings! {
    /// How much is printed.
    DetailSettings, DetailLayer, "Output", over "";
    /// Print every table: figures, verdicts, validity checks, evidence.
    verbose: bool [false] Kind::Switch => { .flag("verbose", "").short('v').conflicts(&["quiet"]) };
    /// Print the verdict alone, and no progress.
    quiet: bool [false] Kind::Switch => { .flag("quiet", "").short('q') };
}

settings! {
    /// Whether a program reads what is printed.
    JsonSettings, JsonLayer, "Output", over "";
    /// Print the result as JSON.
    json: bool [false] Kind::Switch => { .flag("json", "") };
}

settings! {
    /// What a CI job asks for.
    CiSettings, CiLayer, "Continuous integration", over "";
    /// Condition that fails the run, such as 'b.p99 > a.p99 * 1.05', or one of: claims, checks, different. FAILED (exit code 1) if it is
    /// certainly true, PASSED if it is certainly false, else UNDECIDED. Can be repeated.
    fail_if: Vec<String> [Vec::new()] Kind::List(None) => { .flag("fail-if", "CONDITION") };
    /// What to do if the rounds show neither that a --fail-if is true nor that it is false: pass (with a note), or fail with exit code 1.
    undecided: Option<Undecided> [None] Kind::Word(Undecided::words) => { .flag("undecided", "HOW").unset("pass") };
    /// Write JUnit XML to this file (- for standard output): a test case for each --fail-if, claim and validity check.
    junit: Option<PathBuf> [None] Kind::File => { .flag("junit", "FILE") };
    /// Append the report to the step summary of GitHub Actions.
    step_summary: bool [false] Kind::Switch => { .flag("step-summary", "") };
}

impl CiSettings {
    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.fail_if.is_empty() && self.junit.is_none() && !self.step_summary
    }
}
