//! What `compare` takes.

use std::path::PathBuf;

use clap::{ArgAction, Args};
use photofinish_model::amount::parse_amount;
use photofinish_model::settings::{OpenLoopLayer, ReadyLayer};

use super::load::count;
use super::{RaceArgs, RequestArgs, SettingsArgs};

#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Commands that each start a server, such as './server --port {port}'; {port} is replaced by a free port, {socket} by the path of a Unix socket. With --rev: one command, or the name of a target. With several --url: none
    #[arg(value_name = "CMD")]
    pub commands: Vec<String>,
    /// Image that a server runs from in a container (podman or docker), and its arguments, such as 'app:new --port {port}'; can be repeated, and races with the commands
    #[arg(long, value_name = "IMAGE ARGS", conflicts_with = "rev")]
    pub image: Vec<String>,
    /// With --rev: the command that builds a revision, such as make; it is run once for each, by a shell, in the revision's folder
    #[arg(long, value_name = "CMD", requires = "rev")]
    pub build: Option<String>,
    /// URL to request, such as http://127.0.0.1:{port}/plaintext, https://localhost:{port}/ or ws://127.0.0.1:{port}/. Given several times, without commands: servers that run already, such as --url http://127.0.0.1:8080/ --url http://127.0.0.1:8081/
    #[arg(long, required = true)]
    pub url: Vec<String>,
    /// With several --url: allow hosts that are neither this machine nor in a private network
    #[arg(long)]
    pub allow_remote: bool,
    /// Names of the servers in the report, such as -n old,new or -n old -n new [default: made from the commands]
    #[arg(
        long,
        short = 'n',
        alias = "command-name",
        value_name = "A,B",
        value_delimiter = ',',
        num_args = 1
    )]
    pub names: Vec<String>,
    /// Race a command that contains {NAME} once with each of these values, such as -L threads 1,4,16, -L n 1..8 or -L flags ,--jitless (without and with it); can be repeated
    #[arg(
        long = "parameter-list",
        short = 'L',
        value_names = ["NAME", "A,B,C"],
        num_args = 2,
        allow_hyphen_values = true,
        action = ArgAction::Append
    )]
    pub parameters: Vec<String>,
    /// Race a command that contains {NAME} once with each whole number from MIN to MAX, such as -P threads 1 8; can be repeated
    #[arg(
        long = "parameter-scan",
        short = 'P',
        value_names = ["NAME", "MIN", "MAX"],
        num_args = 3,
        action = ArgAction::Append
    )]
    pub scans: Vec<String>,
    /// Start the servers without a shell: commands are split into words, without pipes, variables and the like
    #[arg(long, short = 'N')]
    pub no_shell: bool,
    /// Command to run before each start of a server, in each round, such as './fill-database'; by a shell as the servers are. Given once for all servers, or once for each in their order ('' for one that needs none)
    #[arg(long, value_name = "CMD")]
    pub prepare: Vec<String>,
    /// The same after each stop of a server, also where it or --prepare failed, and after Ctrl-C
    #[arg(long, value_name = "CMD")]
    pub cleanup: Vec<String>,
    /// Environment variable of the servers, such as RUST_LOG=warn; its value may contain {port} and other placeholders; can be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub env: Vec<String>,
    /// File with a variable on each line, as --env takes it; empty lines and lines that begin with # are skipped; can be repeated. --env comes after it
    #[arg(long, value_name = "FILE")]
    pub env_file: Vec<PathBuf>,
    /// Open loop: requests per second over all connections, sent on schedule whether or not earlier responses have arrived; several levels are separated by commas, such as 5000,20k
    #[arg(
        long,
        value_name = "R",
        value_delimiter = ',',
        value_parser = parse_amount,
        allow_negative_numbers = true,
        conflicts_with = "capacity"
    )]
    pub rate: Vec<f64>,
    /// Open loop at one rate for all servers: a share of what the slowest of them achieves, such as 60%, which is found before the first round, or a rate, such as 20000/s
    #[arg(long, value_name = "SHARE", value_parser = At::parse, conflicts_with_all = ["capacity", "rate"])]
    pub at: Option<At>,
    #[command(flatten)]
    pub open_loop: SettingsArgs<OpenLoopLayer>,
    /// Compare the highest rates at which the servers meet this objective, such as 'p99 < 10ms and errors < 0.1%'
    #[arg(long, value_name = "OBJECTIVE")]
    pub capacity: Option<String>,
    /// Number of connections; several levels are separated by commas, such as 16,256,1000
    #[arg(
        long,
        short = 'c',
        value_name = "N",
        value_delimiter = ',',
        default_value = "100",
        value_parser = count
    )]
    pub connections: Vec<u32>,
    /// Resume a comparison that was interrupted or had failures, with the same arguments [default folder: the last comparison]
    #[arg(long, value_name = "FOLDER", num_args = 0..=1)]
    pub resume: Option<Option<PathBuf>>,
    #[command(flatten)]
    pub ready: SettingsArgs<ReadyLayer>,
    #[command(flatten)]
    pub request: RequestArgs,
    #[command(flatten)]
    pub race: RaceArgs,
}

/// The rate of `--at`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum At {
    /// So large a share of what the slowest server achieves.
    Share(f64),
    /// Requests per second.
    Rate(f64),
}

/// A text that is neither a share nor a rate.
#[derive(Debug, thiserror::Error)]
#[error("give a share from 1% to 95%, such as 60%, or a rate, such as 20000/s")]
pub struct NoRate;

impl At {
    fn parse(text: &str) -> Result<At, NoRate> {
        if let Some(percent) = text.strip_suffix('%') {
            let percent: f64 = percent.trim().parse().map_err(|_| NoRate)?;
            return match (1.0..=95.0).contains(&percent) {
                true => Ok(At::Share(percent / 100.0)),
                false => Err(NoRate),
            };
        }
        let rate = text.strip_suffix("/s").unwrap_or(text);
        let rate = parse_amount(rate).map_err(|_| NoRate)?;
        Ok(At::Rate(rate))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_a_share_or_a_number() {
        let at = |text| At::parse(text).ok();
        assert_eq!(at("60%"), Some(At::Share(0.6)));
        assert_eq!(at("20000/s"), Some(At::Rate(20_000.0)));
        assert_eq!(at("20k"), Some(At::Rate(20_000.0)));
        for wrong in ["", "%", "0%", "96%", "NaN%", "-5", "fast"] {
            assert_eq!(at(wrong), None, "{wrong}");
        }
    }
}
