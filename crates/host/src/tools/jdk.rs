//! Finding a JDK that fits.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use photofinish_model::files;

use super::super::command::{is_program, which, words};

/// A JDK that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jdk {
    /// Its folder, with `bin/javac`.
    pub home: PathBuf,
    /// Its version, such as `25.0.1`; `8.0.392` for what calls itself `1.8.0_392`.
    pub version: String,
    /// Where it was looked for: `JAVA_HOME`, `PATH`, or a folder.
    pub place: String,
}

/// Where JDKs are looked for.
pub struct Search {
    /// `JAVA_HOME`.
    pub java_home: Option<PathBuf>,
    /// `PATH`.
    pub path: OsString,
    /// Folders whose folders are JDKs.
    pub folders: Vec<PathBuf>,
}

impl Search {
    /// The places where distributions, SDKMAN!, IntelliJ IDEA and people put JDKs.
    pub fn usual() -> Search {
        let mut folders: Vec<PathBuf> = ["/usr/lib/jvm", "/usr/java", "/opt", "/opt/java"]
            .map(PathBuf::from)
            .to_vec();
        if let Some(home) = env::home_dir() {
            folders.extend(
                [
                    ".sdkman/candidates/java",
                    ".jdks",
                    ".local/share/mise/installs/java",
                ]
                .map(|f| home.join(f)),
            );
        }
        Search {
            java_home: env::var_os("JAVA_HOME")
                .filter(|h| !h.is_empty())
                .map(PathBuf::from),
            path: env::var_os("PATH").unwrap_or_default(),
            folders,
        }
    }

    /// Every JDK, in the order of preference: `JAVA_HOME`, the one in `PATH`, then those in the folders, the newest first.
    pub fn jdks(&self) -> Vec<Jdk> {
        let mut found = Vec::new();
        found.extend(
            self.java_home
                .as_deref()
                .and_then(|home| jdk(home, "JAVA_HOME")),
        );
        found.extend(which("java", &self.path).and_then(|java| jdk_of(&java)));
        let mut others: Vec<Jdk> = self
            .folders
            .iter()
            .flat_map(|folder| jdks_in(folder))
            .collect();
        others.sort_by(|a, b| {
            numbers(&b.version)
                .cmp(&numbers(&a.version))
                .then_with(|| a.home.cmp(&b.home))
        });
        found.extend(others);
        // Links and `JAVA_HOME` lead to the same folders: the first mention stays.
        let mut seen = BTreeSet::new();
        found.retain(|jdk| seen.insert(jdk.home.clone()));
        found
    }

    /// The places that were searched, for a message.
    pub fn places(&self) -> String {
        let home = match &self.java_home {
            Some(home) => format!("JAVA_HOME ({})", home.display()),
            None => "JAVA_HOME (not set)".to_owned(),
        };
        let folders = self.folders.iter().map(|f| f.display().to_string());
        [home, "PATH".to_owned()]
            .into_iter()
            .chain(folders)
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// The JDK in a folder, where there is one: a Java without a compiler cannot build a target.
fn jdk(home: &Path, place: &str) -> Option<Jdk> {
    let home = home.canonicalize().ok()?;
    if !is_program(&home.join("bin/java")) || !is_program(&home.join("bin/javac")) {
        return None;
    }
    let version = match files::read_text(&home.join("release"), files::WRITTEN)
        .ok()
        .and_then(|text| parse_release(&text))
    {
        Some(version) => version,
        None => ask(&home.join("bin/java"))?.1,
    };
    Some(Jdk {
        home,
        version,
        place: place.to_owned(),
    })
}

fn jdks_in(folder: &Path) -> Vec<Jdk> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let place = folder.display().to_string();
    entries
        .filter_map(|entry| jdk(&entry.ok()?.path(), &place))
        .collect()
}

/// The JDK that a `java` belongs to.
fn jdk_of(java: &Path) -> Option<Jdk> {
    let real = java.canonicalize().ok()?;
    let home = real.parent()?.parent()?;
    // JDK 8 has a second `java` in `jre/bin`.
    let home = if home.ends_with("jre") {
        home.parent()?
    } else {
        home
    };
    jdk(home, "PATH").or_else(|| {
        // A version manager's stand-in: only the JVM that it starts shows where that one is.
        let (home, _) = ask(java)?;
        jdk(&home, "PATH")
    })
}

/// Asks a `java` for its folder and its version.
fn ask(java: &Path) -> Option<(PathBuf, String)> {
    parse_properties(&words(
        java,
        &["-XshowSettings:properties", "-version"],
        &BTreeMap::new(),
    )?)
}

/// `JAVA_VERSION` of a JDK's `release` file.
fn parse_release(text: &str) -> Option<String> {
    let line = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("JAVA_VERSION="))?;
    Some(modern(line.trim().trim_matches('"')))
}

/// `java.home` and `java.version` of `java -XshowSettings:properties -version`.
fn parse_properties(text: &str) -> Option<(PathBuf, String)> {
    let value = |key| {
        text.lines().find_map(|line| {
            let (name, value) = line.split_once(" = ")?;
            (name.trim() == key).then(|| value.trim())
        })
    };
    Some((
        PathBuf::from(value("java.home")?),
        modern(value("java.version")?),
    ))
}

/// A version by the scheme of today: what was `1.8.0_392` would now be called `8.0.392`.
fn modern(version: &str) -> String {
    match version.strip_prefix("1.") {
        Some(rest) => rest.replace('_', "."),
        None => version.to_owned(),
    }
}

/// A version's numbers, for order.
fn numbers(version: &str) -> Vec<u64> {
    let end = version
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(version.len());
    version[..end]
        .split('.')
        .filter_map(|part| part.parse().ok())
        .collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A folder that looks like a JDK.
    pub(in super::super) fn fake_jdk(home: &Path, version: &str, compiler: bool) {
        use std::os::unix::fs::PermissionsExt;
        fs::create_dir_all(home.join("bin")).expect("there is room");
        fs::write(
            home.join("release"),
            format!("A=\"b\"\nJAVA_VERSION=\"{version}\"\n"),
        )
        .expect("there is room");
        for name in if compiler {
            &["java", "javac"][..]
        } else {
            &["java"]
        } {
            let file = home.join("bin").join(name);
            fs::write(&file, "").expect("there is room");
            fs::set_permissions(file, fs::Permissions::from_mode(0o755)).expect("it is ours");
        }
    }

    #[test]
    fn java_home_then_path_then_the_newest() {
        let dir = tempfile::tempdir().expect("there is room");
        let root = dir.path().canonicalize().expect("it is there");
        fake_jdk(&root.join("home"), "17.0.2", true);
        fake_jdk(&root.join("path"), "11.0.9", true);
        fake_jdk(&root.join("jvm/old"), "1.8.0_392", true);
        fake_jdk(&root.join("jvm/new"), "25.0.1", true);
        fake_jdk(&root.join("jvm/middle"), "21", true);
        fake_jdk(&root.join("jvm/jre"), "26", false);
        std::os::unix::fs::symlink(root.join("jvm/new"), root.join("jvm/current"))
            .expect("there is room");
        fs::create_dir_all(root.join("links")).expect("there is room");
        std::os::unix::fs::symlink(root.join("path/bin/java"), root.join("links/java"))
            .expect("there is room");

        let search = Search {
            java_home: Some(root.join("home")),
            path: root.join("links").into_os_string(),
            folders: vec![root.join("jvm"), root.join("not-there")],
        };
        let found: Vec<(String, String)> = search
            .jdks()
            .into_iter()
            .map(|j| (j.version, j.place))
            .collect();
        let jvm = root.join("jvm").display().to_string();
        let expected = [
            ("17.0.2", "JAVA_HOME"),
            ("11.0.9", "PATH"),
            ("25.0.1", &jvm),
            ("21", &jvm),
            ("8.0.392", &jvm),
        ];
        assert_eq!(found, expected.map(|(v, p)| (v.to_owned(), p.to_owned())));
    }

    #[test]
    fn a_java_reports_its_home() {
        let text = "Property settings:\n    java.home = /usr/lib/jvm/x y\n    java.version = 17.0.15\n    java.version.date = 2025\n";
        assert_eq!(
            parse_properties(text),
            Some((PathBuf::from("/usr/lib/jvm/x y"), "17.0.15".to_owned()))
        );
        assert_eq!(parse_properties("no such option"), None);
    }

    #[test]
    fn versions_have_an_order() {
        assert!(numbers("25.0.1") > numbers("21.0.9"));
        assert!(numbers("21.0.10") > numbers("21.0.9"));
        assert!(numbers("21-ea") < numbers("21.0.1"));
        assert_eq!(
            parse_release("JAVA_VERSION=\"21\"\n").as_deref(),
            Some("21")
        );
        assert_eq!(parse_release("OS=\"Linux\"\n"), None);
    }
}
