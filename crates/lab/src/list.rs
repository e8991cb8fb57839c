//! What can be run here: studies and targets, what each needs, and whether that is here.

use std::collections::BTreeMap;
use std::path::PathBuf;

use photofinish_host::Host;
use photofinish_study::find::Library;
use photofinish_study::plan::{Draft, Target};

use crate::error::{Failure, failed};

/// Everything that is here.
#[derive(Debug)]
pub struct Listing {
    /// By name.
    pub studies: Vec<ListedStudy>,
    /// By name.
    pub targets: Vec<ListedTarget>,
}

/// A study.
#[derive(Debug)]
pub struct ListedStudy {
    /// Its name.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// What it compares; or why it cannot be run, each mistake with its file and line.
    pub study: Result<StudySummary, photofinish_study::Error>,
}

/// A study that can be read.
#[derive(Debug)]
pub struct StudySummary {
    /// A line that says what is compared.
    pub title: String,
    /// Its contenders, and its limit behind them.
    pub targets: Vec<Contender>,
}

/// A target's folder.
#[derive(Debug)]
pub struct ListedTarget {
    /// Its name.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// The target and its variants, the base first; or why it cannot be run, each mistake with its file and line.
    pub variants: Result<Vec<Contender>, photofinish_study::Error>,
}

/// A target or a variant, with what it needs.
#[derive(Debug)]
pub struct Contender {
    /// `name` or `name@variant`.
    pub label: String,
    /// What it is, in a line.
    pub title: String,
    /// Whether it is the limit of the study that lists it.
    pub limit: bool,
    /// The tools that it needs: name → condition on the version.
    pub needs: BTreeMap<String, String>,
    /// What was found of them: name → version (path); or what is missing.
    pub here: Result<BTreeMap<String, String>, Failure>,
}

/// Looks for everything that is here.
pub fn list(library: &Library, host: &Host) -> Listing {
    let studies = library.studies().into_iter().map(|entry| ListedStudy {
        name: entry.name,
        path: entry.path,
        study: (entry.plan).map(|draft| summary(&draft, host)),
    });
    let targets = library.targets().into_iter().map(|entry| ListedTarget {
        name: entry.name,
        path: entry.path,
        variants: (entry.targets).map(|targets| contenders(&targets, host)),
    });
    Listing {
        studies: studies.collect(),
        targets: targets.collect(),
    }
}

fn contenders(targets: &[Target], host: &Host) -> Vec<Contender> {
    targets
        .iter()
        .map(|target| contender(target, host))
        .collect()
}

fn summary(plan: &Draft, host: &Host) -> StudySummary {
    StudySummary {
        title: plan.title.clone(),
        targets: contenders(&plan.targets, host),
    }
}

fn contender(target: &Target, host: &Host) -> Contender {
    let needs = target
        .needs
        .iter()
        .map(|(tool, version)| (tool.clone(), version.text.clone()));
    Contender {
        label: target.label.clone(),
        title: target.title.clone(),
        limit: target.limit,
        needs: needs.collect(),
        here: (host.tools(target.needs.clone()))
            .map_err(failed)
            .map(|tools| tools.found),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::sync::Arc;

    use super::*;
    use crate::fake::FakeHost;

    fn write(root: &Path, file: &str, text: &str) {
        let path = root.join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, text).expect("a file");
    }

    #[test]
    fn what_is_here_is_listed_with_what_it_needs() {
        let root = tempfile::tempdir().expect("a folder");
        let start = "[start]\ncommand = [\"serve\", \"{port}\"]\n";
        let plain = format!("title = \"Needs nothing\"\n{start}");
        let java = format!(
            "title = \"Needs Java\"\nneeds = {{ jdk = \">=21\" }}\n{start}\n[variant.big]\njvm-flags = [\"-Xmx1g\"]\n"
        );
        write(root.path(), "targets/plain/target.toml", &plain);
        write(
            root.path(),
            "targets/java/target.toml",
            &java.replace("\"{port}\"", "\"{jvm_flags}\", \"{port}\""),
        );
        write(root.path(), "targets/broken/target.toml", "titel = \"x\"\n");
        write(
            root.path(),
            "studies/both.toml",
            "title = \"Both\"\nrounds = 2\nduration = \"1s\"\ntargets = [\"plain\", \"java@big\"]\n\n[[workload]]\nname = \"w\"\npath = \"/\"\nconnections = [1]\n",
        );
        let library = Library {
            roots: vec![root.path().to_owned()],
        };
        let listing = list(&library, &Arc::new(FakeHost::default()).host());
        let names: Vec<_> = listing.targets.iter().map(|t| t.name.as_str()).collect();
        assert_eq!(names, ["broken", "java", "plain"]);
        let broken = listing.targets[0].variants.as_ref().expect_err("a mistake");
        let broken = broken.in_full();
        assert!(broken.contains("target.toml:1: "), "{broken}");
        assert!(broken.contains("titel"), "{broken}");
        let java = listing.targets[1].variants.as_ref().expect("variants");
        let labels: Vec<_> = java.iter().map(|c| c.label.as_str()).collect();
        assert_eq!(labels, ["java", "java@big"]);
        assert_eq!(java[0].needs["jdk"], ">=21");
        let missing = java[0].here.as_ref().expect_err("no JDK");
        assert_eq!(
            missing.to_string(),
            "failed to find jdk >=21: none; install jdk"
        );
        let plain = &listing.targets[2].variants.as_ref().expect("variants")[0];
        assert!(plain.here.as_ref().is_ok_and(BTreeMap::is_empty));
        let study = listing.studies[0].study.as_ref().expect("a study");
        assert_eq!((study.title.as_str(), study.targets.len()), ("Both", 2));
    }
}
