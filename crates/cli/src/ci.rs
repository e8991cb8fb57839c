//! What a CI job asks for: conditions by which the program ends with exit code 1, JUnit XML, and a step summary.

use std::env;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

use photofinish_judge::comparison::Comparison;
use photofinish_judge::threshold::{Condition, Error, Outcome, Status};
use photofinish_model::store::Results;
use photofinish_study::advice;
use photofinish_voice::Language;

use crate::args::CiArgs;
use crate::exit::Failure;
use crate::out;

/// Everything that was asked for, checked.
pub struct Ci {
    conditions: Vec<Condition>,
    junit: Option<PathBuf>,
    summary: Option<PathBuf>,
}

impl Ci {
    /// Checks what was asked for, about these targets.
    pub fn new(args: &CiArgs, labels: &[&str]) -> Result<Ci, Failure> {
        let summary = match args.step_summary {
            false => None,
            true => Some(env::var_os("GITHUB_STEP_SUMMARY").map(PathBuf::from).ok_or_else(|| {
                Failure::request("--step-summary: GITHUB_STEP_SUMMARY, which GitHub Actions sets to the file to append to, is not set")
            })?),
        };
        Ok(Ci {
            conditions: conditions(&args.fail_if, labels)?,
            junit: args.junit.clone(),
            summary,
        })
    }

    /// Writes what was asked for; fails where a condition holds, having said where.
    pub fn report(&self, results: &Results, comparison: &Comparison) -> Result<(), Failure> {
        let outcomes: Vec<(&Condition, Outcome)> = (self.conditions.iter())
            .map(|condition| (condition, condition.check(results, comparison)))
            .collect();
        for (condition, outcome) in &outcomes {
            let verb = match outcome.status {
                Status::Holds => "holds",
                Status::DoesNotHold => "does not hold",
                Status::Undecided => "UNDECIDED: this is no pass, the rounds allow either",
                Status::Void => "VOID: this is no pass, nothing may be said of a figure in it",
            };
            out::note(&format!("--fail-if '{}': {verb}", condition.text()));
            for says in &outcome.says {
                out::note(&format!("  {}", says.text(Language::En)));
            }
        }
        if let Some(file) = &self.junit {
            let xml = photofinish_report::junit(comparison, &outcomes).map_err(Failure::run)?;
            fs::write(file, xml)
                .map_err(|e| Failure::run(format!("cannot write {}: {e}", file.display())))?;
        }
        if let Some(file) = &self.summary {
            let text = photofinish_report::markdown(comparison);
            let opened = OpenOptions::new().create(true).append(true).open(file);
            opened
                .and_then(|mut file| writeln!(file, "{text}"))
                .map_err(|e| Failure::run(format!("cannot append to {}: {e}", file.display())))?;
        }
        match outcomes.iter().any(|(_, outcome)| outcome.holds()) {
            true => Err(Failure::Condition),
            false => Ok(()),
        }
    }
}

fn conditions(texts: &[String], labels: &[&str]) -> Result<Vec<Condition>, Failure> {
    let read = |text: &String| {
        Condition::parse(text, labels).map_err(|error| {
            let help = match &error {
                Error::Target { name, known } => {
                    let known = known.iter().map(String::as_str);
                    format!("; {}", advice(name, "targets", known))
                }
                Error::Metric { name, known } => {
                    let known = known.iter().map(String::as_str);
                    format!("; {}", advice(name, "metrics", known))
                }
                _ => String::new(),
            };
            Failure::request(format!("--fail-if '{text}': {error}{help}"))
        })
    };
    texts.iter().map(read).collect()
}
