//! The flags that write a report to a file: one for each format that `photofinish_report::exports` lists.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use photofinish_report::export::Format;
use photofinish_report::exports::ALL;

use super::settings::arg;

/// The formats that were asked for, each with its file.
#[derive(Clone, Debug, Default)]
pub struct ExportArgs(pub Vec<(&'static Format, PathBuf)>);

impl FromArgMatches for ExportArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<ExportArgs, clap::Error> {
        let asked = ALL.iter().filter_map(|format| {
            let file = matches.get_one::<PathBuf>(format.row.name)?;
            Some((format, file.clone()))
        });
        Ok(ExportArgs(asked.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = ExportArgs::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for ExportArgs {
    fn augment_args(command: Command) -> Command {
        let flag = |Format { row, .. }: &'static Format| -> Option<Arg> {
            let arg = arg(row, row.flag?);
            Some(arg.help(row.help()).help_heading("Files"))
        };
        command.args(ALL.iter().filter_map(flag))
    }

    fn augment_args_for_update(command: Command) -> Command {
        ExportArgs::augment_args(command)
    }
}
