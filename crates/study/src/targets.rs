//! The targets that a study names, from where they lie.

use std::collections::BTreeMap;

use crate::error::Error;
use crate::nearest::advice;
use crate::plan::Target;
use crate::reader::{Document, Node};

/// Where a study's targets come from.
pub(crate) trait Targets {
    /// The names of all targets.
    fn names(&self) -> Vec<String>;
    /// A target and its variants, the base first; `None` where there is no such target.
    fn find(&self, name: &str) -> Option<Result<Vec<Target>, Error>>;
}

/// The targets' files that a study has opened: variants of one target share its file, whose mistakes are reported once.
pub(crate) struct OpenedTargets<'s> {
    doc: &'s Document,
    library: &'s dyn Targets,
    read: BTreeMap<String, Option<Vec<Target>>>,
}

impl<'s> OpenedTargets<'s> {
    pub(crate) fn new(doc: &'s Document, library: &'s dyn Targets) -> OpenedTargets<'s> {
        OpenedTargets {
            doc,
            library,
            read: BTreeMap::new(),
        }
    }

    /// The target that `item` wants: `name` or `name@variant`. What is wrong with it is noted.
    pub(crate) fn find(&mut self, item: &Node<'_>, wanted: &str) -> Option<Target> {
        let (name, _) = wanted.split_once('@').unwrap_or((wanted, ""));
        let (doc, library) = (self.doc, self.library);
        let known = self
            .read
            .entry(name.to_owned())
            .or_insert_with(|| open(doc, item, name, library));
        pick(item, wanted, known.as_deref()?)
    }
}

/// Opens a target's file; what is wrong with it joins the study's mistakes.
fn open(doc: &Document, item: &Node<'_>, name: &str, library: &dyn Targets) -> Option<Vec<Target>> {
    match library.find(name) {
        Some(Ok(targets)) => return Some(targets),
        Some(Err(Error::Files(problems))) => {
            for problem in problems {
                doc.add(problem);
            }
        }
        Some(Err(error)) => item.note(error.to_string(), ""),
        None => {
            let names = library.names();
            let help = advice(name, "targets", names.iter().map(String::as_str));
            item.note(format!("there is no target `{name}`"), help);
        }
    }
    None
}

fn pick(item: &Node<'_>, wanted: &str, known: &[Target]) -> Option<Target> {
    let found = known.iter().find(|target| target.label == wanted);
    if found.is_none() {
        let (name, variant) = wanted.split_once('@').unwrap_or((wanted, ""));
        let labels = known.iter().map(|target| &*target.label);
        item.note(
            format!("the target `{name}` has no variant `{variant}`"),
            advice(wanted, "its labels", labels),
        );
    }
    found.cloned()
}
