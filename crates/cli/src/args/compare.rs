//! What `compare` takes.

use std::path::PathBuf;

use clap::{ArgAction, Args};

use super::{ArrivalsArg, RaceArgs, RequestArgs};

#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Commands that each start a server; {port} is replaced by a free port, {socket} by the path of a Unix socket. With --rev: one, or a target's name. With several --url: none
    #[arg(value_name = "CMD")]
    pub commands: Vec<String>,
    /// With --rev: the command that builds a revision, run by a shell in its folder, once
    #[arg(long, value_name = "CMD", requires = "rev")]
    pub build: Option<String>,
    /// URL to request, such as http://127.0.0.1:{port}/plaintext, https://localhost:{port}/ or ws://127.0.0.1:{port}/. Several, without commands: servers that run already, as --url http://127.0.0.1:8080/ --url http://127.0.0.1:8081/
    #[arg(long, required = true)]
    pub url: Vec<String>,
    /// With several --url: allow hosts that are neither this machine nor in a private network
    #[arg(long)]
    pub allow_remote: bool,
    /// Names of the servers in the report, also one by one: -n old -n new
    #[arg(
        long,
        short = 'n',
        alias = "command-name",
        value_name = "A,B",
        value_delimiter = ',',
        num_args = 1
    )]
    pub names: Vec<String>,
    /// Race commands that contain {NAME} once with each of these values, as in -L threads 1,4,16; can be repeated
    #[arg(
        long = "parameter-list",
        short = 'L',
        value_names = ["NAME", "A,B,C"],
        num_args = 2,
        action = ArgAction::Append
    )]
    pub parameters: Vec<String>,
    /// Start programs without a shell: a command is split into words, with no other feature of a shell
    #[arg(long, short = 'N')]
    pub no_shell: bool,
    /// Set an environment variable of the servers; its value may contain {port} and the like; can be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub env: Vec<String>,
    /// A server is ready when a request of this path has any status below 500; not with gRPC [default: when it accepts a connection]
    #[arg(long, value_name = "PATH")]
    pub ready_path: Option<String>,
    /// How long a server may take to be ready [default: 60s]
    #[arg(long, value_name = "TIME")]
    pub start_timeout: Option<String>,
    /// Open loop: requests per second over all connections, sent on time whether or not responses are in; separate several levels by commas
    #[arg(
        long,
        value_name = "R",
        value_delimiter = ',',
        conflicts_with = "capacity"
    )]
    pub rate: Vec<f64>,
    /// Open loop: how the gaps between requests are distributed
    #[arg(long, value_enum, default_value_t = ArrivalsArg::Poisson)]
    pub arrivals: ArrivalsArg,
    /// Compare the highest rates at which this holds, such as 'p99 < 10ms and errors < 0.1%'
    #[arg(long, value_name = "OBJECTIVE")]
    pub capacity: Option<String>,
    /// Number of connections; separate several levels by commas
    #[arg(
        long,
        short = 'c',
        value_name = "N",
        value_delimiter = ',',
        default_value = "100"
    )]
    pub connections: Vec<u32>,
    /// Resume a comparison that was interrupted or had failures, with the same arguments [default folder: the last comparison]
    #[arg(long, value_name = "FOLDER", num_args = 0..=1)]
    pub resume: Option<Option<PathBuf>>,
    #[command(flatten)]
    pub request: RequestArgs,
    #[command(flatten)]
    pub race: RaceArgs,
}
