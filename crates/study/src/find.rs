//! Where studies and targets lie, and reading them from there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use photofinish_model::files;

use crate::checks::check_name;
use crate::error::Error;
use crate::nearest::advice;
use crate::plan::{Draft, Target};
use crate::reader::Document;
use crate::shown::shown;
use crate::study_file;
use crate::target_file;
use crate::targets::Targets;

/// The folders in which `studies/` and `targets/` are looked for, the first one first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Library {
    /// The folders.
    pub roots: Vec<PathBuf>,
}

/// A study that is here.
#[derive(Debug)]
pub struct StudyEntry {
    /// Its name.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// The study, whose targets state what they need; or why it cannot be run.
    pub plan: Result<Draft, Error>,
}

/// A target that is here.
#[derive(Debug)]
pub struct TargetEntry {
    /// Its name.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// The target and its variants, the base first; or why it cannot be run.
    pub targets: Result<Vec<Target>, Error>,
}

impl Library {
    /// The library of a run: an explicit root, then the current folder and its parents.
    /// [`load_study`] puts the folder of the study's file before them.
    pub fn new(root: Option<&Path>, current: &Path) -> Self {
        let roots = root.into_iter().chain(current.ancestors());
        let mut library = Library { roots: Vec::new() };
        library.add(roots);
        library
    }

    fn add<'p>(&mut self, roots: impl Iterator<Item = &'p Path>) {
        for root in roots {
            // Where the program stands may change; a target's folder must not change with it.
            let root = std::path::absolute(root).unwrap_or_else(|_| root.to_owned());
            if !self.roots.contains(&root) {
                self.roots.push(root);
            }
        }
    }

    /// The names of all studies that are here.
    pub fn study_names(&self) -> Vec<String> {
        self.study_paths().into_keys().collect()
    }

    /// The names of all targets that are here.
    pub fn target_names(&self) -> Vec<String> {
        self.target_paths().into_keys().collect()
    }

    /// Every study that is here, by name, with what is wrong with it if anything is.
    pub fn studies(&self) -> Vec<StudyEntry> {
        let entries = self.study_paths().into_iter();
        entries
            .map(|(name, path)| StudyEntry {
                plan: read_study(self, &path, &[]),
                name,
                path,
            })
            .collect()
    }

    /// Every target that is here, by name, with what is wrong with it if anything is.
    pub fn targets(&self) -> Vec<TargetEntry> {
        let entries = self.target_paths().into_iter();
        entries
            .map(|(name, path)| TargetEntry {
                targets: read_target(&name, &path),
                name,
                path,
            })
            .collect()
    }

    /// A target by its label, for a study that has these already.
    fn further(&self, label: &str, there: &[Target]) -> Result<Target, Error> {
        let wrong = |problem, help| Err(Error::argument("--with", problem, help));
        if there.iter().any(|target| target.label == label) {
            let help = "leave it out; --aa races the first target against itself";
            return wrong(
                format!("the target `{label}` is there already"),
                help.to_owned(),
            );
        }
        let (name, _) = label.split_once('@').unwrap_or((label, ""));
        let Some(known) = self.find(name) else {
            let names = self.names();
            let help = advice(name, "targets", names.iter().map(String::as_str));
            return wrong(format!("there is no target `{name}`"), help);
        };
        let known = known?;
        match known.iter().find(|target| target.label == label) {
            Some(target) => Ok(target.clone()),
            None => wrong(
                format!("the target `{name}` has no variant like `{label}`"),
                advice(
                    label,
                    "its labels",
                    known.iter().map(|target| &*target.label),
                ),
            ),
        }
    }

    fn study_paths(&self) -> BTreeMap<String, PathBuf> {
        self.collect("studies", |path| {
            let toml = path
                .extension()
                .is_some_and(|extension| extension == "toml");
            (toml && path.is_file()).then(|| (path.file_stem(), path.clone()))
        })
    }

    fn target_paths(&self) -> BTreeMap<String, PathBuf> {
        self.collect("targets", |path| {
            let file = path.join("target.toml");
            file.is_file().then(|| (path.file_name(), file))
        })
    }

    /// Names and files under `folder` of every root; the first root that has a name counts.
    fn collect(
        &self,
        folder: &str,
        entry: impl for<'p> Fn(&'p PathBuf) -> Option<(Option<&'p std::ffi::OsStr>, PathBuf)>,
    ) -> BTreeMap<String, PathBuf> {
        let mut found = BTreeMap::new();
        for root in &self.roots {
            // A root without such a folder is the usual case, not a mistake.
            let Ok(items) = std::fs::read_dir(root.join(folder)) else {
                continue;
            };
            for item in items.flatten() {
                let path = item.path();
                if let Some((Some(name), file)) = entry(&path) {
                    let name = name.to_string_lossy().into_owned();
                    found.entry(name).or_insert(file);
                }
            }
        }
        found
    }
}

impl Targets for Library {
    fn names(&self) -> Vec<String> {
        self.target_names()
    }

    fn find(&self, name: &str) -> Option<Result<Vec<Target>, Error>> {
        let path = self.target_paths().remove(name)?;
        Some(read_target(name, &path))
    }
}

/// Reads a study by its name or its file, with the targets that it names.
///
/// # Errors
/// No such study; a file that cannot be read; mistakes in the study or in its targets.
pub fn load_study(library: &Library, name_or_path: &str) -> Result<Draft, Error> {
    load_study_with(library, name_or_path, &[])
}

/// The same with further targets (`--with`), which stand behind those of the study. They take every
/// workload, and have every service, that is not for certain targets only.
///
/// # Errors
/// Those of [`load_study`], and a label that is none or is there already.
pub fn load_study_with(
    library: &Library,
    name_or_path: &str,
    further: &[String],
) -> Result<Draft, Error> {
    let is_path = name_or_path.contains(std::path::MAIN_SEPARATOR)
        || Path::new(name_or_path)
            .extension()
            .is_some_and(|extension| extension == "toml");
    if is_path {
        return read_study(library, Path::new(name_or_path), further);
    }
    let mut studies = library.study_paths();
    match studies.remove(name_or_path) {
        Some(path) => read_study(library, &path, further),
        None => Err(Error::Unknown {
            kind: "study",
            name: name_or_path.to_owned(),
            help: advice(name_or_path, "studies", studies.keys().map(String::as_str)),
        }),
    }
}

fn read_study(library: &Library, path: &Path, further: &[String]) -> Result<Draft, Error> {
    let text = read_text(path)?;
    let shown = shown(path);
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    if let Err((message, allowed)) = check_name(&name) {
        return Err(Error::argument(
            shown,
            format!("{message}, and a study has its file's"),
            format!("rename the file; allowed: {allowed}"),
        ));
    }
    // The study's own surroundings come before where the reader happens to stand.
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut nearby = Library { roots: Vec::new() };
    nearby.add(absolute.ancestors().skip(1));
    nearby.add(library.roots.iter().map(PathBuf::as_path));
    let doc = Document::new(&shown, &text);
    let dir = path.parent().unwrap_or(Path::new(""));
    let plan = study_file::read(&doc, &name, dir, &nearby);
    let mut plan = finish(doc, plan)?;
    for label in further {
        let target = nearby.further(label, &plan.targets)?;
        plan.targets.push(target);
    }
    Ok(plan)
}

pub(crate) fn read_target(name: &str, path: &Path) -> Result<Vec<Target>, Error> {
    if let Err((message, allowed)) = check_name(name) {
        return Err(Error::argument(
            shown(path),
            format!("{message}, and a target has its folder's"),
            format!("rename the folder; allowed: {allowed}"),
        ));
    }
    let text = read_text(path)?;
    let doc = Document::new(&shown(path), &text);
    let dir = path.parent().unwrap_or(Path::new("."));
    let targets = target_file::read(&doc, name, dir);
    finish(doc, Some(targets))
}

pub(crate) fn finish<T>(doc: Document, value: Option<T>) -> Result<T, Error> {
    let problems = doc.into_problems();
    match value {
        Some(value) if problems.is_empty() => Ok(value),
        _ => Err(Error::Files(problems)),
    }
}

pub(crate) fn read_text(path: &Path) -> Result<String, Error> {
    files::read_text(path, files::WRITTEN).map_err(|source| Error::Read {
        path: path.to_owned(),
        source,
    })
}
