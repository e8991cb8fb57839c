//! `photofinish audit`.

use std::fs;
use std::io::{Read, stdin};
use std::path::Path;

use photofinish_report::results::audit::{Audit, audit as read_reports};

use crate::args::AuditArgs;
use crate::commands::report::{colour, width};
use crate::exit::Failure;

pub fn audit(args: &AuditArgs) -> Result<(), Failure> {
    let audits = args
        .files
        .iter()
        .map(|file| Ok((file.display().to_string(), read_reports(&read(file)?))))
        .collect::<Result<Vec<(String, Audit)>, Failure>>()?;
    if args.json {
        println!("{}", photofinish_report::audit::json(&audits));
    } else {
        println!("{}", photofinish_report::audit::terminal(&audits, width(), colour()).trim_end());
    }
    if audits.iter().any(|(_, audit)| audit.impossible() > 0) {
        return Err(Failure::Condition);
    }
    Ok(())
}

/// A file's text; bytes that are no UTF-8 are replaced, since only figures matter.
fn read(file: &Path) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    if file.as_os_str() == "-" {
        stdin().read_to_end(&mut bytes).map(drop)
    } else {
        fs::read(file).map(|read| bytes = read)
    }
    .map_err(|e| Failure::request(format!("cannot read {}: {e}", file.display())))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
