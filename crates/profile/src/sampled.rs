//! What the samples of a server showed.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::fold::Stacks;
use crate::symbols::{COMPILED, JAVA, JVM_STUB, KERNEL};

/// Stacks, and what ran in them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sampled {
    /// The stacks.
    pub stacks: Stacks,
    /// The executables of the processes that were found in them, as frames name their modules.
    pub programs: BTreeSet<String>,
}

impl Sampled {
    /// The one executable that all its processes ran; `None` if there were several, or where it has the name of what is no file, so
    /// that its frames are not known by their module.
    pub fn program(&self) -> Option<&str> {
        let mut programs = self.programs.iter().map(String::as_str);
        let only = programs.next().filter(|_| programs.next().is_none())?;
        (![KERNEL, COMPILED, JAVA, JVM_STUB].contains(&only)).then_some(only)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_known_where_there_is_one_and_its_frames_are_its_own() {
        let program = |of: &[&str]| {
            let sampled = Sampled {
                programs: of.iter().copied().map(str::to_owned).collect(),
                ..Sampled::default()
            };
            sampled.program().map(str::to_owned)
        };
        assert_eq!(program(&["server"]).as_deref(), Some("server"));
        assert_eq!(program(&["bash", "server"]), None);
        assert_eq!(program(&[]), None);
        // Java methods have the same module as what starts the machine.
        assert_eq!(program(&["java"]), None);
    }
}
