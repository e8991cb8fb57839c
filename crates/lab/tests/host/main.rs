//! The local host, tried with real processes.
//!
//! This program is its own keeper (`__keep`), its own servers (`__fixture`), and a photofinish that can be killed
//! (`__parent`, or `__asker` with an agent, `__agent`, between); without one of these words it runs the tests.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use photofinish_host as host;
use photofinish_host::Host;

mod agents;
mod building;
mod fixture;
mod java;
mod keeping;
#[path = "../../src/fake/sample.rs"]
mod sample;
mod services;
mod support;
mod trials;
mod usage;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    match args.next().as_ref().and_then(|a| a.to_str()) {
        Some("__keep") => host::keep(args),
        Some("__fixture") => fixture::run(args),
        Some("__agent") => support::agent(),
        Some("__asker") => asker(&args.map(PathBuf::from).collect::<Vec<_>>()),
        Some("__parent") => parent(args.map(PathBuf::from).collect()),
        _ => {
            let mut tests: Vec<Trial> = Vec::new();
            tests.extend(keeping::tests());
            tests.extend(usage::tests());
            tests.extend(building::tests());
            tests.extend(services::tests());
            tests.extend(java::tests());
            tests.extend(agents::tests());
            libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
        }
    }
}

/// A photofinish: starts a family of processes (see `support::family`) and waits until its standard input ends.
fn parent(args: Vec<PathBuf>) -> ExitCode {
    let [dir, mark] = &args[..] else {
        return ExitCode::FAILURE;
    };
    let host = Host::local(support::this_program());
    let spec = support::family(dir, &mark.to_string_lossy());
    println!("starting");
    let _ = std::io::stdout().flush();
    let Ok(_server) = host.start(&spec) else {
        return ExitCode::FAILURE;
    };
    let _ = std::io::stdin().read(&mut [0]);
    ExitCode::SUCCESS
}

fn asker(args: &[PathBuf]) -> ExitCode {
    let [dir, mark] = args else {
        return ExitCode::FAILURE;
    };
    match agents::asker(dir, &mark.to_string_lossy()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
