//! `photofinish run`, and what `compare` shares with it.

use std::path::PathBuf;

use clap::Args;
use photofinish_model::settings::{CiLayer, DetailLayer, RaceLayer};
use photofinish_study::Scale;

use super::choice::choice;
use super::{ExportArgs, SettingsArgs, complete};

#[derive(Debug, Args)]
pub struct RunArgs {
    /// Name of a study, as `photofinish list` shows it, or a study file
    #[arg(required = true, value_name = "STUDY", add = complete::studies())]
    pub studies: Vec<String>,
    /// Add targets to the study: other variants, or servers of your own, such as quarkus@virtual-threads (`photofinish list` has their names)
    #[arg(long, value_name = "TARGET", value_delimiter = ',', add = complete::targets())]
    pub with: Vec<String>,
    /// Run only these of the study's targets
    #[arg(long, value_name = "TARGET", value_delimiter = ',', add = complete::targets())]
    pub only: Vec<String>,
    /// Which of the study's load levels to run [default: those that the study file says]
    #[arg(long, value_parser = choice::<Scale>(), value_name = "SCALE")]
    pub scale: Option<Scale>,
    /// Check that everything builds, starts and responds: one round, short windows, no verdict
    #[arg(long)]
    pub smoke: bool,
    /// Leave out the study's limit, the server that shows how much this machine can do
    #[arg(long)]
    pub no_limit: bool,
    /// Resume a run that was interrupted or had failures [default folder: the study's last run]
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, add = complete::results())]
    pub resume: Option<Option<PathBuf>>,
    #[command(flatten)]
    pub race: RaceArgs,
}

/// What `run` and `compare` share.
#[derive(Debug, Args)]
#[command(next_help_heading = "Measuring")]
pub struct RaceArgs {
    /// Race this revision of the git repository, such as main, HEAD~1 or base=1a2b3c4 (named base); once: against the working tree
    #[arg(long, value_name = "[NAME=]REVISION")]
    pub rev: Vec<String>,
    #[command(flatten)]
    pub settings: SettingsArgs<RaceLayer>,
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
        default_value = super::RESULTS,
        help_heading = "Output"
    )]
    pub results: PathBuf,
    #[command(flatten)]
    pub detail: SettingsArgs<DetailLayer>,
    #[command(flatten)]
    pub exports: ExportArgs,
    #[command(flatten)]
    pub ci: SettingsArgs<CiLayer>,
}
