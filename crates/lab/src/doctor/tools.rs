//! Tools to build and start servers with.

use std::path::PathBuf;

use photofinish_host::Host;
use photofinish_host::tools::{self, Jdk};
use photofinish_study::plan::ServiceKind;

use super::Finding;
use crate::service;

/// What targets are built with, what for, and how to get it.
const BUILDERS: [(&str, &str, &str); 4] = [
    (
        "maven",
        "builds Java targets",
        "install Maven (usually the package maven)",
    ),
    (
        "cargo",
        "builds Rust targets",
        "install Rust (https://rustup.rs)",
    ),
    ("go", "builds Go targets", "install Go (https://go.dev/dl)"),
    (
        "node",
        "runs JavaScript targets",
        "install Node.js (https://nodejs.org)",
    ),
];

/// Databases, and the package that has each.
const DATABASES: [(ServiceKind, &str); 2] = [
    (ServiceKind::Postgresql, "postgresql"),
    (ServiceKind::Mariadb, "mariadb-server"),
];

pub(super) fn examine() -> Vec<Finding> {
    let mut findings = vec![judge_jdks(&tools::jdks())];
    for (name, why, remedy) in BUILDERS {
        findings.push(judge_tool(name, tools::locate(name), why, remedy));
    }
    for (kind, package) in DATABASES {
        let found = service::servers(kind, Host::this_machine()).unwrap_or_default();
        let found = found.into_iter().next().map(|server| server.path);
        let fetched = service::fetched(kind);
        findings.push(judge_database(kind.title(), found, fetched, package));
    }
    findings
}

fn judge_jdks(jdks: &[Jdk]) -> Finding {
    if jdks.is_empty() {
        return Finding::warn("JDK", "none found: Java targets cannot be raced; the built-in servers can")
            .with("install one (a package such as openjdk-21-jdk, or `sdk install java`), or set JAVA_HOME to one");
    }
    let list: Vec<String> = jdks
        .iter()
        .map(|j| format!("{} ({}, by {})", j.version, j.home.display(), j.place))
        .collect();
    Finding::ok(
        "JDK",
        format!("{}: each target uses the first that fits", list.join(", ")),
    )
}

fn judge_tool(
    name: &'static str,
    found: Option<(PathBuf, Option<String>)>,
    why: &str,
    remedy: &str,
) -> Finding {
    match found {
        Some((path, version)) => {
            let version = version.unwrap_or_else(|| "version unknown".to_owned());
            Finding::ok(name, format!("{version} ({}): {why}", path.display()))
        }
        None => Finding::warn(
            name,
            format!("not in PATH: it {why}, which cannot be raced"),
        )
        .with(remedy),
    }
}

/// `fetched`: the version that a run fetches if none is installed.
fn judge_database(
    name: &'static str,
    found: Option<PathBuf>,
    fetched: Option<&str>,
    package: &str,
) -> Finding {
    match (found, fetched) {
        (Some(path), _) => Finding::ok(
            name,
            format!("{}: for targets that need a database", path.display()),
        ),
        (None, Some(version)) => Finding::ok(
            name,
            format!("not installed: a run whose targets need it fetches {version}"),
        ),
        (None, None) => Finding::warn(name, "not found: targets that need it cannot be raced")
            .with(format!(
                "install a package such as {package}; it need not be running"
            )),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    #[test]
    fn what_is_missing_says_what_cannot_be_raced() {
        let jdk = Jdk {
            home: "/jvm/25".into(),
            version: "25.0.1".to_owned(),
            place: "PATH".to_owned(),
        };
        assert_eq!(
            judge_jdks(&[jdk]).says,
            "25.0.1 (/jvm/25, by PATH): each target uses the first that fits"
        );
        assert_eq!(judge_jdks(&[]).level, Level::Warn);
        assert_eq!(
            judge_tool("cargo", None, "why", "get it").remedy.as_deref(),
            Some("get it")
        );
        let found = judge_tool(
            "cargo",
            Some(("/bin/cargo".into(), Some("1.95.0".to_owned()))),
            "why",
            "get it",
        );
        assert_eq!(
            (found.level, found.says.as_str()),
            (Level::Ok, "1.95.0 (/bin/cargo): why")
        );
        let database = |fetched| judge_database("MariaDB", None, fetched, "mariadb-server");
        assert_eq!(database(None).level, Level::Warn);
        assert_eq!(
            (
                database(Some("11.4.5")).level,
                database(Some("11.4.5")).says
            ),
            (
                Level::Ok,
                "not installed: a run whose targets need it fetches 11.4.5".to_owned()
            )
        );
    }
}
