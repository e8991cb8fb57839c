//! The `photofinish` binary: arguments in, exit codes out.

#![forbid(unsafe_code)]

mod args;
mod ci;
mod commands;
mod exit;
mod foreign;
mod interim;
mod live;
mod machines;
mod out;
mod outputs;
mod pager;
mod process;
mod progress;
mod request;
mod screen;
mod signals;
mod steps;
mod view;
mod words;

use std::env;
use std::process::ExitCode;

use args::{Cli, Command};
use clap::CommandFactory;
use clap_complete::CompleteEnv;
use exit::Failure;
use photofinish_host::{agent, leftovers};
use photofinish_model::secret::{mask, remember_environment};
use photofinish_model::{notice, text};

fn main() -> ExitCode {
    // A keeper's arguments are a server's command line, which is not ours to parse.
    let mut words = env::args_os().skip(1);
    if words.next().is_some_and(|word| word == "__keep") {
        return photofinish_host::keep(words);
    }
    CompleteEnv::with_factory(Cli::command)
        .var(commands::manual::COMPLETE)
        .complete();
    signals::report_full_files();
    remember_environment();
    let cli = Cli::of_process().unwrap_or_else(|error| refuse(&error));
    notice::print_by(match cli.command {
        Command::Agent => agent::print_notice,
        _ => out::note,
    });
    if cli.command.measures() {
        (leftovers::end().iter()).for_each(|left| notice::print(left));
    }
    let done = match cli.command {
        Command::Run(args) => commands::run::run(&args),
        Command::Compare(args) => commands::compare::compare(&args),
        Command::Load(args) => commands::load::load(&args),
        Command::Capacity(args) => commands::capacity::capacity(&args),
        Command::Report(args) => commands::report::report(&args),
        Command::History(args) => commands::history::history(&args),
        Command::Plan(args) => commands::plan::plan(&args),
        Command::Audit(args) => commands::audit::audit(&args),
        Command::List(args) => commands::list::list(&args),
        Command::Doctor(args) => commands::doctor::doctor(&args),
        Command::Agent => commands::agent::agent(),
        Command::Server(args) => commands::server::server(&args),
        Command::Cache(args) => commands::cache::cache(&args),
        Command::Completions(args) => commands::manual::completions(&args),
        Command::Schema(args) => commands::schema::schema(&args),
        Command::Man(args) => commands::manual::man(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure @ Failure::Request(_)) => {
            let words: Vec<String> = commands::run::words().collect();
            match foreign::with_one_dash(&words) {
                Some(answer) => Failure::request(answer).end(),
                None => failure.end(),
            }
        }
        Err(failure) => failure.end(),
    }
}

/// A word of this many bytes is quoted as it was typed.
const SHORT: usize = 1_000;

/// Ends with what clap says of the arguments, which are quoted as they were typed unless they would act on the terminal or fill it.
fn refuse(error: &clap::Error) -> ! {
    let words: Vec<String> = commands::run::words().collect();
    let is_refused = error.use_stderr() || foreign::asks_for_no_help(&words);
    let answer = || {
        let foreign = foreign::answer(&words, &foreign::refused_argument(error));
        foreign.or_else(|| Cli::lacks(&words, error))
    };
    if let Some(answer) = is_refused.then(answer).flatten() {
        out::note(&format!("photofinish: {answer}"));
        std::process::exit(2);
    }
    let may_be_quoted = |word: std::ffi::OsString| {
        let text = word.to_string_lossy();
        word.len() <= SHORT
            && text::is_clean(&text)
            && text::no_commands(&text) == text
            && mask(&text) == text
    };
    if !env::args_os().all(may_be_quoted) {
        out::note(error.to_string().trim_end());
        std::process::exit(error.exit_code());
    }
    error.exit()
}
