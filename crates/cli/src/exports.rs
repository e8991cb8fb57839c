//! The flags that write a report to a file: one for each format that `photofinish_report::exports` lists.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, value_parser};
use photofinish_report::export::Export;
use photofinish_report::exports::ALL;

/// The formats that were asked for, each with its file.
#[derive(Clone, Default)]
pub struct ExportArgs(pub Vec<(&'static dyn Export, PathBuf)>);

impl std::fmt::Debug for ExportArgs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let flags = self.0.iter().map(|(format, file)| (format.name(), file));
        f.debug_map().entries(flags).finish()
    }
}

impl FromArgMatches for ExportArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<ExportArgs, clap::Error> {
        let asked = ALL.into_iter().filter_map(|format| {
            let file = matches.get_one::<PathBuf>(format.name())?;
            Some((format, file.clone()))
        });
        Ok(ExportArgs(asked.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = ExportArgs::from_arg_matches(matches)?;
        Ok(())
    }
}

/// What hyperfine calls a format's flag.
fn name_in_hyperfine(format: &str) -> Option<&'static str> {
    match format {
        "json" => Some("export-json"),
        "csv" => Some("export-csv"),
        "markdown" => Some("export-markdown"),
        _ => None,
    }
}

impl Args for ExportArgs {
    fn augment_args(command: Command) -> Command {
        let flag = |format: &'static dyn Export| {
            Arg::new(format.name())
                .long(format.name())
                .aliases(name_in_hyperfine(format.name()))
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help_heading("Files")
                .help(format.help())
        };
        command.args(ALL.map(flag))
    }

    fn augment_args_for_update(command: Command) -> Command {
        ExportArgs::augment_args(command)
    }
}
