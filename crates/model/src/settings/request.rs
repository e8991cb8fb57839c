//! What requests, responses, TLS, files of requests, schemas, open loops and capacity searches are asked for, by flags and by keys of
//! files alike: the tables of these settings. What a flag and a key write in different ways, such as headers, is not here.

use std::path::PathBuf;
use std::time::Duration;

use super::{Kind, LEAVE_OUT, settings};
use crate::{
    Arrivals, MOST_STREAMS, Order, SHORTEST_LOAD, SHORTEST_TIMEOUT, Same, Search, TlsVersion,
    Worded,
};

/// The highest rate that a level may have, per second.
pub const MAX_RATE: f64 = 1e7;

const RESPONSE_TIMEOUT: Duration = Duration::from_secs(10);

settings! {
    /// What must come back.
    ExpectSettings, ExpectLayer, "Request and response", over "";
    /// Status that every response must have, such as 201.
    ///
    /// Redirects are not followed, unless `follow-redirects` is there.
    status: Option<u32> [None] Kind::Count(100..=599) => {
        .key("status", "status = 201").flag("expect-status", "STATUS")
        .unset("the status of the first one, from 200 to 299")
    };
    /// Body that every response must have, byte for byte (a gRPC reply as JSON; without a schema, its bytes); `--expect-body @FILE`
    /// reads it from a file.
    body: Option<String> [None] Kind::Text => {
        .key("body", "body = \"Hello, World!\"").flag("expect-body", "TEXT").unset("any, the same from all servers")
    };
    /// Text that every response's body must contain; with it bodies may differ from server to server.
    ///
    /// In a study, `{random}` is the request's random number and `{counter}` its counter, so that the response must match the request. End
    /// it with what follows the number: `"id":7` also occurs in `"id":77`. If a request has several random numbers, `{first-random}` is
    /// the first of them, in the order path, headers, body; the others cannot be used.
    contains: Option<String> [None] Kind::Text => {
        .key("contains", "contains = \"\\\"id\\\":{random},\"").flag("expect-contains", "TEXT").conflicts(&["expect-body"])
    };
    /// With several servers: in what their responses must be alike, so that they do the same job.
    same: Same [Same::Body] Kind::Word(Same::words) => { .key("same", "same = \"json\"").flag("same", "WHAT") };
    /// Follow redirects of a GET on the same server, once, before there is load, and load the URL that they end at; otherwise a redirect is
    /// an error, unless that status is expected.
    ///
    /// The report names the path that they end at.
    follow_redirects: bool [false] Kind::Switch => {
        .key("follow-redirects", "follow-redirects = true").flag("follow-redirects", "")
        .conflicts(&["requests-from", "csv-data"])
    };
}

settings! {
    /// How requests are sent.
    RequestSettings, RequestLayer, "Request and response", over "";
    /// Requests in flight on each connection, over HTTP/2, WebSocket or gRPC.
    streams: u32 [1] Kind::Amount(1..=MOST_STREAMS) => {
        .key("streams", "streams = 10").flag("streams", "N")
    };
    /// Close each connection after this many requests and open a new one, over HTTP/1.1.
    ///
    /// With 1, requests have `Connection: close`.
    requests_per_connection: Option<u32> [None] Kind::Amount(1..=1_000_000) => {
        .key("requests-per-connection", "requests-per-connection = 1").flag("requests-per-connection", "N")
        .conflicts(&["http2"]).unset("keep it open")
    };
    /// How long to wait for a response, such as 500ms; a timeout is an error, and counts in the response times with the time waited.
    timeout: Duration [RESPONSE_TIMEOUT] Kind::Time(SHORTEST_TIMEOUT..=Duration::from_secs(600)) => {
        .key("timeout", "timeout = \"2s\"").flag("timeout", "TIME")
    };
}

settings! {
    /// Many requests instead of one.
    FileSettings, FileLayer, "Requests from files (docs/requests.md)", over "";
    /// File of requests to send instead of one: JSON lines, or a HAR that a browser saved.
    ///
    /// See [requests from files](requests.md). In a study, its path is from the study's folder, and it is not with `path`, `method` and
    /// `body`.
    requests_from: Option<PathBuf> [None] Kind::File => {
        .key("requests", "requests = \"shop.jsonl\"").flag("requests-from", "FILE")
        .conflicts(&["method", "body", "size", "proto", "descriptor-set"])
    };
    /// CSV file whose first line names the columns: {csv.COLUMN} in a path, a header or a body is replaced by the value of each row in turn.
    ///
    /// See [data](requests.md#data).
    csv_data: Option<PathBuf> [None] Kind::File => {
        .key("csv-data", "csv-data = \"users.csv\"").flag("csv-data", "FILE")
        .conflicts(&["size", "proto", "descriptor-set"])
    };
    /// Order of the requests.
    order: Option<Order> [None] Kind::Word(Order::words) => {
        .key("order", "order = \"random\"").flag("order", "ORDER").unset("weighted if the file has weights, else in-order")
    };
    /// Let each connection go through all requests by itself; else all share one sequence.
    per_connection: bool [false] Kind::Switch => {
        .key("per-connection", "per-connection = true").flag("per-connection", "")
    };
}

settings! {
    /// What a method of gRPC takes and returns.
    SchemaSettings, SchemaLayer, "gRPC (grpc://, grpcs://)", over "";
    /// .proto file that defines the method, so that messages can be given as JSON.
    proto: Option<PathBuf> [None] Kind::File => {
        .key("proto", "proto = \"protos/echo.proto\"").flag("proto", "FILE")
    };
    /// Folder to search for the .proto file's imports; there may be several.
    import_path: Vec<PathBuf> [Vec::new()] Kind::Files => {
        .key("import-path", "import-path = [\"protos\"]").flag("import-path", "DIR")
        .requires("proto").unset("the file's own folder")
    };
    /// Compiled descriptor set instead of a .proto file, as written by `protoc --include_imports --descriptor_set_out=FILE`.
    descriptor_set: Option<PathBuf> [None] Kind::File => {
        .key("descriptor-set", "descriptor-set = \"echo.bin\"").flag("descriptor-set", "FILE")
        .conflicts(&["proto"])
    };
}

settings! {
    /// How TLS is spoken.
    TlsSettings, TlsLayer, "TLS (https://)", over "";
    /// Trust only certificates issued by a CA in this PEM file.
    cacert: Option<PathBuf> [None] Kind::File => {
        .key("cacert", "cacert = \"ca.pem\"").flag("cacert", "FILE").unset("the system's CAs")
    };
    /// Accept every certificate, without verifying it.
    insecure: bool [false] Kind::Switch => {
        .key("insecure", "insecure = true").flag("insecure", "").conflicts(&["cacert"])
    };
    /// Client certificate in PEM format, for servers that require one.
    cert: Option<PathBuf> [None] Kind::File => {
        .key("cert", "cert = \"client.pem\"").flag("cert", "FILE").requires("key")
    };
    /// Private key of the client certificate, in PEM format.
    key: Option<PathBuf> [None] Kind::File => {
        .key("key", "key = \"client.key\"").flag("key", "FILE").requires("cert")
    };
    /// Highest version of TLS to offer.
    max: TlsVersion [TlsVersion::Tls13] Kind::Word(TlsVersion::words) => {
        .key("max", "max = \"1.2\"").flag("tls-max", "VERSION")
    };
    /// Cipher suites to offer, in this order, such as TLS_AES_128_GCM_SHA256 or ECDHE-RSA-AES128-GCM-SHA256.
    ciphers: Vec<String> [Vec::new()] Kind::List(Some(',')) => {
        .key("ciphers", "ciphers = \"TLS_AES_128_GCM_SHA256\"").flag("ciphers", "A,B")
        .unset("all that are supported")
    };
    /// Whether connections resume earlier sessions if the server allows it.
    resume: bool [true] Kind::Switch => {
        .key("resume", "resume = false").off("full-handshakes", "Make every TLS handshake a full one, without session resumption")
    };
}

settings! {
    /// How a server is known to be ready.
    ReadySettings, ReadyLayer, "Readiness", over "";
    /// Path such as /health: a server is ready when a GET of it returns any status below 500; not for gRPC.
    ///
    /// It is requested over HTTP/1.1, or over HTTP/2 if the study measures nothing else.
    ready_path: Option<String> [None] Kind::Text => {
        .key("path", "path = \"/plaintext\"").flag("ready-path", "PATH")
        .unset("ready when it accepts a connection")
    };
    /// How long a server may take until it is ready, such as 2m.
    start_timeout: Duration [Duration::from_secs(60)]
        Kind::Time(Duration::from_millis(100)..=Duration::from_secs(3600)) => {
        .key("timeout", "timeout = \"2m\"").flag("start-timeout", "TIME").not_for_running(LEAVE_OUT)
    };
}

settings! {
    /// How an open loop sends.
    OpenLoopSettings, OpenLoopLayer, "", over "";
    /// Open loop: the distribution of the gaps between requests.
    arrivals: Arrivals [Arrivals::Poisson] Kind::Word(Arrivals::words) => {
        .key("arrivals", "arrivals = \"constant\"").flag("arrivals", "ARRIVALS")
    };
}

settings! {
    /// How the highest rate that meets an objective is searched for.
    SearchSettings, SearchLayer, "Search", over "";
    /// How long to measure each rate, such as 3s; rates at which fewer than 200 requests fall due are measured up to ten times longer.
    ///
    /// `--duration` sets it too.
    step: Duration [Search::STEP] Kind::Time(SHORTEST_LOAD..=Duration::from_secs(3600)) => {
        .key("step", "step = \"5s\"").flag("step", "TIME")
    };
    /// First rate to try, in requests per second.
    start: f64 [Search::START] Kind::Rate(1.0..=MAX_RATE) => {
        .key("start", "start = 5000").flag("start", "R")
    };
    /// Try at most this many rates.
    max_steps: u32 [Search::MAX_STEPS] Kind::Count(1..=1_000) => {
        .key("max-steps", "max-steps = 60").flag("max-steps", "N")
    };
    /// Start no further step after this time.
    max_time: Duration [Search::MAX_TIME] Kind::Time(Duration::from_secs(1)..=Duration::from_secs(3600)) => {
        .key("max-time", "max-time = \"2m\"").flag("max-time", "TIME")
    };
}
