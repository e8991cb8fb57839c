//! photofinish's own binary, as it is brought to a machine that has no other.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::process::Output;

use photofinish_model::text::shortened;
use sha2::{Digest, Sha256};

use super::Error;
use super::command::Input;

/// Where a machine keeps agents' binaries, as its shell reads it.
const CACHE: &str = "${XDG_CACHE_HOME:-$HOME/.cache}/photofinish/agent";

/// A binary, known by its SHA-256.
pub(crate) struct Program<'a> {
    path: &'a Path,
    /// In hexadecimal.
    hash: String,
    /// The folder that keeps it on a machine, as the machine's shell reads it.
    folder: &'static str,
    /// Whether a machine may have it in its search path.
    may_be_installed: bool,
}

impl Program<'_> {
    /// # Errors
    /// If it cannot be read.
    pub(crate) fn read(path: &Path) -> Result<Program<'_>, Error> {
        let hash = sha256(path).map_err(Error::file("read", path))?;
        Ok(Program {
            path,
            hash,
            folder: CACHE,
            may_be_installed: false,
        })
    }

    /// The same, for machines of images that may hold it, which keep it in a folder that goes with them.
    pub(crate) fn in_image(self, folder: &'static str) -> Self {
        Program {
            folder,
            may_be_installed: true,
            ..self
        }
    }

    /// Its bytes, from the first.
    ///
    /// # Errors
    /// If it cannot be read.
    fn open(&self) -> Result<File, Error> {
        File::open(self.path).map_err(Error::file("read", self.path))
    }

    /// Sees that a machine keeps it. `run` runs a script in the machine's POSIX shell with an input; scripts have no single quotes.
    ///
    /// # Errors
    /// Those of `run`; `unreachable` makes one if the machine is of another kind or the copy is not whole.
    pub(crate) fn bring(
        &self,
        run: impl Fn(&str, Input) -> Result<Vec<u8>, Error>,
        unreachable: impl Fn(&str) -> Error,
    ) -> Result<(), Error> {
        let hash = self.hash.as_str();
        let (folder, name) = (self.folder, self.kept());
        let found = match self.may_be_installed {
            // A link to it takes the place of the copy.
            true => format!(
                "f=$(command -v photofinish) && sha256sum <\"$f\" | grep -q {hash} && ln -s \"$f\" \"{name}\" && echo {hash}"
            ),
            false => format!("f=\"{name}\"; test -x \"$f\" && sha256sum <\"$f\""),
        };
        let probe = format!("uname -sm; {found}; true");
        let printed = run(&probe, Input::Nothing)?;
        let text = String::from_utf8_lossy(&printed).into_owned();
        let mut lines = text.lines();
        Program::fits(lines.next().unwrap_or_default()).map_err(|says| unreachable(&says))?;
        if lines.next().is_some_and(|line| line.starts_with(hash)) {
            return Ok(());
        }
        // Under a name of its own until it is whole: another run may bring it at the same time, on a machine with the same home folder too.
        let bring = format!(
            "umask 077; mkdir -p \"{folder}\" && t=\"{name}.$(uname -n).$$\" && cat >\"$t\" && chmod 700 \"$t\" && sha256sum <\"$t\" && mv \"$t\" \"{name}\""
        );
        let printed = run(&bring, Input::File(self.open()?))?;
        match String::from_utf8_lossy(&printed).starts_with(hash) {
            true => Ok(()),
            false => Err(unreachable(
                "this program did not arrive there as it was sent",
            )),
        }
    }

    /// Where a machine keeps it, as the machine's shell reads it between double quotes.
    pub(crate) fn kept(&self) -> String {
        format!("{}/photofinish-{}", self.folder, self.hash)
    }

    /// Nothing if it can run on a machine whose `uname -sm` prints this.
    ///
    /// # Errors
    /// Why not, in words that follow the machine's name.
    fn fits(uname: &str) -> Result<(), String> {
        let ours = format!("Linux {}", std::env::consts::ARCH);
        match uname == ours {
            true => Ok(()),
            false => Err(format!(
                "it is {:?}, and this photofinish is for {ours:?}; install one of its own there, and run from a machine of the same kind",
                shortened(uname, 100)
            )),
        }
    }
}

/// The most characters of a complaint that are quoted.
const MAX_COMPLAINT: usize = 2_000;

/// What a command complained of, else how it ended.
pub(crate) fn said(name: &str, output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines: Vec<&str> = lines.collect();
    match lines.as_slice() {
        [] => format!("{name} ended with {}", output.status),
        lines => shortened(&lines.join("; "), MAX_COMPLAINT).into_owned(),
    }
}

/// The SHA-256 of a file, in hexadecimal digits.
///
/// # Errors
/// Those of the system.
pub fn sha256(path: &Path) -> io::Result<String> {
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
