//! The command line.

mod compare;
mod load;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use photofinish_report::Detail;

use crate::exports::ExportArgs;
pub use compare::CompareArgs;
pub use load::{
    ArrivalsArg, CapacityArgs, GeneratorArgs, LoadArgs, RequestArgs, SchemaArgs, TlsArgs,
};

/// Races servers side by side: which is faster, by how much, and is the difference real?
#[derive(Debug, Parser)]
#[command(name = "photofinish", version, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
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
    /// Check the output of load testing tools (ab, wrk, hey, k6, JMeter, …) for figures that cannot be true
    Audit(AuditArgs),
    /// List studies and targets, and what each needs
    List(ListArgs),
    /// Check this machine: what is missing, and how noisy it is
    Doctor(DoctorArgs),
    /// The same program on another machine, driven over its standard input and output; `run --on` starts it itself
    Agent,
    /// Start a built-in server, to try things out or as a yardstick
    #[command(allow_negative_numbers = true)]
    Server(ServerArgs),
    /// Show what is kept from run to run (builds, checkouts, databases), or remove it
    Cache(CacheArgs),
    /// Print completions for a shell, such as `photofinish completions bash > /etc/bash_completion.d/photofinish`
    Completions(CompletionsArgs),
    /// Print the JSON Schema of what is written for other programs, such as `photofinish schema report`
    Schema(SchemaOfArgs),
    /// Print the manual page of photofinish, or of one of its commands: `photofinish man run | man -l -`
    Man(ManArgs),
}

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
    /// In turns, stop the other servers' processes while one of them has load; their timers and collections then fall into their own slices
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
    /// At most this long a warm-up; it ends as soon as throughput has settled
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

/// How much is printed.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct DetailArgs {
    /// Print every table: figures, verdicts, validity checks, evidence
    #[arg(long, short = 'v', conflicts_with = "quiet")]
    pub verbose: bool,
    /// Print the verdict alone, and no progress
    #[arg(long, short = 'q')]
    pub quiet: bool,
}

impl DetailArgs {
    /// What that is for a report.
    pub fn detail(self) -> Detail {
        match (self.verbose, self.quiet) {
            (true, _) => Detail::Tables,
            (_, true) => Detail::Verdict,
            _ => Detail::Ending,
        }
    }
}

/// What a CI job asks for.
#[derive(Debug, Args)]
#[command(next_help_heading = "Continuous integration")]
pub struct CiArgs {
    /// FAILED with exit code 1 if this is certain, PASSED if its contrary is, else UNDECIDED: such as 'b.p99 > a.p99 * 1.05'; also: claims, checks, different. Can be repeated
    #[arg(long, value_name = "CONDITION")]
    pub fail_if: Vec<String>,
    /// What to do where the rounds prove neither that a --fail-if is true nor that it is not: pass (and say so), or exit with code 1
    #[arg(long, value_enum, value_name = "HOW", default_value_t = UndecidedArg::Pass)]
    pub undecided: UndecidedArg,
    /// Write JUnit XML: a test case for each --fail-if, claim and validity check
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Append the report to the step summary of GitHub Actions
    #[arg(long)]
    pub step_summary: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum UndecidedArg {
    /// The job passes
    Pass,
    /// The job fails
    Fail,
}

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Results folder
    pub results: PathBuf,
    /// Results folder of a later run of the same study: report what changed; conditions then compare `after` with `before`, as in `--fail-if 'after.p99 > before.p99 * 1.05'`
    #[arg(value_name = "LATER RESULTS")]
    pub later: Option<PathBuf>,
    #[command(flatten)]
    pub ci: CiArgs,
    #[command(flatten)]
    pub exports: ExportArgs,
    /// Language in which the HTML report opens; it contains both [default: the browser's]
    #[arg(long, value_enum, requires = "html", help_heading = "Files")]
    pub lang: Option<LanguageArg>,
}

#[derive(Debug, Args)]
pub struct HistoryArgs {
    /// Results folders of runs of one study, or its folder with all of them, such as results/quickstart
    #[arg(required = true, value_name = "RESULTS")]
    pub results: Vec<PathBuf>,
    /// Show every figure as a ratio to this target's in the same run, which takes out what the machine did that day
    #[arg(long, value_name = "TARGET")]
    pub baseline: Option<String>,
    #[command(flatten)]
    pub exports: ExportArgs,
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
    /// Exit with code 1 if a figure cannot be true, or is at least doubtful
    #[arg(long, value_enum, value_name = "WHAT")]
    pub fail_if: Option<FailIf>,
}

#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Check the machines of this file instead: what each lacks, their clocks, and the network between them
    #[arg(long, value_name = "HOSTS.TOML")]
    pub on: Option<PathBuf>,
    /// Skip measuring the noise floor, which takes 20 seconds
    #[arg(long)]
    pub quick: bool,
}

#[derive(Debug, Args)]
pub struct ListArgs {
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct CacheArgs {
    /// What to do; without it: show
    #[command(subcommand)]
    pub action: Option<CacheAction>,
}

#[derive(Clone, Copy, Debug, Subcommand)]
pub enum CacheAction {
    /// Show what is kept, how large it is and how old
    Show,
    /// Remove it; what is needed again is built or fetched again
    Clear {
        /// Only what was made at least so many days ago
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

#[derive(Debug, Args)]
pub struct ServerArgs {
    /// Kind of server
    #[arg(value_enum)]
    pub kind: KindArg,
    /// Port; 0 = any free one
    #[arg(long, short = 'p', default_value_t = 8080)]
    pub port: u16,
    /// Address to listen on
    #[arg(long, default_value = "127.0.0.1")]
    pub host: std::net::IpAddr,
    /// Listen on this Unix socket instead; @NAME is an abstract one
    #[arg(long, value_name = "PATH", conflicts_with_all = ["port", "host"])]
    pub unix_socket: Option<PathBuf>,
    /// event-loop: number of threads [default: one for each core it may use]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// event-loop, delay, websocket-echo, grpc-echo: speak TLS, with a certificate made at the start for localhost and the address
    #[arg(long)]
    pub tls: bool,
    /// event-loop, delay: speak HTTP/2 too, as the client begins (h2c) or, with --tls, as agreed on in the handshake (ALPN), and reply to calls over gRPC as grpc-echo does
    #[arg(long)]
    pub http2: bool,
    /// Write the certificate of its issuer to this file, for clients to trust (--cacert)
    #[arg(long, value_name = "FILE", requires = "tls")]
    pub ca: Option<PathBuf>,
    /// event-loop, thread-per-connection: use so much more CPU time for each request, such as 1.5% of its own
    #[arg(long, value_name = "SHARE")]
    pub slower: Option<String>,
    /// delay: how long a response takes
    #[arg(long, value_name = "TIME", default_value = "1ms")]
    pub delay: String,
    /// delay: how long a slow response takes
    #[arg(long, value_name = "TIME", default_value = "20ms")]
    pub slow: String,
    /// delay: every so many-th response is slow; 0 = none
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub slow_one_in: u64,
    /// delay: freeze once, this long after the first request
    #[arg(long, value_name = "TIME")]
    pub freeze_after: Option<String>,
    /// delay: how long it freezes
    #[arg(long, value_name = "TIME", default_value = "1s")]
    pub freeze_for: String,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum KindArg {
    /// A few threads, each with an event loop for many connections
    EventLoop,
    /// One blocking thread for each connection
    ThreadPerConnection,
    /// WebSocket: sends each message back, with one blocking thread for each connection
    #[value(name = "websocket-echo")]
    WebSocketEcho,
    /// gRPC, over h2c or --tls: /echo.Echo/Unary sends the message back, /echo.Echo/Stream three times
    GrpcEcho,
    /// Responds after known delays; /truth reports what it measured itself
    Delay,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailIf {
    /// A figure that cannot be true
    Impossible,
    /// A figure that is doubtful or cannot be true
    Doubtful,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum LanguageArg {
    /// English
    En,
    /// 中文
    Zh,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_sound_and_speaks_of_responses() {
        let mut cli = Cli::command();
        cli.build();
        cli.clone().debug_assert();
        for command in cli.get_subcommands_mut() {
            let help = command.render_long_help().to_string().to_lowercase();
            for word in ["answer ", "answers", "honest", "ruler", "tells"] {
                assert!(!help.contains(word), "{word}: {help}");
            }
        }
    }
}
