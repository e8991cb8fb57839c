//! How the servers of `compare` are started.

use std::collections::BTreeMap;

use photofinish_model::Secret;
use photofinish_model::secret::mask;
use photofinish_model::settings::ReadySettings;
use photofinish_model::version::{CONTAINERS, VersionReq};

use super::Compare;
use super::contenders::Contender;
use super::url::Url;
use crate::checks::check_path;
use crate::command::{START_PLACEHOLDERS, around_placeholders};
use crate::error::Error;
use crate::image;
use crate::limits;
use crate::nearest::advice;
use crate::placeholder::placeholders;
use crate::plan::{Endpoint, Image, Listen, Ready, Start, Stop, Target};

/// A command of one's own has no target folder and no jvm-flags.
pub(super) const NO_FOLDER: [&str; 2] = ["dir", "jvm_flags"];

/// What all servers are started with.
pub(super) struct Starter<'c> {
    compare: &'c Compare,
    url: &'c Url,
    env: BTreeMap<String, Secret<String>>,
    ready: Ready,
}

impl<'c> Starter<'c> {
    /// # Errors
    /// By the flag that is wrong.
    pub(super) fn new(compare: &'c Compare, url: &'c Url) -> Result<Starter<'c>, Error> {
        if let Some(path) = &compare.ready.ready_path {
            check_path(path).map_err(|(problem, allowed)| {
                Error::argument("--ready-path", problem, format!("allowed: {allowed}"))
            })?;
        }
        for (name, value) in &compare.env {
            let known = allowed(&NO_FOLDER);
            if let Some(name) = placeholders(value.expose()).find(|used| !known.contains(used)) {
                return Err(unknown("--env", name, &known));
            }
            if name.is_empty() || name.contains(['=', '\0']) {
                let problem = format!("`{name}` cannot be the name of an environment variable");
                let help = "write NAME=VALUE, such as --env RUST_LOG=warn";
                return Err(Error::argument("--env", problem, help));
            }
        }
        Ok(Starter {
            compare,
            url,
            env: compare.env.iter().cloned().collect(),
            ready: Ready {
                path: compare.ready.ready_path.clone(),
                timeout: compare.ready.start_timeout,
            },
        })
    }

    /// A server that is started by a command in which `without` cannot stand.
    ///
    /// # Errors
    /// By the command, for one that cannot be read or does not say where to listen.
    pub(super) fn target(&self, contender: &Contender, without: &[&str]) -> Result<Target, Error> {
        let Contender {
            label,
            line,
            in_container,
            ..
        } = contender;
        let argument = match in_container {
            true => format!("--image {label}"),
            false => format!("command {label}"),
        };
        let wrong = |problem: String, help: &str| Err(Error::argument(&argument, problem, help));
        let words = words(&argument, line)?;
        if words.is_empty() {
            return wrong(
                "it is empty".to_owned(),
                match in_container {
                    true => image::NAMES,
                    false => "a program and its arguments, such as './server --port {port}'",
                },
            );
        }
        let (image, command) = match in_container {
            true => {
                let (name, arguments) = (words[0].clone(), words[1..].to_vec());
                if let Err((problem, allowed)) = image::check(&name) {
                    return wrong(problem, allowed);
                }
                (Some(Image::Named(name)), arguments)
            }
            false => (None, self.command(line, words)),
        };
        let known = match in_container {
            true => {
                let means = |name: &&str| image::PLACEHOLDERS.contains(name);
                allowed(without).into_iter().filter(means).collect()
            }
            false => allowed(without),
        };
        let in_env = (self.env.values()).flat_map(|value| placeholders(value.expose()));
        let mut used: Vec<&str> = command.iter().flat_map(|arg| placeholders(arg)).collect();
        if let Some(name) = used.iter().find(|name| !known.contains(name)) {
            return Err(unknown(&argument, name, &known));
        }
        // All servers have one environment, and what names files means nothing in a container.
        used.extend(in_env);
        if let Some(name) = used.iter().find(|name| !known.contains(name)) {
            return Err(unknown("--env", name, &known));
        }
        self.require_place(&argument, line, &used)?;
        let [prepare, cleanup] = self.around(contender, without)?;
        let around = prepare.iter().chain(&cleanup);
        used.extend(around.flat_map(|text| placeholders(text)));
        let uses_jdk = used.iter().any(|name| ["java", "java_home"].contains(name));
        let jdk = uses_jdk.then_some("jdk");
        let needs = jdk.into_iter().chain(image.is_some().then_some(CONTAINERS));
        Ok(Target {
            label: label.clone(),
            name: label.clone(),
            variant: None,
            title: mask(line).into_owned(),
            limit: false,
            dir: None,
            needs: needs
                .map(|tool| (tool.to_owned(), VersionReq::any()))
                .collect(),
            build: None,
            start: Start {
                command,
                image,
                env: self.env.clone(),
                jvm_flags: Vec::new(),
                listen: self.url.listen.clone(),
                prepare,
            },
            tls: self.url.tls.clone(),
            host: self.url.host.clone(),
            http2: None,
            ready: self.ready.clone(),
            stop: Stop {
                grace: limits::DEFAULT_GRACE,
                cleanup,
            },
            revision: None,
        })
    }

    /// A server that runs already.
    pub(super) fn already(&self, contender: &Contender, endpoint: &Endpoint) -> Target {
        Target {
            label: contender.label.clone(),
            name: contender.label.clone(),
            variant: None,
            title: mask(&contender.line).into_owned(),
            limit: false,
            dir: None,
            needs: BTreeMap::new(),
            build: None,
            start: Start {
                command: Vec::new(),
                image: None,
                env: BTreeMap::new(),
                jvm_flags: Vec::new(),
                listen: Listen::Already(Box::new(endpoint.clone())),
                prepare: Vec::new(),
            },
            tls: endpoint
                .tls
                .then(|| self.compare.flags.tls.clone().unwrap_or_default()),
            host: None,
            http2: None,
            ready: Ready {
                timeout: limits::ALREADY_READY,
                ..self.ready.clone()
            },
            stop: Stop {
                grace: limits::DEFAULT_GRACE,
                cleanup: Vec::new(),
            },
            revision: None,
        }
    }

    /// A target of a file, with what the flags say over it.
    ///
    /// # Errors
    /// By the flag whose command cannot be read.
    pub(super) fn over(&self, mut target: Target, contender: &Contender) -> Result<Target, Error> {
        if self.url.listen != Listen::FreePort {
            target.start.listen = self.url.listen.clone();
        }
        target.start.env.extend(self.env.clone());
        target.tls = self.url.tls.clone().or(target.tls);
        target.host = self.url.host.clone();
        target.ready.path = self.ready.path.clone().or(target.ready.path);
        if self.ready.timeout != ReadySettings::default().start_timeout {
            target.ready.timeout = self.ready.timeout;
        }
        let [prepare, cleanup] = self.around(contender, &["java", "java_home"])?;
        for (own, flags) in [
            (&mut target.start.prepare, prepare),
            (&mut target.stop.cleanup, cleanup),
        ] {
            if !flags.is_empty() {
                *own = flags;
            }
        }
        Ok(target)
    }

    /// A line as its words, or by a shell.
    fn command(&self, line: &str, words: Vec<String>) -> Vec<String> {
        match self.compare.shell {
            true => ["sh", "-c", line].map(str::to_owned).to_vec(),
            false => words,
        }
    }

    /// What runs before each start and after each stop; each empty where nothing does.
    fn around(&self, contender: &Contender, without: &[&str]) -> Result<[Vec<String>; 2], Error> {
        let mut both = [Vec::new(), Vec::new()];
        for (around, line) in contender.around() {
            let argument = format!("--{}", around.name());
            let known: Vec<&str> = (around_placeholders(around).into_iter())
                .filter(|name| !without.contains(name))
                .collect();
            if let Some(name) = placeholders(line).find(|used| !known.contains(used)) {
                return Err(unknown(&argument, name, &known));
            }
            both[around as usize] = self.command(line, words(&argument, line)?);
        }
        Ok(both)
    }

    /// A server has to know where to listen, in its command or its environment.
    fn require_place(&self, argument: &str, line: &str, used: &[&str]) -> Result<(), Error> {
        let wrong = |problem: String, help: &str| Err(Error::argument(argument, problem, help));
        match self.url.listen {
            Listen::FreePort if !used.contains(&"port") => {
                let help = match used.contains(&"socket") {
                    false => {
                        "write {port} where it takes its port, such as --port={port} or --env PORT={port}; \
                         if it always takes the same, give that in --url: http://127.0.0.1:8080/"
                    }
                    true => "to load it over its Unix socket, add --unix-socket '{socket}'",
                };
                let problem =
                    format!("`{line}` has no {{port}}, so the server does not know its port");
                wrong(problem, help)
            }
            Listen::Port(port) if used.contains(&"port") => wrong(
                format!(
                    "`{line}` takes any {{port}}, but the URL has the port {port} for all servers"
                ),
                "write {port} in --url too, such as http://127.0.0.1:{port}/; a URL with a fixed port is for servers that always take that one",
            ),
            Listen::Socket if !used.contains(&"socket") => wrong(
                format!("`{line}` has no {{socket}}, so the server does not know its Unix socket"),
                "write {socket} where it takes the path, such as --unix-socket={socket}; \
                 if it always takes the same, give that: --unix-socket /run/app.sock",
            ),
            _ => Ok(()),
        }
    }
}

/// The words of a line, as a shell splits it.
fn words(argument: &str, line: &str) -> Result<Vec<String>, Error> {
    shlex::split(line).ok_or_else(|| {
        Error::argument(
            argument,
            format!("a quote in `{line}` is never closed"),
            "quote as in a shell: 'java -jar \"my app.jar\" --port={port}'",
        )
    })
}

/// The placeholders that may stand where `without` may not.
fn allowed(without: &[&str]) -> Vec<&'static str> {
    let all = START_PLACEHOLDERS.into_iter();
    all.filter(|name| !without.contains(name)).collect()
}

fn unknown(argument: &str, name: &str, known: &[&str]) -> Error {
    let help = advice(name, "placeholders here (in braces)", known.iter().copied());
    Error::argument(argument, format!("unknown placeholder `{{{name}}}`"), help)
}
