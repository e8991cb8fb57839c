//! `photofinish run`, and what `compare` shares with it.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use photofinish_study::{MAX_ROUNDS, ROUNDS};

use super::{CiArgs, DetailArgs};
use crate::exports::ExportArgs;

#[derive(Debug, Args)]
pub struct RunArgs {
    /// Name of a study, as `photofinish list` shows it, or a study file
    #[arg(required = true, value_name = "STUDY")]
    pub studies: Vec<String>,
    /// Add targets to the study: other variants, or servers of your own, such as quarkus@virtual-threads (`photofinish list` has their names)
    #[arg(long, value_name = "TARGET", value_delimiter = ',')]
    pub with: Vec<String>,
    /// Run only these of the study's targets
    #[arg(long, value_name = "TARGET", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Which of the study's load levels to run [default: those that the study file says]
    #[arg(long, value_enum, value_name = "SCALE")]
    pub scale: Option<ScaleArg>,
    /// Check that everything builds, starts and responds: one round, short windows, no verdict
    #[arg(long)]
    pub smoke: bool,
    /// Leave out the study's limit, the server that shows how much this machine can do
    #[arg(long)]
    pub no_limit: bool,
    /// Resume a run that was interrupted or had failures [default folder: the study's last run]
    #[arg(long, value_name = "FOLDER", num_args = 0..=1)]
    pub resume: Option<Option<PathBuf>>,
    #[command(flatten)]
    pub race: RaceArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ScaleArg {
    /// The levels of the published figures
    Published,
    /// The smallest level of each workload
    Small,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum WhyArg {
    /// Locks, pools, the network, other threads: for how long a request waits for each
    Wall,
}

/// What `run` and `compare` share.
#[derive(Debug, Args)]
#[command(next_help_heading = "Measuring")]
pub struct RaceArgs {
    /// Race this revision of the git repository, such as main, HEAD~1 or base=1a2b3c4 (named base); once: against the working tree
    #[arg(long, value_name = "[NAME=]REVISION")]
    pub rev: Vec<String>,
    /// Number of rounds; in each, every target is measured in a new process [default: as the study says, else 5; compare: 7]
    #[arg(long, value_name = "N", value_parser = rounds, allow_negative_numbers = true)]
    pub rounds: Option<u32>,
    /// Add rounds until every verdict is decided, or every --fail-if if there are any; intervals are widened for the repeated looks
    #[arg(long)]
    pub until_decided: bool,
    /// Run all servers at the same time and measure them in turns, in short slices, so that a slow spell of the machine affects all of them [default, unless the study says `turns = false`]
    #[arg(long, conflicts_with = "sequential")]
    pub turns: bool,
    /// Measure one target after the other, while no other target's server runs
    #[arg(long)]
    pub sequential: bool,
    /// In turns, pause the other servers' processes while one of them is loaded, so that their timers and garbage collections fall into their own slices
    #[arg(long, conflicts_with = "sequential")]
    pub freeze: bool,
    /// Give servers the usual CPU priority, not the highest (nice -20), which they have on their cores where photofinish runs as root, starts all of them itself and there is no database
    #[arg(long)]
    pub usual_priority: bool,
    /// Sample the servers' call stacks, in slices beside the measured ones, to show what their CPU time is spent on [default: if that takes less than a tenth of the time]
    #[arg(long, conflicts_with = "no_profile")]
    pub profile: bool,
    /// Do not sample call stacks
    #[arg(long)]
    pub no_profile: bool,
    /// Also sample what the threads of Java servers wait for, in slices of their own: wall = by the wall clock
    #[arg(long, value_enum, value_name = "wall")]
    pub why: Option<WhyArg>,
    /// At most this many rounds with --until-decided [default: 20]
    #[arg(long, value_name = "N", value_parser = max_rounds, allow_negative_numbers = true)]
    pub max_rounds: Option<u32>,
    /// Time for all rounds together, such as 20m: no round begins that would not end by then, and time that is left goes into longer measurements [default: as the study says, else none; compare: 85s for two servers at one level]
    #[arg(long, value_name = "TIME")]
    pub within: Option<String>,
    /// Length of each measurement, and of each step of a capacity search, such as 5s or 500ms [default: as the study says, else 5s; compare: 2.5s]
    #[arg(long, short = 'd', value_name = "TIME")]
    pub duration: Option<String>,
    /// How long to send load before each measurement, such as 2s [default: as the study says, else 1s]
    #[arg(long, value_name = "TIME")]
    pub lead_in: Option<String>,
    /// Longest warm-up, such as 30s; it ends earlier, once throughput is steady [default: as the study says, else 60s]
    #[arg(long, value_name = "TIME")]
    pub warmup: Option<String>,
    /// Also race the first target against a copy of itself (A/A): the difference between the two is the noise floor
    #[arg(long)]
    pub aa: bool,
    /// CPU cores for servers and load generator: split (half of the cores each), none (not pinned), or such as server=0-1,generator=2-3
    #[arg(long, value_name = "LANES")]
    pub lanes: Option<String>,
    /// File that says on which machines servers and load generators run (docs/machines.md) [default: on this one]
    #[arg(long, value_name = "HOSTS.TOML")]
    pub on: Option<PathBuf>,
    /// Seed of all random choices, to repeat a run in the same order
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Folder to write results to
    #[arg(
        long,
        value_name = "FOLDER",
        default_value = "results",
        help_heading = "Output"
    )]
    pub results: PathBuf,
    #[command(flatten)]
    pub detail: DetailArgs,
    #[command(flatten)]
    pub exports: ExportArgs,
    #[command(flatten)]
    pub ci: CiArgs,
}

/// What is no count at all is told what is allowed, as one that is out of range is.
fn count(text: &str, allowed: &RangeInclusive<u32>) -> Result<u32, String> {
    text.parse().map_err(|_| {
        let (from, to) = (allowed.start(), allowed.end());
        format!("a number of rounds is {from} to {to}")
    })
}

fn rounds(text: &str) -> Result<u32, String> {
    count(text, &ROUNDS)
}

fn max_rounds(text: &str) -> Result<u32, String> {
    count(text, &MAX_ROUNDS)
}
