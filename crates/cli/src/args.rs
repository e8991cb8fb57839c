//! The command line.

mod brief;
mod choice;
mod compare;
mod complete;
mod exports;
mod load;
mod plan;
mod race;
mod server;
mod settings;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use photofinish_model::settings::{CiLayer, DetailLayer, DetailSettings, JsonLayer};
use photofinish_report::Detail;
use photofinish_voice::Language;

use choice::choice;
pub use compare::{At, CompareArgs};
pub use exports::ExportArgs;
pub use load::{CapacityArgs, FileArgs, GeneratorArgs, LoadArgs, RequestArgs};
pub use plan::PlanArgs;
pub use race::{RaceArgs, RunArgs};
pub use server::{KindArg, ServerArgs};
pub use settings::SettingsArgs;

/// Races servers side by side: which is faster, by how much, and is the difference real?
#[derive(Debug, Parser)]
#[command(name = "photofinish", version, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Reads the arguments of this process.
    ///
    /// # Errors
    /// If clap refuses them, or help is asked for.
    pub fn of_process() -> Result<Cli, clap::Error> {
        let matches = brief::brief(Cli::command()).try_get_matches()?;
        Cli::from_arg_matches(&matches)
    }

    /// Returns what these words lack that their command always needs, if that is why they are refused.
    pub fn lacks(words: &[String], error: &clap::Error) -> Option<String> {
        brief::lacks(words, error)
    }
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a study: targets race in interleaved rounds; prints a verdict and writes a report
    #[command(allow_negative_numbers = true)]
    Run(RunArgs),
    /// Race commands that each start a server, revisions of one, or servers that run already
    #[command(allow_negative_numbers = true)]
    Compare(Box<CompareArgs>),
    /// Load a server that is already running
    #[command(allow_negative_numbers = true)]
    Load(LoadArgs),
    /// Find the highest rate at which a server meets an objective
    Capacity(CapacityArgs),
    /// Report on results: in the terminal, as HTML, Markdown, CSV or JSON; or compare two runs
    Report(ReportArgs),
    /// Show a study's runs over time: each figure from run to run, where it shifted, and machine changes
    History(HistoryArgs),
    /// Show how many rounds and how much time a half-width takes, by the spread of a study's newest results
    Plan(PlanArgs),
    /// Check the output of load testing tools (ab, wrk, hey, k6, JMeter, …) for figures that cannot be true
    Audit(AuditArgs),
    /// List studies and targets, and what each needs
    List(ListArgs),
    /// Check this machine: what is missing, and how noisy it is
    Doctor(DoctorArgs),
    /// Do the work of another photofinish, over standard input and output; `--on` starts this on other machines by itself
    Agent,
    /// Start a built-in server, to try things out or as a yardstick
    #[command(allow_negative_numbers = true)]
    Server(ServerArgs),
    /// Show what is kept from run to run (builds, checkouts, databases), or remove it
    Cache(CacheArgs),
    /// Print completions for a shell, such as `photofinish completions bash > /etc/bash_completion.d/photofinish`
    Completions(CompletionsArgs),
    /// Print the JSON Schema of files: those that photofinish reads, such as `photofinish schema study-file`, and those that it writes, such as `photofinish schema report`
    Schema(SchemaOfArgs),
    /// Print the manual page of photofinish, or of one of its commands: `photofinish man run | man -l -`
    Man(ManArgs),
}

impl Command {
    /// Whether it starts servers or sends load, which what an earlier run has left would disturb.
    pub fn measures(&self) -> bool {
        matches!(
            self,
            Command::Run(_)
                | Command::Compare(_)
                | Command::Load(_)
                | Command::Capacity(_)
                | Command::Doctor(_)
                | Command::Agent
        )
    }
}

/// How much of a report is printed.
pub fn detail(given: &DetailSettings) -> Detail {
    match (given.verbose, given.quiet) {
        (true, _) => Detail::Tables,
        (_, true) => Detail::Verdict,
        _ => Detail::Ending,
    }
}

/// Where results are looked for if none are named.
pub const RESULTS: &str = "results";

/// What stands for the folder of the newest run there.
pub const LATEST: &str = "latest";

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Results folder, or `latest`: the newest run under results/ [default: list the runs there with their verdicts]
    #[arg(value_name = "RESULTS", add = complete::latest_or_results())]
    pub results: Option<PathBuf>,
    /// Results folder of a later run of the same study: report what changed; conditions then compare `after` with `before`, as in `--fail-if 'after.p99 > before.p99 * 1.05'`
    #[arg(value_name = "LATER RESULTS", add = complete::results())]
    pub later: Option<PathBuf>,
    #[command(flatten)]
    pub detail: SettingsArgs<DetailLayer>,
    #[command(flatten)]
    pub ci: SettingsArgs<CiLayer>,
    #[command(flatten)]
    pub exports: ExportArgs,
    /// Language in which the HTML report opens; it contains both [default: the browser's]
    #[arg(long, value_parser = choice::<Language>(), requires = "html", help_heading = "Files")]
    pub lang: Option<Language>,
}

#[derive(Debug, Args)]
pub struct HistoryArgs {
    /// Results folders of runs of one study, or its folder with all of them, such as results/quickstart
    #[arg(required = true, value_name = "RESULTS", add = complete::results())]
    pub results: Vec<PathBuf>,
    /// Show every figure as a ratio to this target's in the same run, so that changes of the machine from day to day cancel out
    #[arg(long, value_name = "TARGET")]
    pub baseline: Option<String>,
    #[command(flatten)]
    pub exports: ExportArgs,
}

/// Bits a second of a rate such as `10Gbit`.
fn bits(text: &str) -> Result<f64, String> {
    let lower = text.to_ascii_lowercase();
    let number = lower.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '/');
    let by = match lower[number.len()..].trim_end_matches("/s") {
        "gbit" => 1e9,
        "mbit" => 1e6,
        "kbit" => 1e3,
        _ => 0.0,
    };
    let rate = number.trim().parse::<f64>().map(|n| n * by).unwrap_or(0.0);
    match rate.is_finite() && rate > 0.0 {
        true => Ok(rate),
        false => Err("a rate is a number and Gbit, Mbit or kbit, such as 10Gbit".into()),
    }
}

#[derive(Debug, Args)]
pub struct AuditArgs {
    /// Files with the output of the tools (- for standard input)
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Print the findings as JSON
    #[arg(long)]
    pub json: bool,
    /// Also show the checks that passed
    #[arg(long, short = 'v')]
    pub verbose: bool,
    /// Add a layout: how another tool prints its report (docs/audit.md)
    #[arg(long, value_name = "LAYOUT.TOML")]
    pub layout: Vec<PathBuf>,
    /// Audit whole boards: tables of many servers. Several files, or a folder, are months of one board, in order
    #[arg(long, conflicts_with_all = ["layout", "verbose"])]
    pub board: bool,
    /// Write the audit of boards as one HTML page, with their figures against Little's law
    #[arg(long, value_name = "FILE", requires = "board")]
    pub html: Option<PathBuf>,
    /// Write the findings about boards as CSV
    #[arg(long, value_name = "FILE", requires = "board")]
    pub csv: Option<PathBuf>,
    /// Rate of the network between load generator and servers, such as 10Gbit: no board can have more
    #[arg(long, value_name = "RATE", requires = "board", value_parser = bits)]
    pub link: Option<f64>,
    /// Exit with code 1 if a figure cannot be true, or is at least doubtful
    #[arg(long, value_enum, value_name = "WHAT")]
    pub fail_if: Option<FailIf>,
}

#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Check the machines in this file instead: what each lacks, their clocks, and the network between them (docs/machines.md)
    #[arg(long, value_name = "HOSTS.TOML")]
    pub on: Option<PathBuf>,
    /// Skip measuring the noise floor, which takes some 20 seconds
    #[arg(long)]
    pub quick: bool,
}

#[derive(Debug, Args)]
pub struct ListArgs {
    #[command(flatten)]
    pub json: SettingsArgs<JsonLayer>,
}

#[derive(Debug, Args)]
pub struct CacheArgs {
    /// What to do [default: show]
    #[command(subcommand)]
    pub action: Option<CacheAction>,
}

#[derive(Clone, Copy, Debug, Subcommand)]
pub enum CacheAction {
    /// Show what is kept, its size and age
    Show,
    /// Remove what is kept; what is needed later is built or fetched again
    Clear {
        /// Only what is at least this many days old
        #[arg(long, value_name = "DAYS", default_value_t = 0)]
        older_than: u64,
    },
}

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// Shell
    #[arg(value_enum)]
    pub shell: Shell,
}

#[derive(Debug, Args)]
pub struct SchemaOfArgs {
    /// Format [default: list them, with their versions]
    #[arg(value_name = "FORMAT")]
    pub format: Option<String>,
}

#[derive(Debug, Args)]
pub struct ManArgs {
    /// Command [default: photofinish itself]
    #[arg(value_name = "COMMAND")]
    pub command: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailIf {
    /// A figure that cannot be true
    Impossible,
    /// A figure that is doubtful or cannot be true
    Doubtful,
}
