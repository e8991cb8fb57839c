//! `photofinish doctor`.

use photofinish_lab::doctor::{Finding, Level};

use crate::exit::Failure;
use crate::out;

pub fn doctor() -> Result<(), Failure> {
    let mut lines = Vec::new();
    for Finding {
        name,
        level,
        says,
        remedy,
    } in photofinish_lab::doctor::doctor()
    {
        let mark = match level {
            Level::Ok => "ok  ",
            Level::Warn => "warn",
            Level::Bad => "bad ",
        };
        lines.push(format!("{mark}  {name}: {says}"));
        if let Some(remedy) = remedy {
            lines.push(format!("      → {remedy}"));
        }
    }
    out::result(&lines.join("\n"))
}
