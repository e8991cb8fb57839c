//! `photofinish doctor`.

use std::env;

use photofinish_host::LocalHost;
use photofinish_lab::doctor::{self, Finding, Level};

use crate::args::DoctorArgs;
use crate::exit::Failure;
use crate::out;
use crate::signals;

pub fn doctor(args: &DoctorArgs) -> Result<(), Failure> {
    let findings: Vec<String> = doctor::doctor().iter().map(words).collect();
    out::result(&findings.join("\n"))?;
    if args.quick {
        return Ok(());
    }
    let interrupt =
        signals::interrupt().map_err(|e| Failure::run(format!("cannot handle Ctrl-C: {e}")))?;
    let program = env::current_exe()
        .map_err(|e| Failure::run(format!("cannot find the photofinish binary: {e}")))?;
    out::note(
        "racing a server against itself for 20 seconds, to see what differences can be told apart here (--quick leaves it out)",
    );
    let host = LocalHost::new(program.clone());
    let floor = doctor::noise_floor(&program, &host, &interrupt);
    if signals::interrupted(&interrupt) {
        return Err(Failure::Incomplete);
    }
    Ok(out::result(&words(&floor))?)
}

fn words(finding: &Finding) -> String {
    let mark = match finding.level {
        Level::Ok => "ok  ",
        Level::Warn => "warn",
        Level::Bad => "bad ",
    };
    let remedy = finding.remedy.as_ref();
    let remedy = remedy.map_or_else(String::new, |remedy| format!("\n      → {remedy}"));
    format!("{mark}  {}: {}{remedy}", finding.name, finding.says)
}
