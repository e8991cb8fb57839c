//! `targets/NAME/target.toml`: how a server is built, started, known to be ready and stopped.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use crate::checks::{check_path, check_variant};
use crate::command::{
    BUILD_PLACEHOLDERS, Command, around_placeholders, check_placeholders, environment,
};
use crate::image;
use crate::keys::target as keys;
use crate::limits;
use crate::nearest::advice;
use crate::placeholder::placeholders;
use crate::plan::{Build, Image, Listen, Ready, Start, Stop, Target};
use crate::reader::{Document, Node, Section};
use crate::tls::read_tls;
use crate::version::parse_version_req;
use photofinish_model::finding::failure::Around;
use photofinish_model::settings::ReadySettings;
use photofinish_model::version::{CONTAINERS, VersionReq};
use photofinish_model::{Secret, Tls};

mod listen;

use listen::read_listen;

/// The tools that a target may need.
pub const TOOLS: &[&str] = &["jdk", "maven", "cargo", "go", "node"];

/// A flag of the JVM may use what is known of the run, such as `-XX:ActiveProcessorCount={cpus}`.
const FLAG_PLACEHOLDERS: [&str; 5] = ["port", "socket", "dir", "java_home", "cpus"];

type Env = BTreeMap<String, Secret<String>>;

/// A target as it stands in the file: the base, or the base with a variant over it.
#[derive(Clone)]
struct Draft<'d> {
    title: String,
    needs: BTreeMap<String, VersionReq>,
    build: Option<(Option<Command<'d>>, Env, Duration)>,
    start: Option<Command<'d>>,
    /// What it runs from, with where that is said; `None`: it runs as a process of its machine.
    image: Option<(Node<'d>, Image)>,
    env: Env,
    jvm_flags: Vec<(Node<'d>, String)>,
    /// `port` or `socket`, where it is given, be it right or wrong.
    fixed: Option<Node<'d>>,
    listen: Listen,
    tls: Option<Tls>,
    ready: Ready,
    grace: Duration,
    /// What runs before each start and after each stop.
    prepare: Option<Command<'d>>,
    cleanup: Option<Command<'d>>,
}

/// Reads a target file: the base first, then its variants in the order of the file. Mistakes
/// are noted in the document; what is returned counts only if there are none.
pub(crate) fn read(doc: &Document, name: &str, dir: &Path) -> Vec<Target> {
    let Some(table) = doc.parse() else {
        return Vec::new();
    };
    let file = Section::new(doc, table.get_ref(), 0..0, "a target", (keys::TARGET, &[]));
    let base = read_base(&file, dir);
    let mut targets = vec![base.clone().finish(name, None, dir)];
    let variants = file.get("variant").map(|node| node.entries());
    for entry in variants.into_iter().flatten() {
        let variant = entry.node.name();
        entry.check_key(check_variant(variant));
        if let Some(section) = entry.node.section() {
            let draft = base.clone().with_variant(variant, &section, dir);
            targets.push(draft.finish(name, Some(variant), dir));
        }
    }
    targets
}

fn read_base<'d>(file: &Section<'d>, dir: &Path) -> Draft<'d> {
    let title = file.need_text("title").unwrap_or_default().to_owned();
    let example = "[start] with command = [\"./server\", \"--port\", \"{port}\"]";
    let start = file.need_such_as("start", example);
    let start = start.and_then(|node| node.section());
    let image = start.as_ref().and_then(image::read);
    let allowed = image::placeholders(image.is_some());
    let ready = file.section("ready");
    let stop = file.section("stop");
    let build = file.section("build").map(|section| {
        let command = section.need("command");
        (
            command.and_then(|node| Command::read(&node, &BUILD_PLACEHOLDERS)),
            read_env(&section, "env", &BUILD_PLACEHOLDERS),
            section.value_or_default("timeout"),
        )
    });
    Draft {
        title,
        needs: read_needs(file),
        build,
        start: start
            .as_ref()
            .and_then(|section| match &image {
                // The image has a command of its own.
                Some(_) => section.get("command"),
                None => section.need("command"),
            })
            .and_then(|node| Command::read(&node, allowed)),
        env: start
            .as_ref()
            .map(|section| read_env(section, "env", allowed))
            .unwrap_or_default(),
        image,
        jvm_flags: start.as_ref().map(read_jvm_flags).unwrap_or_default(),
        fixed: start
            .as_ref()
            .and_then(|start| start.get("port").or(start.get("socket"))),
        listen: start.as_ref().map_or(Listen::FreePort, read_listen),
        tls: file.get("tls").and_then(|node| read_tls(&node, dir)),
        ready: Ready {
            path: ready.as_ref().and_then(read_ready_path),
            timeout: ready.as_ref().map_or_else(
                || ReadySettings::default().start_timeout,
                |ready| ready.value_or_default("timeout"),
            ),
        },
        grace: stop
            .as_ref()
            .map_or(limits::DEFAULT_GRACE, |s| s.value_or_default("grace")),
        prepare: read_around(start.as_ref(), Around::Prepare),
        cleanup: read_around(stop.as_ref(), Around::Cleanup),
    }
}

fn read_around<'d>(section: Option<&Section<'d>>, around: Around) -> Option<Command<'d>> {
    let node = section?.get(around.name())?;
    Command::read(&node, &around_placeholders(around))
}

fn read_ready_path(section: &Section<'_>) -> Option<String> {
    let node = section.get("path")?;
    let path = node.text()?;
    node.check(check_path(path));
    Some(path.to_owned())
}

fn read_needs(section: &Section<'_>) -> BTreeMap<String, VersionReq> {
    let mut needs = BTreeMap::new();
    let entries = section.get("needs").map(|node| node.entries());
    for entry in entries.into_iter().flatten() {
        let tool = entry.node.name();
        if !TOOLS.contains(&tool) {
            let help = advice(tool, "tools", TOOLS.iter().copied());
            entry.note_key(format!("unknown tool `{tool}`"), help);
        }
        let Some(text) = entry.node.text() else {
            continue;
        };
        match parse_version_req(text) {
            Ok(requirement) => {
                needs.insert(tool.to_owned(), requirement);
            }
            Err(error) => entry.node.note(error.to_string(), ""),
        }
    }
    needs
}

fn read_env(section: &Section<'_>, key: &str, placeholders: &[&str]) -> Env {
    section
        .get(key)
        .map(|node| environment(&node, placeholders))
        .unwrap_or_default()
}

fn read_jvm_flags<'d>(section: &Section<'d>) -> Vec<(Node<'d>, String)> {
    let items = section.get("jvm-flags").and_then(|node| node.list());
    let items = items.unwrap_or_default();
    items
        .into_iter()
        .filter_map(|item| {
            let flag = item.text()?;
            if !flag.starts_with('-') {
                item.note(
                    format!("`{flag}` is not a JVM flag"),
                    "each flag is an item of its own and begins with `-`, such as \"-Xmx1g\"",
                );
            }
            check_placeholders(&item, flag, &FLAG_PLACEHOLDERS);
            Some((item, flag.to_owned()))
        })
        .collect()
}

impl<'d> Draft<'d> {
    fn with_variant(mut self, variant: &str, section: &Section<'d>, dir: &Path) -> Self {
        self.title = section.text_or("title", &format!("{}, {variant}", self.title));
        self.needs.extend(read_needs(section));
        let allowed = image::placeholders(self.image.is_some());
        self.env.extend(read_env(section, "env", allowed));
        self.jvm_flags.extend(read_jvm_flags(section));
        if let Some(node) = section.get("start-command") {
            self.start = Command::read(&node, allowed);
        }
        match (&self.image, image::read(section)) {
            (_, None) => {}
            (Some(_), image) => self.image = image,
            (None, Some((node, _))) => node.note(
                format!(
                    "`{}` has nothing to replace: the target runs in no container",
                    node.name()
                ),
                "say `image` or `containerfile` in [start]",
            ),
        }
        if let Some(node) = section.get("tls") {
            self.tls = read_tls(&node, dir);
        }
        for key in ["build-env", "build-command"] {
            let Some(node) = section.get(key) else {
                continue;
            };
            let Some((command, env, _)) = &mut self.build else {
                node.note(
                    format!("`{key}` has nothing to change: the target has no [build]"),
                    "add [build] with its command",
                );
                continue;
            };
            match key {
                "build-env" => env.extend(environment(&node, &BUILD_PLACEHOLDERS)),
                _ => *command = Command::read(&node, &BUILD_PLACEHOLDERS),
            }
        }
        self
    }

    fn finish(self, name: &str, variant: Option<&str>, dir: &Path) -> Target {
        self.check();
        let listen = match self.has_placeholder("socket") && self.listen == Listen::FreePort {
            true => Listen::Socket,
            false => self.listen.clone(),
        };
        let build_command = self
            .build
            .as_ref()
            .and_then(|(command, ..)| command.as_ref());
        let commands = [
            self.start.as_ref(),
            build_command,
            self.prepare.as_ref(),
            self.cleanup.as_ref(),
        ];
        let of_jdk = commands.into_iter().flatten().find(|c| c.uses_jdk());
        if let Some(command) = of_jdk
            && !self.needs.contains_key("jdk")
        {
            command.node().note(
                "the command uses the chosen JDK, but the target does not say which it needs",
                "add below the title: needs = { jdk = \">=21\" }",
            );
        }
        let mut needs = self.needs;
        if self.image.is_some() {
            needs.insert(CONTAINERS.to_owned(), VersionReq::any());
        }
        Target {
            label: match variant {
                Some(variant) => format!("{name}@{variant}"),
                None => name.to_owned(),
            },
            name: name.to_owned(),
            variant: variant.map(str::to_owned),
            title: self.title,
            limit: false,
            dir: Some(dir.to_owned()),
            needs,
            build: self.build.map(|(command, env, timeout)| Build {
                command: command.map(Command::into_args).unwrap_or_default(),
                env,
                timeout,
                in_place: false,
            }),
            start: Start {
                command: self.start.map(Command::into_args).unwrap_or_default(),
                image: self.image.map(|(_, image)| image),
                env: self.env,
                jvm_flags: self.jvm_flags.into_iter().map(|(_, flag)| flag).collect(),
                listen,
                prepare: self.prepare.map(Command::into_args).unwrap_or_default(),
            },
            tls: self.tls,
            host: None,
            http2: None,
            ready: self.ready,
            stop: Stop {
                grace: self.grace,
                cleanup: self.cleanup.map(Command::into_args).unwrap_or_default(),
            },
            revision: None,
        }
    }

    /// Whether a placeholder stands in the server's command or its environment.
    fn has_placeholder(&self, placeholder: &str) -> bool {
        let mut in_env = self
            .env
            .values()
            .flat_map(|value| placeholders(value.expose()));
        let mut in_flags = self
            .jvm_flags
            .iter()
            .flat_map(|(_, flag)| placeholders(flag));
        self.start
            .as_ref()
            .is_some_and(|start| start.uses(placeholder))
            || in_env.any(|name| name == placeholder)
            || in_flags.any(|name| name == placeholder)
    }

    /// What holds only between keys, possibly one of the base and one of the variant.
    fn check(&self) {
        let command = self.start.as_ref().map(Command::node);
        let image = self.image.as_ref().map(|(node, _)| node);
        let Some(node) = command.or(image) else {
            return;
        };
        if let (Some(fixed), Listen::SocketAt(_), Some(_)) = (&self.fixed, &self.listen, image) {
            fixed.note(
                "a server in a container is loaded at its port: its Unix socket is not among this machine's files",
                "take `socket` out, and write {port} where the server takes its port",
            );
        }
        if self.fixed.is_none() && !self.has_placeholder("port") && !self.has_placeholder("socket")
        {
            let socket = match image {
                None => "; for a Unix socket write {socket}",
                Some(_) => "",
            };
            node.note(
                "the server does not know where to listen: neither the command nor the environment has `{port}`",
                format!(
                    "write {{port}} where the server takes its port, such as \"--port={{port}}\", \
                     or set `port` if it always takes the same{socket}"
                ),
            );
        }
        if let (Some(fixed), Listen::Port(_)) = (&self.fixed, &self.listen)
            && self.has_placeholder("socket")
        {
            fixed.note(
                "the server is started on a Unix socket, `{socket}`, and has a port: it is loaded at one of them",
                "take `port` out, or take {socket} out of the command and the environment",
            );
        }
        if let Some((flag, _)) = self.jvm_flags.first()
            && !self
                .start
                .as_ref()
                .is_some_and(|start| start.uses("jvm_flags"))
        {
            flag.note(
                "these JVM flags would not be used: the start command has no \"{jvm_flags}\"",
                "write it after the java program: [\"{java}\", \"{jvm_flags}\", \"-jar\", …]",
            );
        }
    }
}
