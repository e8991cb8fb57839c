//! `photofinish compare`: a plan made from commands instead of files.

mod already;
mod contenders;
mod labels;
mod start;
mod url;

use photofinish_model::secret::{mask, masked_header};
use photofinish_model::settings::{RaceLayer, ReadySettings};
use photofinish_model::{Exchange, Load, Request, Requests, Secret, Worded};

use crate::checks::{METHODS, check_header_name, check_header_value};
use crate::error::Error;
use crate::flags::RequestFlags;
use crate::levels::check_loads;
use crate::nearest::advice;

use crate::plan::{Draft, Endpoint, Plan, Target, Workload};
use crate::requests::check_login;
use crate::revisions::Checkout;
use crate::template::check_request;
pub use contenders::Parameter;
use contenders::{Contender, contenders};
use start::Starter;
use url::{Url, UrlProtocol};

/// What `photofinish compare` is asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compare {
    /// The commands, each of which starts a server; two at least. With revisions one, or the name of a target that they have.
    pub commands: Vec<String>,
    /// `--image`: images, each with what stands behind it on its container's command line; they race along with the commands.
    pub images: Vec<String>,
    /// `--url`, more than one and without commands: the servers, which run already.
    pub already: Vec<Endpoint>,
    /// `-L`: names in braces that commands hold, and what each stands for in turn.
    pub parameters: Vec<Parameter>,
    /// Whether a shell runs the commands; else each is split into words as a shell would, and run by itself.
    pub shell: bool,
    /// `--prepare`: what runs before each start; none, one for all commands, or one for each.
    pub prepare: Vec<String>,
    /// `--cleanup`: what runs after each stop; as many.
    pub cleanup: Vec<String>,
    /// `--env`: names and values, over the environment that photofinish has; placeholders as in a command.
    pub env: Vec<(String, Secret<String>)>,
    /// `--ready-path` and `--start-timeout`: how a server is known to be ready.
    pub ready: ReadySettings,
    /// `--rev`: the revisions that race.
    pub revisions: Vec<Checkout>,
    /// `--build`: the command that builds a revision.
    pub build: Option<String>,
    /// `--names`: a label for each command, or for each with its parameters; empty = the first words of the commands.
    pub names: Vec<String>,
    /// `--url`: `http://127.0.0.1:{port}/path`, `https://localhost:{port}/path`, `ws://127.0.0.1:{port}/path` or
    /// `grpc://127.0.0.1:{port}/package.Service/Method`; over a Unix socket without a port.
    pub url: String,
    /// `--unix-socket`: where all of them listen, or `{socket}`: each at one of its own.
    pub unix_socket: Option<String>,
    /// `-c`, `--rate`, `--capacity`: the levels; empty = 100 connections.
    pub loads: Vec<Load>,
    /// What is sent and must come back.
    pub flags: RequestFlags,
    /// `--http2=NAMES`: who is asked over HTTP/2, with as many streams, where the others are asked over HTTP/1.1.
    pub over_http2: Vec<String>,
}

impl Compare {
    /// What is given to be started: the commands, and behind them the images.
    fn lines(&self) -> impl Iterator<Item = &String> {
        self.commands.iter().chain(&self.images)
    }

    /// A comparison of these commands at this URL, everything else at its default.
    pub fn new(commands: Vec<String>, url: impl Into<String>) -> Self {
        Compare {
            commands,
            url: url.into(),
            shell: true,
            ..Compare::default()
        }
    }
}

/// The load where none is asked for; that of ab's and oha's examples.
const DEFAULT_LOAD: Load = Load::Closed { connections: 100 };

/// What to look at where flags state no call.
const CALL_HELP: &str = "a call is grpc://127.0.0.1:{port}/package.Service/Method, --proto FILE, and --message JSON; see docs/protocols.md";

/// The same where they state no message.
const MESSAGE_HELP: &str =
    "a message over WebSocket is ws://127.0.0.1:{port}/path, and --size BYTES or --body TEXT";

/// The plan of a comparison. Its settings are the defaults, over which [`crate::resolve`] puts flags.
///
/// # Errors
/// Each names the argument that is wrong and says what is allowed.
pub fn compare_plan(compare: &Compare) -> Result<Draft, Error> {
    let url = match compare.already.is_empty() {
        true => Url::parse(compare)?,
        false => already::common(compare)?,
    };
    let contenders = contenders(compare)?;
    let starter = Starter::new(compare, &url)?;
    let are_there = || contenders.iter().zip(&compare.already);
    let targets = match compare.revisions.is_empty() {
        _ if !compare.already.is_empty() => are_there()
            .map(|(contender, endpoint)| starter.already(contender, endpoint))
            .collect(),
        true => contenders
            .iter()
            .map(|contender| starter.target(contender, &start::NO_FOLDER))
            .collect::<Result<Vec<_>, _>>()?,
        false => revisions(compare, &contenders, &starter)?,
    };
    let workload = workload(compare, &url)?;
    let targets = over_http2(compare, &url, &workload, targets)?;
    let labels: Vec<&str> = contenders.iter().map(|one| &*one.label).collect();
    let mut settings = RaceLayer::of_compare();
    // More servers or levels take as long as they take.
    if contenders.len() != 2 || workload.loads.len() != 1 {
        settings.within = None;
    }
    if !compare.already.is_empty() {
        settings = RaceLayer::of_running().over(settings);
    }
    Ok(Plan {
        name: "compare".to_owned(),
        title: mask(&format!("{} at {}", labels.join(" against "), url.path)).into_owned(),
        source: None,
        notes: None,
        text: text(compare, &contenders, &workload),
        settings,
        services: Vec::new(),
        targets,
        workloads: vec![workload],
        claims: Vec::new(),
        left_out: Vec::new(),
    })
}

/// The one command, or target, at each revision.
fn revisions(
    compare: &Compare,
    contenders: &[Contender],
    starter: &Starter<'_>,
) -> Result<Vec<Target>, Error> {
    let build = compare.build.as_deref();
    let each = contenders.iter().zip(&compare.revisions);
    each.map(|(contender, at)| {
        let is_target = |at: &Checkout| at.has_target(&contender.line);
        if build.is_some() || !compare.revisions.iter().any(is_target) {
            let target = starter.target(contender, &["jvm_flags"])?;
            return Ok(at.command(target, build));
        }
        let target = at.target(&contender.line, &contender.label)?;
        starter.over(target, contender)
    })
    .collect()
}

/// The targets, those of `--http2=NAMES` asked over HTTP/2.
fn over_http2(
    compare: &Compare,
    url: &Url,
    workload: &Workload,
    mut targets: Vec<Target>,
) -> Result<Vec<Target>, Error> {
    let wrong = |problem: String, help: &str| Err(Error::argument("--http2", problem, help));
    if !compare.over_http2.is_empty() && url.protocol != UrlProtocol::Http {
        let problem = "the URL is for another protocol than HTTP".to_owned();
        return wrong(problem, "leave it out");
    }
    for name in &compare.over_http2 {
        let labels: Vec<&str> = targets.iter().map(|target| &*target.label).collect();
        let Some(at) = labels.iter().position(|label| label == name) else {
            let help = advice(name, "servers", labels);
            return wrong(format!("no server is called `{name}`"), &help);
        };
        if targets[at].http2.is_some() {
            return wrong(format!("`{name}` is listed twice"), "name each server once");
        }
        targets[at] = targets[at]
            .clone()
            .over_http2(compare.flags.settings.streams);
        if let Some(in_flight) = targets[at].uneven(workload) {
            let streams = compare.flags.settings.streams;
            return Err(Error::argument(
                "--streams",
                format!(
                    "{in_flight} requests in flight are not a multiple of {streams} on each connection"
                ),
                format!(
                    "a multiple of {streams} for -c: as many requests are in flight over HTTP/2 as over HTTP/1.1, -c in all"
                ),
            ));
        }
    }
    if !targets.is_empty() && targets.iter().all(|target| target.http2.is_some()) {
        let problem = "all servers are named".to_owned();
        return wrong(
            problem,
            "write --http2 alone; -c is then the number of connections, each with --streams requests in flight",
        );
    }
    Ok(targets)
}

fn workload(compare: &Compare, url: &Url) -> Result<Workload, Error> {
    let argument = |flag: &str| {
        let flag = flag.to_owned();
        move |(problem, allowed): (String, &str)| {
            Error::argument(&flag, problem, format!("allowed: {allowed}"))
        }
    };
    let request = &compare.flags.request;
    for (name, value) in &request.headers {
        check_header_name(name).map_err(argument("-H"))?;
        check_header_value(name, &value.expose().text()).map_err(argument("-H"))?;
    }
    check_request(&request.body.expose().text()).map_err(argument("--body"))?;
    let loads = match compare.loads.is_empty() {
        true => vec![DEFAULT_LOAD],
        false => compare.loads.clone(),
    };
    loads_within(&loads)?;
    let exchange = exchange(compare, url)?;
    check_login(&exchange, compare.flags.login.as_ref())
        .map_err(|(problem, help)| Error::argument("--login", problem, help))?;
    Ok(Workload {
        name: "requests".to_owned(),
        login: compare.flags.login.clone(),
        exchange,
        requests_per_connection: compare.flags.settings.requests_per_connection,
        timeout: compare.flags.settings.timeout,
        loads,
        published_loads: Vec::new(),
        sweep: None,
        targets: Vec::new(),
        warmed_up: true,
        before: None,
        count_after: None,
    })
}

/// What is sent and what must come back.
fn exchange(compare: &Compare, url: &Url) -> Result<Exchange, Error> {
    let flags = &compare.flags;
    let wrong = |problem: String, help: &str| Error::argument("--url", problem, help);
    if let Some(requests) = &flags.requests {
        let mut paths = compare.already.iter().map(|endpoint| &endpoint.path);
        let same = |first: &String| paths.all(|path| path == first);
        let first = compare.already.first().map(|endpoint| &endpoint.path);
        return match url.protocol {
            UrlProtocol::Http if first.is_none_or(same) => Ok(Exchange::Requests(requests.clone())),
            UrlProtocol::Http => Err(wrong(
                "the URLs have different paths, but all servers get the same requests".to_owned(),
                "give URLs of one path; with --requests-from, of none",
            )),
            UrlProtocol::WebSocket | UrlProtocol::Grpc => Err(wrong(
                "--requests-from and --csv-data are for HTTP".to_owned(),
                "write http:// or https://, or leave them out",
            )),
        };
    }
    match url.protocol {
        UrlProtocol::Http => http(flags, url),
        UrlProtocol::WebSocket => flags
            .websocket(&url.path)
            .map(Exchange::WebSocket)
            .map_err(|error| wrong(error.to_string(), MESSAGE_HELP)),
        UrlProtocol::Grpc => flags
            .call(&url.path)
            .map(Exchange::Grpc)
            .map_err(|error| wrong(error.to_string(), CALL_HELP)),
    }
}

/// A request over HTTP.
fn http(flags: &RequestFlags, url: &Url) -> Result<Exchange, Error> {
    let request = flags.at(&url.path);
    let method = request.method.to_ascii_uppercase();
    if !METHODS.contains(&&*method) {
        let help = advice(&method, "methods", METHODS);
        let problem = format!("unknown method `{}`", request.method);
        return Err(Error::argument("-m", problem, help));
    }
    Ok(Exchange::Http {
        request: Request { method, ..request },
        expect: flags.expect.clone(),
        version: flags.version,
    })
}

/// The text that the results have instead of a study file.
fn text(compare: &Compare, contenders: &[Contender], workload: &Workload) -> String {
    let mut text = "# Made by `photofinish compare`; there was no study file.\n".to_owned();
    for one in contenders {
        let image = if one.in_container { "image " } else { "" };
        let Contender { label, line, .. } = one;
        text.push_str(&format!("# {label}: {image}{}\n", line.replace('\n', " ")));
        for (around, line) in one.around() {
            let line = line.replace('\n', " ");
            text.push_str(&format!("# {label}, {}: {line}\n", around.name()));
        }
    }
    for (name, value) in &compare.env {
        text.push_str(&format!("# env: {name}={value}{}\n", from(value)));
    }
    if let Some(build) = &compare.build {
        text.push_str(&format!("# build: {}\n", build.replace('\n', " ")));
    }
    if compare.already.is_empty() {
        text.push_str(&format!("# url: {}\n", compare.url));
    }
    if let Some(path) = &compare.unix_socket {
        text.push_str(&format!("# unix socket: {path}\n"));
    }
    text.push_str(&format!(
        "# request: {}\n",
        workload.exchange.asked().message().en
    ));
    if let Exchange::Requests(Requests {
        order,
        per_connection,
        ..
    }) = &workload.exchange
    {
        let each = match per_connection {
            true => ", each connection by itself",
            false => "",
        };
        text.push_str(&format!("# order: {}{each}\n", order.word()));
    }
    if let Some(login) = &workload.login {
        let Request { method, path, .. } = &login.request;
        text.push_str(&format!("# login: {method} {}\n", path.shown()));
    }
    for name in &compare.over_http2 {
        let streams = compare.flags.settings.streams;
        text.push_str(&format!(
            "# over HTTP/2: {name} ({streams} at once on a connection)\n"
        ));
    }
    for (name, value) in &compare.flags.request.headers {
        let line = masked_header(&format!("{name}: {}", value.expose().text()));
        text.push_str(&format!("# header: {line}{}\n", from(value)));
    }
    for load in &workload.loads {
        text.push_str(&format!("# level: {}\n", crate::claim::level(load)));
    }
    mask(&text).into_owned()
}

/// Where a secret came from, for a note behind it.
fn from<T>(secret: &Secret<T>) -> String {
    (secret.source()).map_or_else(String::new, |source| format!(" (from {source})"))
}

fn loads_within(loads: &[Load]) -> Result<(), Error> {
    check_loads(loads).map_err(|error| {
        let (flag, help) = match loads.first() {
            Some(Load::Open { .. }) => (
                "--rate",
                "such as 5000,20000 requests per second, over -c connections",
            ),
            _ => (
                "--connections",
                "several levels are separated by commas, such as 16,256,1000",
            ),
        };
        Error::argument(flag, error.to_string(), help)
    })
}
