//! photofinish's own binary, as it is brought to a machine that has no other.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::process::Output;

use photofinish_model::text::shortened;
use sha2::{Digest, Sha256};

use super::Error;
use super::command::Input;

/// Where agents' binaries lie on a machine that keeps them, as its shell reads it.
const FOLDER: &str = "${XDG_CACHE_HOME:-$HOME/.cache}/photofinish/agent";

/// A binary, known by its SHA-256.
pub(crate) struct Program<'a> {
    pub(crate) path: &'a Path,
    /// In hexadecimal.
    pub(crate) hash: String,
}

impl Program<'_> {
    /// # Errors
    /// Where it cannot be read.
    pub(crate) fn read(path: &Path) -> Result<Program<'_>, Error> {
        let hash = hash(path).map_err(|source| unreadable(path, source))?;
        Ok(Program { path, hash })
    }

    /// Its bytes, from the first.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub(crate) fn open(&self) -> Result<File, Error> {
        File::open(self.path).map_err(|source| unreadable(self.path, source))
    }

    /// Sees that it is in the cache of a machine whose POSIX shell `run` has run scripts, which have no single quotes in them. They
    /// are given an input.
    ///
    /// # Errors
    /// Those of `run`; `unreachable` makes one where the machine is of another kind or the copy is not whole.
    pub(crate) fn bring(
        &self,
        run: impl Fn(&str, Input) -> Result<Output, Error>,
        unreachable: impl Fn(&str) -> Error,
    ) -> Result<(), Error> {
        let hash = self.hash.as_str();
        let name = self.cached();
        let probe = format!("uname -sm; f=\"{name}\"; test -x \"$f\" && sha256sum <\"$f\"; true");
        let output = run(&probe, Input::Nothing)?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut lines = text.lines();
        Program::fits(lines.next().unwrap_or_default())
            .map_err(|says| unreachable(&says.to_string()))?;
        if lines.next().is_some_and(|line| line.starts_with(hash)) {
            return Ok(());
        }
        // Under a name of its own until it is whole: another run may bring it at the same time, on a machine with the same home folder too.
        let bring = format!(
            "umask 077; mkdir -p \"{FOLDER}\" && t=\"{name}.$(uname -n).$$\" && cat >\"$t\" && chmod 700 \"$t\" && sha256sum <\"$t\" && mv \"$t\" \"{name}\""
        );
        let output = run(&bring, Input::File(self.open()?))?;
        match String::from_utf8_lossy(&output.stdout).starts_with(hash) {
            true => Ok(()),
            false => Err(unreachable(
                "this program did not arrive there as it was sent",
            )),
        }
    }

    /// Where it is in a machine's cache, as its shell reads it between double quotes.
    pub(crate) fn cached(&self) -> String {
        format!("{FOLDER}/photofinish-{}", self.hash)
    }

    /// Nothing where it can run on a machine whose `uname -sm` prints this.
    ///
    /// # Errors
    /// Why not, in words that follow the machine's name.
    pub(crate) fn fits(uname: &str) -> Result<(), OtherKind> {
        let ours = format!("Linux {}", std::env::consts::ARCH);
        match uname == ours {
            true => Ok(()),
            false => Err(OtherKind {
                theirs: shortened(uname, 100).into_owned(),
                ours,
            }),
        }
    }
}

/// A machine on which this program cannot run.
#[derive(Debug, thiserror::Error)]
#[error(
    "it is {theirs:?}, and this photofinish is for {ours:?}; install one of its own there, and run from a machine of the same kind"
)]
pub(crate) struct OtherKind {
    theirs: String,
    ours: String,
}

/// The most characters of a complaint that are quoted.
const LONGEST_COMPLAINT: usize = 2_000;

/// What a command complained of, else how it ended.
pub(crate) fn said(name: &str, output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines: Vec<&str> = lines.collect();
    match lines.as_slice() {
        [] => format!("{name} ended with {}", output.status),
        lines => shortened(&lines.join("; "), LONGEST_COMPLAINT).into_owned(),
    }
}

fn unreadable(path: &Path, source: io::Error) -> Error {
    Error::File {
        verb: "read",
        path: path.to_owned(),
        source,
    }
}

fn hash(path: &Path) -> io::Result<String> {
    let mut sha = Sha256::new();
    let mut file = File::open(path)?;
    let mut bytes = vec![0; 1 << 20];
    loop {
        match file.read(&mut bytes)? {
            0 => break,
            read => sha.update(&bytes[..read]),
        }
    }
    let bytes = sha.finalize();
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
