//! Finding the tools that a target needs, in versions that fit.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use photofinish_model::finding::failure::FailureFinding;
use photofinish_model::version::{CONTAINERS, VersionReq};

use super::command::{which, words};
use super::{Engine, Error, Tools};

mod jdk;

pub use jdk::Jdk;
use jdk::Search;

/// Every JDK that is here, in the order of preference: `JAVA_HOME`, `PATH`, then the usual folders, the newest first.
pub fn jdks() -> Vec<Jdk> {
    Search::usual().jdks()
}

/// Finds all of `needs` on this machine.
pub(super) fn find(needs: &BTreeMap<String, VersionReq>) -> Result<Tools, Error> {
    find_in(needs, &Search::usual())
}

fn find_in(needs: &BTreeMap<String, VersionReq>, search: &Search) -> Result<Tools, Error> {
    let mut tools = Tools::default();
    // The JDK first: Maven runs on it.
    if let Some(wanted) = needs.get("jdk") {
        let jdk = find_jdk(wanted, search)?;
        tools.found.insert(
            "jdk".to_owned(),
            format!("{} ({})", jdk.version, jdk.home.display()),
        );
        tools
            .env
            .insert("JAVA_HOME".to_owned(), jdk.home.display().to_string());
        tools.env.insert(
            "PATH".to_owned(),
            path_with(&jdk.home.join("bin"), &search.path),
        );
        tools.java = Some(jdk.home.join("bin/java"));
        tools.java_home = Some(jdk.home);
    }
    for (name, wanted) in needs.iter().filter(|(name, _)| *name != "jdk") {
        if name == CONTAINERS {
            let (engine, called, found) = Engine::find(name, wanted, &search.path)?;
            tools.found.insert(called.to_owned(), found);
            tools.engine = Some(engine);
            continue;
        }
        let found = find_command(name, wanted, &search.path, &tools.env)?;
        tools.found.insert(name.clone(), found);
    }
    Ok(tools)
}

/// A search path that begins with a folder.
fn path_with(first: &Path, rest: &OsStr) -> String {
    let all = std::iter::once(first.to_owned()).chain(env::split_paths(rest));
    let joined = env::join_paths(all).unwrap_or_else(|_| rest.to_owned());
    joined.to_string_lossy().into_owned()
}

fn find_jdk(wanted: &VersionReq, search: &Search) -> Result<Jdk, Error> {
    let all = search.jdks();
    if let Some(fits) = all.iter().find(|jdk| wanted.allows(&jdk.version)) {
        return Ok(fits.clone());
    }
    let found = match &all[..] {
        [] => "there is no JDK".to_owned(),
        all => {
            let list = all
                .iter()
                .map(|j| format!("{} in {} (by {})", j.version, j.home.display(), j.place));
            format!("there is {}", list.collect::<Vec<_>>().join(", "))
        }
    };
    Err(FailureFinding::Tool {
        tool: "a JDK".to_owned(),
        wanted: wanted.text.clone(),
        found: format!("{found}; looked at {}", search.places()),
        remedy: "install one that fits (a package such as openjdk-21-jdk or temurin-25-jdk, or `sdk install java`), \
                 or set JAVA_HOME to one"
            .to_owned(),
    }
    .into())
}

/// The program of a tool, how it prints its version, and how to get it.
fn known(tool: &str) -> (&str, &[&str], &str) {
    match tool {
        "maven" => (
            "mvn",
            &["--version"],
            "install Maven (a package mostly named maven)",
        ),
        "gradle" => ("gradle", &["--version"], "install Gradle"),
        "cargo" => ("cargo", &["--version"], "install Rust (https://rustup.rs)"),
        "go" => ("go", &["version"], "install Go (https://go.dev/dl)"),
        "node" => (
            "node",
            &["--version"],
            "install Node.js (https://nodejs.org)",
        ),
        other => (
            other,
            &["--version"],
            "install it, and see that it is in PATH",
        ),
    }
}

/// Finds a command in a version that fits; returns `version (path)`.
fn find_command(
    tool: &str,
    wanted: &VersionReq,
    path: &OsString,
    env: &BTreeMap<String, String>,
) -> Result<String, Error> {
    let (name, args, remedy) = known(tool);
    let missing = |found: String| {
        Error::from(FailureFinding::Tool {
            tool: tool.to_owned(),
            wanted: wanted.text.clone(),
            found,
            remedy: remedy.to_owned(),
        })
    };
    let program =
        which(name, path).ok_or_else(|| missing(format!("there is no `{name}` in PATH")))?;
    let version = version(&program, args, env);
    match version {
        Some(version) if wanted.allows(&version) => {
            Ok(format!("{version} ({})", program.display()))
        }
        Some(version) => Err(missing(format!("{} is {version}", program.display()))),
        None if wanted.terms.is_empty() => Ok(format!("version not known ({})", program.display())),
        None => Err(missing(format!(
            "{} does not print its version",
            program.display()
        ))),
    }
}

/// The version of a tool by its usual name, such as `maven`, with its path; `None` if it is not here.
pub fn locate(tool: &str) -> Option<(PathBuf, Option<String>)> {
    let (name, args, _) = known(tool);
    let program = which(name, &env::var_os("PATH")?)?;
    let version = version(&program, args, &BTreeMap::new());
    Some((program, version))
}

/// What a program says that its version is.
fn version(program: &Path, args: &[&str], env: &BTreeMap<String, String>) -> Option<String> {
    parse_version(&words(program, args, env)?)
}

/// The first word of some text that is a version: numbers with dots between them, perhaps after `v`, `go` or a name
/// with a slash, perhaps with a suffix.
fn parse_version(text: &str) -> Option<String> {
    text.lines()
        .flat_map(|line| line.split([' ', '\t', '/', ',', '(', ')', '"']))
        .find_map(|word| {
            let start = word.find(|c: char| c.is_ascii_digit())?;
            let prefix = &word[..start];
            if !["", "v", "V", "go", "release-"].contains(&prefix) {
                return None;
            }
            let rest = &word[start..];
            let end = rest
                .find(|c: char| !c.is_ascii_alphanumeric() && !".-+_".contains(c))
                .unwrap_or(rest.len());
            let version = &rest[..end];
            let dotted = version
                .split_once('.')
                .is_some_and(|(_, minor)| minor.starts_with(|c: char| c.is_ascii_digit()));
            dotted.then(|| version.to_owned())
        })
}

#[cfg(test)]
mod tests {
    use super::jdk::tests::fake_jdk;
    use super::*;
    use photofinish_model::version::{VersionOp, VersionTerm};

    fn at_least(version: u32) -> VersionReq {
        VersionReq {
            text: format!(">={version}"),
            terms: vec![VersionTerm {
                op: VersionOp::AtLeast,
                version: vec![version],
            }],
        }
    }

    fn any() -> VersionReq {
        VersionReq {
            text: "any".to_owned(),
            terms: Vec::new(),
        }
    }

    #[test]
    fn versions_as_tools_print_them() {
        for (text, version) in [
            (
                "\u{1b}[1mApache Maven 3.8.7\u{1b}[m\nMaven home: /usr/share/maven\n",
                "3.8.7",
            ),
            ("cargo 1.95.0 (f2d3ce0bd 2026-03-21)\n", "1.95.0"),
            ("go version go1.26.8 linux/amd64\n", "1.26.8"),
            ("v20.20.2\n", "20.20.2"),
            ("Python 3.11.4\n", "3.11.4"),
            ("nginx version: nginx/1.22.1\n", "1.22.1"),
            (
                "postgres (PostgreSQL) 15.8 (Debian 15.8-0+deb12u1)\n",
                "15.8",
            ),
        ] {
            assert_eq!(parse_version(text).as_deref(), Some(version), "{text}");
        }
        assert_eq!(parse_version("usage: thing [-h] FILE\n"), None);
    }

    #[test]
    fn the_first_jdk_that_fits_is_taken() {
        let dir = tempfile::tempdir().expect("there is room");
        let root = dir.path().canonicalize().expect("it is there");
        fake_jdk(&root.join("home"), "17.0.2", true);
        fake_jdk(&root.join("jvm/a"), "21.0.4", true);
        fake_jdk(&root.join("jvm/b"), "25.0.1", true);
        let search = Search {
            java_home: Some(root.join("home")),
            path: OsString::from("/bin"),
            folders: vec![root.join("jvm")],
        };
        let find = |wanted| find_in(&BTreeMap::from([("jdk".to_owned(), wanted)]), &search);
        assert_eq!(
            find(at_least(11)).expect("17 fits").java_home,
            Some(root.join("home"))
        );
        let tools = find(at_least(21)).expect("25 fits");
        assert_eq!(tools.java, Some(root.join("jvm/b/bin/java")));
        assert_eq!(
            tools.found["jdk"],
            format!("25.0.1 ({})", root.join("jvm/b").display())
        );
        assert_eq!(
            tools.env["JAVA_HOME"],
            root.join("jvm/b").display().to_string()
        );
        assert_eq!(
            tools.env["PATH"],
            format!("{}:/bin", root.join("jvm/b/bin").display())
        );

        let error = find(at_least(99)).expect_err("none fits").to_string();
        for part in [
            "find a JDK >=99: there is 17.0.2 in ",
            "25.0.1 in ",
            "install one that fits",
            "JAVA_HOME (",
        ] {
            assert!(error.contains(part), "{part} in {error}");
        }
    }

    #[test]
    fn no_jdk_at_all_says_where_was_looked() {
        let search = Search {
            java_home: None,
            path: OsString::new(),
            folders: vec!["/nowhere/jvm".into()],
        };
        let error = find_in(&BTreeMap::from([("jdk".to_owned(), any())]), &search)
            .expect_err("there is none");
        let error = error.to_string();
        assert!(
            error.contains("there is no JDK; looked at JAVA_HOME (not set), PATH, /nowhere/jvm"),
            "{error}"
        );
    }

    #[test]
    fn any_command_can_be_needed() {
        let path = env::var_os("PATH").expect("it is set");
        let search = Search {
            java_home: None,
            path,
            folders: Vec::new(),
        };
        let find =
            |name: &str, wanted| find_in(&BTreeMap::from([(name.to_owned(), wanted)]), &search);
        assert!(
            find("cargo", at_least(1))
                .expect("this was built with it")
                .found
                .contains_key("cargo")
        );
        let error = find("cargo", at_least(999))
            .expect_err("too new")
            .to_string();
        assert!(
            error.contains("find cargo >=999: ") && error.contains("rustup"),
            "{error}"
        );
        assert!(find("sh", any()).is_ok());
        let error = find("no-such-tool", any())
            .expect_err("not here")
            .to_string();
        assert_eq!(
            error,
            "find no-such-tool any: there is no `no-such-tool` in PATH; install it, and see that it is in PATH"
        );
    }
}
