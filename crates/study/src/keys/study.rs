//! The keys of study files.

use std::ops::RangeInclusive;

use photofinish_model::settings::{
    ABOVE_ZERO, ExpectLayer, FileLayer, Group, Kind, MAX_CORE, MAX_RATE, OpenLoopLayer,
    RequestLayer, Row, SchemaLayer, SearchLayer, Value,
};
use photofinish_model::{MOST_STREAMS, Metric, Search};

use super::{Key, NEEDED, Of, is, keys, says};
use crate::checks::METHODS;
use crate::levels::{MAX_CONNECTIONS, RATE_CONNECTIONS};

const REQUEST: &[Row] = RequestLayer::ROWS;
const RESPONSE: &[Row] = ExpectLayer::ROWS;
const OPEN_LOOP: &[Row] = OpenLoopLayer::ROWS;
const FILES: &[Row] = FileLayer::ROWS;
const SCHEMA: &[Row] = SchemaLayer::ROWS;
const SEARCH: &[Row] = SearchLayer::ROWS;
const CORES: RangeInclusive<u32> = 0..=MAX_CORE as u32;

/// The keys of a study, next to those of its settings.
pub(crate) const STUDY: &[Key] = keys! {
    /// What is compared, in a line.
    "title": Of::Text, NEEDED, r#"title = "tio-boot against Quarkus""#;
    /// The targets that race, 26 at most, in the order of the report; see [below](#entries-of-targets). A single target is measured
    /// without a verdict.
    "targets": Of::Entries(TARGET_ENTRY), NEEDED, r#"targets = ["tio-boot", "quarkus"]"#;
    /// The target that shows what this machine can do; see [below](#the-limit).
    "limit": Of::Label, says("none"), r#"limit = "limit""#;
    /// How long a new process is warmed up; see [below](#warmup).
    "warmup": Of::Settings, says("3s to 60s"), r#"warmup = { min = "10s", max = "60s" }"#;
    /// One `[[workload]]` for each kind of request; see [below](#workload).
    "workload": Of::Tables(WORKLOAD), NEEDED, "[[workload]]";
    /// One `[service.NAME]` for each database that targets need; see [Services](services.md).
    "service": Of::Named(SERVICE), says("none"), "[service.db]";
    /// One `[[claim]]` for each published statement; see [below](#claim).
    "claim": Of::Tables(CLAIM), says("none"), "[[claim]]";
    /// Where the study was published. Claims without a source of their own have this one.
    "source": Of::Text, says("none"), r#"source = "J. Doe's blog, 2025""#;
    /// Remarks for readers, such as a cause that was named but not measured.
    "notes": Of::Text, says("none"), r#"notes = "One run each.""#;
};

/// The keys of an entry of `targets`.
pub(crate) const TARGET_ENTRY: &[Key] = keys! {
    /// The target, or `name@variant`.
    "target": Of::Text, NEEDED, r#"target = "event-loop""#;
    /// Its label in this study: letters of any language, digits, spaces between them and `-_.@+:#()`, 60 characters at most.
    "as": Of::Text, says("the target"), r#"as = "event loop again""#;
    /// Workloads over HTTP/1.1 come to it over HTTP/2, with as many requests in flight as to the others.
    "http2": Of::Value(Kind::Switch), is(|| Value::Switch(false)), "http2 = true";
    /// With `http2`: how many of them share a connection. The levels must be multiples of it.
    "streams": Of::Value(Kind::Amount(1..=MOST_STREAMS)), is(|| Value::Count(1)), "streams = 10";
};

/// The keys of the table `lanes`.
pub(crate) const LANES: &[Key] = keys! {
    /// The server's cores, counted from 0.
    "server": Of::Integers("list of cores", CORES), NEEDED, "server = [0, 1]";
    /// The load generator's cores.
    "generator": Of::Integers("list of cores", CORES), NEEDED, "generator = [2, 3]";
};

/// The keys of a `[[workload]]`.
pub(crate) const WORKLOAD: &[Key] = keys! {
    /// Lower-case letters, digits and hyphens; once in a study.
    "name": Of::Text, NEEDED, r#"name = "plaintext""#;
    /// `"http"`; `"websocket"`: messages over WebSocket; see [below](#websocket); `"grpc"`: calls over gRPC; see [below](#grpc); or
    /// `"tcp-echo"`: a message is sent over TCP, and the same bytes must come back; see [below](#tcp-echo).
    "protocol": Of::Word(&["http", "tcp-echo", "websocket", "grpc"]), says(r#"`"http"`"#), r#"protocol = "tcp-echo""#;
    /// The sizes of the messages of a TCP echo or a WebSocket; see [below](#tcp-echo).
    "sizes": Of::Texts, says("needed for `tcp-echo`"), r#"sizes = ["1k", "5k"]"#;
    /// Over WebSocket: the text that is sent; over gRPC: the message. `{random:…}` and `{counter}` are filled in.
    "message": Of::Text, says("–"), r#"message = "hello {counter}""#;
    /// Over WebSocket: the reply that must come back, byte for byte.
    "reply": Of::Text, says("the message"), r#"reply = "ok""#;
    "proto" => SCHEMA;
    "import-path" => SCHEMA;
    "descriptor-set" => SCHEMA;
    /// Path and query; begins with `/`, percent-encoded. [May vary](#requests-that-vary).
    "path": Of::Text, says("needed for `http`"), r#"path = "/plaintext""#;
    /// `GET`, `HEAD`, `POST`, `PUT`, `PATCH`, `DELETE` or `OPTIONS`.
    "method": Of::Word(&METHODS), says(r#"`"GET"`"#), r#"method = "POST""#;
    /// Further headers, sent in this order. Their values [may vary](#requests-that-vary).
    "headers": Of::Strings, says("none"), r#"headers = { Accept = "text/plain" }"#;
    /// The request's body. [May vary](#requests-that-vary).
    "body": Of::Text, says("none"), r#"body = "{\"id\": 1}""#;
    /// What must come back; see [below](#expect).
    "expect": Of::Table(EXPECT), says("see below"), "expect = { status = 200 }";
    "requests" => FILES;
    "csv-data" => FILES;
    "order" => FILES;
    "per-connection" => FILES;
    /// A first request (`method`, `path`, `headers`, `body`, `expect`), and what is taken from its response (`take`) for
    /// `{login.NAME}`; see [requests from files](requests.md#login).
    "login": Of::Table(LOGIN), says("none"), r#"login = { path = "/token", take = { token = "body" } }"#;
    /// Use HTTP/2: with a target that has [`[tls]`](target-files.md#tls) as agreed on in the handshake (ALPN), otherwise from the
    /// first byte on (prior knowledge, h2c).
    "http2": Of::Value(Kind::Switch), is(|| Value::Switch(false)), "http2 = true";
    "streams" => REQUEST;
    "requests-per-connection" => REQUEST;
    "timeout" => REQUEST;
    /// Closed-loop levels.
    "connections": Of::Counts(1..=MAX_CONNECTIONS), says("none"), "connections = [16, 256, 1000]";
    /// The closed-loop levels at which others have published figures. They replace the workload's own levels with `--scale
    /// published`.
    "published-connections": Of::Counts(1..=MAX_CONNECTIONS), says("the same"), "published-connections = [300, 5000]";
    /// Open-loop levels, in requests per second over all connections.
    "rates": Of::Rates(ABOVE_ZERO..=MAX_RATE), says("none"), r#"rates = [1000, "20k"]"#;
    "arrivals" => OPEN_LOOP;
    /// How many connections `rates` use.
    "rate-connections": Of::Value(Kind::Amount(1..=MAX_CONNECTIONS)), is(|| Value::Count(RATE_CONNECTIONS)), "rate-connections = 500";
    /// The level is a search for the highest rate that meets an objective; see [below](#load).
    "load": Of::Table(LOAD), says("none"), r#"load = { capacity = "p99 < 10ms" }"#;
    /// The targets that get this workload.
    "targets": Of::List("list of labels"), says("all"), r#"targets = ["event-loop"]"#;
    /// A file of SQL that is run before this workload; see [Services](services.md#the-keys-of-a-workload).
    "before": Of::Text, says("none"), r#"before = "schemas/refill.sql""#;
    /// Whether it is warmed up by itself. A workload that waits more than it works, and uses the same code path as another, need not
    /// be.
    "warmup": Of::Value(Kind::Switch), is(|| Value::Switch(true)), "warmup = false";
    /// A table that must have as many rows as there were successful requests; see [Services](services.md#the-keys-of-a-workload).
    "count-after": Of::Table(COUNT_AFTER), says("none"), r#"count-after = { table = "item", equals = "responses" }"#;
    /// Which service `before` and `count-after` are about.
    "service": Of::Text, says("the only one"), r#"service = "db""#;
};

/// The keys of `load`.
pub(crate) const LOAD: &[Key] = keys! {
    /// The objective: `p50`, `p90`, `p95`, `p99`, `p999`, `mean`, `max` (response times) and `errors` (a percentage), with `<` or
    /// `<=`, joined by `and`. If `errors` are not bounded there must be none, and the offered rate must be achieved. A list makes
    /// several such levels.
    "capacity": Of::Texts, NEEDED, r#"capacity = "p99 < 10ms and errors < 0.1%""#;
    /// How many connections the rates use, and the closed loop that warms up for them.
    "connections": Of::Value(Kind::Amount(1..=MAX_CONNECTIONS)), is(|| Value::Count(RATE_CONNECTIONS)), "connections = 500";
    /// The search ends when the lowest rate that failed is at most this share above the highest that met the objective. Finer than
    /// the machine's noise it only takes longer.
    "precision": Of::Value(Kind::Number(0.001..=1.0)), is(|| Value::Number(Search::PRECISION)), "precision = 0.01";
    "step" => SEARCH;
    "start" => SEARCH;
    "max-steps" => SEARCH;
    "max-time" => SEARCH;
};

/// The keys of `expect`.
pub(crate) const EXPECT: &[Key] = keys! {
    "status" => RESPONSE;
    "body" => RESPONSE;
    "contains" => RESPONSE;
    /// How many elements the first JSON array of the body must have. In `{"status":1,"data":[…]}` that is the array under `data`.
    "rows": Of::Value(Kind::Count(0..=1_000_000)), says("any"), "rows = 11";
    "same" => RESPONSE;
    "follow-redirects" => RESPONSE;
};

/// The keys of a `[[claim]]`.
pub(crate) const CLAIM: &[Key] = keys! {
    /// A short name: lower-case letters, digits and hyphens; once in a study.
    "id": Of::Text, NEEDED, r#"id = "a""#;
    /// The statement in words.
    "says": Of::Text, NEEDED, r#"says = "A serves 6.7% more requests per second""#;
    /// What is compared; see [below](#metrics-of-a-claim).
    "metric": Of::Word(Metric::KEYS), NEEDED, r#"metric = "throughput""#;
    /// Target A.
    "of": Of::Label, NEEDED, r#"of = "tio-boot""#;
    /// Target B.
    "over": Of::Label, NEEDED, r#"over = "quarkus""#;
    /// r.
    "ratio": Of::Value(Kind::Number(ABOVE_ZERO..=f64::MAX)), says("this or `less`"), "ratio = 1.067";
    /// The direction, if no figure was published: `true` if A has less of it than B, `false` if more. The claim holds if the whole
    /// measured interval lies on that side of 1.
    "less": Of::Value(Kind::Switch), says("this or `ratio`"), "less = true";
    /// How precisely r was published: the claim holds if the measured interval lies within r ± this share (or half a unit of r's last
    /// digit, if that is more). For figures that were published coarsely.
    "margin": Of::Value(Kind::Share), says("the study's"), "margin = 0.05";
    /// The workload that it is about.
    "workload": Of::Label, says("the only one"), r#"workload = "plaintext""#;
    /// The closed-loop level that it is about: one of the workload's `connections` or `published-connections`. A claim about a level
    /// that does not run is left out of the run, which the report says.
    "connections": Of::Value(Kind::Amount(1..=MAX_CONNECTIONS)), says("the only level"), "connections = 100";
    /// The open-loop level that it is about, instead of `connections`.
    "rate": Of::Value(Kind::Rate(ABOVE_ZERO..=f64::MAX)), says("the only level"), "rate = 1000";
    /// The objective of the `load` that it is about, instead of `connections`. Its `metric` is `throughput`.
    "capacity": Of::Text, says("the only level"), r#"capacity = "p99 < 10ms""#;
    /// The level, `{ connections = … }`, at which the claim is tested if its own level does not run. The report states it.
    "measured-at": Of::Table(MEASURED_AT), says("none"), "measured-at = { connections = 300 }";
    /// The workload of target B, if it is not the workload of A.
    "over-workload": Of::Label, says("the same"), r#"over-workload = "sleep""#;
    /// The level of target B, if it is not the level of A. With it A and B may be one target: 'at 1,000 connections it serves
    /// as many as at 300'.
    "over-connections": Of::Value(Kind::Amount(1..=MAX_CONNECTIONS)), says("the same"), "over-connections = 300";
    /// The figures as they were published.
    "figures": Of::Text, says("none"), r#"figures = "210,393.61 against 197,072.84 requests/s""#;
    /// Where it was published. A claim needs one, its own or the study's.
    "source": Of::Text, says("the study's"), r#"source = "J. Doe's blog, 2025""#;
};

/// The keys of a `[service.NAME]`.
pub(crate) const SERVICE: &[Key] = keys! {
    /// `"postgresql"` or `"mariadb"`.
    "kind": Of::Word(&["postgresql", "mariadb"]), NEEDED, r#"kind = "mariadb""#;
    /// Which versions are accepted, as in [`needs`](target-files.md#needs).
    "version": Of::Text, says("any"), r#"version = ">=10.6, <12""#;
    /// A server that runs already, instead of an instance of the run's own; see [below](#a-server-of-your-own).
    "url": Of::Text, says("none"), r#"url = "postgresql://me:secret@127.0.0.1:5432/shop""#;
    /// Files of SQL, from the study's folder, that are run in this order before the first trial.
    "schema": Of::Texts, says("none"), r#"schema = ["schemas/item.sql", "schemas/rows.sql"]"#;
    /// Tables, and how many rows each must have then.
    "rows": Of::NamedIntegers(0..=u32::MAX), says("none"), "rows = { item = 100000 }";
    /// The targets that need it.
    "targets": Of::List("list of labels"), says("all"), r#"targets = ["actix-web"]"#;
};

/// The keys of `login`.
pub(crate) const LOGIN: &[Key] = keys! {
    /// Its method.
    "method": Of::Word(&METHODS), says("`\"GET\"`"), r#"method = "POST""#;
    /// Its path and query.
    "path": Of::Text, NEEDED, r#"path = "/login""#;
    /// Its headers.
    "headers": Of::Strings, says("none"), r#"headers = { Accept = "text/plain" }"#;
    /// Its body.
    "body": Of::Text, says("none"), r#"body = "{}""#;
    /// What must come back for it.
    "expect": Of::Table(EXPECT), says("any status from 200 to 299"), "expect = { status = 201 }";
    /// What is taken from its response, by the name in `{login.NAME}`.
    "take": Of::Strings, NEEDED, r#"take = { token = "json:/access_token" }"#;
};

/// The keys of `count-after`.
pub(crate) const COUNT_AFTER: &[Key] = keys! {
    /// The table whose rows are counted.
    "table": Of::Text, NEEDED, r#"table = "item""#;
    /// What its number of rows must equal.
    "equals": Of::Word(&["responses"]), NEEDED, r#"equals = "responses""#;
};

/// The keys of `measured-at`.
pub(crate) const MEASURED_AT: &[Key] = keys! {
    /// The closed-loop level at which the claim is tested.
    "connections": Of::Value(Kind::Amount(1..=MAX_CONNECTIONS)), NEEDED, "connections = 100";
};
