//! Revisions of a git repository, each checked out in a folder of its own in the cache.
//!
//! A folder is a git worktree, named after the hash of the revision's tree: it is made once, and the user's own files are never
//! touched. The working tree is checked out in the same way: its files are written to a tree object, with an index of its own,
//! so that the user's index stays as it is.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use photofinish_host::Error;
use photofinish_host::command::{Bounds, Input, RunError, run};
use photofinish_model::Revision;
use photofinish_model::files::remove;
use photofinish_model::files::temp::TempFolder;
use photofinish_study::Checkout;
use sha2::{Digest, Sha256};

use crate::error::RevisionError;
use crate::hex::hex;

/// The most bytes that git may print: a line for each of 100,000 changed files.
const MOST_WORDS: usize = 16 << 20;

/// What stands for the files as they lie there.
pub const WORKING_TREE: &str = "working-tree";

/// A repository, seen from a folder within it.
#[derive(Clone, Debug)]
pub struct Repository {
    root: PathBuf,
    /// The folder below the root.
    folder: PathBuf,
}

impl Repository {
    /// The repository that holds a folder.
    ///
    /// # Errors
    /// If it is in none, or in one without a working tree; where git refuses, or is not there.
    pub fn of(folder: &Path) -> Result<Repository, RevisionError> {
        // In the words that are looked for below.
        let mut git = Command::new("git");
        git.env("LC_ALL", "C").arg("-C").arg(folder);
        let reported = output(git.args(["rev-parse", "--show-toplevel", "--show-prefix"]))?;
        let text = String::from_utf8_lossy(&reported.stdout).into_owned();
        let mut lines = text.lines();
        match (reported.status.success(), lines.next()) {
            (true, Some(root)) if !root.is_empty() => Ok(Repository {
                root: PathBuf::from(root),
                folder: PathBuf::from(lines.next().unwrap_or_default()),
            }),
            _ => Err(no_repository(folder.to_owned(), &reported.stderr)),
        }
    }

    /// Its root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// How many files are changed, added or removed and not committed.
    ///
    /// # Errors
    /// If git refuses.
    pub fn uncommitted(&self) -> Result<usize, RevisionError> {
        let reported = self.git(&["status", "--porcelain"])?;
        Ok(reported.lines().count())
    }

    /// Checks a revision out below `cache`, unless that was done already. In a report it is called `name`, else as it was
    /// given. `purpose` sets checkouts of one tree apart that are built in different ways.
    ///
    /// # Errors
    /// If there is no such revision, or its files cannot be written.
    pub fn check_out(
        &self,
        name: Option<&str>,
        given: &str,
        purpose: &str,
        cache: &Path,
    ) -> Result<Checkout, RevisionError> {
        let commit = format!("{given}^{{commit}}");
        let verify = [
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &commit,
        ];
        let Ok(commit) = self.git(&verify) else {
            let (given, root) = (given.to_owned(), self.root.clone());
            return Err(
                match self
                    .git(&["rev-parse", "--is-shallow-repository"])?
                    .as_str()
                {
                    "true" => RevisionError::Shallow { given, root },
                    _ => RevisionError::Unknown { given, root },
                },
            );
        };
        let short = self.git(&["rev-parse", "--short=7", &commit])?;
        let is_hash = given.len() >= 7 && commit.starts_with(given);
        let label = match name {
            None if is_hash => short,
            name => format!("{}@{short}", name.unwrap_or(given)),
        };
        self.place(given, label, (&commit, &commit), purpose, cache)
    }

    /// Checks the files out as they lie there, without those that git ignores.
    ///
    /// # Errors
    /// If their tree cannot be written, or a repository has no commit yet.
    pub fn check_out_working_tree(
        &self,
        purpose: &str,
        cache: &Path,
    ) -> Result<Checkout, RevisionError> {
        let head = self.git(&["rev-parse", "HEAD"])?;
        let folder =
            TempFolder::new().map_err(Error::file("make", Path::new("a temporary folder")))?;
        let index = folder.path().join("index");
        let with_index = |args: &[&str]| {
            let mut command = self.command(args);
            self.reported(command.env("GIT_INDEX_FILE", &index), args)
        };
        with_index(&["read-tree", "HEAD"])?;
        with_index(&["add", "--all", ":/"])?;
        let tree = with_index(&["write-tree"])?;
        let args = ["commit-tree", "-p", &head, "-m", "The working tree", &tree];
        let mut command = self.command(&args);
        for who in ["AUTHOR", "COMMITTER"] {
            // Not the user's, and of no time: the same files make the same commit.
            command.env(format!("GIT_{who}_NAME"), "photofinish");
            command.env(format!("GIT_{who}_EMAIL"), "photofinish@localhost");
            command.env(format!("GIT_{who}_DATE"), "2000-01-01T00:00:00Z");
        }
        let commit = self.reported(&mut command, &args)?;
        let label = WORKING_TREE.to_owned();
        self.place(WORKING_TREE, label, (&commit, &head), purpose, cache)
    }

    /// The checkout of a commit, which stands for `named`.
    fn place(
        &self,
        given: &str,
        label: String,
        (commit, named): (&str, &str),
        purpose: &str,
        cache: &Path,
    ) -> Result<Checkout, RevisionError> {
        let tree = self.git(&["rev-parse", &format!("{commit}^{{tree}}")])?;
        let mut sha = Sha256::new();
        for part in [self.root.as_os_str().as_encoded_bytes(), purpose.as_bytes()] {
            sha.update((part.len() as u64).to_le_bytes());
            sha.update(part);
        }
        let key = hex(&sha.finalize()[..4]);
        let cache = std::path::absolute(cache)
            .map_err(Error::file("make", cache))?
            .join("revisions");
        fs::create_dir_all(&cache).map_err(Error::file("make", &cache))?;
        let name = format!("{}-{key}", &tree[..tree.len().min(12)]);
        let root = cache.join(&name);
        self.worktree(commit, &root, &cache.join(format!("{name}.out")))?;
        let subject = self.git(&["log", "-1", "--format=%s", named])?;
        Ok(Checkout {
            revision: Revision {
                given: given.to_owned(),
                commit: named.to_owned(),
            },
            label,
            subject,
            tree,
            dir: root.join(&self.folder),
            root,
        })
    }

    /// Makes a worktree, unless `done` says that it was made; whoever makes it holds the lock on `done`.
    fn worktree(&self, commit: &str, root: &Path, done: &Path) -> Result<(), RevisionError> {
        let mark = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(done)
            .map_err(Error::file("make", done))?;
        mark.lock().map_err(Error::file("make", done))?;
        let is_whole = mark.metadata().map_err(Error::file("make", done))?.len() > 0;
        if is_whole && root.is_dir() {
            return Ok(());
        }
        if root.exists() {
            // What an interruption left.
            remove::remove(root).map_err(|left| Error::file("make", root)(left.into()))?;
        }
        let path = root.display().to_string();
        // A hook of the user's is not meant for this.
        let quiet = ["-c", "core.hooksPath=/dev/null", "worktree", "add"];
        let args = ["--quiet", "--force", "--force", "--detach", &path, commit];
        self.git(&[quiet.as_slice(), &args].concat())?;
        if root.join(".gitmodules").is_file() {
            let args = ["submodule", "update", "--quiet", "--init", "--recursive"];
            let mut command = Command::new("git");
            self.reported(command.arg("-C").arg(root).args(args), &args)?;
        }
        Ok(fs::write(done, commit).map_err(Error::file("make", done))?)
    }

    /// What git prints.
    fn git(&self, args: &[&str]) -> Result<String, RevisionError> {
        self.reported(&mut self.command(args), args)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.root).args(args);
        command
    }

    fn reported(&self, command: &mut Command, args: &[&str]) -> Result<String, RevisionError> {
        let reported = output(command)?;
        match reported.status.success() {
            true => Ok(String::from_utf8_lossy(&reported.stdout)
                .trim_end()
                .to_owned()),
            false => Err(RevisionError::Git {
                command: args.join(" "),
                says: String::from_utf8_lossy(&reported.stderr).trim().to_owned(),
            }),
        }
    }
}

/// Why there is no repository to check revisions out of, by what git said of a folder.
fn no_repository(folder: PathBuf, said: &[u8]) -> RevisionError {
    let says = String::from_utf8_lossy(said).trim().to_owned();
    let has = |words: &str| says.contains(words);
    if has("not a git repository") {
        RevisionError::NotRepository { folder }
    } else if has("must be run in a work tree") {
        RevisionError::NoWorkingTree { folder }
    } else {
        RevisionError::Refused { folder, says }
    }
}

/// Runs git. Variables that speak of another repository, as git sets them for a hook, are not passed on.
fn output(command: &mut Command) -> Result<Output, RevisionError> {
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_PREFIX", "GIT_COMMON_DIR"] {
        command.env_remove(name);
    }
    // A checkout takes as long as it takes.
    let bounds = Bounds {
        most: MOST_WORDS,
        within: None,
        interrupt: None,
    };
    run(command, Input::Nothing, bounds).map_err(|error| match error {
        RunError::Io(error) => RevisionError::NoGit(error),
        error => RevisionError::Git {
            command: command
                .get_args()
                .map(|arg| arg.to_string_lossy())
                .collect::<Vec<_>>()
                .join(" "),
            says: error.to_string(),
        },
    })
}
