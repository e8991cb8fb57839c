//! `photofinish compare`: a plan made from commands in place of files.

mod labels;
mod url;

use std::collections::BTreeMap;
use std::time::Duration;

use photofinish_model::duration::format_duration;
use photofinish_model::version::VersionReq;
use photofinish_model::{Exchange, Expect, Load, Request, Template, Tls, Version};

use crate::checks::{METHODS, check_header_name, check_header_value};
use crate::command::START_PLACEHOLDERS;
use crate::error::Error;
use crate::levels::check_loads;
use crate::limits;
use crate::nearest::advice;
use crate::overrides::within;
use crate::placeholder::placeholders;
use crate::plan::{Lanes, Listen, Plan, Ready, Start, Stop, Target, WarmupBounds, Workload};
use crate::revisions::Checkout;
use crate::template::check_request;
use labels::labels;
use url::Url;

/// What `photofinish compare` is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Compare {
    /// The commands, each of which starts a server; two at least. With revisions one, or the name of a target that they have.
    pub commands: Vec<String>,
    /// `--rev`: the revisions that race.
    pub revisions: Vec<Checkout>,
    /// `--build`: the command that builds a revision.
    pub build: Option<String>,
    /// `--names`: a label for each command; empty = A, B, ….
    pub names: Vec<String>,
    /// `--url`: `http://127.0.0.1:{port}/path`, or `https://localhost:{port}/path`; over a Unix socket without a port.
    pub url: String,
    /// `--unix-socket`: where all of them listen, or `{socket}`: each at one of its own.
    pub unix_socket: Option<String>,
    /// `-c`: the levels; empty = 100 connections.
    pub loads: Vec<Load>,
    /// `-m`, `-H` and `--body`; its path is that of the URL.
    pub request: Request,
    /// `--expect-status` and `--expect-body`.
    pub expect: Expect,
    /// `--http2` and `--streams`.
    pub version: Version,
    /// `--cacert`, `--insecure` and the like; `None` = none of them was given.
    pub tls: Option<Tls>,
    /// `--requests-per-connection`, `--no-keepalive`.
    pub requests_per_connection: Option<u32>,
    /// `--timeout`: how long a response may take.
    pub timeout: Duration,
}

impl Compare {
    /// A comparison of these commands at this URL, everything else at its default.
    pub fn new(commands: Vec<String>, url: impl Into<String>) -> Self {
        Compare {
            commands,
            revisions: Vec::new(),
            build: None,
            names: Vec::new(),
            url: url.into(),
            unix_socket: None,
            loads: Vec::new(),
            request: Request::get(""),
            expect: Expect::default(),
            version: Version::Http1,
            tls: None,
            requests_per_connection: None,
            timeout: limits::DEFAULT_ANSWER_TIMEOUT,
        }
    }
}

/// The load where none is asked for; that of ab's and oha's examples.
const DEFAULT_LOAD: Load = Load::Closed { connections: 100 };

/// As many as have a letter and fit a table.
const MAX_COMMANDS: usize = 8;

/// The plan of a comparison. Rounds and the like are the defaults; [`crate::apply`] changes them.
///
/// # Errors
/// Each names the argument that is wrong and says what is allowed.
pub fn compare_plan(compare: &Compare) -> Result<Plan, Error> {
    let url = Url::parse(compare)?;
    let labels = labels(compare)?;
    within(
        "--timeout",
        compare.timeout,
        &limits::ANSWER_TIMEOUT,
        format_duration,
    )?;
    let commands = labels.iter().zip(&compare.commands);
    let targets = match compare.revisions.is_empty() {
        true => commands
            .map(|(label, command)| target(label, command, &url, &NO_FOLDER))
            .collect::<Result<Vec<_>, _>>()?,
        false => revisions(compare, &labels, &url)?,
    };
    let workload = workload(compare, &url)?;
    Ok(Plan {
        name: "compare".to_owned(),
        title: format!("{} at {}", labels.join(" against "), url.path),
        source: None,
        notes: None,
        text: text(compare, &labels, &workload),
        rounds: limits::COMPARE_ROUNDS,
        until_decided: false,
        duration: limits::COMPARE_DURATION,
        lead_in: limits::DEFAULT_LEAD_IN,
        warmup: WarmupBounds {
            min: limits::COMPARE_WARMUP_MIN,
            max: limits::DEFAULT_WARMUP_MAX,
        },
        margin: limits::DEFAULT_MARGIN,
        aa: false,
        lanes: Lanes::Split,
        services: Vec::new(),
        targets,
        workloads: vec![workload],
        claims: Vec::new(),
        left_out: Vec::new(),
        turns: true,
        freeze: false,
        smoke: false,
    })
}

/// The one command, or target, at each revision.
fn revisions(compare: &Compare, labels: &[String], url: &Url) -> Result<Vec<Target>, Error> {
    let [command] = compare.commands.as_slice() else {
        return Err(Error::argument(
            "--rev",
            format!("{} commands are given with it", compare.commands.len()),
            "with --rev one command, or the name of a target, is started at each revision",
        ));
    };
    let build = compare.build.as_deref();
    let is_target = build.is_none() && compare.revisions.iter().any(|at| at.has_target(command));
    let each = labels.iter().zip(&compare.revisions);
    each.map(|(label, at)| {
        if !is_target {
            let target = target(label, command, url, &["jvm_flags"])?;
            return Ok(at.command(target, build));
        }
        let mut target = at.target(command, label)?;
        if url.listen != Listen::FreePort {
            target.start.listen = url.listen.clone();
        }
        target.tls = url.tls.clone().or(target.tls);
        Ok(target)
    })
    .collect()
}

/// There is no folder and no jvm-flags list beside a command of one's own.
const NO_FOLDER: [&str; 2] = ["dir", "jvm_flags"];

fn target(label: &str, line: &str, url: &Url, without: &[&str]) -> Result<Target, Error> {
    let argument = format!("command {label}");
    let wrong = |problem: String, help: &str| Err(Error::argument(&argument, problem, help));
    let Some(command) = shlex::split(line) else {
        return wrong(
            format!("a quote in `{line}` is never closed"),
            "quote as in a shell: 'java -jar \"my app.jar\" --port={port}'",
        );
    };
    if command.is_empty() {
        return wrong(
            "it is empty".to_owned(),
            "a program and its arguments, such as './server --port {port}'",
        );
    }
    let mut used: Vec<&str> = command.iter().flat_map(|arg| placeholders(arg)).collect();
    used.dedup();
    let allowed = START_PLACEHOLDERS
        .into_iter()
        .filter(|name| !without.contains(name));
    for name in &used {
        if !allowed.clone().any(|known| known == *name) {
            let help = advice(name, "placeholders here (in braces)", allowed);
            return wrong(format!("unknown placeholder `{{{name}}}`"), &help);
        }
    }
    if url.listen == Listen::FreePort && !used.contains(&"port") {
        let help = match used.contains(&"socket") {
            false => {
                "write {port} where it takes its port, such as --port={port}; \
                 if it always takes the same, give that in --url: http://127.0.0.1:8080/"
            }
            true => "to load it over its Unix socket, add --unix-socket '{socket}'",
        };
        let problem = format!("the server is not told its port: `{line}` has no {{port}}");
        return wrong(problem, help);
    }
    if url.listen == Listen::Socket && !used.contains(&"socket") {
        return wrong(
            format!("the server is not told its Unix socket: `{line}` has no {{socket}}"),
            "write {socket} where it takes the path, such as --unix-socket={socket}; \
             if it always takes the same, give that: --unix-socket /run/app.sock",
        );
    }
    let uses_jdk = used.iter().any(|name| ["java", "java_home"].contains(name));
    let jdk = uses_jdk.then(|| ("jdk".to_owned(), VersionReq::any()));
    Ok(Target {
        label: label.to_owned(),
        name: label.to_owned(),
        variant: None,
        title: line.to_owned(),
        limit: false,
        dir: None,
        needs: jdk.into_iter().collect(),
        build: None,
        start: Start {
            command,
            env: BTreeMap::new(),
            jvm_flags: Vec::new(),
            listen: url.listen.clone(),
        },
        tls: url.tls.clone(),
        ready: Ready {
            path: None,
            timeout: limits::DEFAULT_READY_TIMEOUT,
        },
        stop: Stop {
            grace: limits::DEFAULT_GRACE,
        },
        revision: None,
    })
}

fn workload(compare: &Compare, url: &Url) -> Result<Workload, Error> {
    let argument = |flag: &str| {
        let flag = flag.to_owned();
        move |(problem, allowed): (String, &str)| {
            Error::argument(&flag, problem, format!("allowed: {allowed}"))
        }
    };
    let request = &compare.request;
    let method = request.method.to_ascii_uppercase();
    if !METHODS.contains(&&*method) {
        let help = advice(&method, "methods", METHODS);
        let problem = format!("unknown method `{}`", request.method);
        return Err(Error::argument("-m", problem, help));
    }
    for (name, value) in &request.headers {
        check_header_name(name).map_err(argument("-H"))?;
        check_header_value(name, &value.to_string()).map_err(argument("-H"))?;
    }
    check_request(&request.body.to_string()).map_err(argument("--body"))?;
    let loads = match compare.loads.is_empty() {
        true => vec![DEFAULT_LOAD],
        false => compare.loads.clone(),
    };
    loads_within(&loads)?;
    Ok(Workload {
        name: "url".to_owned(),
        exchange: Exchange::Http {
            request: Request {
                method,
                path: Template::parse(&url.path),
                ..request.clone()
            },
            expect: compare.expect.clone(),
            version: compare.version,
        },
        requests_per_connection: compare.requests_per_connection,
        timeout: compare.timeout,
        loads,
        published_loads: Vec::new(),
        sweep: None,
        targets: Vec::new(),
        warmed_up: true,
        before: None,
        count_after: None,
    })
}

/// What stands in the results in place of a study file.
fn text(compare: &Compare, labels: &[String], workload: &Workload) -> String {
    let mut text = "# Made by `photofinish compare`; there was no study file.\n".to_owned();
    for (place, label) in labels.iter().enumerate() {
        // Revisions share one.
        let command = compare.commands.get(place).or(compare.commands.first());
        let command = command.map_or(String::new(), |command| command.replace('\n', " "));
        text.push_str(&format!("# {label}: {command}\n"));
    }
    if let Some(build) = &compare.build {
        text.push_str(&format!("# build: {}\n", build.replace('\n', " ")));
    }
    text.push_str(&format!("# url: {}\n", compare.url));
    if let Some(path) = &compare.unix_socket {
        text.push_str(&format!("# unix socket: {path}\n"));
    }
    text.push_str(&format!("# request: {}\n", workload.exchange.in_words()));
    for (name, value) in &compare.request.headers {
        text.push_str(&format!("# header: {name}: {value}\n"));
    }
    for load in &workload.loads {
        text.push_str(&format!("# level: {}\n", crate::claim::level(load)));
    }
    text
}

fn loads_within(loads: &[Load]) -> Result<(), Error> {
    check_loads(loads).map_err(|error| {
        let help = "several levels are separated by commas, such as 16,256,1000";
        Error::argument("--connections", error.to_string(), help)
    })
}
