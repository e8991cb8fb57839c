//! `photofinish plan`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use photofinish_model::settings::{Group, RaceLayer, Value};

use super::{RESULTS, complete};

#[derive(Debug, Args)]
pub struct PlanArgs {
    /// Name of a study, whose newest results count, or a results folder
    #[arg(value_name = "STUDY", add = complete::studies_or_results())]
    pub study: String,
    /// Half-width that the interval of every ratio of throughputs is to have, such as 1% [default: 2%]
    #[arg(long, value_name = "SHARE", value_parser = half_width)]
    pub half_width: Option<f64>,
    /// Time in which several pairs of machines are to reach it, such as 20m [default: the study's, else 20m]
    #[arg(long, value_name = "TIME", value_parser = within)]
    pub within: Option<Duration>,
    /// Folder with the results
    #[arg(long, value_name = "FOLDER", default_value = RESULTS)]
    pub results: PathBuf,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

/// Reads a value as `run` reads the flag of this setting.
fn setting(name: &str, text: &str) -> Result<Option<Value>, String> {
    let row = <RaceLayer as Group>::ROWS
        .iter()
        .find(|row| row.name == name);
    let value = row.map(|row| row.kind.parse(text));
    value.transpose().map_err(|error| error.to_string())
}

fn half_width(text: &str) -> Result<f64, String> {
    match setting("half_width", text)? {
        Some(Value::Number(share)) if share > 0.0 => Ok(share),
        _ => Err("a half-width is above 0, such as 2%".to_owned()),
    }
}

fn within(text: &str) -> Result<Duration, String> {
    match setting("within", text)? {
        Some(Value::Time(time)) => Ok(time),
        _ => Err("a time has a unit, such as 20m".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_run_reads_them() {
        assert_eq!(half_width("2%"), Ok(0.02));
        assert_eq!(half_width("0.005"), Ok(0.005));
        assert_eq!(within("20m"), Ok(Duration::from_secs(1200)));
        for wrong in ["0", "-1%", "100%", "2 %", "x", "NaN", ""] {
            assert!(half_width(wrong).is_err(), "{wrong}");
        }
        for wrong in ["0", "1s", "x", "25h", ""] {
            assert!(within(wrong).is_err(), "{wrong}");
        }
    }
}
