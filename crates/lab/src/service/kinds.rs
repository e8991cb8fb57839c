//! What has to be known of a kind of database to run an instance of one's own.

use std::path::{Path, PathBuf};

use photofinish_study::plan::ServiceUrl;

use super::error::Refused;
use super::sql::Database;
use crate::prepare::fetch::Artifact;

/// A setting that every private instance has, and its value.
pub(crate) type Setting = (&'static str, &'static str);

/// Whether there is a file, on the machine that the database is to run on.
pub(super) type Has<'a> = &'a dyn Fn(&Path) -> bool;

/// A kind of database.
#[derive(Clone)]
pub(super) struct Kind {
    /// The names of its server's program.
    pub(super) server: &'static [&'static str],
    /// Folders beside `PATH` in which it is commonly installed; one part may be or hold a `*`.
    pub(super) folders: &'static [&'static str],
    /// The version in what the server prints for `--version`; `None` if it is another product.
    pub(super) version: for<'w> fn(&'w str) -> Option<&'w str>,
    /// The programs that belong to a server that lies below a base folder.
    pub(super) programs: fn(server: &Path, base: &Path, has: Has<'_>) -> Option<Programs>,
    /// What can be fetched, the best first.
    pub(super) artifacts: &'static [Artifact],
    /// What every private instance is set to.
    pub(super) settings: &'static [Setting],
    /// The user that it commonly runs as, taken where photofinish is root.
    pub(super) user: &'static str,
    /// The command that makes the data folder.
    pub(super) init: fn(&Programs, &Layout) -> Vec<String>,
    /// The command that starts the server.
    pub(super) start: fn(&Programs, &Layout) -> Vec<String>,
    /// What the file holds from which a private instance reads its password.
    pub(super) secret: fn(&ServiceUrl) -> String,
    /// The database that is there at the beginning and in which the race's own is made; empty
    /// where the server makes that by itself.
    pub(super) maintenance: &'static str,
    /// Connects to a server.
    pub(super) connect: fn(&ServiceUrl) -> Result<Box<dyn Database>, Refused>,
}

/// The programs of one installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Programs {
    pub(super) server: PathBuf,
    pub(super) init: PathBuf,
    /// The folder below which all of it lies.
    pub(super) base: PathBuf,
}

impl Programs {
    /// The same programs in a copy of their base folder.
    pub(super) fn moved(&self, base: &Path) -> Programs {
        let moved = |path: &Path| match path.strip_prefix(&self.base) {
            Ok(below) => base.join(below),
            Err(_) => path.to_owned(),
        };
        Programs {
            server: moved(&self.server),
            init: moved(&self.init),
            base: base.to_owned(),
        }
    }
}

/// Where a private instance lives, and how it is reached.
pub(super) struct Layout {
    /// A folder of its own.
    pub(super) home: PathBuf,
    pub(super) url: ServiceUrl,
}

impl Layout {
    /// The data folder.
    pub(super) fn data(&self) -> PathBuf {
        self.home.join("data")
    }

    /// The file from which it reads its password.
    pub(super) fn secret(&self) -> PathBuf {
        self.home.join("secret")
    }
}
