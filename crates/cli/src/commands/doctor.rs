//! `photofinish doctor`.

use std::env;

use photofinish_host::LocalHost;
use photofinish_lab::doctor::{self, Finding, Level};
use photofinish_model::units::plural;
use photofinish_report::Row;

use crate::args::DoctorArgs;
use crate::exit::Failure;
use crate::screen::{colour, width};
use crate::{out, signals};

pub fn doctor(args: &DoctorArgs) -> Result<(), Failure> {
    let mut findings = doctor::doctor();
    out::result(&drawn(&findings))?;
    if !args.quick {
        let interrupt =
            signals::interrupt().map_err(|e| Failure::run(format!("cannot handle Ctrl-C: {e}")))?;
        let program = env::current_exe()
            .map_err(|e| Failure::run(format!("cannot find the photofinish binary: {e}")))?;
        out::note(
            "measuring the noise floor: a server against itself, 20 seconds (--quick skips it)",
        );
        let host = LocalHost::new(program);
        let floor = doctor::noise_floor(&host, &interrupt);
        if signals::interrupted(&interrupt) {
            return Err(Failure::Incomplete);
        }
        out::result(&drawn(std::slice::from_ref(&floor)))?;
        findings.push(floor);
    }
    Ok(out::result(&format!("\n{}", summary(&findings)))?)
}

/// How many findings there are of each level.
fn summary(findings: &[Finding]) -> String {
    let of = |level: Level| {
        findings
            .iter()
            .filter(|finding| finding.level == level)
            .count()
    };
    let parts = [
        (of(Level::Bad), "problem", "problems"),
        (of(Level::Warn), "warning", "warnings"),
    ];
    let parts: Vec<String> = (parts.into_iter())
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, several)| plural(count, one, several))
        .collect();
    match parts.as_slice() {
        [] => format!("all {} checks passed", findings.len()),
        parts => format!(
            "{} of {} checks passed, {}",
            of(Level::Ok),
            findings.len(),
            parts.join(", ")
        ),
    }
}

/// The longest name, so that the noise floor, which comes later, stands in the same columns.
const NAMES: usize = 17;

fn drawn(findings: &[Finding]) -> String {
    let rows = findings.iter().map(|finding| {
        let (mark, good) = match finding.level {
            Level::Ok => ("ok  ", Some(true)),
            Level::Warn => ("warn", None),
            Level::Bad => ("bad ", Some(false)),
        };
        let remedy = finding.remedy.as_ref().map(|remedy| format!("→ {remedy}"));
        Row {
            mark,
            good,
            name: format!("{:<NAMES$}", finding.name),
            lines: [Some(finding.says.clone()), remedy]
                .into_iter()
                .flatten()
                .collect(),
        }
    });
    photofinish_report::rows(&rows.collect::<Vec<Row>>(), 0, width(), colour())
}
