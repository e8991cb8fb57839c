//! Tools to build and start servers with.

use std::env;
use std::fs;
use std::path::PathBuf;

use super::Finding;
use photofinish_host::command::{is_program, which};
use photofinish_host::tools::{self, Jdk};

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

/// Databases: name, programs, folders beside `PATH` (`*` = any one folder), package.
const DATABASES: [(&str, &[&str], &[&str], &str); 2] = [
    (
        "PostgreSQL",
        &["postgres"],
        &["/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin"],
        "postgresql",
    ),
    (
        "MariaDB",
        &["mariadbd", "mysqld"],
        &["/usr/sbin", "/usr/libexec"],
        "mariadb-server",
    ),
];

pub(super) fn look() -> Vec<Finding> {
    let mut findings = vec![judge_jdks(&tools::jdks())];
    for (name, why, remedy) in BUILDERS {
        findings.push(judge_tool(name, tools::look(name), why, remedy));
    }
    for (name, programs, folders, package) in DATABASES {
        findings.push(judge_database(
            name,
            find_server(programs, folders),
            package,
        ));
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

fn judge_database(name: &'static str, found: Option<PathBuf>, package: &str) -> Finding {
    match found {
        Some(path) => Finding::ok(
            name,
            format!("{}: for targets that need a database", path.display()),
        ),
        None => Finding::warn(name, "not found: targets that need it cannot be raced").with(
            format!("install a package such as {package}; it need not be running"),
        ),
    }
}

/// The first of some programs, in `PATH` or in folders.
fn find_server(programs: &[&str], folders: &[&str]) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = folders.iter().flat_map(|f| expand(f)).collect();
    programs.iter().find_map(|program| {
        which(program, &path).or_else(|| {
            folders
                .iter()
                .map(|f| f.join(program))
                .find(|f| is_program(f))
        })
    })
}

/// The folders that a pattern with at most one `*` stands for, those with the highest names first.
fn expand(pattern: &str) -> Vec<PathBuf> {
    let Some((before, after)) = pattern.split_once('*') else {
        return vec![PathBuf::from(pattern)];
    };
    let (parent, prefix) = before.rsplit_once('/').unwrap_or(("", before));
    let Ok(entries) = fs::read_dir(format!("{parent}/")) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .filter_map(|e| e.ok()?.file_name().into_string().ok())
        .filter(|name| name.starts_with(prefix))
        .collect();
    names.sort_by(|a, b| b.cmp(a));
    names
        .iter()
        .map(|name| PathBuf::from(format!("{parent}/{name}{after}")))
        .collect()
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
        assert_eq!(
            judge_database("MariaDB", None, "mariadb-server").level,
            Level::Warn
        );
    }

    #[test]
    fn patterns_are_expanded() {
        let dir = tempfile::tempdir().expect("there is room");
        for name in ["v15/bin", "v17/bin", "other/bin"] {
            fs::create_dir_all(dir.path().join(name)).expect("there is room");
        }
        let root = dir.path().display();
        let expected = [format!("{root}/v17/bin"), format!("{root}/v15/bin")].map(PathBuf::from);
        assert_eq!(expand(&format!("{root}/v*/bin")), expected);
        assert_eq!(expand("/usr/sbin"), [PathBuf::from("/usr/sbin")]);
        assert_eq!(expand("/nowhere/*/bin"), Vec::<PathBuf>::new());
    }
}
