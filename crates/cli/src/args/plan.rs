//! `photofinish plan`.

use std::path::PathBuf;

use clap::Args;
use photofinish_model::settings::{JsonLayer, PlanLayer};

use super::{RESULTS, SettingsArgs, complete};

#[derive(Debug, Args)]
pub struct PlanArgs {
    /// Name of a study, whose newest results count, or a results folder
    #[arg(value_name = "STUDY", add = complete::studies_or_results())]
    pub study: String,
    #[command(flatten)]
    pub wanted: SettingsArgs<PlanLayer>,
    /// Folder with the results
    #[arg(long, value_name = "FOLDER", default_value = RESULTS)]
    pub results: PathBuf,
    #[command(flatten)]
    pub json: SettingsArgs<JsonLayer>,
}
