//! The keys of target files.

use photofinish_model::settings::{Group, Kind, ReadyLayer, Row, TlsLayer, Value};

use super::{Key, NEEDED, Of, is, keys, says};
use crate::limits;

const READINESS: &[Row] = ReadyLayer::ROWS;
const SECURITY: &[Row] = TlsLayer::ROWS;

/// The keys of a target.
pub(crate) const TARGET: &[Key] = keys! {
    /// What it is, in a line, with its version.
    "title": Of::Text, NEEDED, r#"title = "tio-boot 2.0.8""#;
    /// The tools that it is built and run with; see [below](#needs).
    "needs": Of::Table(NEEDS), says("nothing"), r#"needs = { jdk = ">=21" }"#;
    /// How to build it; see [below](#build).
    "build": Of::Table(BUILD), says("nothing to build"), "[build]";
    /// How to start it; see [below](#start).
    "start": Of::Table(START), NEEDED, "[start]";
    /// The server speaks TLS on its port, and how; see [below](#tls).
    "tls": Of::Table(TLS), says("plain TCP"), "[tls]";
    /// How to detect that it is ready; see [below](#ready).
    "ready": Of::Table(READY), says("the port accepts"), "[ready]";
    /// How to stop it; see [below](#stop).
    "stop": Of::Table(STOP), says("5 s of grace"), "[stop]";
    /// The same source with other versions, flags or environment; see [below](#variantname).
    "variant": Of::Named(VARIANT), says("none"), "[variant.virtual-threads]";
};

/// The keys of `needs`.
pub(crate) const NEEDS: &[Key] = keys! {
    /// A Java development kit. `{java}`, `{java_home}` and `JAVA_HOME` stand for the one that was chosen.
    "jdk": Of::Text, says("none"), r#"jdk = ">=17, <22""#;
    /// Apache Maven.
    "maven": Of::Text, says("none"), r#"maven = ">=3.8""#;
    /// Rust's build tool.
    "cargo": Of::Text, says("none"), r#"cargo = ">=1.85""#;
    /// The Go toolchain.
    "go": Of::Text, says("none"), r#"go = ">=1.22""#;
    /// Node.js.
    "node": Of::Text, says("none"), r#"node = "22""#;
};

/// The keys of `[build]`.
pub(crate) const BUILD: &[Key] = keys! {
    /// The command; may use `{dir}`, `{java}` and `{java_home}`.
    "command": Of::List("list of strings"), NEEDED, r#"command = ["mvn", "-q", "-B", "package"]"#;
    /// Environment variables, added to photofinish's own.
    "env": Of::Strings, says("none"), r#"env = { MAVEN_OPTS = "-Xmx1g" }"#;
    /// How long it may take.
    "timeout": Of::Value(Kind::Time(limits::BUILD_TIMEOUT)), is(|| Value::Time(limits::DEFAULT_BUILD_TIMEOUT)), r#"timeout = "40m""#;
};

/// The keys of `[start]`.
pub(crate) const START: &[Key] = keys! {
    /// The command; see [placeholders](#placeholders). With an image: the arguments after it, instead of the image's own command.
    "command": Of::List("list of strings"), says("needed without an image"), r#"command = ["./server", "--port={port}"]"#;
    /// The image that the server runs from, [in a container](#servers-in-containers).
    "image": Of::Text, says("none"), r#"image = "docker.io/library/caddy:2""#;
    /// The file in the target's folder that builds the image, instead of `image`.
    "containerfile": Of::Text, says("none"), r#"containerfile = "Containerfile""#;
    /// Environment variables, added to photofinish's own; placeholders as in the command.
    "env": Of::Strings, says("none"), r#"env = { PORT = "{port}" }"#;
    /// What `{jvm_flags}` stands for; may use `{port}`, `{socket}`, `{dir}`, `{java_home}` and `{cpus}`; variants add to it.
    "jvm-flags": Of::List("list of strings"), says("none"), r#"jvm-flags = ["-Xmx1g"]"#;
    /// The port, for a server that always uses the same. Otherwise `{port}` or `{socket}` must be in the command or the environment.
    "port": Of::Value(Kind::Count(1..=65_535)), says("a free one"), "port = 8080";
    /// The Unix socket, for a server that always uses the same: an absolute path, instead of `port`.
    "socket": Of::Text, says("none"), r#"socket = "/run/app.sock""#;
    /// A command that is run to its end before each start: see [compare](compare.md#before-and-after-each-server). It may use the
    /// placeholders of `command` but `{jvm_flags}`.
    "prepare": Of::List("list of strings"), says("none"), r#"prepare = ["./fill-table"]"#;
};

/// The keys of `[tls]`.
pub(crate) const TLS: &[Key] = keys! {
    "cacert" => SECURITY;
    "insecure" => SECURITY;
    /// The host that is sent as SNI and in `Host`, and that the certificate must name.
    "name": Of::Text, says("the server's address"), r#"name = "api.test""#;
    "cert" => SECURITY;
    "key" => SECURITY;
    "max" => SECURITY;
    "ciphers" => SECURITY;
    "resume" => SECURITY;
};

/// The keys of `[ready]`.
pub(crate) const READY: &[Key] = keys! {
    "path" => READINESS;
    "timeout" => READINESS;
};

/// The keys of `[stop]`.
pub(crate) const STOP: &[Key] = keys! {
    /// How long the server has after SIGTERM before SIGKILL ends it and all that it started.
    "grace": Of::Value(Kind::Time(limits::GRACE)), is(|| Value::Time(limits::DEFAULT_GRACE)), r#"grace = "10s""#;
    /// A command that is run to its end after each stop, also if `prepare` or the start failed: see
    /// [compare](compare.md#before-and-after-each-server). It may use the placeholders of `prepare` but `{temp}`.
    "cleanup": Of::List("list of strings"), says("none"), r#"cleanup = ["./drop-table"]"#;
};

/// The keys of a `[variant.NAME]`.
pub(crate) const VARIANT: &[Key] = keys! {
    /// What it is, in a line.
    "title": Of::Text, says("the target's, and the variant's name"), r#"title = "tio-boot 2.0.8, virtual threads""#;
    /// Added to the target's: a tool named here replaces its condition there.
    "needs": Of::Table(NEEDS), says("the target's"), r#"needs = { jdk = ">=21" }"#;
    /// Added to the target's environment at the start, or replaces variables in it.
    "env": Of::Strings, says("the target's"), r#"env = { APP_THREADS = "virtual" }"#;
    /// Added to the target's.
    "jvm-flags": Of::List("list of strings"), says("the target's"), r#"jvm-flags = ["-XX:+UseZGC"]"#;
    /// Added to the target's environment of the build, or replaces variables in it.
    "build-env": Of::Strings, says("the target's"), r#"build-env = { PROFILE = "nio" }"#;
    /// Replaces the target's build command.
    "build-command": Of::List("list of strings"), says("the target's"), r#"build-command = ["mvn", "-Pnio", "package"]"#;
    /// Replaces the target's `[tls]`.
    "tls": Of::Table(TLS), says("the target's"), "tls = { insecure = true }";
    /// Replaces the target's start command.
    "start-command": Of::List("list of strings"), says("the target's"), r#"start-command = ["./other", "{port}"]"#;
    /// Replaces the image of a target that runs in a container.
    "image": Of::Text, says("the target's"), r#"image = "docker.io/library/caddy:2.7""#;
    /// The same by a file that builds it.
    "containerfile": Of::Text, says("the target's"), r#"containerfile = "Containerfile.alpine""#;
};
