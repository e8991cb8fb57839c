//! `photofinish doctor`.

use photofinish_lab::doctor::{Finding, Level};

use crate::exit::Failure;

pub fn doctor() -> Result<(), Failure> {
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
        println!("{mark}  {name}: {says}");
        if let Some(remedy) = remedy {
            println!("      → {remedy}");
        }
    }
    Ok(())
}
