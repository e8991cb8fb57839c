//! `photofinish doctor`.

use std::path::Path;

use photofinish_host::clocks::{self, Clock};
use photofinish_host::{Generator, Host};
use photofinish_lab::doctor::{self, Finding, Level};
use photofinish_model::text::clean_lines;
use photofinish_model::units::plural;
use photofinish_report::Row;

use crate::args::DoctorArgs;
use crate::exit::Failure;
use crate::machines::machines;
use crate::screen::screen;
use crate::{out, process, signals};

pub fn doctor(args: &DoctorArgs) -> Result<(), Failure> {
    if let Some(path) = &args.on {
        return elsewhere(path);
    }
    let mut findings = doctor::doctor();
    out::result(&drawn(&findings))?;
    if !args.quick {
        let interrupt = process::interrupt()?;
        let program = process::program()?;
        out::note(&format!(
            "measuring the noise floor: a server against itself, some {} seconds (--quick skips it)",
            doctor::FLOOR_TIME.as_secs()
        ));
        let host = Host::local(program);
        let floor = doctor::noise_floor(&host, &interrupt);
        if signals::interrupted(&interrupt) {
            return Err(Failure::Incomplete);
        }
        out::result(&drawn(std::slice::from_ref(&floor)))?;
        findings.push(floor);
    }
    Ok(out::result(&format!("\n{}", summary(&findings)))?)
}

/// Checks the machines of a file: what each lacks, then what lies between them.
fn elsewhere(path: &Path) -> Result<(), Failure> {
    let interrupt = process::interrupt()?;
    let failed = |e: photofinish_host::Error| Failure::run(format!("failed to {e}"));
    let mut all = Vec::new();
    for machines in machines(Some(path), &interrupt)? {
        for (what, remote) in &machines.others {
            out::result(&format!("{} ({what}):", remote.name()))?;
            // Another machine's words.
            let says = doctor::elsewhere(remote).map_err(failed)?;
            out::result(clean_lines(&says).trim_end())?;
            let look = || clocks::compare(|| remote.clock());
            let ahead = Clock::default()
                .update(doctor::ROUND_TRIPS, look)
                .map_err(failed)?;
            let mut findings = vec![doctor::clock(ahead), doctor::link(remote).map_err(failed)?];
            findings.extend(doctor::allocation(remote).map_err(failed)?);
            out::result(&drawn(&findings))?;
            all.extend(findings);
            out::result("")?;
        }
        for generator in machines.generators() {
            match machines.generator.several() {
                [] => out::result("between load generator and server:")?,
                _ => out::result(&format!(
                    "between {} and server:",
                    generator.machine().name()
                ))?,
            }
            let between = doctor::between(&machines.host, generator, &interrupt);
            if signals::interrupted(&interrupt) {
                return Err(Failure::Incomplete);
            }
            out::result(&drawn(&between))?;
            all.extend(between);
        }
    }
    Ok(out::result(&format!("\n{}", summary(&all)))?)
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
    photofinish_report::rows(&rows.collect::<Vec<Row>>(), 0, screen())
}
