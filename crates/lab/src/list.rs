//! What can be run here: studies and targets, what each needs, and whether that is here.

use std::collections::BTreeMap;
use std::path::PathBuf;

use photofinish_study::find::Library;
use photofinish_study::plan::{Plan, Target};

use crate::host::Host;
use crate::prepare;

/// Everything that is here.
#[derive(Clone, Debug)]
pub struct Listing {
    /// By name.
    pub studies: Vec<ListedStudy>,
    /// By name.
    pub targets: Vec<ListedTarget>,
}

/// A study.
#[derive(Clone, Debug)]
pub struct ListedStudy {
    /// Its name.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// What it compares; or why it cannot be run, with file and line.
    pub study: Result<StudySummary, String>,
}

/// A study that can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StudySummary {
    /// A line that says what is compared.
    pub title: String,
    /// Its contenders.
    pub targets: Vec<Contender>,
}

/// A target's folder.
#[derive(Clone, Debug)]
pub struct ListedTarget {
    /// Its name.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// The target and its variants, the base first; or why it cannot be run, with file and line.
    pub variants: Result<Vec<Contender>, String>,
}

/// A target or a variant, with what it needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contender {
    /// `name` or `name@variant`.
    pub label: String,
    /// What it is, in a line.
    pub title: String,
    /// The tools that it needs: name → condition on the version.
    pub needs: BTreeMap<String, String>,
    /// What was found of them: name → version (path); or what is missing.
    pub here: Result<BTreeMap<String, String>, String>,
}

/// Looks for everything that is here.
pub fn list(library: &Library, host: &dyn Host) -> Listing {
    let studies = library.studies().into_iter().map(|entry| ListedStudy {
        name: entry.name,
        path: entry.path,
        study: entry
            .plan
            .map(|plan| summary(&plan, host))
            .map_err(|error| error.to_string()),
    });
    let targets = library.targets().into_iter().map(|entry| ListedTarget {
        name: entry.name,
        path: entry.path,
        variants: (entry.targets)
            .map(|targets| {
                targets
                    .iter()
                    .map(|target| contender(target, host))
                    .collect()
            })
            .map_err(|error| error.to_string()),
    });
    Listing {
        studies: studies.collect(),
        targets: targets.collect(),
    }
}

fn summary(plan: &Plan, host: &dyn Host) -> StudySummary {
    StudySummary {
        title: plan.title.clone(),
        targets: plan
            .targets
            .iter()
            .map(|target| contender(target, host))
            .collect(),
    }
}

fn contender(target: &Target, host: &dyn Host) -> Contender {
    let needs = target
        .needs
        .iter()
        .map(|(tool, version)| (tool.clone(), version.text.clone()));
    Contender {
        label: target.label.clone(),
        title: target.title.clone(),
        needs: needs.collect(),
        here: prepare::tools(host, target).map(|tools| tools.found),
    }
}
