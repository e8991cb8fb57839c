//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use photofinish_report::Detail;

/// Races servers side by side: says which is faster, by how much, and whether the gap is real.
#[derive(Debug, Parser)]
#[command(name = "photofinish", version, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run studies by name or file: trials in interleaved rounds, a verdict, results on disk
    #[command(allow_negative_numbers = true)]
    Run(RunArgs),
    /// Race two commands that each start a server
    #[command(allow_negative_numbers = true)]
    Compare(CompareArgs),
    /// Load one server that runs already
    #[command(allow_negative_numbers = true)]
    Load(LoadArgs),
    /// Find the highest rate at which a server holds an objective
    Capacity(CapacityArgs),
    /// Draw the results of a run again
    Report(ReportArgs),
    /// Read what ab, wrk, JMeter or go-stress-testing printed, and say which figures cannot be true
    Audit(AuditArgs),
    /// The studies and targets that are here, and what each needs
    List(ListArgs),
    /// What this machine lacks, and what makes it noisy
    Doctor(DoctorArgs),
    /// A built-in server, for trying things out and as a ruler
    #[command(allow_negative_numbers = true)]
    Server(ServerArgs),
}

#[derive(Debug, Args)]
pub struct RunArgs {
    /// Names of studies, or study files
    #[arg(required = true, value_name = "STUDY")]
    pub studies: Vec<String>,
    /// Run these targets too: other variants, or servers of your own (labels as `photofinish list` shows them)
    #[arg(long, value_name = "TARGET", value_delimiter = ',')]
    pub with: Vec<String>,
    /// Run only these targets (labels as `photofinish list` shows them)
    #[arg(long, value_name = "TARGET", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Which of a study's own load levels run: those at which the figures were published, or the smallest only [default:
    /// the study's own choice]
    #[arg(long, value_enum, value_name = "SCALE")]
    pub scale: Option<ScaleArg>,
    /// One round, short windows, no statistics: does everything build, start and answer?
    #[arg(long)]
    pub smoke: bool,
    /// Leave out the study's limit: the server that shows what this machine can do
    #[arg(long)]
    pub no_limit: bool,
    /// Go on with a run that was interrupted or had failures: its results folder, or the study's last one
    #[arg(long, value_name = "FOLDER", num_args = 0..=1)]
    pub resume: Option<Option<PathBuf>>,
    #[command(flatten)]
    pub race: RaceArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ScaleArg {
    /// The levels at which the figures were published
    Published,
    /// Each workload's smallest level only
    Small,
}

/// What `run` and `compare` share.
#[derive(Debug, Args)]
pub struct RaceArgs {
    /// Rounds: each target has one trial, in a new server process, in each
    #[arg(long, value_name = "N")]
    pub rounds: Option<u32>,
    /// Add rounds until every verdict is decided, with a bound for looking again and again
    #[arg(long)]
    pub until_decided: bool,
    /// The most rounds with --until-decided [default: 20]
    #[arg(long, value_name = "N")]
    pub max_rounds: Option<u32>,
    /// The length of each measurement, and of each step of a search, such as 5s or 500ms
    #[arg(long, short = 'd', value_name = "TIME")]
    pub duration: Option<String>,
    /// How long load flows before each measurement [default: 1s, or what the study says]
    #[arg(long, value_name = "TIME")]
    pub lead_in: Option<String>,
    /// The longest warm-up of a trial; it ends earlier when the throughput has settled
    #[arg(long, value_name = "TIME")]
    pub warmup: Option<String>,
    /// Race the first target against a second copy of itself too: by how much it differs is the noise floor
    #[arg(long)]
    pub aa: bool,
    /// Which cores server and generator get: split, none, or server=0-1,generator=2-3
    #[arg(long, value_name = "LANES")]
    pub lanes: Option<String>,
    /// The seed of every random choice, to hold the same race again
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub ci: CiArgs,
    /// Where results folders are made
    #[arg(long, value_name = "FOLDER", default_value = "results")]
    pub results: PathBuf,
    #[command(flatten)]
    pub detail: DetailArgs,
}

/// How much is printed.
#[derive(Clone, Copy, Debug, Args)]
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
pub struct CiArgs {
    /// End with exit code 1 where this holds beyond doubt, such as 'b.p99 > a.p99 * 1.05'; also: claims, checks, different. May be given several times
    #[arg(long, value_name = "CONDITION")]
    pub fail_if: Vec<String>,
    /// Write JUnit XML to this file: a test case for each --fail-if, claim and check
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Append the report to the step summary of GitHub Actions
    #[arg(long)]
    pub step_summary: bool,
}

#[derive(Debug, Args)]
pub struct CompareArgs {
    /// The command that starts server A; {port} is filled in
    #[arg(value_name = "CMD A")]
    pub a: String,
    /// The command that starts server B; {port} is filled in
    #[arg(value_name = "CMD B")]
    pub b: String,
    /// What to ask for, such as http://127.0.0.1:{port}/plaintext
    #[arg(long)]
    pub url: String,
    /// What to call them
    #[arg(long, value_name = "A,B", value_delimiter = ',', num_args = 1)]
    pub names: Vec<String>,
    /// Connections; several levels are separated by commas
    #[arg(
        long,
        short = 'c',
        value_name = "N",
        value_delimiter = ',',
        default_value = "100"
    )]
    pub connections: Vec<u32>,
    #[command(flatten)]
    pub request: RequestArgs,
    #[command(flatten)]
    pub race: RaceArgs,
}

/// What is sent and what must come back.
#[derive(Debug, Args)]
pub struct RequestArgs {
    /// The request's method
    #[arg(long, short = 'm', value_name = "METHOD", default_value = "GET")]
    pub method: String,
    /// A header, such as 'Accept: text/plain'; may be given several times
    #[arg(long = "header", short = 'H', value_name = "NAME: VALUE")]
    pub headers: Vec<String>,
    /// The request's body; @FILE reads it from a file
    #[arg(long, value_name = "TEXT")]
    pub body: Option<String>,
    /// The status that every answer must have [default: any from 200 to 399]
    #[arg(long, value_name = "STATUS", value_parser = clap::value_parser!(u16).range(100..=599))]
    pub expect_status: Option<u16>,
    /// The body that every answer must have; @FILE reads it from a file
    #[arg(long, value_name = "TEXT")]
    pub expect_body: Option<String>,
    /// How long an answer may take
    #[arg(long, value_name = "TIME", default_value = "10s")]
    pub timeout: String,
}

#[derive(Debug, Args)]
pub struct LoadArgs {
    /// The URL, such as http://127.0.0.1:8080/plaintext, or tcp://127.0.0.1:8080 for a TCP echo
    pub url: String,
    /// For how long [default: 10s]
    #[arg(long, short = 'd', value_name = "TIME", conflicts_with = "requests")]
    pub duration: Option<String>,
    /// How many requests, exactly
    #[arg(long, short = 'n', value_name = "N")]
    pub requests: Option<u64>,
    /// Open loop: requests per second over all connections, whether or not answers are in
    #[arg(long, value_name = "R", conflicts_with = "requests")]
    pub rate: Option<f64>,
    /// Open loop: rates one after another, such as 10s@1000,30s@1000..5000 (.. is a ramp)
    #[arg(long, value_name = "TIME@R,...", conflicts_with_all = ["requests", "rate", "duration"])]
    pub stages: Option<String>,
    /// How the gaps between requests of an open loop are distributed
    #[arg(long, value_enum, default_value_t = ArrivalsArg::Poisson)]
    pub arrivals: ArrivalsArg,
    /// Print the result as one JSON object
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub detail: DetailArgs,
    #[command(flatten)]
    pub generator: GeneratorArgs,
    #[command(flatten)]
    pub request: RequestArgs,
}

/// What `load` and `capacity` share beside the request.
#[derive(Debug, Args)]
pub struct GeneratorArgs {
    /// A TCP echo's messages: so many bytes, such as 300, 1k (1024 bytes) or 16m
    #[arg(long, value_name = "SIZE")]
    pub size: Option<String>,
    /// Connections
    #[arg(long, short = 'c', value_name = "N", default_value_t = 100)]
    pub connections: u32,
    /// Threads [default: half of the cores for a server on this machine, else all]
    #[arg(long, short = 't', value_name = "N")]
    pub threads: Option<usize>,
    /// The seed of random arrivals
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Load a host that is neither this machine nor in a private network
    #[arg(long)]
    pub allow_remote: bool,
}

#[derive(Debug, Args)]
pub struct CapacityArgs {
    /// The URL, such as http://127.0.0.1:8080/plaintext
    pub url: String,
    /// What must hold, such as 'p99 < 10ms and errors < 0.1%'; p50, p90, p95, p99, p999, mean, max, errors
    #[arg(long, value_name = "OBJECTIVE")]
    pub slo: String,
    /// How long each rate is measured; longer where it is low
    #[arg(long, value_name = "TIME", default_value = "3s")]
    pub step: String,
    /// The first rate, in requests per second
    #[arg(long, value_name = "R", default_value_t = 1000.0)]
    pub start: f64,
    /// How near the highest rate that holds and the lowest that does not must be, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 2.0)]
    pub precision: f64,
    /// At most so many rates are tried
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub max_steps: u32,
    /// No further rate is tried after so long
    #[arg(long, value_name = "TIME", default_value = "5m")]
    pub max_time: String,
    /// Print the result as one JSON object
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub detail: DetailArgs,
    #[command(flatten)]
    pub generator: GeneratorArgs,
    #[command(flatten)]
    pub request: RequestArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ArrivalsArg {
    Poisson,
    Constant,
}

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// A results folder
    pub results: PathBuf,
    /// A later run of the same study: what has changed since the first one
    #[arg(value_name = "LATER RESULTS", conflicts_with_all = ["html", "csv", "fail_if", "junit", "step_summary"])]
    pub later: Option<PathBuf>,
    #[command(flatten)]
    pub ci: CiArgs,
    /// Write one HTML file that works offline (- for standard output)
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// The language in which the HTML report opens; it holds both
    #[arg(long, value_enum, default_value_t = LanguageArg::En, requires = "html")]
    pub lang: LanguageArg,
    /// Write Markdown to this file (- for standard output)
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// Write JSON to this file (- for standard output)
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write CSV, a row a measurement, to this file (- for standard output)
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct AuditArgs {
    /// Files that hold what the tools printed (- for standard input)
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Print the findings as JSON
    #[arg(long)]
    pub json: bool,
    /// Show the checks that hold, too
    #[arg(long, short = 'v')]
    pub verbose: bool,
    /// End with exit code 1 when a figure is found that cannot be true, or is at least doubtful
    #[arg(long, value_enum, value_name = "WHAT")]
    pub fail_if: Option<FailIf>,
}

#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Leave out the 20 seconds in which a server is raced against itself
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
pub struct ServerArgs {
    /// How it serves
    #[arg(value_enum)]
    pub kind: KindArg,
    /// The port; 0 = any free one
    #[arg(long, short = 'p', default_value_t = 8080)]
    pub port: u16,
    /// The address
    #[arg(long, default_value = "127.0.0.1")]
    pub host: std::net::IpAddr,
    /// Event loops [default: as many as there are cores for it] (event-loop)
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// How late every answer is (delay)
    #[arg(long, value_name = "TIME", default_value = "1ms")]
    pub delay: String,
    /// How late a slow answer is (delay)
    #[arg(long, value_name = "TIME", default_value = "20ms")]
    pub slow: String,
    /// One answer in so many is slow; 0 = none (delay)
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub slow_one_in: u64,
    /// Freeze once, this long after the first request (delay)
    #[arg(long, value_name = "TIME")]
    pub freeze_after: Option<String>,
    /// For how long it freezes (delay)
    #[arg(long, value_name = "TIME", default_value = "1s")]
    pub freeze_for: String,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum KindArg {
    /// A few threads, each with an event loop over many connections
    EventLoop,
    /// A thread for each connection, which blocks
    ThreadPerConnection,
    /// Answers late by known times; /truth tells what it noted
    Delay,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailIf {
    /// A figure that cannot be true
    Impossible,
    /// That, or one that is doubtful
    Doubtful,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum LanguageArg {
    /// English
    En,
    /// 中文
    Zh,
}
