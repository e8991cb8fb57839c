//! What `load` and `capacity` take.

use std::path::PathBuf;

use clap::Args;
use photofinish_model::Search;
use photofinish_model::amount::{AmountError, parse_amount, parse_count};
use photofinish_model::settings::{
    DetailLayer, ExpectLayer, FileLayer, JsonLayer, OpenLoopLayer, RequestLayer, SchemaLayer,
    SearchLayer, TlsLayer, Undecided,
};

use super::SettingsArgs;
use super::choice::choice;

/// What is sent and what must come back.
#[derive(Debug, Args)]
#[command(next_help_heading = "Request and response")]
pub struct RequestArgs {
    /// Connect to this Unix socket instead of the URL's host and port, which are then only sent as names; @NAME is an abstract socket. With compare: one path for all servers, or {socket} for one each
    #[arg(long, value_name = "PATH")]
    pub unix_socket: Option<PathBuf>,
    /// Request method
    #[arg(
        long,
        short = 'm',
        visible_short_alias = 'X',
        value_name = "METHOD",
        default_value = "GET"
    )]
    pub method: String,
    /// Request header, or metadata of a gRPC call, such as 'Accept: text/plain'; @FILE reads one from each line of a file, so that no list of processes shows it; can be repeated
    #[arg(
        long = "header",
        short = 'H',
        visible_alias = "metadata",
        value_name = "NAME: VALUE"
    )]
    pub headers: Vec<String>,
    /// User and password of HTTP Basic authentication
    #[arg(long, short = 'u', value_name = "USER:PASSWORD")]
    pub user: Option<String>,
    /// Request body, WebSocket message, or gRPC message (as JSON; without a schema, its bytes); @FILE reads it from a file
    #[arg(long, visible_alias = "message", value_name = "TEXT")]
    pub body: Option<String>,
    /// Size of the random messages of a TCP echo or a WebSocket in bytes, such as 300, 1k (1,024 bytes) or 16m
    #[arg(long, value_name = "SIZE")]
    pub size: Option<String>,
    #[command(flatten)]
    pub expect: SettingsArgs<ExpectLayer>,
    /// Use HTTP/2: negotiated by ALPN over https://, with prior knowledge (h2c) over http://. With compare also --http2=NAMES: HTTP/2 for these servers and HTTP/1.1 for the others, with equally many requests in flight
    #[arg(long, value_name = "NAMES", num_args = 0..=1, require_equals = true)]
    pub http2: Option<Option<String>>,
    /// Open a new connection for each request, which is sent with `Connection: close`
    #[arg(long, conflicts_with_all = ["http2", "requests-per-connection"])]
    pub no_keepalive: bool,
    #[command(flatten)]
    pub settings: SettingsArgs<RequestLayer>,
    #[command(flatten)]
    pub tls: SettingsArgs<TlsLayer>,
    #[command(flatten)]
    pub schema: SettingsArgs<SchemaLayer>,
    #[command(flatten)]
    pub files: FileArgs,
}

/// Many requests instead of one.
#[derive(Debug, Args)]
#[command(next_help_heading = "Requests from files (docs/requests.md)")]
pub struct FileArgs {
    /// File with a first request, such as a login, and what to take from its response for {login.NAME} in the others:
    /// {"request": {"method": "POST", "path": "/login"}, "take": {"token": "json:/access_token"}}
    #[arg(long, value_name = "FILE")]
    pub login: Option<PathBuf>,
    #[command(flatten)]
    pub settings: SettingsArgs<FileLayer>,
}

#[derive(Debug, Args)]
pub struct LoadArgs {
    /// URL to request, such as http://127.0.0.1:8080/plaintext, https://localhost:8443/, ws://127.0.0.1:8080/chat, grpc://127.0.0.1:50051/package.Service/Method, or tcp://127.0.0.1:8080 for a TCP echo
    pub url: String,
    /// How long to send load, such as 30s, 5m or 30 (seconds) [default: 10s]
    #[arg(long, short = 'd', value_name = "TIME", conflicts_with = "requests")]
    pub duration: Option<String>,
    /// Number of requests to send instead of a duration, such as 5000, 10k (10,000) or 1m (1,000,000)
    #[arg(long, short = 'n', value_name = "N", value_parser = parse_count)]
    pub requests: Option<u64>,
    /// Open loop: requests per second over all connections, such as 5000 or 20k (20,000), sent on schedule whether or not earlier responses have arrived
    #[arg(long, value_name = "R", value_parser = parse_amount, allow_negative_numbers = true, conflicts_with = "requests")]
    pub rate: Option<f64>,
    /// Open loop with changing rates, such as 10s@1000,30s@1000..5000: 10 s at 1,000 requests/s, then a ramp to 5,000 in 30 s
    #[arg(long, value_name = "TIME@R,...", conflicts_with_all = ["requests", "rate", "duration"])]
    pub stages: Option<String>,
    #[command(flatten)]
    pub open_loop: SettingsArgs<OpenLoopLayer>,
    /// Closed loop: after sending requests, sleep for this time, such as 100us, and handle the responses that have come by then together. Costs less CPU time per request; each next request waits up to this time, which is part of the turnaround
    #[arg(long, value_name = "TIME", conflicts_with_all = ["rate", "stages"])]
    pub batch: Option<String>,
    /// Exit with code 1 if this is true, such as 'p99 > 10ms', 'errors > 0.1%' or 'throughput < 5000'; can be repeated. Errors above 1% also fail, unless a --fail-if is about errors
    #[arg(long, value_name = "CONDITION", help_heading = "Output")]
    pub fail_if: Vec<String>,
    /// What to do if there are too few requests to decide a --fail-if: pass (with a note), or fail with exit code 1. Without any it fails
    #[arg(long, value_parser = choice::<Undecided>(), value_name = "HOW", default_value = "pass", help_heading = "Output")]
    pub undecided: Undecided,
    #[command(flatten)]
    pub json: SettingsArgs<JsonLayer>,
    #[command(flatten)]
    pub detail: SettingsArgs<DetailLayer>,
    #[command(flatten)]
    pub generator: GeneratorArgs,
    #[command(flatten)]
    pub request: RequestArgs,
}

/// What `load` and `capacity` share besides the request.
#[derive(Debug, Args)]
#[command(next_help_heading = "Load")]
pub struct GeneratorArgs {
    /// Number of connections
    #[arg(long, short = 'c', value_name = "N", default_value_t = 100, value_parser = count)]
    pub connections: u32,
    /// Threads of the load generator [default: half of the cores if the server is on this machine, else all]
    #[arg(long, short = 't', value_name = "N")]
    pub threads: Option<usize>,
    /// Seed of random arrivals and of random numbers in requests, to repeat a run [default: 1]
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Allow a host that is neither this machine nor in a private network
    #[arg(long)]
    pub allow_remote: bool,
}

#[derive(Debug, Args)]
pub struct CapacityArgs {
    /// URL to request, such as http://127.0.0.1:8080/plaintext; all protocols of `photofinish load`
    pub url: String,
    /// Objective that a rate must meet, such as 'p99 < 10ms and errors < 0.1%'; conditions on p50, p90, p95, p99, p999, mean, max and errors
    #[arg(long, value_name = "OBJECTIVE")]
    pub slo: String,
    /// Stop when the highest rate is known to within this many percent
    #[arg(long, value_name = "PERCENT", default_value_t = Search::PRECISION * 100.0)]
    pub precision: f64,
    #[command(flatten)]
    pub search: SettingsArgs<SearchLayer>,
    #[command(flatten)]
    pub json: SettingsArgs<JsonLayer>,
    #[command(flatten)]
    pub detail: SettingsArgs<DetailLayer>,
    #[command(flatten)]
    pub generator: GeneratorArgs,
    #[command(flatten)]
    pub request: RequestArgs,
}

/// Why a text is no number of connections.
#[derive(Debug, thiserror::Error)]
pub enum CountError {
    #[error(transparent)]
    Amount(#[from] AmountError),
    #[error("it is too large")]
    Range(#[from] std::num::TryFromIntError),
}

/// A number of connections, whose bounds are a level's.
pub(super) fn count(text: &str) -> Result<u32, CountError> {
    Ok(u32::try_from(parse_count(text)?)?)
}
