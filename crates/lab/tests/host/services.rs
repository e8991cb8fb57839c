//! Real databases: installed ones where there are any, else fetched ones.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use libtest_mimic::{Failed, Trial};
use photofinish_host::Host;
use photofinish_lab::service::{self, Error, Found, Instance, Stage};
use photofinish_model::finding::failure::ServiceTrouble;
use photofinish_model::samples::{assert_contains, assert_starts};
use photofinish_model::version::VersionReq;
use photofinish_study::parse_version_req;
use photofinish_study::plan::{Service, ServiceKind, ServiceUrl, SqlFile};
use tempfile::TempDir;

use super::agents::agent;
use super::support::{Outcome, cache, host, must_be_held, until};
use super::trials::trials;

pub fn tests() -> Vec<Trial> {
    trials![
        postgresql_is_filled_counted_and_gone,
        fetched_postgresql_runs_too,
        mariadb_is_filled_counted_and_gone,
        mariadb_on_another_machine_is_filled_counted_and_gone,
        postgresql_is_brought_to_another_machine,
        a_service_that_does_not_start_shows_its_last_lines,
        a_service_that_cannot_be_reached_is_reported,
        no_version_that_fits_is_reported,
    ]
}

/// A service without a schema.
fn service(kind: ServiceKind, version: &str) -> Service {
    Service {
        name: "db".to_owned(),
        kind,
        version: parse_version_req(version).expect("a condition"),
        url: None,
        schema: Vec::new(),
        rows: [].into(),
        targets: Vec::new(),
    }
}

/// A file of the repository's studies.
fn schema(name: &str) -> SqlFile {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../studies/schemas")
        .join(name);
    SqlFile {
        name: name.to_owned(),
        text: fs::read_to_string(path).expect("it is in the repository"),
    }
}

fn sql(text: &str) -> SqlFile {
    SqlFile {
        name: "own.sql".to_owned(),
        text: text.to_owned(),
    }
}

/// Whether something could not be fetched.
fn is_fetch(error: &Error) -> bool {
    matches!(error, Error::Trouble(why) if matches!(**why, ServiceTrouble::Fetch { .. }))
}

/// What a service is run with; `None`, said aloud, where it cannot be fetched on a machine of somebody's own.
fn found(host: &Host, service: &Service, cache: &Path) -> Result<Option<Found>, Failed> {
    match service::find(host, service, cache, &|| false, &mut |artifact| {
        eprintln!("fetching {artifact}")
    }) {
        Ok(found) => Ok(Some(found)),
        Err(error @ Error::Trouble(_)) if is_fetch(&error) && !must_be_held() => {
            eprintln!("skipped: failed to {error}");
            Ok(None)
        }
        Err(error) => Err(format!("failed to {error}").into()),
    }
}

fn start(
    host: &Host,
    folder: &TempDir,
    service: &Service,
    found: &Found,
) -> Result<Instance, Box<Error>> {
    let stage = Stage {
        host,
        dir: &folder.path().join("services"),
        logs: folder.path(),
        cpus: &[0],
        interrupted: &|| false,
    };
    Instance::start(&stage, service, found).map_err(Box::new)
}

fn why(result: Result<Instance, Box<Error>>) -> String {
    match result {
        Ok(_) => "it started".to_owned(),
        Err(error) => format!("failed to {error}"),
    }
}

/// Fills a database, has it refuse, kills it; and looks whether anything is left of it.
fn life(
    host: &Host,
    cache: &Path,
    mut service: Service,
    table: &str,
    rows: u64,
    files: &[&str],
) -> Outcome {
    let Some(found) = found(host, &service, cache)? else {
        return Ok(());
    };
    let folder = tempfile::tempdir()?;
    service.schema = files.iter().map(|name| schema(name)).collect();
    service.rows = [(table.to_owned(), rows)].into();
    let mut instance = start(host, &folder, &service, &found)?;
    let (pid, home) = (
        instance.pid().expect("a process"),
        instance.home().expect("a folder").to_owned(),
    );
    assert!(instance.usage().expect("a sample").rss_bytes > 1 << 20);
    // A database needs no more rights than its files.
    assert_ne!(
        fs::metadata(format!("/proc/{pid}"))?.uid(),
        0,
        "it runs as root"
    );
    let listens = fs::read_to_string(format!("/proc/{pid}/net/tcp"))?;
    let port: u16 = instance.env()["DB_PORT"].expose().parse()?;
    assert!(
        listens.contains(&format!("0100007F:{port:04X}")),
        "it listens on the loopback interface"
    );
    assert_eq!(instance.env()["DB_HOST"].expose(), "127.0.0.1");

    instance.run(host, &sql(&format!("DELETE FROM {table} WHERE id <= 3;")))?;
    assert_eq!(instance.count(host, table)?, rows - 3);
    let error = instance.run(host, &sql("-- one\nSELECT 1;\n\nSELEC 2;\n"));
    let says = error.expect_err("no SQL").to_string();
    assert!(says.contains("own.sql:4 on the service db: "), "{says}");
    assert!(says.contains("syntax"), "{says}");
    let says = instance
        .count(host, "nothing_like_it")
        .expect_err("no table")
        .to_string();
    assert_contains(&says, "nothing_like_it on the service db: ");

    instance.stop()?;
    drop(instance);
    assert!(!Path::new(&format!("/proc/{pid}")).exists());
    assert!(!home.exists(), "{} is left", home.display());
    if home.starts_with(folder.path()) {
        assert!(!folder.path().join("services").exists());
    }
    assert!(
        !fs::read_to_string("/proc/sysvipc/shm")?.contains(&format!(" {pid} ")),
        "shared memory is left"
    );

    service.rows = [(table.to_owned(), rows + 1)].into();
    let says = why(start(host, &folder, &service, &found));
    let expected = format!(
        "the table {table} should have {}, but has {rows};",
        rows + 1
    );
    assert!(says.contains(&expected), "{says}");

    service.schema = vec![sql("SELECT 1;")];
    service.rows.clear();
    let mut instance = start(host, &folder, &service, &found)?;
    let pid = instance.pid().expect("a process");
    std::process::Command::new("kill")
        .args(["-QUIT", &pid.to_string()])
        .status()?;
    until("its end is seen", || instance.require_alive().is_err())?;
    let says = instance
        .count(host, table)
        .expect_err("it is gone")
        .to_string();
    assert!(says.contains("it ended meanwhile ("), "{says}");
    Ok(())
}

/// PostgreSQL of this version, from installed or fetched programs.
fn life_of_postgresql(host: &Host, cache: &Path, version: &str) -> Outcome {
    let service = service(ServiceKind::Postgresql, version);
    let files = ["sys_menu.postgresql.sql"];
    life(host, cache, service, "sys_menu", 11, &files)
}

fn life_of_mariadb(host: &Host, cache: &Path) -> Outcome {
    let service = service(ServiceKind::Mariadb, "any");
    let files = ["item.mariadb.sql", "item-rows.mariadb.sql"];
    life(host, cache, service, "item", 100_000, &files)
}

/// A version that no distribution of today has.
const FETCHED: &str = ">=18.6, <19";

fn postgresql_is_filled_counted_and_gone() -> Outcome {
    life_of_postgresql(&host(), &cache(), "any")
}

fn fetched_postgresql_runs_too() -> Outcome {
    life_of_postgresql(&host(), &cache(), FETCHED)
}

fn mariadb_is_filled_counted_and_gone() -> Outcome {
    life_of_mariadb(&host(), &cache())
}

/// Its programs, if they are not installed, are brought to a cache there that is empty.
fn mariadb_on_another_machine_is_filled_counted_and_gone() -> Outcome {
    let there = tempfile::tempdir()?;
    life_of_mariadb(&agent()?, there.path())
}

fn postgresql_is_brought_to_another_machine() -> Outcome {
    let there = tempfile::tempdir()?;
    life_of_postgresql(&agent()?, there.path(), FETCHED)
}

fn a_service_that_does_not_start_shows_its_last_lines() -> Outcome {
    let host = &host();
    let service = service(ServiceKind::Postgresql, "any");
    let Some(found) = found(host, &service, &cache())? else {
        return Ok(());
    };
    let folder = tempfile::tempdir()?;
    // A folder that is no folder.
    fs::write(folder.path().join("services"), "")?;
    assert_contains(&why(start(host, &folder, &service, &found)), "services: ");

    let folder = tempfile::tempdir()?;
    let mut wrong = service.clone();
    wrong.name = "no/such".to_owned();
    assert_starts(&why(start(host, &folder, &wrong, &found)), "failed to ");
    Ok(())
}

fn a_service_that_cannot_be_reached_is_reported() -> Outcome {
    for kind in [ServiceKind::Postgresql, ServiceKind::Mariadb] {
        let mut service = service(kind, "any");
        service.url = Some(ServiceUrl {
            host: "127.0.0.1".to_owned(),
            // Nobody listens there, and no free port is given out there.
            port: 1,
            user: "me".to_owned(),
            password: "secret".into(),
            database: "shop".to_owned(),
        });
        let says = match service::find(&host(), &service, &cache(), &|| false, &mut |_| {}) {
            Ok(_) => return Err("somebody listens on port 1".into()),
            Err(error) => error.to_string(),
        };
        assert_starts(&says, "connect to the service db at me@127.0.0.1:1/shop: ");
        assert!(says.contains("refused"), "{says}");
        assert!(!says.contains("secret"), "{says}");
    }
    Ok(())
}

fn no_version_that_fits_is_reported() -> Outcome {
    let service = Service {
        version: VersionReq {
            text: ">=99".to_owned(),
            ..parse_version_req(">=99")?
        },
        ..service(ServiceKind::Mariadb, "any")
    };
    let says = match service::find(&host(), &service, &cache(), &|| false, &mut |_| {}) {
        Ok(_) => return Err("there is a MariaDB 99".into()),
        Err(error) => error.to_string(),
    };
    assert_starts(&says, "find MariaDB >=99 for the service db: ");
    assert!(says.contains("or name a server by `url`"), "{says}");
    Ok(())
}
