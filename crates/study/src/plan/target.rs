//! A target and its variants: how it is built, started and stopped.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use photofinish_model::version::VersionReq;
use photofinish_model::{
    Address, Exchange, Load, Requests, Revision, Secret, Template, Tls, Version,
};

use super::Workload;
use crate::scheme::Scheme;

/// A contender: a target, or one of its variants.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// `name` or `name@variant`; a label of the study's own where it gives one (`as`), such as
    /// for the second of an A/A pair.
    pub label: String,
    /// The target's name: that of its folder.
    pub name: String,
    /// The variant's name.
    pub variant: Option<String>,
    /// What it is, in a line.
    pub title: String,
    /// Whether it is the study's limit: it races along and is no contender.
    pub limit: bool,
    /// The folder with its `target.toml` and sources; `None` for `compare`'s commands and URLs.
    pub dir: Option<PathBuf>,
    /// The tools that it needs: `jdk`, `maven`, `cargo`, `node`, `go`, … → what versions.
    pub needs: BTreeMap<String, VersionReq>,
    /// How to build it; `None` where there is nothing to build.
    pub build: Option<Build>,
    /// How to start it.
    pub start: Start,
    /// How TLS is spoken on its port; `None`: it is not.
    pub tls: Option<Tls>,
    /// The host of the URL at which it is requested; `None`: there is none, as in a study.
    pub host: Option<String>,
    /// Requests of HTTP come to it over HTTP/2, so many in flight on a connection; `None`: in the version of the workload.
    pub http2: Option<u32>,
    /// How to know that it is ready.
    pub ready: Ready,
    /// How to stop it.
    pub stop: Stop,
    /// The revision that its folder is a checkout of, where revisions race.
    pub revision: Option<Revision>,
}

impl Target {
    /// Where it listens, if it runs already.
    pub fn already(&self) -> Option<&Endpoint> {
        match &self.start.listen {
            Listen::Already(endpoint) => Some(endpoint),
            _ => None,
        }
    }

    /// What requests call it when it listens there: the value of HTTP's `Host`. It is that of its URL, else the name for which its
    /// certificate is, so that a server with virtual hosts sees one name; `None`: its address.
    pub fn called(&self, at: &Address) -> Option<String> {
        if let Some(endpoint) = self.already() {
            return Some(endpoint.authority.clone());
        }
        let named = self.tls.as_ref().and_then(|tls| tls.name.as_ref());
        let host = self.host.as_ref().or(named)?;
        Some(match at {
            Address::Tcp(at) => format!("{host}:{}", at.port()),
            Address::Unix(_) => host.clone(),
        })
    }

    /// A workload as this target takes it: at the path of its own URL and in its own version of HTTP, where it has one.
    pub fn takes<'w>(&self, workload: &'w Workload) -> Cow<'w, Workload> {
        let mut own = Cow::Borrowed(workload);
        if let Some(Endpoint { path, .. }) = self.already() {
            own.to_mut().exchange.set_path(Template::parse(path));
        }
        if let Some(streams) = self.http2
            && let Exchange::Http { version, .. } | Exchange::Requests(Requests { version, .. }) =
                &mut own.to_mut().exchange
        {
            *version = Version::Http2 { streams };
        }
        own
    }

    /// A level of a workload as this target takes it: as many requests in flight as from the others, over as many connections as its
    /// own version of HTTP needs for them.
    pub fn takes_load(&self, workload: &Workload, load: &Load) -> Load {
        let own = self.takes(workload).exchange.streams();
        let in_flight = load
            .connections()
            .saturating_mul(workload.exchange.streams());
        load.with_connections((in_flight / own).max(1))
    }

    /// How many requests are in flight at the first level that this target's connections cannot share out evenly.
    pub fn uneven(&self, workload: &Workload) -> Option<u32> {
        let own = self.takes(workload).exchange.streams();
        let loads = workload.loads.iter().chain(&workload.published_loads);
        loads
            .map(|load| {
                load.connections()
                    .saturating_mul(workload.exchange.streams())
            })
            .find(|in_flight| !in_flight.is_multiple_of(own))
    }

    /// The same target asked over HTTP/2, which its title says.
    pub fn over_http2(self, streams: u32) -> Target {
        let at_once = match streams {
            1 => String::new(),
            streams => format!(", {streams} requests at once on a connection"),
        };
        Target {
            title: format!("{} (over HTTP/2{at_once})", self.title),
            http2: Some(streams),
            ..self
        }
    }
}

/// How a target is built: in a copy of its folder, once for each set of inputs, or in the folder itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Build {
    /// The command and its arguments; placeholders as in [`Start::command`], without `{port}`.
    pub command: Vec<String>,
    /// Environment for the build.
    pub env: BTreeMap<String, Secret<String>>,
    /// How long it may take.
    pub timeout: Duration,
    /// Whether the folder was checked out for this build alone: it is built there, once.
    pub in_place: bool,
}

/// How a target is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The command and its arguments. Placeholders: `{port}`, `{socket}`, `{dir}` (where it was built),
    /// `{java}` (the chosen JDK's `java`), `{jvm_flags}` (an argument of its own, spliced in),
    /// `{photofinish}` (this program), `{cpus}` (how many cores the server's lane has).
    pub command: Vec<String>,
    /// What it runs from, where it runs in a container: the command is then what stands behind the image, instead of the image's
    /// own, or nothing.
    pub image: Option<Image>,
    /// Environment for the server, over the one that photofinish has; in a container, over the image's.
    pub env: BTreeMap<String, Secret<String>>,
    /// What `{jvm_flags}` stands for.
    pub jvm_flags: Vec<String>,
    /// Where it listens.
    pub listen: Listen,
    /// What is run to its end before each start, on the server's machine also where that runs in a container; empty: nothing.
    /// Placeholders as in `command`, without `{jvm_flags}`.
    pub prepare: Vec<String>,
}

/// What a container is made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Image {
    /// The image of this name, from this machine or from where its name leads to.
    Named(String),
    /// What is built by this file of the target's folder, from that folder.
    File(PathBuf),
}

/// Where a server is to listen, or always does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listen {
    /// At a port that is free when it is started: `{port}`.
    FreePort,
    /// At this port, always.
    Port(u16),
    /// At a Unix socket in the trial's own folder: `{socket}`.
    Socket,
    /// At this Unix socket, always.
    SocketAt(PathBuf),
    /// It runs already, and listens there: it is neither started nor stopped.
    Already(Box<Endpoint>),
}

/// Where a URL leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// The URL as it was given.
    pub url: String,
    /// Where the server listens.
    pub address: Address,
    /// What requests call it: the value of HTTP's `Host`.
    pub authority: String,
    /// Path and query.
    pub path: String,
    /// What is spoken there.
    pub scheme: Scheme,
    /// Over TLS.
    pub tls: bool,
}

impl Listen {
    /// Whether only programs on its own machine reach it.
    pub fn is_socket(&self) -> bool {
        matches!(self, Listen::Socket | Listen::SocketAt(_))
    }
}

/// How to know that a server is ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ready {
    /// The path that must respond with any status below 500; `None` = where it listens it must accept a connection.
    pub path: Option<String>,
    /// How long it may take.
    pub timeout: Duration,
}

/// How a server is stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// How long it has after SIGTERM before SIGKILL.
    pub grace: Duration,
    /// What is run to its end after each stop, also where [`Start::prepare`] or the start failed; empty: nothing. Placeholders as
    /// there, without `{temp}`, which is gone by then.
    pub cleanup: Vec<String>,
}
