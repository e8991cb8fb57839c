//! Targets at several revisions of their source, each checked out in a folder of its own.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use photofinish_model::Revision;
use photofinish_model::finding::left_out::{LeftOut, Untested};
use photofinish_model::store::MOST_TARGETS;

use crate::error::Error;
use crate::find::{Library, read_target};
use crate::limits;
use crate::plan::{Build, Draft, Target};
use crate::targets::Targets;

/// A revision whose files are there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkout {
    /// Which one.
    pub revision: Revision,
    /// What it is called in a report: as it was given, with its short hash.
    pub label: String,
    /// The first line of its message.
    pub subject: String,
    /// The hash of its files.
    pub tree: String,
    /// The root of its files.
    pub root: PathBuf,
    /// The folder in it that is the current one in the repository.
    pub dir: PathBuf,
}

impl Checkout {
    /// A target as this revision has it.
    fn of(&self, target: Target, label: String) -> Target {
        Target {
            label,
            title: format!("{}, at {}: {}", target.title, self.label, self.subject),
            revision: Some(self.revision.clone()),
            ..target
        }
    }

    /// A target of `compare` that is started, and maybe built, where this revision lies.
    pub(crate) fn command(&self, target: Target, build: Option<&str>) -> Target {
        let label = target.label.clone();
        let build = build.map(|line| Build {
            command: ["sh", "-c", line].map(str::to_owned).to_vec(),
            env: BTreeMap::new(),
            timeout: limits::DEFAULT_BUILD_TIMEOUT,
            in_place: true,
        });
        let dir = Some(self.dir.clone());
        self.of(
            Target {
                dir,
                build,
                ..target
            },
            label,
        )
    }

    /// The target `wanted` of this revision's own folder `targets`, called `label` here.
    ///
    /// # Errors
    /// What is wrong with its file; and where another revision has it and this one does not.
    pub(crate) fn target(&self, wanted: &str, label: &str) -> Result<Target, Error> {
        let library = Library::new(None, &self.dir);
        let (name, _) = wanted.split_once('@').unwrap_or((wanted, ""));
        let known = library.find(name).transpose()?.unwrap_or_default();
        let found = known.into_iter().find(|target| target.label == wanted);
        let found = found.ok_or_else(|| self.lacks(wanted))?;
        Ok(self.of(found, label.to_owned()))
    }

    /// Whether this revision has a target of that name.
    pub(crate) fn has_target(&self, wanted: &str) -> bool {
        let (name, _) = wanted.split_once('@').unwrap_or((wanted, ""));
        let library = Library::new(None, &self.dir);
        library.names().iter().any(|known| known == name)
    }

    fn lacks(&self, wanted: &str) -> Error {
        Error::argument(
            "--rev",
            format!("`{}` has no target `{wanted}`", self.revision.given),
            "race revisions that both have it",
        )
    }
}

/// A plan in which every contender whose folder lies in the repository `root` is replaced by itself at each revision. What
/// lies elsewhere, and the limit, is the same at each and races once.
///
/// # Errors
/// Where no target lies there, or a revision lacks one.
pub fn at_revisions(mut plan: Draft, root: &Path, checkouts: &[Checkout]) -> Result<Draft, Error> {
    let inside = |target: &Target| {
        let dir = fs::canonicalize(target.dir.as_deref()?).ok()?;
        let relative = dir.strip_prefix(root).ok()?.to_owned();
        (!target.limit).then_some(relative)
    };
    let count = plan.targets.iter().filter_map(inside).count();
    if count == 0 {
        return Err(Error::argument(
            "--rev",
            format!(
                "no target of the study {} lies in the repository {}",
                plan.name,
                root.display()
            ),
            "the folders `targets/NAME` whose revisions race must be in the repository that photofinish is run in",
        ));
    }
    let mut targets = Vec::new();
    let mut replaced: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for target in plan.targets {
        let Some(relative) = inside(&target) else {
            targets.push(target);
            continue;
        };
        let wanted = match &target.variant {
            Some(variant) => format!("{}@{variant}", target.name),
            None => target.name.clone(),
        };
        for checkout in checkouts {
            let file = checkout.root.join(&relative).join("target.toml");
            if !file.is_file() {
                return Err(checkout.lacks(&wanted));
            }
            let known = read_target(&target.name, &file)?;
            let found = known.into_iter().find(|known| known.label == wanted);
            let found = found.ok_or_else(|| checkout.lacks(&wanted))?;
            let label = match count {
                1 => checkout.label.clone(),
                _ => format!("{}:{}", target.label, checkout.label),
            };
            let here = replaced.entry(target.label.clone()).or_default();
            here.push(label.clone());
            targets.push(checkout.of(found, label));
        }
    }
    let contenders = targets.iter().filter(|target| !target.limit).count();
    if contenders > MOST_TARGETS {
        return Err(Error::argument(
            "--rev",
            format!(
                "the targets of {} at {} revisions are {contenders}, and at most {MOST_TARGETS} can be raced",
                plan.name,
                checkouts.len()
            ),
            "name fewer revisions, or fewer targets with --only",
        ));
    }
    plan.targets = targets;
    let services = plan.services.iter_mut().map(|service| &mut service.targets);
    let workloads = plan
        .workloads
        .iter_mut()
        .map(|workload| &mut workload.targets);
    for list in services.chain(workloads) {
        for label in std::mem::take(list) {
            match replaced.get(&label) {
                Some(revisions) => list.extend(revisions.iter().cloned()),
                None => list.push(label),
            }
        }
    }
    let left_out = &mut plan.left_out;
    plan.claims.retain(|claim| {
        let kept = ![&claim.of, &claim.over]
            .into_iter()
            .any(|label| replaced.contains_key(label));
        if !kept {
            left_out.push(LeftOut::Claim {
                id: claim.id.clone(),
                why: Untested::Revisions {},
            });
        }
        kept
    });
    Ok(plan)
}
