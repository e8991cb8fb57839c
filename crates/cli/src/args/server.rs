//! `photofinish server`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub struct ServerArgs {
    /// Kind of server
    #[arg(value_enum)]
    pub kind: KindArg,
    /// Port to listen on; 0 = any free port
    #[arg(long, short = 'p', default_value_t = 8080)]
    pub port: u16,
    /// Address to listen on
    #[arg(long, default_value = "127.0.0.1")]
    pub host: std::net::IpAddr,
    /// Listen on this Unix socket instead; @NAME is an abstract socket
    #[arg(long, value_name = "PATH", conflicts_with_all = ["port", "host"])]
    pub unix_socket: Option<PathBuf>,
    /// event-loop: number of threads [default: one for each core that it may use]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// event-loop, delay, websocket-echo, grpc-echo: use TLS, with a certificate for localhost and the address that is made at the start
    #[arg(long)]
    pub tls: bool,
    /// event-loop, delay: serve HTTP/2 too, with prior knowledge (h2c) or, with --tls, negotiated by ALPN; and gRPC calls as grpc-echo does
    #[arg(long)]
    pub http2: bool,
    /// event-loop, delay: serve WebSockets too, on every path; each message is sent back, after the delay of the path or the kind
    #[arg(long)]
    pub websocket: bool,
    /// Write the CA certificate to this file, for clients to trust (--cacert)
    #[arg(long, value_name = "FILE", requires = "tls")]
    pub ca: Option<PathBuf>,
    /// event-loop, thread-per-connection: use this much more CPU time per request, such as 1.5%
    #[arg(long, value_name = "SHARE")]
    pub slower: Option<String>,
    /// delay: how long a response takes, such as 500us
    #[arg(long, value_name = "TIME", default_value = "1ms")]
    pub delay: String,
    /// delay: how long a slow response takes
    #[arg(long, value_name = "TIME", default_value = "20ms")]
    pub slow: String,
    /// delay: one in this many responses is slow; 0 = none
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
    /// Responds after known delays on /plaintext and /json, and N ms later on /sleep?ms=N, to check load generators; /truth reports the delays that it measured itself
    Delay,
}
