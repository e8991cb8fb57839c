//! `photofinish run`, and what `compare` shares with it.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{CiArgs, DetailArgs};
use crate::exports::ExportArgs;

#[derive(Debug, Args)]
pub struct RunArgs {
    /// A study by name, or a study file
    #[arg(required = true, value_name = "STUDY")]
    pub studies: Vec<String>,
    /// Add targets to the study: other variants, or servers of your own (as `photofinish list` names them)
    #[arg(long, value_name = "TARGET", value_delimiter = ',')]
    pub with: Vec<String>,
    /// Run only these targets (as `photofinish list` names them)
    #[arg(long, value_name = "TARGET", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Which of the study's load levels to run [default: as the study says]
    #[arg(long, value_enum, value_name = "SCALE")]
    pub scale: Option<ScaleArg>,
    /// Check that everything builds, starts and responds: one round, short windows, no verdict
    #[arg(long)]
    pub smoke: bool,
    /// Leave out the study's limit, the server that shows what this machine can do
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

/// What `run` and `compare` share.
#[derive(Debug, Args)]
#[command(next_help_heading = "Measuring")]
pub struct RaceArgs {
    /// Race this revision of the git repository, such as main, HEAD~1 or base=1a2b3c4 (named base); once: against the working tree
    #[arg(long, value_name = "[NAME=]REVISION")]
    pub rev: Vec<String>,
    /// How many rounds; in each, every target is measured in a new process
    #[arg(long, value_name = "N")]
    pub rounds: Option<u32>,
    /// Add rounds until every verdict is decided, or every --fail-if where there are some; intervals allow for looking repeatedly
    #[arg(long)]
    pub until_decided: bool,
    /// Have all targets up together and measure them in turns of short slices, so that a slow spell of the machine meets them all [default, unless the study says `turns = false`]
    #[arg(long, conflicts_with = "solo")]
    pub turns: bool,
    /// Measure one target after the other, with no other target's server up
    #[arg(long)]
    pub solo: bool,
    /// In turns, pause the other servers' processes while one of them has load; their timers and garbage collections then fall into their own slices
    #[arg(long, conflicts_with = "solo")]
    pub freeze: bool,
    /// Show what the servers' CPU time is spent on, by sampling their call stacks in load beside the measured one [default: where that takes less than a tenth of the time]
    #[arg(long, conflicts_with = "no_profile")]
    pub profile: bool,
    /// Sample no call stacks
    #[arg(long)]
    pub no_profile: bool,
    /// At most this many rounds with --until-decided [default: 20]
    #[arg(long, value_name = "N")]
    pub max_rounds: Option<u32>,
    /// Length of each measurement, and of each step of a capacity search, such as 5s or 500ms
    #[arg(long, short = 'd', value_name = "TIME")]
    pub duration: Option<String>,
    /// How long to apply the load before each measurement [default: 1s, or as the study says]
    #[arg(long, value_name = "TIME")]
    pub lead_in: Option<String>,
    /// Longest warm-up; it ends as soon as throughput has settled
    #[arg(long, value_name = "TIME")]
    pub warmup: Option<String>,
    /// Also race the first target against a copy of itself: how much these two differ is the noise floor
    #[arg(long)]
    pub aa: bool,
    /// Cores for server and load generator: split, none, or server=0-1,generator=2-3
    #[arg(long, value_name = "LANES")]
    pub lanes: Option<String>,
    /// File that says which machines servers and load generator run on [default: both on this one]
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
