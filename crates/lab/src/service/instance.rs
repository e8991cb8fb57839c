//! One service, up and filled: an instance of its own, or a server that was there already.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use photofinish_model::Secret;
use photofinish_model::finding::failure::{DatabaseFate, ServiceTrouble, StartedDatabase};
use photofinish_study::plan::{Service, ServiceUrl, SqlFile};

use super::error::{Error, Refused};
use super::find::Found;
use super::home::{self, Home};
use super::kinds::{Kind, Layout, Programs};
use super::registry::kind;
use super::relay::relay;
use super::sql::Database;
use crate::hex::hex;
use crate::server::printed;
use photofinish_host::{self as host, Host, Process, ProcessSpec, Usage, task};

/// How long an instance may take to be set up, and then to be ready.
const START_TIMEOUT: Duration = Duration::from_secs(120);
/// Pause between two attempts to reach an instance that is not ready.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// How long an instance may take to exit by itself: it writes out the data that it holds in memory.
const EXIT_TIMEOUT: Duration = Duration::from_secs(10);

/// The user and the database of a private instance.
const OWN: &str = "photofinish";
/// Private instances listen here and nowhere else.
const LOOPBACK: &str = "127.0.0.1";

/// Where services are started.
#[derive(Clone, Copy)]
pub struct Stage<'a> {
    /// The machine.
    pub host: &'a Host,
    /// The folder below which private instances have theirs.
    pub dir: &'a Path,
    /// The folder for what they print.
    pub logs: &'a Path,
    /// The cores that they may use; empty = any.
    pub cpus: &'a [usize],
    /// Whether the user wants to stop.
    pub interrupted: &'a dyn Fn() -> bool,
}

/// A service that is up. Dropping it ends a private instance and removes its folder.
pub struct Instance {
    name: String,
    /// What it is and what it is run with.
    what: StartedDatabase,
    service: Service,
    url: ServiceUrl,
    process: Option<Process>,
    log: PathBuf,
    /// After the process: a field is dropped after those before it.
    home: Option<Home>,
}

impl Instance {
    /// Starts or reaches a service, runs its schema and counts its rows.
    ///
    /// # Errors
    /// All of [`Error`] but for the finding of programs.
    pub fn start(stage: &Stage<'_>, service: &Service, found: &Found) -> Result<Instance, Error> {
        let mut instance = match (&found.programs, &service.url) {
            (Some(programs), _) => launch(stage, service, programs, found)?,
            (None, url) => Instance {
                name: service.name.clone(),
                what: described(service, found),
                service: service.clone(),
                url: url.clone().ok_or(host::Error::Interrupted)?,
                process: None,
                log: PathBuf::new(),
                home: None,
            },
        };
        for file in &service.schema {
            if (stage.interrupted)() {
                return Err(host::Error::Interrupted.into());
            }
            instance.run(stage.host, file)?;
        }
        for (table, &expected) in &service.rows {
            let found = instance.count(stage.host, table)?;
            if found != expected {
                return Err(ServiceTrouble::Rows {
                    service: service.name.clone(),
                    table: table.clone(),
                    expected,
                    found,
                }
                .into());
            }
        }
        Ok(instance)
    }

    /// What servers find it by: `DB_HOST`, `DB_PORT`, `DB_NAME`, `DB_USER` and `DB_PASSWORD` for a
    /// service named `db`.
    pub fn env(&self) -> BTreeMap<String, Secret<String>> {
        let prefix = self.name.to_uppercase().replace('-', "_");
        let ServiceUrl {
            host,
            port,
            user,
            password,
            database,
        } = &self.url;
        [
            ("HOST", host.clone().into()),
            ("PORT", port.to_string().into()),
            ("NAME", database.clone().into()),
            ("USER", user.clone().into()),
            ("PASSWORD", password.clone()),
        ]
        .into_iter()
        .map(|(name, value)| (format!("{prefix}_{name}"), value))
        .collect()
    }

    /// Runs a file of SQL. `host` is that of its [`Stage`], as everywhere here.
    ///
    /// # Errors
    /// With the file, the line and the database's words.
    pub fn run(&mut self, host: &Host, file: &SqlFile) -> Result<(), Error> {
        let result = self.connect(host)?.run(&file.text);
        result.map_err(|mistake| {
            Error::from(ServiceTrouble::Sql {
                service: self.name.clone(),
                file: file.name.clone(),
                line: mistake.line,
                says: mistake.why.to_string(),
            })
        })
    }

    /// Counts a table's rows.
    ///
    /// # Errors
    /// With the database's words.
    pub fn count(&mut self, host: &Host, table: &str) -> Result<u64, Error> {
        let result = self.connect(host)?.count(table);
        result.map_err(|source| Error::Count {
            service: self.name.clone(),
            table: table.to_owned(),
            source,
        })
    }

    /// The process of a private instance.
    pub fn pid(&self) -> Option<u32> {
        self.process.as_ref()?.pid()
    }

    /// The folder of a private instance, which goes with it.
    pub fn home(&self) -> Option<&Path> {
        self.home.as_ref().map(Home::path)
    }

    /// What a private instance has used so far; `None` for a server that was there already.
    pub fn usage(&mut self) -> Option<Usage> {
        self.process.as_mut()?.usage().ok()
    }

    /// The CPU time of a private instance as of its processes that were seen last.
    pub fn cpu(&mut self) -> Option<Duration> {
        self.process.as_mut()?.cpu()
    }

    /// Fails if a private instance has ended.
    ///
    /// # Errors
    /// With how it ended and its last lines.
    pub fn require_alive(&mut self) -> Result<(), Error> {
        let Some(process) = &mut self.process else {
            return Ok(());
        };
        match process.exited()? {
            None => Ok(()),
            Some(how) => Err(self.trouble(DatabaseFate::Ended { how })),
        }
    }

    /// Ends a private instance.
    ///
    /// # Errors
    /// If even SIGKILL does not end it.
    pub fn stop(&mut self) -> Result<(), Error> {
        if let Some(process) = &mut self.process {
            process.stop(EXIT_TIMEOUT)?;
        }
        self.home = None;
        Ok(())
    }

    fn connect(&mut self, host: &Host) -> Result<Box<dyn Database>, Error> {
        // One that was there already is at an address that every machine knows it by.
        let connected = match self.process.is_some() {
            true => connect_to_own(host, kind(self.service.kind), &self.url),
            false => (kind(self.service.kind).connect)(&self.url),
        };
        connected.or_else(|source| {
            // Whoever has ended refuses connections: that it has ended says more.
            self.require_alive()?;
            Err(Error::from(ServiceTrouble::Connect {
                service: self.name.clone(),
                place: self.url.to_string(),
                says: source.to_string(),
            }))
        })
    }

    fn trouble(&mut self, fate: DatabaseFate) -> Error {
        if let Some(process) = &mut self.process {
            // Where that fails, what was fetched before is shown.
            let _ = process.fetch_log();
        }
        Error::from(ServiceTrouble::Start {
            database: self.what.clone(),
            fate,
            printed: printed(&self.log),
        })
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        let _ = self.stop();
    }
}

/// The database, its version, where that comes from, and the service that it is.
fn described(service: &Service, found: &Found) -> StartedDatabase {
    StartedDatabase {
        title: service.kind.title().to_owned(),
        version: found.version.clone(),
        origin: found.origin.clone(),
        service: service.name.clone(),
    }
}

/// Sets up and starts an instance of one's own.
fn launch(
    stage: &Stage<'_>,
    service: &Service,
    programs: &Programs,
    found: &Found,
) -> Result<Instance, Error> {
    let kind = kind(service.kind);
    let log = stage.logs.join(format!("service-{}.log", service.name));
    let failed = |fate: DatabaseFate| {
        Error::from(ServiceTrouble::Start {
            database: described(service, found),
            fate,
            printed: printed(&log),
        })
    };
    let what = described(service, found).to_string();
    let account = home::account(stage.host, &what, kind.user)?;
    let folder = home::make(stage.host, stage.dir, account)?;
    let layout = Layout {
        home: folder.path().to_owned(),
        url: ServiceUrl {
            host: LOOPBACK.to_owned(),
            port: stage.host.free_port()?,
            user: OWN.to_owned(),
            password: password()?.into(),
            database: OWN.to_owned(),
        },
    };
    let secret = (kind.secret)(&layout.url);
    home::write_secret(stage.host, &layout.secret(), &secret, account)?;
    let spec = |command: Vec<String>| ProcessSpec {
        command,
        dir: Some(folder.path().to_owned()),
        cpus: stage.cpus.to_vec(),
        log: log.clone(),
        user: account,
        ..ProcessSpec::default()
    };
    let set_up = |spec: ProcessSpec| {
        let ended = task::run(stage.host, &spec, START_TIMEOUT, stage.interrupted)?;
        Err(match ended {
            task::Ended::Well => return Ok(()),
            task::Ended::Badly(how) => failed(DatabaseFate::SetUp { how }),
            task::Ended::TooLong => {
                let within_s = START_TIMEOUT.as_secs_f64();
                failed(DatabaseFate::SetUpTooLong { within_s })
            }
            task::Ended::Interrupted => host::Error::Interrupted.into(),
        })
    };
    // Its user may not go to the cache; of another machine's that is not known.
    let closed = found.fetched && !(stage.host.is_here() && home::is_open(&programs.base));
    let programs = match account.is_some() && closed {
        false => programs.clone(),
        true => {
            let base = folder.path().join("programs");
            let [from, to] = [&programs.base, &base].map(|path| path.display().to_string());
            let copy = ["cp", "-a", &from, &to].map(str::to_owned).to_vec();
            set_up(ProcessSpec {
                user: None,
                ..spec(copy)
            })?;
            programs.moved(&base)
        }
    };
    set_up(spec((kind.init)(&programs, &layout)))?;
    let process = stage.host.start(&ProcessSpec {
        scratch: Some(folder.path().to_owned()),
        ..spec((kind.start)(&programs, &layout))
    })?;
    let mut instance = Instance {
        name: service.name.clone(),
        what: described(service, found),
        service: service.clone(),
        url: layout.url,
        process: Some(process),
        log,
        home: Some(folder),
    };
    wait_ready(stage, kind, &mut instance)?;
    Ok(instance)
}

/// Waits until the instance lets itself be used, and makes the race's database in it.
fn wait_ready(stage: &Stage<'_>, kind: &Kind, instance: &mut Instance) -> Result<(), Error> {
    let begun = Instant::now();
    let mut first = instance.url.clone();
    if !kind.maintenance.is_empty() {
        kind.maintenance.clone_into(&mut first.database);
    }
    let mut database = loop {
        if (stage.interrupted)() {
            return Err(host::Error::Interrupted.into());
        }
        let why = match connect_to_own(stage.host, kind, &first) {
            Ok(database) => break database,
            Err(why) => why,
        };
        instance.require_alive()?;
        if begun.elapsed() > START_TIMEOUT {
            return Err(instance.trouble(DatabaseFate::NotReady {
                within_s: START_TIMEOUT.as_secs_f64(),
                says: why.to_string(),
            }));
        }
        thread::sleep(POLL_INTERVAL);
    };
    if kind.maintenance.is_empty() {
        return Ok(());
    }
    let made = database.run(&format!("CREATE DATABASE {}", instance.url.database));
    made.map_err(|mistake| {
        instance.trouble(DatabaseFate::Refused {
            says: mistake.why.to_string(),
        })
    })
}

/// Connects to a private instance, which listens on the loopback interface of its machine.
fn connect_to_own(
    host: &Host,
    kind: &Kind,
    url: &ServiceUrl,
) -> Result<Box<dyn Database>, Refused> {
    if host.is_here() {
        return (kind.connect)(url);
    }
    let relayed = relay(host, url.port);
    let port = relayed.map_err(|error| Refused(error.to_string()))?;
    (kind.connect)(&ServiceUrl {
        port,
        ..url.clone()
    })
}

/// 128 random bits in hexadecimal.
fn password() -> Result<String, Error> {
    let source = Path::new("/dev/urandom");
    let mut bytes = [0_u8; 16];
    File::open(source)
        .and_then(|mut random| random.read_exact(&mut bytes))
        .map_err(host::Error::file("read", source))?;
    Ok(hex(&bytes))
}
