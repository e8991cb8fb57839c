//! The targets' own executables: what one target does in its own is compared with what another does in its own, whatever the files are
//! called.

use std::collections::{BTreeMap, BTreeSet};

use photofinish_model::Line;
use photofinish_model::folded::Stack;

/// The module of an executable's functions, where executables have different names. The page takes what begins with `[` for unknown.
const PROGRAM: &str = "(program)";

/// The executables of targets that have one each, where their names differ: by equal names frames are compared as they are.
pub(super) struct Programs<'a>(BTreeMap<&'a str, &'a str>);

impl<'a> Programs<'a> {
    /// Those that the profiles of these lines name.
    pub(super) fn of(lines: impl Iterator<Item = &'a Line>) -> Programs<'a> {
        let mut named: BTreeMap<&str, BTreeSet<Option<&str>>> = BTreeMap::new();
        for line in lines {
            if let Some(profile) = &line.profile {
                let of_target = named.entry(line.target.as_str()).or_default();
                of_target.insert(profile.program.as_deref());
            }
        }
        let only = |(target, programs): (&'a str, BTreeSet<Option<&'a str>>)| {
            let mut programs = programs.into_iter();
            let first = programs.next()?.filter(|_| programs.next().is_none())?;
            Some((target, first))
        };
        let programs: BTreeMap<&str, &str> = named.into_iter().filter_map(only).collect();
        let names: BTreeSet<&str> = programs.values().copied().collect();
        Programs(match names.len() {
            0 | 1 => BTreeMap::new(),
            _ => programs,
        })
    }

    /// Gives the functions of a target's executable the name that they have for all targets. A library that has the name of another's
    /// executable keeps it.
    pub(super) fn name_alike(&self, target: &str, stacks: &mut [Stack]) {
        let Some(program) = self.0.get(target) else {
            return;
        };
        for frame in stacks.iter_mut().flat_map(|(frames, _)| frames) {
            let rest = frame.strip_prefix(program);
            if let Some(function) = rest.and_then(|rest| rest.strip_prefix('`')) {
                *frame = format!("{PROGRAM}`{function}");
            }
        }
    }
}
