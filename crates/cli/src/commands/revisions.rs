//! `--rev`: revisions of a git repository, checked out in the cache.

use photofinish_lab::cache_dir;
use photofinish_lab::revisions::Repository;
use photofinish_model::units::plural;
use photofinish_study::Checkout;

use crate::exit::Failure;
use crate::{out, process};

/// The repository, and the revisions that were asked for.
pub struct Revisions {
    pub repository: Repository,
    pub checkouts: Vec<Checkout>,
    /// How many files of the working tree are not committed.
    uncommitted: usize,
    with_working_tree: bool,
}

/// Checks the revisions out, the working tree too where there is only one. `purpose` sets apart what is built in different ways.
pub fn check_out(given: &[String], purpose: &str) -> Result<Revisions, Failure> {
    let fail = |error| Failure::from(photofinish_lab::Error::from(error));
    let current = process::folder()?;
    let repository = Repository::of(&current).map_err(fail)?;
    let cache = cache_dir();
    let mut checkouts = Vec::new();
    for given in given {
        let (name, given) = named(given);
        let checkout = repository.check_out(name, given, purpose, &cache);
        checkouts.push(checkout.map_err(fail)?);
    }
    let uncommitted = repository.uncommitted().map_err(fail)?;
    let with_working_tree = checkouts.len() == 1;
    if with_working_tree {
        let files = repository.check_out_working_tree(purpose, &cache);
        checkouts.push(files.map_err(fail)?);
    }
    Ok(Revisions {
        repository,
        checkouts,
        uncommitted,
        with_working_tree,
    })
}

impl Revisions {
    /// Says which they are, unless that is not wanted, and what is not among them: once all that was asked for is known to be right.
    pub fn introduce(&self, quiet: bool) {
        let Revisions {
            repository,
            checkouts,
            uncommitted,
            with_working_tree,
        } = self;
        let files = || plural(*uncommitted, "uncommitted file", "uncommitted files");
        if !quiet {
            for (place, checkout) in checkouts.iter().enumerate() {
                let working_tree = *with_working_tree && place == 1;
                let on_top = match (working_tree, uncommitted) {
                    (false, _) => String::new(),
                    (true, 0) => ", nothing uncommitted".to_owned(),
                    (true, _) => format!(", with {}", files()),
                };
                let short = checkout.revision.commit.get(..7).unwrap_or_default();
                let (label, subject) = (&checkout.label, &checkout.subject);
                out::note(&format!("{label}: commit {short} ({subject}){on_top}"));
            }
        }
        if *uncommitted > 0 && !with_working_tree {
            out::note(&format!(
                "note: {} in {} not raced; give --rev once to race the working tree",
                files(),
                match uncommitted {
                    1 => format!("{} is", repository.root().display()),
                    _ => format!("{} are", repository.root().display()),
                }
            ));
        }
        for (place, checkout) in checkouts.iter().enumerate() {
            let same = checkouts[..place]
                .iter()
                .find(|other| other.tree == checkout.tree);
            if let Some(same) = same {
                out::note(&format!(
                    "note: {} and {} have the same files: what they differ by is noise",
                    same.label, checkout.label
                ));
            }
        }
    }
}

/// `NAME=REVISION`, or a revision alone.
fn named(text: &str) -> (Option<&str>, &str) {
    let is_name = |name: &str| {
        let fits = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
        !name.is_empty() && name.chars().all(fits)
    };
    match text.split_once('=') {
        Some((name, given)) if is_name(name) && !given.is_empty() => (Some(name), given),
        _ => (None, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_may_have_a_name() {
        assert_eq!(named("base=origin/main"), (Some("base"), "origin/main"));
        assert_eq!(named("HEAD~1"), (None, "HEAD~1"));
        assert_eq!(named("a/b=c"), (None, "a/b=c"));
        assert_eq!(named("=c"), (None, "=c"));
    }
}
