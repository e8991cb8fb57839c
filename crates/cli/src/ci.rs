//! What a CI job asks for: conditions by which the program ends with exit code 1, JUnit XML, and a step summary.

use std::env;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

use photofinish_judge::comparison::Comparison;
use photofinish_judge::days::Days;
use photofinish_judge::pooled::PairRuns;
use photofinish_judge::threshold::{Condition, Error, Gate, Status};
use photofinish_model::settings::{CiSettings, Undecided};
use photofinish_model::store::Results;
use photofinish_study::advice;
use photofinish_voice::Language;

use crate::exit::Failure;
use crate::{out, outputs};

/// Everything that was asked for, checked.
pub struct Ci {
    conditions: Vec<Condition>,
    undecided: Undecided,
    junit: Option<PathBuf>,
    summary: Option<PathBuf>,
}

impl Ci {
    /// Checks what was asked for, about these targets.
    pub fn new(args: &CiSettings, labels: &[&str]) -> Result<Ci, Failure> {
        Ci::read(args, |text| Condition::parse(text, labels))
    }

    /// Checks what was asked for, about a run and a later one.
    pub fn of_two_runs(args: &CiSettings) -> Result<Ci, Failure> {
        Ci::read(args, Condition::parse_of_two_runs)
    }

    fn read(
        args: &CiSettings,
        parse: impl Fn(&str) -> Result<Condition, Error>,
    ) -> Result<Ci, Failure> {
        if args.undecided.is_some() && args.fail_if.is_empty() {
            return Err(Failure::request(
                "--undecided says what becomes of a --fail-if that the rounds do not decide, and there is none: give a --fail-if, or \
                 leave --undecided out",
            ));
        }
        let summary = match args.step_summary {
            false => None,
            true => Some(env::var_os("GITHUB_STEP_SUMMARY").map(PathBuf::from).ok_or_else(|| {
                Failure::request("--step-summary: GITHUB_STEP_SUMMARY, which GitHub Actions sets to the file to append to, is not set")
            })?),
        };
        if let Some(file) = &summary {
            outputs::writable(file).map_err(|why| {
                let file = file.display();
                Failure::request(format!(
                    "--step-summary: GITHUB_STEP_SUMMARY is {file}: {why}"
                ))
            })?;
        }
        Ok(Ci {
            conditions: conditions(&args.fail_if, parse)?,
            undecided: args.undecided.unwrap_or_default(),
            junit: args.junit.clone(),
            summary,
        })
    }

    /// The conditions, as `--until-decided` waits for them.
    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// Writes what was asked for; fails where a condition asks for it, having said where.
    pub fn report(&self, results: &Results, comparison: &Comparison) -> Result<(), Failure> {
        let gates: Vec<Gate> = (self.conditions.iter())
            .map(|condition| Gate::new(condition, results, comparison, self.undecided))
            .collect();
        self.end(
            &gates,
            || photofinish_report::junit(comparison, &gates),
            || photofinish_report::markdown(comparison),
        )
    }

    /// Checks that what was asked for can be judged on several pairs of machines.
    pub fn require_pairs(&self) -> Result<(), Failure> {
        match self.conditions.iter().find(|it| it.is_of_claims()) {
            None => Ok(()),
            Some(condition) => Err(Failure::request(format!(
                "--fail-if '{}': claims are judged for each pair of machines by itself; leave it out here, and give it to `photofinish \
                 report` with the folder of one pair",
                condition.text()
            ))),
        }
    }

    /// The same of the rounds of several pairs of machines.
    pub fn report_on_pairs(&self, pairs: &PairRuns) -> Result<(), Failure> {
        let gates: Vec<Gate> = (self.conditions.iter())
            .map(|condition| Gate::on_pairs(condition, pairs, self.undecided))
            .collect();
        self.end(
            &gates,
            || photofinish_report::pooled_junit(pairs, &gates),
            || photofinish_report::pooled_markdown(&pairs.pooled),
        )
    }

    /// The same of what changed from one run to a later one.
    pub fn report_of_two_runs(&self, days: &Days) -> Result<(), Failure> {
        let gates: Vec<Gate> = (self.conditions.iter())
            .map(|condition| Gate::of_two_runs(condition, days, self.undecided))
            .collect();
        self.end(
            &gates,
            || photofinish_report::days_junit(days, &gates),
            || photofinish_report::days_markdown(days),
        )
    }

    fn end(
        &self,
        gates: &[Gate],
        junit: impl Fn() -> Result<String, photofinish_report::Error>,
        markdown: impl Fn() -> String,
    ) -> Result<(), Failure> {
        gates.iter().for_each(|gate| self.print(gate));
        if let Some(file) = &self.junit {
            let xml = junit().map_err(Failure::run)?;
            outputs::write(file, &xml)?;
        }
        if let Some(file) = &self.summary {
            let text = format!(
                "{}\n{}",
                photofinish_report::gates_markdown(gates),
                markdown()
            );
            let opened = OpenOptions::new().create(true).append(true).open(file);
            opened
                .and_then(|mut file| writeln!(file, "{text}"))
                .map_err(|e| Failure::run(format!("cannot append to {}: {e}", file.display())))?;
        }
        match gates.iter().any(|gate| gate.fails) {
            true => Err(Failure::Condition),
            false => Ok(()),
        }
    }

    /// Says what came of a condition: always, for what is not proven must not look like a pass.
    fn print(&self, gate: &Gate) {
        let status = gate.outcome.status;
        let meant = match status {
            Status::Holds | Status::DoesNotHold => String::new(),
            Status::Undecided | Status::Void => {
                format!(" (not proven either way; {})", comes_of(self.undecided))
            }
        };
        let text = gate.condition.text();
        out::note(&format!("--fail-if '{text}': {}{meant}", status.word()));
        for says in &gate.outcome.says {
            out::note(&format!("  {}", says.text(Language::En)));
        }
    }
}

/// What comes of a condition that is not decided.
pub fn comes_of(undecided: Undecided) -> &'static str {
    match undecided {
        Undecided::Pass => "the job passes, --undecided fail would fail it",
        Undecided::Fail => "the job fails by --undecided fail",
    }
}

fn conditions(
    texts: &[String],
    parse: impl Fn(&str) -> Result<Condition, Error>,
) -> Result<Vec<Condition>, Failure> {
    let read = |text: &String| {
        parse(text).map_err(|error| {
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
