//! What this machine lacks, and what makes it noisy.
//!
//! Each finding says what is there and what that means for a race. What decides between good and bad is a pure
//! function of what was read.

use photofinish_host::Host;
use photofinish_model::settings::CpuSets;
use photofinish_model::units;

use crate::cpu_sets;

mod apart;
mod floor;
mod limits;
mod noise;
mod time;
mod tools;

pub use apart::{ROUND_TRIPS, allocation, between, clock, elsewhere, link};
pub use floor::{FLOOR_TIME, noise_floor};

/// How good something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// As it should be.
    Ok,
    /// Races can be run, but something is missing, or figures will scatter.
    Warn,
    /// Figures would mislead, or most races cannot be run.
    Bad,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What was looked at, in a word or two.
    pub name: &'static str,
    /// How good it is.
    pub level: Level,
    /// What is there, and what that means for a race.
    pub says: String,
    /// What to do; `None` if nothing need or can be done.
    pub remedy: Option<String>,
}

impl Finding {
    fn new(name: &'static str, level: Level, says: impl Into<String>) -> Finding {
        Finding {
            name,
            level,
            says: says.into(),
            remedy: None,
        }
    }

    fn ok(name: &'static str, says: impl Into<String>) -> Finding {
        Finding::new(name, Level::Ok, says)
    }

    fn warn(name: &'static str, says: impl Into<String>) -> Finding {
        Finding::new(name, Level::Warn, says)
    }

    fn bad(name: &'static str, says: impl Into<String>) -> Finding {
        Finding::new(name, Level::Bad, says)
    }

    fn with(mut self, remedy: impl Into<String>) -> Finding {
        self.remedy = Some(remedy.into());
        self
    }

    /// What to do unless it is as it should be.
    fn unless_ok(self, remedy: &str) -> Finding {
        match self.level {
            Level::Ok => self,
            Level::Warn | Level::Bad => self.with(remedy),
        }
    }
}

/// Examines everything but the [`noise_floor`]. Takes about a second, most of it to see what else runs.
pub fn doctor() -> Vec<Finding> {
    let here = Host::this_machine();
    let cores = cpu_sets::cores(here).unwrap_or_default();
    let halves = cpu_sets::assign(&CpuSets::Split, [here; 2]).unwrap_or_default();
    let mut findings = limits::examine(&cores, &halves);
    findings.extend(time::examine());
    findings.extend(noise::examine(&cores, &halves));
    findings.extend(tools::examine());
    findings
}

/// A number with commas between its thousands.
fn thousands(number: u64) -> String {
    units::thousands(number as f64)
}

/// Bytes in GiB with one decimal.
fn gib(bytes: u64) -> String {
    format!("{:.1} GiB", bytes as f64 / (1_u64 << 30) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finding_that_is_not_good_says_what_it_means() {
        let findings = doctor();
        assert!(findings.len() >= 15, "{findings:#?}");
        for finding in findings {
            assert!(finding.says.len() > 20, "{finding:?}");
        }
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!(thousands(7), "7");
        assert_eq!(thousands(1_000), "1,000");
        assert_eq!(thousands(28_232), "28,232");
        assert_eq!(thousands(1_048_576), "1,048,576");
        assert_eq!(gib(1_610_612_736), "1.5 GiB");
    }
}
