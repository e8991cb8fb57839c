//! `photofinish doctor`.

use std::env;

use photofinish_lab::doctor::{self, Finding, Level};
use photofinish_lab::host::LocalHost;

use crate::args::DoctorArgs;
use crate::exit::Failure;
use crate::signals;

pub fn doctor(args: &DoctorArgs) -> Result<(), Failure> {
    for finding in doctor::doctor() {
        print(&finding);
    }
    if args.quick {
        return Ok(());
    }
    let interrupt =
        signals::interrupt().map_err(|e| Failure::run(format!("cannot watch for Ctrl-C: {e}")))?;
    let program = env::current_exe()
        .map_err(|e| Failure::run(format!("cannot tell where photofinish lies: {e}")))?;
    eprintln!(
        "racing a server against itself for 20 seconds, to see what differences can be told apart here (--quick leaves it out)"
    );
    let host = LocalHost::new(program.clone());
    let floor = doctor::noise_floor(&program, &host, &interrupt);
    if signals::interrupted(&interrupt) {
        return Err(Failure::Incomplete);
    }
    print(&floor);
    Ok(())
}

fn print(finding: &Finding) {
    let mark = match finding.level {
        Level::Ok => "ok  ",
        Level::Warn => "warn",
        Level::Bad => "bad ",
    };
    println!("{mark}  {}: {}", finding.name, finding.says);
    if let Some(remedy) = &finding.remedy {
        println!("      → {remedy}");
    }
}
